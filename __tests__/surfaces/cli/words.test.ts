/** Values of options that commands name without loading the schemas they come from. */
import { expect, it } from 'vitest';
import { DEPTHS, TASK_TYPES } from '../../../src/memory/index.js';
import { DETECTOR_NAMES, OFFER_STATES } from '../../../src/proactive/index.js';
import * as words from '../../../src/surfaces/cli/flags.js';
import { RUN_STATUSES, TRIGGER_STATES } from '../../../src/triggers/index.js';

it('the words of an option are those of the schema', () => {
  expect([...words.DEPTH_WORDS].sort()).toEqual([...DEPTHS].sort());
  expect([...words.TASK_TYPE_WORDS].sort()).toEqual([...TASK_TYPES].sort());
  expect([...words.TRIGGER_STATE_WORDS].sort()).toEqual([...TRIGGER_STATES].sort());
  expect([...words.RUN_STATUS_WORDS].sort()).toEqual([...RUN_STATUSES, 'running'].sort());
  expect([...words.OFFER_STATE_WORDS].sort()).toEqual([...OFFER_STATES].sort());
  expect([...words.OFFER_KIND_WORDS].sort()).toEqual([...DETECTOR_NAMES].sort());
});
