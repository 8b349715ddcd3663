/** The service of `/when` as chat finds it, and what the actions about its index share. */
import type { Action, IAgentRuntime, ServiceTypeName } from '@elizaos/core';
import { serviceOf } from '../../host/index.js';
import { withTimeout } from '../../shared/async.js';
import { WHEN, WhenService } from '../../when/index.js';
import { type ActionFamily, type ActionSpec, framedAction, refuse } from './action-frame.js';
import { type Heard, heardIn, memoryServiceOf } from './memory-turn.js';

/** How long a message waits for the service, ms; a client of the host waits 15 s for an answer. */
const STARTING_MS = 10_000;

export function whenServiceOf(runtime: IAgentRuntime): WhenService | null {
  return serviceOf(runtime, WhenService);
}

/** Whether there is an index to ask. */
export function hasWhenIndex(runtime: IAgentRuntime): boolean {
  return whenServiceOf(runtime)?.configured === true;
}

/** Services start in the background, so the first message of a chat may come before this one has started. */
export async function whenStarted(runtime: IAgentRuntime): Promise<void> {
  if (whenServiceOf(runtime) !== null) return;
  // Why it could not start stands in the host's log.
  const start = Promise.allSettled([runtime.getServiceLoadPromise(WHEN as ServiceTypeName)]);
  await withTimeout(start, STARTING_MS);
}

export interface WhenTurn extends Heard {
  service: WhenService;
  /** What the model said when it chose the action. */
  planned: string;
}

const UNCONFIGURED =
  'There is no /when index here: set CUE_WHEN_INDEX to the index file, and CUE_WHEN_DECISIONS to the folder of its decision files.';

const NAMES: Readonly<Record<string, string>> = {
  content: 'the text of the section',
  under: 'the section to put it under',
};

const WHEN_ACTIONS: ActionFamily<WhenTurn> = {
  succeeded: 'whenActionSucceeded',
  isPresent: (runtime) => whenServiceOf(runtime) !== null && memoryServiceOf(runtime) !== null,
  absent: 'I cannot look into the /when index right now: its service is not running.',
  nameOf: (field) => NAMES[field] ?? `the ${field}`,
  obstacle: (runtime) =>
    hasWhenIndex(runtime) ? null : refuse(UNCONFIGURED, { code: 'DISABLED' }),
  async turnOf(runtime, message, plan) {
    const service = whenServiceOf(runtime);
    const heard = await heardIn(runtime, message);
    const said = [plan?.text, plan?.thought].filter((one) => typeof one === 'string');
    return service && heard && { ...heard, service, planned: said.join('\n') };
  },
};

export function whenAction(spec: ActionSpec<WhenTurn>): Action {
  const action = framedAction(spec, WHEN_ACTIONS);
  return {
    ...action,
    // Without an index it is left out of the prompt; called all the same, it says what to set.
    validate: async (runtime, ...rest) =>
      hasWhenIndex(runtime) && (await action.validate(runtime, ...rest)),
  };
}
