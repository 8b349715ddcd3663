/** The task follows the ledger, whichever pass comes first and whoever edits meanwhile. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRecords, databaseOf, homeOf } from '../../src/records/index.js';
import { derivedId } from '../../src/shared/ids.js';
import { createDueTimer } from '../../src/triggers/due-timer.js';
import { createLedger } from '../../src/triggers/ledger.js';
import {
  createReconciler,
  createWriteBackGuard,
  type ReconcileDeps,
} from '../../src/triggers/reconcile.js';
import type { TriggerRun } from '../../src/triggers/schema.js';
import { createTaskStore } from '../../src/triggers/store.js';
import { type Agent, boot } from '../helpers/boot.js';
import { plan } from '../helpers/scripted-model.js';
import { type Time, takeTime } from '../helpers/time.js';
import { created, every, OPERATOR } from '../helpers/triggers.js';

const START = Date.parse('2026-03-02T08:00:00Z');
const MINUTE = 60_000;

let agent: Agent;
let time: Time;
beforeAll(async () => {
  agent = await boot({ slim: true });
  time = takeTime(agent, START);
});
afterAll(async () => {
  time.release();
  await agent.stop();
});

/** A reconciler as another process on the same database has it. */
function otherProcess() {
  const records = createRecords({
    db: databaseOf(agent.runtime),
    home: homeOf(agent.runtime),
  });
  const deps: ReconcileDeps = {
    records,
    store: createTaskStore(records),
    ledger: createLedger(records),
    guard: createWriteBackGuard(),
    dueTimer: createDueTimer({ now: time.now }),
    clock: { now: time.now },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    settings: () => ({ ...agent.triggers.settings, hotWindowMs: 2 * MINUTE }),
  };
  return { ...deps, reconciler: createReconciler(deps) };
}

/** Runs that have ended, as another process recorded them: their tasks do not know of them yet. */
async function ended(
  { ledger }: ReturnType<typeof otherProcess>,
  of: { id: string; taskId: string },
  statuses: ('success' | 'failed')[],
): Promise<void> {
  const runs = statuses.map((status, index): TriggerRun => {
    const startedAt = time.now() + index * 1_000;
    return {
      version: 1,
      triggerRunId: derivedId('run', of.id, startedAt),
      triggerId: of.id,
      taskId: of.taskId,
      scheduledForMs: startedAt,
      cause: 'schedule',
      status,
      open: false,
      attempt: 1,
      startedAt,
      finishedAt: startedAt + 500,
      ...(status === 'failed' ? { error: `error ${index}` } : {}),
    };
  });
  await ledger.claim(runs.map((run) => ({ run, text: run.status })));
  time.jump(statuses.length * 1_000);
}

it('several passes side by side write what the ledger says, and an old one undoes nothing', async () => {
  const process = otherProcess();
  const trigger = await created(agent, { instructions: 'side by side', schedule: every(MINUTE) });
  await ended(process, trigger, ['success', 'failed', 'failed']);
  await Promise.all([1, 2, 3].map(() => process.reconciler.applyRunResult(trigger.taskId)));
  const stored = async () => {
    const { triggers } = await agent.triggers.list(
      { text: 'side by side' },
      { limit: 1 },
      OPERATOR,
    );
    return triggers[0];
  };
  const last = time.now() - 1_000;
  expect(await stored()).toMatchObject({
    runCount: 3,
    failureCount: 2,
    lastStatus: 'failed',
    lastError: 'error 2',
    lastRunAtIso: new Date(last).toISOString(),
  });
  await ended(process, trigger, ['success']);
  // What an earlier pass has left behind in its process must not be defended against this one.
  await otherProcess().reconciler.applyRunResult(trigger.taskId);
  await process.reconciler.bringInLine(trigger.taskId);
  expect(await stored()).toMatchObject({ runCount: 4, failureCount: 0, lastStatus: 'success' });
  expect((await stored())?.lastError).toBeUndefined();
});

it('an edit writes none of the results that a run writes beside it', async () => {
  const process = otherProcess();
  const trigger = await created(agent, { instructions: 'edit beside', schedule: every(MINUTE) });
  const seen = await process.store.byId(trigger.id);
  await ended(process, trigger, ['success']);
  await process.reconciler.applyRunResult(trigger.taskId);
  await agent.triggers.update(trigger.id, { displayName: 'renamed' }, OPERATOR);
  // The host writes back what it read before both, and calls nobody: the process died.
  await agent.runtime.updateTask(trigger.taskId as never, { metadata: seen?.metadata as never });
  await agent.triggers.heartbeat();
  const { triggers } = await agent.triggers.list({ text: 'edit beside' }, { limit: 1 }, OPERATOR);
  expect(triggers[0]).toMatchObject({ displayName: 'renamed', runCount: 1, lastStatus: 'success' });
});

it('a resume made while the fifth failure is recorded stands, and failures count anew', async () => {
  const process = otherProcess();
  const trigger = await created(agent, { instructions: 'gives up', schedule: every(MINUTE) });
  await ended(process, trigger, ['failed', 'failed', 'failed', 'failed', 'failed']);
  // A person pauses and resumes between the look at the task and the pause.
  const { store } = process;
  const meddled = {
    ...store,
    edit: async (...of: Parameters<typeof store.edit>) => {
      await agent.triggers.pause(trigger.id, OPERATOR);
      await agent.triggers.resume(trigger.id, OPERATOR);
      return await store.edit(...of);
    },
  };
  const { guard } = process;
  const reconciler = createReconciler({ ...process, store: meddled });
  await reconciler.applyRunResult(trigger.taskId);
  const now = () => agent.triggers.get(trigger.id, OPERATOR);
  expect(await now()).toMatchObject({ enabled: true, failureCount: 0 });
  expect(guard.ids()).toEqual([]);
  await process.reconciler.applyRunResult(trigger.taskId);
  expect(await now()).toMatchObject({ enabled: true, failureCount: 0 });

  agent.brain.onLarge = () => {
    throw new Error('still broken');
  };
  for (let step = 0; step < 4; step += 1) {
    await time.advance(MINUTE);
    await agent.triggers.heartbeat();
  }
  expect(await now()).toMatchObject({ enabled: true, lastStatus: 'failed' });
  await ended(process, trigger, ['failed', 'failed', 'failed', 'failed', 'failed']);
  await process.reconciler.applyRunResult(trigger.taskId);
  expect((await now()).stateReason).toMatch(/^paused after \d+ failed runs in a row: error 4$/);
  agent.brain.onLarge = () => plan('done');
});

it('a trigger that got a new schedule in the moment its old one ended is not removed', async () => {
  const process = otherProcess();
  const trigger = await created(agent, {
    instructions: 'once more',
    schedule: every(MINUTE),
    maxRuns: 1,
  });
  await ended(process, trigger, ['success']);
  const { store } = process;
  const meddled = {
    ...store,
    remove: async (...of: Parameters<typeof store.remove>) => {
      await agent.triggers.update(trigger.id, { maxRuns: 9 }, OPERATOR);
      return await store.remove(...of);
    },
  };
  await createReconciler({ ...process, store: meddled }).applyRunResult(trigger.taskId);
  expect(await agent.triggers.get(trigger.id, OPERATOR)).toMatchObject({ maxRuns: 9, runCount: 1 });
});
