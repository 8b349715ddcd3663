/**
 * What is to be done about a trigger whose time has come, and what its task and the agent are told of it:
 * pure policy (DESIGN §4). Time, ledger facts and settings come in as arguments.
 */
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { formatInstant } from './describe.js';
import type { NewRun, RunResults } from './run-history.js';
import {
  countRunsBetween,
  nextRunAfter,
  parseIso,
  previousRunAtOrBefore,
  runsBetween,
} from './schedule.js';
import type { Schedule, TriggerConfig, TriggerRun, TriggerType } from './schema.js';
import { INVALID_TAG, originOf, RESTING_TAG, scheduleOf } from './task-codec.js';

/** A run that starts later than this after its time is a missed one. */
export const MISSED_AFTER_MS = MINUTE_MS;
/**
 * A one-shot has no next time and always runs, so it counts as late sooner, after longer than ticks
 * and a busy room explain.
 */
const ONCE_LATE_AFTER_MS = 3 * SECOND_MS;
/** Counting of missed occurrences stops here; beyond it "at least" is precise enough. */
const COUNT_CAP = 5_000;

export interface Occurrence {
  scheduledForMs: number;
  cause: 'schedule' | 'immediate';
  /** What is special about it, for the agent and for people. */
  reason?: string | undefined;
  missedCount?: number;
  /** The last of those that were missed with it. */
  missedUntilMs?: number;
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
  /**
   * Up to here every occurrence has its row already, or is counted in one: somebody claimed them, and
   * the task did not follow (it died, or the host wrote an old copy back). Absent: none of those due.
   */
  claimedUntilMs?: number;
  /** When the agent was away last, between the last beat of before and its start. */
  away?: { fromMs: number; untilMs: number };
}

/**
 * Decides for one trigger. Nothing is due when its next time lies ahead. A one-shot always catches
 * up; a repeating trigger follows its `missedRunPolicy`, its `overlapPolicy` and its `maxRuns`.
 */
export function planDue(trigger: TriggerConfig, nowMs: number, facts: LedgerFacts): DuePlan {
  const schedule = scheduleOf(trigger);
  const dueAtMs = unclaimedFrom(trigger, facts.claimedUntilMs);
  if (dueAtMs === null || dueAtMs > nowMs) return { run: [], skip: [], nextRunAtMs: dueAtMs };

  if (trigger.triggerType === 'once') {
    return {
      run: [
        {
          scheduledForMs: dueAtMs,
          cause: 'schedule',
          reason: lateNote(trigger, dueAtMs, nowMs),
        },
      ],
      skip: [],
      nextRunAtMs: null,
    };
  }

  const nextRunAtMs = nextRunAfter(schedule, nowMs);
  const plan = missedPlan(trigger, nowMs, dueAtMs, facts.away);
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

/** The first due occurrence that has no row yet. */
function unclaimedFrom(trigger: TriggerConfig, claimedUntilMs = 0): number | null {
  const dueAtMs = trigger.nextRunAtMs ?? null;
  if (dueAtMs === null || dueAtMs > claimedUntilMs) return dueAtMs;
  return trigger.triggerType === 'once' ? null : nextRunAfter(scheduleOf(trigger), claimedUntilMs);
}

/** What is special about an occurrence that begins only now, or `undefined` when nothing is. */
export function lateNote(
  trigger: TriggerConfig,
  dueAtMs: number,
  nowMs: number,
): string | undefined {
  if (!isLate(trigger, dueAtMs, nowMs)) return undefined;
  return `was due ${formatInstant(dueAtMs, trigger.timezone ?? 'UTC')}`;
}

function isLate(trigger: TriggerConfig, dueAtMs: number, nowMs: number): boolean {
  return nowMs - dueAtMs > (trigger.triggerType === 'once' ? ONCE_LATE_AFTER_MS : MISSED_AFTER_MS);
}

function missedPlan(
  trigger: TriggerConfig,
  nowMs: number,
  dueAtMs: number,
  away: LedgerFacts['away'],
): Pick<DuePlan, 'run' | 'skip'> {
  const late = (atMs: number) => isLate(trigger, atMs, nowMs);
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
      const reason = lateNote(trigger, atMs, nowMs);
      run.push({ scheduledForMs: atMs, cause: 'schedule', reason });
    }
  }
  const missed = total - run.length;
  if (missed === 0) return { run, skip: [] };
  // The latest occurrences run, so the earlier ones are those that were missed.
  const lastMs = run[0] === undefined ? nowMs : run[0].scheduledForMs - 1;
  const missedUntilMs = previousRunAtOrBefore(schedule, lastMs, dueAtMs) ?? dueAtMs;
  const wasAway = away !== undefined && dueAtMs > away.fromMs && missedUntilMs < away.untilMs;
  const count = later >= COUNT_CAP ? `at least ${COUNT_CAP}` : String(missed);
  const what = `missed ${count} ${missed === 1 ? 'run' : 'runs'}`;
  const why = wasAway ? 'while the agent was not running' : 'that nobody took up in time';
  const since = formatInstant(dueAtMs, trigger.timezone ?? 'UTC');
  return {
    run,
    skip: [
      {
        scheduledForMs: dueAtMs,
        cause: 'schedule',
        reason: `${what} ${why} (from ${since}; policy: ${policy.mode})`,
        missedCount: missed,
        missedUntilMs,
      },
    ],
  };
}

