/** GET_HINT: the hint that fits what is asked, here, with why; or a list of them. */
import { type Outcome, succeed } from './action-frame.js';
import { type Found, type FoundHint, findHints } from './hint-find.js';
import { hintAnswer, hintLine, hintName, reasonWords, word } from './hint-text.js';
import {
  answeredWhich,
  askedPlace,
  askWhichHint,
  type HintTurn,
  hintAction,
  noteShownHints,
  refOf,
} from './hint-turn.js';
import { forget } from './pending.js';
import { proactiveServiceOf } from './proactive-turn.js';

export const GET_HINT = 'GET_HINT';

const SHOWN = 12;
/** Hints of one component that are given as answers, one below the other. */
const MOST_ANSWERS = 3;
const LIST =
  /\bhints\b|\b(?:list|show|all|any|every|which)\b[^.!?]{0,40}\bhints?\b|\bwhat do (?:you|we) (?:know|have) (?:of|about|for)\b/i;

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
  const { context, text } = askedPlace(askedText(turn, answer));
  const found = await findHints(turn, text, context);
  if (answer) await forget(turn, answer.open);
  if (found.components.length === 0) return none('I know no hints yet.');
  if (LIST.test(turn.text)) return list(turn, found);
  if (found.isFit) return give(turn, found, found.hints);
  const [component] = found.named;
  if (component === undefined) {
    const names = found.components.slice(0, SHOWN).map((name) => word(name));
    const more = found.components.length > SHOWN ? ', …' : '';
    return none(`I know no hint for that. There are hints of: ${names.join(', ')}${more}.`);
  }
  if (found.terms.length === 0) return list(turn, found);
  const keys = found.hints.filter((one) => one.component === component).map(({ key }) => word(key));
  return none(
    `I know no such hint of ${word(component)}. There are: ${keys.slice(0, SHOWN).join(', ')}${keys.length > SHOWN ? ', …' : ''}.`,
  );
}

/** "Which one?" was asked: the answer completes what was said before. */
function askedText({ text }: HintTurn, answer: Awaited<ReturnType<typeof answeredWhich>>): string {
  if (answer === null) return text;
  const { open, chosen } = answer;
  if (chosen) return `${chosen.key} of ${chosen.component}`;
  // Something else is asked.
  return text.trim().split(/\s+/).length > 4 ? text : `${open.text} of ${text}`;
}

function none(text: string): Outcome {
  return succeed(text, { found: 0 });
}

async function give(turn: HintTurn, found: Found, hints: readonly FoundHint[]): Promise<Outcome> {
  const eligible = hints.filter(({ isEligible }) => isEligible);
  const components = new Set(
    (eligible.length > 0 ? eligible : hints).map(({ component }) => component),
  );
  if (found.named.length === 0 && components.size > 1) {
    const fits = (eligible.length > 0 ? eligible : hints).slice(0, SHOWN);
    return askWhichHint(turn, GET_HINT, 'Of which component?', fits, fits.map(hintName));
  }
  if (eligible.length === 0) return notHere(hints);
  const given = eligible.slice(0, MOST_ANSWERS);
  await gave(turn, given);
  const [best] = given;
  return succeed(given.map((one) => hintAnswer(one, one.reasons, turn.nowMs)).join('\n'), {
    found: eligible.length,
    hints: given.map(({ component, key }) => ({ component, key })),
    ...(best ? { component: best.component, key: best.key } : {}),
  });
}

/** For what is said next, and so that what is done with it, and succeeds, counts for it. */
async function gave(turn: HintTurn, given: readonly FoundHint[]): Promise<void> {
  const { runtime, caller } = turn;
  await noteShownHints(turn, given.map(refOf));
  const ids = given.map(({ id }) => id);
  proactiveServiceOf(runtime)?.gave({ roomId: caller.roomId, ids });
}

/** Known, but not for this place: fails closed, and says what would have to be so. */
function notHere(hints: readonly FoundHint[]): Outcome {
  const lines = hints
    .slice(0, SHOWN)
    .map((one) => `- ${hintName(one)}: ${reasonWords(one.reasons)}`);
  return succeed(
    [
      'I know that, but not for here:',
      ...lines,
      'Say where you are, like "on branch dev" or "on windows".',
    ].join('\n'),
    { found: 0, eligible: false },
  );
}

async function list(turn: HintTurn, found: Found): Promise<Outcome> {
  if (found.named.length === 0 && !found.isFit) return components(found);
  const [component] = found.named;
  // "List the build hints of api" lists those; "list hints of api" all.
  const hints = found.hints;
  const here = hints.filter(({ isEligible }) => isEligible);
  const elsewhere = hints.length - here.length;
  const lines = here.slice(0, SHOWN).map(hintLine);
  if (here.length > SHOWN) lines.push(`- and ${here.length - SHOWN} more`);
  if (elsewhere > 0)
    lines.push(
      `(${elsewhere} more ${elsewhere === 1 ? 'counts' : 'count'} elsewhere: say "on windows" or "on branch dev".)`,
    );
  await gave(turn, here.slice(0, SHOWN));
  const of = found.named.length === 1 && component !== undefined ? ` of ${word(component)}` : '';
  const head = here.length === 0 ? `No hint${of} counts here.` : `Hints${of}:`;
  return succeed([head, ...lines].join('\n'), { found: here.length });
}

function components({ hints, components: names }: Found): Outcome {
  const lines = names.slice(0, SHOWN).map((name) => {
    const keys = hints.filter(({ component }) => component === name).map(({ key }) => word(key));
    return `- ${word(name)}: ${keys.slice(0, 8).join(', ')}${keys.length > 8 ? ', …' : ''}`;
  });
  if (names.length > SHOWN) lines.push(`- and ${names.length - SHOWN} more components`);
  return succeed(['I have hints of:', ...lines].join('\n'), { found: hints.length });
}
