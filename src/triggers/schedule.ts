/**
 * When a trigger fires: the pure side of scheduling (DESIGN §4 "Schedule", seed `trigger-runtime.md` §4,
 * §5.6, §8.4). A `Schedule` is read once into a `Plan`: its texts parsed, its faults found. All times are
 * epoch milliseconds and nothing reads a clock. Next runs come from the schedule's anchor, never from
 * when the last run ended.
 */
import { DAY_MS, formatDuration, HOUR_MS, MINUTE_MS } from '../shared/clock.js';
import { AppError, type Finding, InvalidInputError, wrongField } from '../shared/errors.js';
import {
  instantOfWall,
  instantOfWallMs,
  isTimeZone,
  timeZoneProblem,
  wallMs,
  wallMsOf,
} from '../shared/zones.js';
import {
  type Cron,
  nextFire,
  previousFire,
  readCron,
  smallestWallGapMs,
  wideStep,
} from './cron.js';
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

export interface ScheduleLimits {
  nowMs: number;
  /** Shortest time between two runs; default one minute. */
  minIntervalMs?: number;
  /** Whether a cron expression may have a seconds field; default no. */
  allowSeconds?: boolean;
}

/** What `TaskService` needs to see on the task of a new trigger. */
export interface InitialSchedule {
  updatedAt: number;
  updateInterval: number;
  nextRunAtMs: number;
  tags: string[];
}

const MAX_INTERVAL_MS = 366 * DAY_MS;
const CONTROL_CHARACTER = /(?!\t)\p{Cc}/u;
const TEXT_FIELDS = [
  'scheduledAtIso',
  'cronExpression',
  'timezone',
  'startAtIso',
  'untilIso',
] as const;

/**
 * What is wrong with a schedule that a user hands in now; empty when nothing is. Each finding names
 * the field to change. ISO texts without an offset are read in `timezone`, else UTC, here as in
 * `nextRunAfter`; a bare date in `untilIso` includes that day. Never throws.
 */
export function validateSchedule(schedule: Schedule, limits: ScheduleLimits): Finding[] {
  const { nowMs, minIntervalMs = MINUTE_MS, allowSeconds = false } = limits;
  const broken = TEXT_FIELDS.filter((field) => CONTROL_CHARACTER.test(schedule[field] ?? ''));
  if (broken.length > 0)
    return broken.map((field) => ({ field, message: 'contains a control character' }));
  const { plan, findings } = readSchedule(schedule);
  if (!plan) return findings;
  findings.push(...limitFindings(plan, minIntervalMs, allowSeconds));
  if (findings.length > 0) return findings;
  if (plan.kind === 'once' && plan.atMs <= nowMs) {
    return [
      { field: 'scheduledAtIso', message: `is in the past (${new Date(plan.atMs).toISOString()})` },
    ];
  }
  if (plan.untilMs <= nowMs) {
    return [
      {
        field: 'untilIso',
        message: `has already passed (${new Date(plan.untilMs).toISOString()})`,
      },
    ];
  }
  if (nextOf(plan, nowMs) === null) {
    const field =
      schedule.untilIso === undefined
        ? plan.kind === 'once'
          ? 'startAtIso'
          : ownField(schedule)
        : 'untilIso';
    return [{ field, message: 'leaves no occurrence' }];
  }
  return [];
}

function limitFindings(plan: Plan, minIntervalMs: number, allowSeconds: boolean): Finding[] {
  if (plan.kind === 'once') return [];
  if (plan.kind === 'cron') {
    if (plan.cron.hasSeconds && !allowSeconds) {
      return [{ field: 'cronExpression', message: 'has a seconds field; expected 5 fields' }];
    }
    const wide = wideStep(plan.cron);
    if (wide !== null) return [{ field: 'cronExpression', message: wide }];
    const gapMs = smallestWallGapMs(plan.cron);
    if (gapMs >= minIntervalMs) return [];
    return [
      {
        field: 'cronExpression',
        message: `fires ${formatDuration(gapMs)} apart, below the floor of ${formatDuration(minIntervalMs)}`,
      },
    ];
  }
  const { intervalMs } = plan;
  if (intervalMs < minIntervalMs) {
    return [
      {
        field: 'intervalMs',
        message: `is ${formatDuration(intervalMs)}, below the floor of ${formatDuration(minIntervalMs)}`,
      },
    ];
  }
  if (intervalMs > MAX_INTERVAL_MS) return [{ field: 'intervalMs', message: 'is above 366 days' }];
  return [];
}

