/**
 * Times in a question: "yesterday", "last week", "3 days ago", "since Monday", "in March", "after
 * 3pm". Read without a model, in the zone of the asker; what is left of the question is searched. Pure.
 */
import { MINUTE_MS } from '../../shared/clock.js';
import { instantOfWall, localParts } from '../../shared/zones.js';
import { type Clock, type ClockWords, clocksIn, PARTS_OF_DAY, UP_TO } from './clock-words.js';
import { type Day, daysAround, directionBefore, MONTH, READINGS } from './day-words.js';

/** Half open: `sinceMs` belongs to it, `beforeMs` does not. */
export interface TimeRange {
  sinceMs: number;
  beforeMs: number;
  /** The words it was read from. */
  words: string;
}

/** No memory is of a later time. */
const FOREVER_MS = 8.64e15;
/** "At 3pm" is half an hour to either side. */
const AROUND_MS = 30 * MINUTE_MS;

const BETWEEN = /\bbetween (.{3,40}?) and (.{3,40})/i;
const MONTH_NAME = new RegExp(`\\b${MONTH}\\b`, 'i');
const PART_BEHIND = new RegExp(
  `^,? (?:in the |at )?(${[...PARTS_OF_DAY.keys()].join('|')})\\b`,
  'i',
);
const PART_CHARS = 24;

/**
 * The first time a text names, and the text without it. `range: null`: it names none.
 * @param zone IANA name
 */
export function readTimeWords(
  text: string,
  nowMs: number,
  zone: string,
): { range: TimeRange | null; rest: string } {
  // Single spaces: a pattern with a run of them in it takes quadratic time on a long run.
  const plain = text.replaceAll(/\s+/g, ' ');
  const read = between(plain, nowMs, zone) ?? single(plain, nowMs, zone);
  if (!read) return { range: null, rest: text };
  const { start, end, sinceMs, beforeMs } = read;
  const rest = `${plain.slice(0, start)} ${plain.slice(end)}`.replaceAll(/ +/g, ' ').trim();
  return { range: { sinceMs, beforeMs, words: plain.slice(start, end).trim() }, rest };
}

/** A span of time and where in the text it stands. */
interface Read {
  start: number;
  end: number;
  sinceMs: number;
  beforeMs: number;
}

/** The first day, week, month … or clock time; a clock time beside a day is one time with it. */
function single(text: string, nowMs: number, zone: string): Read | null {
  const named = dayNamed(text, nowMs, zone);
  for (const words of clocksIn(text)) {
    const beside = named !== null && isBeside(text, named, words);
    if (!beside && named !== null && named.start < words.start) break;
    if (beside ? !withinOneDay(named, zone) : words.word === '') continue;
    const read = beside
      ? clockIn(text, named, words, nowMs, zone)
      : lastClock(text, words, nowMs, zone);
    if (read !== null) return read;
  }
  return named && directed(text, named, nowMs);
}

function dayNamed(text: string, nowMs: number, zone: string): Read | null {
  let best: Read | null = null;
  let day: Day | null = null;
  for (const { pattern, read } of READINGS) {
    for (const match of text.matchAll(pattern)) {
      if (best && best.start <= match.index) break;
      day ??= daysAround(nowMs, zone);
      const span = read(match, day, nowMs);
      if (span === null || !(span[0] < span[1])) continue;
      const [sinceMs, beforeMs] = span;
      best = { start: match.index, end: match.index + match[0].length, sinceMs, beforeMs };
      break;
    }
  }
  return best && partNamed(text, best, zone);
}

/** "yesterday evening", "on Monday in the morning". */
function partNamed(text: string, read: Read, zone: string): Read {
  const match = PART_BEHIND.exec(text.slice(read.end, read.end + PART_CHARS));
  const part = PARTS_OF_DAY.get((match?.[1] ?? '').toLowerCase());
  const at = wallOfDay(read, zone);
  if (!match || !part || at(0) !== read.sinceMs || at(24) !== read.beforeMs) return read;
  return {
    start: read.start,
    end: read.end + match[0].length,
    sinceMs: at(part[0]),
    beforeMs: at(part[1]),
  };
}

