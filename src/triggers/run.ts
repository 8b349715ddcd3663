/**
 * Carries out one claimed run: injected → answered → delivered → recorded. Every step is stored
 * before the next begins and fenced by the lease, so that a process that dies at any of them is
 * continued by another one without losing or repeating what was said (DESIGN §4–5).
 */
import type { Clock } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import { derivedId } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { retryAt } from './due.js';
import type { Ledger } from './ledger.js';
import type { AutonomyPort, InjectionResult, StepObserver } from './ports.js';
import { cycleText, instructionText, runLine } from './run-text.js';
import type { TriggerConfig, TriggerRun } from './schema.js';
import { decodeTrigger } from './task-codec.js';
import type { TaskStore } from './task-store.js';

/** A run that has taken its process down this often is not tried again. */
export const MAX_TAKEOVERS = 5;
/** A send handler that takes longer than this counts as one that never came back. */
export const SENDING_MS = 60_000;

export interface RunnerDeps {
  store: TaskStore;
  ledger: Ledger;
  autonomy: AutonomyPort;
  clock: Clock;
  log: Log;
  onStep?: StepObserver;
  /** Brings the trigger's task in line with a run that has ended or will be retried. */
  settle: (taskId: string, run: TriggerRun) => Promise<void>;
}

export interface Runner {
  /** Runs it to the end of this attempt. The caller holds the lease in `run.leaseToken`. */
  execute(run: TriggerRun): Promise<void>;
  /** Several waiting runs of one conversation in one turn of the pipeline. */
  executeTogether(runs: TriggerRun[]): Promise<void>;
  /**
   * One more attempt to bring a finished run's answer where it belongs. The caller holds the ticket
   * in `run.delivery`.
   */
  redeliver(run: TriggerRun): Promise<void>;
}

type Delivery = NonNullable<TriggerRun['delivery']>;
type Answer = Pick<InjectionResult, 'responded' | 'text' | 'actions'> & Partial<InjectionResult>;

interface Ready {
  run: TriggerRun;
  token: string;
  trigger: TriggerConfig;
}

