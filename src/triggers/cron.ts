/**
 * Cron expressions: read by cron-parser and expanded to plain lists and day masks, with what it lets through
 * or refuses wrongly put right; and their fires. cron-parser 5.10.5 reads expressions but does not walk them
 * for us: it loses, doubles or throws at runs around clock changes (`__tests__/triggers/schedule.test.ts`
 * names the cases) and takes tens of microseconds a step. Here the fields are matched against wall time as
 * plain arithmetic, and `shared/zones.ts` says which instants a wall time is.
 */

import { CronExpressionParser, type CronFieldCollection } from 'cron-parser';
import { DAY_MS, SECOND_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import {
  instantOfWallMs,
  lastTransition,
  monthLength,
  nextTransition,
  wallMsOf,
  zoneOffsetMs,
} from '../shared/zones.js';

/** A cron expression whose fields are expanded; lists are ascending and never empty. */
export interface Cron {
  /** Five or six fields in upper case, shorthands (`@daily`) replaced. */
  readonly expression: string;
  /** True when the writer gave a seconds field, even a plain 0. */
  readonly hasSeconds: boolean;
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly lastDayOfMonth: boolean;
  readonly months: readonly number[];
  /** 0 is Sunday; every one of them when the field is a wildcard, none when all are written `#n` or `L`. */
  readonly weekdays: readonly number[];
  /** Weekdays written `#n`: the n-th such day of the month, 1–5. */
  readonly nthWeekdays: readonly { weekday: number; nth: number }[];
  /** Weekdays written with `L`: the last such day of the month. */
  readonly lastWeekdays: readonly number[];
  readonly anyDayOfMonth: boolean;
  readonly anyWeekday: boolean;
  /** By (length of month, weekday of the 1st): bit d is set when day d+1 matches. */
  readonly dayMasks: Int32Array;
}

type CronReading = { ok: true; cron: Cron } | { ok: false; problem: string };

/** Longer expressions are refused; listing every minute takes 169 characters. */
const MAX_CRON_LENGTH = 200;
const MAX_CACHED = 5_000;

// crontab(5), plus the ones cron-parser adds. cron-parser lacks @midnight.
const SHORTHANDS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
  '@minutely': '* * * * *',
  '@secondly': '* * * * * *',
  '@weekdays': '0 0 * * 1-5',
  '@weekends': '0 0 * * 0,6',
};

const FIELD_NAMES = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const;
/** How many values each field has. */
const FIELD_SIZES: readonly [number, string][] = [
  [60, 'seconds'],
  [60, 'minutes'],
  [24, 'hours'],
  [31, 'days'],
  [12, 'months'],
  [7, 'weekdays'],
];
const WILDCARDS = ['*', '*', '*', '*', '*', '*'];

const readings = new Map<string, CronReading>();

/**
 * Reads 5 or 6 fields, names, `L`, `#`, `?`, 7 for Sunday, or a shorthand such as `@daily`; letter
 * case does not matter. Refused, other than by cron-parser: fewer than 5 fields (it would fill them
 * up), `H` (it draws a random time) and what can never fire. Never throws; memoized.
 */
export function readCron(text: string): CronReading {
  const known = readings.get(text);
  if (known) return known;
  if (text.length > MAX_CRON_LENGTH) {
    return { ok: false, problem: `is longer than ${MAX_CRON_LENGTH} characters` };
  }
  const reading = parse(text);
  if (readings.size >= MAX_CACHED) {
    const [oldest] = readings.keys();
    if (oldest !== undefined) readings.delete(oldest);
  }
  readings.set(text, reading);
  return reading;
}

/**
 * The step that goes beyond its field, in words, or `null`: of a star with step 90 in the minutes only
 * minute 0 is left, every hour, which nobody means who writes 90. Stored ones go on as they always did.
 */
export function wideStep(cron: Cron): string | null {
  const raw = cron.expression.split(/\s+/);
  for (const [index, field] of (cron.hasSeconds ? raw : ['0', ...raw]).entries()) {
    const [size = 0, unit] = FIELD_SIZES[index] ?? [];
    const wide = field.split(',').find((item) => Number(item.split('/')[1] ?? 1) > size);
    if (wide === undefined) continue;
    return `steps beyond the ${size} ${unit} of its field (${wide}): write the times themselves, or use an interval`;
  }
  return null;
}

