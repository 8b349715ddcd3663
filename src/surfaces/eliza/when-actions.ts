/** The `/when` index in a chat. RECALL_WHEN: what the project knows about something, by commands or in words. */

import { isAppError } from '../../shared/errors.js';
import { upperFirst } from '../../shared/text.js';
import {
  type EntryWords,
  isEntryToWrite,
  type Recall,
  type Remembered,
  readEntry,
} from '../../when/index.js';
import { askUser, type Outcome, refuse, succeed } from './action-frame.js';
import { recallSubject } from './memory-words.js';
import { chatAnswer, line } from './when-text.js';
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

const EXAMPLE =
  '/remember writing mock tests | Mock patching pattern | patch where the object is used, not where it is defined';
const MAX_SHOWN = 400;

/** REMEMBER_WHEN: a new entry of the `/when` index and, with text below it, the section it leads to. */
export const rememberWhenAction = whenAction({
  name: 'REMEMBER_WHEN',
  similes: ['ADD_WHEN_ENTRY', 'WRITE_WHEN', 'REMEMBER_KNOWLEDGE', 'INDEX_KNOWLEDGE'],
  description:
    'Writes knowledge of the project into its /when index, for owners and admins: "/remember <what one is about to do> | <title of the section> | <keywords>", optionally with "in file.md" and "under .Section", and on the lines below the text of a new section. Not for what was done or said: that is STORE_WORK_MEMORY.',
  examples: [
    [
      `${EXAMPLE} in testing.md`,
      'Written to the index, line 12: "/when writing mock tests | Mock patching pattern | patch where the object is used, not where it is defined". It leads to "Mock patching pattern" in testing.md; /when writing mock tests finds it now.',
    ],
  ],
  handle: rememberWhen,
});

async function rememberWhen({ service, caller, text }: WhenTurn): Promise<Outcome> {
  const words = readEntry(text);
  const missing = (['trigger', 'header', 'description'] as const).filter(
    (field) => words[field] === '',
  );
  if (missing.length > 0) {
    const names = missing.map((field) => NAMES[field]);
    const last = names.pop();
    const all = names.length === 0 ? last : `${names.join(', ')} and ${last}`;
    return askUser(`I still need ${all}, all on one line: ${EXAMPLE}`, { missing });
  }
  // The model chose the action; that the message is to be written, its own words have to say.
  if (!isEntryToWrite(text)) {
    const entry = `/${words.prefix} ${line(words.trigger)} | ${line(words.header)} | …`;
    return askUser(
      `Shall I write "${entry}" into the /when index? If so, send it again behind /remember, like: ${EXAMPLE}`,
    );
  }
  try {
    const made = await service.remember(words, caller);
    const { changed, file, header, sectionAdded } = made;
    return succeed(answerOf(made, words), { changed, line: made.line, file, header, sectionAdded });
  } catch (error) {
    // What is missing is the section: its titles are in the message, and its text can be given.
    if (!isAppError(error) || error.code !== 'NOT_FOUND') throw error;
    const why = upperFirst(line(error.message, MAX_SHOWN));
    return refuse(`${why}. To make the section, put its text on the lines below the entry.`, {
      code: error.code,
    });
  }
}

const NAMES = {
  trigger: 'what one is about to do',
  header: 'the title of the section',
  description: 'a description in keywords',
};

function answerOf(
  { entry, line: at, file, header, sectionAdded, changed }: Remembered,
  words: EntryWords,
) {
  const command = `/${words.prefix} ${line(words.trigger)}`;
  const written = changed ? 'Written to the index' : 'That stands in the index already';
  const where = `"${line(header)}" in ${line(file)}`;
  const place = sectionAdded ? `I wrote its section ${where}` : `It leads to ${where}`;
  return `${written}, line ${at}: "${line(entry, MAX_SHOWN)}". ${place}; ${command} finds it now.`;
}
