/**
 * CUE_DETECT: looks at a turn for files, intents and planned actions (the owner's card), so that what was
 * done before also comes up where a host emits no events. It calls the hooks that the events call; a
 * message or answer that was told already is not told again.
 */
import type { Evaluator, IAgentRuntime, Memory } from '@elizaos/core';
import { framedEvaluator } from './action-frame.js';
import {
  agentWords,
  isFirstTelling,
  proactiveServiceOf,
  turnMessageOf,
  workingFor,
} from './proactive-turn.js';

/** @param ownActions names of this plugin's actions: talking about memories is no work */
export function createDetectEvaluator(ownActions: ReadonlySet<string>): Evaluator {
  // A message without a time cannot tell its answers from earlier ones.
  const answersTo = async (runtime: IAgentRuntime, { roomId, createdAt }: Memory) =>
    createdAt === undefined ? [] : agentWords(runtime, roomId, createdAt, ownActions);

  return framedEvaluator({
    name: 'CUE_DETECT',
    description: 'Recalls earlier work that bears on the files, intents and actions of this turn',
    similes: ['DETECT_FILE_TOUCH', 'DETECT_INTENT', 'DETECT_CONFLICT'],
    failed: 'a turn could not be looked into',
    async isNeeded(runtime, message) {
      const service = proactiveServiceOf(runtime);
      if (!service?.enabled() || message.id === undefined) return false;
      if (message.entityId === runtime.agentId) return false;
      const turn = await turnMessageOf(runtime, message);
      // A scheduled run is our own: its provider is asked in any case.
      if (turn === null || turn.scheduled === true) return false;
      const { text, attachments } = turn;
      if (service.concerns({ text, attachments, byAgent: false })) return true;
      const answers = await answersTo(runtime, message);
      return answers.some((answer) => service.concerns({ text: answer, byAgent: true }));
    },
    async evaluate(runtime, message) {
      const service = proactiveServiceOf(runtime);
      const turn = await turnMessageOf(runtime, message);
      if (!service || turn === null) return;
      // Fixed for the message's id: where the provider was asked, nothing is detected anew.
      await service.offersForTurn(turn);
      const { roomId, messageId } = turn;
      const caller = workingFor(runtime, roomId);
      for (const text of await answersTo(runtime, message)) {
        if (!isFirstTelling(runtime, messageId, text)) continue;
        const activity = { roomId, caller, sessionId: caller.sessionId, text, files: [] };
        service.onAgentActivity(activity);
      }
    },
  });
}
