/**
 * Keeps tasks and runs in line with the ledger: edits that the host has undone, results and failures,
 * retries, leases of dead processes, deferred runs, answers not yet delivered. The host's TaskService
 * writes a stale snapshot of the metadata back before it runs a task (ELIZA_GUIDE §3), which undoes what
 * was written in between; tags and other columns survive.
 */

import { yieldToLoop } from '../shared/async.js';
import { intervalElapsed, SECOND_MS } from '../shared/clock.js';
import type { DueTimer } from './due-timer.js';
import { SENDING_MS } from './ledger.js';
import type { Parts } from './parts.js';
import {
  askedOf,
  givingUp,
  lateNote,
  type Placement,
  queuePlacement,
  resultsWrite,
  runsAgain,
} from './plan.js';
import { runIdOf } from './run-history.js';
import type { Runs } from './runs.js';
import { nextRunAfter, nextRuns } from './schedule.js';
import type { TriggerConfig, TriggerRun } from './schema.js';
import { applied, rowAfter, TASK_BATCH, type TaskWrite } from './store.js';
import {
  decodeTrigger,
  INVALID_TAG,
  readableRows,
  scheduleOf,
  type TriggerTaskRow,
  triggerIn,
} from './task-codec.js';

/** An edit is verified on the next two heartbeats (DESIGN §4). */
const CHECKS = 2;
/** Shorter than the time between two beats: two checks in one moment would see the same. */
const CHECK_GAP_MS = 4 * SECOND_MS;
/** Edits remembered beyond that: a tick of the host can last longer, and calls us after its write. */
const REMEMBERED = 1_000;

export type WriteBackGuard = ReturnType<typeof createWriteBackGuard>;

/**
 * Remembers the edits of this process. An edit has a revision, so an older copy is known by its number;
 * results of runs have none, and are derived anew from the ledger.
 */
export function createWriteBackGuard() {
  const expected = new Map<
    string,
    { trigger: Record<string, unknown>; revision: number; checksLeft: number; checkedAtMs: number }
  >();
  return {
    /** What an edit has written, its revision among it; merged with earlier ones of the task. */
    add(taskId: string, trigger: Record<string, unknown>, revision: number): void {
      const before = expected.get(taskId);
      expected.delete(taskId);
      expected.set(taskId, {
        trigger: { ...before?.trigger, ...trigger },
        revision: Math.max(revision, before?.revision ?? 0),
        checksLeft: CHECKS,
        checkedAtMs: Number.NEGATIVE_INFINITY,
      });
      const [oldest] = expected.keys();
      if (oldest !== undefined && expected.size > REMEMBERED) expected.delete(oldest);
    },
    /** Changes what is expected of a task, if anything is. */
    amend(taskId: string, trigger: Record<string, unknown>): void {
      const wanted = expected.get(taskId);
      if (wanted) wanted.trigger = { ...wanted.trigger, ...trigger };
    },
    drop: (taskId: string): void => void expected.delete(taskId),
    /** The tasks whose edits are still to be verified. */
    ids: (): string[] =>
      [...expected].filter(([, { checksLeft }]) => checksLeft > 0).map(([id]) => id),
    /** The write that restores what the host has undone, or `null` when the row is as expected. */
    repair(row: TriggerTaskRow): TaskWrite | null {
      const wanted = expected.get(row.id);
      const trigger = wanted ? triggerIn(row) : null;
      if (!wanted || !trigger) return null;
      const seenRevision = trigger.revision ?? 0;
      // A later edit, of this process or another one: nothing of ours to defend.
      if (seenRevision > wanted.revision) expected.delete(row.id);
      return seenRevision < wanted.revision
        ? { id: row.id, trigger: wanted.trigger, seenRevision }
        : null;
    },
    /** One verification has passed over the task at this time. */
    checked(taskId: string, nowMs: number): void {
      const wanted = expected.get(taskId);
      if (!wanted || !intervalElapsed(wanted.checkedAtMs, nowMs, CHECK_GAP_MS)) return;
      wanted.checkedAtMs = nowMs;
      wanted.checksLeft -= 1;
    },
  };
}

export type ReconcileDeps = Pick<
  Parts,
  'records' | 'store' | 'ledger' | 'clock' | 'log' | 'settings'
