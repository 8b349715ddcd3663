/**
 * Carries out one claimed run: begun → answered → delivered → recorded. Every step is stored
 * before the next begins and fenced by the lease, so that a process that dies at any of them is
 * continued by another one without losing or repeating what was said (DESIGN §4–5).
 */
import { messageOf } from '../shared/errors.js';
import { derivedId } from '../shared/ids.js';
import type { Budget } from './budget.js';
import { wakesWithCycle } from './due.js';
import type { AutonomyPort, InjectionResult } from './ports.js';
import { createAnswering } from './run-answer.js';
import { createDelivering } from './run-delivery.js';
import { createRunEnd, type ReadyRun, type RunEndDeps } from './run-end.js';
import { turnText } from './run-text.js';
import type { TriggerRun } from './schema.js';
import { decodeTrigger } from './task-codec.js';
import type { TaskStore } from './tasks/index.js';

/** A run that has taken its process down this often is not tried again. */
const MAX_TAKEOVERS = 5;

export interface RunnerDeps extends RunEndDeps {
  store: TaskStore;
  autonomy: AutonomyPort;
  budget: Budget;
  /** Kill switches: why nothing is dispatched, or `null`. */
  stopped: () => string | null;
}

export interface Runner {
  /**
   * Runs it to the end of this attempt. The caller holds the lease in `run.leaseToken`. One that is to
   * wake with the autonomy loop waits for its next cycle.
   */
  execute(run: TriggerRun): Promise<void>;
  /** The waiting runs of one conversation in one turn of the autonomy loop. */
  executeTogether(runs: TriggerRun[]): Promise<void>;
  /**
   * One more attempt to bring a finished run's answer where it belongs. The caller holds the ticket
   * in `run.delivery`.
   */
  redeliver(run: TriggerRun): Promise<void>;
}

