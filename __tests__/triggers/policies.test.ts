/** What happens to runs that are late, overlap, fail, hang or cost too much (DESIGN §4). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRecords, databaseOf, homeOf } from '../../src/records/index.js';
import { createTaskStore } from '../../src/triggers/store.js';
import { type Agent, boot, makeChat } from '../helpers/boot.js';
import { plan } from '../helpers/scripted-model.js';
import { type Time, takeTime } from '../helpers/time.js';
import {
  created,
  cron,
  every,
  exists,
  OPERATOR,
  onceAt,
  runsOf,
  statusesOf,
} from '../helpers/triggers.js';

const START = Date.parse('2026-03-02T08:00:00Z');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let agent: Agent;
let time: Time;
beforeAll(async () => {
  agent = await boot({
    slim: true,
  });
  time = takeTime(agent, START);
});
afterAll(async () => {
  time.release();
  await agent.stop();
});
beforeEach(async () => {
  agent.brain.onLarge = () => plan('done');
  for (const trigger of (await agent.triggers.list({}, { limit: 200 }, OPERATOR)).triggers) {
    await agent.triggers.delete(trigger.id, OPERATOR);
  }
  time.jump(2 * HOUR);
});

const store = () =>
  createTaskStore(createRecords({ db: databaseOf(agent.runtime), home: homeOf(agent.runtime) }));

async function beat(ms: number): Promise<void> {
  time.jump(ms);
  await agent.triggers.heartbeat();
  await time.tick();
  await agent.triggers.settle();
}

describe('missed runs', () => {
  const offFor = async (ms: number) => beat(ms);

  it('once (the default): one catch-up run that says when it was due, the rest skipped with a count', async () => {
    const t0 = time.now();
    const trigger = await created(agent, { instructions: 'hourly work', schedule: every(HOUR) });
    await offFor(5 * HOUR + 10 * MINUTE);
    const runs = await runsOf(agent, trigger.id);
    expect(runs.map((run) => [run.status, (run.scheduledForMs - t0) / HOUR])).toEqual([
      ['skipped', 1],
      ['success', 5],
    ]);
    expect(runs[0]).toMatchObject({ missedCount: 4 });
    expect(runs[1]?.reason).toMatch(/^was due /);
  });

  it.each([
    [
      'once',
      [
        [1, 'success'],
        [2, 9],
        [11, 'success'],
      ],
      [
        [12, 1],
        [13, 'success'],
      ],
    ],
    [
      'skip',
      [
        [1, 'success'],
        [2, 10],
      ],
      [[12, 2]],
    ],
  ] as const)(
    '%s: what came due after a crash between row and task is traced, and not twice',
    async (mode, first, then) => {
      const t0 = time.now();
      const trigger = await created(agent, {
        instructions: `dies in between, ${mode}`,
        schedule: every(HOUR),
        missedRunPolicy: { mode },
      });
      const traced = async () =>
        (await runsOf(agent, trigger.id)).map((run) => [
          (run.scheduledForMs - t0) / HOUR,
          run.missedCount ?? run.status,
        ]);
      // The rows are there, and the task still says that the first occurrence is due.
      const asBefore = () =>
        store().write([{ id: trigger.taskId, trigger: { nextRunAtMs: t0 + HOUR } }]);
      await beat(HOUR);
      await asBefore();
      await beat(10 * HOUR + 10 * MINUTE);
      expect(await traced()).toEqual(first);
      await asBefore();
      await beat(2 * HOUR);
      expect(await traced()).toEqual([...first, ...then]);
      const reasons = (await runsOf(agent, trigger.id)).flatMap((run) => run.reason ?? []);
      expect(reasons.filter((reason) => reason.includes('nobody took up in time'))).toHaveLength(2);
      expect(reasons.filter((reason) => reason.includes('was not running'))).toEqual([]);
    },
  );

  it('skip: nothing is caught up, and the ledger says so', async () => {
    const trigger = await created(agent, {
      instructions: 'skip what is late',
      schedule: every(HOUR),
      missedRunPolicy: { mode: 'skip' },
    });
    await offFor(3 * HOUR + 10 * MINUTE);
    expect(await statusesOf(agent, trigger.id)).toEqual(['skipped']);
    expect((await runsOf(agent, trigger.id))[0]?.reason).toContain('missed 3 runs');
    await beat(50 * MINUTE);
    expect(await statusesOf(agent, trigger.id)).toEqual(['skipped', 'success']);
  });

  it('all: every missed run up to the maximum, in order', async () => {
    const trigger = await created(agent, {
      instructions: 'every one counts',
      schedule: every(HOUR),
      missedRunPolicy: { mode: 'all', max: 3 },
    });
    await offFor(6 * HOUR + 10 * MINUTE);
    expect(await statusesOf(agent, trigger.id)).toEqual([
      'skipped',
      'success',
      'success',
      'success',
    ]);
    expect((await agent.triggers.get(trigger.id, OPERATOR)).runCount).toBe(3);
  });

  it('a run older than the window is not caught up', async () => {
    const trigger = await created(agent, {
      instructions: 'too old',
      schedule: cron('0 9 * * *'),
      missedRunPolicy: { mode: 'once', windowMs: HOUR },
    });
    const next = trigger.nextRunAtMs ?? 0;
    time.set(next + 5 * HOUR);
    await beat(0);
    expect(await statusesOf(agent, trigger.id)).toEqual(['skipped']);
  });

  it('a one-shot always catches up, however late, and the agent is told when it was due', async () => {
    const at = time.now() + MINUTE;
    const trigger = await created(agent, {
      instructions: 'wish a happy birthday',
      schedule: onceAt(at),
      missedRunPolicy: { mode: 'skip' },
    });
    agent.brain.calls.length = 0;
    await offFor(40 * DAY);
    const [run] = await runsOf(agent, trigger.id);
    expect(run).toMatchObject({ status: 'success', scheduledForMs: at });
    expect(run?.reason).toMatch(/^was due /);
    expect(agent.brain.calls.some((call) => call.prompt.includes('was due '))).toBe(true);
    expect(await exists(agent, trigger.id)).toBe(false);
  });
});

describe('overlap', () => {
  it('an occurrence that falls due while the run before is under way is skipped with the reason', async () => {
    const trigger = await created(agent, { instructions: 'slow work', schedule: every(MINUTE) });
    let finish = () => {};
    agent.brain.onLarge = () =>
      new Promise((resolve) => {
        finish = () => resolve(plan('slow but done'));
      });
    const tasks = agent.runtime.getService('task') as unknown as { checkTasks(): Promise<void> };
    const until = async (done: () => boolean | Promise<boolean>) => {
      for (let wait = 0; wait < 6_000 && !(await done()); wait += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const calls = agent.brain.calls.length;
    time.jump(MINUTE);
    await tasks.checkTasks();
    await until(() => agent.brain.calls.length > calls);
    time.jump(MINUTE);
    await tasks.checkTasks();
    await until(async () => (await runsOf(agent, trigger.id)).length === 2);
    expect(await statusesOf(agent, trigger.id)).toEqual(['running', 'skipped']);
    expect((await runsOf(agent, trigger.id))[1]?.reason).toBe(
      'the previous run was still under way',
    );
    finish();
    await agent.triggers.settle();
    expect(await statusesOf(agent, trigger.id)).toEqual(['success', 'skipped']);
    expect((await agent.triggers.get(trigger.id, OPERATOR)).runCount).toBe(1);
  });
});

describe('failures', () => {
  it('a failed run is tried again after 30 s, 2 min and 10 min, then the run has failed for good', async () => {
    agent.brain.onLarge = () => {
      throw new Error('401 bad key');
    };
    const trigger = await created(agent, { instructions: 'daily', schedule: cron('30 10 * * *') });
    time.set(trigger.nextRunAtMs ?? 0);
    await beat(0);
    const state = async () => {
      const [run] = await runsOf(agent, trigger.id);
      return [run?.status, run?.attempt, run?.open, run?.error];
    };
    expect(await state()).toEqual(['failed', 1, true, '401 bad key']);
    await beat(29 * SECOND);
    expect(await state()).toEqual(['failed', 1, true, '401 bad key']);
    await beat(SECOND);
    expect(await state()).toEqual(['failed', 2, true, '401 bad key']);
    await beat(2 * MINUTE);
    expect(await state()).toEqual(['failed', 3, true, '401 bad key']);
    await beat(10 * MINUTE);
    expect(await state()).toEqual(['failed', 4, false, '401 bad key']);
    expect(await agent.triggers.get(trigger.id, OPERATOR)).toMatchObject({
      runCount: 1,
      failureCount: 1,
      lastStatus: 'failed',
      lastError: '401 bad key',
    });
  });

  it('a retry that succeeds counts the occurrence once', async () => {
    let broken = true;
    agent.brain.onLarge = () => {
      if (broken) throw new Error('busy');
      return plan('at last');
    };
    const trigger = await created(agent, {
      instructions: 'try hard',
      schedule: cron('15 13 * * *'),
    });
    time.set(trigger.nextRunAtMs ?? 0);
    await beat(0);
    broken = false;
    await beat(30 * SECOND);
    const [run] = await runsOf(agent, trigger.id);
    expect(run).toMatchObject({ status: 'success', attempt: 2 });
    // The calls of all attempts: the one that failed, and the one that did not.
    expect(run?.modelCalls?.filter(({ model }) => model === 'TEXT_LARGE')).toEqual([
      { model: 'TEXT_LARGE', provider: 'scripted-model', calls: 2, ms: expect.any(Number) },
    ]);
    expect(await agent.triggers.get(trigger.id, OPERATOR)).toMatchObject({ runCount: 1 });
  });

  it('a trigger is paused with its reason after maxFailures failed runs in a row', async () => {
    agent.brain.onLarge = () => {
      throw new Error('model is gone');
    };
    const trigger = await created(agent, {
      instructions: 'fails always',
      schedule: every(MINUTE),
      maxFailures: 2,
    });
    for (let step = 0; step < 8; step += 1) await beat(30 * SECOND);
    const after = await agent.triggers.get(trigger.id, OPERATOR);
    expect(after.state).toBe('paused');
    expect(after.stateReason).toBe('paused after 2 failed runs in a row: model is gone');
    const before = (await runsOf(agent, trigger.id)).length;
    for (let step = 0; step < 4; step += 1) await beat(MINUTE);
    expect(await runsOf(agent, trigger.id)).toHaveLength(before);

    agent.brain.onLarge = () => plan('well again');
    const resumed = await agent.triggers.resume(trigger.id, OPERATOR);
    expect(resumed.state).toBe('active');
    await beat(MINUTE);
    expect(await agent.triggers.get(trigger.id, OPERATOR)).toMatchObject({
      lastStatus: 'success',
      failureCount: 0,
    });
  });

  it('a one-shot that never succeeds is not lost: it stays, paused, with its reason', async () => {
    agent.brain.onLarge = () => 'no xml at all';
    const trigger = await created(agent, {
      instructions: 'important',
      schedule: onceAt(time.now() + MINUTE),
    });
    await beat(MINUTE);
    for (const wait of [30 * SECOND, 2 * MINUTE, 10 * MINUTE, MINUTE]) await beat(wait);
    const after = await agent.triggers.get(trigger.id, OPERATOR);
    expect(after.state).toBe('paused');
    expect(after.stateReason).toContain('the model gave no plan that could be parsed');
    agent.brain.onLarge = () => plan('done after all');
    await agent.triggers.resume(trigger.id, OPERATOR);
    await beat(SECOND);
    expect(await exists(agent, trigger.id)).toBe(false);
    expect(await statusesOf(agent, trigger.id)).toEqual(['failed', 'success']);
  });

  it('a failed action makes the run fail; a deliberate IGNORE is a silent success', async () => {
    agent.runtime.registerAction({
      name: 'POLICY_TEST_BREAKS',
      description: 'fails',
      examples: [],
      similes: [],
      validate: async () => true,
      handler: async () => ({
        success: false,
        text: 'the disk is full',
        data: { actionName: 'POLICY_TEST_BREAKS' },
      }),
    });
    agent.brain.onLarge = () => plan('', 'POLICY_TEST_BREAKS');
    const breaks = await created(agent, {
      instructions: 'break',
      schedule: onceAt(time.now() + MINUTE),
    });
    await beat(MINUTE);
    expect((await runsOf(agent, breaks.id))[0]).toMatchObject({
      status: 'failed',
      error: 'action POLICY_TEST_BREAKS failed: the disk is full',
    });
    agent.brain.onLarge = () => plan('', 'IGNORE');
    const silent = await created(agent, {
      instructions: 'only if wrong',
      schedule: onceAt(time.now() + MINUTE),
    });
    await beat(MINUTE);
    expect((await runsOf(agent, silent.id))[0]).toMatchObject({
      status: 'success',
      responded: false,
    });
  });

  it('an action that does not exist makes the run fail with its name', async () => {
    agent.brain.onLarge = () => plan('', 'ZZZ_QQQ_WWW');
    const trigger = await created(agent, {
      instructions: 'odd plan',
      schedule: onceAt(time.now() + MINUTE),
    });
    await beat(MINUTE);
    expect((await runsOf(agent, trigger.id))[0]?.error).toContain('ZZZ_QQQ_WWW');
  });

  it('a run that hangs fails by its time-out; what it says later is kept as late and never delivered', async () => {
    let finish = () => {};
    agent.brain.onLarge = () =>
      new Promise((resolve) => {
        finish = () => resolve(plan('too late'));
      });
    const chat = await makeChat(agent.runtime, 'late');
    const sent: string[] = [];
    agent.runtime.registerSendHandler('test', async (_runtime, _target, content) => {
      sent.push(content.text ?? '');
    });
    const trigger = await created(agent, {
      instructions: 'hang',
      schedule: onceAt(time.now() + MINUTE),
      timeoutMs: 1_000,
      originRoomId: chat.roomId,
      deliverTo: { roomId: chat.roomId },
    });
    await beat(MINUTE);
    expect((await runsOf(agent, trigger.id))[0]).toMatchObject({
      status: 'failed',
      open: true,
      error: 'timed out after 1 s',
    });
    finish();
    for (let wait = 0; wait < 6_000; wait += 1) {
      if ((await runsOf(agent, trigger.id))[0]?.lateAnswer !== undefined) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect((await runsOf(agent, trigger.id))[0]?.lateAnswer).toBe('too late');
    expect(sent).toEqual([]);
    agent.brain.onLarge = () => plan('in time');
    await beat(30 * SECOND);
    expect((await runsOf(agent, trigger.id))[0]).toMatchObject({
      status: 'success',
      answer: 'in time',
    });
    expect(sent).toEqual(['in time']);
  });
});

describe('ends', () => {
  it('maxRuns reached removes the trigger, its history stays', async () => {
    const trigger = await created(agent, {
      instructions: 'twice',
      schedule: every(MINUTE),
      maxRuns: 2,
    });
    for (let step = 0; step < 4; step += 1) await beat(MINUTE);
    expect(await exists(agent, trigger.id)).toBe(false);
    expect(await statusesOf(agent, trigger.id)).toEqual(['success', 'success']);
  });

  it('a schedule whose end has passed removes the trigger', async () => {
    const trigger = await created(agent, {
      instructions: 'until soon',
      schedule: { ...every(MINUTE), untilIso: new Date(time.now() + 2 * MINUTE).toISOString() },
    });
    for (let step = 0; step < 5; step += 1) await beat(MINUTE);
    expect(await exists(agent, trigger.id)).toBe(false);
    expect(await statusesOf(agent, trigger.id)).toEqual(['success', 'success']);
  });

  it('runImmediately runs at once and then keeps the cadence', async () => {
    const t0 = time.now();
    const trigger = await created(agent, {
      instructions: 'now and later',
      schedule: every(5 * MINUTE),
      runImmediately: true,
    });
    await time.tick();
    expect(await statusesOf(agent, trigger.id)).toEqual(['success']);
    expect((await runsOf(agent, trigger.id))[0]?.cause).toBe('immediate');
    for (let step = 0; step < 11; step += 1) await beat(30 * SECOND);
    expect((await runsOf(agent, trigger.id)).map((run) => run.scheduledForMs - t0)).toEqual([
      0,
      5 * MINUTE,
    ]);
  });
});

describe('switches and limits', () => {
  it('without autonomy a run is deferred with its reason and runs when autonomy is back', async () => {
    const trigger = await created(agent, {
      instructions: 'wait for me',
      schedule: onceAt(time.now() + MINUTE),
    });
    await agent.autonomy.configure({ enabled: false });
    await beat(MINUTE);
    expect(await runsOf(agent, trigger.id)).toMatchObject([
      {
        status: 'deferred',
        waitsFor: 'autonomy',
        reason: 'autonomy is switched off (CUE_AUTONOMY)',
      },
    ]);
    expect(await agent.triggers.health()).toMatchObject({
      deferred: 1,
      blocked: 'autonomy is switched off (CUE_AUTONOMY)',
    });
    const byHand = await agent.triggers.run(
      (await created(agent, { instructions: 'ask me', schedule: every(HOUR) })).id,
      OPERATOR,
    );
    await agent.autonomy.configure({ enabled: true });
    agent.brain.calls.length = 0;
    await beat(5 * SECOND);
    expect(await statusesOf(agent, trigger.id)).toEqual(['success']);
    expect(await exists(agent, trigger.id)).toBe(false);
    // What it waited for is over: neither the agent nor the ledger is told that it still holds.
    expect((await runsOf(agent, trigger.id))[0]?.reason).toMatch(/^was due /);
    const told = agent.brain.calls.map((call) => call.prompt).join('\n');
    expect(told).toContain('wait for me');
    expect(told).not.toContain('switched off');
    expect(byHand.run?.status).toBe('deferred');
    expect((await runsOf(agent, byHand.run?.triggerId ?? ''))[0]).toMatchObject({
      status: 'success',
    });
    expect((await runsOf(agent, byHand.run?.triggerId ?? ''))[0]).not.toHaveProperty('reason');
  });

  it('next_autonomy_cycle waits for the loop, which takes all waiting instructions in one turn', async () => {
    const wakeMode = 'next_autonomy_cycle' as const;
    const first = await created(agent, {
      instructions: 'count sheep',
      wakeMode,
      schedule: onceAt(time.now() + MINUTE),
    });
    const second = await created(agent, {
      instructions: 'count goats',
      wakeMode,
      schedule: onceAt(time.now() + MINUTE),
    });
    await beat(MINUTE);
    expect(await statusesOf(agent, first.id)).toEqual(['deferred']);
    expect((await runsOf(agent, first.id))[0]?.reason).toContain('CUE_AUTONOMY_LOOP');
    agent.brain.calls.length = 0;
    expect(await agent.autonomy.runCycle()).toEqual({ instructions: 2 });
    const turns = agent.brain.calls.filter((call) => call.type === 'large');
    expect(turns).toHaveLength(1);
    expect(turns[0]?.prompt).not.toContain('CUE_AUTONOMY_LOOP');
    expect(await statusesOf(agent, first.id)).toEqual(['success']);
    expect(await statusesOf(agent, second.id)).toEqual(['success']);
    expect(await exists(agent, second.id)).toBe(false);
  });

  it('the autonomy loop runs as a task of the host when it is switched on', async () => {
    await agent.autonomy.configure({ loop: true, intervalMs: MINUTE });
    agent.brain.calls.length = 0;
    await beat(MINUTE);
    for (let wait = 0; wait < 6_000 && agent.brain.calls.length === 0; wait += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(agent.brain.calls[0]?.prompt).toContain('quiet moment');
    await agent.autonomy.queue.idle();
    await agent.autonomy.configure({ loop: false });
    expect(await agent.runtime.getTasksByName('AUTONOMY_THINK')).toEqual([]);
  });

  it('the kill switch stops everything at once and lets go again', async () => {
    const trigger = await created(agent, { instructions: 'hold on', schedule: every(MINUTE) });
    agent.runtime.setSetting('CUE_TRIGGERS_PAUSED', 'true');
    await beat(MINUTE);
    await beat(MINUTE);
    expect(await statusesOf(agent, trigger.id)).toEqual([]);
    expect(await agent.triggers.health()).toMatchObject({ dispatchPaused: true });
    await expect(agent.triggers.run(trigger.id, OPERATOR)).rejects.toMatchObject({
      code: 'DISABLED',
    });
    agent.runtime.setSetting('CUE_TRIGGERS_PAUSED', 'false');
    await beat(SECOND);
    expect(await statusesOf(agent, trigger.id)).toEqual(['skipped', 'success']);
  });
});
