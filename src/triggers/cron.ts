/**
 * The fires of a cron expression. cron-parser 5.10.5 reads expressions but does not walk them for us:
 * it loses, doubles or throws at runs around clock changes (`__tests__/triggers/schedule.test.ts`
 * names the cases) and takes tens of microseconds a step. Here the fields are matched against wall
 * time as plain arithmetic, and `shared/zones.ts` says which instants a wall time is.
 */
import { DAY_MS, SECOND_MS } from '../shared/clock.js';
import {
  instantOfWallMs,
  lastTransition,
  nextTransition,
  wallMsOf,
  zoneOffsetMs,
} from '../shared/zones.js';
import { type Cron, monthLength } from './cron-fields.js';

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

/** The last fire at or before `atMs`, null when there is none (since 1970). */
export function previousFire(cron: Cron, timezone: string, atMs: number): number | null {
  if (!runsEveryHour(cron)) {
    const wall = previousWall(cron, passedWall(atMs, timezone));
    return wall === null ? null : instantOfWallMs(wall, timezone);
  }
  let offsetMs = zoneOffsetMs(atMs, timezone);
  let toMs = atMs;
  for (;;) {
    const wall = previousWall(cron, toMs + offsetMs);
    if (wall === null) return null;
    const fireMs = wall - offsetMs;
    const change = lastTransition(toMs, timezone, toMs - fireMs);
    if (!change) return fireMs;
    toMs = change.atMs - 1;
    offsetMs = change.beforeMs;
  }
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

/** The last matching wall time at or before `wallMs`. */
function previousWall(cron: Cron, wallMs: number): number | null {
  const second = Math.floor(wallMs / SECOND_MS);
  const today = Math.floor(second / DAY_SECONDS);
  let day = previousDay(cron, today);
  if (day === today) {
    const time = timeAtOrBefore(cron, second - today * DAY_SECONDS);
    if (time !== null) return (today * DAY_SECONDS + time) * SECOND_MS;
    day = previousDay(cron, today - 1);
  }
  return day === null ? null : (day * DAY_SECONDS + lastTime(cron)) * SECOND_MS;
}

function firstTime(cron: Cron): number {
  return (cron.hours[0] ?? 0) * 3600 + (cron.minutes[0] ?? 0) * 60 + (cron.seconds[0] ?? 0);
}

function lastTime(cron: Cron): number {
  return (
    (cron.hours.at(-1) ?? 0) * 3600 + (cron.minutes.at(-1) ?? 0) * 60 + (cron.seconds.at(-1) ?? 0)
  );
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

function timeAtOrBefore(cron: Cron, time: number): number | null {
  const second = cron.seconds.findLast((value) => value <= time % 60);
  let minute = Math.floor(time / 60);
  if (second === undefined) minute -= 1;
  for (let hourIndex = cron.hours.length - 1; hourIndex >= 0; hourIndex -= 1) {
    const hour = cron.hours[hourIndex] ?? 0;
    if (hour * 60 > minute) continue;
    for (let index = cron.minutes.length - 1; index >= 0; index -= 1) {
      const candidate = hour * 60 + (cron.minutes[index] ?? 0);
      if (candidate > minute) continue;
      const exact = candidate === Math.floor(time / 60) ? second : cron.seconds.at(-1);
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
    const length = monthLength(year, month);
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

/** The last matching day at or before `toDay`; 1 January 1970 UTC is 31 December 1969 in the west. */
function previousDay(cron: Cron, toDay: number): number | null {
  const to = new Date(toDay * DAY_MS);
  let year = to.getUTCFullYear();
  let month = to.getUTCMonth();
  let firstDay = toDay - to.getUTCDate() + 1;
  let bits = -1 >>> (32 - to.getUTCDate());
  for (let step = 0; step <= HORIZON_MONTHS && year >= 1969; step += 1) {
    const days = monthMask(cron, month, firstDay, monthLength(year, month)) & bits;
    if (days !== 0) return firstDay + 31 - Math.clz32(days);
    month -= 1;
    if (month < 0) {
      month = 11;
      year -= 1;
    }
    firstDay -= monthLength(year, month);
    bits = -1;
  }
  return null;
}

function monthMask(cron: Cron, month: number, firstDay: number, length: number): number {
  if (!cron.months.includes(month + 1)) return 0;
  const weekday = (((firstDay + 4) % 7) + 7) % 7;
  return cron.dayMasks[(length - 28) * 7 + weekday] ?? 0;
}
