/** What a chat does with hints. */
import { FOR_GOOD, type Hint, redactText } from '../../hints/index.js';
import { isAppError } from '../../shared/errors.js';
import { askUser, type Outcome, refuse, succeed } from './action-frame.js';
import { answerOf, refuses } from './confirm-words.js';
import { listed } from './display.js';
import { type Found, findHints, type KnownHint, knownAs } from './hint-find.js';
import { hintByModel, readHint, type ToldHint } from './hint-reading.js';
import {
  coded,
  hintAnswer,
  hintLine,
  hintName,
  reasonWords,
  shownValue,
  termsSentences,
  word,
} from './hint-text.js';
import {
  answeredWhich,
  askedPlace,
  askWhichHint,
  type HintTurn,
  hintAction,
  lastShownHints,
  noteShownHints,
} from './hint-turn.js';
import { stillOpen } from './open-questions.js';
import { ask, forget, type HintRef, pendingOf } from './pending.js';
import { proactiveServiceOf } from './proactive-turn.js';

const SET_HINT = 'SET_HINT';
const SET_EXAMPLE = 'set hint http-proxy/build = docker compose build router';
const MAX_PENDING = 4_000;

/** SET_HINT: keeps a fact of a component (how to build, test, run it) for the one who says it. */
export const setHintAction = hintAction({
  name: SET_HINT,
  similes: ['SAVE_HINT', 'ADD_HINT', 'STORE_HINT', 'KEEP_HINT'],
  description:
    'Keeps a hint: a small fact of a component, like how to build, test, run or deploy it, its port or directory, with a command or value ("set hint api/test = npm test", "remember: build http-proxy with `make router` on branch dev"). Also the right action when the user answers yes or no to "Did you mean the hint …?". Not for what happened or was learned: that is STORE_WORK_MEMORY. Not for reminders: those are triggers.',
  examples: [
    [
      SET_EXAMPLE,
      'I will remember the hint http-proxy/build: `docker compose build router`. It is kept for good. Only you are given it.',
    ],
    [
      'the test command of api is `npm test` on branch dev, for two hours',
      'Did you mean the hint api/test: `npm test`. It counts only on branch dev. It lives for 2 hours. Only you are given it. Say yes or no.',
    ],
  ],
  handle: setHint,
});

const NO_HINT = askUser(
  `I see no hint in that, and kept nothing. Say of which component it is, what for, and the command or value, like "${SET_EXAMPLE}"; a value of several words in backticks.`,
);

async function setHint(turn: HintTurn): Promise<Outcome> {
  const told = readHint(turn.text);
  const pending = told === null ? await pendingOf(turn, SET_HINT) : null;
  if (pending?.kind === 'confirm-hint') {
    const answer = answerOf(turn.text);
    if (answer === 'partly') return askUser(stillOpen([pending]));
    if (answer !== null) await forget(turn, pending);
    if (answer === 'no') return succeed('All right, I kept nothing.');
    if (answer === 'yes') return keepHint(turn, pending.told);
  }
  if (told !== null) return keepHint(turn, await knownAs(turn, told));
  const read = await hintByModel(turn.runtime, turn.text);
  if (read === null) return NO_HINT;
  if (!('other' in read)) return askWhether(turn, await knownAs(turn, read));
  return askUser(
    `I kept nothing, because I do not understand ${coded(redactText(read.other)).trim()}. I know how long ("for two hours", "for this session", "for good") and where a hint counts ("on branch dev", "on windows", "in /srv/api", "when CI is set").`,
  );
}

async function keepHint(turn: HintTurn, { params, share }: ToldHint): Promise<Outcome> {
  const { service, caller } = turn;
  const { component, key } = params;
  const source = turn.run === null ? ('user' as const) : ('agent' as const);
  const meta = { ...params.meta, source, added_by: 'chat' };
  try {
    const { hint } = await service.setHint({ ...params, meta }, caller, { share });
    const id = service.offering.idOf({ component, key, hint }, caller);
    await noteShownHints(turn, id === null ? [] : [{ id, component, key }]);
    const { version } = hint;
    const start = version === 1 ? 'I will remember' : 'I changed';
    const told = toldWords(turn, { component, key, hint }, share);
    return succeed(`${start} the hint ${told}`, { component, key, version, shared: share });
  } catch (error) {
    if (!isAppError(error) || error.code !== 'SECRET_REJECTED') throw error;
    return refuseSecret(error.details.findings);
  }
}

function toldWords(
  { nowMs }: HintTurn,
  named: { component: string; key: string; hint: Hint },
  share: boolean,
): string {
  const shown = shownValue(named);
  const end = shown.includes('\n') ? '\n' : '. ';
  return `${hintName(named)}: ${shown.trimEnd()}${end}${termsSentences(named.hint, nowMs, share)}`;
}

