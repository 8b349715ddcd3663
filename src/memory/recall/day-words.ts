/** Days, weeks, months, dates and parts of the day in words, and what spans they are. Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/clock.js';
import { instantOfWall, localParts } from '../../shared/zones.js';
import { CLOCK, PARTS_OF_DAY } from './clock-words.js';

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
/** A month's name or its abbreviation, as a group. */
export const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
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

interface Reading {
  /** Global: the first match that is a time counts. */
  pattern: RegExp;
  read(match: RegExpExecArray, day: Day, nowMs: number): [number, number] | null;
}

/** Local days around now, as instants. */
export interface Day {
  /** Start of the day `offset` days from today, or `hour` on that day. */
  at(offset: number, hour?: number): number;
  /** The hour that runs now. */
  hour: number;
  /** 0: Sunday. */
  weekday: number;
  year: number;
  /** 0: January. */
  month: number;
  startOfMonth(year: number, month: number): number;
  startOfDate(year: number, month: number, date: number): number;
}

/** What stands before a time turns the span into one that begins or ends there. */
const DIRECTION = /\b(since|after|from|until|till|up to|before|by)(?: the)? $/i;
/** Longer than the longest of them, so that a look back costs the same wherever it is taken. */
const DIRECTION_CHARS = 16;
/** A bare "Monday" or "May" is a time only behind one of these. */
const AFTER_WORD = '(?<=\\b(?:since|after|from|until|till|up to|before|by|between)\\s)';
/** A weekday also beside a clock time. */
const AFTER_CLOCK = `(?<=\\b${CLOCK},? )`;
const WEEKDAY = `(${DAYS.join('|')})`;
const YEAR = '((?:19|20)\\d\\d)\\b';
/** "on Sunday, the " before "22 November". */
const DATE_LEAD = `((?:on |in |during )?(?:(?:${DAYS.join('|')}),? )?(?:the )?)`;

/** In the order of preference of two that begin at the same place. */
export const READINGS: readonly Reading[] = [
  rule(/\b(?:earlier )?today\b/i, (_m, day) => [day.at(0), day.at(1)]),
  rule(/\b(?:earlier )?this (morning|afternoon|evening)\b|\btonight\b/i, (m, day) => {
    const part = (m[1] ?? 'evening').toLowerCase();
    // Asked in the small hours, the evening is the one that led to them.
    return part === 'evening' && day.hour < 5 ? partOf(day, -1, 'night') : partOf(day, 0, part);
  }),
  rule(/\b(?:the )?day before yesterday\b/i, (_m, day) => [day.at(-2), day.at(-1)]),
  rule(/\byesterday\b/i, (_m, day) => [day.at(-1), day.at(0)]),
  rule(/\blast (night|evening)\b/i, (m, day) => partOf(day, -1, m[1])),
  rule(
    new RegExp(
      `(?<![\\w.:/-])${DATE_LEAD}${MONTH}\\b\\.? (\\d{1,2})(st|nd|rd|th)?\\b(?![.:]\\d|%)(?:,? ${YEAR})?`,
      'i',
    ),
    (m, day, nowMs) =>
      isDate(m, [m[1], m[4], m[5]], m[2]) ? dateOf(day, nowMs, m[3], m[2], m[5]) : null,
  ),
  rule(
    new RegExp(
      `(?<![\\w.:/-])${DATE_LEAD}(\\d{1,2})(st|nd|rd|th)?( of)? ${MONTH}\\b(?:\\.?,? ${YEAR})?`,
      'i',
    ),
    (m, day, nowMs) =>
      isDate(m, [m[1], m[3], m[4], m[6]], m[5]) ? dateOf(day, nowMs, m[2], m[5], m[6]) : null,
  ),
  rule(
    new RegExp(`(?<![\\w.:/-])${DATE_LEAD}(\\d{1,2})\\.(\\d{1,2})\\.${YEAR}(?!\\.\\d)`, 'i'),
    (m, day) => dateIn(day, Number(m[4]), Number(m[3]) - 1, Number(m[2])),
  ),
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
  rule(
    new RegExp(
      `\\b(?:on |last |${AFTER_WORD}|${AFTER_CLOCK})${WEEKDAY}\\b|\\b${WEEKDAY}(?=,? (?:at )?${CLOCK})`,
      'i',
    ),
    (m, day) => {
      const back = daysSince(day, m[1] ?? m[2]);
      return [day.at(-back), day.at(-back + 1)];
    },
  ),
  rule(/\b(?:on )?(\d{4})-(\d{2})-(\d{2})\b/i, (m, day) => {
    const [year, monthIndex, date] = [Number(m[1]), Number(m[2]) - 1, Number(m[3])];
    return [day.startOfDate(year, monthIndex, date), day.startOfDate(year, monthIndex, date + 1)];
  }),
  rule(new RegExp(`\\b(?:in |during |${AFTER_WORD})((?:19|20)\\d\\d)\\b(?!-)`, 'i'), (m, day) => [
    day.startOfMonth(Number(m[1]), 0),
    day.startOfMonth(Number(m[1]) + 1, 0),
  ]),
  rule(
    new RegExp(`\\b(?:in |during |last |${AFTER_WORD})${MONTH}\\b(?:\\.? (\\d{4})\\b)?`, 'i'),
    (m, day) => {
      const index = monthIndex(m[1]);
      const year =
        m[2] === undefined ? (index > day.month ? day.year - 1 : day.year) : Number(m[2]);
      return [day.startOfMonth(year, index), day.startOfMonth(year, index + 1)];
    },
  ),
];

