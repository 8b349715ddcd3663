/** What the plugin adds to a conversation: actions, providers and one evaluator. */
import type { Action } from '@elizaos/core';
import { createTriggerAction } from './create-trigger.js';
import { deleteTriggerAction } from './delete-trigger.js';
import { explainTriggerAction } from './explain-trigger.js';
import { forgetWorkMemoryAction } from './forget-work-memory.js';
import { linkWorkMemoriesAction } from './link-work-memories.js';
import { listTriggersAction } from './list-triggers.js';
import { recallWorkMemoryAction } from './recall-work-memory.js';
import { runTriggerAction } from './run-trigger.js';
import { setTimeZoneAction } from './set-time-zone.js';
import { storeWorkMemoryAction } from './store-work-memory.js';
import { synthesizeWisdomAction } from './synthesize-wisdom.js';
import { updateTriggerAction } from './update-trigger.js';

export { captureWorkEvaluator } from './capture-work.js';
export { memoryServiceOf } from './memory-turn.js';
export { openQuestionProvider } from './open-question-provider.js';
export { triggersProvider } from './triggers-provider.js';
export { workMemoryProvider } from './work-memory-provider.js';

export const triggerActions: Action[] = [
  createTriggerAction,
  listTriggersAction,
  updateTriggerAction,
  deleteTriggerAction,
  runTriggerAction,
  explainTriggerAction,
  setTimeZoneAction,
];

export const memoryActions: Action[] = [
  storeWorkMemoryAction,
  recallWorkMemoryAction,
  linkWorkMemoriesAction,
  synthesizeWisdomAction,
  forgetWorkMemoryAction,
];
