/**
 * Between the claim of a run and its turn lies its room's queue. Whether it is still wanted is asked when
 * the turn has come; what has not begun then has used nothing up.
 */
import { stringToUuid, type UUID } from '@elizaos/core';
import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TriggerRun } from '../../src/index.js';
import { createRecords, type Database, databaseOf, homeOf } from '../../src/records/index.js';
import { derivedId } from '../../src/shared/ids.js';
import { createLedger } from '../../src/triggers/ledger.js';
import { type Agent, boot, makeChat } from '../helpers/boot.js';
import { plan } from '../helpers/scripted-model.js';
import { type Time, takeTime } from '../helpers/time.js';
import { created, every, OPERATOR, onceAt, runsOf, statusesOf } from '../helpers/triggers.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const CYCLE = { wakeMode: 'next_autonomy_cycle' } as const;
const OFF = 'autonomy is switched off (CUE_AUTONOMY)';

let agent: Agent;
let time: Time;
let rooms = 0;
/** Throws when a run is claimed, so many times: a database that is away for a moment. */
let failures = 0;
/** What the main model was asked since the test began. */
let prompts: string[];
/** Called with the number of the question before it is answered. */
let onQuestion: (n: number) => Promise<void> | void;

beforeAll(async () => {
  agent = await boot({
    slim: true,
    name: 'Last moment',
    cue: {
      onStep: (step) => {
        if (step !== 'claimed' || failures === 0) return;
        failures -= 1;
        throw new Error('the database is away');
      },
    },
  });
  time = takeTime(agent, Date.parse('2026-03-02T08:00:00Z'));
});
afterAll(async () => {
  time.release();
  await agent.stop();
});
beforeEach(async () => {
  await agent.autonomy.configure({ enabled: true, loop: false });
  for (const trigger of (await agent.triggers.list({}, { limit: 200 }, OPERATOR)).triggers) {
    await agent.triggers.delete(trigger.id, OPERATOR);
  }
  await agent.triggers.settle();
  prompts = [];
  onQuestion = () => {};
  agent.brain.onLarge = async (prompt) => {
    prompts.push(prompt);
    await onQuestion(prompts.length);
    return plan('done');
  };
});

async function beat(ms: number): Promise<void> {
  time.jump(ms);
  await agent.triggers.heartbeat();
  await time.tick();
}

async function newRoom(): Promise<string> {
  rooms += 1;
  return (await makeChat(agent.runtime, `last moment ${rooms}`)).roomId;
}

function oneShot(instructions: string, originRoomId: string, change: object = {}) {
  return created(agent, {
    instructions,
    originRoomId,
    schedule: onceAt(time.now() + MINUTE),
    ...change,
  });
}

const ledger = () =>
  createLedger(createRecords({ db: databaseOf(agent.runtime), home: homeOf(agent.runtime) }));
const statusOf = async (triggerId: string) => (await runsOf(agent, triggerId)).at(-1);
const heard = (words: string) => prompts.some((prompt) => prompt.includes(words));

it('a one-shot whose turn cannot begin because the database is away is tried again', async () => {
  const made = await oneShot('begun late', await newRoom());
  const db = agent.runtime.db as Database;
  const execute = db.execute.bind(db);
  let cut = 0;
  db.execute = ((query: SQL) => {
    // The trigger is read again when the turn of its run has come.
    const isOfTurn = /from tasks where id = .* offset 0/.test(
      new PgDialect().sqlToQuery(query).sql,
    );
    if (!isOfTurn || cut > 0) return execute(query);
    cut += 1;
    return Promise.reject(new Error('the connection was cut'));
  }) as typeof db.execute;
  try {
    await beat(MINUTE);
  } finally {
    Reflect.deleteProperty(db, 'execute');
  }
  expect(cut).toBe(1);
  expect(prompts).toEqual([]);
  expect(await statusOf(made.id)).toMatchObject({ status: 'failed', open: true });
  await beat(MINUTE);
  expect(heard('begun late')).toBe(true);
  expect(await statusesOf(agent, made.id)).toEqual(['success']);
});

