/** The detectors of work memory, and what is to be evaluated as calls of them and of those of other rooms. */
import type { ProactiveConfig } from './config.js';
import { createConflictWarning } from './detectors/conflict-warning.js';
import type { DetectorContext } from './detectors/context.js';
import { createFileTouch } from './detectors/file-touch.js';
import { createIntentMatch } from './detectors/intent-match.js';
import { createPatternRecognition } from './detectors/pattern-recognition.js';
import { createPropose } from './detectors/proposals.js';
import { createSessionStart } from './detectors/session-start.js';
import { subjectOf } from './occasions.js';
import { type Evaluation, type MessageHappening, route, type SlotInput } from './router.js';
import type { DetectorCall } from './run-detectors.js';
import { compose } from './text/composer.js';
import type { Detector, Detectors, Occasion, OfferContent } from './types.js';

/** Detectors of the rooms that come later; absent: nothing of the kind is looked for. */
export interface SlotDetectors {
  hintMatch?: Detector<SlotInput>;
  whenMatch?: Detector<SlotInput>;
}

/** Those that look at work memory. */
export function createDetectors(context: DetectorContext): Detectors {
  const propose = createPropose(context);
  return {
    fileTouch: createFileTouch(context),
    intentMatch: createIntentMatch(context, propose),
    conflictWarning: createConflictWarning(context, propose),
    patternRecognition: createPatternRecognition(context, propose),
    sessionStart: createSessionStart(context),
  };
}

const WARM_UP: MessageHappening = {
  type: 'message',
  text: 'Please add caching to src/warm-up.ts and fix the failing build',
  files: ['src/warm-up.ts'],
  newSession: true,
};

export function callsOf(
  detectors: Detectors & SlotDetectors,
  evaluations: readonly Evaluation[],
  occasion: Occasion,
): DetectorCall[] {
  return evaluations.flatMap((evaluation) => {
    const run = runOf(detectors, evaluation, occasion);
    return run ? [{ detector: evaluation.detector, subject: subjectOf(evaluation), run }] : [];
  });
}

function runOf(
  detectors: Detectors & SlotDetectors,
  evaluation: Evaluation,
  occasion: Occasion,
): DetectorCall['run'] | undefined {
  switch (evaluation.detector) {
    case 'fileTouch':
      return () => detectors.fileTouch.evaluate({ ...occasion, ...evaluation.input });
    case 'intentMatch':
      return () => detectors.intentMatch.evaluate({ ...occasion, ...evaluation.input });
    case 'conflictWarning':
      return () => detectors.conflictWarning.evaluate({ ...occasion, ...evaluation.input });
    case 'patternRecognition':
      return () => detectors.patternRecognition.evaluate({ ...occasion, ...evaluation.input });
    case 'sessionStart':
      return () => detectors.sessionStart.evaluate({ ...occasion, ...evaluation.input });
    case 'hintMatch':
    case 'whenMatch': {
      const slot = detectors[evaluation.detector];
      return slot && (() => slot.evaluate({ ...occasion, ...evaluation.input }));
    }
  }
}

/**
 * Code that has never run takes several times as long, and the first message of a person must not
 * come too late for that. Asks every detector of work memory once; nothing comes of it.
 */
export async function warmUp(
  detectors: Detectors,
  config: ProactiveConfig,
  nowMs: number,
): Promise<void> {
  const calls = callsOf(detectors, route(WARM_UP, config), {});
  await Promise.allSettled(calls.map(({ run }) => run()));
  // The tokenizer reads its table at its first text, which takes longest of all.
  const content: OfferContent = { kind: 'intentMatch', intent: 'warm', memories: [] };
  compose(content, { nowMs, prefix: 'RUM' });
}
