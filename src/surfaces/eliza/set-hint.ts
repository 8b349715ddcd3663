/** SET_HINT: keeps a fact of a component (how to build, test, run it) for the one who says it. */
import { redactText, type SetHintParams } from '../../hints/index.js';
import { isAppError } from '../../shared/errors.js';
import { example, type Outcome } from './action-frame.js';
import { answerOf, yesOrNo } from './confirm-words.js';
import { hintAction } from './hint-action.js';
import { mask, SPAN } from './hint-mask.js';
import { hintByModel } from './hint-model.js';
import { componentNamed, keyNamed, nameOf } from './hint-names.js';
import { metaOf } from './hint-phrases.js';
import {
  coded,
  hintName,
  isHidden,
  lifeSentence,
  scopeSentence,
  shownValue,
  word,
} from './hint-text.js';
import type { HintTurn } from './hint-turn.js';
import { type HintWords, readHint } from './hint-words.js';
import { noteShownHints } from './last-shown-hints.js';
import { stillOpen } from './open-questions.js';
import { ask, forget, type Pending, pendingOf } from './pending.js';

export const SET_HINT = 'SET_HINT';

const EXAMPLE = 'set hint http-proxy build = docker compose build router';
const MAX_PENDING = 4_000;
/** Of a name. */
const MOST_WORDS = 5;

export const setHintAction = hintAction({
  name: SET_HINT,
  similes: ['SAVE_HINT', 'ADD_HINT', 'STORE_HINT', 'KEEP_HINT'],
  description:
    'Keeps a hint: a small fact of a component, like how to build, test, run or deploy it, its port or directory, with a command or value ("remember: build http-proxy with `make router`", "set hint api test = npm test"), also with "on branch dev", "on windows", "for two hours". Not for what happened or was learned: that is STORE_WORK_MEMORY. Not for reminders: those are triggers.',
  examples: [
    example(
      'remember: build http-proxy with `docker compose build router`',
      'I will remember the hint http-proxy/build: `docker compose build router`. It is kept for good. Only you are given it.',
      SET_HINT,
    ),
    example(
      'the test command of api is `npm test` on branch dev, for two hours',
      'I will remember the hint api/test: `npm test`. It counts only on branch dev. It lives for 2 hours. Only you are given it.',
      SET_HINT,
    ),
  ],
  handle: setHint,
});

type Missing = 'component' | 'key' | 'value';

async function setHint(turn: HintTurn): Promise<Outcome> {
  const pending = await pendingOf(turn, SET_HINT);
  const open = pending?.kind === 'hint' ? pending : null;
  const fresh = readHint(turn.text);
  if (open && fresh === null) {
    const told = await answered(turn, open);
    if (told !== null) return told;
  }
  if (fresh === null) {
    const read = await hintByModel(turn.runtime, turn.text);
    return read === null ? noHint() : askWhether(turn, read);
  }
  if (open && repeats(fresh, open)) await forget(turn, open);
  return keep(turn, fresh, turn.text);
}

function noHint(): Outcome {
  return {
    text: `I see no hint in that, and kept nothing. Tell me of which component it is, what for, and the command or value in backticks: "remember: build http-proxy with \`make router\`", or "${EXAMPLE}".`,
    success: true,
    asked: true,
  };
}

type Question = Extract<Pending, { kind: 'hint' }>;
type Draft = Question['draft'];

/** Whether a hint says anew what the question is about. */
function repeats(fresh: HintWords, { text, draft }: Question): boolean {
  const asked = { ...readHint(text), ...draft };
  return (['component', 'key', 'value'] as const).every(
    (field) => !asked[field] || JSON.stringify(asked[field]) === JSON.stringify(fresh[field]),
  );
}

/** The message as the answer to what was asked; `null`: it is none. */
async function answered(turn: HintTurn, open: Question): Promise<Outcome | null> {
  const { text, missing, draft } = open;
  const read = readHint(text);
  if (read === null || missing === 'which') return null;
  const words = { ...read, ...draft };
  const answer = missing === 'yes' ? answerOf(turn.text) : yesOrNo(turn.text);
  if (answer === 'no') {
    await forget(turn, open);
    return { text: 'All right, I kept nothing.', success: true };
  }
  if (answer === 'partly') return { text: stillOpen([open]), success: true, asked: true };
  if ((missing === 'yes') !== (answer === 'yes')) return null;
  const more = missing === 'yes' ? {} : answerIn(missing, turn.text);
  if (more === null) return null;
  await forget(turn, open);
  return keep(turn, { ...words, ...more }, text, { ...draft, ...more });
}

