/**
 * The dispatcher: called by the TaskService for due triggers and by the heartbeat for everything
 * that waits. The host's tick is never held: its calls only leave a note and return.
 */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import { isUuid } from '../shared/ids.js';
import { yieldToLoop } from '../shared/yield.js';
import { type ClaimDeps, claimDue, moveOn, type Named } from './claim.js';
import { lateNote } from './due.js';
import { heatOf } from './projection.js';
import { type Runner, SENDING_MS } from './run.js';
import { nextRunAfter } from './schedule.js';
import type { TriggerConfig, TriggerRun } from './schema.js';
import { decodeTrigger, INVALID_TAG, scheduleOf } from './task-codec.js';
import type { TaskWrite } from './task-store.js';

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
  /** After a clock that jumped back: nothing may wait for a time that was wrong. */
  realign(): Promise<number>;
  /** First pass after start: takes over what a dead process left. */
  recover(): Promise<void>;
  /** Resolves with the run's promise if it is under way here. */
  running(triggerRunId: string): Promise<void> | null;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const BLOCK = 200;
/** A little longer than the time between two beats. */
const OWN_VERIFY_MS = 6 * SECOND_MS;

export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { ledger, store, clock, log } = deps;
  const inFlight = new Map<string, Promise<void>>();
  let notes: Named[] = [];
  let draining: Promise<void> | null = null;
  let beating: Promise<void> | null = null;
  let verifying: Promise<void> | null = null;
  let checking: Promise<void> | null = null;
  let renewTimer: NodeJS.Timeout | null = null;
  let lastPruneMs = 0;
  let lastVerifyMs = 0;
  let lastStraysMs = 0;
  let stopping = false;

  function begin(run: TriggerRun): Promise<void> {
    const work = deps.runner
      .execute(run)
      .catch((error: unknown) => {
        // The lease runs out and the run is taken over; nothing is lost, but somebody should look.
        log.error(
          { triggerRunId: run.triggerRunId, triggerId: run.triggerId, error: messageOf(error) },
          'run could not be recorded',
        );
      })
      .finally(() => {
        inFlight.delete(run.triggerRunId);
        if (inFlight.size === 0) stopRenewing();
      });
    inFlight.set(run.triggerRunId, work);
    keepRenewing();
    return work;
  }

  function keepRenewing(): void {
    renewTimer ??= setTimeout(renew, ledger.leaseMs / 3).unref();
  }

  function renew(): void {
    const timer = renewTimer;
    const ids = [...inFlight.keys()].filter(isUuid);
    ledger
      .renew(deps.owner, ids, clock.now())
      .then(
        () => ledger.leaseMs / 3,
        (error: unknown) => {
          log.error({ error: messageOf(error) }, 'leases could not be renewed');
          // Again soon: there is time for several tries before they run out.
          return ledger.leaseMs / 15;
        },
      )
      .then((waitMs) => {
        // Stopped meanwhile, and perhaps begun anew.
        if (renewTimer === timer) renewTimer = setTimeout(renew, waitMs).unref();
      })
      .catch(() => {});
  }

  function stopRenewing(): void {
    if (renewTimer !== null) clearTimeout(renewTimer);
    renewTimer = null;
  }

  async function drainAll(): Promise<void> {
    let more = false;
    do {
      const named = notes;
      notes = [];
      const claimed = await claimDue(deps, named);
      for (const run of claimed.runs) void begin(run);
      more = claimed.more;
      await yieldToLoop();
    } while ((notes.length > 0 || more) && !stopping);
  }

  function drain(): Promise<void> {
    if (stopping || deps.stopped() !== null) return Promise.resolve();
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

  async function take(seen: TriggerRun, patch: Record<string, unknown>): Promise<boolean> {
    if (inFlight.has(seen.triggerRunId)) return false;
    const run = await ledger.take(
      seen,
      { owner: deps.owner, token: deps.ids.next(), nowMs: clock.now() },
      patch,
    );
    if (run) void begin(run);
    return run !== null;
  }

  async function takeAbandoned(allOthers: boolean): Promise<void> {
    for (const { run } of await ledger.abandoned(clock.now(), deps.owner, allOthers)) {
      const taken = await take(run, { takeovers: (run.takeovers ?? 0) + 1 });
      if (taken) log.info({ triggerRunId: run.triggerRunId }, 'run of a dead process taken over');
      await yieldToLoop();
    }
  }

  async function releaseWaiting(): Promise<void> {
    const nowMs = clock.now();
    const allowance = await deps.budget.allowance(nowMs);
    let left = allowance.left;
    for (const { run } of await ledger.retriesDue(nowMs)) {
      if (left <= 0) break;
      if (await take(run, { attempt: run.attempt + 1, startedAt: nowMs, finishedAt: null }))
        left -= 1;
      await yieldToLoop();
    }
    if (deps.autonomy.unavailable() !== null) return;
    for (const waitsFor of ['autonomy', 'budget'] as const) {
      if (left <= 0) return;
      for (const { run } of await ledger.deferred(waitsFor, BLOCK)) {
        if (left <= 0) return;
        if (await take(run, released(run, await triggerOf(run), nowMs))) {
          left -= 1;
          deps.budget.spend(1);
        }
        await yieldToLoop();
      }
    }
  }

  async function triggerOf(run: TriggerRun): Promise<TriggerConfig | null> {
    const row = await store.byId(run.taskId);
    const decoded = row ? decodeTrigger(row.metadata) : null;
    return decoded?.ok ? decoded.trigger : null;
  }

  /**
   * A damaged trigger whose time cannot be read, or lies far ahead, never falls due: without this
   * health would count it among those that rest.
   */
  async function setDamagedAside(): Promise<void> {
    for await (const page of store.all()) {
      if (stopping) return;
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

  async function deliverWaiting(): Promise<void> {
    const nowMs = clock.now();
    const heldToo = deps.autonomy.resendsUnknown();
    for (const { run } of await ledger.deliveriesDue(nowMs, heldToo)) {
      const id = `${run.triggerRunId}:delivery`;
      if (inFlight.has(id)) continue;
      // Taken first, so that a second process does not send the same answer.
      const mine = await ledger.takeDelivery(run, deps.ids.next(), nowMs + SENDING_MS);
      if (!mine) continue;
      const work = deps.runner
        .redeliver(mine)
        .catch((error: unknown) => {
          log.error(
            { triggerRunId: run.triggerRunId, error: messageOf(error) },
            'delivery broke off',
          );
        })
        .finally(() => inFlight.delete(id));
      inFlight.set(id, work);
    }
  }

  async function verifyEdits(): Promise<void> {
    lastVerifyMs = clock.now();
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
    const heat = heatOf(decoded.trigger, decoded.trigger.nextRunAtMs ?? null, {
      nowMs: clock.now(),
      hotWindowMs: deps.hotWindowMs(),
      tags: row.tags,
    });
    await store.write([{ id: row.id, schedule: heat.schedule, tags: heat.tags }]);
  }

  async function beat(): Promise<void> {
    const nowMs = clock.now();
    await store.promote(nowMs + deps.hotWindowMs(), nowMs);
    await yieldToLoop();
    await verifyEdits();
    await takeAbandoned(false);
    await releaseWaiting();
    await deliverWaiting();
    for (const row of await store.unplaced()) {
      await deps.settler.finishIfExhausted(row);
      await yieldToLoop();
    }
    if (nowMs - lastStraysMs >= MINUTE_MS) {
      lastStraysMs = nowMs;
      await moveOn(deps, await store.strays(BLOCK));
    }
    if (nowMs - lastPruneMs >= HOUR_MS) {
      lastPruneMs = nowMs;
      await catchUp();
      await ledger.pruneOld(nowMs);
      await deps.autonomy.tidy(nowMs);
      await yieldToLoop();
      await store.tidy();
    }
  }

  /** What a process ended but did not live to write on the task. */
  async function catchUp(): Promise<void> {
    const seen = new Set<string>();
    for (const { run } of await ledger.newestEnded(BLOCK)) {
      // One that is under way here is about to be written down by its own run.
      if (seen.has(run.triggerId) || inFlight.has(run.triggerRunId)) continue;
      seen.add(run.triggerId);
      if (await deps.settler.catchUp(run)) {
        log.info({ triggerRunId: run.triggerRunId }, 'result of a dead process written down');
      }
      await yieldToLoop();
    }
  }

  function heartbeat(): Promise<void> {
    if (stopping || deps.stopped() !== null) return Promise.resolve();
    beating ??= beat()
      .catch((error: unknown) => {
        log.error({ error: messageOf(error) }, 'heartbeat failed; the next one retries');
      })
      .finally(() => {
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
      const sinceMs = clock.now() - lastVerifyMs;
      if (stopping || beating || verifying || (sinceMs >= 0 && sinceMs < OWN_VERIFY_MS)) return;
      verifying = verifyEdits()
        .catch((error: unknown) => {
          log.error({ error: messageOf(error) }, 'edits not verified; a later tick retries');
        })
        .finally(() => {
          verifying = null;
        });
    },
    heartbeat,
    drain,
    start: (run) => begin(run),

    async runCycle() {
      if (stopping || deps.stopped() !== null) return 0;
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
      for (const waiting of groups.values()) {
        const taken: TriggerRun[] = [];
        for (const { run, trigger } of waiting) {
          const nowMs = clock.now();
          const mine = await ledger.take(
            run,
            { owner: deps.owner, token: deps.ids.next(), nowMs },
            released(run, trigger, nowMs),
          );
          if (mine) taken.push(mine);
        }
        count += taken.length;
        if (taken.length === 0) continue;
        const turn = deps.runner.executeTogether(taken).finally(() => {
          for (const run of taken) inFlight.delete(run.triggerRunId);
          if (inFlight.size === 0) stopRenewing();
        });
        for (const run of taken) inFlight.set(run.triggerRunId, turn);
        keepRenewing();
        turns.push(turn);
      }
      await Promise.all(turns);
      return count;
    },

    async realign() {
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
          const heat = heatOf(trigger, wanted, {
            nowMs,
            hotWindowMs: deps.hotWindowMs(),
            tags: row.tags,
          });
          writes.push({
            id: row.id,
            trigger: { nextRunAtMs: wanted },
            schedule: heat.schedule,
            tags: heat.tags,
          });
        }
        await store.write(writes);
      }
      log.warn({ moved }, 'the clock jumped back; triggers aligned anew');
      return moved;
    },

    async recover() {
      await takeAbandoned(deps.soleOwner);
      await drain();
      await heartbeat();
      checking = setDamagedAside()
        .catch((error: unknown) => {
          log.error({ error: messageOf(error) }, 'the triggers could not all be checked');
        })
        .finally(() => {
          checking = null;
        });
    },

    running: (triggerRunId) => inFlight.get(triggerRunId) ?? null,

    async idle() {
      while (draining || beating || verifying || checking || inFlight.size > 0) {
        await Promise.all([draining, beating, verifying, checking, ...inFlight.values()]);
      }
    },

    async stop() {
      stopping = true;
      stopRenewing();
      await Promise.all([draining, beating, verifying, checking]);
    },
  };
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
