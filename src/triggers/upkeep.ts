/**
 * Keeps the tasks in line with what they say and with the ledger: edits the host has undone, results a
 * dead process did not live to write, triggers that cannot be read, times after a clock that jumped.
 */
import { yieldToLoop } from '../shared/yield.js';
import type { ClaimDeps } from './claim.js';
import { runsAgain } from './due.js';
import { runIdOf } from './ledger/index.js';
import { askedOf, heatOf, resultsWrite } from './projection.js';
import { nextRuns } from './schedule.js';
import type { TriggerConfig, TriggerRun } from './schema.js';
import { decodeTrigger, INVALID_TAG, scheduleOf, type TriggerTaskRow } from './task-codec.js';
import { TASK_BATCH, type TaskWrite } from './tasks/index.js';
import type { UnderWay } from './under-way.js';

/** Newest results looked at in one pass. */
const RESULTS = 200;
/** Occurrences that a trigger may have between now and its next one and are looked at. */
const SOONER = 5;

export interface Upkeep {
  /** Restores the edits of this process that the host has overwritten with an old copy. */
  verifyEdits(): Promise<void>;
  /**
   * After the host has called us for these tasks: just before that it wrote the copy of its tick back,
   * and a tick can last for minutes.
   */
  undoWriteBack(taskIds: string[]): Promise<void>;
  /** Writes down what a process ended but did not live to write on the task. */
  catchUp(): Promise<void>;
  /**
   * A damaged trigger whose time cannot be read, or lies far ahead, never falls due: without this
   * health would count it among those that rest.
   */
  setDamagedAside(isStopping: () => boolean): Promise<void>;
  /** After the clock was set back to `nowMs`: triggers whose time comes sooner now. How many moved. */
  realign(nowMs: number): Promise<number>;
}

export function createUpkeep(
  deps: Pick<
    ClaimDeps,
    'ledger' | 'store' | 'expectations' | 'settler' | 'clock' | 'log' | 'hotWindowMs'
  >,
  underWay: UnderWay,
): Upkeep {
  const { ledger, store, clock, log } = deps;

  const heat = (
    trigger: TriggerConfig,
    { tags }: TriggerTaskRow,
    next: number | null,
    nowMs: number,
  ) => heatOf(trigger, next, { nowMs, hotWindowMs: deps.hotWindowMs(), tags });

  async function verifyEdits(): Promise<void> {
    for (const taskId of deps.expectations.ids()) {
      const found = await deps.settler.bringInLine(taskId);
      if (found) deps.expectations.checked(taskId, clock.now());
      else deps.expectations.drop(taskId);
      await yieldToLoop();
    }
  }

  async function undoWriteBack(taskIds: string[]): Promise<void> {
    for (let start = 0; start < taskIds.length; start += TASK_BATCH) {
      const rows = await store.byTaskIds(taskIds.slice(start, start + TASK_BATCH));
      const readable = rows.flatMap((row) => {
        const decoded = decodeTrigger(row.metadata);
        return decoded.ok ? [{ row, trigger: decoded.trigger }] : [];
      });
      await yieldToLoop();
      const results = await ledger.resultsOf(readable.map(({ trigger }) => askedOf(trigger)));
      await yieldToLoop();
      for (const { row, trigger } of readable) {
        const known = results.get(trigger.triggerId);
        const stale = known !== undefined && Object.keys(resultsWrite(trigger, known)).length > 0;
        if (!stale && deps.expectations.repair(row) === null) continue;
        await deps.settler.bringInLine(row.id);
        await yieldToLoop();
      }
    }
  }

  async function catchUp(): Promise<void> {
    const seen = new Set<string>();
    for (const { run } of await ledger.newestEnded(RESULTS)) {
      // One that is under way here is about to be written down by its own run.
      if (seen.has(run.triggerId) || underWay.of(run.triggerRunId) !== null) continue;
      seen.add(run.triggerId);
      if ((await deps.settler.afterRun(run.taskId))?.changed) {
        log.info({ triggerRunId: run.triggerRunId }, 'result of a dead process written down');
      }
      await yieldToLoop();
    }
  }

  async function setDamagedAside(isStopping: () => boolean): Promise<void> {
    for await (const page of store.all()) {
      if (isStopping()) return;
      const damaged: string[] = [];
      for (const row of page) {
        if (row.tags.includes(INVALID_TAG)) continue;
        const decoded = decodeTrigger(row.metadata);
        if (decoded.ok) continue;
        damaged.push(row.id);
        log.warn({ taskId: row.id, reason: decoded.reason }, 'trigger set aside');
      }
      await store.retag(damaged, { add: [INVALID_TAG], remove: ['queue', INVALID_TAG] });
    }
  }

  /** The first occurrence before the next one that has not run, or runs again; else the next one. */
  async function timeAfterSetBack(
    trigger: TriggerConfig,
    nowMs: number,
    nextMs: number,
  ): Promise<number> {
    const schedule = scheduleOf(trigger);
    const sooner = nextRuns(schedule, nowMs, SOONER).filter((atMs) => atMs < nextMs);
    const known = new Map<number, TriggerRun>();
    for (const run of await ledger.getMany(sooner.map((at) => runIdOf(trigger.triggerId, at)))) {
      known.set(run.scheduledForMs, run);
    }
    const due = sooner.find((atMs) => {
      const earlier = known.get(atMs);
      return earlier === undefined || runsAgain(schedule, earlier);
    });
    return due ?? nextMs;
  }

  async function realign(nowMs: number): Promise<number> {
    let moved = 0;
    for await (const page of store.all()) {
      const writes: TaskWrite[] = [];
      for (const row of page) {
        const decoded = decodeTrigger(row.metadata);
        if (!decoded.ok || !decoded.trigger.enabled) continue;
        const { trigger } = decoded;
        const next = trigger.nextRunAtMs ?? null;
        const wanted =
          next === null || trigger.triggerType === 'once'
            ? next
            : await timeAfterSetBack(trigger, nowMs, next);
        // A resting trigger whose time stands waits for the heartbeat, whatever the clock did.
        if (wanted === next && !row.tags.includes('queue')) continue;
        if (wanted !== next) {
          moved += 1;
          // Else the time of before would be defended against this one.
          deps.expectations.amend(row.id, { nextRunAtMs: wanted });
        }
        writes.push({
          id: row.id,
          trigger: { nextRunAtMs: wanted },
          ...heat(trigger, row, wanted, nowMs),
        });
      }
      await store.write(writes);
    }
    return moved;
  }

  return { verifyEdits, undoWriteBack, catchUp, setDamagedAside, realign };
}