/** What has a secret in it is not kept until the answer comes. */
async function askWhether(turn: HintTurn, told: ToldHint): Promise<Outcome> {
  const { component, key, value, meta } = told.params;
  const kept = JSON.stringify(told);
  if (redactText(kept) !== kept) return refuseSecret([]);
  if (kept.length > MAX_PENDING) return NO_HINT;
  const at = new Date(turn.nowMs).toISOString();
  const times = { version: 1, created_at: at, updated_at: at };
  const hint: Hint = { value, meta: { ttl: FOR_GOOD, ...meta }, ...times };
  await ask(turn, { kind: 'confirm-hint', text: hintName({ component, key }), told });
  const words = toldWords(turn, { component, key, hint }, told.share);
  return askUser(`Did you mean the hint ${words} Say yes or no.`);
}

/** Rule and place are named, never the value. */
function refuseSecret(findings: unknown): Outcome {
  const found = Array.isArray(findings) ? findings : [];
  const rules = found
    .slice(0, 5)
    .map(({ field, message }) => `${word(String(field), 60)}: ${word(String(message), 60)}`);
  const which = rules.length === 0 ? '' : ` (${rules.join('; ')})`;
  return refuse(
    `I did not keep that: it looks like a secret${which}. Secrets do not belong into a chat. A name of an environment variable in its place works as well.`,
    { code: 'SECRET_REJECTED' },
  );
}

const GET_HINT = 'GET_HINT';

const LISTED = 12;
const SHOWN = 8;
/** Hints of one component that are given as answers, one below the other. */
const MOST_ANSWERS = 3;
const ASKS_FOR_LIST =
  /\bhints\b|\b(?:list|show|all|any|every|which)\b[^.!?]{0,40}\bhints?\b|\bwhat do (?:you|we) (?:know|have) (?:of|about|for)\b/i;

/** GET_HINT: the hint that fits what is asked, here, with why; or a list of them. */
export const getHintAction = hintAction({
  name: GET_HINT,
  similes: ['LOOK_UP_HINT', 'SHOW_HINT', 'LIST_HINT'],
  description:
    'Gives stored hints of a component: how to build, test, run or deploy it, its port or directory ("how do I build http-proxy?", "hint http-proxy build", "list hints of api", also "on windows", "on branch dev"). Commands are shown, never run. Not for what happened earlier: that is RECALL_WORK_MEMORY.',
  examples: [
    [
      'how do I build http-proxy?',
      'http-proxy/build: `docker compose build router`. Why: no conditions. It is kept for good.',
    ],
    ['list hints of api', 'Hints of api:\n- api/port: `8080`\n- api/test: `npm test`'],
  ],
  handle: getHint,
});

async function getHint(turn: HintTurn): Promise<Outcome> {
  const answer = await answeredWhich(turn, GET_HINT);
  const { context, text } = askedPlace(answer === null ? turn.text : answered(turn.text, answer));
  const found = await findHints(turn, text, context);
  if (answer) await forget(turn, answer.open);
  const { components, hints, isFit } = found;
  const [component] = found.named;
  const none = (words: string) => succeed(words, { found: 0 });
  if (components.length === 0) return none('I know no hints yet.');
  const isOfComponent = !isFit && component !== undefined && found.terms.length === 0;
  if (isOfComponent || ASKS_FOR_LIST.test(turn.text)) return listHints(turn, found);
  if (isFit) return giveHints(turn, found);
  if (component === undefined) {
    return none(`I know no hint for that. There are hints of: ${wordList(components, LISTED)}.`);
  }
  const keys = hints.filter((one) => one.component === component).map(({ key }) => key);
  return none(`I know no such hint of ${word(component)}. There are: ${wordList(keys, LISTED)}.`);
}

/** "Which one?" was asked: the answer completes what was said before, unless it asks something else. */
function answered(
  text: string,
  { open, chosen }: NonNullable<Awaited<ReturnType<typeof answeredWhich>>>,
): string {
  if (chosen) return `${chosen.key} of ${chosen.component}`;
  return text.trim().split(/\s+/).length > 4 ? text : `${open.text} of ${text}`;
}

function wordList(names: readonly string[], most: number): string {
  return listed(names, most, word, () => '…').join(', ');
}

