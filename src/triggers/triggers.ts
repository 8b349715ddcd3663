import { AppError } from '../shared/errors.js';
import { createAccess, originOf, readableTrigger } from './access.js';
import { createCreation } from './create.js';
import type { TriggerSettings, TriggersDeps } from './deps.js';
import { createEditing } from './edit.js';
import { createReading, publicRun } from './read.js';
import { runLine } from './run-text.js';
import type { Requester, TriggerRun, TriggerSummary } from './schema.js';
import { summaryOf } from './task-codec.js';
import { createTransfer } from './transfer.js';

export type Triggers = ReturnType<typeof createTriggers>;

export function createTriggers(deps: TriggersDeps) {
  const { store, ledger, dispatcher, clock } = deps;
  const access = createAccess(deps);

  function mustBeOn(): TriggerSettings {
    const settings = deps.settings();
    if (!settings.enabled) {
      throw new AppError('DISABLED', 'triggers are switched off (CUE_TRIGGERS_ENABLED)');
    }
    return settings;
  }

  /**
   * Runs it now, whatever its schedule says; the schedule is not changed. With `waitMs` waits that
   * long for the end; with `startAfter` it is recorded at once and begins only then.
   */
  async function run(
    id: string,
    requester: Requester,
    options: { waitMs?: number; startAfter?: Promise<void> | undefined } = {},
  ): Promise<{ runId: string; run: TriggerRun | null; trigger: TriggerSummary | null }> {
    const settings = mustBeOn();
    if (requester.kind === 'entity' && requester.viaRunOfTriggerId !== undefined) {
      // Two triggers that start each other would never end.
      throw new AppError('PERMISSION_DENIED', 'a scheduled run may not start another run');
    }
    const row = await access.changeable(id, requester);
    const trigger = readableTrigger(row);
    if (settings.paused !== null) {
      throw new AppError('DISABLED', `no trigger runs now: ${settings.paused}`);
    }
    const nowMs = clock.now();
    const blocked = await deps.autonomy.unavailable();
    const runId = deps.ids.next();
    const manual: TriggerRun = {
      version: 1,
      triggerRunId: runId,
      triggerId: trigger.triggerId,
      taskId: row.id,
      scheduledForMs: nowMs,
      cause: 'manual',
      status: blocked === null ? 'running' : 'deferred',
      open: true,
      attempt: 1,
      startedAt: nowMs,
      ...originOf(trigger),
      ...(blocked === null
        ? {
            leaseOwner: deps.owner,
            leaseToken: deps.ids.next(),
            leaseUntilMs: nowMs + ledger.leaseMs,
          }
        : { waitsFor: 'autonomy' as const, reason: blocked }),
    };
    await ledger.claim([{ run: manual, text: runLine(trigger.displayName, manual.status) }]);
    const begin = options.startAfter ?? Promise.resolve();
    const work = blocked === null ? begin.then(() => dispatcher.start(manual)) : begin;
    if (options.waitMs !== undefined && options.waitMs > 0) {
      await Promise.race([work, sleep(options.waitMs)]);
    }
    const now = await ledger.get(runId);
    const current = await store.byId(row.id);
    return {
      runId,
      run: now ? publicRun(now) : null,
      // Gone when this run was the last one it had.
      trigger: current ? summaryOf(current) : null,
    };
  }

  const creation = createCreation(deps, mustBeOn);
  return {
    ...creation,
    ...createEditing(deps, access, mustBeOn),
    ...createReading(deps, access),
    ...createTransfer(deps, creation),
    run,
    rowOf: access.rowOf,
    mayChange: access.mayChange,
    mustBeOn,
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
