/**
 * The end of an attempt in the ledger: for good, or until its retry. Fenced by the lease, and followed
 * by the trigger's task.
 */
import type { Clock } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import { retryAt } from './due.js';
import type { Ledger } from './ledger/index.js';
import type { StepObserver } from './ports.js';
import { runLine } from './run-text.js';
import type { TriggerConfig, TriggerRun } from './schema.js';

export interface RunEndDeps {
  ledger: Ledger;
  clock: Clock;
  log: Log;
  onStep?: StepObserver;
  /** Brings the trigger's task in line with a run that has ended or will be retried. */
  settle: (taskId: string) => Promise<unknown>;
}

/** A run that may be carried out here, with the token of its lease and its trigger as it is now. */
export interface ReadyRun {
  run: TriggerRun;
  token: string;
  trigger: TriggerConfig;
}

/** What a run whose lease is given up says of it. */
const NO_LEASE = { leaseToken: null, leaseOwner: null, leaseUntilMs: null };

export interface RunEnd {
  /** Ends it as `patch` says. `null`: the lease was lost, another process has it. */
  end(
    run: TriggerRun,
    token: string,
    patch: Partial<TriggerRun>,
    name?: string,
  ): Promise<TriggerRun | null>;
  /** Gives up the lease: it waits, and nothing of it has begun. */
  defer(
    ready: ReadyRun,
    waitsFor: NonNullable<TriggerRun['waitsFor']>,
    reason: string,
  ): Promise<void>;
  /** Ends it as failed, or lets it wait for its retry. */
  finishFailed(ready: ReadyRun, error: string, mayRetry?: boolean): Promise<void>;
}

export function createRunEnd(deps: RunEndDeps): RunEnd {
  const { ledger, clock, log } = deps;

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
        ...NO_LEASE,
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
    await deps.onStep?.('recorded', run.triggerRunId);
    await deps.settle(run.taskId);
    return ended;
  }

  async function defer(
    { run, token }: ReadyRun,
    waitsFor: NonNullable<TriggerRun['waitsFor']>,
    reason: string,
  ): Promise<void> {
    await ledger.change(run.triggerRunId, token, {
      status: 'deferred',
      waitsFor,
      reason,
      begunAtMs: null,
      ...NO_LEASE,
    });
  }

  async function finishFailed(ready: ReadyRun, error: string, mayRetry = true): Promise<void> {
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
        ...NO_LEASE,
      },
      runLine(trigger.displayName, 'failed', error),
    );
    if (waiting) await deps.settle(run.taskId);
  }

  return { end, defer, finishFailed };
}
