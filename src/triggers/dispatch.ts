/**
 * From due tasks to ledger rows: reads what is due, plans it, inserts the rows in one statement, then
 * brings the tasks in line. Being told twice, by overlapping ticks or by two processes, is harmless: the
 * second insert finds the row there. The host's tick is never held: its calls only leave a note.
 */
import type { IAgentRuntime, Task, TaskWorker } from '@elizaos/core';
import { yieldToLoop } from '../shared/async.js';
import { type Clock, HOUR_MS, intervalElapsed, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { DueTimer } from './due-timer.js';
import type { Ledger } from './ledger.js';
import type { Parts } from './parts.js';
import { askedOf, newRun, planDue, runsAgain, wakesWithCycle, withNextRun } from './plan.js';
import type { Reconciler, WaitingRuns, WriteBackGuard } from './reconcile.js';
import { type NewRun, runIdOf } from './run-history.js';
import type { ClaimedRun, Runs } from './runs.js';
import type { TriggerConfig, TriggerRun } from './schema.js';
import { DUE_BATCH, rowAfter, type TaskWrite } from './store.js';
import { decodeTrigger, scheduleOf, TRIGGER_TASK_NAME, type TriggerTaskRow } from './task-codec.js';

export interface DispatchDeps extends Parts {
  guard: WriteBackGuard;
  reconciler: Reconciler;
  waiting: WaitingRuns;
  runs: Runs;
  dueTimer: DueTimer;
  /** Lets the host's TaskService look for due tasks now and not at its next tick. */
  hostTick: () => Promise<void>;
  /** Between the last beat of before and this start no process was there. */
  away: { fromMs: number; untilMs: number };
  /** True when the lock on the data directory proves that every other lease holder is dead. */
  soleOwner: boolean;
}

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
 * Claims what is due and returns the runs that are now ours to carry out, in the order of their time;
 * `more` when not all of what is due at `nowMs` fitted into this pass.
 */
async function claimDue(
  deps: DispatchDeps,
  named: Named[],
): Promise<{ claimed: ClaimedRun[]; more: boolean; nowMs: number }> {
  const nowMs = deps.clock.now();
  const hints = new Map(named.map((one) => [one.taskId, one.dueAtMs]));
  const rows = await deps.store.dueOrNamed(nowMs, [...hints.keys()]);
  const triggers = await readable(deps, rows, hints, nowMs);
  const more = rows.length >= DUE_BATCH;
  const found = new Set(rows.map((row) => row.id));
  const missing = [...hints.keys()].filter((id) => !found.has(id));
  await deps.reconciler.rescheduleClaimed(await deps.store.desyncedTasks(DUE_BATCH, missing));
  if (triggers.length === 0) return { claimed: [], more, nowMs };

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
  /** What a run that is due waits for, and why; `null`: nothing. */
  function waitFor(trigger: TriggerConfig, cause: TriggerRun['cause']) {
    if (blocked !== null) return { waitsFor: 'autonomy', reason: blocked } as const;
    if (wakesWithCycle(trigger, { cause })) {
      return { waitsFor: 'cycle', reason: cycleReason } as const;
    }
    if (allowance.left === 0) return { waitsFor: 'budget', reason: allowance.reason } as const;
    allowance.left -= 1;
    return null;
  }

  const inserts: NewRun[] = [];
  const writes: TaskWrite[] = [];
  const exhausted: TriggerTaskRow[] = [];
  /** Each with its next time: what fails is tried again before that. */
  const planned = new Map<string, TriggerConfig>();
  for (const { row, trigger } of triggers) {
    const { triggerId, maxRuns } = trigger;
    const endedRuns = maxRuns === undefined ? 0 : await endedRunsOf(deps.ledger, trigger);
    const { run, skip, nextRunAtMs } = planDue(trigger, nowMs, {
      openRuns: open.get(triggerId) ?? 0,
      endedRuns,
      away: deps.away,
      claimedUntilMs: claimedUntil.get(triggerId),
    });
    const base = {
      taskId: row.id,
      cause: row.tags.includes('immediate') ? 'immediate' : 'schedule',
      startedAt: nowMs,
    } as const;
    for (const one of skip) {
      const triggerRunId = runIdOf(triggerId, one.scheduledForMs);
      const ended = { status: 'skipped', open: false, finishedAt: nowMs } as const;
      inserts.push(newRun(trigger, { ...one, ...base, triggerRunId, ...ended }));
    }
    for (const { scheduledForMs, reason: late } of run) {
      const triggerRunId = runIdOf(triggerId, scheduledForMs);
      const waits = waitFor(trigger, base.cause);
      const reason = [late, waits?.reason].filter(Boolean).join('; ') || undefined;
      const claim = waits
        ? ({ status: 'deferred', waitsFor: waits.waitsFor } as const)
        : ({
            status: 'running',
            ...deps.ledger.lease(deps.owner, deps.ids.next(), nowMs),
          } as const);
      const due = { ...base, triggerRunId, scheduledForMs, open: true, reason };
      inserts.push(newRun(trigger, { ...due, ...claim }));
    }
    const { anchorMs } = trigger;
    const changed = { nextRunAtMs, ...(anchorMs === undefined ? {} : { anchorMs }) };
    const placement = deps.reconciler.place(trigger, row.tags, { nextRunAtMs });
    const seenRevision = trigger.revision ?? 0;
    writes.push({ id: row.id, trigger: changed, ...placement, seenRevision });
    deps.guard.amend(row.id, changed);
    planned.set(triggerId, { ...trigger, ...changed });
    if (nextRunAtMs === null || (maxRuns ?? Infinity) <= endedRuns) {
      const runCount = Math.max(trigger.runCount, endedRuns);
      exhausted.push(rowAfter(row, { ...trigger, nextRunAtMs, runCount }));
    }
  }

  const byId = new Map(triggers.map(({ trigger }) => [trigger.triggerId, trigger] as const));
  const inserted = await insertRows(deps.ledger, inserts, byId);
  const ours = inserted.filter((run) => run.status === 'running');
  const claimed = ours.map((run) => ({ run, trigger: planned.get(run.triggerId) ?? null }));
  try {
    await deps.store.write(writes);
    // A one-shot whose row was there already has been run by an earlier call. If that run has ended,
    // only this call can remove the trigger.
    for (const row of exhausted) await deps.reconciler.finishIfExhausted(row);
  } catch (error) {
    // What is claimed must run; the next tick meets the rows and writes the tasks again.
    deps.log.error({ error: messageOf(error) }, 'claimed, but the tasks could not be updated');
    return { claimed, more: false, nowMs };
  }
  return { claimed, more, nowMs };
}

async function endedRunsOf(ledger: Ledger, trigger: TriggerConfig): Promise<number> {
  return (await ledger.resultsOf([askedOf(trigger)])).get(trigger.triggerId)?.runCount ?? 0;
}

/**
 * Inserts the rows that are new and returns their runs, which are ours. An occurrence that runs again
 * after the clock was set back gets a row of its own beside that of before, whose id makes its id: every
 * process finds the same one.
 */
async function insertRows(
  ledger: Ledger,
  rows: readonly NewRun[],
  triggers: ReadonlyMap<string, TriggerConfig>,
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
      const trigger = triggers.get(triggerId);
      if (!one || !trigger || !runsAgain(scheduleOf(trigger), earlier)) continue;
      const id = runIdOf(triggerId, scheduledForMs, triggerRunId);
      tried.push({ ...one, run: { ...one.run, triggerRunId: id } });
    }
  }
  return ours;
}

