/**
 * Times in a question about what was: "yesterday", "last week", "3 days ago", "since Monday", "in March",
 * "after 3pm". Read without a model, in the zone of the asker. Pure.
 */
import { HOUR_MS, MINUTE_MS } from '../shared/clock.js';
import { instantOfWall, localParts } from '../shared/zones.js';
import { readTime } from './clock.js';
import { MONTH, readDate, WEEKDAY } from './days.js';
import { match, type Phrase, pattern, phraseOf, touches, wordAt } from './phrase.js';
import { MONTHS, WEEKDAYS } from './words.js';

/** Half open: `sinceMs` belongs to it, `beforeMs` does not. */
interface TimeRange {
  sinceMs: number;
  beforeMs: number;
  /** The words it was read from. */
  words: string;
}

/** A span of time and the words that name it. */
interface Span {
  from: number;
  to: number;
  sinceMs: number;
  beforeMs: number;
}

interface Clock {
  hour: number;
  minute: number;
}

/** A clock time, or a span of two. */
interface ClockWords {
  from: number;
  to: number;
  /** What stands before it ("since", "at" …); `''`: nothing. */
  word: string;
  clock: Clock;
  /** The second of two: "between 9am and noon". */
  end: Clock | null;
}

/** Nothing is known of a later time. */
const FOREVER_MS = 8.64e15;
/** "At 3pm" is half an hour to either side. */
const AROUND_MS = 30 * MINUTE_MS;
/** Wall hours from the start of the day; a night ends in the morning after. */
const PARTS_OF_DAY: Readonly<Record<string, readonly [number, number]>> = {
  morning: [5, 12],
  afternoon: [12, 18],
  evening: [18, 24],
  night: [18, 30],
};
const FEW: Readonly<Record<string, number>> = { a: 1, an: 1, couple: 2, few: 3 };

/**
 * The first time a text names, and the text without it. `range: null`: it names none.
 * @param zone IANA name
 */
export function readPastTime(
  text: string,
  nowMs: number,
  zone: string,
): { range: TimeRange | null; rest: string } {
  const phrase = phraseOf(text);
  const read = between(text, phrase, nowMs, zone) ?? single(phrase, nowMs, zone);
  if (!read) return { range: null, rest: text };
  const { sinceMs, beforeMs } = read;
  const start = phrase.words[read.from]?.start ?? 0;
  const end = phrase.words[read.to - 1]?.end ?? start;
  const rest = `${text.slice(0, start)} ${text.slice(end)}`.replaceAll(/\s+/g, ' ').trim();
  return { range: { sinceMs, beforeMs, words: text.slice(start, end) }, rest };
}

/** The first day, week, month … or clock time; a clock time beside a day is one time with it. */
function single(phrase: Phrase, nowMs: number, zone: string): Span | null {
  const clocks = clocksIn(phrase);
  const named = dayNamed(phrase, clocks, nowMs, zone);
  for (const words of clocks) {
    const beside = named !== null && isBeside(phrase, named, words);
    if (!beside && named !== null && named.from < words.from) break;
    if (beside && named.beforeMs > wallOfDay(named, zone)(30)) continue;
    if (!beside && words.word === '') continue;
    const read = beside
      ? clockIn(phrase, named, words, nowMs, zone)
      : lastClock(phrase, words, nowMs, zone);
    if (read) return read;
  }
  return named && directed(phrase, named, nowMs);
}

/** "since last week" begins with it, "after" behind it; "before" ends with its start. */
function directed(phrase: Phrase, read: Span, nowMs: number): Span {
  const direction = directionBefore(phrase, read.from);
  if (!direction) return read;
  const whole = { ...read, from: direction.from };
  switch (direction.word) {
    case 'since':
    case 'from':
      return { ...whole, beforeMs: Math.max(nowMs + 1, read.beforeMs) };
    case 'after':
      return { ...whole, sinceMs: read.beforeMs, beforeMs: FOREVER_MS };
    case 'before':
      return { ...whole, sinceMs: 0, beforeMs: read.sinceMs };
    default:
      return { ...whole, sinceMs: 0 };
  }
}

