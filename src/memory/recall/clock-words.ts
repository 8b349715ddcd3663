/** Clock times and parts of the day in words: "3pm", "9:30", "noon", "from 9am to noon". Pure. */

/** `hour` runs to 24, the end of the day. */
export interface Clock {
  hour: number;
  minute: number;
}

/** A clock time, or a span of two, and where in the text it stands. */
export interface ClockWords {
  start: number;
  end: number;
  /** What stands before it, in lower case ("since", "at" …); `''`: nothing. */
  word: string;
  clock: Clock;
  /** The second of two: "between 9am and noon". */
  to: Clock | null;
}

/** Wall hours from the start of the day; a night ends in the morning after. */
export const PARTS_OF_DAY: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['morning', [5, 12]],
  ['afternoon', [12, 18]],
  ['evening', [18, 24]],
  ['night', [18, 30]],
]);

/** Words before a clock time that end a span there. */
export const UP_TO: ReadonlySet<string> = new Set(['until', 'till', 'up to', 'before', 'by']);

/** A number is a clock time only with a colon or with am or pm. */
export const CLOCK =
  '(?:noon|midday|midnight|\\d{1,2}:[0-5]\\d(?: ?(?:[ap]m\\b|[ap]\\.m\\.))?|\\d{1,2} ?(?:[ap]m\\b|[ap]\\.m\\.))';
const SPAN_OR_CLOCK = new RegExp(
  `(?<![\\w:.])(?:(between) (${CLOCK})(?: and | to | ?[-–] ?)(${CLOCK})|` +
    `(?:(from|at) )?(${CLOCK})(?: to | until | till | ?[-–] ?)(${CLOCK})|` +
    `(?:(at|since|after|from|${[...UP_TO].join('|')}) )?(?:(around|about) )?(${CLOCK}))(?![\\w:])`,
  'gi',
);

/** All clock times of a text whose white space is single, in their order. */
export function* clocksIn(text: string): Generator<ClockWords> {
  for (const match of text.matchAll(SPAN_OR_CLOCK)) {
    const [whole, between, left, right, spanWord, first, second, oneWord, about, only] = match;
    const clock = clockOf(left ?? first ?? only ?? '');
    const ending = right ?? second;
    const to = ending === undefined ? null : clockOf(ending);
    if (clock === null || (ending !== undefined && to === null)) continue;
    const word = between ?? spanWord ?? oneWord ?? (about === undefined ? '' : 'at');
    const start = match.index;
    yield { start, end: start + whole.length, word: word.toLowerCase(), clock, to };
  }
}

function clockOf(words: string): Clock | null {
  const lower = words.toLowerCase();
  if (lower === 'noon' || lower === 'midday') return { hour: 12, minute: 0 };
  if (lower === 'midnight') return { hour: 0, minute: 0 };
  const match = /^(\d+)(?::(\d+))? ?([ap])?/.exec(lower);
  if (!match) return null;
  const [hour, minute] = [Number(match[1]), Number(match[2] ?? 0)];
  if (match[3] === undefined) return hour * 60 + minute <= 24 * 60 ? { hour, minute } : null;
  if (hour < 1 || hour > 12) return null;
  return { hour: (hour % 12) + (match[3] === 'p' ? 12 : 0), minute };
}