async function giveHints(turn: HintTurn, { named, hints }: Found): Promise<Outcome> {
  const eligible = hints.filter(({ isEligible }) => isEligible);
  const fits = eligible.length > 0 ? eligible : hints;
  if (named.length === 0 && new Set(fits.map(({ component }) => component)).size > 1) {
    const shown = fits.slice(0, LISTED);
    return askWhichHint(turn, GET_HINT, 'Of which component?', shown, shown.map(hintName));
  }
  // Known, but not for this place: fails closed, and says what would have to be so.
  if (eligible.length === 0) {
    const lines = hints
      .slice(0, LISTED)
      .map((one) => `- ${hintName(one)}: ${reasonWords(one.reasons)}`);
    const advice = 'Say where you are, like "on branch dev" or "on windows".';
    const text = ['I know that, but not for here:', ...lines, advice].join('\n');
    return succeed(text, { found: 0, eligible: false });
  }
  const given = eligible.slice(0, MOST_ANSWERS);
  await gave(turn, given);
  const names = given.map(({ component, key }) => ({ component, key }));
  return succeed(given.map((one) => hintAnswer(one, one.reasons, turn.nowMs)).join('\n'), {
    ...{ found: eligible.length, hints: names, ...names[0] },
  });
}

/** For what is said next, and so that what is done with it, and succeeds, counts for it. */
async function gave(turn: HintTurn, given: readonly HintRef[]): Promise<void> {
  await noteShownHints(turn, given);
  const ids = given.map(({ id }) => id);
  proactiveServiceOf(turn.runtime)?.gave({ roomId: turn.caller.roomId, ids });
}

async function listHints(turn: HintTurn, found: Found): Promise<Outcome> {
  const { hints, named, components } = found;
  if (named.length === 0 && !found.isFit) {
    const keysOf = (name: string) =>
      hints.filter(({ component }) => component === name).map(({ key }) => key);
    const lineOf = (name: string) => `- ${word(name)}: ${wordList(keysOf(name), SHOWN)}`;
    const lines = listed(components, LISTED, lineOf, (more) => `- and ${more} more components`);
    return succeed(['I have hints of:', ...lines].join('\n'), { found: hints.length });
  }
  // "List the build hints of api" lists those; "list hints of api" all.
  const here = hints.filter(({ isEligible }) => isEligible);
  const elsewhere = hints.length - here.length;
  const lines = listed(here, LISTED, hintLine);
  if (elsewhere > 0) {
    const count = elsewhere === 1 ? 'counts' : 'count';
    lines.push(`(${elsewhere} more ${count} elsewhere: say "on windows" or "on branch dev".)`);
  }
  await gave(turn, here.slice(0, LISTED));
  const [component] = named;
  const of = named.length === 1 && component !== undefined ? ` of ${word(component)}` : '';
  const head = here.length === 0 ? `No hint${of} counts here.` : `Hints${of}:`;
  return succeed([head, ...lines].join('\n'), { found: here.length });
}

const BUMP_HINT = 'BUMP_HINT';

