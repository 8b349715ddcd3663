/** The detectors that look at work memory; those of other rooms come with them. */
import type { Detectors } from '../types.js';
import { createConflictWarning } from './conflict-warning.js';
import type { DetectorContext } from './context.js';
import { createFileTouch } from './file-touch.js';
import { createIntentMatch } from './intent-match.js';
import { createPatternRecognition } from './pattern-recognition.js';
import { createPropose } from './proposals.js';
import { createSessionStart } from './session-start.js';

export type { DetectorContext } from './context.js';

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