function rule(pattern: RegExp, read: Reading['read']): Reading {
  return { pattern: new RegExp(pattern.source, 'gi'), read };
}

/** The word that stands before a place in a text ("since", "before" …) and where it begins. */
export function directionBefore(
  text: string,
  place: number,
): { word: string; start: number } | null {
  const from = Math.max(0, place - DIRECTION_CHARS);
  const match = DIRECTION.exec(text.slice(from, place));
  return match && { word: (match[1] ?? '').toLowerCase(), start: from + match.index };
}

function partOf(day: Day, offset: number, name: string | undefined): [number, number] {
  const [from, to] = PARTS_OF_DAY.get((name ?? '').toLowerCase()) ?? [0, 24];
  return [day.at(offset, from), day.at(offset, to)];
}

function monthIndex(name: string | undefined): number {
  return MONTHS.indexOf((name ?? '').slice(0, 3).toLowerCase());
}

/** "may 3" and "march 3" are also verbs with a number; the rest of the phrase tells. */
function isDate(
  match: RegExpExecArray,
  signs: readonly (string | undefined)[],
  name: string | undefined,
): boolean {
  if (!/^(?:may|march)$/i.test(name ?? '') || signs.some((sign) => (sign ?? '') !== ''))
    return true;
  const end = match.index + match[0].length;
  return (
    directionBefore(match.input, match.index) !== null ||
    !/^ [\p{L}\p{N}]/u.test(match.input.slice(end, end + 2))
  );
}

/** Without a year it is the last such day that has begun. */
function dateOf(
  day: Day,
  nowMs: number,
  date: string | undefined,
  name: string | undefined,
  year: string | undefined,
): [number, number] | null {
  const read = (inYear: number) => dateIn(day, inYear, monthIndex(name), Number(date));
  if (year !== undefined) return read(Number(year));
  // 29 February may be eight years back.
  for (let back = 0; back <= 8; back += 1) {
    const span = read(day.year - back);
    if (span !== null && span[0] <= nowMs) return span;
  }
  return null;
}

function dateIn(day: Day, year: number, monthIndex: number, date: number): [number, number] | null {
  const monthMs = day.startOfMonth(year, monthIndex + 1) - day.startOfMonth(year, monthIndex);
  if (monthIndex > 11 || monthIndex < 0 || date < 1 || date > Math.round(monthMs / DAY_MS))
    return null;
  return [day.startOfDate(year, monthIndex, date), day.startOfDate(year, monthIndex, date + 1)];
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

/** @param zone IANA name */
export function daysAround(nowMs: number, zone: string): Day {
  const now = localParts(nowMs, zone);
  // Fields out of range roll over, so day 0 is the last of the month before.
  const startOfDate = (year: number, monthIndex: number, day: number, hour = 0) =>
    instantOfWall({ year, month: monthIndex + 1, day, hour, minute: 0 }, zone);
  return {
    at: (offset, hour) => startOfDate(now.year, now.month - 1, now.day + offset, hour),
    hour: now.hour,
    weekday: now.weekday,
    year: now.year,
    month: now.month - 1,
    startOfMonth: (year, monthIndex) => startOfDate(year, monthIndex, 1),
    startOfDate,
  };
}
