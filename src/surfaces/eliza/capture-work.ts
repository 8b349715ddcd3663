/**
 * CAPTURE_WORK: keeps what a turn did, where actions left something to keep, without a model call. One
 * message is one memory, however often the host evaluates it.
 */
import type { ActionResult, IAgentRuntime, Memory } from '@elizaos/core';
import { captureDraft, type FinishedAction, type FinishedRun } from '../../memory/index.js';
import { framedEvaluator } from './action-frame.js';
import { callerOf, memoryServiceOf } from './memory-turn.js';
import { requesterOf, saidText } from './turn.js';

export const captureWorkEvaluator = framedEvaluator({
  name: 'CAPTURE_WORK',
  description: 'Keeps a work memory of what the agent did in this turn',
  similes: ['RECORD_WORK'],
  failed: 'a finished turn could not be kept',
  async isNeeded(runtime, message) {
    if (memoryServiceOf(runtime)?.captures !== true) return false;
    const run = finishedRun(runtime, message, []);
    return run !== null && captureDraft(run) !== null;
  },
  async evaluate(runtime, message, responses) {
    const service = memoryServiceOf(runtime);
    const run = finishedRun(runtime, message, responses);
    if (service?.captures === true && run !== null) {
      await service.capture(run, await callerOf(runtime, service, message));
    }
  },
});

/** `null`: nothing was done, or it was the agent that spoke. */
function finishedRun(
  runtime: IAgentRuntime,
  message: Memory,
  responses: readonly Memory[],
): FinishedRun | null {
  if (message.id === undefined || message.entityId === runtime.agentId) return null;
  const content = responses.at(0)?.content;
  const planned = content?.actions ?? [];
  const results = runtime.getActionResults(message.id);
  const actions = results.map((result, index) =>
    actionOf(runtime, result, planned.length === results.length ? planned[index] : undefined),
  );
  if (actions.length === 0) return null;
  return {
    messageId: message.id,
    text: saidText(message, requesterOf(runtime, message).run),
    actions,
    ...(content?.text ? { answer: content.text } : {}),
    ...(content?.thought ? { thought: content.thought } : {}),
  };
}

/** Many actions do not say their name in what they return; the plan has it. */
function actionOf(
  runtime: IAgentRuntime,
  result: ActionResult,
  planned: string | undefined,
): FinishedAction {
  const named = result.data?.actionName;
  const error = result.error instanceof Error ? result.error.message : result.error;
  const name = typeof named === 'string' ? named : (planned ?? 'ACTION');
  const flag = runtime.actions.find((action) => action.name === name)?.isWork;
  return {
    name,
    success: result.success,
    ...(typeof flag === 'boolean' ? { isWork: flag } : {}),
    ...(result.text === undefined ? {} : { text: result.text }),
    ...(error === undefined ? {} : { error }),
    ...(result.data === undefined ? {} : { data: result.data }),
  };
}