export function createRunner(deps: RunnerDeps): Runner {
  const { store, ledger, autonomy, budget, clock, log } = deps;
  const { end, defer, finishFailed } = createRunEnd(deps);
  const attemptDelivery = createDelivering(deps);
  const { finishAnswered, earlierAnswer } = createAnswering({ ...deps, end, attemptDelivery });

  /** The run with its trigger as it is now; a run whose trigger is gone ends. */
  async function withTrigger(run: TriggerRun): Promise<ReadyRun | null> {
    const token = run.leaseToken;
    if (token === undefined) return null;
    const row = await store.byId(run.taskId);
    const decoded = row ? decodeTrigger(row.metadata) : null;
    if (decoded?.ok) return { run, token, trigger: decoded.trigger };
    const reason = decoded ? decoded.reason : 'the trigger was deleted before it ran';
    await end(run, token, { status: 'skipped', reason });
    return null;
  }

  /**
   * Asked when the turn has come, at the last moment before the model: which of its runs are still
   * wanted and ours. The others end here, or wait for what holds them back.
   */
  async function begin(waiting: readonly ReadyRun[], turnId: string): Promise<ReadyRun[]> {
    const wanted: ReadyRun[] = [];
    for (const { run, token } of waiting) {
      const now = await withTrigger(run);
      if (!now) continue;
      if (now.trigger.enabled || run.cause === 'manual') wanted.push(now);
      else
        await end(run, token, {
          status: 'skipped',
          reason: 'the trigger was paused before it ran',
        });
    }
    const off = wanted.length === 0 ? null : (deps.stopped() ?? (await autonomy.unavailable()));
    if (off !== null) {
      for (const one of wanted) await defer(one, 'autonomy', off);
      return [];
    }
    const ours: ReadyRun[] = [];
    for (const one of wanted) {
      const lead = (ours[0] ?? one).run.triggerRunId;
      // Noted on each before the turn begins, so that who takes one of them over does not repeat what
      // was said for all. The lease is renewed with it: the turn begins with a whole one.
      const begun = await ledger.change(one.run.triggerRunId, one.token, {
        leaseUntilMs: clock.now() + ledger.leaseMs,
        begunAtMs: clock.now(),
        ...(waiting.length > 1 ? { together: { id: turnId, lead } } : {}),
      });
      if (begun) ours.push({ ...one, run: begun });
    }
    if (ours.length === 0) return [];
    const refusal = await budget.begin(
      ours.map(({ run }) => run.triggerRunId),
      clock.now(),
      ours.some(({ run }) => run.cause === 'manual'),
    );
    if (refusal === null) return ours;
    for (const one of ours) await defer(one, 'budget', refusal);
    return [];
  }

  /** One turn of the pipeline for these runs; the first of those that begin leads, its answer is delivered. */
  async function takeTurn(waiting: readonly ReadyRun[], turnId: string): Promise<void> {
    const [first] = waiting;
    if (!first) return;
    let turn = waiting;
    let result: InjectionResult;
    try {
      result = await autonomy.inject({
        ...requestOf(first),
        triggerRunId: turnId,
        text: turnText(waiting),
        confirm: async () => {
          turn = await begin(waiting, turnId);
          return turn.length === 0 ? null : turnText(turn);
        },
      });
    } catch (error) {
      for (const one of turn) await brokenOff(one, error);
      return;
    }
    const [lead] = turn;
    for (const one of turn) {
      keepLate(one.run, result.late);
      try {
        if (result.status === 'failed') await finishFailed(one, result.error ?? 'failed');
        else if (one === lead) await finishAnswered(one, result);
        else await finishAnswered(one, result, { by: lead?.run.triggerRunId ?? turnId });
      } catch (error) {
        await brokenOff(one, error);
      }
    }
  }

  /** What could not be recorded now is so by its retry; if that cannot be either, the lease runs out. */
  async function brokenOff(ready: ReadyRun, error: unknown): Promise<void> {
    const { triggerRunId } = ready.run;
    log.error({ triggerRunId, error: messageOf(error) }, 'run broke off');
    await finishFailed(ready, messageOf(error));
  }

  function keepLate(run: TriggerRun, late: Promise<InjectionResult> | undefined): void {
    late?.then(
      (result) =>
        ledger
          .annotate(run.triggerRunId, { lateAnswer: result.text || (result.error ?? '') })
          .catch((error: unknown) =>
            log.error(
              { triggerRunId: run.triggerRunId, error: messageOf(error) },
              'late answer lost',
            ),
          ),
      (error: unknown) =>
        log.error({ triggerRunId: run.triggerRunId, error: messageOf(error) }, 'late run failed'),
    );
  }

  function requestOf({ trigger, run }: ReadyRun) {
    return {
      source: 'trigger' as const,
      triggerId: run.triggerId,
      wakeMode: trigger.wakeMode,
      displayName: trigger.displayName,
      ...(trigger.originRoomId === undefined ? {} : { originRoomId: trigger.originRoomId }),
      ...(trigger.creatorEntityId === undefined
        ? {}
        : { creatorEntityId: trigger.creatorEntityId }),
      ...(trigger.timeoutMs === undefined ? {} : { timeoutMs: trigger.timeoutMs }),
    };
  }

  return {
    async execute(run) {
      await deps.onStep?.('claimed', run.triggerRunId);
      const ready = await withTrigger(run);
      if (!ready) return;
      try {
        const earlier = await earlierAnswer(run);
        if (earlier) {
          await finishAnswered(ready, earlier.result, earlier.delivered);
          return;
        }
      } catch (error) {
        await brokenOff(ready, error);
        return;
      }
      if ((run.takeovers ?? 0) > MAX_TAKEOVERS) {
        await finishFailed(
          ready,
          `the agent's process ended ${run.takeovers} times during this run`,
          false,
        );
      } else if (wakesWithCycle(ready.trigger, run)) {
        await defer(ready, 'cycle', await autonomy.cycleReason());
      } else {
        await takeTurn([ready], run.triggerRunId);
      }
    },

    async executeTogether(runs) {
      const ready: ReadyRun[] = [];
      for (const run of runs) {
        await deps.onStep?.('claimed', run.triggerRunId);
        const one = await withTrigger(run);
        if (one) ready.push(one);
      }
      const [first] = ready;
      if (!first) return;
      const { triggerRunId } = first.run;
      const isShared = ready.length > 1;
      await takeTurn(
        ready,
        isShared ? derivedId('together', triggerRunId, clock.now()) : triggerRunId,
      );
    },

    async redeliver(run) {
      const ticket = run.delivery?.ticket;
      if (ticket === undefined) return;
      const { ticket: _used, ...delivery } = await attemptDelivery(run, (sending) =>
        ledger.changeDelivery(run.triggerRunId, ticket, sending),
      );
      const kept = await ledger.changeDelivery(run.triggerRunId, ticket, delivery);
      if (kept && delivery.state === 'delivered')
        await deps.onStep?.('delivered', run.triggerRunId);
    },
  };
}
