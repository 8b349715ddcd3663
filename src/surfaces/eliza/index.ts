/** What the plugin adds to a conversation: seven actions and one provider. */
import type { Action } from '@elizaos/core';
import { createTriggerAction } from './create-trigger.js';
import { deleteTriggerAction } from './delete-trigger.js';
import { explainTriggerAction } from './explain-trigger.js';
import { listTriggersAction } from './list-triggers.js';
import { runTriggerAction } from './run-trigger.js';
import { setTimeZoneAction } from './set-time-zone.js';
import { updateTriggerAction } from './update-trigger.js';

export { triggersProvider } from './triggers-provider.js';

export const triggerActions: Action[] = [
  createTriggerAction,
  listTriggersAction,
  updateTriggerAction,
  deleteTriggerAction,
  runTriggerAction,
  explainTriggerAction,
  setTimeZoneAction,
];