/** "since last week" begins with it, "after" behind it; "before" ends with its start. */
function directed(text: string, read: Read, nowMs: number): Read {
  const direction = directionBefore(text, read.start);
  if (!direction) return read;
  const { word, start } = direction;
  switch (word) {
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
  // Two clock times are of one day, which the first of them or the words beside them tell.
  for (const { start, to } of clocksIn(whole)) if (start === 0 && to !== null) return null;
  const to = single(`until ${right}`, nowMs, zone);
  let from = single(`since ${left}`, nowMs, zone);
  // "between December and February 2025": the month without a year is the last before the end.
  if (from && to && from.sinceMs >= to.beforeMs && MONTH_NAME.test(left)) {
    from = single(`since ${left}`, to.beforeMs - 1, zone);
  }
  if (!from || !to || from.sinceMs >= to.beforeMs) return null;
  const end = match.index + whole.length - right.length + (to.end - 'until '.length);
  return { start: match.index, end, sinceMs: from.sinceMs, beforeMs: to.beforeMs };
}

/** A clock time without a day: today's, or yesterday's where today's is still to come. */
function lastClock(text: string, words: ClockWords, nowMs: number, zone: string): Read | null {
  const days = daysAround(nowMs, zone);
  const { start, end } = words;
  for (const offset of [0, -1]) {
    const day = { start, end, sinceMs: days.at(offset), beforeMs: days.at(offset + 1) };
    const momentMs = moment(day, words.clock, UP_TO.has(words.word), zone);
    if (momentMs !== null && momentMs <= nowMs) return clockIn(text, day, words, nowMs, zone);
  }
  return null;
}

/**
 * The span a clock time means on a day or in a part of it. It stays within that: "before noon" is
 * that morning, "after 3pm" that afternoon. Only "since 3pm" (and "from") goes on until now, and
 * "until yesterday 3pm", where the word is of the whole, is everything before.
 */
function clockIn(
  text: string,
  day: Read,
  words: ClockWords,
  nowMs: number,
  zone: string,
): Read | null {
  const { word, clock, to } = words;
  const dayFirst = day.start < words.start;
  const place = { start: Math.min(day.start, words.start), end: Math.max(day.end, words.end) };
  const sinceMs = moment(day, clock, UP_TO.has(word), zone);
  if (sinceMs === null) return null;
  const span = (fromMs: number, toMs: number): Read | null =>
    fromMs < toMs ? { ...place, sinceMs: fromMs, beforeMs: toMs } : null;
  if (to !== null) {
    const endMs = moment(day, to, true, zone);
    const nextMs = wallOfDay(day, zone)(to.hour + 24, to.minute);
    return span(sinceMs, endMs !== null && endMs > sinceMs ? endMs : nextMs);
  }
  if (UP_TO.has(word)) return span(day.sinceMs, sinceMs);
  if (word === 'since' || word === 'from' || word === 'after') {
    const open = word !== 'after' && !dayFirst;
    return span(sinceMs, open ? Math.max(nowMs, sinceMs) + 1 : day.beforeMs);
  }
  return dayFirst && directionBefore(text, day.start)
    ? directed(text, { ...place, sinceMs, beforeMs: sinceMs }, nowMs)
    : span(sinceMs - AROUND_MS, sinceMs + AROUND_MS);
}

/** Midnight ends a day where something ends, and begins it elsewhere. "8:30" in an evening is 20:30. */
function moment(day: Read, { hour, minute }: Clock, isEnd: boolean, zone: string): number | null {
  const at = wallOfDay(day, zone);
  if (isEnd && hour === 0 && minute === 0) return at(24);
  for (const later of [0, 12, 24]) {
    const ms = at(hour + later, minute);
    if (day.sinceMs <= ms && ms <= day.beforeMs) return ms;
  }
  return null;
}

function isBeside(text: string, a: Read, b: ClockWords): boolean {
  const between = a.start < b.start ? text.slice(a.end, b.start) : text.slice(b.end, a.start);
  return between === ' ' || between === ', ';
}

function withinOneDay({ sinceMs, beforeMs }: Read, zone: string): boolean {
  return beforeMs <= wallOfDay({ sinceMs }, zone)(30);
}

/** The instants at which the wall clock of the day on which a span begins reads this. */
function wallOfDay({ sinceMs }: Pick<Read, 'sinceMs'>, zone: string) {
  const { year, month, day } = localParts(sinceMs, zone);
  return (hour: number, minute = 0) => instantOfWall({ year, month, day, hour, minute }, zone);
}
