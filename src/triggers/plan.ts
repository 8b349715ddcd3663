/**
 * A `Schedule` read once: its texts parsed, its faults found, its occurrences as two functions.
 * `schedule.ts` is the public side of it.
 */
import { DAY_MS } from '../shared/clock.js';
import type { Finding } from '../shared/errors.js';
import {
  instantOfWall,
  instantOfWallMs,
  isTimeZone,
  timeZoneProblem,
  wallMs,
  wallMsOf,
} from '../shared/zones.js';
import { nextFire, previousFire } from './cron.js';
import { type Cron, readCron } from './cron-fields.js';
import { type Schedule, TRIGGER_TYPES } from './schema.js';

interface Bounds {
  /** Inclusive; 1970 when the schedule has no start. */
  startMs: number;
  /** Inclusive; the end of year 9999 when the schedule has no end. */
  untilMs: number;
}

interface OncePlan extends Bounds {
  kind: 'once';
  atMs: number;
}

interface CronPlan extends Bounds {
  kind: 'cron';
  cron: Cron;
  timezone: string;
}

interface IntervalPlan extends Bounds {
  kind: 'interval';
  intervalMs: number;
  /** Null: counted from whatever instant is asked about. */
  anchorMs: number | null;
  /** 0 when the anchor is itself an occurrence (a start), 1 when it is not (a creation time). */
  firstIndex: 0 | 1;
  /** The zone whose calendar days are counted, null for plain elapsed time. */
  wallZone: string | null;
}

export type Plan = OncePlan | CronPlan | IntervalPlan;

/** The last instant any schedule reaches. */
export const LAST_MS = Date.UTC(10_000, 0, 1) - 1;

const ISO_PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * The instant of an ISO 8601 date or date-time between 1970 and 9999. Without an offset it is read
 * in `timezone` (a gap means the instant after it, an overlap the first pass). A date alone is its
 * first instant, or with `endOfDay` its last millisecond. Null when it is not such a text.
 */
export function parseIso(text: string, timezone: string, endOfDay = false): number | null {
  const match = ISO_PATTERN.exec(text.trim());
  if (!match) return null;
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const wall = {
    year: year ?? 0,
    month: month ?? 0,
    day: day ?? 0,
    hour: hour ?? 0,
    minute: minute ?? 0,
    second: second ?? 0,
  };
  const inRange = wall.year >= 1970 && wall.hour < 24 && wall.minute < 60 && wall.second < 60;
  const date = new Date(wallMs(wall));
  // Date.UTC rolls 30 February over into March.
  if (!inRange || date.getUTCMonth() + 1 !== wall.month || date.getUTCDate() !== wall.day)
    return null;
  if (match[4] === undefined) {
    return endOfDay
      ? instantOfWall({ ...wall, day: wall.day + 1 }, timezone) - 1
      : instantOfWall(wall, timezone);
  }
  const fraction = Math.floor(Number(`0.${match[7] ?? '0'}`) * 1000);
  const offset = match[8];
  if (offset === undefined) return instantOfWall(wall, timezone) + fraction;
  const minutes = offsetMinutes(offset);
  return minutes === null ? null : wallMs(wall) - minutes * 60_000 + fraction;
}