/** `null`: a sentence is no name. */
function answerIn(missing: Missing, said: string): Draft | null {
  const masked = mask(said);
  const first = new RegExp(`[${SPAN}]`).exec(masked.text)?.[0];
  const span = first === undefined ? null : masked.spanOf(first);
  const plain = span?.text ?? said.trim().replace(/[.!]+$/, '');
  if (missing === 'value') return plain === '' ? null : { value: plain };
  const words = plain.replace(/^(?:(?:it is|it['’]s|that is|for|of|to)\s+)+/i, '');
  const name = missing === 'component' ? nameOf(words) : keyNamed(words).key;
  if (name === '' || words.split(/\s+/).length > MOST_WORDS) return null;
  return missing === 'component' ? { component: name } : { key: name };
}

async function keep(
  turn: HintTurn,
  words: HintWords,
  text: string,
  draft: Draft = {},
): Promise<Outcome> {
  const { service, caller } = turn;
  const listed = await service.listComponents({}, caller);
  const known = listed.components.map(({ name }) => name);
  const component = componentNamed(words.component, known);
  const { key, value } = words;
  const missing = (['component', 'key', 'value'] as const).filter(
    (field) => ({ component, key, value: value ?? '' })[field] === '',
  );
  const [first] = missing;
  if (first !== undefined || value === null)
    return askFor(turn, first ?? 'value', words, { text, draft });
  if (words.unread !== undefined) return unreadOf(words.unread);
  const params: SetHintParams = {
    component,
    key,
    value,
    meta: {
      ...metaOf(words),
      ...(words.reason === undefined ? {} : { reason: words.reason.slice(0, 2_000) }),
      source: turn.run === null ? 'user' : 'agent',
      added_by: 'chat',
    },
  };
  try {
    const { hint } = await service.setHint(params, caller, { share: words.share });
    const id = service.offering.idOf({ component, key, hint }, caller);
    await noteShownHints(turn, id === null ? [] : [{ id, component, key }]);
    const isNew = hint.version === 1;
    const start = isNew ? 'I will remember the hint' : 'I changed the hint';
    const shown = shownValue({ hint, key });
    const sentences = [
      scopeSentence(hint),
      lifeSentence(hint, turn.nowMs),
      words.share ? 'Everybody is given it.' : 'Only you are given it.',
      isHidden(hint) ? 'It is a secret and never shown in a chat.' : '',
    ].filter((sentence) => sentence !== '');
    const name = hintName({ component, key });
    return {
      text: `${start} ${name}: ${shown.trimEnd()}${shown.includes('\n') ? '\n' : '. '}${sentences.join(' ')}`,
      success: true,
      data: { component, key, version: hint.version, shared: words.share },
    };
  } catch (error) {
    if (!isAppError(error) || error.code !== 'SECRET_REJECTED') throw error;
    return refused(error.details.findings);
  }
}

/** Rule and place are named, never the value. */
function refused(findings: unknown): Outcome {
  const listed = Array.isArray(findings) ? findings : [];
  const rules = listed.slice(0, 5).map(({ field, message }: { field: string; message: string }) => {
    const place = word(String(field), 60);
    return `${place}: ${word(String(message), 60)}`;
  });
  const which = rules.length === 0 ? '' : ` (${rules.join('; ')})`;
  return {
    text: `I did not keep that: it looks like a secret${which}. Secrets do not belong into a chat. A name of an environment variable in its place works as well.`,
    success: false,
    data: { code: 'SECRET_REJECTED' },
  };
}

const QUESTIONS: Readonly<Record<Missing, string>> = {
  component: 'Of which component is that?',
  key: 'What is it for? Say one word, like build, test or port.',
  value: 'What shall the hint say? Put the command or value in backticks.',
};

async function askFor(
  turn: HintTurn,
  missing: Missing,
  words: HintWords,
  about: Pick<Question, 'text' | 'draft'>,
): Promise<Outcome> {
  const kept = await askLater(turn, missing, about);
  const all = kept ? '' : ` Say all of it in one message, like "${EXAMPLE}".`;
  const known = [nameOf(words.component), words.key]
    .filter((one) => one !== '')
    .map((one) => word(one));
  const lead = known.length === 0 ? '' : `About ${known.join(' ')}: `;
  return {
    text: `${lead}${QUESTIONS[missing]}${all}`,
    success: true,
    asked: true,
    data: { missing: [missing] },
  };
}

/** @param sentence what the model read, as `readHint` understands it */
async function askWhether(turn: HintTurn, sentence: string): Promise<Outcome> {
  const kept = await askLater(turn, 'yes', { text: sentence, draft: {} });
  return {
    text: `Did you mean ${coded(redactText(sentence)).trim()}? ${kept ? 'Say yes or no.' : 'If so, say it like that.'}`,
    success: true,
    asked: true,
  };
}

/** What has a secret in it is not kept until the answer comes. */
async function askLater(
  turn: HintTurn,
  missing: Question['missing'],
  { text, draft }: Pick<Question, 'text' | 'draft'>,
): Promise<boolean> {
  const all = [text, ...Object.values(draft)].join('\n');
  if (all.length > MAX_PENDING || redactText(all) !== all) return false;
  await ask(turn, { kind: 'hint', action: SET_HINT, text, missing, draft, hints: [] });
  return true;
}

function unreadOf(unread: string): Outcome {
  return {
    text: `I kept nothing, because I do not understand ${coded(redactText(unread)).trim()}. I know how long ("for two hours", "for this session", "for good") and where a hint counts ("on branch dev", "on windows", "in /srv/api", "when CI is set").`,
    success: true,
    asked: true,
  };
}
