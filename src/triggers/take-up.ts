/**
 * Takes up what stands in the ledger and waits: runs of dead processes, retries, deferred runs, answers
 * not yet delivered. Each is taken by compare-and-set, so that two processes do not do it both.
 */
import { yieldToLoop } from '../shared/yield.js';
import type { Allowance } from './budget.js';
import type { ClaimDeps } from './claim.js';
import { lateNote } from './due.js';
import { SENDING_MS } from './ledger/index.js';
import type { TriggerConfig, TriggerRun } from './schema.js';
import { decodeTrigger } from './task-codec.js';
import type { UnderWay } from './under-way.js';

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
    ClaimDeps,
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
