/**
 * Time-zone arithmetic on top of the time-zone data of the JavaScript engine (`Intl`), nothing else.
 * All offset changes of one UTC year of a zone are found once and kept, so that a conversion is a
 * table look-up (well under a microsecond) and not a call of `Intl`. "Wall milliseconds" are the
 * wall clock's reading taken as if it were UTC: `wallMs = instantMs + offset`.
 */

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './clock.js';
import { wrongField } from './errors.js';

/** A reading of a wall clock. `month` is 1–12; `second` is 0 when absent. */
export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second?: number;
}

/** A full reading of a wall clock; `weekday` is 0 for Sunday to 6 for Saturday. */
export interface LocalParts extends Required<WallTime> {
  weekday: number;
}

/** From `atMs` on (inclusive) the zone's offset is `afterMs`; before it was `beforeMs`. */
export interface ZoneTransition {
  atMs: number;
  beforeMs: number;
  afterMs: number;
}

interface ZoneYear {
  /** First instant of the UTC year. */
  startMs: number;
  /** First instant of the next UTC year. */
  endMs: number;
  offsetMs: number;
  transitions: ZoneTransition[];
}

interface Zone {
  formatter: Intl.DateTimeFormat;
  years: Map<number, ZoneYear>;
}

// Names differ in letter case too, so the number of keys is not bounded by the zone data alone.
const MAX_ZONES = 1_000;
const MAX_YEARS_PER_ZONE = 200;
/** The shortest stay at one offset in current data is a month (Morocco's Ramadan break). */
const PROBE_MS = 10 * DAY_MS;
/** Wider than any offset (±15:14 in all of the data), so that a wall time's instants lie within. */
const REACH_MS = 16 * HOUR_MS;
const MAX_NAME_LENGTH = 64;

const zones = new Map<string, Zone | null>();

const SUGGESTED_ZONES: Readonly<Record<string, string>> = {
  EST: 'America/New_York',
  EDT: 'America/New_York',
  ET: 'America/New_York',
  CST: 'America/Chicago',
  CDT: 'America/Chicago',
  MST: 'America/Denver',
  MDT: 'America/Denver',
  PST: 'America/Los_Angeles',
  PDT: 'America/Los_Angeles',
  PT: 'America/Los_Angeles',
  CET: 'Europe/Berlin',
  CEST: 'Europe/Berlin',
  EET: 'Europe/Athens',
  BST: 'Europe/London',
  IST: 'Asia/Kolkata',
  JST: 'Asia/Tokyo',
  JAPAN: 'Asia/Tokyo',
};

/**
 * True for an IANA name the engine knows: `Area/Location` (in any letter case), `Etc/…`, `UTC`, `GMT`.
 * False for offsets (`+02:00` does not know about clock changes) and for abbreviations: `EST` is
 * New York to its writer, Panama to the zone data, and `IST` is three countries.
 */
export function isTimeZone(name: string): boolean {
  return zoneOf(name) !== null;
}

/** Why `name` is not a time zone we accept, in words for the user; null when it is one. */
export function timeZoneProblem(name: string): string | null {
  if (isTimeZone(name)) return null;
  const shown = JSON.stringify(name.slice(0, MAX_NAME_LENGTH));
  const hours = /^(?:UTC|GMT)?([+-])0?(\d{1,2})(?::?00)?$/i.exec(name);
  if (hours) {
    // POSIX signs: Etc/GMT-2 is two hours ahead of Greenwich.
    const fixed = `Etc/GMT${hours[1] === '+' ? '-' : '+'}${hours[2]}`;
    if (isTimeZone(fixed))
      return `${shown} is an offset, not a time zone; write a place such as Europe/Berlin, or ${fixed} if the offset never changes`;
  }
  const suggestion = SUGGESTED_ZONES[name.toUpperCase()];
  if (suggestion) return `${shown} is ambiguous; write an IANA name such as ${suggestion}`;
  return `${shown} is not a known time zone; write an IANA name such as Europe/Berlin or UTC`;
}

/** The zone's offset from UTC at an instant, in milliseconds (positive east of Greenwich). */
export function zoneOffsetMs(ms: number, timezone: string): number {
  const year = yearOf(ms, requireZone(timezone));
  let offset = year.offsetMs;
  for (const transition of year.transitions) {
    if (transition.atMs > ms) break;
    offset = transition.afterMs;
  }
  return offset;
}

/** The wall clock's reading at an instant, as wall milliseconds. */
export function wallMsOf(ms: number, timezone: string): number {
  return ms + zoneOffsetMs(ms, timezone);
}

/** The wall clock's reading at an instant. Throws InvalidInputError for an unknown zone. */
export function localParts(ms: number, timezone: string): LocalParts {
  const wall = new Date(wallMsOf(ms, timezone));
  return {
    year: wall.getUTCFullYear(),
    month: wall.getUTCMonth() + 1,
    day: wall.getUTCDate(),
    hour: wall.getUTCHours(),
    minute: wall.getUTCMinutes(),
    second: wall.getUTCSeconds(),
    weekday: wall.getUTCDay(),
  };
}

/** The length of a month, 28 to 31; `month` is 1–12. */
export function monthLength(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

/** Wall milliseconds of a wall time. Fields out of range roll over: day 32 is the next month's. */
export function wallMs(wall: WallTime): number {
  return Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second ?? 0);
}

