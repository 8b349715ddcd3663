/**
 * What is to be done about a trigger whose time has come: pure policy (DESIGN §4). Time, ledger
 * facts and settings come in as arguments.
 */
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { formatInstant } from './describe.js';
import { countRunsBetween, nextRunAfter, runsBetween } from './schedule.js';
import type { TriggerConfig } from './schema.js';
import { scheduleOf } from './task-codec.js';

/** A run that starts later than this after its time is a missed one. */
export const MISSED_AFTER_MS = MINUTE_MS;
/**
 * A one-shot has no next time and always runs, so it says sooner that it is late: longer than ticks
 * and a busy room explain.
 */
const ONCE_LATE_AFTER_MS = 3 * SECOND_MS;
/** Counting of missed occurrences stops here; beyond it "at least" is precise enough. */
const COUNT_CAP = 5_000;

export interface Occurrence {
  scheduledForMs: number;
  cause: 'schedule' | 'immediate';
  /** What is special about it, for the agent and for people. */
  reason?: string;
  missedCount?: number;
}

export interface DuePlan {
  run: Occurrence[];
  skip: (Occurrence & { reason: string })[];
  /** Next time in line, `null` when the schedule has nothing left. */
  nextRunAtMs: number | null;
}

export interface LedgerFacts {
  /** Occurrences of this trigger that have not ended for good. */
  openRuns: number;
  /** Occurrences that ended success or failed, counted over the whole life. */
  endedRuns: number;
}

/**
 * Decides for one trigger. Nothing is due when its next time lies ahead. A one-shot always catches
 * up; a repeating trigger follows its `missedRunPolicy`, its `overlapPolicy` and its `maxRuns`.
 */
export function planDue(trigger: TriggerConfig, nowMs: number, facts: LedgerFacts): DuePlan {
  const schedule = scheduleOf(trigger);
  const dueAtMs = trigger.nextRunAtMs ?? null;
  if (dueAtMs === null || dueAtMs > nowMs) return { run: [], skip: [], nextRunAtMs: dueAtMs };

  const wasDue = (atMs: number) => wasDueAt(trigger, atMs);
  const late = (atMs: number) => isLate(trigger, atMs, nowMs);

  if (trigger.triggerType === 'once') {
    return {
      run: [
        {
          scheduledForMs: dueAtMs,
          cause: 'schedule',
          ...(late(dueAtMs) ? { reason: wasDue(dueAtMs) } : {}),
        },
      ],
      skip: [],
      nextRunAtMs: null,
    };
  }

  const nextRunAtMs = nextRunAfter(schedule, nowMs);
  const plan = missedPlan(trigger, nowMs, dueAtMs, wasDue, late);
  const skip = [...plan.skip];
  let run = plan.run;

  if (run.length > 0 && facts.openRuns > 0 && (trigger.overlapPolicy ?? 'skip') === 'skip') {
    skip.push(...run.map((one) => ({ ...one, reason: 'the previous run was still under way' })));
    run = [];
  }
  if (trigger.maxRuns !== undefined) {
    run = run.slice(0, Math.max(0, trigger.maxRuns - facts.endedRuns - facts.openRuns));
  }
  return { run, skip, nextRunAtMs };
}

/** What is special about an occurrence that begins only now, or `undefined` when nothing is. */
export function lateNote(
  trigger: TriggerConfig,
  dueAtMs: number,
  nowMs: number,
): string | undefined {
  return isLate(trigger, dueAtMs, nowMs) ? wasDueAt(trigger, dueAtMs) : undefined;
}

function isLate(trigger: TriggerConfig, dueAtMs: number, nowMs: number): boolean {
  return nowMs - dueAtMs > (trigger.triggerType === 'once' ? ONCE_LATE_AFTER_MS : MISSED_AFTER_MS);
}

function wasDueAt(trigger: TriggerConfig, dueAtMs: number): string {
  return `was due ${formatInstant(dueAtMs, trigger.timezone ?? 'UTC')}`;
}

function missedPlan(
  trigger: TriggerConfig,
  nowMs: number,
  dueAtMs: number,
  wasDue: (atMs: number) => string,
  late: (atMs: number) => boolean,
): Pick<DuePlan, 'run' | 'skip'> {
  const schedule = scheduleOf(trigger);
  const policy = {
    mode: trigger.missedRunPolicy?.mode ?? 'once',
    windowMs: trigger.missedRunPolicy?.windowMs ?? DAY_MS,
    max: trigger.missedRunPolicy?.max ?? 10,
  };
  // `dueAtMs` itself may lie off the grid (a snoozed run), so it is counted apart.
  const later = countRunsBetween(schedule, dueAtMs, nowMs, COUNT_CAP);
  const wanted = policy.mode === 'all' ? policy.max : 1;
  const latest = runsBetween(schedule, dueAtMs, nowMs, wanted);
  const times = latest.length < wanted ? [dueAtMs, ...latest] : latest;
  const total = later + 1;

  const run: Occurrence[] = [];
  for (const atMs of times) {
    const allowed = late(atMs) ? policy.mode !== 'skip' && nowMs - atMs <= policy.windowMs : true;
    if (allowed) {
      run.push({
        scheduledForMs: atMs,
        cause: 'schedule',
        ...(late(atMs) ? { reason: wasDue(atMs) } : {}),
      });
    }
  }
  const missed = total - run.length;
  if (missed === 0) return { run, skip: [] };
  const ran = new Set(run.map((one) => one.scheduledForMs));
  const firstMissed = ran.has(dueAtMs)
    ? (times.find((atMs) => !ran.has(atMs)) ?? dueAtMs)
    : dueAtMs;
  const count = later >= COUNT_CAP ? `at least ${COUNT_CAP}` : String(missed);
  return {
    run,
    skip: [
      {
        scheduledForMs: firstMissed,
        cause: 'schedule',
        reason: `missed ${count} ${missed === 1 ? 'run' : 'runs'} while the agent was not running (from ${wasDue(firstMissed).slice('was due '.length)}; policy: ${policy.mode})`,
        missedCount: missed,
      },
    ],
  };
}

/** Delays before the second, third and fourth attempt of a failed run (DESIGN §4). */
export const RETRY_DELAYS_MS = [30_000, 2 * MINUTE_MS, 10 * MINUTE_MS] as const;

/**
 * When a failed attempt is tried again, or `null` when the occurrence has failed for good: the
 * attempts are used up, or the trigger's next occurrence comes first and is itself the retry.
 */
export function retryAt(
  attempt: number,
  nowMs: number,
  nextRunAtMs: number | null | undefined,
): number | null {
  const delayMs = RETRY_DELAYS_MS[attempt - 1];
  if (delayMs === undefined) return null;
  const atMs = nowMs + delayMs;
  return typeof nextRunAtMs === 'number' && nextRunAtMs <= atMs ? null : atMs;
}
