/**
 * OPEN_QUESTION: what the agent has asked this person and not been answered, in every prompt, so that
 * the planner takes a "yes" to the action that asked. Apart from the other providers, because a
 * question stays open whatever is switched off. One read of the host's cache per message, and never throws.
 */
import type { Provider } from '@elizaos/core';
import { messageOf } from '../../shared/errors.js';
import { plain, quoted } from './display.js';
import { countedMemories } from './memory-action.js';
import { memoryServiceOf } from './memory-turn.js';
import { type Pending, pendingFor } from './pending.js';
import { isAutonomous, triggerServiceOf } from './turn.js';

const HEADER = '# Open question';

export const openQuestionProvider: Provider = {
  name: 'OPEN_QUESTION',
  description: 'The question to the user that waits for an answer, and the action it belongs to',
  get: async (runtime, message) => {
    const nothing = { text: '', values: {}, data: {} };
    try {
      const service = triggerServiceOf(runtime) ?? memoryServiceOf(runtime);
      // What a person was asked is not answered by a scheduled run.
      if (!service || isAutonomous(runtime, message)) return nothing;
      const pending = await pendingFor(runtime, message, service.now());
      if (pending === null) return nothing;
      return {
        text: `${HEADER}\n${questionOf(pending)}`,
        values: {},
        data: { pending: pending.kind },
      };
    } catch (error) {
      runtime.logger.warn(
        { src: 'plugin:cue:eliza', agentId: runtime.agentId, error: messageOf(error) },
        'the open question could not be shown',
      );
      return nothing;
    }
  },
};

const HINT_QUESTIONS = {
  component: 'Of which component is the hint?',
  key: 'What is the hint for?',
  value: 'What does the hint say?',
  yes: 'Keep that as a hint?',
  which: 'Which hint is meant?',
} as const;

function questionOf(pending: Pending): string {
  const open = 'The user has an open question from you.';
  switch (pending.kind) {
    case 'confirm-create':
      return `${open} Set up ${quoted(pending.instructions, 60)} ${pending.scheduleText}? A yes or no goes to CREATE_TRIGGER.`;
    case 'question':
      return `${open} ${plain(pending.question, 120)} The answer goes to CREATE_TRIGGER.`;
    case 'zone':
      return `${open} In which time zone are they? The answer goes to ${pending.action}.`;
    case 'which':
      return `${open} Which of ${pending.ids.length} triggers is meant? The answer goes to ${pending.action}.`;
    case 'confirm-reschedule':
      return `${open} Change a trigger to ${pending.scheduleText}? A yes or no goes to UPDATE_TRIGGER.`;
    case 'confirm-delete':
      return `${open} Delete ${pending.ids.length} triggers? A yes or no goes to DELETE_TRIGGER.`;
    case 'confirm-forget':
      return `${open} Forget ${countedMemories(pending.ids.length)}? A yes or no goes to FORGET_WORK_MEMORY.`;
    case 'hint':
      return `${open} ${HINT_QUESTIONS[pending.missing]} The answer goes to ${pending.action}.`;
    case 'confirm-forget-hints':
      return `${open} Forget ${pending.hints.length} hints? A yes or no goes to FORGET_HINT.`;
  }
}