function offsetMinutes(text: string): number | null {
  if (text.toUpperCase() === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', '') || 0);
  if (hours > 23 || minutes > 59) return null;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * Reads a schedule. The findings are what makes it unreadable whatever the time is now (limits and
 * what is past are `validateSchedule`'s); `plan` is there exactly when there are none.
 */
export function readSchedule(schedule: Schedule): { plan: Plan | null; findings: Finding[] } {
  const findings: Finding[] = [];
  const report = (field: string, message: string): void => void findings.push({ field, message });
  reportShape(schedule, report);
  const timezone = readZone(schedule, report);
  const readIso = (field: 'scheduledAtIso' | 'startAtIso' | 'untilIso'): number | null => {
    const text = schedule[field];
    if (text === undefined) return null;
    const ms = parseIso(text, timezone, field === 'untilIso');
    if (ms === null)
      report(field, `${shown(text)} is not an ISO 8601 date-time between 1970 and 9999`);
    return ms;
  };
  const startMs = readIso('startAtIso');
  const untilMs = readIso('untilIso');
  const bounds = { startMs: startMs ?? 0, untilMs: Math.min(untilMs ?? LAST_MS, LAST_MS) };
  if (startMs !== null && untilMs !== null && untilMs < startMs)
    report('untilIso', 'is before startAtIso');

  let plan: Plan | null = null;
  if (schedule.triggerType === 'once') {
    const atMs = readIso('scheduledAtIso');
    if (atMs !== null) plan = { kind: 'once', atMs, ...bounds };
  } else if (schedule.triggerType === 'cron' && schedule.cronExpression !== undefined) {
    const reading = readCron(schedule.cronExpression);
    if (reading.ok) plan = { kind: 'cron', cron: reading.cron, timezone, ...bounds };
    else report('cronExpression', reading.problem);
  } else if (schedule.triggerType === 'interval' && schedule.intervalMs !== undefined) {
    const { intervalMs } = schedule;
    const anchorMs = startMs ?? schedule.anchorMs ?? null;
    const firstIndex = startMs === null ? 1 : 0;
    const wallZone = schedule.wallClock ? timezone : null;
    plan = { kind: 'interval', intervalMs, anchorMs, firstIndex, wallZone, ...bounds };
  }
  return { plan: findings.length === 0 ? plan : null, findings };
}

type Report = (field: string, message: string) => void;

const OWN_FIELD = {
  interval: 'intervalMs',
  once: 'scheduledAtIso',
  cron: 'cronExpression',
} as const;

/** The field that a schedule of this type is about. */
export function ownField(schedule: Schedule): 'intervalMs' | 'scheduledAtIso' | 'cronExpression' {
  return OWN_FIELD[schedule.triggerType];
}

function reportShape(schedule: Schedule, report: Report): void {
  const { triggerType, intervalMs, anchorMs, wallClock, timezone } = schedule;
  if (!TRIGGER_TYPES.includes(triggerType)) {
    report('triggerType', `${shown(triggerType)} is not one of ${TRIGGER_TYPES.join(', ')}`);
    return;
  }
  for (const type of TRIGGER_TYPES) {
    const field = OWN_FIELD[type];
    const present = schedule[field] !== undefined;
    if (type === triggerType && !present) report(field, `is required for triggerType ${type}`);
    if (type !== triggerType && present)
      report(field, `does not belong to triggerType ${triggerType}`);
  }
  if (intervalMs !== undefined && !(Number.isSafeInteger(intervalMs) && intervalMs > 0)) {
    report('intervalMs', `${intervalMs} is not a whole number of milliseconds above 0`);
  }
  if (
    anchorMs !== undefined &&
    !(Number.isSafeInteger(anchorMs) && anchorMs >= 0 && anchorMs <= LAST_MS)
  ) {
    report('anchorMs', `${anchorMs} is not an epoch time in milliseconds`);
  }
  if (!wallClock) return;
  if (triggerType !== 'interval')
    report('wallClock', `does not belong to triggerType ${triggerType}`);
  else if (intervalMs !== undefined && intervalMs % DAY_MS !== 0)
    report('wallClock', 'needs an intervalMs of whole days');
  if (timezone === undefined) report('timezone', 'is required with wallClock');
}

function readZone(schedule: Schedule, report: Report): string {
  const { timezone } = schedule;
  if (timezone === undefined) return 'UTC';
  if (isTimeZone(timezone)) return timezone;
  report('timezone', timeZoneProblem(timezone) ?? 'is not a known time zone');
  return 'UTC';
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

/** The first occurrence strictly after `afterMs`, or null. */
export function nextOf(plan: Plan, afterMs: number): number | null {
  if (afterMs >= plan.untilMs) return null;
  const fromMs = Math.max(Math.floor(afterMs), plan.startMs - 1);
  const nextMs = nextUnbounded(plan, fromMs);
  return nextMs !== null && nextMs <= plan.untilMs ? nextMs : null;
}

/** The last occurrence at or before `atMs`, or null. */
export function previousOf(plan: Plan, atMs: number): number | null {
  const toMs = Math.min(Math.floor(atMs), plan.untilMs);
  if (toMs < plan.startMs) return null;
  const previousMs = previousUnbounded(plan, toMs);
  return previousMs !== null && previousMs >= plan.startMs ? previousMs : null;
}

/** How many occurrences are in (`fromMs`, `toMs`], counted by index. Zero without an anchor. */
export function countOfInterval(plan: IntervalPlan, fromMs: number, toMs: number): number {
  const highMs = Math.min(Math.floor(toMs), plan.untilMs);
  const lowMs = Math.max(Math.floor(fromMs), plan.startMs - 1);
  if (plan.anchorMs === null || highMs <= lowMs) return 0;
  const before = plan.firstIndex - 1;
  return (
    Math.max(indexAt(plan, plan.anchorMs, highMs), before) -
    Math.max(indexAt(plan, plan.anchorMs, lowMs), before)
  );
}

function nextUnbounded(plan: Plan, fromMs: number): number | null {
  if (plan.kind === 'once') return plan.atMs > fromMs ? plan.atMs : null;
  if (plan.kind === 'cron') return nextFire(plan.cron, plan.timezone, fromMs);
  if (plan.anchorMs === null) return occurrence(plan, fromMs, 1);
  const index = Math.max(indexAt(plan, plan.anchorMs, fromMs) + 1, plan.firstIndex);
  return occurrence(plan, plan.anchorMs, index);
}

function previousUnbounded(plan: Plan, toMs: number): number | null {
  if (plan.kind === 'once') return plan.atMs <= toMs ? plan.atMs : null;
  if (plan.kind === 'cron') return previousFire(plan.cron, plan.timezone, toMs);
  if (plan.anchorMs === null) return null;
  const index = indexAt(plan, plan.anchorMs, toMs);
  return index < plan.firstIndex ? null : occurrence(plan, plan.anchorMs, index);
}

function occurrence(plan: IntervalPlan, anchorMs: number, index: number): number {
  if (plan.wallZone === null || index === 0) return anchorMs + index * plan.intervalMs;
  const wall = wallMsOf(anchorMs, plan.wallZone) + index * plan.intervalMs;
  return wall > LAST_MS ? wall : instantOfWallMs(wall, plan.wallZone);
}

/** The index of the last occurrence at or before `ms`; negative before the anchor. */
function indexAt(plan: IntervalPlan, anchorMs: number, ms: number): number {
  if (plan.wallZone === null) return Math.floor((ms - anchorMs) / plan.intervalMs);
  const elapsed = wallMsOf(ms, plan.wallZone) - wallMsOf(anchorMs, plan.wallZone);
  // A clock change moves an occurrence by at most a day against its wall time, so by one index.
  let index = Math.floor(elapsed / plan.intervalMs) + 1;
  while (occurrence(plan, anchorMs, index) > ms) index -= 1;
  return index;
}
