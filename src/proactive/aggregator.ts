/**
 * What several detectors found at one happening, as one list: most urgent first, each memory said
 * once, two findings about one thing joined. Pure.
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
  for (const found of merged(detections)) {
    const repeated = candidatesIn(found.content).filter(({ id }) => saidIn.has(id));
    const lost = repeated.map(
      ({ id, memoryId }): Suppressed => ({
        memoryId,
        detector: found.name,
        reason: `already in ${SAID_IN[saidIn.get(id) ?? found.name]}`,
      }),
    );
    suppressed.push(...lost);
    const content =
      repeated.length === 0
        ? found.content
        : withoutMemories(found.content, new Set(repeated.map(({ id }) => id)));
    if (content === null) continue;
    const { name, cue, degraded } = found;
    const finding: Finding = {
      name,
      content,
      cue,
      suppressed: [...found.suppressed, ...lost],
      ...(degraded === undefined ? {} : { degraded }),
    };
    // Where some were taken out, others may move up into the text.
    const said = admit(finding, repeated.length === 0 ? found.shown : candidatesIn(content));
    if (said === null) continue;
    for (const { id } of said.memories) saidIn.set(id, name);
    kept.push(said.finding);
  }
  return { detections: kept, suppressed };
}

interface Spoken extends Finding {
  /** What its text shows: only that is said. */
  shown: Shown[];
}

/** What has something to say, in order; what is about the same thing joined. */
function merged(detections: readonly Detection[]): Spoken[] {
  const bySubject = new Map<string, Spoken>();
  for (const detection of detections) {
    const { shouldNotify, content, cue, memories, suppressed, degraded } = detection;
    if (!shouldNotify || content === null) continue;
    const found: Spoken = {
      name: content.kind,
      content,
      cue,
      suppressed,
      shown: memories,
      ...(degraded === undefined ? {} : { degraded }),
    };
    const key = `${content.kind} ${subjectOf(content, cue)}`;
    const other = bySubject.get(key);
    bySubject.set(key, other === undefined ? found : joined(other, found));
  }
  return [...bySubject.values()].sort(
    (a, b) => urgency(a.name) - urgency(b.name) || b.cue.strength - a.cue.strength,
  );
}

function subjectOf(content: OfferContent, cue: Cue): string {
  const subject =
    content.kind === 'fileTouch'
      ? content.file
      : content.kind === 'patternRecognition'
        ? content.pattern
        : cue.subject;
  return subject.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** The surer of two findings about one thing, with what the other has beside it. */
function joined(one: Spoken, other: Spoken): Spoken {
  const [first, second] = one.cue.strength >= other.cue.strength ? [one, other] : [other, one];
  const degraded = first.degraded ?? second.degraded;
  return {
    ...first,
    content: together(first.content, second.content),
    cue: {
      ...first.cue,
      evidence: [...new Set([...first.cue.evidence, ...second.cue.evidence])],
    },
    suppressed: [...first.suppressed, ...second.suppressed],
    shown: distinct([...first.shown, ...second.shown]),
    ...(degraded === undefined ? {} : { degraded }),
  };
}

function together(one: OfferContent, other: OfferContent): OfferContent {
  // One session starts once; both say the same of it.
  if (one.kind === 'sessionStart' || other.kind === 'sessionStart') return one;
  if (one.kind !== other.kind) return one;
  const all = distinct<Shown>([...one.memories, ...other.memories]);
  const whole = { ...one, memories: all } as OfferContent;
  if (whole.kind === 'fileTouch' && other.kind === 'fileTouch') {
    whole.total = Math.max(whole.total, other.total);
    whole.failed = Math.max(whole.failed, other.failed);
  }
  if (whole.kind === 'patternRecognition' && other.kind === 'patternRecognition') {
    whole.occurrences = Math.max(whole.occurrences, other.occurrences);
  }
  return whole;
}

/** The first of each memory. */
function distinct<One extends Shown>(candidates: readonly One[]): One[] {
  const byId = new Map<Uuid, One>();
  for (const candidate of candidates) {
    if (!byId.has(candidate.id)) byId.set(candidate.id, candidate);
  }
  return [...byId.values()];
}