export function createRunner(deps: RunnerDeps): Runner {
  const { store, ledger, autonomy, clock, log } = deps;
  const observe = async (step: Parameters<StepObserver>[0], id: string) => deps.onStep?.(step, id);

  /** Re-reads the trigger: it may have been deleted or paused since the claim. */
  async function prepare(run: TriggerRun): Promise<Ready | null> {
    const token = run.leaseToken;
    if (token === undefined) return null;
    const row = await store.byId(run.taskId);
    const decoded = row ? decodeTrigger(row.metadata) : null;
    if (!decoded?.ok) {
      const reason = decoded ? decoded.reason : 'the trigger was deleted before it ran';
      await end(run, token, { status: 'skipped', reason });
      return null;
    }
    if (!decoded.trigger.enabled && run.cause !== 'manual') {
      await end(run, token, { status: 'skipped', reason: 'the trigger was paused before it ran' });
      return null;
    }
    if ((run.takeovers ?? 0) > MAX_TAKEOVERS) {
      await finishFailed(
        { run, token, trigger: decoded.trigger },
        `the agent's process ended ${run.takeovers} times during this run`,
        false,
      );
      return null;
    }
    const blocked = autonomy.unavailable();
    if (blocked !== null && run.answer === undefined) {
      await ledger.change(run.triggerRunId, token, {
        status: 'deferred',
        waitsFor: 'autonomy',
        reason: blocked,
        leaseToken: null,
        leaseOwner: null,
        leaseUntilMs: null,
      });
      return null;
    }
    return { run, token, trigger: decoded.trigger };
  }

  async function end(
    run: TriggerRun,
    token: string,
    patch: Partial<TriggerRun>,
    name = 'trigger',
  ): Promise<TriggerRun | null> {
    const nowMs = clock.now();
    const ended = await ledger.change(
      run.triggerRunId,
      token,
      {
        ...patch,
        open: false,
        finishedAt: nowMs,
        latencyMs: nowMs - run.startedAt,
        leaseToken: null,
        leaseOwner: null,
        leaseUntilMs: null,
      },
      runLine(name, String(patch.status), patch.reason ?? patch.error),
    );
    if (!ended) {
      log.warn(
        { triggerRunId: run.triggerRunId, triggerId: run.triggerId },
        'lease lost before the run was recorded; another process has it',
      );
      return null;
    }
    await observe('recorded', run.triggerRunId);
    await deps.settle(run.taskId, ended);
    return ended;
  }

  async function finishFailed(ready: Ready, error: string, mayRetry = true): Promise<void> {
    const { run, token, trigger } = ready;
    const nowMs = clock.now();
    const retryAtMs =
      mayRetry && run.cause !== 'manual' ? retryAt(run.attempt, nowMs, trigger.nextRunAtMs) : null;
    log.warn(
      {
        triggerId: run.triggerId,
        triggerRunId: run.triggerRunId,
        attempt: run.attempt,
        retryAtMs,
        error,
      },
      'trigger run failed',
    );
    if (retryAtMs === null) {
      await end(run, token, { status: 'failed', error }, trigger.displayName);
      return;
    }
    const waiting = await ledger.change(
      run.triggerRunId,
      token,
      {
        status: 'failed',
        error,
        retryAtMs,
        finishedAt: nowMs,
        latencyMs: nowMs - run.startedAt,
        leaseToken: null,
        leaseOwner: null,
        leaseUntilMs: null,
      },
      runLine(trigger.displayName, 'failed', error),
    );
    if (waiting) await deps.settle(run.taskId, waiting);
  }

  /** Stores the answer, delivers it, records the end. */
  async function finishAnswered(
    ready: Ready,
    result: Answer,
    delivered?: { by: string },
  ): Promise<void> {
    const { run, token, trigger } = ready;
    const target = trigger.deliverTo;
    const speaks = result.responded && result.text !== '';
    let delivery: Delivery = run.delivery ?? { state: 'none' };
    if (run.delivery === undefined && speaks && target && !delivered) {
      delivery = {
        state: 'pending',
        roomId: target.roomId,
        ...(target.source === undefined ? {} : { source: target.source }),
        attempts: 0,
      };
    }
    const answered = await ledger.change(run.triggerRunId, token, {
      responded: result.responded,
      answer: result.text,
      actions: result.actions,
      ...(result.messageId === undefined ? {} : { messageId: result.messageId }),
      ...(result.responseId === undefined ? {} : { responseId: result.responseId }),
      ...(result.roomId === undefined ? {} : { roomId: result.roomId }),
      delivery,
      ...(delivered ? { reason: `answered together with run ${delivered.by}` } : {}),
    });
    if (!answered) return;
    await observe('answered', run.triggerRunId);
    if (delivery.state === 'pending' || delivery.state === 'delivering') {
      delivery = await attemptDelivery(
        answered,
        async (sending) =>
          (await ledger.change(run.triggerRunId, token, { delivery: sending })) !== null,
        result.thought,
      );
      await observe('delivered', run.triggerRunId);
    }
    await end(run, token, { status: 'success', delivery }, trigger.displayName);
  }

  /**
   * @param record writes that it is about to be sent, fenced; `false` when another process has
   *   taken the run or its delivery meanwhile, and nothing may be sent from here
   */
  async function attemptDelivery(
    run: TriggerRun,
    record: (sending: Delivery) => Promise<boolean>,
    thought?: string,
  ): Promise<Delivery> {
    const before = run.delivery ?? { state: 'pending' as const };
    const attempts = before.attempts ?? 0;
    const base = {
      ...before,
      attempts: attempts + 1,
    };
    const outcome = await autonomy.deliver(
      {
        triggerRunId: run.triggerRunId,
        roomId: before.roomId ?? '',
        ...(before.source === undefined ? {} : { source: before.source }),
        text: run.answer ?? '',
        ...(thought === undefined ? {} : { thought }),
        wasSending: before.state === 'delivering' || before.state === 'unknown',
        attempts,
      },
      async () => {
        const ours = await record({
          ...before,
          state: 'delivering',
          // Until then nobody else takes "delivering" for a crash.
          nextAttemptAtMs: clock.now() + SENDING_MS,
        });
        if (!ours) throw new Error('another process has taken it over');
      },
    );
    const nowMs = clock.now();
    const { error: _old, nextAttemptAtMs: _next, ...kept } = base;
    if (outcome.state !== 'delivered') {
      log.warn(
        {
          triggerRunId: run.triggerRunId,
          roomId: before.roomId,
          state: outcome.state,
          error: outcome.error,
        },
        'answer not delivered',
      );
    }
    return {
      ...kept,
      state: outcome.state,
      messageId: outcome.messageId,
      ...(outcome.state === 'delivered' ? { deliveredAt: nowMs } : {}),
      ...(outcome.error === undefined ? {} : { error: outcome.error }),
      ...(outcome.retryAfterMs === undefined
        ? {}
        : { nextAttemptAtMs: nowMs + outcome.retryAfterMs }),
    };
  }

  /** What an earlier process had already got from the model, or `null`. */
  async function earlierAnswer(
    run: TriggerRun,
  ): Promise<{ result: Answer; delivered?: { by: string } } | null> {
    const actions = run.actions ?? [];
    if (run.answer !== undefined) {
      const responded = run.responded ?? run.answer !== '';
      return { result: { responded, text: run.answer, actions } };
    }
    if ((run.takeovers ?? 0) === 0) return null;
    const own = await autonomy.storedAnswer(run.triggerRunId);
    if (own) return { result: { ...own, responded: true, actions } };
    if (!run.together) return null;
    const { id, lead } = run.together;
    const shared = await autonomy.storedAnswer(id);
    if (!shared) return null;
    const result = { ...shared, responded: true, actions };
    return lead === run.triggerRunId ? { result } : { result, delivered: { by: lead } };
  }

  /**
   * Notes on each run that it shares its turn, before the turn begins: whoever takes one of them
   * over must not repeat what was said for all. Runs whose lease is lost are left out; the first
   * of the others leads, its answer is the one that is delivered.
   */
  async function shareTurn(ready: Ready[], id: string): Promise<Ready[]> {
    const sharing: Ready[] = [];
    for (const one of ready) {
      const lead = (sharing[0] ?? one).run.triggerRunId;
      const marked = await ledger.change(one.run.triggerRunId, one.token, {
        together: { id, lead },
      });
      if (marked) sharing.push(one);
    }
    return sharing;
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

  /** The lease is renewed with it, so that the turn begins with a whole one. */
  async function isHeld({ run, token }: Ready): Promise<boolean> {
    const leaseUntilMs = clock.now() + ledger.leaseMs;
    return (await ledger.change(run.triggerRunId, token, { leaseUntilMs })) !== null;
  }

  /** @param turn all runs of the turn; as long as one of them is still ours, it is worth taking */
  function requestOf(
    ready: Ready,
    text: string,
    turn: Ready[] = [ready],
    triggerRunId = ready.run.triggerRunId,
  ) {
    const { trigger, run } = ready;
    return {
      isWanted: async () => {
        for (const one of turn) if (await isHeld(one)) return true;
        return false;
      },
      text,
      source: 'trigger' as const,
      triggerId: run.triggerId,
      triggerRunId,
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
      await observe('claimed', run.triggerRunId);
      const ready = await prepare(run);
      if (!ready) return;
      try {
        const earlier = await earlierAnswer(run);
        if (earlier) {
          await finishAnswered(ready, earlier.result, earlier.delivered);
          return;
        }
        const result = await autonomy.inject(requestOf(ready, instructionText(ready.trigger, run)));
        keepLate(run, result.late);
        if (result.status === 'failed') await finishFailed(ready, result.error ?? 'failed');
        else await finishAnswered(ready, result);
      } catch (error) {
        log.error({ triggerRunId: run.triggerRunId, error: messageOf(error) }, 'run broke off');
        await finishFailed(ready, messageOf(error));
      }
    },

    async executeTogether(runs) {
      const ready: Ready[] = [];
      for (const run of runs) {
        const one = await prepare(run);
        if (one) ready.push(one);
      }
      const first = ready[0];
      if (!first) return;
      if (ready.length === 1) {
        await this.execute(first.run);
        return;
      }
      const turnId = derivedId('together', first.run.triggerRunId, clock.now());
      const sharing = await shareTurn(ready, turnId);
      const lead = sharing[0];
      if (!lead) return;
      for (const one of sharing) await observe('claimed', one.run.triggerRunId);
      const result = await autonomy.inject(requestOf(lead, cycleText(sharing), sharing, turnId));
      for (const one of sharing) {
        keepLate(one.run, result.late);
        if (result.status === 'failed') await finishFailed(one, result.error ?? 'failed');
        else if (one === lead) await finishAnswered(one, result);
        else await finishAnswered(one, result, { by: lead.run.triggerRunId });
      }
    },

    async redeliver(run) {
      const ticket = run.delivery?.ticket;
      if (ticket === undefined) return;
      const { ticket: _used, ...delivery } = await attemptDelivery(run, (sending) =>
        ledger.changeDelivery(run.triggerRunId, ticket, sending),
      );
      const kept = await ledger.changeDelivery(run.triggerRunId, ticket, delivery);
      if (kept && delivery.state === 'delivered') await observe('delivered', run.triggerRunId);
    },
  };
}
