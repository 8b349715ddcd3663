/** BUMP_HINT: a hint has helped, so that it comes first the next time. */
import type { Hint } from '../../hints/index.js';
import { askUser, type Outcome, succeed } from './action-frame.js';
import { findHints } from './hint-find.js';
import { hintName } from './hint-text.js';
import {
  answeredWhich,
  askedPlace,
  askWhichHint,
  type HintTurn,
  hintAction,
  lastShownHints,
  noteShownHints,
  refOf,
} from './hint-turn.js';
import { forget, type HintRef } from './pending.js';

export const BUMP_HINT = 'BUMP_HINT';

const FAILED =
  /\b(?:not|never|failed|fails|failing|broke|broken|wrong|useless|unfortunately)\b|n['’]t\b/i;
const QUESTION = /\?\s*$|^\s*(?:did|does|do|has|will|was)\b/i;
const HELPED =
  /\b(?:worked|works|helped|helps|succeeded|did (?:it|the (?:trick|job))|was (?:right|correct|good|it)|(?:is|are) (?:right|correct|fine|green)|perfect|great|success(?:ful(?:ly)?)?)\b/i;
const BUMP = /\b(?:bump|upvote|reinforce|count (?:it|that))\b/i;
const BY = /\b(?:by|times|\+)\s*(\d{1,4})\b|\b(\d{1,4}) times\b/i;
const SHOWN = 8;
const MOST_AT_ONCE = 1_000;

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
    return bump(turn, chosen, 1);
  }
  if (FAILED.test(turn.text)) return succeed('Then I count no use of it.', { bumped: 0 });
  const isBump = BUMP.test(turn.text);
  if (!open && !isBump && (QUESTION.test(turn.text) || !HELPED.test(turn.text))) return askWhich();
  const by = BY.exec(turn.text);
  const delta = Math.max(1, Number(by?.[1] ?? by?.[2] ?? 1));
  const named = await namedIn(turn, by?.[0]);
  const refs = named ?? (await lastShownHints(turn));
  const [only, ...others] = refs;
  if (open) await forget(turn, open);
  if (only === undefined) return askWhich();
  if (others.length === 0) return bump(turn, only, delta);
  const hints = refs.slice(0, SHOWN);
  return askWhichHint(turn, BUMP_HINT, 'Which one helped?', hints, hints.map(hintName));
}

/** The best variants of what is named here; `null`: nothing is. */
async function namedIn(turn: HintTurn, by: string | undefined): Promise<HintRef[] | null> {
  const { context, text } = askedPlace(by === undefined ? turn.text : turn.text.replace(by, ' '));
  const { named, hints, isFit } = await findHints(turn, text, context);
  if (named.length === 0 || !(isFit || hints.length === 1)) return null;
  return hints.filter(({ isEligible }) => isEligible).map(refOf);
}

async function bump(turn: HintTurn, ref: HintRef, delta: number): Promise<Outcome> {
  const { offering } = turn.service;
  const hint = await offering.bump(ref.id, turn.caller, Math.min(MOST_AT_ONCE, delta));
  await noteShownHints(turn, [ref]);
  return succeed(`Good: ${hintName(ref)} has helped ${times(hint)} now.`, {
    bumped: 1,
    component: ref.component,
    key: ref.key,
    use_count: hint.use_count ?? 0,
  });
}

function times({ use_count = 0 }: Hint): string {
  return use_count === 1 ? 'once' : `${use_count} times`;
}

function askWhich(): Outcome {
  return askUser('Which hint helped? Name component and key, like "bump http-proxy build".');
}