const DIRECTION = /^(?:since|after|from|until|before|by)$/;
/** Words before a clock time that end a span there. */
const ENDS = /^(?:until|up to|before|by)$/;

/** What stands before a time and turns the span into one that begins or ends there. */
function directionBefore(phrase: Phrase, index: number): { word: string; from: number } | null {
  const at = wordAt(phrase, index - 1) === 'the' ? index - 2 : index - 1;
  const word = wordAt(phrase, at);
  if (DIRECTION.test(word)) return { word, from: at };
  return word === 'to' && wordAt(phrase, at - 1) === 'up' ? { word: 'up to', from: at - 1 } : null;
}

/** From the start of the first to the end of the second. */
function between(text: string, phrase: Phrase, nowMs: number, zone: string): Span | null {
  const from = phrase.words.findIndex(({ low }) => low === 'between');
  const and = phrase.words.findIndex(({ low }, at) => low === 'and' && at > from + 1);
  const [left, right] = [phrase.words[from + 1], phrase.words[and + 1]];
  // Two clock times are of one day, which the first of them or the words beside them tell.
  if (from < 0 || and < 0 || and > from + 8 || !left || !right) return null;
  if (clocksIn(phrase).some((words) => words.from === from && words.end)) return null;
  const first = `since ${text.slice(left.start, phrase.words[and]?.start)}`;
  const to = single(phraseOf(`until ${text.slice(right.start)}`), nowMs, zone);
  let since = single(phraseOf(first), nowMs, zone);
  // "between December and February 2025": the month without a year is the last before the end.
  if (since && to && since.sinceMs >= to.beforeMs && MONTH_IN.test(phraseOf(first).text))
    since = single(phraseOf(first), to.beforeMs - 1, zone);
  if (!since || !to || since.sinceMs >= to.beforeMs || to.from > 0 || since.from > 0) return null;
  return { from, to: and + to.to, sinceMs: since.sinceMs, beforeMs: to.beforeMs };
}
const MONTH_IN = new RegExp(`\\b${MONTH}\\b`);

/** Local days around now, as instants. */
type Days = ReturnType<typeof daysAround>;

function daysAround(nowMs: number, zone: string) {
  const now = localParts(nowMs, zone);
  // Fields out of range roll over, so day 0 is the last of the month before.
  const onDate = (year: number, month: number, day: number, hour = 0) =>
    instantOfWall({ year, month, day, hour, minute: 0 }, zone);
  const day = (offset: number, hour = 0) => onDate(now.year, now.month, now.day + offset, hour);
  const days = (first: number, behind: number) => [day(first), day(behind)] as const;
  const part = (offset: number, name: string) => {
    const [from, to] = PARTS_OF_DAY[name] ?? [0, 24];
    return [day(offset, from), day(offset, to)] as const;
  };
  const month = (year: number, first: number, count = 1) =>
    [onDate(year, first, 1), onDate(year, first + count, 1)] as const;
  const date = (year: number, month: number, of: number) =>
    [onDate(year, month, of), onDate(year, month, of + 1)] as const;
  return { now, nowMs, day, days, part, month, date };
}

const UNIT = '(minute|hour|day|week|month)';
const COUNT = '(\\d{1,3}|an?|couple|few)(?: of)?';
const NEAR = pattern('(?:(?:earlier )?today|(?:the )?day before yesterday|yesterday)');
const PART_NAMED = pattern(
  '(?:earlier )?(?:this (morning|afternoon|evening)|tonight|last (night|evening))',
);
const CALENDAR = pattern('(this|last) (week|month|year)');
const WEEKEND = pattern('(?:last|this past|over the) weekend');
const LENGTH = pattern(
  `(?:(?:in|over|during|within) )?(?:the )?(?:last|past) (?:${COUNT} ${UNIT}|(minute|hour|day))`,
);
const AGO = pattern(`${COUNT} ${UNIT} ago`);

