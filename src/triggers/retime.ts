/** The same schedule at another time of day: what "move it to 10am" means. Pure. */
import { instantOfWall, isTimeZone, localParts } from '../shared/zones.js';
import { readCron } from './cron-fields.js';
import { parseIso } from './plan.js';
import type { Schedule } from './schema.js';

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
