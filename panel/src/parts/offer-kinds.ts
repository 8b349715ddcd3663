import type { DetectorName } from '../../../src/index.js';

/** The kinds of offers, in words. */
export const KINDS: Readonly<Record<DetectorName, string>> = {
  conflictWarning: 'Warning',
  fileTouch: 'File',
  intentMatch: 'Intent',
  patternRecognition: 'Pattern',
  hintMatch: 'Hint',
  whenMatch: '/when',
  sessionStart: 'Session start',
};

export const kindOf = (kind: string): string => KINDS[kind as DetectorName] ?? kind;