/** Milliseconds, else days, and what is meant by "about". */
function lengthOf(count: string, unit: string): [ms: number, days: number, slack: number] {
  const n = FEW[count] ?? Number(count);
  if (unit === 'minute') return [n * MINUTE_MS, 0, MINUTE_MS / 2];
  if (unit === 'hour') return [n * HOUR_MS, 0, HOUR_MS / 2];
  if (unit === 'day') return [0, n, 0];
  return unit === 'week' ? [0, 7 * n, 3] : [0, 30 * n, 15];
}

const ON_WEEKDAY = pattern(`(on |last )?${WEEKDAY}`);
const IN_YEAR = pattern('(in |during )?((?:19|20)\\d\\d)(?! -)');
const IN_MONTH = pattern(`(in |during |last )?${MONTH}(?:(?: \\.)? (\\d{4}))?`);
const DATE_LEAD = pattern(
  `(?:(?:on|in|during)(?: ${WEEKDAY}(?: ,)?)?(?: the)?|${WEEKDAY}(?: ,)?(?: the)?|the)`,
);

function dayNamed(
  phrase: Phrase,
  clocks: readonly ClockWords[],
  nowMs: number,
  zone: string,
): Span | null {
  const days = daysAround(nowMs, zone);
  for (let from = 0; from < phrase.words.length; from += 1) {
    const read =
      periodAt(phrase, from, days) ??
      dateAt(phrase, from, days) ??
      nameAt(phrase, from, clocks, days);
    if (read && read.sinceMs < read.beforeMs) return partNamed(phrase, read, zone);
  }
  return null;
}

const spanOf = (from: number, to: number, span: readonly [number, number] | null): Span | null =>
  span && { from, to, sinceMs: span[0], beforeMs: span[1] };

function periodAt(phrase: Phrase, from: number, around: Days): Span | null {
  const { now, nowMs, day, days, part, month } = around;
  const near = match(phrase, from, NEAR);
  if (near) {
    const back = near.groups[0].split(' ').length > 2 ? 2 : /today/.test(near.groups[0]) ? 0 : 1;
    return spanOf(from, near.to, days(-back, 1 - back));
  }
  const named = match(phrase, from, PART_NAMED);
  if (named) {
    const [, here = 'evening', last] = named.groups;
    // Asked in the small hours, the evening is the one that led to them.
    const runs = !last && here === 'evening' && now.hour < 5;
    return spanOf(from, named.to, runs ? part(-1, 'night') : part(last ? -1 : 0, last ?? here));
  }
  const monday = -((now.weekday + 6) % 7);
  const calendar = match(phrase, from, CALENDAR);
  if (calendar) {
    const back = calendar.groups[1] === 'last' ? 1 : 0;
    const spans = {
      week: days(monday - 7 * back, monday - 7 * back + 7),
      month: month(now.year, now.month - back),
      year: month(now.year - back, 1, 12),
    };
    return spanOf(from, calendar.to, spans[calendar.groups[2] as keyof typeof spans]);
  }
  const weekend = match(phrase, from, WEEKEND);
  if (weekend) return spanOf(from, weekend.to, days(monday - 2, monday));
  const length = match(phrase, from, LENGTH);
  if (length) {
    const [, count = '1', unit, bare = ''] = length.groups;
    const [ms, back] = lengthOf(count, unit ?? bare);
    return spanOf(from, length.to, [ms > 0 ? nowMs - ms : day(-back), nowMs + 1]);
  }
  const ago = match(phrase, from, AGO);
  if (!ago) return null;
  // "3 days ago" is that day; "2 weeks ago" three days to either side; hours half an hour.
  const [ms, back, slack] = lengthOf(ago.groups[1] ?? '', ago.groups[2] ?? '');
  if (ms > 0) return spanOf(from, ago.to, [nowMs - ms - slack, nowMs - ms + slack]);
  return spanOf(from, ago.to, [day(-back - slack), day(-back + slack + 1)]);
}

