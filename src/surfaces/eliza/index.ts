/** What the plugin adds to a conversation: actions, providers and evaluators. */
import type { Action, Evaluator } from '@elizaos/core';
import { captureWorkEvaluator } from './capture-work.js';
import { createTriggerAction } from './create-trigger.js';
import { deleteTriggerAction } from './delete-trigger.js';
import { createDetectEvaluator } from './detect.js';
import { bumpHintAction, forgetHintAction, getHintAction, setHintAction } from './hint-actions.js';
import {
  forgetWorkMemoryAction,
  linkWorkMemoriesAction,
  recallWorkMemoryAction,
  storeWorkMemoryAction,
  synthesizeWisdomAction,
} from './memory-actions.js';
import { acknowledgeWarningAction, dismissOfferAction } from './offer-action.js';
import { type EventHandlers, eventsOf } from './proactive-events.js';
import { runTriggerAction } from './run-trigger.js';
import { setTimeZoneAction } from './set-time-zone.js';
import { showExamplesAction } from './show-examples.js';
import { explainTriggerAction, listTriggersAction } from './show-triggers.js';
import { updateTriggerAction } from './update-trigger.js';
import { recallWhenAction, rememberWhenAction } from './when-actions.js';

export { createHintsProvider } from './hints-provider.js';
export { memoryServiceOf } from './memory-turn.js';
export { tellModelFailures } from './model-failure.js';
export { createOffersProvider } from './offers-provider.js';
export { CUE_EVENTS, type EventHandlers } from './proactive-events.js';
export { openQuestionProvider, triggersProvider } from './triggers-provider.js';
export { announced, turnHasEnded } from './turn-end.js';
export { createWhenIndexProvider } from './when-index-provider.js';
export { missingModel, standInForModel } from './without-model.js';
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

export const offerActions: Action[] = [acknowledgeWarningAction, dismissOfferAction];

export const whenActions: Action[] = [recallWhenAction, rememberWhenAction];

/** The host also takes a name that holds another one: of `FORGET_HINTS` it must not find `GET_HINT` first. */
export const hintActions: Action[] = [
  setHintAction,
  bumpHintAction,
  forgetHintAction,
  getHintAction,
];

/** Every action of the plugin. */
export const cueActions: Action[] = [
  ...triggerActions,
  ...memoryActions,
  ...offerActions,
  ...whenActions,
  ...hintActions,
  showExamplesAction,
];

const ownActions: ReadonlySet<string> = new Set(cueActions.map(({ name }) => name));

/** What the proactive room hears of the host; a plugin that has handlers of its own puts them beside. */
export function proactiveEvents(): EventHandlers {
  return eventsOf(ownActions);
}

export const cueEvaluators: Evaluator[] = [captureWorkEvaluator, createDetectEvaluator(ownActions)];
