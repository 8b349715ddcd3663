/**
 * The dispatcher: called by the TaskService for due triggers and by the heartbeat for everything
 * that waits. The host's tick is never held: its calls only leave a note and return.
 */
import { HOUR_MS, isTimeAgain, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import { yieldToLoop } from '../shared/yield.js';
import { type ClaimDeps, claimDue, moveOn, type Named } from './claim.js';
import type { Runner } from './run.js';
import type { TriggerRun } from './schema.js';
import { createTakeUp } from './take-up.js';
import { createUnderWay } from './under-way.js';
import { createUpkeep } from './upkeep.js';

export interface DispatchDeps extends ClaimDeps {
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
      await step('prune attempts', () => ledger.pruneAttempts(nowMs));
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
