/**
 * When a trigger fires: the pure side of scheduling (DESIGN §4 "Schedule", seed
 * `trigger-runtime.md` §4, §5.6, §8.4). All times are epoch milliseconds and nothing reads a clock.
 * Next runs come from the schedule's anchor, never from when the last run ended.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/clock.js';
import { AppError, type Finding, InvalidInputError } from '../shared/errors.js';
import { smallestWallGapMs } from './cron.js';
import { wideStep } from './cron-fields.js';
import { formatDuration } from './describe.js';
import { countOfInterval, nextOf, ownField, type Plan, previousOf, readSchedule } from './plan.js';
import type { Schedule } from './schema.js';

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
  if (nextMs === null)
    throw new InvalidInputError([
      { field: 'cronExpression', message: 'does not fire before year 10000' },
    ]);
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
  if (nextMs === null)
    throw new InvalidInputError([{ field: ownField(schedule), message: 'leaves no occurrence' }]);
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
  if (Number.isNaN(ms)) throw new InvalidInputError([{ field, message: 'is not a number' }]);
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