describe('the kill switch', () => {
  it('reaches the runs that wait for their room', async () => {
    const roomId = await newRoom();
    const made = [];
    for (let n = 0; n < 12; n += 1) made.push(await oneShot(`queued ${n}`, roomId));
    onQuestion = async (n) => {
      if (n === 2) await agent.autonomy.configure({ enabled: false });
    };
    await beat(MINUTE);
    expect(prompts).toHaveLength(2);
    expect(await agent.triggers.health()).toMatchObject({ deferredBy: { autonomy: 10 } });
    const waiting = await Promise.all(made.map(({ id }) => statusOf(id)));
    expect(new Set(waiting.map((run) => run?.reason).filter(Boolean))).toEqual(new Set([OFF]));
    await agent.autonomy.configure({ enabled: true });
    await beat(5 * SECOND);
    expect(prompts).toHaveLength(12);
    expect(await agent.triggers.health()).toMatchObject({ deferred: 0 });
  });

  it('of all triggers reaches them, too', async () => {
    const roomId = await newRoom();
    const made = [await oneShot('before the pause', roomId), await oneShot('after it', roomId)];
    onQuestion = () => agent.runtime.setSetting('CUE_TRIGGERS_PAUSED', 'true');
    await beat(MINUTE);
    expect(prompts).toHaveLength(1);
    agent.runtime.setSetting('CUE_TRIGGERS_PAUSED', 'false');
    onQuestion = () => {};
    await beat(5 * SECOND);
    for (const { id } of made) expect(await statusesOf(agent, id)).toEqual(['success']);
  });

  it('stops the thought of the loop that waits for its room', async () => {
    const trigger = await created(agent, { instructions: 'busy', schedule: every(HOUR) });
    await agent.autonomy.configure({ loop: true });
    let cycle: Promise<unknown> = Promise.resolve();
    onQuestion = async (n) => {
      if (n > 1) return;
      cycle = agent.autonomy.runCycle();
      await agent.autonomy.configure({ enabled: false });
    };
    await agent.triggers.run(trigger.id, OPERATOR);
    await agent.triggers.settle();
    await cycle;
    expect(prompts).toHaveLength(1);
  });
});

describe('a trigger that is changed while its run waits for its room', () => {
  it('does not run when it was paused or deleted, and runs as it is now', async () => {
    const roomId = await newRoom();
    await oneShot('comes first', roomId, { schedule: onceAt(time.now() + 30 * SECOND) });
    const common = { originRoomId: roomId, schedule: every(MINUTE) };
    const paused = await created(agent, { ...common, instructions: 'to be paused' });
    const deleted = await created(agent, { ...common, instructions: 'to be deleted' });
    const edited = await created(agent, { ...common, instructions: 'as it was' });
    onQuestion = async (n) => {
      if (n > 1) return;
      await agent.triggers.pause(paused.id, OPERATOR);
      await agent.triggers.delete(deleted.id, OPERATOR);
      await agent.triggers.update(edited.id, { instructions: 'as it is now' }, OPERATOR);
    };
    await beat(MINUTE);
    expect(prompts).toHaveLength(2);
    expect([heard('to be paused'), heard('to be deleted'), heard('as it is now')]).toEqual([
      ...[false, false, true],
    ]);
    expect(await statusOf(paused.id)).toMatchObject({
      status: 'skipped',
      reason: 'the trigger was paused before it ran',
    });
  });

  it('is left out of the turn that it would have shared', async () => {
    const originRoomId = await newRoom();
    const cycle = { originRoomId, schedule: every(HOUR), ...CYCLE };
    const kept = await created(agent, { ...cycle, instructions: 'still wanted' });
    const paused = await created(agent, { ...cycle, instructions: 'wanted no more' });
    await beat(HOUR);
    await oneShot('comes before the cycle', originRoomId);
    let turn: Promise<unknown> = Promise.resolve();
    onQuestion = async (n) => {
      if (n > 1) return;
      turn = agent.autonomy.runCycle();
      await expect.poll(async () => (await statusOf(paused.id))?.status).toBe('running');
      await agent.triggers.pause(paused.id, OPERATOR);
    };
    await beat(MINUTE);
    await turn;
    expect(prompts).toHaveLength(2);
    expect([heard('still wanted'), heard('wanted no more')]).toEqual([true, false]);
    expect((await statusOf(kept.id))?.status).toBe('success');
    expect((await statusOf(paused.id))?.status).toBe('skipped');
  });
});

describe('the wake mode', () => {
  it('is kept by a run that waited for autonomy first', async () => {
    const trigger = await oneShot('wait for the loop', await newRoom(), CYCLE);
    await agent.autonomy.configure({ enabled: false });
    await beat(MINUTE);
    expect(await statusOf(trigger.id)).toMatchObject({ waitsFor: 'autonomy', reason: OFF });
    await agent.autonomy.configure({ enabled: true });
    await beat(5 * SECOND);
    expect(prompts).toEqual([]);
    expect(await statusOf(trigger.id)).toMatchObject({ status: 'deferred', waitsFor: 'cycle' });
    expect(await agent.autonomy.runCycle()).toEqual({ instructions: 1 });
    expect((await statusOf(trigger.id))?.status).toBe('success');
  });

  it('is kept by a run that has failed: its retry is in a later cycle', async () => {
    const trigger = await oneShot('fail in the loop', await newRoom(), CYCLE);
    await beat(MINUTE);
    onQuestion = () => {
      throw new Error('no model today');
    };
    await agent.autonomy.runCycle();
    expect(await statusOf(trigger.id)).toMatchObject({ status: 'failed', open: true });
    onQuestion = () => {};
    prompts = [];
    await beat(30 * SECOND);
    expect(prompts).toEqual([]);
    expect(await agent.autonomy.runCycle()).toEqual({ instructions: 1 });
    expect(await statusOf(trigger.id)).toMatchObject({ status: 'success', attempt: 2 });
  });

  it('does not hold back what a person asks for', async () => {
    const trigger = await oneShot('asked for', await newRoom(), CYCLE);
    await agent.triggers.run(trigger.id, OPERATOR);
    await agent.triggers.settle();
    expect(heard('asked for')).toBe(true);
    await agent.triggers.delete(trigger.id, OPERATOR);
  });
});