/** "on Sunday, the 22nd of November", "nov 22, 2025", "22.11.2026"; without a year the last that has begun. */
function dateAt(phrase: Phrase, from: number, days: Days): Span | null {
  const at = match(phrase, from, DATE_LEAD)?.to ?? from;
  const read = readDate(phrase, at);
  const date = read?.value.day;
  if (!read || date?.type !== 'date') return null;
  const words = phrase.words.slice(from, read.to);
  if (words.some(({ kind, text }) => kind === 'date' && !/\.\d{4}$/.test(text))) return null;
  // "may 3" and "march 3" are also verbs with a number; the rest of the phrase tells.
  const plain = words.length === 2 && words.some(({ text }) => /^(?:may|march)$/i.test(text));
  const alone = !/^[\p{L}\p{N}]/u.test(wordAt(phrase, read.to));
  const isOrdinal = words.some(({ kind }) => kind === 'ordinal');
  if (plain && !isOrdinal && !alone && !directionBefore(phrase, from)) return null;
  // 29 February may be eight years back.
  const first = date.year ?? days.now.year;
  for (let year = first; year >= first - 8; year -= 1) {
    const exists = date.day <= new Date(Date.UTC(year, date.month, 0)).getUTCDate();
    const span = exists ? days.date(year, date.month, date.day) : null;
    if (date.year !== undefined || (span && span[0] <= days.nowMs))
      return spanOf(from, read.to, span);
  }
  return null;
}

/** "on Monday", "in 2025", "in March": the bare name is a time only behind a direction, a weekday beside a clock. */
function nameAt(
  phrase: Phrase,
  from: number,
  clocks: readonly ClockWords[],
  { now, days, month }: Days,
): Span | null {
  const directed = directionBefore(phrase, from)?.from === from - 1;
  const day = match(phrase, from, ON_WEEKDAY);
  if (day) {
    const clocked = clocks.some((words) => isBeside(phrase, { from, to: day.to }, words));
    if (!day.groups[1] && !directed && !clocked) return null;
    // 1 to 7: a weekday named without a date is the last one before today.
    const back = ((now.weekday - (WEEKDAYS[day.groups[2] ?? ''] ?? 0) + 6) % 7) + 1;
    return spanOf(from, day.to, days(-back, -back + 1));
  }
  const year = match(phrase, from, IN_YEAR);
  if (year && (year.groups[1] || directed))
    return spanOf(from, year.to, month(Number(year.groups[2]), 1, 12));
  const named = match(phrase, from, IN_MONTH);
  if (!named || !(named.groups[1] || directed)) return null;
  const index = MONTHS[named.groups[2] ?? ''] ?? 1;
  const of = Number(named.groups[3] ?? (index > now.month ? now.year - 1 : now.year));
  return spanOf(from, named.to, month(of, index));
}

const PART_BEHIND = pattern('(?:, )?(?:in |at )?(?:the )?(morning|afternoon|evening|night)');

/** "yesterday evening", "on Monday in the morning". */
function partNamed(phrase: Phrase, read: Span, zone: string): Span {
  const said = match(phrase, read.to, PART_BEHIND);
  const part = PARTS_OF_DAY[said?.groups[1] ?? ''];
  const at = wallOfDay(read, zone);
  if (!said || !part || at(0) !== read.sinceMs || at(24) !== read.beforeMs) return read;
  return { from: read.from, to: said.to, sinceMs: at(part[0]), beforeMs: at(part[1]) };
}

const CLOCK_LEAD = pattern(
  '(?:(between|from|at|since|after|until|up to|before|by)(?: (?:around|about))?|around|about)',
);
const CLOCK_JOINT = pattern('(?:and|to|until|-)');

/** All clock times, in their order: a number is one only with a colon or with am or pm. */
function clocksIn(phrase: Phrase): ClockWords[] {
  const found: ClockWords[] = [];
  for (let from = 0; from < phrase.words.length; from += 1) {
    const lead = match(phrase, from, CLOCK_LEAD);
    const at = lead?.to ?? from;
    const first = clockAt(phrase, at);
    if (!first) continue;
    const joint = match(phrase, first.to, CLOCK_JOINT);
    const both = lead?.groups[1] === 'between' || joint?.groups[0] !== 'and';
    const second = joint && both ? clockAt(phrase, joint.to) : null;
    const word = lead ? (lead.groups[1] ?? 'at') : '';
    if (word === 'between' && !second) continue;
    const to = (second ?? first).to;
    found.push({ from, to, word, clock: first.clock, end: second?.clock ?? null });
    from = to - 1;
  }
  return found;
}