function parse(text: string): CronReading {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, problem: 'is empty' };
  if (/(?!\t)\p{Cc}/u.test(trimmed)) return { ok: false, problem: 'contains a control character' };
  const shown = JSON.stringify(trimmed);
  const expanded = trimmed.startsWith('@') ? SHORTHANDS[trimmed.toLowerCase()] : trimmed;
  if (expanded === undefined) return { ok: false, problem: `${shown} is not a known shorthand` };
  const expression = expanded.toUpperCase();
  const raw = expression.split(/\s+/);
  if (raw.length !== 5 && raw.length !== 6) {
    const fields = raw.length === 1 ? '1 field' : `${raw.length} fields`;
    return {
      ok: false,
      problem: `${shown} has ${fields}; expected minute, hour, day of month, month, day of week`,
    };
  }
  if (raw.some((field) => field.replace(/[A-Z]{3}/g, '').includes('H'))) {
    return {
      ok: false,
      problem: `${shown} uses H, which stands for a random time; write the time`,
    };
  }
  const withSeconds = raw.length === 6 ? raw : ['0', ...raw];
  try {
    const { nthWeekdays, field } = splitNth(withSeconds[5] ?? '');
    const fields = parseFields(withSeconds.with(5, field).map(withoutRepeats));
    const days = fields.dayOfMonth.values;
    const onlyNth = nthWeekdays.length > 0 && field === '*';
    const weekdays = onlyNth ? [] : fields.dayOfWeek.values.map(String);
    const cron: Cron = {
      expression,
      hasSeconds: raw.length === 6,
      seconds: fields.second.values,
      minutes: fields.minute.values,
      hours: fields.hour.values,
      months: fields.month.values,
      daysOfMonth: days.filter((day) => typeof day === 'number'),
      lastDayOfMonth: days.includes('L'),
      weekdays: uniqueWeekdays(weekdays.filter((day) => !day.endsWith('L'))),
      nthWeekdays,
      lastWeekdays: uniqueWeekdays(weekdays.filter((day) => day.endsWith('L'))),
      anyDayOfMonth: startsWithStar(withSeconds[3]),
      anyWeekday: startsWithStar(withSeconds[5]),
      dayMasks: new Int32Array(28),
    };
    fillDayMasks(cron);
    return canFire(cron) ? { ok: true, cron } : { ok: false, problem: `${shown} never fires` };
  } catch (error) {
    const message = messageOf(error);
    if (message.includes('explicit day of month'))
      return { ok: false, problem: `${shown} never fires` };
    return { ok: false, problem: `${shown} is not a cron expression: ${message}` };
  }
}

function parseFields(fields: string[]): CronFieldCollection {
  // The date only keeps cron-parser from reading the clock; its iterator is not used.
  return CronExpressionParser.parse(fields.join(' '), { tz: 'UTC', currentDate: new Date(0) })
    .fields;
}

/** cron-parser refuses lists that name a value twice (`1-5,5`, `0,7`); crontab takes them. */
function withoutRepeats(field: string, index: number): string {
  const items = field.split(',');
  const name = FIELD_NAMES[index];
  if (items.length === 1 || name === undefined || items.includes('') || field.includes('#'))
    return field;
  const values = items.flatMap(
    (item): (string | number)[] => parseFields(WILDCARDS.with(index, item))[name].values,
  );
  return [...new Set(values.map(String))].join(',');
}

/** cron-parser takes one `#` only; "1#1,1#3" and "5#2,5L" are lists of them, the rest is its own. */
function splitNth(text: string): {
  nthWeekdays: { weekday: number; nth: number }[];
  field: string;
} {
  const items = text.split(',');
  const isNth = (item: string) => item.includes('#');
  const nthWeekdays = items.filter(isNth).flatMap((item) => {
    const { values, nthDay } = parseFields(WILDCARDS.with(5, item)).dayOfWeek;
    return values.map((value) => ({
      weekday: Number.parseInt(String(value), 10) % 7,
      nth: nthDay,
    }));
  });
  const field = items.filter((item) => !isNth(item)).join(',');
  return { nthWeekdays, field: nthWeekdays.length > 0 && field === '' ? '*' : field };
}

function uniqueWeekdays(values: string[]): number[] {
  return [...new Set(values.map((value) => Number.parseInt(value, 10) % 7))].sort((a, b) => a - b);
}

/**
 * crontab(5): either day field matching is enough, unless one of them starts with a star. For a star
 * with step 2 in the day of month and Monday, cron-parser runs on odd days and on Mondays; crontab,
 * and so this, on the Mondays among the odd days.
 */
