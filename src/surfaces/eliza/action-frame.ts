/**
 * The frame of every action here: the host neither calls `validate` before a handler nor survives
 * one that throws (ELIZA_GUIDE §4), so the handler finds out for itself who asks, always returns a
 * result, and always tells the user.
 */
import type {
  Action,
  ActionExample,
  ActionResult,
  Content,
  HandlerCallback,
  IAgentRuntime,
  Memory,
} from '@elizaos/core';
import { messageOf } from '../../shared/errors.js';
import { codeOf, type FailureWords, failureWords } from './failure.js';
import { lookAgain } from './glance.js';
import { isAutonomous } from './turn.js';

/** What a handler has come to. */
export interface Outcome {
  text: string;
  success: boolean;
  /** The user was asked something back; inside a run nobody answers, and that is a failure. */
  asked?: boolean;
  /** Kept as the action's result and said to nobody. */
  silent?: boolean;
  data?: ActionResult['data'];
}

export interface ActionWords {
  name: string;
  similes: string[];
  description: string;
  examples: ActionExample[][];
  /** Left out of the prompt of a scheduled run. */
  notInRuns?: boolean;
}

/** What the actions of one service share. */
export interface ActionFamily extends FailureWords {
  /** Name of the value that tells the next action how this one ended. */
  succeeded: string;
  isPresent: (runtime: IAgentRuntime) => boolean;
  /** Said while the service is not running. */
  absent: string;
}

const BROKEN = 'Something went wrong on my side while doing that. Please try again in a moment.';

/**
 * @param handle does the work; what it throws becomes words of the agent. `plan` is what the model
 *   said when it chose the action
 */
export function framedAction(
  words: ActionWords,
  family: ActionFamily,
  handle: (runtime: IAgentRuntime, message: Memory, plan: Content | undefined) => Promise<Outcome>,
): Action {
  const { name, similes, description, examples } = words;
  return {
    name,
    similes,
    description,
    examples,
    // Cue's actions look up or arrange what Cue keeps itself; a captured memory would be an echo.
    isWork: false,
    // Prompt shaping only; the rules are checked where things happen.
    validate: async (runtime, message) =>
      family.isPresent(runtime) && !(words.notInRuns && isAutonomous(runtime, message)),
    handler: async (runtime, message, _state, _options, callback, responses) => {
      const plan = responses?.at(0)?.content;
      const outcome = await run(name, family, runtime, () => handle(runtime, message, plan));
      lookAgain(runtime);
      return told(name, family, outcome, message, callback, runtime);
    },
  };
}

async function run(
  name: string,
  family: ActionFamily,
  runtime: IAgentRuntime,
  handle: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    if (!family.isPresent(runtime)) {
      return { text: family.absent, success: false, data: { code: 'UNAVAILABLE' } };
    }
    return await handle();
  } catch (error) {
    const words = failureWords(error, family);
    if (words === null) {
      runtime.logger.error(
        {
          src: 'plugin:cue:eliza',
          agentId: runtime.agentId,
          action: name,
          error: messageOf(error),
        },
        'action failed',
      );
    }
    return { text: words ?? BROKEN, success: false, data: { code: codeOf(error) } };
  }
}

async function told(
  name: string,
  family: ActionFamily,
  outcome: Outcome,
  message: Memory,
  callback: HandlerCallback | undefined,
  runtime: IAgentRuntime,
): Promise<ActionResult> {
  try {
    const { source } = message.content;
    const said = {
      text: outcome.text,
      actions: [name],
      ...(typeof source === 'string' ? { source } : {}),
    };
    if (!outcome.silent) await callback?.(said);
  } catch (error) {
    runtime.logger.error(
      { src: 'plugin:cue:eliza', agentId: runtime.agentId, action: name, error: messageOf(error) },
      'the answer of an action could not be handed over',
    );
  }
  return {
    success: outcome.success,
    text: outcome.text,
    values: { [family.succeeded]: outcome.success },
    data: {
      actionName: name,
      ...(outcome.asked ? { asked: true } : {}),
      ...outcome.data,
    },
    ...(outcome.success ? {} : { error: outcome.text }),
  };
}

/** A conversation for the planner: what the user says, and the action that answers it. */
export function example(user: string, agent: string, action: string): ActionExample[] {
  return [
    { name: '{{user}}', content: { text: user } },
    { name: '{{agent}}', content: { text: agent, actions: [action] } },
  ];
}