function clockAt(phrase: Phrase, index: number): { clock: Clock; to: number } | null {
  const here = phrase.words[index];
  const half = /^[ap]m$/.test(wordAt(phrase, index + 1));
  if (!here || !(here.kind === 'clock' || /^(?:noon|midnight)$/.test(here.low) || half))
    return null;
  const read = readTime(phrase, index, false);
  const touched = touches(phrase, index) && /^[:.]$/.test(wordAt(phrase, index - 1));
  if (!read || touched || /:.*:/.test(here.low) || (half && Number.parseInt(here.low, 10) > 12))
    return null;
  return { clock: read.value, to: read.to };
}

/** A clock time without a day: today's, or yesterday's where today's is still to come. */
function lastClock(phrase: Phrase, words: ClockWords, nowMs: number, zone: string): Span | null {
  const { days } = daysAround(nowMs, zone);
  for (const offset of [0, -1]) {
    const day = spanOf(words.from, words.to, days(offset, offset + 1));
    const momentMs = day && moment(day, words.clock, ENDS.test(words.word), zone);
    if (day && momentMs !== null && momentMs <= nowMs)
      return clockIn(phrase, day, words, nowMs, zone);
  }
  return null;
}

/**
 * The span a clock time means on a day or in a part of it. It stays within that: "before noon" is
 * that morning, "after 3pm" that afternoon. Only "since 3pm" (and "from") goes on until now, and
 * "until yesterday 3pm", where the word is of the whole, is everything before.
 */
function clockIn(
  phrase: Phrase,
  day: Span,
  { word, clock, end, ...words }: ClockWords,
  nowMs: number,
  zone: string,
): Span | null {
  const dayFirst = day.from < words.from;
  const place = { from: Math.min(day.from, words.from), to: Math.max(day.to, words.to) };
  const sinceMs = moment(day, clock, ENDS.test(word), zone);
  if (sinceMs === null) return null;
  const span = (fromMs: number, toMs: number): Span | null =>
    fromMs < toMs ? { ...place, sinceMs: fromMs, beforeMs: toMs } : null;
  if (end) {
    const endMs = moment(day, end, true, zone);
    const nextMs = wallOfDay(day, zone)(end.hour + 24, end.minute);
    return span(sinceMs, endMs !== null && endMs > sinceMs ? endMs : nextMs);
  }
  if (ENDS.test(word)) return span(day.sinceMs, sinceMs);
  if (/^(?:since|from|after)$/.test(word)) {
    const open = word !== 'after' && !dayFirst;
    return span(sinceMs, open ? Math.max(nowMs, sinceMs) + 1 : day.beforeMs);
  }
  return dayFirst && directionBefore(phrase, day.from)
    ? directed(phrase, { ...place, sinceMs, beforeMs: sinceMs }, nowMs)
    : span(sinceMs - AROUND_MS, sinceMs + AROUND_MS);
}

/** Midnight ends a day where something ends, and begins it elsewhere. "8:30" in an evening is 20:30. */
function moment(day: Span, { hour, minute }: Clock, isEnd: boolean, zone: string): number | null {
  const at = wallOfDay(day, zone);
  if (isEnd && hour === 0 && minute === 0) return at(24);
  for (const later of [0, 12, 24]) {
    const ms = at(hour + later, minute);
    if (day.sinceMs <= ms && ms <= day.beforeMs) return ms;
  }
  return null;
}

function isBeside(
  phrase: Phrase,
  a: Pick<Span, 'from' | 'to'>,
  b: Pick<ClockWords, 'from' | 'to'>,
): boolean {
  const [behind, ahead] = a.from < b.from ? [a.to, b.from] : [b.to, a.from];
  return behind === ahead || (behind + 1 === ahead && wordAt(phrase, behind) === ',');
}

/** The instants at which the wall clock of the day on which a span begins reads this. */
function wallOfDay({ sinceMs }: Pick<Span, 'sinceMs'>, zone: string) {
  const { year, month, day } = localParts(sinceMs, zone);
  return (hour: number, minute = 0) => instantOfWall({ year, month, day, hour, minute }, zone);
}