/**
 * Whether an occurrence runs although it has a row: one of before the clock was set back. It does when it
 * has not run, and when it ran so long ago that the one after it would have been due by now; a daily one
 * does not run twice because the clock was set back by an hour.
 */
export function runsAgain(
  schedule: Schedule,
  earlier: Pick<TriggerRun, 'scheduledForMs' | 'setBackByMs' | 'missedCount'>,
): boolean {
  if (earlier.setBackByMs === undefined) return false;
  if (earlier.missedCount !== undefined) return true;
  const nextMs = nextRunAfter(schedule, earlier.scheduledForMs);
  return nextMs !== null && nextMs - earlier.scheduledForMs <= earlier.setBackByMs;
}

/** Whether a run waits for the autonomy loop; one that a person asks for does not. */
export function wakesWithCycle(
  trigger: Pick<TriggerConfig, 'wakeMode'>,
  run: Pick<TriggerRun, 'cause'>,
): boolean {
  return trigger.wakeMode === 'next_autonomy_cycle' && run.cause !== 'manual';
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

const TYPE_TAG: Record<TriggerType, string[]> = {
  interval: [],
  once: ['trigger_once'],
  cron: ['trigger_cron'],
};

/** Where a task stands for the host: its tags, and the two fields that the TaskService reads. */
export interface Placement {
  tags: string[];
  schedule: { updatedAt: number; updateInterval: number };
}

/**
 * Hot (due within the window): the seed's tags with `queue`. Resting: `trigger_resting` instead.
 * Disabled or with nothing left in line: neither. Tags that others put there are kept.
 */
export function queuePlacement(
  trigger: Pick<TriggerConfig, 'triggerType' | 'enabled'>,
  nextRunAtMs: number | null,
  options: { nowMs: number; hotWindowMs: number; tags?: string[]; immediate?: boolean },
): Placement {
  const { nowMs } = options;
  const own = new Set([
    'queue',
    'repeat',
    'trigger',
    'trigger_once',
    'trigger_cron',
    'immediate',
    RESTING_TAG,
    INVALID_TAG,
  ]);
  const foreign = (options.tags ?? []).filter((tag) => !own.has(tag));
  const waits = trigger.enabled && nextRunAtMs !== null;
  const hot = waits && nextRunAtMs - nowMs <= options.hotWindowMs;
  return {
    tags: [
      ...(hot ? ['queue'] : []),
      'repeat',
      'trigger',
      ...TYPE_TAG[trigger.triggerType],
      ...(hot && options.immediate ? ['immediate'] : []),
      ...(waits && !hot ? [RESTING_TAG] : []),
      ...foreign,
    ],
    schedule: {
      updatedAt: nowMs,
      updateInterval: nextRunAtMs === null ? 0 : Math.max(0, nextRunAtMs - nowMs),
    },
  };
}

/** What the ledger has to be asked for to know a trigger's results. */
export function askedOf(trigger: TriggerConfig): { triggerId: string; failuresFromMs: number } {
  // The success that ended a row of failures may have been pruned meanwhile.
  const succeededMs = trigger.lastStatus === 'success' ? lastRunMs(trigger) : 0;
  return {
    triggerId: trigger.triggerId,
    failuresFromMs: Math.max(trigger.failuresFromMs ?? 0, succeededMs),
  };
}

/** What has to change on the trigger so that it says what the ledger knows; `null` removes a field. */
export function resultsWrite(trigger: TriggerConfig, results: RunResults): Record<string, unknown> {
  const known: Record<string, unknown> = { runCount: results.runCount };
  if (results.runCount > 0) known.failureCount = results.failureCount;
  // Pruning may have taken the last run; what the task says of it stays then.
  const knownMs = Math.max(results.last?.startedAt ?? 0, results.beforeSetBackMs);
  if (results.last && knownMs >= lastRunMs(trigger)) {
    known.lastRunAtIso = new Date(results.last.startedAt).toISOString();
    known.lastStatus = results.last.status;
    known.lastError = results.last.status === 'failed' ? (results.last.error ?? 'failed') : null;
  }
  return Object.fromEntries(
    Object.entries(known).filter(([key, value]) => (trigger[key] ?? null) !== value),
  );
}

export const DEFAULT_MAX_FAILURES = 5;

/** Why an enabled trigger is not tried any more, or `null`. */
export function givingUp(
  trigger: TriggerConfig,
  { failureCount, last }: RunResults,
): string | null {
  const limit = trigger.maxFailures ?? DEFAULT_MAX_FAILURES;
  if (!trigger.enabled || failureCount < limit || last?.status !== 'failed') return null;
  return `paused after ${failureCount} failed runs in a row: ${last.error ?? 'failed'}`;
}

function lastRunMs(trigger: TriggerConfig): number {
  return Date.parse(trigger.lastRunAtIso ?? '') || 0;
}

/**
 * The instruction as the agent sees it. It says that the time has come, because a model that reads
 * only "remind me to stretch" schedules it a second time.
 */
function instructionText(trigger: TriggerConfig, run: TriggerRun): string {
  const late = run.reason === undefined ? '' : `, ${run.reason}`;
  return (
    `[Scheduled task "${trigger.displayName}"${late}] The time has come: do this now. ` +
    'It is already scheduled, do not schedule it again. ' +
    'What you reply is sent to the chat where it was asked for.\n\n' +
    trigger.instructions
  );
}

/** Several waiting instructions of one conversation, taken in one turn of the autonomy loop. */
function sharedText(items: readonly { trigger: TriggerConfig; run: TriggerRun }[]): string {
  const lines = items.map(
    ({ trigger, run }, index) =>
      `${index + 1}. ${trigger.displayName}${run.reason === undefined ? '' : ` (${run.reason})`}: ${trigger.instructions}`,
  );
  return (
    `[${items.length} scheduled tasks] They have waited for this turn: do all of them now, once. ` +
    'They are already scheduled, do not schedule them again.\n\n' +
    lines.join('\n')
  );
}

/** What the agent is told in one turn. */
export function turnText(items: readonly { trigger: TriggerConfig; run: TriggerRun }[]): string {
  const [one] = items;
  return one && items.length === 1 ? instructionText(one.trigger, one.run) : sharedText(items);
}

/** One line about a run, stored as the text of its row. */
export function runLine(displayName: string, status: string, reason?: string): string {
  return `${displayName}: ${status}${reason === undefined ? '' : ` (${reason})`}`;
}

/**
 * A task written by another program in the seed's form has no `nextRunAtMs` and no anchor. The host
 * has just called it due, and its snapshot says since when; every tick and process reads the same.
 */
export function withNextRun(
  trigger: TriggerConfig,
  dueAtMs: number | undefined,
  nowMs: number,
): TriggerConfig {
  if (trigger.nextRunAtMs !== undefined) return trigger;
  if (trigger.triggerType === 'once' && trigger.scheduledAtIso !== undefined) {
    const atMs = parseIso(trigger.scheduledAtIso, trigger.timezone ?? 'UTC');
    return { ...trigger, nextRunAtMs: atMs ?? nowMs };
  }
  const nextRunAtMs =
    dueAtMs === undefined || dueAtMs > nowMs
      ? nextRunAfter(scheduleOf(trigger), nowMs)
      : Math.max(dueAtMs, 0);
  const anchored =
    trigger.triggerType === 'interval' && trigger.anchorMs === undefined && nextRunAtMs !== null
      ? { anchorMs: nextRunAtMs }
      : {};
  return { ...trigger, ...anchored, nextRunAtMs };
}

/** A row of the ledger to be, with what it keeps of its trigger for when that is gone. */
export function newRun(
  trigger: TriggerConfig,
  fields: Omit<TriggerRun, 'version' | 'triggerId' | 'attempt'> & { taskId: string },
): NewRun {
  const { triggerId, displayName } = trigger;
  const run = { version: 1, triggerId, attempt: 1, ...originOf(trigger), ...fields } as TriggerRun;
  return { run, text: runLine(displayName, run.status, run.reason) };
}