/** Decodes the rows, undoes what the host wrote back, sets damaged ones aside. */
async function readable(
  deps: DispatchDeps,
  rows: TriggerTaskRow[],
  hints: Map<string, number>,
  nowMs: number,
): Promise<DueTrigger[]> {
  const found: DueTrigger[] = [];
  const damaged: { taskId: string; reason: string }[] = [];
  const disabled: TaskWrite[] = [];
  for (const stored of rows) {
    const repair = deps.guard.repair(stored);
    if (repair) await deps.store.write([repair]);
    const row = repair ? rowAfter(stored, repair.trigger ?? {}) : stored;
    const decoded = decodeTrigger(row.metadata);
    if (!decoded.ok) {
      damaged.push({ taskId: row.id, reason: decoded.reason });
      continue;
    }
    const { trigger } = decoded;
    if (trigger.enabled) {
      found.push({ row, trigger: withNextRun(trigger, hints.get(row.id), nowMs) });
    } else {
      const { tags } = deps.reconciler.place(trigger, row.tags);
      disabled.push({ id: row.id, tags, seenRevision: trigger.revision ?? 0 });
    }
  }
  await deps.reconciler.setAside(damaged);
  await deps.store.write(disabled);
  return found;
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

/** Desynced tasks rescheduled in one pass. */
const DESYNCED = 200;
/** A little longer than the time between two beats. */
const OWN_VERIFY_MS = 6 * SECOND_MS;

/** Called by the TaskService for due triggers and by the heartbeat for everything that waits. */
export function createDispatcher(deps: DispatchDeps) {
  const { ledger, store, clock, log, reconciler, waiting, runs } = deps;
  let notes: Named[] = [];
  /** The timer has fired since the last look at what is due. */
  let hasFired = false;
  /** What is under way now, by name; overlapping calls share it. */
  const working = new Map<string, Promise<void>>();
  /** When what is done every so often was last begun. */
  const lastMs = new Map<string, number>();
  let stopping = false;
  /** Of each step of the heartbeat that fails: how often in a row. */
  const failures = new Map<string, number>();

  const isOff = () => stopping || deps.stopped() !== null;

  function single(name: string, work: () => Promise<void>): Promise<void> {
    const under = working.get(name) ?? work().finally(() => void working.delete(name));
    working.set(name, under);
    return under;
  }

  /** Whether it is time again for `name`, which is taken to begin now if it is. */
  function isDue(name: string, everyMs: number): boolean {
    const nowMs = clock.now();
    if (!intervalElapsed(lastMs.get(name) ?? 0, nowMs, everyMs)) return false;
    lastMs.set(name, nowMs);
    return true;
  }

  async function drainAll(): Promise<void> {
    let more = false;
    do {
      const named = notes;
      notes = [];
      hasFired = false;
      const due = await claimDue(deps, named);
      for (const run of due.claimed) void runs.start([run]);
      more = due.more;
      await yieldToLoop();
      await reconciler.undoWriteBack([...new Set(named.map((one) => one.taskId))]);
      // Within the loop: what comes due meanwhile is looked for in the next turn.
      if (await rearm(due.nowMs)) hasFired = true;
    } while ((notes.length > 0 || more || hasFired) && !stopping);
  }

  /**
   * For what is due after `afterMs`: what other processes have written, and what came into the queue, is
   * in the table alone. Whether it has come due since.
   */
  async function rearm(afterMs: number): Promise<boolean> {
    const dueMs = await store.nextDue(afterMs);
    deps.dueTimer.at(dueMs);
    return dueMs !== null && dueMs <= clock.now();
  }

  async function dueNow(): Promise<void> {
    hasFired = true;
    await step('ask the host for due tasks', deps.hostTick);
    await drain();
  }

  function drain(): Promise<void> {
    if (isOff()) return Promise.resolve();
    return single('drain', () =>
      drainAll().catch((error: unknown) => {
        const message = 'claiming due triggers failed; the next tick retries';
        log.error({ error: messageOf(error) }, message);
      }),
    );
  }

  /** A step that fails holds up no other one; the next beat tries it again. Never rejects. */
  async function step(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      failures.delete(name);
    } catch (error) {
      const failuresInARow = (failures.get(name) ?? 0) + 1;
      failures.set(name, failuresInARow);
      // Said at the first, second, fourth, eighth …: a step may fail at every beat for a week.
      if (Number.isInteger(Math.log2(failuresInARow))) {
        log.error(
          { step: name, failuresInARow, error: messageOf(error) },
          'a step of the heartbeat failed; the next beat tries it again',
        );
      }
    }
    await yieldToLoop();
  }

  function verifyEdits(): Promise<void> {
    lastMs.set('verify', clock.now());
    return single('verify', () => step('verify edits', reconciler.verifyEdits));
  }

  async function finishUnscheduled(): Promise<void> {
    for (const row of await store.unscheduledTasks()) {
      await reconciler.finishIfExhausted(row);
      await yieldToLoop();
    }
  }

  async function beat(): Promise<void> {
    const nowMs = clock.now();
    await step('promote', () => store.promote(nowMs + deps.settings().hotWindowMs, nowMs));
    await step('arm the timer', () => rearm(nowMs));
    await verifyEdits();
    await step('take over', () => waiting.abandoned(false));
    await step('retry', waiting.retries);
    await step('start what waited', waiting.deferred);
    await step('deliver', waiting.deliveries);
    await step('finish', finishUnscheduled);
    if (isDue('reschedule', MINUTE_MS)) {
      await step('reschedule claimed', async () =>
        reconciler.rescheduleClaimed(await store.desyncedTasks(DESYNCED)),
      );
    }
    if (isDue('prune', HOUR_MS)) {
      await step('write results', () => reconciler.catchUp((id) => runs.inFlight(id) !== null));
      await step('prune runs', () => ledger.pruneOld(nowMs));
      await step('prune attempts', () => deps.budget.prune(nowMs));
      await step('tidy autonomy', () => deps.autonomy.tidy(nowMs));
      await step('tidy tasks', () => store.tidy());
    }
  }

  function heartbeat(): Promise<void> {
    return isOff() ? Promise.resolve() : single('beat', beat);
  }

  return {
    /** Called by the worker for one due task; returns at once. */
    noteDue(named: Named): void {
      notes.push(named);
      void drain();
    },
    /**
     * Called at every tick of the host, many times a second: looks after the edits of this process
     * when the beat, which is one for all processes of the agent, keeps falling to another one.
     */
    watchEdits(): void {
      if (stopping || working.has('beat') || working.has('verify')) return;
      if (intervalElapsed(lastMs.get('verify') ?? 0, clock.now(), OWN_VERIFY_MS))
        void verifyEdits();
    },
    /** One turn of the heartbeat; overlapping calls share one. */
    heartbeat,
    /** Claims what is due now and starts it; resolves when it is claimed. */
    drain,

    /** All instructions that wait for the autonomy loop, one turn per conversation. */
    async runCycle(): Promise<number> {
      return isOff() ? 0 : await waiting.cycle();
    },

    /** After the clock was set back by so much: nothing may wait for a time that was wrong. */
    async clockSetBack(byMs: number): Promise<void> {
      const nowMs = clock.now();
      await ledger.clockSetBack(nowMs, byMs);
      const moved = await reconciler.realign(nowMs);
      await deps.autonomy.clockSetBack();
      log.warn({ byMs, moved }, 'the clock was set back; what waits is aligned anew');
    },

    /** First pass after start: takes over what a dead process left. */
    async recover(): Promise<void> {
      deps.dueTimer.start(() => void dueNow());
      await step('take over', () => waiting.abandoned(deps.soleOwner));
      await drain();
      await heartbeat();
      void single('check', () =>
        step('check all', () => reconciler.setDamagedAside(() => stopping)),
      );
    },

    /** Resolves when nothing is in flight. */
    async idle(): Promise<void> {
      while (working.size > 0 || runs.all().length > 0) {
        await Promise.all([...working.values(), ...runs.all()]);
      }
    },

    async stop(): Promise<void> {
      stopping = true;
      deps.dueTimer.stop();
      runs.stop();
      await Promise.all(working.values());
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
