/**
 * Keeps tasks and runs in line with the ledger: edits that the host has undone, results and failures,
 * retries, leases of dead processes, deferred runs, answers not yet delivered. The host's TaskService
 * writes a stale snapshot of the metadata back before it runs a task (ELIZA_GUIDE §3), which undoes what
 * was written in between; tags and other columns survive.
 */
import type { Records } from '../records/index.js';
import { type Clock, isTimeAgain, SECOND_MS } from '../shared/clock.js';
import type { Ids } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { yieldToLoop } from '../shared/yield.js';
import type { Allowance, Budget } from './budget.js';
import { type Ledger, SENDING_MS } from './ledger.js';
import { askedOf, heatOf, lateNote, resultsWrite, runsAgain } from './plan.js';
import { type RunResults, runIdOf } from './run-history.js';
import type { AutonomyPort, UnderWay } from './runs.js';
import { nextRuns } from './schedule.js';
import type { TriggerConfig, TriggerRun } from './schema.js';
import { applied, rowAfter, TASK_BATCH, type TaskStore, type TaskWrite } from './store.js';
import { decodeTrigger, INVALID_TAG, scheduleOf, type TriggerTaskRow } from './task-codec.js';

export interface ReconcileDeps {
  store: TaskStore;
  ledger: Ledger;
  budget: Budget;
  expectations: Expectations;
  settler: Settler;
  autonomy: AutonomyPort;
  clock: Clock;
  ids: Ids;
  log: Log;
  owner: string;
  /** Between the last beat of before and this start nobody was there. */
  away: { fromMs: number; untilMs: number };
  hotWindowMs: () => number;
}

interface Expectation {
  trigger: Record<string, unknown>;
  revision: number;
  checksLeft: number;
  /** Of the last check that counted. */
  checkedAtMs: number;
}

/** An edit is verified on the next two heartbeats (DESIGN §4). */
const CHECKS = 2;
/** Shorter than the time between two beats: two checks in one moment would see the same. */
const CHECK_GAP_MS = 4 * SECOND_MS;
/** Edits remembered beyond that: a tick of the host can last longer, and calls us after its write. */
const REMEMBERED = 1_000;

export interface Expectations {
  /** What an edit has written, its revision among it; merged with earlier ones of the task. */
  add(taskId: string, trigger: Record<string, unknown>, revision: number): void;
  /** Changes what is expected of a task, if anything is. */
  amend(taskId: string, trigger: Record<string, unknown>): void;
  drop(taskId: string): void;
  /** The tasks whose edits are to be verified still. */
  ids(): string[];
  /** The write that restores what the host has undone, or `null` when the row is as expected. */
  repair(row: TriggerTaskRow): TaskWrite | null;
  /** One verification has passed over the task at this time. */
  checked(taskId: string, nowMs: number): void;
}