/**
 * The first occurrence strictly after `afterMs`; null when the schedule is exhausted (nothing occurs
 * before 1970 or after 9999). `startAtIso` and `untilIso` are inclusive.
 *
 * - `interval`: a grid from `startAtIso` (itself the first occurrence), else from `anchorMs` (one
 *   interval before the first), else `afterMs + intervalMs`. With `wallClock` it steps in calendar
 *   days of `timezone` and keeps its local time.
 * - `cron`, in `timezone`, around clock changes:
 *   - fixed hours (any hour missing from the hour field): each local time runs once. Those inside a
 *     gap run together, once, right after it (02:30 in Berlin on 29 March 2026 runs at 03:00); those
 *     that occur twice run the first time.
 *   - every hour (`*` or all 24): runs whenever the wall clock matches, so in both passes of an
 *     overlap, and not for local times inside a gap.
 *   - both day fields restricted: either is enough (crontab). A field starting with `*` is not a
 *     restriction of its own but narrows the other.
 *
 * Throws InvalidInputError when the schedule cannot be read; never for one that passed validation.
 */
export function nextRunAfter(schedule: Schedule, afterMs: number): number | null {
  return nextOf(planOf(schedule), finite(afterMs, 'afterMs'));
}

/** The next `count` occurrences after `afterMs`, ascending; fewer when the schedule ends. */
export function nextRuns(schedule: Schedule, afterMs: number, count: number): number[] {
  const plan = planOf(schedule);
  const runs: number[] = [];
  let nextMs = nextOf(plan, finite(afterMs, 'afterMs'));
  while (nextMs !== null && runs.length < count) {
    runs.push(nextMs);
    nextMs = nextOf(plan, nextMs);
  }
  return runs;
}

/**
 * The latest occurrence at or before `atMs` and not before `notBeforeMs`, or null. An interval
 * without `startAtIso` and `anchorMs` has no past.
 */
export function previousRunAtOrBefore(
  schedule: Schedule,
  atMs: number,
  notBeforeMs: number,
): number | null {
  const previousMs = previousOf(planOf(schedule), finite(atMs, 'atMs'));
  return previousMs !== null && previousMs >= notBeforeMs ? previousMs : null;
}

/**
 * How many occurrences lie in (`fromExclusiveMs`, `toInclusiveMs`], counted up to `cap`. Intervals
 * are counted by arithmetic, cron by at most `cap` steps of about a microsecond.
 */
export function countRunsBetween(
  schedule: Schedule,
  fromExclusiveMs: number,
  toInclusiveMs: number,
  cap: number,
): number {
  const plan = planOf(schedule);
  if (plan.kind === 'interval') {
    const count = countOfInterval(
      plan,
      finite(fromExclusiveMs, 'fromExclusiveMs'),
      finite(toInclusiveMs, 'toInclusiveMs'),
    );
    return Math.max(0, Math.min(count, Math.floor(cap)));
  }
  let count = 0;
  let nextMs = nextOf(plan, finite(fromExclusiveMs, 'fromExclusiveMs'));
  while (nextMs !== null && nextMs <= toInclusiveMs && count + 1 <= cap) {
    count += 1;
    nextMs = nextOf(plan, nextMs);
  }
  return count;
}

/**
 * The latest `limit` occurrences in (`fromExclusiveMs`, `toInclusiveMs`], ascending. It walks back
 * from the end, so its cost depends on `limit` and not on how long the span is.
 */
export function runsBetween(
  schedule: Schedule,
  fromExclusiveMs: number,
  toInclusiveMs: number,
  limit: number,
): number[] {
  const plan = planOf(schedule);
  const runs: number[] = [];
  let previousMs = previousOf(plan, finite(toInclusiveMs, 'toInclusiveMs'));
  while (previousMs !== null && previousMs > fromExclusiveMs && runs.length < limit) {
    runs.push(previousMs);
    previousMs = previousOf(plan, previousMs - 1);
  }
  return runs.reverse();
}