/** The instants at which the wall clock reads `wall`: none in a gap, two (ascending) in an overlap. */
export function wallToInstants(wall: number, timezone: string): number[] {
  const early = zoneOffsetMs(wall - REACH_MS, timezone);
  const late = zoneOffsetMs(wall + REACH_MS, timezone);
  if (early === late) return [wall - early];
  const change = lastTransition(wall + REACH_MS, timezone, 2 * REACH_MS);
  const instants: number[] = [];
  if (!change || wall - early < change.atMs) instants.push(wall - early);
  if (change && wall - late >= change.atMs) instants.push(wall - late);
  return instants;
}

/**
 * The one instant meant by wall milliseconds: in a gap the first instant after the gap (02:30 in
 * Berlin's spring gap is 03:00 CEST), in an overlap the first of the two.
 */
export function instantOfWallMs(wall: number, timezone: string): number {
  const [first] = wallToInstants(wall, timezone);
  if (first !== undefined) return first;
  const gap = lastTransition(wall + REACH_MS, timezone, 2 * REACH_MS);
  return gap ? gap.atMs : wall - zoneOffsetMs(wall, timezone);
}

/** {@link instantOfWallMs} of calendar fields; fields out of range roll over. */
export function instantOfWall(wall: WallTime, timezone: string): number {
  return instantOfWallMs(wallMs(wall), timezone);
}

/** The first offset change in (`ms`, `ms + withinMs`], or null. Cost grows with the years crossed. */
export function nextTransition(
  ms: number,
  timezone: string,
  withinMs: number,
): ZoneTransition | null {
  const zone = requireZone(timezone);
  const endMs = ms + withinMs;
  for (let year = yearOf(ms, zone); ; year = yearOf(year.endMs, zone)) {
    for (const transition of year.transitions) {
      if (transition.atMs > endMs) return null;
      if (transition.atMs > ms) return transition;
    }
    if (year.endMs > endMs) return null;
  }
}

/** The last offset change in (`ms - withinMs`, `ms`], or null. */
export function lastTransition(
  ms: number,
  timezone: string,
  withinMs: number,
): ZoneTransition | null {
  const zone = requireZone(timezone);
  const startMs = ms - withinMs;
  for (let year = yearOf(ms, zone); ; year = yearOf(year.startMs - 1, zone)) {
    for (let index = year.transitions.length - 1; index >= 0; index -= 1) {
      const transition = year.transitions[index];
      if (!transition || transition.atMs > ms) continue;
      return transition.atMs > startMs ? transition : null;
    }
    if (year.startMs <= startMs) return null;
  }
}

function requireZone(name: string): Zone {
  const zone = zoneOf(name);
  if (!zone) {
    throw wrongField('timezone', timeZoneProblem(name) ?? 'is not a known time zone');
  }
  return zone;
}

function zoneOf(name: string): Zone | null {
  const known = zones.get(name);
  if (known !== undefined) return known;
  if (name.length > MAX_NAME_LENGTH) return null;
  const zone = openZone(name);
  if (zones.size >= MAX_ZONES) zones.clear();
  zones.set(name, zone);
  return zone;
}

function openZone(name: string): Zone | null {
  // ICU also takes its own SystemV/… names, which are in no IANA table and unknown to PostgreSQL.
  if (!/^(?:utc|gmt|(?!systemv\/)[a-z_]+\/[a-z0-9_+\-/]+)$/i.test(name)) return null;
  try {
    return {
      formatter: new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' }),
      years: new Map(),
    };
  } catch {
    return null; // RangeError: a name the engine does not know
  }
}

function yearOf(ms: number, zone: Zone): ZoneYear {
  const number = new Date(ms).getUTCFullYear();
  const known = zone.years.get(number);
  if (known) return known;
  if (Number.isNaN(number)) throw new RangeError(`${ms} is not an instant`);
  const year = readYear(number, zone.formatter);
  if (zone.years.size >= MAX_YEARS_PER_ZONE) zone.years.clear();
  zone.years.set(number, year);
  return year;
}

function readYear(number: number, formatter: Intl.DateTimeFormat): ZoneYear {
  const startMs = Date.UTC(number, 0, 1);
  const endMs = Date.UTC(number + 1, 0, 1);
  const offsetMs = readOffset(startMs, formatter);
  const transitions: ZoneTransition[] = [];
  let beforeMs = offsetMs;
  for (let fromMs = startMs; fromMs < endMs; fromMs += PROBE_MS) {
    const toMs = Math.min(fromMs + PROBE_MS, endMs);
    const afterMs = readOffset(toMs, formatter);
    if (afterMs === beforeMs) continue;
    let low = fromMs;
    let high = toMs;
    while (high - low > SECOND_MS) {
      const middle = low + Math.floor((high - low) / 2 / SECOND_MS) * SECOND_MS;
      if (readOffset(middle, formatter) === beforeMs) low = middle;
      else high = middle;
    }
    transitions.push({ atMs: high, beforeMs, afterMs });
    beforeMs = afterMs;
  }
  return { startMs, endMs, offsetMs, transitions };
}

function readOffset(ms: number, formatter: Intl.DateTimeFormat): number {
  const match = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(formatter.format(ms));
  if (!match) return 0; // plain "GMT", as some engines write offset zero
  const size =
    Number(match[2]) * HOUR_MS + Number(match[3]) * MINUTE_MS + Number(match[4] ?? 0) * SECOND_MS;
  return match[1] === '-' ? -size : size;
}
