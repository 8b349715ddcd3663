/** SET_HINT: keeps a fact of a component (how to build, test, run it) for the one who says it. */
import { FOR_GOOD, type Hint, redactText } from '../../hints/index.js';
import { isAppError } from '../../shared/errors.js';
import { askUser, type Outcome, refuse, succeed } from './action-frame.js';
import { answerOf } from './confirm-words.js';
import { componentNamed } from './hint-find.js';
import { hintByModel, readHint, type ToldHint } from './hint-reading.js';
import {
  coded,
  hintName,
  isHidden,
  lifeSentence,
  scopeSentence,
  shownValue,
  word,
} from './hint-text.js';
import { type HintTurn, hintAction, noteShownHints } from './hint-turn.js';
import { stillOpen } from './open-questions.js';
import { ask, forget, pendingOf } from './pending.js';

export const SET_HINT = 'SET_HINT';

const EXAMPLE = 'set hint http-proxy/build = docker compose build router';
const MAX_PENDING = 4_000;

export const setHintAction = hintAction({
  name: SET_HINT,
  similes: ['SAVE_HINT', 'ADD_HINT', 'STORE_HINT', 'KEEP_HINT'],
  description:
    'Keeps a hint: a small fact of a component, like how to build, test, run or deploy it, its port or directory, with a command or value ("set hint api/test = npm test", "remember: build http-proxy with `make router` on branch dev"). Also the right action when the user answers yes or no to "Did you mean the hint …?". Not for what happened or was learned: that is STORE_WORK_MEMORY. Not for reminders: those are triggers.',
  examples: [
    [
      `${EXAMPLE}`,
      'I will remember the hint http-proxy/build: `docker compose build router`. It is kept for good. Only you are given it.',
    ],
    [
      'the test command of api is `npm test` on branch dev, for two hours',
      'Did you mean the hint api/test: `npm test`. It counts only on branch dev. It lives for 2 hours. Only you are given it. Say yes or no.',
    ],
  ],
  handle: setHint,
});

async function setHint(turn: HintTurn): Promise<Outcome> {
  const told = readHint(turn.text);
  const pending = told === null ? await pendingOf(turn, SET_HINT) : null;
  if (pending?.kind === 'confirm-hint') {
    const answer = answerOf(turn.text);
    if (answer === 'partly') return askUser(stillOpen([pending]));
    if (answer !== null) await forget(turn, pending);
    if (answer === 'no') return succeed('All right, I kept nothing.');
    if (answer === 'yes') return keep(turn, pending.told);
  }
  if (told !== null) return keep(turn, await named(turn, told));
  const read = await hintByModel(turn.runtime, turn.text);
  if (read === null) return noHint();
  return 'other' in read ? notUnderstood(read.other) : askWhether(turn, await named(turn, read));
}

/** With the component that is known by this name. */
async function named(
  { service, caller }: HintTurn,
  { params, share }: ToldHint,
): Promise<ToldHint> {
  const { components } = await service.listComponents({}, caller);
  const known = components.map(({ name }) => name);
  return { params: { ...params, component: componentNamed(params.component, known) }, share };
}

async function keep(turn: HintTurn, { params, share }: ToldHint): Promise<Outcome> {
  const { service, caller } = turn;
  const { component, key } = params;
  const meta = {
    ...params.meta,
    source: turn.run === null ? ('user' as const) : ('agent' as const),
    added_by: 'chat',
  };
  try {
    const { hint } = await service.setHint({ ...params, meta }, caller, { share });
    const id = service.offering.idOf({ component, key, hint }, caller);
    await noteShownHints(turn, id === null ? [] : [{ id, component, key }]);
    const start = hint.version === 1 ? 'I will remember' : 'I changed';
    return succeed(`${start} the hint ${toldWords(turn, { component, key, hint }, share)}`, {
      component,
      key,
      version: hint.version,
      shared: share,
    });
  } catch (error) {
    if (!isAppError(error) || error.code !== 'SECRET_REJECTED') throw error;
    return refused(error.details.findings);
  }
}

function toldWords(
  { nowMs }: HintTurn,
  named: { component: string; key: string; hint: Hint },
  share: boolean,
): string {
  const shown = shownValue(named);
  const sentences = [
    scopeSentence(named.hint),
    lifeSentence(named.hint, nowMs),
    share ? 'Everybody is given it.' : 'Only you are given it.',
    isHidden(named.hint) ? 'It is a secret and never shown in a chat.' : '',
  ].filter((sentence) => sentence !== '');
  const end = shown.includes('\n') ? '\n' : '. ';
  return `${hintName(named)}: ${shown.trimEnd()}${end}${sentences.join(' ')}`;
}

/** What has a secret in it is not kept until the answer comes. */
async function askWhether(turn: HintTurn, told: ToldHint): Promise<Outcome> {
  const { component, key, value, meta } = told.params;
  const kept = JSON.stringify(told);
  if (redactText(kept) !== kept) return refused([]);
  if (kept.length > MAX_PENDING) return noHint();
  const at = new Date(turn.nowMs).toISOString();
  const hint: Hint = {
    value,
    meta: { ttl: FOR_GOOD, ...meta },
    ...{ version: 1, created_at: at, updated_at: at },
  };
  await ask(turn, { kind: 'confirm-hint', text: hintName({ component, key }), told });
  const words = toldWords(turn, { component, key, hint }, told.share);
  return askUser(`Did you mean the hint ${words} Say yes or no.`);
}

/** Rule and place are named, never the value. */
function refused(findings: unknown): Outcome {
  const listed = Array.isArray(findings) ? findings : [];
  const rules = listed.slice(0, 5).map(({ field, message }: { field: string; message: string }) => {
    const place = word(String(field), 60);
    return `${place}: ${word(String(message), 60)}`;
  });
  const which = rules.length === 0 ? '' : ` (${rules.join('; ')})`;
  return refuse(
    `I did not keep that: it looks like a secret${which}. Secrets do not belong into a chat. A name of an environment variable in its place works as well.`,
    { code: 'SECRET_REJECTED' },
  );
}

function noHint(): Outcome {
  return askUser(
    `I see no hint in that, and kept nothing. Say of which component it is, what for, and the command or value, like "${EXAMPLE}"; a value of several words in backticks.`,
  );
}

function notUnderstood(words: string): Outcome {
  return askUser(
    `I kept nothing, because I do not understand ${coded(redactText(words)).trim()}. I know how long ("for two hours", "for this session", "for good") and where a hint counts ("on branch dev", "on windows", "in /srv/api", "when CI is set").`,
  );
}