/**
 * The shortest time between two of its runs, in milliseconds; Infinity when fewer than two are left
 * after `nowMs`. For cron it is read from the fields, by the wall clock: what a clock change moves
 * together does not count.
 */
export function smallestGapMs(schedule: Schedule, nowMs: number): number {
  if (nextRuns(schedule, nowMs, 2).length < 2) return Number.POSITIVE_INFINITY;
  const plan = planOf(schedule);
  if (plan.kind === 'once') return Number.POSITIVE_INFINITY;
  return plan.kind === 'interval' ? plan.intervalMs : smallestWallGapMs(plan.cron);
}

/**
 * Milliseconds from `nowMs` until a cron expression next fires in `timezone` (UTC when absent).
 * Throws InvalidInputError when the expression or the zone is invalid or it never fires. A seconds
 * field is accepted.
 */
export function computeNextCronDelayMs(input: {
  cronExpression: string;
  timezone?: string;
  nowMs: number;
}): number {
  const { cronExpression, timezone, nowMs } = input;
  const schedule: Schedule = { triggerType: 'cron', cronExpression };
  if (timezone !== undefined) schedule.timezone = timezone;
  const nextMs = nextRunAfter(schedule, nowMs);
  if (nextMs === null) throw wrongField('cronExpression', 'does not fire before year 10000');
  return nextMs - nowMs;
}

/**
 * The task fields of a new trigger (seed §4). `updateInterval` is positive and leads to the first
 * regular run; `runImmediately` adds the host's `immediate` tag and makes `nextRunAtMs` now. Throws
 * InvalidInputError when the schedule is invalid or has no occurrence left.
 */
export function computeInitialSchedule(
  schedule: Schedule,
  options: { nowMs: number; runImmediately?: boolean },
): InitialSchedule {
  const { nowMs, runImmediately = false } = options;
  const nextMs = nextRunAfter(schedule, nowMs);
  if (nextMs === null) throw wrongField(ownField(schedule), 'leaves no occurrence');
  const tags = ['queue', 'repeat', 'trigger'];
  if (schedule.triggerType === 'once') tags.push('trigger_once');
  if (schedule.triggerType === 'cron') tags.push('trigger_cron');
  if (runImmediately) tags.push('immediate');
  return {
    updatedAt: nowMs,
    updateInterval: nextMs - nowMs,
    nextRunAtMs: runImmediately ? nowMs : nextMs,
    tags,
  };
}

/** The task is one of ours: tagged `trigger` (or named TRIGGER_DISPATCH) with a `metadata.trigger` object. */
export function isTriggerTask(
  task: { name?: string; tags?: string[]; metadata?: unknown } | null | undefined,
): boolean {
  if (!task || !(task.tags?.includes('trigger') || task.name === 'TRIGGER_DISPATCH')) return false;
  const { metadata } = task;
  if (typeof metadata !== 'object' || metadata === null || !('trigger' in metadata)) return false;
  const { trigger } = metadata;
  return typeof trigger === 'object' && trigger !== null && !Array.isArray(trigger);
}

function planOf(schedule: Schedule): Plan {
  const { plan, findings } = readSchedule(schedule);
  if (!plan) throw new InvalidInputError(findings);
  return plan;
}

/** Keeps infinities within the calendar; NaN is a caller's mistake that would otherwise spread. */
function finite(ms: number, field: string): number {
  if (Number.isNaN(ms)) throw wrongField(field, 'is not a number');
  return Math.min(Math.max(ms, -1), Date.UTC(10_000, 0, 1));
}

/** What runs make without being asked must not spin (DESIGN §4). */
export function mustBeHourly(schedule: Schedule, nowMs: number): void {
  if (schedule.triggerType !== 'once' && smallestGapMs(schedule, nowMs) < HOUR_MS) {
    throw new AppError(
      'LIMIT_REACHED',
      'a trigger made by a scheduled run may not repeat more often than hourly',
    );
  }
}
