/**
 * After a run: the task follows the ledger. Counts and last results are projected, failures in a
 * row pause the trigger, and what has nothing left to do is removed: no zombies (DESIGN §4).
 */
import type { Clock } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import type { Expectations } from './expectations.js';
import type { Ledger } from './ledger/index.js';
import { heatOf } from './projection.js';
import type { TriggerConfig, TriggerRun } from './schema.js';
import { decodeTrigger, type TriggerTaskRow } from './task-codec.js';
import type { TaskStore } from './tasks/index.js';

export const DEFAULT_MAX_FAILURES = 5;

export interface SettleDeps {
  store: TaskStore;
  ledger: Ledger;
  expectations: Expectations;
  clock: Clock;
  log: Log;
  hotWindowMs: () => number;
}

export interface Settler {
  /** Projects a run that has just ended (or failed and waits for its retry). */
  afterRun(taskId: string, run: TriggerRun): Promise<void>;
  /**
   * Projects the newest run of a trigger if that is still to be done: the process died between the
   * end of the run and its projection.
   */
  catchUp(newest: TriggerRun): Promise<boolean>;
  /** Removes or pauses a trigger whose schedule has nothing left and whose runs have ended. */
  finishIfExhausted(row: TriggerTaskRow): Promise<'removed' | 'paused' | 'kept'>;
}

export function createSettler(deps: SettleDeps): Settler {
  const { store, ledger, expectations, clock, log } = deps;

  async function afterRun(taskId: string, run: TriggerRun): Promise<void> {
    const row = await store.byId(taskId);
    if (!row) return;
    const decoded = decodeTrigger(row.metadata);
    if (!decoded.ok) return;
    const { trigger } = decoded;
    const counts = run.status === 'success' || run.status === 'failed';
    const failureCount = !run.open && counts ? nextFailureCount(trigger, run) : undefined;
    const runCount = await ledger.endedCount(run.triggerId);
    const write: Record<string, unknown> = {
      runCount,
      lastRunAtIso: new Date(run.startedAt).toISOString(),
      lastStatus: run.status === 'running' ? undefined : run.status,
      lastError: run.status === 'failed' ? (run.error ?? 'failed') : null,
      ...(failureCount === undefined ? {} : { failureCount }),
    };
    const limit = trigger.maxFailures ?? DEFAULT_MAX_FAILURES;
    const givesUp = failureCount !== undefined && failureCount >= limit && run.status === 'failed';
    if (givesUp && trigger.enabled) {
      write.enabled = false;
      write.pausedReason = `paused after ${failureCount} failed runs in a row: ${run.error ?? 'failed'}`;
      log.warn({ triggerId: run.triggerId, failureCount, error: run.error }, 'trigger paused');
    }
    const heat = givesUp
      ? heatOf({ ...trigger, enabled: false }, trigger.nextRunAtMs ?? null, {
          nowMs: clock.now(),
          hotWindowMs: deps.hotWindowMs(),
          tags: row.tags,
        })
      : null;
    await store.write([{ id: row.id, trigger: write, ...(heat ? { tags: heat.tags } : {}) }]);
    expectations.add(row.id, write, trigger.revision ?? 0);
    if (!run.open) {
      await finishIfExhausted({
        ...row,
        metadata: { ...row.metadata, trigger: { ...trigger, ...withoutNulls(write) } },
      });
      await ledger.pruneIfCrowded(run.triggerId, clock.now());
    }
  }

  async function catchUp(newest: TriggerRun): Promise<boolean> {
    const row = await store.byId(newest.taskId);
    const decoded = row ? decodeTrigger(row.metadata) : null;
    if (!decoded?.ok) return false;
    const { lastRunAtIso, runCount } = decoded.trigger;
    const seen = lastRunAtIso === undefined ? Number.NEGATIVE_INFINITY : Date.parse(lastRunAtIso);
    if (seen > newest.startedAt) return false;
    if (seen === newest.startedAt && runCount === (await ledger.endedCount(newest.triggerId))) {
      return false;
    }
    await afterRun(newest.taskId, newest);
    return true;
  }

  async function finishIfExhausted(row: TriggerTaskRow): Promise<'removed' | 'paused' | 'kept'> {
    const decoded = decodeTrigger(row.metadata);
    if (!decoded.ok || !decoded.trigger.enabled) return 'kept';
    const { trigger } = decoded;
    const usedUp = trigger.maxRuns !== undefined && trigger.runCount >= trigger.maxRuns;
    const exhausted = (trigger.nextRunAtMs ?? null) === null;
    if (!usedUp && !exhausted) return 'kept';
    const open = await ledger.openRunsOf(trigger.triggerId);
    if (open.length > 0) return 'kept';
    if (trigger.triggerType === 'once' && !usedUp) {
      // Lost is worse than late: a one-shot that never succeeded stays, paused, with its reason.
      const [last] = (await ledger.list(trigger.triggerId, { limit: 1 })).rows;
      if (last && last.run.status !== 'success') {
        const reason = last.run.error ?? last.run.reason ?? last.run.status;
        await pause(row, trigger, `it ${last.run.status}: ${reason}; resume it to try again`);
        return 'paused';
      }
    }
    const removed = await store.remove([row.id]);
    expectations.drop(row.id);
    if (removed > 0)
      log.info({ triggerId: trigger.triggerId, runCount: trigger.runCount }, 'trigger done');
    return 'removed';
  }

  async function pause(row: TriggerTaskRow, trigger: TriggerConfig, reason: string): Promise<void> {
    const write = { enabled: false, pausedReason: reason };
    const heat = heatOf({ ...trigger, enabled: false }, null, {
      nowMs: clock.now(),
      hotWindowMs: deps.hotWindowMs(),
      tags: row.tags,
    });
    await store.write([{ id: row.id, trigger: write, tags: heat.tags }]);
    expectations.add(row.id, write, trigger.revision ?? 0);
    log.warn({ triggerId: trigger.triggerId, reason }, 'trigger paused');
  }

  return { afterRun, catchUp, finishIfExhausted };
}

function nextFailureCount(trigger: TriggerConfig, run: TriggerRun): number {
  return run.status === 'failed' ? (trigger.failureCount ?? 0) + 1 : 0;
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
