/** What the host does to us, measured in ELIZA_GUIDE §3–5, and what we make of it. */
import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, databaseOf, rowsOf } from '../../src/records/index.js';
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

let agent: Agent;
let time: Time;
let checkTasks: () => Promise<void>;
beforeAll(async () => {
  agent = await boot();
  time = takeTime(agent, START);
  const tasks = agent.runtime.getService('task') as unknown as { checkTasks(): Promise<void> };
  checkTasks = () => tasks.checkTasks();
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
});

async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  for (let wait = 0; wait < 6_000; wait += 1) {
    if (await done()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('waited a minute in vain');
}

async function rawTask(
  taskId: string,
): Promise<{ tags: string[]; metadata: Record<string, unknown> }> {
  const [row] = await rowsOf<{ tags: string[]; metadata: Record<string, unknown> }>(
    databaseOf(agent.runtime),
    sql`select tags, metadata from tasks where id = ${taskId}`,
  );
  if (!row) throw new Error('no task');
  return row;
}

describe('ticks', () => {
  it('ticks that overlap while a dispatch takes 5 s fire the occurrence once', async () => {
    const trigger = await created(agent, {
      instructions: 'take long',
      schedule: onceAt(time.now() + MINUTE),
    });
    agent.brain.calls.length = 0;
    let finish = () => {};
    agent.brain.onLarge = () =>
      new Promise((resolve) => {
        finish = () => resolve(plan('at last'));
      });
    time.jump(MINUTE);
    await Promise.all([checkTasks(), checkTasks()]);
    await until(() => agent.brain.calls.length > 0);
    for (let second = 0; second < 5; second += 1) {
      time.jump(SECOND);
      await checkTasks();
    }
    finish();
    await agent.triggers.settle();
    expect(agent.brain.calls.filter((call) => call.type === 'large')).toHaveLength(1);
    expect(await statusesOf(agent, trigger.id)).toEqual(['success']);
  });

  it('the tick of the host is not held by a run, however long it takes', async () => {
    await created(agent, { instructions: 'hang for long', schedule: onceAt(time.now() + MINUTE) });
    let finish = () => {};
    agent.brain.onLarge = () =>
      new Promise((resolve) => {
        finish = () => resolve(plan('ok'));
      });
    time.jump(MINUTE);
    const calls = agent.brain.calls.length;
    await checkTasks();
    await until(() => agent.brain.calls.length > calls);
    finish();
    await agent.triggers.settle();
  });

  it('a run that waits for its turn is queued, not running', async () => {
    const at = time.now() + MINUTE;
    for (const name of ['one', 'two', 'three']) {
      await created(agent, { instructions: `take your turn, ${name}`, schedule: onceAt(at) });
    }
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    agent.brain.onLarge = async () => {
      await held;
      return plan('done');
    };
    time.jump(MINUTE);
    const calls = agent.brain.calls.length;
    await checkTasks();
    await until(() => agent.brain.calls.length > calls);
    expect(await agent.triggers.health()).toMatchObject({ running: 1, queued: 2 });
    finish();
    await agent.triggers.settle();
    expect(await agent.triggers.health()).toMatchObject({ running: 0, queued: 0 });
  });

  it('due triggers of one second are claimed in the order of their time, then their id', async () => {
    const at = time.now() + MINUTE;
    const made = [];
    for (const offset of [2_000, 0, 1_000]) {
      made.push(
        await created(agent, { instructions: `at plus ${offset}`, schedule: onceAt(at + offset) }),
      );
    }
    agent.brain.calls.length = 0;
    await time.advance(MINUTE + 5_000);
    const asked = agent.brain.calls
      .filter((call) => call.type === 'large')
      .map((call) => [...call.prompt.matchAll(/at plus (\d+)/g)].at(-1)?.[1]);
    expect(asked).toEqual(['0', '1000', '2000']);
    expect(made).toHaveLength(3);
  });

  it('runs that start together keep the order of their claims when the database answers out of order', async () => {
    const at = time.now() + MINUTE;
    const names = ['first', 'second', 'third', 'fourth'];
    for (const [n, name] of names.entries()) {
      await created(agent, { instructions: `called ${name}`, schedule: onceAt(at + n * SECOND) });
    }
    const db = agent.runtime.db as Database;
    const execute = db.execute.bind(db);
    // A server answers several readers at once: here each is answered before those that asked earlier.
    let delayMs = 160;
    db.execute = ((query: SQL) => {
      if (!/from tasks where id = .* offset 0/.test(new PgDialect().sqlToQuery(query).sql)) {
        return execute(query);
      }
      delayMs = Math.max(0, delayMs - 40);
      return new Promise((resolve) => setTimeout(resolve, delayMs)).then(() => execute(query));
    }) as typeof db.execute;
    agent.brain.calls.length = 0;
    try {
      time.jump(MINUTE + 5 * SECOND);
      await agent.triggers.settle();
    } finally {
      Reflect.deleteProperty(db, 'execute');
    }
    const asked = agent.brain.calls
      .filter((call) => call.type === 'large')
      .map((call) => [...call.prompt.matchAll(/called (\w+)/g)].at(-1)?.[1]);
    expect(asked).toEqual(names);
  });
});

describe('the stale snapshot that TaskService writes back', () => {
  it('undoes no edit: the new text and time stand after the next heartbeat', async () => {
    const trigger = await created(agent, { instructions: 'old text', schedule: every(MINUTE) });
    const stale = (await rawTask(trigger.taskId)).metadata;
    await agent.triggers.update(
      trigger.id,
      { instructions: 'new text', schedule: every(30 * MINUTE) },
      OPERATOR,
    );
    await agent.runtime.updateTask(trigger.taskId as never, {
      metadata: { ...stale, updatedAt: time.now() } as never,
    });
    expect((await agent.triggers.get(trigger.id, OPERATOR)).instructions).toBe('old text');
    await agent.triggers.heartbeat();
    expect(await agent.triggers.get(trigger.id, OPERATOR)).toMatchObject({
      instructions: 'new text',
      intervalMs: 30 * MINUTE,
      state: 'resting',
    });
  });

  it('does not bring a paused trigger back to life', async () => {
    const trigger = await created(agent, { instructions: 'be quiet', schedule: every(MINUTE) });
    const stale = (await rawTask(trigger.taskId)).metadata;
    await agent.triggers.pause(trigger.id, OPERATOR);
    await agent.runtime.updateTask(trigger.taskId as never, { metadata: stale as never });
    await time.advance(5 * MINUTE);
    await agent.triggers.heartbeat();
    await time.tick();
    expect(await statusesOf(agent, trigger.id)).toEqual([]);
    expect((await agent.triggers.get(trigger.id, OPERATOR)).state).toBe('paused');
  });

  it('an edit made in the middle of a tick survives the write-back of that very tick', async () => {
    const first = await created(agent, {
      instructions: 'first in the tick',
      schedule: every(MINUTE),
    });
    const second = await created(agent, {
      instructions: 'second in the tick',
      schedule: every(MINUTE),
    });
    time.jump(MINUTE);
    const tick = checkTasks();
    await agent.triggers.update(second.id, { displayName: 'renamed meanwhile' }, OPERATOR);
    await tick;
    await agent.triggers.settle();
    await agent.triggers.heartbeat();
    expect((await agent.triggers.get(second.id, OPERATOR)).displayName).toBe('renamed meanwhile');
    expect(await statusesOf(agent, first.id)).toEqual(['success']);
    expect(await statusesOf(agent, second.id)).toEqual(['success']);
  });

  it('does not lose a count: the ledger has the number, and the task is healed', async () => {
    const trigger = await created(agent, { instructions: 'count me', schedule: every(MINUTE) });
    const stale = (await rawTask(trigger.taskId)).metadata;
    await time.advance(MINUTE);
    await agent.runtime.updateTask(trigger.taskId as never, { metadata: stale as never });
    expect((await agent.triggers.get(trigger.id, OPERATOR)).runCount).toBe(1);
    // The host calls the worker right after it has written.
    const task = await agent.runtime.getTask(trigger.taskId as never);
    const worker = agent.runtime.getTaskWorker('TRIGGER_DISPATCH');
    if (!task || !worker) throw new Error('no task or no worker');
    await worker.execute(agent.runtime, {}, task);
    await agent.triggers.settle();
    expect((await rawTask(trigger.taskId)).metadata.trigger).toMatchObject({
      runCount: 1,
      lastStatus: 'success',
    });
    await time.tick();
    expect(await statusesOf(agent, trigger.id)).toEqual(['success']);
  });

  it('of a tick that lasts for minutes leaves the results of later runs as they are', async () => {
    const trigger = await created(agent, {
      instructions: 'while it lasts',
      schedule: every(MINUTE),
    });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reached = false;
    let holds = true;
    agent.runtime.registerTaskWorker({
      name: 'HOLDS_ONE_TICK',
      // The host asks this after it has read the tasks, and before it runs the first.
      validate: async () => {
        if (!holds) return false;
        holds = false;
        reached = true;
        await held;
        return false;
      },
      execute: async () => undefined,
    });
    const holder = await agent.runtime.createTask({
      name: 'HOLDS_ONE_TICK',
      description: 'holds the tick',
      worldId: agent.runtime.agentId,
      tags: ['queue', 'repeat'],
      metadata: { updatedAt: 0, updateInterval: 0 },
    });
    const slow = checkTasks();
    await until(() => reached);
    for (let minute = 0; minute < 2; minute += 1) await time.advance(MINUTE);
    for (let beats = 0; beats < 3; beats += 1) await agent.triggers.heartbeat();
    const seen = await agent.triggers.get(trigger.id, OPERATOR);
    release();
    await slow;
    await agent.triggers.settle();
    const { triggers } = await agent.triggers.list({}, { limit: 10 }, OPERATOR);
    const { runCount, lastRunAtIso, lastStatus, failureCount } = seen;
    expect(runCount).toBe(2);
    expect(triggers[0]).toMatchObject({ runCount, lastRunAtIso, lastStatus, failureCount });
    await agent.runtime.deleteTask(holder);
  });

  it('a trigger deleted in the middle of a tick does not run', async () => {
    const trigger = await created(agent, {
      instructions: 'deleted in time',
      schedule: onceAt(time.now() + MINUTE),
    });
    time.jump(MINUTE);
    agent.brain.calls.length = 0;
    const tick = checkTasks();
    await agent.triggers.delete(trigger.id, OPERATOR);
    await tick;
    await agent.triggers.settle();
    expect(await exists(agent, trigger.id)).toBe(false);
    expect(agent.brain.calls.filter((call) => call.prompt.includes('deleted in time'))).toEqual([]);
  });
});

describe('damaged and foreign tasks', () => {
  it('a damaged trigger is set aside with its reason, all others run', async () => {
    const good = await created(agent, { instructions: 'healthy', schedule: every(MINUTE) });
    const cases: [string, unknown, RegExp][] = [
      ['no trigger', undefined, /has no trigger/],
      ['wrong types', { version: 1, triggerId: 7, enabled: 'yes' }, /damaged: triggerId/],
      ['later version', { version: 9, triggerId: good.triggerId }, /later version/],
      [
        'bad schedule',
        {
          ...((await rawTask(good.taskId)).metadata.trigger as object),
          triggerId: '0d9ee20c-6a3f-4b0e-9c2e-2f3f5a1f6a01',
          triggerType: 'cron',
          cronExpression: 'not cron',
        },
        /damaged/,
      ],
    ];
    for (const [, trigger] of cases) {
      await agent.runtime.createTask({
        name: 'TRIGGER_DISPATCH',
        description: 'damaged',
        worldId: agent.runtime.agentId,
        tags: ['queue', 'repeat', 'trigger'],
        metadata: { updatedAt: time.now(), updateInterval: SECOND, trigger } as never,
      });
    }
    await time.advance(MINUTE);
    await time.advance(MINUTE);
    expect(await statusesOf(agent, good.id)).toEqual(['success', 'success']);
    const health = await agent.triggers.health();
    expect(health.invalid).toBe(cases.length);
    for (const [name, , pattern] of cases) {
      expect(
        health.setAside.some((one) => pattern.test(one.reason)),
        name,
      ).toBe(true);
    }
    const { triggers } = await agent.triggers.list({ state: 'invalid' }, { limit: 50 }, OPERATOR);
    expect(triggers).toHaveLength(cases.length);
    for (const one of triggers) await agent.triggers.delete(one.taskId, OPERATOR);
    expect((await agent.triggers.health()).invalid).toBe(0);
  });

  it('a task in the form of the seed, made without our service, runs and is rescheduled', async () => {
    const now = time.now();
    const taskId = await agent.runtime.createTask({
      name: 'TRIGGER_DISPATCH',
      description: 'by hand',
      worldId: agent.runtime.agentId,
      tags: ['queue', 'repeat', 'trigger'],
      metadata: {
        updatedAt: now,
        updateInterval: MINUTE,
        blocking: true,
        trigger: {
          version: 1,
          triggerId: '0d9ee20c-6a3f-4b0e-9c2e-2f3f5a1f6a02',
          displayName: 'by hand',
          instructions: 'made by hand',
          triggerType: 'interval',
          enabled: true,
          wakeMode: 'inject_now',
          createdBy: 'system',
          intervalMs: MINUTE,
          runCount: 0,
        },
      } as never,
    });
    for (let step = 0; step < 3; step += 1) await time.advance(MINUTE);
    const runs = await runsOf(agent, '0d9ee20c-6a3f-4b0e-9c2e-2f3f5a1f6a02');
    expect(runs.map((run) => [run.status, run.scheduledForMs - now])).toEqual([
      ['success', MINUTE],
      ['success', 2 * MINUTE],
      ['success', 3 * MINUTE],
    ]);
    await agent.triggers.delete(taskId, OPERATOR);
  });

  it('a worker of another plugin that throws every tick does not stop ours', async () => {
    agent.runtime.registerTaskWorker({
      name: 'THROWS',
      execute: async () => {
        throw new Error('not my day');
      },
    });
    const taskId = await agent.runtime.createTask({
      name: 'THROWS',
      description: 'throws',
      worldId: agent.runtime.agentId,
      tags: ['queue', 'repeat'],
      metadata: { updatedAt: 0, updateInterval: 0 },
    });
    const trigger = await created(agent, { instructions: 'undisturbed', schedule: every(MINUTE) });
    await time.advance(MINUTE);
    expect(await statusesOf(agent, trigger.id)).toEqual(['success']);
    await agent.runtime.deleteTask(taskId);
  });
});

describe('the clock', () => {
  it('jumping forward by a day runs the catch-up once and goes on at the new time', async () => {
    const trigger = await created(agent, {
      instructions: 'through the gap',
      schedule: every(HOUR),
    });
    time.jump(25 * HOUR);
    await agent.triggers.heartbeat();
    await time.tick();
    expect(await statusesOf(agent, trigger.id)).toEqual(['skipped', 'success']);
    const next = (await agent.triggers.get(trigger.id, OPERATOR)).nextRunAtMs ?? 0;
    expect(next - time.now()).toBeLessThanOrEqual(HOUR);
  });

  it('jumping back does not stop triggers until the old time comes again, and runs nothing twice', async () => {
    const trigger = await created(agent, {
      instructions: 'back in time',
      schedule: every(2 * MINUTE),
    });
    time.jump(6 * HOUR);
    await agent.triggers.heartbeat();
    await time.tick();
    const caught = await runsOf(agent, trigger.id);
    expect(caught.map((run) => run.status)).toEqual(['skipped', 'success']);
    time.jump(-6 * HOUR);
    await time.tick();
    await until(async () => {
      const next = (await agent.triggers.get(trigger.id, OPERATOR)).nextRunAtMs ?? Infinity;
      return next - time.now() <= 2 * MINUTE;
    });
    // The occurrence that was recorded as missed by the clock before runs at its time.
    for (let step = 0; step < 3; step += 1) {
      await time.advance(2 * MINUTE);
      await agent.triggers.heartbeat();
      await time.tick();
    }
    const statuses = await statusesOf(agent, trigger.id);
    expect(statuses.filter((status) => status === 'success').length).toBeGreaterThanOrEqual(3);
    const ran = (await runsOf(agent, trigger.id)).filter((run) => run.status === 'success');
    const times = ran.map((run) => run.scheduledForMs);
    expect(new Set(times).size).toBe(times.length);
  });

  it('a daily job keeps its local hour over both clock changes, through the real dispatch', async () => {
    for (const [from, expected] of [
      [
        '2026-03-27T12:00:00Z',
        ['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
      ],
      [
        '2026-10-23T12:00:00Z',
        ['2026-10-24T00:30:00.000Z', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
      ],
    ] as const) {
      time.set(Date.parse(from));
      const trigger = await created(agent, {
        instructions: `night job from ${from}`,
        schedule: cron('30 2 * * *', 'Europe/Berlin'),
      });
      const endMs = time.now() + 72 * HOUR;
      while (time.now() < endMs) {
        const hour = new Date(time.now()).getUTCHours();
        // Both clock changes are at 1:00 UTC.
        time.jump(hour < 4 || hour > 20 ? 30 * MINUTE : 3 * HOUR);
        await agent.triggers.heartbeat();
        await time.tick();
      }
      const runs = await runsOf(agent, trigger.id);
      expect(runs.map((run) => new Date(run.scheduledForMs).toISOString())).toEqual(expected);
      expect(runs.every((run) => run.status === 'success')).toBe(true);
      await agent.triggers.delete(trigger.id, OPERATOR);
    }
  });
});

describe('the chat it was asked in', () => {
  it('deleting it deletes neither triggers nor runs; the answer stays in the ledger and is reported', async () => {
    const chat = await makeChat(agent.runtime, 'deleted-chat');
    const trigger = await created(agent, {
      instructions: 'survive the chat',
      schedule: every(MINUTE),
      originRoomId: chat.roomId,
      creatorEntityId: chat.entityId,
      deliverTo: { roomId: chat.roomId },
    });
    agent.runtime.registerSendHandler('test', async () => {});
    await time.advance(MINUTE);
    await agent.runtime.deleteRoom(chat.roomId);
    await time.advance(MINUTE);
    const runs = await runsOf(agent, trigger.id);
    expect(runs.map((run) => [run.status, run.delivery?.state])).toEqual([
      ['success', 'delivered'],
      ['success', 'failed'],
    ]);
    expect(runs[1]?.delivery?.error).toBe('the chat it was asked in no longer exists');
    expect(runs[1]?.answer).toBe('done');
    expect(await exists(agent, trigger.id)).toBe(true);
  });

  it('instructions of different conversations never stand in one prompt', async () => {
    const ann = await makeChat(agent.runtime, 'ann');
    const bob = await makeChat(agent.runtime, 'bob');
    for (const [chat, secret] of [
      [ann, 'ann-secret-plan'],
      [bob, 'bob-secret-plan'],
    ] as const) {
      await created(agent, {
        instructions: `work on ${secret}`,
        schedule: onceAt(time.now() + MINUTE),
        originRoomId: chat.roomId,
        creatorEntityId: chat.entityId,
      });
    }
    agent.brain.calls.length = 0;
    await time.advance(MINUTE);
    const prompts = agent.brain.calls.map((call) => call.prompt);
    expect(prompts.some((prompt) => prompt.includes('ann-secret-plan'))).toBe(true);
    expect(prompts.some((prompt) => prompt.includes('bob-secret-plan'))).toBe(true);
    expect(
      prompts.filter(
        (prompt) => prompt.includes('ann-secret-plan') && prompt.includes('bob-secret-plan'),
      ),
    ).toEqual([]);
  });
});
