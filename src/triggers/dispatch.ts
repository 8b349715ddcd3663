/**
 * From due tasks to ledger rows: reads what is due, plans it, inserts the rows in one statement, then
 * brings the tasks in line. Being told twice, by overlapping ticks or by two processes, is harmless: the
 * second insert finds the row there. The host's tick is never held: its calls only leave a note.
 */
import type { IAgentRuntime, Task, TaskWorker } from '@elizaos/core';
import { type Clock, HOUR_MS, isTimeAgain, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { yieldToLoop } from '../shared/yield.js';
import type { Allowance } from './budget.js';
import type { Ledger } from './ledger.js';
import { heatOf, planDue, runLine, runsAgain, wakesWithCycle } from './plan.js';
import { createTakeUp, createUpkeep, type ReconcileDeps } from './reconcile.js';
import { type NewRun, runIdOf } from './run-history.js';
import { createUnderWay, type Runner } from './runs.js';
import { nextRunAfter, parseIso } from './schedule.js';
import type { Schedule, TriggerConfig, TriggerRun } from './schema.js';
import { DUE_BATCH, rowAfter, type TaskWrite } from './store.js';
import {
  decodeTrigger,
  INVALID_TAG,
  originOf,
  scheduleOf,
  TRIGGER_TASK_NAME,
  type TriggerTaskRow,
} from './task-codec.js';

/** A task the host has just called us for, with the time its snapshot says it was due. */
export interface Named {
  taskId: string;
  dueAtMs: number;
}

interface DueTrigger {
  row: TriggerTaskRow;
  trigger: TriggerConfig;
}

/**
 * Claims what is due and returns the runs that are now ours to carry out; `more` when not all of
 * what is due fitted into this pass.
 */
export async function claimDue(
  deps: ReconcileDeps,
  named: Named[],
): Promise<{ runs: TriggerRun[]; more: boolean }> {
  const nowMs = deps.clock.now();
  const rows = await deps.store.dueOrNamed(
    nowMs,
    named.map((one) => one.taskId),
  );
  const hints = new Map(named.map((one) => [one.taskId, one.dueAtMs]));
  const triggers = await readable(deps, rows, hints, nowMs);
  const more = rows.length >= DUE_BATCH;
  const found = new Set(rows.map((row) => row.id));
  const missing = [...hints.keys()].filter((id) => !found.has(id));
  await moveOn(deps, await deps.store.strays(DUE_BATCH, missing));
  if (triggers.length === 0) return { runs: [], more };

  return await claimThese(deps, triggers, nowMs, more);
}

async function claimThese(
  deps: ReconcileDeps,
  triggers: readonly DueTrigger[],
  nowMs: number,
  more: boolean,
): Promise<{ runs: TriggerRun[]; more: boolean }> {
  const open = await deps.ledger.openCounts(triggers.map(({ trigger }) => trigger.triggerId));
  const claimedUntil = await deps.ledger.claimedUntil(
    triggers.flatMap(({ trigger: { triggerId, nextRunAtMs } }) =>
      typeof nextRunAtMs === 'number' ? [{ triggerId, dueAtMs: nextRunAtMs }] : [],
    ),
    nowMs,
  );
  const blocked = await deps.autonomy.unavailable();
  const cycleReason = await deps.autonomy.cycleReason();
  const allowance = await deps.budget.allowance(nowMs);

  const rowsToInsert: NewRun[] = [];
  const writes: TaskWrite[] = [];
  const exhausted: TriggerTaskRow[] = [];
  for (const { row, trigger } of triggers) {
    const endedRuns =
      trigger.maxRuns === undefined ? 0 : await deps.ledger.endedCount(trigger.triggerId);
    const claimedUntilMs = claimedUntil.get(trigger.triggerId);
    const plan = planDue(trigger, nowMs, {
      openRuns: open.get(trigger.triggerId) ?? 0,
      endedRuns,
      away: deps.away,
      ...(claimedUntilMs === undefined ? {} : { claimedUntilMs }),
    });
    const base = (scheduledForMs: number): TriggerRun => ({
      version: 1,
      triggerRunId: runIdOf(trigger.triggerId, scheduledForMs),
      triggerId: trigger.triggerId,
      taskId: row.id,
      scheduledForMs,
      cause: row.tags.includes('immediate') ? 'immediate' : 'schedule',
      status: 'running',
      open: true,
      attempt: 1,
      startedAt: nowMs,
      ...originOf(trigger),
    });
    for (const one of plan.skip) {
      const run: TriggerRun = {
        ...base(one.scheduledForMs),
        status: 'skipped',
        open: false,
        finishedAt: nowMs,
        reason: one.reason,
        ...(one.missedCount === undefined ? {} : { missedCount: one.missedCount }),
        ...(one.missedUntilMs === undefined ? {} : { missedUntilMs: one.missedUntilMs }),
      };
      rowsToInsert.push({ run, text: runLine(trigger.displayName, 'skipped', one.reason) });
    }
    for (const one of plan.run) {
      const claimed = base(one.scheduledForMs);
      const waits = waiting(trigger, claimed, { blocked, cycleReason, allowance });
      const note = [one.reason, waits?.reason].filter((part) => part !== undefined).join('; ');
      const run: TriggerRun = {
        ...claimed,
        ...(note === '' ? {} : { reason: note }),
        ...(waits
          ? { status: 'deferred' as const, waitsFor: waits.waitsFor }
          : {
              leaseOwner: deps.owner,
              leaseToken: deps.ids.next(),
              leaseUntilMs: nowMs + deps.ledger.leaseMs,
            }),
      };
      rowsToInsert.push({ run, text: runLine(trigger.displayName, run.status, run.reason) });
    }
    const heat = heatOf(trigger, plan.nextRunAtMs, {
      nowMs,
      hotWindowMs: deps.hotWindowMs(),
      tags: row.tags,
    });
    const changed: Record<string, unknown> = { nextRunAtMs: plan.nextRunAtMs };
    if (trigger.anchorMs !== undefined) changed.anchorMs = trigger.anchorMs;
    writes.push({
      id: row.id,
      trigger: changed,
      schedule: heat.schedule,
      tags: heat.tags,
      seenRevision: trigger.revision ?? 0,
    });
    deps.expectations.amend(row.id, changed);
    if (plan.nextRunAtMs === null || (trigger.maxRuns ?? Infinity) <= endedRuns) {
      const runCount = Math.max(trigger.runCount, endedRuns);
      exhausted.push({
        ...row,
        tags: heat.tags,
        metadata: {
          ...row.metadata,
          trigger: { ...trigger, runCount, nextRunAtMs: plan.nextRunAtMs },
        },
      });
    }
  }

  const schedules = new Map(
    triggers.map(({ trigger }) => [trigger.triggerId, scheduleOf(trigger)] as const),
  );
  let runs: TriggerRun[] = [];
  try {
    runs = (await insertRows(deps.ledger, rowsToInsert, schedules)).filter(
      (run) => run.status === 'running',
    );
  } finally {
    const ours = new Set(runs.map((run) => run.triggerRunId));
    for (const { run } of rowsToInsert) {
      if (!ours.has(run.triggerRunId)) deps.budget.letGo(run.triggerRunId);
    }
  }
  try {
    await deps.store.write(writes);
    // A one-shot whose row was there already has been run by an earlier call: if that run has
    // ended, nothing else would come by to remove it.
    for (const row of exhausted) await deps.settler.finishIfExhausted(row);
  } catch (error) {
    // What is claimed must run; the next tick meets the rows and writes the tasks again.
    deps.log.error({ error: messageOf(error) }, 'claimed, but the tasks could not be updated');
    return { runs, more: false };
  }
  return { runs, more };
}

/**
 * Inserts the rows that are new and returns their runs, which are ours. An occurrence that runs again
 * after the clock was set back gets a row of its own beside that of before, whose id makes its id: every
 * process finds the same one.
 */
async function insertRows(
  ledger: Ledger,
  rows: readonly NewRun[],
  schedules: ReadonlyMap<string, Schedule>,
): Promise<TriggerRun[]> {
  const ours: TriggerRun[] = [];
  let tried = [...rows];
  while (tried.length > 0) {
    const inserted = await ledger.claim(tried);
    const isNew = ({ run }: NewRun) => inserted.has(run.triggerRunId as Uuid);
    ours.push(...tried.filter(isNew).map(({ run }) => run));
    const there = new Map(
      tried.filter((one) => !isNew(one)).map((one) => [one.run.triggerRunId, one]),
    );
    tried = [];
    for (const earlier of await ledger.getMany([...there.keys()])) {
      const { triggerRunId, triggerId, scheduledForMs } = earlier;
      const one = there.get(triggerRunId);
      const schedule = schedules.get(triggerId);
      if (!one || !schedule || !runsAgain(schedule, earlier)) continue;
      const id = runIdOf(triggerId, scheduledForMs, triggerRunId);
      tried.push({ ...one, run: { ...one.run, triggerRunId: id } });
    }
  }
  return ours;
}

/**
 * Brings tasks in line that have been claimed but carry the old time again: the host writes it back
 * on every task of a tick, also on those that an earlier one of the same tick, or another process,
 * has claimed meanwhile. The ledger knows; what it does not know stays as it is.
 */
export async function moveOn(deps: ReconcileDeps, strays: TriggerTaskRow[]): Promise<void> {
  const nowMs = deps.clock.now();
  const claimedAs = new Map<string, { row: TriggerTaskRow; trigger: TriggerConfig }>();
  for (const row of strays) {
    const decoded = decodeTrigger(row.metadata);
    if (!decoded.ok || typeof decoded.trigger.nextRunAtMs !== 'number') continue;
    const { trigger } = decoded;
    claimedAs.set(runIdOf(trigger.triggerId, decoded.trigger.nextRunAtMs), { row, trigger });
  }
  for (const run of await deps.ledger.getMany([...claimedAs.keys()])) {
    const known = claimedAs.get(run.triggerRunId);
    if (!known) continue;
    const { row, trigger } = known;
    // What has come due since has no row yet: it is claimed, or counted as missed, when it is in line.
    const untilMs = Math.min(nowMs, run.missedUntilMs ?? run.scheduledForMs);
    const nextRunAtMs =
      trigger.triggerType === 'once' ? null : nextRunAfter(scheduleOf(trigger), untilMs);
    const heat = heatOf(trigger, nextRunAtMs, {
      nowMs,
      hotWindowMs: deps.hotWindowMs(),
      tags: row.tags,
    });
    const write: TaskWrite = { id: row.id, trigger: { nextRunAtMs }, ...heat };
    await deps.store.write([{ ...write, seenRevision: trigger.revision ?? 0 }]);
    if (nextRunAtMs === null)
      await deps.settler.finishIfExhausted(rowAfter(row, write.trigger ?? {}));
    await yieldToLoop();
  }
}

/** What a run that is due waits for, and why; `null`: nothing. */
function waiting(
  trigger: TriggerConfig,
  run: TriggerRun,
  now: { blocked: string | null; cycleReason: string; allowance: Allowance },
): { waitsFor: 'autonomy' | 'budget' | 'cycle'; reason: string } | null {
  if (now.blocked !== null) return { waitsFor: 'autonomy', reason: now.blocked };
  if (wakesWithCycle(trigger, run)) return { waitsFor: 'cycle', reason: now.cycleReason };
  const reason = now.allowance.hold(run.triggerRunId);
  return reason === null ? null : { waitsFor: 'budget', reason };
}

/** Decodes the rows, undoes what the host wrote back, sets damaged ones aside. */
async function readable(
  deps: ReconcileDeps,
  rows: TriggerTaskRow[],
  hints: Map<string, number>,
  nowMs: number,
): Promise<DueTrigger[]> {
  const found: DueTrigger[] = [];
  const damaged: string[] = [];
  const cold: TaskWrite[] = [];
  for (const stored of rows) {
    const repair = deps.expectations.repair(stored);
    if (repair) await deps.store.write([repair]);
    const row = repair ? rowAfter(stored, repair.trigger ?? {}) : stored;
    const decoded = decodeTrigger(row.metadata);
    if (!decoded.ok) {
      damaged.push(row.id);
      deps.log.warn({ taskId: row.id, reason: decoded.reason }, 'trigger set aside');
      continue;
    }
    const { trigger } = decoded;
    if (!trigger.enabled) {
      const heat = heatOf(trigger, null, {
        nowMs,
        hotWindowMs: deps.hotWindowMs(),
        tags: row.tags,
      });
      cold.push({ id: row.id, tags: heat.tags, seenRevision: trigger.revision ?? 0 });
      continue;
    }
    found.push({ row, trigger: withNextRun(trigger, hints.get(row.id), nowMs) });
  }
  await deps.store.retag(damaged, { add: [INVALID_TAG], remove: ['queue', INVALID_TAG] });
  await deps.store.write(cold);
  return found;
}

/**
 * A task written by somebody else in the seed's form has no `nextRunAtMs` and no anchor. The host
 * has just called it due, and its snapshot says since when; every tick and process reads the same.
 */
function withNextRun(
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

export interface DispatchDeps extends ReconcileDeps {
  pruneAttempts: (nowMs: number) => Promise<void>;
  runner: Runner;
  /** Kill switches: why nothing is dispatched, or `null`. */
  stopped: () => string | null;
  /** True when the lock on the data directory proves that every other lease holder is dead. */
  soleOwner: boolean;
}

export interface Dispatcher {
  /** Called by the worker for one due task; returns at once. */
  noteDue(named: Named): void;
  /**
   * Called at every tick of the host, many times a second: looks after the edits of this process
   * when the beat, which is one for all processes of the agent, keeps falling to another one.
   */
  watchEdits(): void;
  /** One turn of the heartbeat; overlapping calls share one. */
  heartbeat(): Promise<void>;
  /** Claims what is due now and starts it; resolves when it is claimed. */
  drain(): Promise<void>;
  /** Starts a run that was inserted by a person's request. */
  start(run: TriggerRun): Promise<void>;
  /** All instructions that wait for the autonomy loop, one turn per conversation. */
  runCycle(): Promise<number>;
  /** After the clock was set back by so much: nothing may wait for a time that was wrong. */
  clockSetBack(byMs: number): Promise<void>;
  /** First pass after start: takes over what a dead process left. */
  recover(): Promise<void>;
  /** Resolves with the run's promise if it is under way here. */
  running(triggerRunId: string): Promise<void> | null;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Strays brought in line in one pass. */
const STRAYS = 200;
/** A little longer than the time between two beats. */
const OWN_VERIFY_MS = 6 * SECOND_MS;

export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { ledger, store, clock, log } = deps;
  const underWay = createUnderWay(deps);
  const takeUp = createTakeUp(deps, underWay);
  const upkeep = createUpkeep(deps, underWay);
  let notes: Named[] = [];
  let draining: Promise<void> | null = null;
  let beating: Promise<void> | null = null;
  let verifying: Promise<void> | null = null;
  let checking: Promise<void> | null = null;
  let lastPruneMs = 0;
  let lastVerifyMs = 0;
  let lastStraysMs = 0;
  let stopping = false;
  /** Of each step of the heartbeat that fails: how often in a row. */
  const failures = new Map<string, number>();

  const isOff = () => stopping || deps.stopped() !== null;

  async function drainAll(): Promise<void> {
    let more = false;
    do {
      const named = notes;
      notes = [];
      const claimed = await claimDue(deps, named);
      for (const run of claimed.runs) void underWay.begin(run);
      more = claimed.more;
      await yieldToLoop();
      await upkeep.undoWriteBack([...new Set(named.map((one) => one.taskId))]);
    } while ((notes.length > 0 || more) && !stopping);
  }

  function drain(): Promise<void> {
    if (isOff()) return Promise.resolve();
    draining ??= drainAll()
      .catch((error: unknown) => {
        log.error(
          { error: messageOf(error) },
          'claiming due triggers failed; the next tick retries',
        );
      })
      .finally(() => {
        draining = null;
      });
    return draining;
  }

  /** A step that fails holds up no other one; the next beat tries it again. Never rejects. */
  async function step(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      failures.delete(name);
    } catch (error) {
      const inARow = (failures.get(name) ?? 0) + 1;
      failures.set(name, inARow);
      // Said at the first, second, fourth, eighth …: a step may fail at every beat for a week.
      if (Number.isInteger(Math.log2(inARow))) {
        log.error(
          { step: name, failuresInARow: inARow, error: messageOf(error) },
          'a step of the heartbeat failed; the next beat tries it again',
        );
      }
    }
    await yieldToLoop();
  }

  /** Overlapping calls share one: each edit is looked at once. */
  function verifyEdits(): Promise<void> {
    lastVerifyMs = clock.now();
    verifying ??= step('verify edits', () => upkeep.verifyEdits()).finally(() => {
      verifying = null;
    });
    return verifying;
  }

  async function finishUnplaced(): Promise<void> {
    for (const row of await store.unplaced()) {
      await deps.settler.finishIfExhausted(row);
      await yieldToLoop();
    }
  }

  async function beat(): Promise<void> {
    const nowMs = clock.now();
    await step('promote', () => store.promote(nowMs + deps.hotWindowMs(), nowMs));
    await verifyEdits();
    await step('take over', () => takeUp.abandoned(false));
    await step('retry', takeUp.retries);
    await step('start what waited', takeUp.waiting);
    await step('deliver', takeUp.deliveries);
    await step('finish', finishUnplaced);
    if (isTimeAgain(lastStraysMs, nowMs, MINUTE_MS)) {
      lastStraysMs = nowMs;
      await step('move on', async () => moveOn(deps, await store.strays(STRAYS)));
    }
    if (isTimeAgain(lastPruneMs, nowMs, HOUR_MS)) {
      lastPruneMs = nowMs;
      await step('write results', upkeep.catchUp);
      await step('prune runs', () => ledger.pruneOld(nowMs));
      await step('prune attempts', () => deps.pruneAttempts(nowMs));
      await step('tidy autonomy', () => deps.autonomy.tidy(nowMs));
      await step('tidy tasks', () => store.tidy());
    }
  }

  function heartbeat(): Promise<void> {
    if (isOff()) return Promise.resolve();
    beating ??= beat().finally(() => {
      beating = null;
    });
    return beating;
  }

  return {
    noteDue(named) {
      notes.push(named);
      void drain();
    },
    watchEdits() {
      if (stopping || beating || verifying) return;
      if (isTimeAgain(lastVerifyMs, clock.now(), OWN_VERIFY_MS)) void verifyEdits();
    },
    heartbeat,
    drain,
    start: underWay.begin,

    async runCycle() {
      return isOff() ? 0 : await takeUp.cycle();
    },

    async clockSetBack(byMs) {
      const nowMs = clock.now();
      await ledger.clockSetBack(nowMs, byMs);
      const moved = await upkeep.realign(nowMs);
      await deps.autonomy.clockSetBack();
      log.warn({ byMs, moved }, 'the clock was set back; what waits is aligned anew');
    },

    async recover() {
      await step('take over', () => takeUp.abandoned(deps.soleOwner));
      await drain();
      await heartbeat();
      checking = step('check all', () => upkeep.setDamagedAside(() => stopping)).finally(() => {
        checking = null;
      });
    },

    running: underWay.of,

    async idle() {
      while (draining || beating || verifying || checking || underWay.all().length > 0) {
        await Promise.all([draining, beating, verifying, checking, ...underWay.all()]);
      }
    },

    async stop() {
      stopping = true;
      underWay.stop();
      await Promise.all([draining, beating, verifying, checking]);
    },
  };
}

export const HEARTBEAT_TASK_NAME = 'CUE_HEARTBEAT';
/** Often enough that a retry after 30 s is on time; an idle beat costs a few milliseconds. */
export const HEARTBEAT_MS = 5 * SECOND_MS;
const HEARTBEAT_TAG = 'cue_heartbeat';
/** A step back of the clock smaller than this is jitter (NTP), not a jump. */
export const CLOCK_JUMP_MS = 5 * SECOND_MS;

export interface WorkerDeps {
  clock: Clock;
  /** Kill switches: why nothing is dispatched, or `null`. */
  stopped: () => string | null;
}

/** The task workers of one agent, and the dispatcher they lead to once it exists. */
export interface WorkerHost {
  workers: TaskWorker[];
  attach(dispatcher: Dispatcher, nowMs: number, onClockSetBack: (byMs: number) => void): void;
  detach(): void;
}

/**
 * The workers exist from `init` on, the dispatcher from the service's start. `validate` is given
 * no task by the host, only its own tick: it says whether we run at all, and it is also the one
 * place that is called every second whatever the clock does, so a clock that jumped back (after
 * which the host finds nothing due, our heartbeat included) is noticed here.
 */
export function createWorkerHost(deps: WorkerDeps): WorkerHost {
  let dispatcher: Dispatcher | null = null;
  let lastSeenMs = 0;
  let clockSetBack = (_byMs: number) => {};

  const validate = async (): Promise<boolean> => {
    const nowMs = deps.clock.now();
    const byMs = lastSeenMs - nowMs;
    lastSeenMs = nowMs;
    if (dispatcher && byMs > CLOCK_JUMP_MS) clockSetBack(byMs);
    dispatcher?.watchEdits();
    return dispatcher !== null && deps.stopped() === null;
  };

  return {
    workers: [
      {
        name: TRIGGER_TASK_NAME,
        validate,
        execute: async (_runtime, _options, task) => {
          if (task.id) dispatcher?.noteDue({ taskId: task.id, dueAtMs: snapshotDueMs(task) });
          return undefined;
        },
      },
      {
        name: HEARTBEAT_TASK_NAME,
        validate,
        execute: async () => {
          // Not awaited: the host's tick is never held.
          void dispatcher?.heartbeat();
          return undefined;
        },
      },
    ],
    attach(started, nowMs, onClockSetBack) {
      dispatcher = started;
      lastSeenMs = nowMs;
      clockSetBack = onClockSetBack;
    },
    detach() {
      dispatcher = null;
    },
  };
}

/** When the host's snapshot of the task came due; the same for every tick that holds it. */
function snapshotDueMs(task: Task): number {
  const updatedAt = Number(task.metadata?.updatedAt ?? 0);
  if (task.tags?.includes('immediate') && updatedAt === Number(task.metadata?.createdAt ?? 0)) {
    return updatedAt;
  }
  return updatedAt + Number(task.metadata?.updateInterval ?? 0);
}

/** One repeating task beats for all triggers; a stale time in it would stop the beat. */
export async function ensureHeartbeat(
  runtime: IAgentRuntime,
  nowMs: number,
): Promise<{ wasAheadMs: number }> {
  const beats = await runtime.getTasksByName(HEARTBEAT_TASK_NAME);
  const [first, ...rest] = beats.filter((task) => task.id !== undefined);
  for (const extra of rest) if (extra.id) await runtime.deleteTask(extra.id);
  const metadata = { updatedAt: nowMs, updateInterval: HEARTBEAT_MS };
  if (first?.id) {
    await runtime.updateTask(first.id, { tags: ['queue', 'repeat', HEARTBEAT_TAG], metadata });
    return { wasAheadMs: Number(first.metadata?.updatedAt ?? 0) - nowMs };
  }
  await runtime.createTask({
    name: HEARTBEAT_TASK_NAME,
    description: 'Keeps the triggers of the cue plugin going',
    worldId: runtime.agentId,
    tags: ['queue', 'repeat', HEARTBEAT_TAG],
    metadata,
  });
  return { wasAheadMs: 0 };
}
