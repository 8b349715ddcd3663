/**
 * Times in a question: "yesterday", "last week", "3 days ago", "since Monday", "in March". Read
 * without a model, in the zone of the asker; what is left of the question is searched. Pure.
 */
import { HOUR_MS, MINUTE_MS } from '../../shared/clock.js';
import { instantOfWall, localParts } from '../../shared/zones.js';

/** Half open: `sinceMs` belongs to it, `beforeMs` does not. */
export interface TimeRange {
  sinceMs: number;
  beforeMs: number;
  /** The words it was read from. */
  words: string;
}

const MONTHS =
  'january february march april may june july august september october november december'.split(
    ' ',
  );
const DAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const UNITS: Readonly<Record<string, number>> = { minute: MINUTE_MS, hour: HOUR_MS };
const COUNTS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  couple: 2,
  few: 3,
};
const COUNT = `(\\d{1,3}|${Object.keys(COUNTS).join('|')})(?: of)?`;

/** No memory is of a later time. */
const FOREVER_MS = 8.64e15;

interface Reading {
  pattern: RegExp;
  read(match: RegExpExecArray, day: Day, nowMs: number): [number, number] | null;
}

/** Local days around now, as instants. */
interface Day {
  /** Start of the day `offset` days from today. */
  at(offset: number): number;
  /** 0: Sunday. */
  weekday: number;
  year: number;
  /** 0: January. */
  month: number;
  startOfMonth(year: number, month: number): number;
  startOfDate(year: number, month: number, date: number): number;
}

/** What stands before a time turns the span into one that begins or ends there. */
const DIRECTION = /\b(since|after|from|until|till|up to|before|by)(?: the)?\s+$/i;
/** A bare "Monday" or "May" is a time only behind one of these. */
const AFTER_WORD = '(?<=\\b(?:since|after|from|until|till|up to|before|by|between)\\s)';
const BETWEEN = /\bbetween\s+(.{3,40}?)\s+and\s+(.{3,40})/i;

const READINGS: readonly Reading[] = [
  rule(/\b(?:earlier )?today\b|\bthis (?:morning|afternoon|evening)\b/i, (_m, day) => [
    day.at(0),
    day.at(1),
  ]),
  rule(/\b(?:the )?day before yesterday\b/i, (_m, day) => [day.at(-2), day.at(-1)]),
  rule(/\byesterday(?: (?:morning|afternoon|evening|night))?\b|\blast night\b/i, (_m, day) => [
    day.at(-1),
    day.at(0),
  ]),
  rule(/\bthis week\b/i, (_m, day) => [day.at(-monday(day)), day.at(7 - monday(day))]),
  rule(/\blast week\b/i, (_m, day) => [day.at(-monday(day) - 7), day.at(-monday(day))]),
  rule(/\b(?:last|this past|over the) weekend\b/i, (_m, day) => {
    const sunday = day.weekday === 0 ? -7 : -day.weekday;
    return [day.at(sunday - 1), day.at(sunday + 1)];
  }),
  rule(/\bthis month\b/i, (_m, day) => month(day, 0)),
  rule(/\blast month\b/i, (_m, day) => month(day, -1)),
  rule(/\bthis year\b/i, (_m, day) => [
    day.startOfMonth(day.year, 0),
    day.startOfMonth(day.year + 1, 0),
  ]),
  rule(/\blast year\b/i, (_m, day) => [
    day.startOfMonth(day.year - 1, 0),
    day.startOfMonth(day.year, 0),
  ]),
  rule(
    new RegExp(
      `\\b(?:in |over |during |within )?(?:the )?(?:last|past) ${COUNT} (minute|hour|day|week|month)s?\\b`,
      'i',
    ),
    (m, day, nowMs) => [backFrom(day, nowMs, m[1], m[2]), nowMs + 1],
  ),
  rule(
    /\b(?:in |over |during |within )?(?:the )?(?:last|past) (minute|hour|day)\b/i,
    (m, day, nowMs) => [backFrom(day, nowMs, '1', m[1]), nowMs + 1],
  ),
  rule(new RegExp(`\\b${COUNT} (minute|hour|day|week|month)s? ago\\b`, 'i'), (m, day, nowMs) =>
    around(day, nowMs, m[1], m[2]),
  ),
  rule(new RegExp(`\\b(?:on |last |${AFTER_WORD})(${DAYS.join('|')})\\b`, 'i'), (m, day) => {
    const back = daysSince(day, m[1]);
    return [day.at(-back), day.at(-back + 1)];
  }),
  rule(/\b(?:on )?(\d{4})-(\d{2})-(\d{2})\b/i, (m, day) => {
    const [year, monthIndex, date] = [Number(m[1]), Number(m[2]) - 1, Number(m[3])];
    return [day.startOfDate(year, monthIndex, date), day.startOfDate(year, monthIndex, date + 1)];
  }),
  rule(new RegExp(`\\b(?:in |during |${AFTER_WORD})((?:19|20)\\d\\d)\\b(?!-)`, 'i'), (m, day) => [
    day.startOfMonth(Number(m[1]), 0),
    day.startOfMonth(Number(m[1]) + 1, 0),
  ]),
  rule(
    new RegExp(`\\b(?:in |during |last |${AFTER_WORD})(${MONTHS.join('|')})(?: (\\d{4}))?\\b`, 'i'),
    (m, day) => {
      const index = MONTHS.indexOf((m[1] ?? '').toLowerCase());
      const year =
        m[2] === undefined ? (index > day.month ? day.year - 1 : day.year) : Number(m[2]);
      return [day.startOfMonth(year, index), day.startOfMonth(year, index + 1)];
    },
  ),
];

