/**
 * FORGET_HINT: takes away what is named; of several it shows which and asks first, and a yes in the
 * next message takes exactly those. Only owner and admins take away what all share.
 */
import { isAppError } from '../../shared/errors.js';
import { askUser, type Outcome, succeed } from './action-frame.js';
import { answerOf, refuses } from './confirm-words.js';
import { findHints, type KnownHint } from './hint-find.js';
import { hintLine, hintName } from './hint-text.js';
import {
  answeredWhich,
  askedPlace,
  askWhichHint,
  type HintTurn,
  hintAction,
  lastShownHints,
  refOf,
} from './hint-turn.js';
import { ask, forget, type HintRef, pendingOf } from './pending.js';

export const FORGET_HINT = 'FORGET_HINT';

const SHOWN = 8;
/** More are taken away in several goes. */
const MOST = 50;
const TAKES_AWAY = /\b(?:forget|delete|remove|drop|erase|clear|get rid of|take away|discard)\b/i;
const REFUSES = /\b(?:not|never)\b|n['’]t\b/i;
const POINTS = /\b(?:it|that|this|the (?:last|same)(?: one| hint)?|(?:the|that|this) hint)\W*$/i;
const ALL = /\b(?:all|every|everything|both|hints)\b/i;
const SAYS_HINT = /\bhints?\b/i;

export const forgetHintAction = hintAction({
  name: FORGET_HINT,
  similes: ['DELETE_HINT', 'REMOVE_HINT', 'DROP_HINT'],
  description:
    'Forgets hints: one by its component and key ("forget the build hint of http-proxy"), the one just given ("forget that hint"), or all of a component, which it asks about first. Also the right action when the user answers yes or no to that question. Not for memories or reminders.',
  examples: [['forget the build hint of http-proxy', 'Forgotten: http-proxy/build.']],
  handle: forgetHint,
});

async function forgetHint(turn: HintTurn): Promise<Outcome> {
  const pending = await pendingOf(turn, FORGET_HINT);
  const answer = answerOf(turn.text);
  const confirm = pending?.kind === 'confirm-forget-hints' ? pending : null;
  if (pending && answer === 'no') {
    await forget(turn, pending);
    return keepAll();
  }
  if (confirm && answer === 'yes') {
    const done = await forgetThese(turn, confirm.hints);
    // Only now: after a failure the yes can be said again.
    await forget(turn, confirm);
    return done;
  }
  if (confirm && (answer === 'partly' || refuses(turn.text))) {
    return askPlainly(confirm.hints.length);
  }
  const { open, chosen } = (await answeredWhich(turn, FORGET_HINT)) ?? {};
  if (open && chosen && !refuses(turn.text)) {
    const done = await forgetThese(turn, [chosen]);
    await forget(turn, open);
    return done;
  }
  if (!TAKES_AWAY.test(turn.text) || REFUSES.test(turn.text)) return askWhich();
  const { context, text, isSaid: isPlace } = askedPlace(turn.text);
  const found = await findHints(turn, text, context);
  const isNamed = found.named.length > 0 && (found.isFit || found.terms.length === 0);
  if (isNamed && (found.isFit || SAYS_HINT.test(turn.text))) {
    // Without a place in the words every variant is meant.
    const meant = isPlace ? found.hints.filter(({ isEligible }) => isEligible) : found.variants;
    // "Forget the hint of api" where there are several names none of them.
    const isVague = !found.isFit && !ALL.test(turn.text) && found.hints.length > 1;
    return isVague ? askWhichOf(turn, found.hints) : take(turn, meant);
  }
  const isPointing = found.named.length === 0 && found.terms.length === 0 && POINTS.test(text);
  const given = isPointing ? await lastShownHints(turn) : [];
  if (given.length === 1) return forgetThese(turn, given);
  if (given.length > 1) return askWhichOf(turn, await shownAgain(turn, given));
  if (found.isFit && found.hints.length > 0 && SAYS_HINT.test(turn.text)) {
    return askWhichOf(turn, found.hints);
  }
  return askWhich();
}

async function take(turn: HintTurn, hints: readonly KnownHint[]): Promise<Outcome> {
  const [only, ...others] = hints;
  if (only === undefined) return askWhich();
  if (others.length === 0) return forgetThese(turn, [refOf(only)]);
  const meant = hints.slice(0, MOST);
  await ask(turn, { kind: 'confirm-forget-hints', hints: meant.map(refOf) });
  const lines = meant.slice(0, SHOWN).map(hintLine);
  if (meant.length > SHOWN) lines.push(`- and ${meant.length - SHOWN} more`);
  if (hints.length > MOST) lines.push(`(${hints.length - MOST} more stay until you ask again.)`);
  return askUser(
    [
      `That forgets ${meant.length} hints for good, as far as they are yours to forget:`,
      ...lines,
      'Shall I? Say yes or no.',
    ].join('\n'),
    { candidates: meant.map(({ component, key }) => ({ component, key })) },
  );
}

/** Some may have gone since we asked, or be everybody's, which must not keep the others. */
async function forgetThese(turn: HintTurn, refs: readonly HintRef[]): Promise<Outcome> {
  let gone = 0;
  let denied: unknown;
  for (const ref of refs) {
    try {
      await turn.service.offering.delete(ref.id, turn.caller);
      gone += 1;
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (error.code === 'PERMISSION_DENIED') denied = error;
      else if (error.code !== 'NOT_FOUND') throw error;
    }
  }
  if (gone === 0 && denied !== undefined) throw denied;
  const [only] = refs;
  const what =
    refs.length === 1 && only ? hintName(only) : gone === 1 ? 'one hint' : `${gone} hints`;
  const kept =
    denied === undefined ? '' : ' What all share stays: only owner and admins forget that.';
  return succeed(gone === 0 ? 'That is gone already.' : `Forgotten: ${what}.${kept}`, {
    forgotten: gone,
  });
}

function keepAll(): Outcome {
  return succeed('All right, I forgot nothing.', { forgotten: 0 });
}

function askPlainly(count: number): Outcome {
  return askUser(
    `I forgot nothing. Say yes to forget ${count} hints, or name one, like "forget the build hint of http-proxy".`,
    { forgotten: 0 },
  );
}

async function shownAgain(turn: HintTurn, refs: readonly HintRef[]): Promise<KnownHint[]> {
  const { variants } = await findHints(turn, '', {});
  return variants.filter((one) => refs.some(({ id }) => id === one.id));
}

function askWhichOf(turn: HintTurn, fits: readonly KnownHint[]): Promise<Outcome> | Outcome {
  const shown = fits.slice(0, SHOWN);
  if (shown.length === 0) return askWhich();
  const lines = shown.map((one) => hintLine(one).slice(2));
  return askWhichHint(turn, FORGET_HINT, 'Which hint do you mean?', shown, lines);
}

function askWhich(): Outcome {
  return askUser(
    'Which hint shall I forget? Name component and key, like "forget the build hint of http-proxy".',
  );
}
