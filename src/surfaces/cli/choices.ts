/**
 * Words that options take, told to commander and to shells. The lists are those of the rooms, which would
 * bring their host along: here they are only checked against them, as keys of a whole record.
 */
import type { DEPTHS, TASK_TYPES } from '../../memory/index.js';
import type { DetectorName, OfferState } from '../../proactive/index.js';
import type { TriggerState } from '../../triggers/index.js';

function words<Word extends string>(all: Readonly<Record<Word, true>>): Word[] {
  return Object.keys(all) as Word[];
}

export const DEPTH_WORDS = words<(typeof DEPTHS)[number]>({
  summary: true,
  outcome: true,
  reasoning: true,
  full: true,
  complete: true,
});

export const TASK_TYPE_WORDS = words<(typeof TASK_TYPES)[number]>({
  bug_fix: true,
  feature_add: true,
  refactor: true,
  investigation: true,
  test_write: true,
  documentation: true,
  optimization: true,
  security_fix: true,
  dependency_update: true,
  configuration: true,
  other: true,
});

export const TRIGGER_STATE_WORDS = words<TriggerState>({
  active: true,
  resting: true,
  disabled: true,
  paused: true,
  invalid: true,
});

export const OFFER_STATE_WORDS = words<OfferState>({
  pending: true,
  shown: true,
  used: true,
  acknowledged: true,
  dismissed: true,
  expired: true,
});

export const OFFER_KIND_WORDS = words<DetectorName>({
  conflictWarning: true,
  fileTouch: true,
  intentMatch: true,
  hintMatch: true,
  whenMatch: true,
  patternRecognition: true,
  sessionStart: true,
});
