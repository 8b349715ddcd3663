/** What the actions about triggers share: their service, their turn, and what "it" means next. */
import type { Action, IAgentRuntime, Memory } from '@elizaos/core';
import { type ActionFamily, type ActionWords, framedAction, type Outcome } from './action-frame.js';
import { mention } from './pending.js';
import { type Turn, triggerServiceOf, turnOf } from './turn.js';

export { example, type Outcome } from './action-frame.js';

export interface TriggerActionSpec extends ActionWords {
  handle: (turn: Turn) => Promise<Outcome>;
}

const ABSENT = 'I cannot work with triggers right now: the trigger service is not running.';

const TRIGGERS: ActionFamily = {
  succeeded: 'triggerActionSucceeded',
  isPresent: (runtime) => triggerServiceOf(runtime) !== null,
  absent: ABSENT,
};

export function triggerAction(spec: TriggerActionSpec): Action {
  return framedAction(spec, TRIGGERS, (runtime, message) => run(spec, runtime, message));
}

async function run(
  spec: TriggerActionSpec,
  runtime: IAgentRuntime,
  message: Memory,
): Promise<Outcome> {
  const service = triggerServiceOf(runtime);
  if (!service) return { text: ABSENT, success: false, data: { code: 'UNAVAILABLE' } };
  const turn = await turnOf(runtime, service, message);
  const outcome = await spec.handle(turn);
  if (typeof outcome.data?.triggerId === 'string') await mention(turn, outcome.data.triggerId);
  if (outcome.asked && turn.run !== null) return { ...outcome, success: false };
  return outcome;
}
