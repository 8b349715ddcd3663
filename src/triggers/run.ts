/**
 * Carries out one claimed run: injected → answered → delivered → recorded. Every step is stored
 * before the next begins and fenced by the lease, so that a process that dies at any of them is
 * continued by another one without losing or repeating what was said (DESIGN §4–5).
 */
import { messageOf } from '../shared/errors.js';
import { derivedId } from '../shared/ids.js';
import type { AutonomyPort, InjectionResult } from './ports.js';
import { createAnswering } from './run-answer.js';
import { createDelivering } from './run-delivery.js';
import { createRunEnd, NO_LEASE, type ReadyRun, type RunEndDeps } from './run-end.js';
import { cycleText, instructionText } from './run-text.js';
import type { TriggerRun } from './schema.js';
import { decodeTrigger } from './task-codec.js';
import type { TaskStore } from './tasks/index.js';

/** A run that has taken its process down this often is not tried again. */
const MAX_TAKEOVERS = 5;

export interface RunnerDeps extends RunEndDeps {
  store: TaskStore;
  autonomy: AutonomyPort;
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

export function createRunner(deps: RunnerDeps): Runner {
  const { store, ledger, autonomy, clock, log } = deps;
  const { end, finishFailed } = createRunEnd(deps);
  const attemptDelivery = createDelivering(deps);
  const { finishAnswered, earlierAnswer } = createAnswering({ ...deps, end, attemptDelivery });

  /** Re-reads the trigger: it may have been deleted or paused since the claim. */
  async function prepare(run: TriggerRun): Promise<ReadyRun | null> {
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
        ...NO_LEASE,
      });
      return null;
    }
    return { run, token, trigger: decoded.trigger };
  }

  /**
   * Notes on each run that it shares its turn, before the turn begins: whoever takes one of them
   * over must not repeat what was said for all. Runs whose lease is lost are left out; the first
   * of the others leads, its answer is the one that is delivered.
   */
  async function shareTurn(ready: ReadyRun[], id: string): Promise<ReadyRun[]> {
    const sharing: ReadyRun[] = [];
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
  async function isHeld({ run, token }: ReadyRun): Promise<boolean> {
    const leaseUntilMs = clock.now() + ledger.leaseMs;
    return (await ledger.change(run.triggerRunId, token, { leaseUntilMs })) !== null;
  }

  /** @param turn all runs of the turn; as long as one of them is still ours, it is worth taking */
  function requestOf(
    ready: ReadyRun,
    text: string,
    turn: ReadyRun[] = [ready],
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
      await deps.onStep?.('claimed', run.triggerRunId);
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
      const ready: ReadyRun[] = [];
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
      for (const one of sharing) await deps.onStep?.('claimed', one.run.triggerRunId);
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
      if (kept && delivery.state === 'delivered')
        await deps.onStep?.('delivered', run.triggerRunId);
    },
  };
}