function startsWithStar(field: string | undefined): boolean {
  return field !== undefined && (field.startsWith('*') || field.startsWith('?'));
}

function fillDayMasks(cron: Cron): void {
  const both = cron.anyDayOfMonth || cron.anyWeekday;
  for (let length = 28; length <= 31; length += 1) {
    for (let first = 0; first < 7; first += 1) {
      let mask = 0;
      for (let day = 1; day <= length; day += 1) {
        const weekday = (first + day - 1) % 7;
        const byDay = cron.daysOfMonth.includes(day) || (cron.lastDayOfMonth && day === length);
        const byWeekday =
          cron.weekdays.includes(weekday) ||
          cron.nthWeekdays.some(
            (each) => each.weekday === weekday && each.nth === Math.ceil(day / 7),
          ) ||
          (cron.lastWeekdays.includes(weekday) && day > length - 7);
        if (both ? byDay && byWeekday : byDay || byWeekday) mask |= 1 << (day - 1);
      }
      cron.dayMasks[(length - 28) * 7 + first] = mask;
    }
  }
}

function canFire(cron: Cron): boolean {
  return cron.months.some((month) => {
    const longest = monthLength(2000, month);
    return cron.dayMasks
      .subarray((longest - 28) * 7, (longest - 28) * 7 + 7)
      .some((mask) => mask !== 0);
  });
}

const DAY_SECONDS = DAY_MS / SECOND_MS;
/** The rarest day, a 29 February on one weekday, is 40 years away at most (across 2100). */
const HORIZON_MONTHS = 45 * 12;
const MAX_YEAR = 9999;

/**
 * The first fire strictly after `afterMs` in the zone, null when there is none (before year 10000).
 * The clock-change rules are those of `nextRunAfter`.
 */
export function nextFire(cron: Cron, timezone: string, afterMs: number): number | null {
  if (!runsEveryHour(cron)) {
    const wall = nextWall(cron, passedWall(afterMs, timezone));
    return wall === null ? null : instantOfWallMs(wall, timezone);
  }
  // Walk from one constant offset to the next: within each, wall time and instants run alike.
  let offsetMs = zoneOffsetMs(afterMs, timezone);
  let fromMs = afterMs;
  let wallAfter = afterMs + offsetMs;
  for (;;) {
    const wall = nextWall(cron, wallAfter);
    if (wall === null) return null;
    const fireMs = wall - offsetMs;
    const change = nextTransition(fromMs, timezone, fireMs - fromMs);
    if (!change) return fireMs;
    fromMs = change.atMs;
    offsetMs = change.afterMs;
    wallAfter = fromMs + offsetMs - 1;
  }
}

/**
 * The last fire at or before `atMs`, null when there is none (since 1970). Found by looking forwards: it is
 * the next fire after some earlier moment, which is bisected.
 */
export function previousFire(cron: Cron, timezone: string, atMs: number): number | null {
  const fireIn = (fromMs: number): number | null => {
    const fireMs = nextFire(cron, timezone, fromMs);
    return fireMs !== null && fireMs <= atMs ? fireMs : null;
  };
  let spanMs = DAY_MS;
  while (spanMs <= atMs && fireIn(atMs - spanMs) === null) spanMs *= 4;
  let found = fireIn(Math.max(-1, atMs - spanMs));
  let beforeMs = atMs;
  while (found !== null) {
    const next = fireIn(found);
    if (next === null) return found;
    const later: number | null = fireIn(Math.floor((next + beforeMs) / 2));
    if (later === null) beforeMs = Math.floor((next + beforeMs) / 2);
    found = later ?? next;
  }
  return null;
}

/** Every hour of the day is in the hour field, however it is written (`*`, `0-23`). */
export function runsEveryHour(cron: Cron): boolean {
  return cron.hours.length === 24;
}

/**
 * The shortest time between two fires by the wall clock, in milliseconds. Clock changes are left
 * out: the hour that a schedule moves by twice a year does not make it a more frequent one.
 */
