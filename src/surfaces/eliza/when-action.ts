/** What the actions about the `/when` index share. */
import type { Action, Content, IAgentRuntime, Memory } from '@elizaos/core';
import type { WhenService } from '../../when/index.js';
import type { EntityCaller } from '../people.js';
import { type ActionFamily, type ActionWords, framedAction, type Outcome } from './action-frame.js';
import { callerOf, memoryServiceOf } from './memory-turn.js';
import { requesterOf, saidText } from './turn.js';
import { hasWhenIndex, whenServiceOf } from './when-turn.js';

export interface WhenTurn {
  service: WhenService;
  /** Who asks, in a scheduled run the creator of its trigger. */
  caller: EntityCaller;
  text: string;
  /** What the model said when it chose the action. */
  planned: string;
}

export interface WhenActionSpec extends ActionWords {
  handle: (turn: WhenTurn) => Promise<Outcome>;
}

const ABSENT = 'I cannot look into the /when index right now: its service is not running.';
const UNCONFIGURED =
  'There is no /when index here: set CUE_WHEN_INDEX to the index file, and CUE_WHEN_DECISIONS to the folder of its decision files.';

const NAMES: Readonly<Record<string, string>> = {
  content: 'the text of the section',
  under: 'the section to put it under',
};

const WHEN_ACTIONS: ActionFamily = {
  succeeded: 'whenActionSucceeded',
  isPresent: (runtime) => whenServiceOf(runtime) !== null && memoryServiceOf(runtime) !== null,
  absent: ABSENT,
  nameOf: (field) => NAMES[field] ?? `the ${field}`,
};

export function whenAction(spec: WhenActionSpec): Action {
  const action = framedAction(spec, WHEN_ACTIONS, (...turn) => run(spec, ...turn));
  return {
    ...action,
    // Without an index it is left out of the prompt; called all the same, it says what to set.
    validate: async (runtime, ...rest) =>
      hasWhenIndex(runtime) && (await action.validate(runtime, ...rest)),
  };
}

async function run(
  spec: WhenActionSpec,
  runtime: IAgentRuntime,
  message: Memory,
  plan: Content | undefined,
): Promise<Outcome> {
  const service = whenServiceOf(runtime);
  const memory = memoryServiceOf(runtime);
  if (!service || !memory) return { text: ABSENT, success: false, data: { code: 'UNAVAILABLE' } };
  if (!service.configured)
    return { text: UNCONFIGURED, success: false, data: { code: 'DISABLED' } };
  const inRun = requesterOf(runtime, message).run;
  const said = [plan?.text, plan?.thought].filter((one) => typeof one === 'string');
  const outcome = await spec.handle({
    service,
    caller: await callerOf(runtime, memory, message),
    text: saidText(message, inRun),
    planned: said.join('\n'),
  });
  return outcome.asked && inRun !== null ? { ...outcome, success: false } : outcome;
}
