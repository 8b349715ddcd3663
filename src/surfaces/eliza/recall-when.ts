/** RECALL_WHEN: what the project knows about something, by `/when` commands or in words. */
import type { Recall } from '../../when/index.js';
import { askUser, type Outcome, succeed } from './action-frame.js';
import { recallSubject } from './memory-words.js';
import { chatAnswer } from './when-text.js';
import { type WhenTurn, whenAction } from './when-turn.js';

/** Of one look-up, as it is taken. */
const MAX_SUBJECT = 500;
const MAX_READ = 8_192;

const THE_INDEX =
  /\s+(?:in|from|of|out of) (?:the|our|your|this) (?:\/?when[- ])?(?:index|knowledge(?: base)?|decisions?(?: files?| records?)?)\b/gi;

/** What a question in words is about; '' when it does not say. */
export function whenSubject(message: string): string {
  const read = message.trim().slice(0, MAX_READ).replace(/\s+/g, ' ').replace(THE_INDEX, '');
  const subject = recallSubject(read).replace(/^["'`]+|["'`]+$/g, '');
  return /[\p{L}\p{N}]/u.test(subject) ? subject.slice(0, MAX_SUBJECT) : '';
}

export const recallWhenAction = whenAction({
  name: 'RECALL_WHEN',
  similes: ['WHEN', 'LOOK_UP_WHEN', 'RECALL_KNOWLEDGE', 'SEARCH_WHEN_INDEX'],
  description:
    'Looks up knowledge of the project in its /when index: a command like "/when writing mock tests", "/when § .Section", "/when § file.md", a list of them, or what one is about to do, in words. For decisions and know-how of the project, not for what was done or said earlier: that is RECALL_WORK_MEMORY.',
  examples: [
    [
      '/when writing mock tests',
      'Quoted from the decision files of the project: Mock Patching Pattern (testing.md, line 5): patch where the object is used, not where it is defined.',
    ],
    [
      'what do we know about splitting modules?',
      'Module Split Strategy: one reason to change for each module.',
    ],
  ],
  handle: recallWhen,
});

async function recallWhen(turn: WhenTurn): Promise<Outcome> {
  const recall = await recalled(turn);
  if (recall === null || recall.results.length === 0) {
    return askUser(
      'What shall I look up? Name what you are about to do, like "/when writing mock tests".',
    );
  }
  const given = recall.results.flatMap(({ found, matches: [best] }) =>
    found === 'none' || best === undefined ? [] : [best],
  );
  return succeed(chatAnswer(recall), {
    asked_for: recall.results.length,
    found: given.length,
    sections: given.map(({ file, line, header }) => ({ file, line, header })),
  });
}

/** Commands of the message first, then those of the agent's own plan, then what it asks in words. */
async function recalled({ service, caller, text, planned }: WhenTurn): Promise<Recall | null> {
  const commanded =
    (await service.find(text, caller, 'person')) ?? (await service.find(planned, caller, 'agent'));
  if (commanded !== null) return commanded;
  const subject = whenSubject(text);
  // Asked in words, it is the agent who thought of the index.
  return subject === '' ? null : service.recall(subject, caller, 'agent');
}
