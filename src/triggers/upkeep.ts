/**
 * Keeps the tasks in line with what they say and with the ledger: edits the host has undone, results a
 * dead process did not live to write, triggers that cannot be read, times after a clock that jumped.
 */
import { yieldToLoop } from '../shared/yield.js';
import type { ClaimDeps } from './claim.js';
import { heatOf } from './projection.js';
import { nextRunAfter } from './schedule.js';
import type { TriggerConfig } from './schema.js';
import { decodeTrigger, INVALID_TAG, scheduleOf, type TriggerTaskRow } from './task-codec.js';
import type { TaskWrite } from './tasks/index.js';
import type { UnderWay } from './under-way.js';

/** Newest results looked at in one pass. */
const RESULTS = 200;

export interface Upkeep {
  /** Restores the edits of this process that the host has overwritten with an old copy. */
  verifyEdits(): Promise<void>;
  /** Writes down what a process ended but did not live to write on the task. */
  catchUp(): Promise<void>;
  /**
   * A damaged trigger whose time cannot be read, or lies far ahead, never falls due: without this
   * health would count it among those that rest.
   */
  setDamagedAside(isStopping: () => boolean): Promise<void>;
  /** After a clock that jumped back: nothing may wait for a time that was wrong. How many moved. */
  realign(): Promise<number>;
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
      const row = await store.byId(taskId);
      const repair = row ? deps.expectations.repair(row) : null;
      if (row && repair) {
        log.info({ taskId }, 'the host had written an old copy back; restored');
        await store.write([repair]);
        await reheat(row.id);
      }
      if (row) deps.expectations.checked(taskId);
      else deps.expectations.drop(taskId);
      await yieldToLoop();
    }
  }

  /** Tags and TaskService fields of one task from its own next time. */
  async function reheat(taskId: string): Promise<void> {
    const row = await store.byId(taskId);
    const decoded = row ? decodeTrigger(row.metadata) : null;
    if (!row || !decoded?.ok) return;
    const { trigger } = decoded;
    const next = trigger.nextRunAtMs ?? null;
    await store.write([{ id: row.id, ...heat(trigger, row, next, clock.now()) }]);
  }

  async function catchUp(): Promise<void> {
    const seen = new Set<string>();
    for (const { run } of await ledger.newestEnded(RESULTS)) {
      // One that is under way here is about to be written down by its own run.
      if (seen.has(run.triggerId) || underWay.of(run.triggerRunId) !== null) continue;
      seen.add(run.triggerId);
      if (await deps.settler.catchUp(run)) {
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

  async function realign(): Promise<number> {
    const nowMs = clock.now();
    let moved = 0;
    for await (const page of store.all()) {
      const writes: TaskWrite[] = [];
      for (const row of page) {
        const decoded = decodeTrigger(row.metadata);
        if (!decoded.ok || !decoded.trigger.enabled) continue;
        const { trigger } = decoded;
        const next = trigger.nextRunAtMs ?? null;
        const earliest =
          next === null || trigger.triggerType === 'once'
            ? next
            : nextRunAfter(scheduleOf(trigger), nowMs);
        const wanted = next === null || earliest === null ? next : Math.min(next, earliest);
        // A resting trigger whose time stands waits for the heartbeat, whatever the clock did.
        if (wanted === next && !row.tags.includes('queue')) continue;
        if (wanted !== next) moved += 1;
        writes.push({
          id: row.id,
          trigger: { nextRunAtMs: wanted },
          ...heat(trigger, row, wanted, nowMs),
        });
      }
      await store.write(writes);
    }
    log.warn({ moved }, 'the clock jumped back; triggers aligned anew');
    return moved;
  }

  return { verifyEdits, catchUp, setDamagedAside, realign };
}
