/** The cost guard on the real runtime: what counts is an attempt that has begun, whatever its row says later. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { databaseOf } from '../../src/records/index.js';
import { type Agent, boot, makeChat } from '../helpers/boot.js';
import { plan } from '../helpers/scripted-model.js';
import { type Time, takeTime } from '../helpers/time.js';
import { created, every, OPERATOR, onceAt, runsOf } from '../helpers/triggers.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PER_HOUR = 10;

let agent: Agent;
let time: Time;
/** Questions to the model since it was last asked for. */
let asked = 0;

beforeAll(async () => {
  agent = await boot({
    slim: true,
    name: 'Cost guard',
    settings: { CUE_TRIGGER_RUNS_PER_HOUR: String(PER_HOUR) },
  });
  time = takeTime(agent, Date.parse('2026-03-02T08:00:00Z'));
});
afterAll(async () => {
  time.release();
  await agent.stop();
});
beforeEach(async () => {
  agent.brain.onLarge = () => {
    asked += 1;
    return plan('done');
  };
  for (const trigger of (await agent.triggers.list({}, { limit: 200 }, OPERATOR)).triggers) {
    await agent.triggers.delete(trigger.id, OPERATOR);
  }
  time.jump(2 * HOUR);
  asked = 0;
});

async function beat(ms: number): Promise<void> {
  time.jump(ms);
  await agent.triggers.heartbeat();
  await time.tick();
}

/** Several beats, as one alone may take up no more than the guard lets through. */
async function askedWithin(ms: number): Promise<number> {
  asked = 0;
  for (let n = 0; n < 4; n += 1) await beat(ms / 4);
  return asked;
}

function oneShots(count: number, change: object = {}) {
  const at = time.now() + MINUTE;
  return agent.triggers.createMany(
    Array.from({ length: count }, (_, n) => ({
      instructions: `job ${n}`,
      schedule: onceAt(at),
      ...change,
    })),
    { requester: OPERATOR },
  );
}

it('lets a backlog through at the rate of the limit, hour after hour', async () => {
  await oneShots(45);
  const perHour: number[] = [];
  await beat(MINUTE);
  perHour.push(asked + (await askedWithin(20 * SECOND)));
  expect((await agent.triggers.health()).deferredBy).toEqual({ budget: 35 });
  for (let hour = 0; hour < 4; hour += 1) {
    time.jump(HOUR + MINUTE);
    perHour.push(await askedWithin(20 * SECOND));
  }
  expect(perHour).toEqual([10, 10, 10, 10, 5]);
});

it('counts every retry as an attempt of its own', async () => {
  agent.brain.onLarge = () => {
    asked += 1;
    throw new Error('no model today');
  };
  await oneShots(4);
  await beat(MINUTE);
  expect(asked).toBe(4);
  // The second attempts make eight; the third ones come after two minutes, and there is room for two.
  expect(await askedWithin(5 * MINUTE)).toBe(PER_HOUR - 4);
  expect(await agent.triggers.health()).toMatchObject({ retrying: 4, failuresLastHour: 4 });
});

it('counts a shared turn of the autonomy loop once, and holds back the turns that are over', async () => {
  const wakeMode = 'next_autonomy_cycle' as const;
  for (let n = 0; n < PER_HOUR + 2; n += 1) {
    const { roomId } = await makeChat(agent.runtime, `guarded ${n}`);
    await oneShots(2, { wakeMode, originRoomId: roomId });
  }
  await beat(MINUTE);
  expect(asked).toBe(0);
  await agent.autonomy.runCycle();
  await agent.triggers.settle();
  expect(asked).toBe(PER_HOUR);
  expect((await agent.triggers.health()).deferred).toBe(4);
  time.jump(HOUR + MINUTE);
  await beat(5 * SECOND);
  await agent.autonomy.runCycle();
  await agent.triggers.settle();
  expect(asked).toBe(PER_HOUR + 2);
  expect((await agent.triggers.health()).deferred).toBe(0);
});

it('remembers the attempts of runs whose rows are gone', async () => {
  await oneShots(PER_HOUR);
  await beat(MINUTE);
  expect(asked).toBe(PER_HOUR);
  await databaseOf(agent.runtime).execute(sql`delete from memories where type = 'cue_trigger_run'`);
  await oneShots(1);
  await beat(MINUTE);
  expect(asked).toBe(PER_HOUR);
  expect((await agent.triggers.health()).deferredBy).toEqual({ budget: 1 });
});

it('counts what a person asks for, and does not hold it back', async () => {
  await oneShots(PER_HOUR);
  await beat(MINUTE);
  const trigger = await created(agent, { instructions: 'by hand', schedule: every(HOUR) });
  await agent.triggers.run(trigger.id, OPERATOR);
  await agent.triggers.settle();
  expect(asked).toBe(PER_HOUR + 1);
  expect((await runsOf(agent, trigger.id)).map((run) => run.status)).toEqual(['success']);
});
