/**
 * OPEN_QUESTION: what the agent has asked this person and not been answered, the last question first, in
 * every prompt, so that the planner takes a "yes" to the action that asked. Apart from the other providers, because a
 * question stays open whatever is switched off. One read of the host's cache per message, and never throws.
 */
import { framedProvider } from './action-frame.js';
import { memoryServiceOf } from './memory-turn.js';
import { questionOf } from './open-questions.js';
import { actionOf, type Pending, questionsFor, takesYesOrNo } from './pending.js';
import { isAutonomous, triggerServiceOf } from './turn.js';

const HEADER = '# Open question';

export const openQuestionProvider = framedProvider({
  name: 'OPEN_QUESTION',
  description: 'The question to the user that waits for an answer, and the action it belongs to',
  failed: 'the open question could not be shown',
  async show(runtime, message) {
    const service = triggerServiceOf(runtime) ?? memoryServiceOf(runtime);
    // What a person was asked is not answered by a scheduled run.
    if (!service || isAutonomous(runtime, message)) return null;
    const [last, ...earlier] = await questionsFor(runtime, message, service.now());
    if (last === undefined) return null;
    const lines = [
      HEADER,
      `The user has an open question from you. ${lineOf(last)}`,
      ...earlier.map((one) => `Asked before that, and open as well: ${lineOf(one)}`),
    ];
    return { text: lines.join('\n'), values: {}, data: { pending: last.kind } };
  },
});

function lineOf(pending: Pending): string {
  const answer = takesYesOrNo(pending) ? 'A yes or no' : 'The answer';
  return `${questionOf(pending)} ${answer} goes to ${actionOf(pending)}.`;
}