export function createExpectations(): Expectations {
  const expected = new Map<string, Expectation>();
  return {
    add(taskId, trigger, revision) {
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
    amend(taskId, trigger) {
      const wanted = expected.get(taskId);
      if (wanted) wanted.trigger = { ...wanted.trigger, ...trigger };
    },
    drop(taskId) {
      expected.delete(taskId);
    },
    ids: () => [...expected].filter(([, { checksLeft }]) => checksLeft > 0).map(([id]) => id),
    repair(row) {
      const wanted = expected.get(row.id);
      if (!wanted) return null;
      const decoded = decodeTrigger(row.metadata);
      if (!decoded.ok) return null;
      const seenRevision = decoded.trigger.revision ?? 0;
      if (seenRevision > wanted.revision) {
        // A later edit, of this process or another one: nothing of ours to defend.
        expected.delete(row.id);
        return null;
      }
      return seenRevision < wanted.revision
        ? { id: row.id, trigger: wanted.trigger, seenRevision }
        : null;
    },
    checked(taskId, nowMs) {
      const wanted = expected.get(taskId);
      if (!wanted || !isTimeAgain(wanted.checkedAtMs, nowMs, CHECK_GAP_MS)) return;
      wanted.checkedAtMs = nowMs;
      wanted.checksLeft -= 1;
    },
  };
}

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
    ReconcileDeps,
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

/** Runs and answers looked at in one pass. */
const BLOCK = 200;

export interface TakeUp {
  /** Running rows whose lease has run out, or with `allOthers` of whatever other owner. */
  abandoned(allOthers: boolean): Promise<void>;
  /** Retries that are due, as far as the budget allows. */
  retries(): Promise<void>;
  /** What waited for autonomy or the budget, as far as they now allow. */
  waiting(): Promise<void>;
  /** Answers that are not yet where they belong. */
  deliveries(): Promise<void>;
  /** All that wait for the autonomy loop, one turn per conversation; how many runs that were. */
  cycle(): Promise<number>;
}

export function createTakeUp(
  deps: Pick<
    ReconcileDeps,
    'ledger' | 'store' | 'budget' | 'autonomy' | 'clock' | 'ids' | 'log' | 'owner'
  >,
  underWay: UnderWay,
): TakeUp {
  const { ledger, store, clock, log } = deps;

  const lease = (nowMs: number) => ({ owner: deps.owner, token: deps.ids.next(), nowMs });

  async function take(seen: TriggerRun, patch: Record<string, unknown>): Promise<boolean> {
    if (underWay.of(seen.triggerRunId) !== null) return false;
    const run = await ledger.take(seen, lease(clock.now()), patch);
    if (run) void underWay.begin(run);
    return run !== null;
  }

  async function abandoned(allOthers: boolean): Promise<void> {
    for (const { run } of await ledger.abandoned(clock.now(), deps.owner, allOthers)) {
      // One that still waited for its turn has taken no process down.
      const deaths = run.begunAtMs === undefined ? 0 : 1;
      const taken = await take(run, { takeovers: (run.takeovers ?? 0) + deaths });
      if (taken) log.info({ triggerRunId: run.triggerRunId }, 'run of a dead process taken over');
      await yieldToLoop();
    }
  }

  /** Takes it when there is room for it; `false`: there is none, for any more. */
  async function takeIfRoom(
    run: TriggerRun,
    allowance: Allowance,
    patch: Record<string, unknown>,
  ): Promise<boolean> {
    if (underWay.of(run.triggerRunId) !== null) return true;
    if (allowance.hold(run.triggerRunId) !== null) return false;
    let isMine = false;
    try {
      isMine = await take(run, patch);
    } finally {
      if (!isMine) deps.budget.letGo(run.triggerRunId);
    }
    await yieldToLoop();
    return true;
  }

  async function retries(): Promise<void> {
    const nowMs = clock.now();
    const allowance = await deps.budget.allowance(nowMs);
    // Not looked up in vain, beat for beat, while there is no room for any of them.
    if (allowance.refusal() !== null) return;
    for (const { run } of await ledger.retriesDue(nowMs)) {
      const again = { attempt: run.attempt + 1, startedAt: nowMs, finishedAt: null };
      if (!(await takeIfRoom(run, allowance, again))) return;
    }
  }

  async function waiting(): Promise<void> {
    const nowMs = clock.now();
    const allowance = await deps.budget.allowance(nowMs);
    if ((await deps.autonomy.unavailable()) !== null) return;
    for (const waitsFor of ['autonomy', 'budget'] as const) {
      if (allowance.refusal() !== null) return;
      for (const { run } of await ledger.deferred(waitsFor, BLOCK)) {
        const patch = released(run, await triggerOf(run), nowMs);
        if (!(await takeIfRoom(run, allowance, patch))) return;
      }
    }
  }

  async function triggerOf(run: TriggerRun): Promise<TriggerConfig | null> {
    const row = await store.byId(run.taskId);
    const decoded = row ? decodeTrigger(row.metadata) : null;
    return decoded?.ok ? decoded.trigger : null;
  }

  async function deliveries(): Promise<void> {
    const nowMs = clock.now();
    const heldToo = deps.autonomy.resendsUnknown();
    for (const { run } of await ledger.deliveriesDue(nowMs, heldToo)) {
      if (underWay.isDelivering(run.triggerRunId)) continue;
      // Taken first, so that a second process does not send the same answer.
      const mine = await ledger.takeDelivery(run, deps.ids.next(), nowMs + SENDING_MS);
      if (mine) underWay.redeliver(mine);
    }
  }

  async function cycle(): Promise<number> {
    const groups = new Map<string, { run: TriggerRun; trigger: TriggerConfig | null }[]>();
    for (const { run } of await ledger.deferred('cycle', BLOCK)) {
      const trigger = await triggerOf(run);
      // One turn acts with one creator's rights and answers into one conversation.
      const key = [
        trigger?.creatorEntityId ?? '',
        trigger?.originRoomId ?? '',
        trigger?.deliverTo?.roomId ?? '',
      ].join('|');
      groups.set(key, [...(groups.get(key) ?? []), { run, trigger }]);
      await yieldToLoop();
    }
    let count = 0;
    const turns: Promise<void>[] = [];
    for (const group of groups.values()) {
      const taken: TriggerRun[] = [];
      for (const { run, trigger } of group) {
        const nowMs = clock.now();
        const mine = await ledger.take(run, lease(nowMs), released(run, trigger, nowMs));
        if (mine) taken.push(mine);
      }
      count += taken.length;
      if (taken.length > 0) turns.push(underWay.beginTogether(taken));
    }
    await Promise.all(turns);
    return count;
  }

  return { abandoned, retries, waiting, deliveries, cycle };
}

/**
 * What changes on a run that has waited: what it waited for is over, and must neither be told to
 * the agent nor stay in the ledger as if it still held.
 */
function released(
  run: TriggerRun,
  trigger: TriggerConfig | null,
  nowMs: number,
): Record<string, unknown> {
  const asked = run.cause === 'manual' || trigger === null;
  const reason = asked ? undefined : lateNote(trigger, run.scheduledForMs, nowMs);
  return { startedAt: nowMs, reason: reason ?? null };
}