export function smallestWallGapMs(cron: Cron): number {
  const { seconds, minutes, hours } = cron;
  const first = (hours[0] ?? 0) * 3600 + (minutes[0] ?? 0) * 60 + (seconds[0] ?? 0);
  const last = (hours.at(-1) ?? 0) * 3600 + (minutes.at(-1) ?? 0) * 60 + (seconds.at(-1) ?? 0);
  const secondSpan = (seconds.at(-1) ?? 0) - (seconds[0] ?? 0);
  const minuteSpan = ((minutes.at(-1) ?? 0) - (minutes[0] ?? 0)) * 60 + secondSpan;
  const withinDay = Math.min(
    smallestStep(seconds),
    smallestStep(minutes) * 60 - secondSpan,
    smallestStep(hours) * 3600 - minuteSpan,
  );
  const acrossMidnight = DAY_SECONDS + first - last;
  if (withinDay <= acrossMidnight) return withinDay * SECOND_MS;
  return Math.min(withinDay, acrossMidnight + (smallestDayGap(cron) - 1) * DAY_SECONDS) * SECOND_MS;
}

function smallestStep(values: readonly number[]): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (let index = 1; index < values.length; index += 1) {
    smallest = Math.min(smallest, (values[index] ?? 0) - (values[index - 1] ?? 0));
  }
  return smallest;
}

function smallestDayGap(cron: Cron): number {
  let smallest = Number.POSITIVE_INFINITY;
  let day = nextDay(cron, dayNumber(2000, 0, 1));
  const endDay = dayNumber(2041, 0, 1);
  while (day !== null && day < endDay && smallest > 1) {
    const following = nextDay(cron, day + 1);
    if (following !== null) smallest = Math.min(smallest, following - day);
    day = following;
  }
  return smallest;
}

/**
 * The wall time up to which a fixed-hour schedule has had its runs at `ms`. In the second pass of an
 * overlap that is the whole overlap, since those wall times ran in the first pass.
 */
function passedWall(ms: number, timezone: string): number {
  const wall = wallMsOf(ms, timezone);
  const change = lastTransition(ms, timezone, DAY_MS);
  return change ? Math.max(wall, change.atMs + change.beforeMs - 1) : wall;
}

/** The first matching wall time strictly after `wallMs`. */
function nextWall(cron: Cron, wallMs: number): number | null {
  const second = Math.floor(wallMs / SECOND_MS) + 1;
  const today = Math.floor(second / DAY_SECONDS);
  const day = nextDay(cron, today);
  if (day === null) return null;
  if (day === today) {
    const time = timeAtOrAfter(cron, second - today * DAY_SECONDS);
    if (time !== null) return (today * DAY_SECONDS + time) * SECOND_MS;
    const later = nextDay(cron, today + 1);
    return later === null ? null : (later * DAY_SECONDS + firstTime(cron)) * SECOND_MS;
  }
  return (day * DAY_SECONDS + firstTime(cron)) * SECOND_MS;
}

function firstTime(cron: Cron): number {
  return (cron.hours[0] ?? 0) * 3600 + (cron.minutes[0] ?? 0) * 60 + (cron.seconds[0] ?? 0);
}

function timeAtOrAfter(cron: Cron, time: number): number | null {
  const second = cron.seconds.find((value) => value >= time % 60);
  let minute = Math.floor(time / 60);
  if (second === undefined) minute += 1;
  for (const hour of cron.hours) {
    if (hour * 60 + 59 < minute) continue;
    for (const value of cron.minutes) {
      const candidate = hour * 60 + value;
      if (candidate < minute) continue;
      const exact = candidate === Math.floor(time / 60) ? second : cron.seconds[0];
      return candidate * 60 + (exact ?? 0);
    }
  }
  return null;
}

function dayNumber(year: number, month: number, day: number): number {
  return Date.UTC(year, month, day) / DAY_MS;
}

/** The first matching day at or after `fromDay`, counted in days since 1970-01-01. */
function nextDay(cron: Cron, fromDay: number): number | null {
  const from = new Date(fromDay * DAY_MS);
  let year = from.getUTCFullYear();
  let month = from.getUTCMonth();
  let firstDay = fromDay - from.getUTCDate() + 1;
  let bits = -1 << (from.getUTCDate() - 1);
  for (let step = 0; step <= HORIZON_MONTHS && year <= MAX_YEAR; step += 1) {
    const length = monthLength(year, month + 1);
    const days = monthMask(cron, month, firstDay, length) & bits;
    if (days !== 0) return firstDay + 31 - Math.clz32(days & -days);
    firstDay += length;
    month += 1;
    if (month === 12) {
      month = 0;
      year += 1;
    }
    bits = -1;
  }
  return null;
}

function monthMask(cron: Cron, month: number, firstDay: number, length: number): number {
  if (!cron.months.includes(month + 1)) return 0;
  const weekday = (((firstDay + 4) % 7) + 7) % 7;
  return cron.dayMasks[(length - 28) * 7 + weekday] ?? 0;
}
