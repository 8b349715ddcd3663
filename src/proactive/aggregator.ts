/**
 * What several detectors found at one happening, as one list: most urgent first, each memory said
 * once. Pure.
 */
import type { Uuid } from '../shared/ids.js';
import { urgency } from './text/block.js';
import { candidatesIn, withoutMemories } from './text/content.js';
import type { Cue, Detection, DetectorName, OfferContent, Shown, Suppressed } from './types.js';

/** What is left of a detection; it has something to say. */
export interface Finding {
  name: DetectorName;
  content: OfferContent;
  cue: Cue;
  /** What the detector itself left out, and what was left out here. */
  suppressed: Suppressed[];
  degraded?: string;
}

export interface Aggregated {
  /** In the order of `DETECTOR_NAMES`, then of strength, then as they came. */
  detections: Finding[];
  /** All of it, also that of detections which nothing is left of. */
  suppressed: Suppressed[];
}

/** How a kind is called where a memory is said already. */
const SAID_IN: Readonly<Record<DetectorName, string>> = {
  conflictWarning: 'the warning',
  fileTouch: 'the offer about a file',
  intentMatch: 'the offer of a similar task',
  hintMatch: 'the hint',
  whenMatch: 'the /when entry',
  patternRecognition: 'the offer of a pattern',
  sessionStart: 'the context of the session',
};

/**
 * Says whether a finding may be said now, and which of its memories then are; `null`: nothing of it.
 * Only what is really said takes a memory from what is less urgent.
 */
export type Admit = (finding: Finding, wouldSay: readonly Shown[]) => Said | null;
export interface Said {
  /** The finding with what is left of it. */
  finding: Finding;
  memories: readonly Pick<Shown, 'id'>[];
}

export function aggregate(
  detections: readonly Detection[],
  admit: Admit = (finding, memories) => ({ finding, memories }),
): Aggregated {
  const suppressed = detections.flatMap((detection) => detection.suppressed);
  const saidIn = new Map<Uuid, DetectorName>();
  const kept: Finding[] = [];
  for (const found of inOrder(detections)) {
    const name = found.content.kind;
    const repeated = candidatesIn(found.content).filter(({ id }) => saidIn.has(id));
    const lost = repeated.map(
      ({ id, memoryId }): Suppressed => ({
        memoryId,
        detector: name,
        reason: `already in ${SAID_IN[saidIn.get(id) ?? name]}`,
      }),
    );
    suppressed.push(...lost);
    const content =
      repeated.length === 0
        ? found.content
        : withoutMemories(found.content, new Set(repeated.map(({ id }) => id)));
    if (content === null) continue;
    const { cue, degraded } = found;
    const finding: Finding = {
      name,
      content,
      cue,
      suppressed: [...found.suppressed, ...lost],
      ...(degraded === undefined ? {} : { degraded }),
    };
    // Where some were taken out, others may move up into the text.
    const said = admit(finding, repeated.length === 0 ? found.memories : candidatesIn(content));
    if (said === null) continue;
    for (const { id } of said.memories) saidIn.set(id, name);
    kept.push(said.finding);
  }
  return { detections: kept, suppressed };
}

/** What has something to say, most urgent first. */
function inOrder(detections: readonly Detection[]): (Detection & { content: OfferContent })[] {
  return detections
    .flatMap((detection) => {
      const { shouldNotify, content } = detection;
      return shouldNotify && content !== null ? [{ ...detection, content }] : [];
    })
    .sort(
      (a, b) =>
        urgency(a.content.kind) - urgency(b.content.kind) || b.cue.strength - a.cue.strength,
    );
}
