/**
 * The same schedule at another time of day ("move it to 10am") or in another zone, and who said in which
 * zone its clock times are meant. Pure.
 */
import {
  instantOfWall,
  instantOfWallMs,
  isTimeZone,
  localParts,
  wallMsOf,
} from '../shared/zones.js';
import { readCron } from './cron.js';
import { nextRunAfter, parseIso } from './schedule.js';
import type { Schedule, TimezoneSource, TriggerConfig } from './schema.js';

export interface TimeOfDay {
  hour: number;
  minute: number;
}

/**
 * `schedule` with its clock time replaced and its days kept; a one-off that would lie in the past
 * goes to the next day. `null` when it has no single clock time that could be replaced ("every 20
 * minutes", "every day at 9 and 17").
 */
export function atTimeOfDay(schedule: Schedule, time: TimeOfDay, nowMs: number): Schedule | null {
  const zone = zoneOf(schedule);
  switch (schedule.triggerType) {
    case 'once': {
      const ms = parseIso(schedule.scheduledAtIso ?? '', zone);
      if (ms === null) return null;
      let atMs = moved(ms, time, zone);
      if (atMs <= nowMs) atMs = nextDay(nowMs, time, zone);
      return { ...schedule, scheduledAtIso: new Date(atMs).toISOString() };
    }
    case 'interval': {
      const startMs = parseIso(schedule.startAtIso ?? '', zone) ?? schedule.anchorMs;
      if (!schedule.wallClock || startMs === undefined) return null;
      const atMs = moved(startMs, time, zone);
      return schedule.startAtIso === undefined
        ? { ...schedule, anchorMs: atMs }
        : { ...schedule, startAtIso: new Date(atMs).toISOString() };
    }
    case 'cron': {
      const reading = readCron(schedule.cronExpression ?? '');
      if (!reading.ok) return null;
      const { cron } = reading;
      if (cron.hours.length !== 1 || cron.minutes.length !== 1) return null;
      const fields = cron.expression.split(/\s+/);
      const days = fields.slice(-3);
      const seconds = cron.hasSeconds ? ['0'] : [];
      return {
        ...schedule,
        cronExpression: [...seconds, String(time.minute), String(time.hour), ...days].join(' '),
      };
    }
  }
}

/** The clock time a schedule has at an instant (its next run), in its own zone or the one given. */
export function timeOfDayAt(ms: number, timezone: string): TimeOfDay {
  const { hour, minute } = localParts(ms, isTimeZone(timezone) ? timezone : 'UTC');
  return { hour, minute };
}

/** That time on the calendar day of `ms`, or so many days after it. */
function moved(ms: number, time: TimeOfDay, zone: string, daysLater = 0): number {
  const { year, month, day } = localParts(ms, zone);
  return instantOfWall({ year, month, day: day + daysLater, ...time }, zone);
}

function nextDay(nowMs: number, time: TimeOfDay, zone: string): number {
  const today = moved(nowMs, time, zone);
  return today > nowMs ? today : moved(nowMs, time, zone, 1);
}

function zoneOf(schedule: Schedule): string {
  return schedule.timezone !== undefined && isTimeZone(schedule.timezone)
    ? schedule.timezone
    : 'UTC';
}

export interface KnownZone {
  name: string;
  source: TimezoneSource;
}

/** Thirteen hours apart: no clock time is the same instant in both. */
const PROBES = ['Etc/GMT-7', 'Etc/GMT+6'] as const;
const UTC = /^(?:(?:etc\/)?(?:utc|uct|gmt(?:[+-]?0)?|greenwich|universal|zulu))$/i;

function isUtc(timezone: string): boolean {
  return UTC.test(timezone);
}

/**
 * Whether a person has to be asked before a clock time of theirs is stored. A machine set to a place is
 * where its people are; one set to UTC may stand anywhere.
 */
export function isZoneUnknown(zone: KnownZone): boolean {
  return zone.source === 'host' && isUtc(zone.name);
}

/**
 * The zone in which times are read that are said about a trigger: its own, if somebody has named or told
 * it; else the person's, if that is known; else what it has.
 */
export function zoneForChange(
  { timezone, timezoneSource: source }: Pick<TriggerConfig, 'timezone' | 'timezoneSource'>,
  person: KnownZone,
): KnownZone {
  if (timezone === undefined) return person;
  // Of a trigger of an earlier version nobody knows it; UTC was what the machine said.
  const isTold =
    source === undefined ? !isUtc(timezone) : source === 'request' || source === 'person';
  if (isTold) return { name: timezone, source: source ?? 'request' };
  if (person.source === 'person' || source === undefined) return person;
  return { name: timezone, source };
}

/**
 * Where the zone of a schedule comes from: `request` when it was named, the source of the assumed zone
 * when the times depend on it, `undefined` when they do not ("in 20 minutes").
 * @param read the schedule as it is read in a zone; `null`: it has none there
 */
export function timezoneSourceOf(
  read: (timezone: string) => Schedule | null,
  assumed: TimezoneSource,
  nowMs: number,
): TimezoneSource | undefined {
  const [one, other] = PROBES.map((probe) => {
    const schedule = read(probe);
    if (schedule === null) return null;
    const inProbe = { ...schedule, timezone: schedule.timezone ?? probe };
    const times = { ...inProbe, timezone: null, next: nextRunAfter(inProbe, nowMs) };
    return { timezone: inProbe.timezone, times: JSON.stringify(times) };
  });
  if (one?.times !== other?.times) return assumed;
  return one !== undefined && one?.timezone === other?.timezone ? 'request' : undefined;
}

/** The same clock times in another zone. */
export function inZone(schedule: Schedule, timezone: string): Schedule {
  const from = schedule.timezone ?? 'UTC';
  const moved = { ...schedule, timezone };
  for (const field of ['scheduledAtIso', 'startAtIso', 'untilIso'] as const) {
    const atMs = parseIso(schedule[field] ?? '', from);
    if (atMs === null) continue;
    moved[field] = new Date(instantOfWallMs(wallMsOf(atMs, from), timezone)).toISOString();
  }
  return moved;
}