/**
 * The first time a text names, and the text without it. `range: null`: it names none.
 * @param zone IANA name
 */
export function readTimeWords(
  text: string,
  nowMs: number,
  zone: string,
): { range: TimeRange | null; rest: string } {
  const read = between(text, nowMs, zone) ?? single(text, nowMs, zone);
  if (!read) return { range: null, rest: text };
  const { start, end, sinceMs, beforeMs } = read;
  const rest = `${text.slice(0, start)} ${text.slice(end)}`.replaceAll(/\s+/g, ' ').trim();
  return { range: { sinceMs, beforeMs, words: text.slice(start, end).trim() }, rest };
}

/** A span of time and where in the text it stands. */
interface Read {
  start: number;
  end: number;
  sinceMs: number;
  beforeMs: number;
}

function single(text: string, nowMs: number, zone: string): Read | null {
  let best: Read | null = null;
  let day: Day | null = null;
  for (const { pattern, read } of READINGS) {
    const match = pattern.exec(text);
    if (!match || (best && best.start <= match.index)) continue;
    day ??= daysAround(nowMs, zone);
    const span = read(match, day, nowMs);
    if (span === null || !(span[0] < span[1])) continue;
    const [sinceMs, beforeMs] = span;
    best = { start: match.index, end: match.index + match[0].length, sinceMs, beforeMs };
  }
  return best && directed(text, best, nowMs);
}

/** "since last week" begins with it, "after" behind it; "before" ends with its start. */
function directed(text: string, read: Read, nowMs: number): Read {
  const direction = DIRECTION.exec(text.slice(0, read.start));
  if (!direction) return read;
  const start = direction.index;
  switch ((direction[1] ?? '').toLowerCase()) {
    case 'since':
    case 'from':
      return { ...read, start, beforeMs: Math.max(nowMs + 1, read.beforeMs) };
    case 'after':
      return { ...read, start, sinceMs: read.beforeMs, beforeMs: FOREVER_MS };
    case 'before':
      return { ...read, start, sinceMs: 0, beforeMs: read.sinceMs };
    default:
      return { ...read, start, sinceMs: 0 };
  }
}

/** From the start of the first to the end of the second. */
function between(text: string, nowMs: number, zone: string): Read | null {
  const match = BETWEEN.exec(text);
  if (!match) return null;
  const [whole, left = '', right = ''] = match;
  const from = single(`since ${left}`, nowMs, zone);
  const to = single(`until ${right}`, nowMs, zone);
  if (!from || !to || from.sinceMs >= to.beforeMs) return null;
  const end = match.index + whole.length - right.length + (to.end - 'until '.length);
  return { start: match.index, end, sinceMs: from.sinceMs, beforeMs: to.beforeMs };
}

function rule(pattern: RegExp, read: Reading['read']): Reading {
  return { pattern, read };
}

/** Days since Monday, when weeks begin (ISO 8601). */
function monday(day: Day): number {
  return (day.weekday + 6) % 7;
}

function month(day: Day, offset: number): [number, number] {
  return [
    day.startOfMonth(day.year, day.month + offset),
    day.startOfMonth(day.year, day.month + offset + 1),
  ];
}

/** 1 to 7: a weekday named without a date is the last one before today. */
function daysSince(day: Day, name: string | undefined): number {
  const index = DAYS.indexOf((name ?? '').toLowerCase());
  return ((day.weekday - index + 6) % 7) + 1;
}

function countOf(word: string | undefined): number {
  const lower = (word ?? '').toLowerCase();
  return COUNTS[lower] ?? Number(lower);
}

function daysOf(count: number, unit: string): number {
  return count * (unit === 'week' ? 7 : unit === 'month' ? 30 : 1);
}

function backFrom(day: Day, nowMs: number, count: string | undefined, unit = 'day'): number {
  const short = UNITS[unit.toLowerCase()];
  const n = countOf(count);
  return short === undefined ? day.at(-daysOf(n, unit.toLowerCase())) : nowMs - n * short;
}

/** "3 days ago" is that day; "2 weeks ago" three days to either side; hours half an hour. */
function around(
  day: Day,
  nowMs: number,
  count: string | undefined,
  unit = 'day',
): [number, number] {
  const n = countOf(count);
  const name = unit.toLowerCase();
  const short = UNITS[name];
  if (short !== undefined) return [nowMs - n * short - short / 2, nowMs - n * short + short / 2];
  const back = daysOf(n, name);
  const slack = name === 'week' ? 3 : name === 'month' ? 15 : 0;
  return [day.at(-back - slack), day.at(-back + slack + 1)];
}

function daysAround(nowMs: number, zone: string): Day {
  const now = localParts(nowMs, zone);
  // Fields out of range roll over, so day 0 is the last of the month before.
  const startOfDate = (year: number, monthIndex: number, day: number) =>
    instantOfWall({ year, month: monthIndex + 1, day, hour: 0, minute: 0 }, zone);
  return {
    at: (offset) => startOfDate(now.year, now.month - 1, now.day + offset),
    weekday: now.weekday,
    year: now.year,
    month: now.month - 1,
    startOfMonth: (year, monthIndex) => startOfDate(year, monthIndex, 1),
    startOfDate,
  };
}