> & {
  guard: WriteBackGuard;
  dueTimer: DueTimer;
};

/** Newest results looked at in one pass. */
const RESULTS = 200;
/** Occurrences that a trigger may have between now and its next one and are looked at. */
const SOONER = 5;

export type Reconciler = ReturnType<typeof createReconciler>;

/**
 * The task follows the ledger: results are derived from it and never counted on the task, failures in a
 * row pause the trigger, and a trigger that has nothing left to do is removed (DESIGN §4). Each write has
 * the task's row locked or names the revision it saw: passes overlap, and an edit of the same moment wins.
 */
export function createReconciler(deps: ReconcileDeps) {
  const { store, ledger, guard, clock, log } = deps;

  /**
   * The tags and the two fields of the host for a trigger's next time. Every next time that is written
   * passes here, so the timer for the soonest one is armed here.
   */
  function place(
    trigger: Pick<TriggerConfig, 'triggerType' | 'enabled' | 'nextRunAtMs'>,
    tags: string[],
    { nextRunAtMs = trigger.nextRunAtMs ?? null, immediate = false } = {},
  ): Placement {
    const times = { nowMs: clock.now(), hotWindowMs: deps.settings().hotWindowMs };
    if (trigger.enabled) deps.dueTimer.at(nextRunAtMs);
    return queuePlacement(trigger, nextRunAtMs, { ...times, tags, immediate });
  }

  /**
   * Writes an edit by compare-and-set and defends it against the host's write-back. Only what the edit
   * decides: a run that ends in the same moment writes its results beside it. The row as it is then, or
   * `null`: the trigger was edited in the same moment, and that edit stands.
   */
  async function edit(
    row: TriggerTaskRow,
    before: TriggerConfig,
    after: TriggerConfig,
  ): Promise<TriggerTaskRow | null> {
    const revision = (before.revision ?? 0) + 1;
    const trigger: TriggerConfig = { ...after, revision };
    const write: Record<string, unknown> = {};
    for (const key of new Set([...Object.keys(before), ...Object.keys(trigger)])) {
      const value = trigger[key] ?? null;
      if (JSON.stringify(value) !== JSON.stringify(before[key] ?? null)) write[key] = value;
    }
    const placement = place(trigger, row.tags);
    const description = trigger.displayName;
    const change = { id: row.id, trigger: write, ...placement, description };
    if (!(await store.edit(change, before.revision ?? 0))) return null;
    guard.add(row.id, write, revision);
    log.info({ triggerId: trigger.triggerId, revision }, 'trigger changed');
    return { ...row, tags: placement.tags, metadata: { ...row.metadata, trigger } };
  }

  /** `false`: it was edited in the same moment. */
  async function pause(row: TriggerTaskRow, seen: TriggerConfig, reason: string): Promise<boolean> {
    const done = await edit(row, seen, { ...seen, enabled: false, pausedReason: reason });
    if (done) log.warn({ triggerId: seen.triggerId, reason }, 'trigger paused');
    return done !== null;
  }

  /**
   * Brings a task in line with the ledger and with the edits of this process that the host has undone.
   * `null`: it is gone, or cannot be read.
   */
  function bringInLine(taskId: string) {
    return deps.records.transaction(async (tx) => {
      const row = await store.lock(taskId, tx);
      if (!row) return null;
      const undone = guard.repair(row)?.trigger;
      const before = triggerIn(undone ? rowAfter(row, undone) : row);
      if (!before) return null;
      const results = (await ledger.resultsOf([askedOf(before)], tx)).get(before.triggerId);
      if (!results) return null;
      const found = resultsWrite(before, results);
      const trigger = applied(before, found);
      const changed = undone !== undefined || Object.keys(found).length > 0;
      if (changed) {
        const write = { id: row.id, trigger: { ...undone, ...found } };
        await store.write([undone ? { ...write, ...place(trigger, row.tags) } : write], tx);
      }
      if (undone) log.info({ taskId }, 'the host had written an old copy back; restored');
      return { row: rowAfter(row, trigger), trigger, results, changed };
    });
  }

  /** The same after a run has ended (or failed and waits for its retry), with what follows from it. */
  async function applyRunResult(taskId: string): Promise<{ changed: boolean } | null> {
    const found = await bringInLine(taskId);
    if (!found) return null;
    const { row, trigger, results, changed } = found;
    const reason = givingUp(trigger, results);
    if (reason !== null) await pause(row, trigger, reason);
    else await finishIfExhausted(row);
    await ledger.pruneIfCrowded(trigger.triggerId, clock.now());
    return { changed };
  }

  /** Removes or pauses a trigger whose schedule has nothing left and whose runs have ended. */
  async function finishIfExhausted(row: TriggerTaskRow): Promise<void> {
    const trigger = triggerIn(row);
    if (!trigger?.enabled) return;
    const { triggerId, runCount } = trigger;
    const usedUp = trigger.maxRuns !== undefined && runCount >= trigger.maxRuns;
    if (!usedUp && (trigger.nextRunAtMs ?? null) !== null) return;
    if ((await ledger.openRunsOf(triggerId)).length > 0) return;
    if (trigger.triggerType === 'once' && !usedUp) {
      // Lost is worse than late: a one-shot that never succeeded stays, paused, with its reason.
      const [last] = (await ledger.list(triggerId, { limit: 1 })).rows;
      if (last && last.run.status !== 'success') {
        const reason = last.run.error ?? last.run.reason ?? last.run.status;
        await pause(row, trigger, `it ${last.run.status}: ${reason}; resume it to try again`);
        return;
      }
    }
    if (!(await store.remove(row.id, trigger.revision ?? 0))) return;
    guard.drop(row.id);
    log.info({ triggerId, runCount }, 'trigger done');
  }

  /** Restores the edits of this process that the host has overwritten with an old copy. */
  async function verifyEdits(): Promise<void> {
    for (const taskId of guard.ids()) {
      if (await bringInLine(taskId)) guard.checked(taskId, clock.now());
      else guard.drop(taskId);
      await yieldToLoop();
    }
  }

  /**
   * After the host has called us for these tasks: just before that it wrote the copy of its tick back,
   * and a tick can last for minutes.
   */
  async function undoWriteBack(taskIds: string[]): Promise<void> {
    for (let start = 0; start < taskIds.length; start += TASK_BATCH) {
      const rows = await store.byTaskIds(taskIds.slice(start, start + TASK_BATCH));
      const readable = readableRows(rows);
      await yieldToLoop();
      const results = await ledger.resultsOf(readable.map(({ trigger }) => askedOf(trigger)));
      await yieldToLoop();
      for (const { row, trigger } of readable) {
        const known = results.get(trigger.triggerId);
        const stale = known !== undefined && Object.keys(resultsWrite(trigger, known)).length > 0;
        if (!stale && guard.repair(row) === null) continue;
        await bringInLine(row.id);
        await yieldToLoop();
      }
    }
  }

  /**
   * Reschedules claimed triggers that carry the old time again: the host writes it back on every task of
   * a tick, also on those that an earlier one of the same tick, or another process, has claimed
   * meanwhile. The ledger knows; what it does not know stays as it is.
   */
  async function rescheduleClaimed(desynced: TriggerTaskRow[]): Promise<void> {
    const claimedAs = new Map<string, { row: TriggerTaskRow; trigger: TriggerConfig }>();
    for (const { row, trigger } of readableRows(desynced)) {
      if (typeof trigger.nextRunAtMs !== 'number') continue;
      claimedAs.set(runIdOf(trigger.triggerId, trigger.nextRunAtMs), { row, trigger });
    }
    for (const run of await ledger.getMany([...claimedAs.keys()])) {
      const known = claimedAs.get(run.triggerRunId);
      if (!known) continue;
      const { row, trigger } = known;
      // What has come due since has no row yet: it is claimed, or counted as missed, once this is written.
      const untilMs = Math.min(clock.now(), run.missedUntilMs ?? run.scheduledForMs);
      const nextRunAtMs =
        trigger.triggerType === 'once' ? null : nextRunAfter(scheduleOf(trigger), untilMs);
      const placement = place(trigger, row.tags, { nextRunAtMs });
      const seenRevision = trigger.revision ?? 0;
      await store.write([{ id: row.id, trigger: { nextRunAtMs }, ...placement, seenRevision }]);
      if (nextRunAtMs === null) await finishIfExhausted(rowAfter(row, { nextRunAtMs }));
      await yieldToLoop();
    }
  }

  /** Writes down what a process ended but did not live to write on the task. */
  async function catchUp(isInFlight: (triggerRunId: string) => boolean): Promise<void> {
    const seen = new Set<string>();
    for (const { run } of await ledger.newestEnded(RESULTS)) {
      // One that is in flight here is about to be written down by its own run.
      if (seen.has(run.triggerId) || isInFlight(run.triggerRunId)) continue;
      seen.add(run.triggerId);
      if ((await applyRunResult(run.taskId))?.changed) {
        log.info({ triggerRunId: run.triggerRunId }, 'result of a dead process written down');
      }
      await yieldToLoop();
    }
  }

  /** Sets triggers aside that cannot be read, so that they neither fall due nor count as resting. */
  async function setAside(rows: { taskId: string; reason: string }[]): Promise<void> {
    for (const fields of rows) log.warn(fields, 'trigger set aside');
    const ids = rows.map(({ taskId }) => taskId);
    await store.retag(ids, { add: [INVALID_TAG], remove: ['queue', INVALID_TAG] });
  }

  /** A damaged trigger whose time cannot be read, or lies far ahead, never falls due: it is looked for. */
  async function setDamagedAside(isStopping: () => boolean): Promise<void> {
    for await (const page of store.all()) {
      if (isStopping()) return;
      const unknown = page.filter((row) => !row.tags.includes(INVALID_TAG));
      await setAside(
        unknown.flatMap(({ id, metadata }) => {
          const decoded = decodeTrigger(metadata);
          return decoded.ok ? [] : [{ taskId: id, reason: decoded.reason }];
        }),
      );
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
    const runs = await ledger.getMany(sooner.map((at) => runIdOf(trigger.triggerId, at)));
    const known = new Map(runs.map((run) => [run.scheduledForMs, run]));
    const isDue = (atMs: number) => {
      const earlier = known.get(atMs);
      return earlier === undefined || runsAgain(schedule, earlier);
    };
    return sooner.find(isDue) ?? nextMs;
  }

  /** After the clock was set back to `nowMs`: triggers whose time comes sooner now. How many moved. */
  async function realign(nowMs: number): Promise<number> {
    let moved = 0;
    for await (const page of store.all()) {
      const writes: TaskWrite[] = [];
      for (const { row, trigger } of readableRows(page)) {
        if (!trigger.enabled) continue;
        const next = trigger.nextRunAtMs ?? null;
        const nextRunAtMs =
          next === null || trigger.triggerType === 'once'
            ? next
            : await timeAfterSetBack(trigger, nowMs, next);
        // A resting trigger whose time stands waits for the heartbeat, whatever the clock did.
        if (nextRunAtMs === next && !row.tags.includes('queue')) continue;
        if (nextRunAtMs !== next) {
          moved += 1;
          // Else the time of before would be defended against this one.
          guard.amend(row.id, { nextRunAtMs });
        }
        const placement = place(trigger, row.tags, { nextRunAtMs });
        writes.push({ id: row.id, trigger: { nextRunAtMs }, ...placement });
      }
      await store.write(writes);
    }
    return moved;
  }

  return {
    place,
    edit,
    bringInLine,
    applyRunResult,
    finishIfExhausted,
    verifyEdits,
    undoWriteBack,
    rescheduleClaimed,
    catchUp,
    setAside,
    setDamagedAside,
    realign,
  };
}

/** Runs looked at in one pass. */
const BLOCK = 200;

export type WaitingRuns = ReturnType<typeof createWaitingRuns>;

/**
 * Resumes what stands in the ledger and waits: runs of dead processes, retries, deferred runs, answers
 * not yet delivered. Each is taken by compare-and-set, so that two processes do not do it both.
 */
export function createWaitingRuns(deps: Parts & { runs: Runs }) {
  const { store, ledger, budget, runs, clock, log } = deps;

  const lease = () => ({ owner: deps.owner, token: deps.ids.next(), nowMs: clock.now() });

  const triggerOf = async (run: TriggerRun) => triggerIn(await store.byId(run.taskId));

  /** Takes a run with what `changes` says of it, and starts it. `false`: another process was faster. */
  async function take(
    seen: TriggerRun,
    changes: (trigger: TriggerConfig | null) => Record<string, unknown>,
  ): Promise<boolean> {
    if (runs.inFlight(seen.triggerRunId) !== null) return false;
    const trigger = await triggerOf(seen);
    const run = await ledger.take(seen, lease(), changes(trigger));
    if (run) void runs.start([{ run, trigger }]);
    await yieldToLoop();
    return run !== null;
  }

  return {
    /** Running rows whose lease has run out, or with `allOthers` of whatever other owner. */
    async abandoned(allOthers: boolean): Promise<void> {
      for (const { run } of await ledger.abandoned(clock.now(), deps.owner, allOthers)) {
        // One that still waited for its turn has taken no process down.
        const deaths = run.begunAtMs === undefined ? 0 : 1;
        const takeovers = (run.takeovers ?? 0) + deaths;
        const taken = await take(run, () => ({ takeovers }));
        if (taken) log.info({ triggerRunId: run.triggerRunId }, 'run of a dead process taken over');
      }
    },

    /** Retries that are due, as far as the budget allows. */
    async retries(): Promise<void> {
      const nowMs = clock.now();
      const { left } = await budget.allowance(nowMs);
      // Not looked up in vain, beat for beat, while none of them may begin.
      if (left === 0) return;
      for (const { run } of await ledger.retriesDue(nowMs, Math.min(BLOCK, left))) {
        await take(run, () => ({ attempt: run.attempt + 1, startedAt: nowMs, finishedAt: null }));
      }
    },

    /** What waited for autonomy or the budget, as far as they now allow. */
    async deferred(): Promise<void> {
      const nowMs = clock.now();
      let { left } = await budget.allowance(nowMs);
      if ((await deps.autonomy.unavailable()) !== null) return;
      for (const waitsFor of ['autonomy', 'budget'] as const) {
        if (left === 0) return;
        for (const { run } of await ledger.deferred(waitsFor, Math.min(BLOCK, left))) {
          if (await take(run, (trigger) => released(run, trigger, nowMs))) left -= 1;
        }
      }
    },

    /** Answers that are not yet where they belong. */
    async deliveries(): Promise<void> {
      const nowMs = clock.now();
      const heldToo = deps.autonomy.resendsUnknown();
      for (const { run } of await ledger.deliveriesDue(nowMs, heldToo)) {
        if (runs.isDelivering(run.triggerRunId)) continue;
        // Taken first, so that a second process does not send the same answer.
        const mine = await ledger.takeDelivery(run, deps.ids.next(), nowMs + SENDING_MS);
        if (mine) runs.redeliver(mine);
      }
    },

    /** All that wait for the autonomy loop, one turn per conversation; how many runs that were. */
    async cycle(): Promise<number> {
      const groups = new Map<string, { run: TriggerRun; trigger: TriggerConfig | null }[]>();
      for (const { run } of await ledger.deferred('cycle', BLOCK)) {
        const trigger = await triggerOf(run);
        // One turn acts with one creator's rights and answers into one conversation.
        const key = [trigger?.creatorEntityId, trigger?.originRoomId, trigger?.deliverTo?.roomId];
        const group = groups.get(key.join('|')) ?? [];
        groups.set(key.join('|'), [...group, { run, trigger }]);
        await yieldToLoop();
      }
      let count = 0;
      const turns: Promise<void>[] = [];
      for (const group of groups.values()) {
        const taken = [];
        for (const { run: seen, trigger } of group) {
          const run = await ledger.take(seen, lease(), released(seen, trigger, clock.now()));
          if (run) taken.push({ run, trigger });
        }
        count += taken.length;
        if (taken.length > 0) turns.push(runs.start(taken, true));
      }
      await Promise.all(turns);
      return count;
    },
  };
}

/**
 * What changes on a run that has waited: what it waited for is over, and must neither be told to the
 * agent nor stay in the ledger as if it still held.
 */
function released(run: TriggerRun, trigger: TriggerConfig | null, nowMs: number) {
  const asked = run.cause === 'manual' || trigger === null;
  const reason = asked ? null : (lateNote(trigger, run.scheduledForMs, nowMs) ?? null);
  return { startedAt: nowMs, reason };
}
