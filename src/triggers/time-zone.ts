/**
 * In which zone a clock time was read, who said so, and what becomes of it when somebody says
 * otherwise. Pure.
 */
import { instantOfWallMs, wallMsOf } from '../shared/zones.js';
import { parseIso } from './plan.js';
import { nextRunAfter } from './schedule.js';
import type { Schedule, TimezoneSource } from './schema.js';

export interface KnownZone {
  name: string;
  source: TimezoneSource;
}

/** Thirteen hours apart: no clock time is the same instant in both. */
const PROBES = ['Etc/GMT-7', 'Etc/GMT+6'] as const;
const UTC = /^(?:(?:etc\/)?(?:utc|uct|gmt(?:[+-]?0)?|greenwich|universal|zulu))$/i;

export function isUtc(timezone: string): boolean {
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
