/** The clock set back while the agent runs: what waits for a time of the clock before is looked at anew. */
import { stringToUuid } from '@elizaos/core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { AUTONOMY_LOOP_TASK } from '../../src/autonomy/index.js';
import type { TriggerRun } from '../../src/index.js';
import { createRecords, databaseOf, homeOf } from '../../src/records/index.js';
import { createLedger } from '../../src/triggers/ledger.js';
import { type Agent, boot, makeChat } from '../helpers/boot.js';
import { plan } from '../helpers/scripted-model.js';
import { type Time, takeTime } from '../helpers/time.js';
import { created, cron, every, OPERATOR, onceAt, runsOf } from '../helpers/triggers.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let agent: Agent;
let time: Time;
let sent: string[] = [];
let isPlatformAway = false;

beforeAll(async () => {
  agent = await boot({ slim: true, name: 'Set back' });
  agent.runtime.registerSendHandler('platform', async (_runtime, _target, content) => {
    if (isPlatformAway) throw new Error('the platform is away');
    sent.push(String(content.text));
  });
  time = takeTime(agent, Date.parse('2026-03-02T08:00:00Z'));
});
afterAll(async () => {
  time.release();
  await agent.stop();
});
beforeEach(async () => {
  agent.brain.onLarge = () => plan('done');
  sent = [];
  isPlatformAway = false;
  for (const trigger of (await agent.triggers.list({}, { limit: 200 }, OPERATOR)).triggers) {
    await agent.triggers.delete(trigger.id, OPERATOR);
  }
  // Later than any time that a test before has seen, and at a full hour.
  time.set(Math.ceil(time.now() / (24 * HOUR)) * 24 * HOUR + 32 * HOUR);
  await beat(0);
});

async function beat(ms: number): Promise<void> {
  time.jump(ms);
  await agent.triggers.heartbeat();
  await time.tick();
}

/** The host calls every second whatever the clock says; what follows is awaited. */
const setBack = (ms: number) => beat(-ms);

const ledger = () =>
  createLedger(createRecords({ db: databaseOf(agent.runtime), home: homeOf(agent.runtime) }));

/** Minutes of the hour at which it ran, by the clock of then. */
async function minutesOf(triggerId: string, status = 'success'): Promise<number[]> {
  const runs = (await runsOf(agent, triggerId)).filter((run) => run.status === status);
  return runs.map((run) => new Date(run.scheduledForMs).getUTCMinutes());
}

it('what repeats more often than the clock was set back goes on at once', async () => {
  const crons = await created(agent, { instructions: 'by cron', schedule: cron('*/5 * * * *') });
  const interval = await created(agent, {
    instructions: 'by interval',
    schedule: every(5 * MINUTE),
  });
  for (let n = 0; n < 9; n += 1) await beat(5 * MINUTE);
  const before = [5, 10, 15, 20, 25, 30, 35, 40, 45];
  expect(await minutesOf(crons.id)).toEqual(before);
  await setBack(45 * MINUTE);
  for (let n = 0; n < 3; n += 1) await beat(5 * MINUTE);
  const again = [...before, 5, 10, 15].toSorted((a, b) => a - b);
  expect(await minutesOf(crons.id)).toEqual(again);
  expect(await minutesOf(interval.id)).toEqual(again);
  // And once more.
  await setBack(10 * MINUTE);
  await beat(5 * MINUTE);
  expect(await minutesOf(crons.id)).toEqual([...again, 10].toSorted((a, b) => a - b));
});

it('what repeats less often does not run twice', async () => {
  const hourly = await created(agent, { instructions: 'hourly', schedule: cron('30 * * * *') });
  await beat(30 * MINUTE);
  await setBack(20 * MINUTE);
  await beat(20 * MINUTE);
  expect(await minutesOf(hourly.id)).toEqual([30]);
  await beat(HOUR);
  expect(await minutesOf(hourly.id)).toEqual([30, 30]);
});

it('what was left out as missed by a clock that ran ahead runs at its time', async () => {
  const daily = await created(agent, {
    instructions: 'daily',
    schedule: cron('30 9 * * *'),
    missedRunPolicy: { mode: 'skip' },
  });
  await beat(6 * HOUR);
  expect(await minutesOf(daily.id, 'skipped')).toEqual([30]);
  await setBack(6 * HOUR);
  await beat(90 * MINUTE);
  expect(await minutesOf(daily.id)).toEqual([30]);
});

it('a run that was put off stays so', async () => {
  const daily = await created(agent, { instructions: 'put off', schedule: cron('0 9 * * *') });
  const untilMs = time.now() + 90 * MINUTE;
  await agent.triggers.snooze(daily.id, untilMs, OPERATOR);
  await beat(30 * MINUTE);
  await setBack(20 * MINUTE);
  expect((await agent.triggers.get(daily.id, OPERATOR)).nextRunAtMs).toBe(untilMs);
});

it('a retry comes within its half minute', async () => {
  agent.brain.onLarge = () => {
    throw new Error('no model today');
  };
  const trigger = await created(agent, {
    instructions: 'fails once',
    schedule: onceAt(time.now() + MINUTE),
  });
  await beat(MINUTE);
  agent.brain.onLarge = () => plan('done');
  await setBack(90 * MINUTE);
  await beat(30 * SECOND);
  expect((await runsOf(agent, trigger.id)).map((run) => run.status)).toEqual(['success']);
});

it('an answer that could not be delivered is sent again within a minute', async () => {
  const { roomId } = await makeChat(agent.runtime, 'set back');
  isPlatformAway = true;
  await created(agent, {
    instructions: 'say it',
    schedule: onceAt(time.now() + MINUTE),
    originRoomId: roomId,
    deliverTo: { roomId, source: 'platform' },
  });
  await beat(MINUTE);
  isPlatformAway = false;
  await setBack(90 * MINUTE);
  await beat(MINUTE);
  expect(sent).toEqual(['done']);
});

it('the run of a dead process is taken over when its lease would have run out', async () => {
  const trigger = await created(agent, { instructions: 'left', schedule: every(24 * HOUR) });
  const run: TriggerRun = {
    version: 1,
    triggerRunId: stringToUuid('left behind'),
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
    leaseUntilMs: time.now() + 30 * SECOND,
  };
  await ledger().claim([{ run, text: 'left' }]);
  await setBack(90 * MINUTE);
  expect(await ledger().get(run.triggerRunId)).toMatchObject({ status: 'running' });
  await beat(31 * SECOND);
  expect(await ledger().get(run.triggerRunId)).toMatchObject({ status: 'success' });
});

it('the autonomy loop goes on', async () => {
  await agent.autonomy.configure({ loop: true, intervalMs: MINUTE });
  await setBack(90 * MINUTE);
  const [task] = await agent.runtime.getTasksByName(AUTONOMY_LOOP_TASK);
  expect(task?.metadata?.updatedAt).toBeLessThanOrEqual(time.now());
  await agent.autonomy.configure({ loop: false });
});
