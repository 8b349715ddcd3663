/**
 * The frame of every action here: the host neither calls `validate` before a handler nor survives
 * one that throws (ELIZA_GUIDE §4), so the handler finds out for itself who asks, always returns a
 * result, and always tells the user.
 */
import type {
  Action,
  ActionExample,
  ActionResult,
  HandlerCallback,
  IAgentRuntime,
  Memory,
} from '@elizaos/core';
import { messageOf } from '../../shared/errors.js';
import { codeOf, failureWords } from './failure.js';
import { mention } from './pending.js';
import { isAutonomous, type Turn, triggerServiceOf, turnOf } from './turn.js';

/** What a handler has come to. */
export interface Outcome {
  text: string;
  success: boolean;
  /** The user was asked something back; inside a run nobody answers, and that is a failure. */
  asked?: boolean;
  data?: ActionResult['data'];
}

export interface TriggerActionSpec {
  name: string;
  similes: string[];
  description: string;
  examples: ActionExample[][];
  /** Left out of the prompt of a scheduled run. */
  notInRuns?: boolean;
  handle: (turn: Turn) => Promise<Outcome>;
}

const ABSENT = 'I cannot work with triggers right now: the trigger service is not running.';
const BROKEN = 'Something went wrong on my side while doing that. Please try again in a moment.';

export function triggerAction(spec: TriggerActionSpec): Action {
  const { name, similes, description, examples } = spec;
  return {
    name,
    similes,
    description,
    examples,
    // Prompt shaping only; the rules are checked where things happen.
    validate: async (runtime, message) =>
      triggerServiceOf(runtime) !== null && !(spec.notInRuns && isAutonomous(runtime, message)),
    handler: async (runtime, message, _state, _options, callback) => {
      const outcome = await run(spec, runtime, message);
      return told(spec.name, outcome, message, callback, runtime);
    },
  };
}

async function run(
  spec: TriggerActionSpec,
  runtime: IAgentRuntime,
  message: Memory,
): Promise<Outcome> {
  try {
    const service = triggerServiceOf(runtime);
    if (!service) return { text: ABSENT, success: false, data: { code: 'UNAVAILABLE' } };
    const turn = await turnOf(runtime, service, message);
    const outcome = await spec.handle(turn);
    if (typeof outcome.data?.triggerId === 'string') await mention(turn, outcome.data.triggerId);
    if (outcome.asked && turn.run !== null) return { ...outcome, success: false };
    return outcome;
  } catch (error) {
    const words = failureWords(error);
    if (words === null) {
      runtime.logger.error(
        {
          src: 'plugin:cue:eliza',
          agentId: runtime.agentId,
          action: spec.name,
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
  outcome: Outcome,
  message: Memory,
  callback: HandlerCallback | undefined,
  runtime: IAgentRuntime,
): Promise<ActionResult> {
  try {
    const { source } = message.content;
    await callback?.({
      text: outcome.text,
      actions: [name],
      ...(typeof source === 'string' ? { source } : {}),
    });
  } catch (error) {
    runtime.logger.error(
      { src: 'plugin:cue:eliza', agentId: runtime.agentId, action: name, error: messageOf(error) },
      'the answer of an action could not be handed over',
    );
  }
  return {
    success: outcome.success,
    text: outcome.text,
    values: { triggerActionSucceeded: outcome.success },
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