const DID_NOT_HELP =
  /\b(?:not|never|failed|fails|failing|broke|broken|wrong|useless|unfortunately)\b|n['’]t\b/i;
const ASKS = /\?\s*$|^\s*(?:did|does|do|has|will|was)\b/i;
const HELPED =
  /\b(?:worked|works|helped|helps|succeeded|did (?:it|the (?:trick|job))|was (?:right|correct|good|it)|(?:is|are) (?:right|correct|fine|green)|perfect|great|success(?:ful(?:ly)?)?)\b/i;
const BUMP = /\b(?:bump|upvote|reinforce|count (?:it|that))\b/i;
const WHICH_HELPED = askUser(
  'Which hint helped? Name component and key, like "bump http-proxy build".',
);

/** BUMP_HINT: a hint has helped, so that it comes first the next time. */
export const bumpHintAction = hintAction({
  name: BUMP_HINT,
  similes: ['REINFORCE_HINT', 'UPVOTE_HINT'],
  description:
    'Counts that a hint helped, after the user says that it worked ("that worked") or names it ("bump http-proxy build"), so that it ranks higher. Never when it failed.',
  examples: [['that worked, thanks', 'Good: http-proxy/build has helped 4 times now.']],
  handle: bumpHint,
});

async function bumpHint(turn: HintTurn): Promise<Outcome> {
  const { open, chosen } = (await answeredWhich(turn, BUMP_HINT)) ?? {};
  if (open && chosen) {
    await forget(turn, open);
    return bump(turn, chosen);
  }
  if (DID_NOT_HELP.test(turn.text)) return succeed('Then I count no use of it.', { bumped: 0 });
  const isSaid = BUMP.test(turn.text) || (!ASKS.test(turn.text) && HELPED.test(turn.text));
  if (!open && !isSaid) return WHICH_HELPED;
  const refs = (await namedIn(turn, turn.text)) ?? (await lastShownHints(turn));
  const [only, ...others] = refs;
  if (open) await forget(turn, open);
  if (only === undefined) return WHICH_HELPED;
  if (others.length === 0) return bump(turn, only);
  const hints = refs.slice(0, SHOWN);
  return askWhichHint(turn, BUMP_HINT, 'Which one helped?', hints, hints.map(hintName));
}

/** The best variants of what is named here; `null`: nothing is. */
async function namedIn(turn: HintTurn, said: string): Promise<HintRef[] | null> {
  const { context, text } = askedPlace(said);
  const { named, hints, isFit } = await findHints(turn, text, context);
  if (named.length === 0 || !(isFit || hints.length === 1)) return null;
  return hints.filter(({ isEligible }) => isEligible);
}

async function bump(turn: HintTurn, ref: HintRef): Promise<Outcome> {
  const { offering } = turn.service;
  const { use_count = 0 } = await offering.bump(ref.id, turn.caller);
  await noteShownHints(turn, [ref]);
  const { component, key } = ref;
  const times = use_count === 1 ? 'once' : `${use_count} times`;
  const data = { bumped: 1, component, key, use_count };
  return succeed(`Good: ${hintName(ref)} has helped ${times} now.`, data);
}

const FORGET_HINT = 'FORGET_HINT';

const TAKES_AWAY = /\b(?:forget|delete|remove|drop|erase|clear|get rid of|take away|discard)\b/i;
const REFUSES = /\b(?:not|never)\b|n['’]t\b/i;
const POINTS = /\b(?:it|that|this|the (?:last|same)(?: one| hint)?|(?:the|that|this) hint)\W*$/i;
const SAYS_HINT = /\bhints?\b/i;
const WHICH_TO_FORGET = askUser(
  'Which hint shall I forget? Name component and key, like "forget the build hint of http-proxy".',
);

/** FORGET_HINT: takes away what is named, and asks which of several. Only owner and admins take away what all share. */
export const forgetHintAction = hintAction({
  name: FORGET_HINT,
  similes: ['DELETE_HINT', 'REMOVE_HINT', 'DROP_HINT'],
  description:
    'Forgets a hint: by its component and key ("forget the build hint of http-proxy"), or the one just given ("forget that hint"). Also the right action when the user answers which of several is meant. Not for memories or reminders.',
  examples: [['forget the build hint of http-proxy', 'Forgotten: http-proxy/build.']],
  handle: forgetHint,
});

async function forgetHint(turn: HintTurn): Promise<Outcome> {
  const { open, chosen } = (await answeredWhich(turn, FORGET_HINT)) ?? {};
  if (open && answerOf(turn.text) === 'no') {
    await forget(turn, open);
    return succeed('All right, I forgot nothing.', { forgotten: 0 });
  }
  if (open && chosen && !refuses(turn.text)) {
    const done = await forgetThis(turn, chosen);
    await forget(turn, open);
    return done;
  }
  if (!TAKES_AWAY.test(turn.text) || REFUSES.test(turn.text)) return WHICH_TO_FORGET;
  const { context, text, isSaid: isPlace } = askedPlace(turn.text);
  const { named, terms, hints, isFit, variants } = await findHints(turn, text, context);
  const saysHint = SAYS_HINT.test(turn.text);
  if (named.length > 0 && (isFit || (terms.length === 0 && saysHint))) {
    // Without a place in the words every variant may be meant.
    return forgetOne(turn, isPlace ? hints.filter(({ isEligible }) => isEligible) : variants);
  }
  const isPointing = named.length === 0 && terms.length === 0 && POINTS.test(text);
  const given = isPointing ? await lastShownHints(turn) : [];
  const [only] = given;
  if (only !== undefined && given.length === 1) return forgetThis(turn, only);
  if (only !== undefined) {
    const { variants: all } = await findHints(turn, '', {});
    return forgetOne(
      turn,
      all.filter((one) => given.some(({ id }) => id === one.id)),
    );
  }
  return isFit && saysHint ? forgetOne(turn, hints) : WHICH_TO_FORGET;
}

async function forgetOne(turn: HintTurn, hints: readonly KnownHint[]): Promise<Outcome> {
  const [only, ...others] = hints;
  if (only === undefined) return WHICH_TO_FORGET;
  if (others.length === 0) return forgetThis(turn, only);
  const shown = hints.slice(0, SHOWN);
  const lines = shown.map((one) => hintLine(one).slice(2));
  return askWhichHint(turn, FORGET_HINT, 'Which hint do you mean?', shown, lines);
}

/** It may have gone since we asked. */
async function forgetThis({ service, caller }: HintTurn, ref: HintRef): Promise<Outcome> {
  try {
    await service.offering.delete(ref.id, caller);
  } catch (error) {
    if (!isAppError(error) || error.code !== 'NOT_FOUND') throw error;
    return succeed('That is gone already.', { forgotten: 0 });
  }
  return succeed(`Forgotten: ${hintName(ref)}.`, { forgotten: 1 });
}
