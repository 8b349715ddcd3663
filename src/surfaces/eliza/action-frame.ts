/**
 * The frame of whatever the host calls here: it neither calls `validate` before a handler nor survives
 * one that throws (ELIZA_GUIDE §4), so an action finds out for itself who asks, always returns a result,
 * and always tells the user; a provider or an evaluator that fails says nothing.
 */
import type {
  Action,
  ActionExample,
  ActionResult,
  Content,
  Evaluator,
  IAgentRuntime,
  Memory,
  Provider,
  ProviderResult,
} from '@elizaos/core';
import { messageOf } from '../../shared/errors.js';
import { hostLog } from '../../shared/log.js';
import { codeOf, type FailureWords, failureWords } from './failure.js';
import { isAutonomous, summaries } from './turn.js';

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

/** What was to be done is done, or there was nothing to do. */
export function succeed(text: string, data?: Outcome['data']): Outcome {
  return { text, success: true, ...(data && { data }) };
}

/** It is done when the user has answered. */
export function askUser(text: string, data?: Outcome['data']): Outcome {
  return { ...succeed(text, data), asked: true };
}

export function refuse(text: string, data?: Outcome['data']): Outcome {
  return { ...succeed(text, data), success: false };
}

export interface ActionSpec<Turn> {
  name: string;
  similes: string[];
  description: string;
  /** Conversations for the planner: what the user says, what the agent answers with this action, and so on. */
  examples: readonly (readonly string[])[];
  /** Left out of the prompt of a scheduled run. */
  notInRuns?: boolean;
  /** Does the work; what it throws becomes words of the agent. */
  handle: (turn: Turn) => Promise<Outcome>;
}

/** What the actions of one service share. */
export interface ActionFamily<Turn, Spec extends ActionSpec<Turn> = ActionSpec<Turn>>
  extends FailureWords {
  /** Name of the value that tells the next action how this one ended. */
  succeeded: string;
  isPresent: (runtime: IAgentRuntime) => boolean;
  /** Said while the service is not running. */
  absent: string;
  /** Said in place of whatever was to be done; `null`: it can be done. */
  obstacle?: (runtime: IAgentRuntime) => Outcome | null;
  /** @param plan what the model said when it chose the action */
  turnOf: (
    runtime: IAgentRuntime,
    message: Memory,
    plan: Content | undefined,
  ) => Promise<Turn | null>;
  /** What belongs to handling a message; the handler alone when absent. */
  around?: (turn: Turn, spec: Spec) => Promise<Outcome>;
}

const BROKEN = 'Something went wrong on my side while doing that. Please try again in a moment.';

export function framedAction<Turn, Spec extends ActionSpec<Turn>>(
  spec: Spec,
  family: ActionFamily<Turn, Spec>,
): Action {
  const { name, similes, description } = spec;

  async function outcomeOf(
    runtime: IAgentRuntime,
    message: Memory,
    plan: Content | undefined,
  ): Promise<Outcome> {
    try {
      const isPresent = family.isPresent(runtime);
      const obstacle = isPresent ? family.obstacle?.(runtime) : null;
      if (obstacle) return obstacle;
      const turn = isPresent ? await family.turnOf(runtime, message, plan) : null;
      if (turn === null) return refuse(family.absent, { code: 'UNAVAILABLE' });
      return await (family.around?.(turn, spec) ?? spec.handle(turn));
    } catch (error) {
      const words = failureWords(error, family);
      if (words === null) complain(runtime, name, error, 'action failed');
      return refuse(words ?? BROKEN, { code: codeOf(error) });
    }
  }

  return {
    name,
    similes,
    description,
    examples: spec.examples.map((lines) => lines.map((text, at) => lineOf(text, at, name))),
    // Cue's actions look up or arrange what Cue keeps itself; a captured memory would be an echo.
    isWork: false,
    // Prompt shaping only; the rules are checked where things happen.
    validate: async (runtime, message) =>
      family.isPresent(runtime) && !(spec.notInRuns && isAutonomous(runtime, message)),
    handler: async (runtime, message, _state, _options, callback, responses) => {
      const plan = responses?.at(0)?.content;
      const { text, success, asked, silent, data } = await outcomeOf(runtime, message, plan);
      // It has perhaps changed a trigger: what comes after it in the turn shows that.
      summaries.drop(runtime);
      try {
        const { source } = message.content;
        const said = { text, actions: [name], ...(typeof source === 'string' ? { source } : {}) };
        if (!silent) await callback?.(said);
      } catch (error) {
        complain(runtime, name, error, 'the answer of an action could not be handed over');
      }
      // Nobody is there to answer a question.
      const isDone = success && !(asked && isAutonomous(runtime, message));
      const result: ActionResult = {
        success: isDone,
        text,
        values: { [family.succeeded]: isDone },
        data: { actionName: name, ...(asked ? { asked } : {}), ...data },
      };
      return isDone ? result : { ...result, error: text };
    },
  };
}

function lineOf(text: string, at: number, action: string): ActionExample {
  return at % 2 === 0
    ? { name: '{{user}}', content: { text } }
    : { name: '{{agent}}', content: { text, actions: [action] } };
}

function complain(runtime: IAgentRuntime, action: string, error: unknown, message: string): void {
  hostLog(runtime, 'eliza').error({ action, error: messageOf(error) }, message);
}

export function warn(runtime: IAgentRuntime, error: unknown, message: string): void {
  hostLog(runtime, 'eliza').warn({ error: messageOf(error) }, message);
}

/** What a provider shows; `null`: nothing. */
type Shown = Required<Pick<ProviderResult, 'text' | 'values' | 'data'>>;

/** @param failed said in the log where it throws */
export function framedProvider({
  failed,
  show,
  ...provider
}: Omit<Provider, 'get'> & {
  failed: string;
  show: (runtime: IAgentRuntime, message: Memory) => Promise<Shown | null>;
}): Provider {
  return {
    ...provider,
    get: async (runtime, message) => {
      const shown = await show(runtime, message).catch((error: unknown) => {
        warn(runtime, error, failed);
        return null;
      });
      return shown ?? { text: '', values: {}, data: {} };
    },
  };
}

/**
 * Every evaluator that runs costs the host 100 KB of log (ELIZA_GUIDE §4), so `isNeeded` is true only for a
 * turn that has something to tell.
 * @param failed said in the log where one of them throws
 */
export function framedEvaluator({
  failed,
  isNeeded,
  evaluate,
  ...evaluator
}: Pick<Evaluator, 'name' | 'description' | 'similes'> & {
  failed: string;
  isNeeded: (runtime: IAgentRuntime, message: Memory) => Promise<boolean>;
  evaluate: (
    runtime: IAgentRuntime,
    message: Memory,
    responses: readonly Memory[],
  ) => Promise<void>;
}): Evaluator {
  const complains = (runtime: IAgentRuntime) => (error: unknown) => {
    warn(runtime, error, failed);
    return false;
  };
  return {
    ...evaluator,
    examples: [],
    validate: (runtime, message) => isNeeded(runtime, message).catch(complains(runtime)),
    handler: async (runtime, message, _state, _options, _callback, responses) => {
      await evaluate(runtime, message, responses ?? []).catch(complains(runtime));
      return undefined;
    },
  };
}