it('a cycle whose turn breaks off ends no process and no other turn', async () => {
  const broken = await oneShot('breaks off', await newRoom(), CYCLE);
  const other = await oneShot('goes on', await newRoom(), CYCLE);
  await beat(MINUTE);
  failures = 1;
  expect(await agent.autonomy.runCycle()).toEqual({ instructions: 2 });
  const after = [(await statusOf(broken.id))?.status, (await statusOf(other.id))?.status];
  expect(after.toSorted()).toEqual(['running', 'success']);
  // Its lease runs out, and it waits for the next cycle.
  await beat(MINUTE);
  expect(await agent.autonomy.runCycle()).toEqual({ instructions: 1 });
  expect((await statusOf(broken.id))?.status).toBe('success');
  expect((await statusOf(other.id))?.status).toBe('success');
});

describe('the take-over limit', () => {
  /** A run that another process has left, whose process has ended five times before. */
  async function left(instructions: string, change: Partial<TriggerRun>) {
    const trigger = await created(agent, {
      instructions,
      originRoomId: await newRoom(),
      schedule: onceAt(time.now() + HOUR),
    });
    const run: TriggerRun = {
      version: 1,
      triggerRunId: stringToUuid(instructions),
      triggerId: trigger.triggerId,
      taskId: trigger.taskId,
      scheduledForMs: time.now(),
      cause: 'schedule',
      status: 'running',
      open: true,
      attempt: 1,
      startedAt: time.now(),
      leaseOwner: 'a dead process',
      leaseToken: 'its token',
      leaseUntilMs: time.now() - 1,
      takeovers: 5,
      ...change,
    };
    await ledger().claim([{ run, text: instructions }]);
    await beat(5 * SECOND);
    const ended = await ledger().get(run.triggerRunId);
    expect(ended).toMatchObject({ open: false });
    return ended;
  }

  it('counts the deaths of runs that had begun, not those of runs that waited for their room', async () => {
    expect(await left('innocent', {})).toMatchObject({ status: 'success', takeovers: 5 });
    expect(await left('guilty', { begunAtMs: time.now() })).toMatchObject({
      status: 'failed',
      error: "the agent's process ended 6 times during this run",
    });
    expect([heard('innocent'), heard('guilty')]).toEqual([true, false]);
  });

  it('does not hit a run whose answer is stored', async () => {
    expect(
      await left('answered', { begunAtMs: time.now(), answer: 'said before', responded: true }),
    ).toMatchObject({ status: 'success', answer: 'said before' });
    expect(prompts).toEqual([]);
  });

  it('a run that the version before has begun keeps its answer', async () => {
    const text = 'said before the upgrade';
    const agentId = agent.runtime.agentId;
    await agent.runtime.createMemory(
      {
        id: derivedId('answer', stringToUuid('begun before')),
        entityId: agentId,
        agentId,
        roomId: (await newRoom()) as UUID,
        content: { text },
      },
      'messages',
    );
    expect(await left('begun before', { takeovers: undefined })).toMatchObject({
      status: 'success',
      answer: text,
    });
    expect(prompts).toEqual([]);
  });

  it('is not used up by waiting: only the run whose turn has come has begun', async () => {
    const roomId = await newRoom();
    const made = [await oneShot('has its turn', roomId), await oneShot('waits', roomId)];
    const idsOf = async (triggers: { id: string }[]) =>
      (await Promise.all(triggers.map(({ id }) => statusOf(id)))).flatMap(
        (run) => run?.triggerRunId ?? [],
      );
    let seen: unknown[] = [];
    onQuestion = async (n) => {
      if (n === 1) seen = (await ledger().getMany(await idsOf(made))).map((run) => run.begunAtMs);
    };
    await beat(MINUTE);
    expect(seen.toSorted()).toEqual([time.now(), undefined]);
  });
});
