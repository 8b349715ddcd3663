/**
 * The task follows the ledger: results are derived from it and never counted on the task, failures in a
 * row pause the trigger, and what has nothing left to do is removed: no zombies (DESIGN §4).
 *
 * Whoever writes here has the task's row locked or names the revision it saw: passes overlap, and an
 * edit of the same moment wins.
 */
import type { Records } from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import type { Expectations } from './expectations.js';
import type { Ledger, RunResults } from './ledger/index.js';
import { askedOf, heatOf, resultsWrite } from './projection.js';
import type { TriggerConfig } from './schema.js';
import { decodeTrigger, type TriggerTaskRow } from './task-codec.js';
import { applied, rowAfter, type TaskStore } from './tasks/index.js';

export const DEFAULT_MAX_FAILURES = 5;

export interface SettleDeps {
  records: Records;
  store: TaskStore;
  ledger: Ledger;
  expectations: Expectations;
  clock: Clock;
  log: Log;
  hotWindowMs: () => number;
}

export interface Settler {
  /**
   * Brings a task in line with the ledger and with the edits of this process that the host has undone.
   * `null`: it is gone, or cannot be read.
   */
  bringInLine(taskId: string): Promise<{ changed: boolean } | null>;
  /** The same after a run has ended (or failed and waits for its retry), with what follows from it. */
  afterRun(taskId: string): Promise<{ changed: boolean } | null>;
  /** Removes or pauses a trigger whose schedule has nothing left and whose runs have ended. */
  finishIfExhausted(row: TriggerTaskRow): Promise<'removed' | 'paused' | 'kept'>;
}

export function createSettler(deps: SettleDeps): Settler {
  const { store, ledger, expectations, clock, log } = deps;

  const heat = (trigger: TriggerConfig, { tags }: TriggerTaskRow) =>
    heatOf(trigger, trigger.nextRunAtMs ?? null, {
      nowMs: clock.now(),
      hotWindowMs: deps.hotWindowMs(),
      tags,
    });

  function inLine(taskId: string) {
    return deps.records.transaction(async (tx) => {
      const row = await store.lock(taskId, tx);
      if (!row) return null;
      const undone = expectations.repair(row)?.trigger;
      const decoded = decodeTrigger(undone ? rowAfter(row, undone).metadata : row.metadata);
      if (!decoded.ok) return null;
      const results = (await ledger.resultsOf([askedOf(decoded.trigger)], tx)).get(
        decoded.trigger.triggerId,
      );
      if (!results) return null;
      const found = resultsWrite(decoded.trigger, results);
      const trigger = applied(decoded.trigger, found);
      const changed = undone !== undefined || Object.keys(found).length > 0;
      if (changed) {
        const write = { id: row.id, trigger: { ...undone, ...found } };
        await store.write([undone ? { ...write, ...heat(trigger, row) } : write], tx);
      }
      if (undone) log.info({ taskId }, 'the host had written an old copy back; restored');
      return { row: rowAfter(row, trigger), trigger, results, changed };
    });
  }

  async function afterRun(taskId: string): Promise<{ changed: boolean } | null> {
    const settled = await inLine(taskId);
    if (!settled) return null;
    const { row, trigger, results, changed } = settled;
    const reason = givingUp(trigger, results);
    if (reason !== null) await pause(row, trigger, reason);
    else await finishIfExhausted(row);
    await ledger.pruneIfCrowded(trigger.triggerId, clock.now());
    return { changed };
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
        const why = `it ${last.run.status}: ${reason}; resume it to try again`;
        return (await pause(row, trigger, why)) ? 'paused' : 'kept';
      }
    }
    if (!(await store.remove(row.id, trigger.revision ?? 0))) return 'kept';
    expectations.drop(row.id);
    log.info({ triggerId: trigger.triggerId, runCount: trigger.runCount }, 'trigger done');
    return 'removed';
  }

  /** `false`: it was edited in the same moment, and the edit stands. */
  async function pause(row: TriggerTaskRow, seen: TriggerConfig, reason: string): Promise<boolean> {
    const revision = (seen.revision ?? 0) + 1;
    const write = { enabled: false, pausedReason: reason, revision };
    const { tags } = heat({ ...seen, enabled: false }, row);
    const done = await store.edit({ id: row.id, trigger: write, tags }, seen.revision ?? 0);
    if (!done) return false;
    expectations.add(row.id, write, revision);
    log.warn({ triggerId: seen.triggerId, reason }, 'trigger paused');
    return true;
  }

  return { bringInLine: inLine, afterRun, finishIfExhausted };
}

/** Why an enabled trigger is not tried any more, or `null`. */
function givingUp(trigger: TriggerConfig, { failureCount, last }: RunResults): string | null {
  const limit = trigger.maxFailures ?? DEFAULT_MAX_FAILURES;
  if (!trigger.enabled || failureCount < limit || last?.status !== 'failed') return null;
  return `paused after ${failureCount} failed runs in a row: ${last.error ?? 'failed'}`;
}
