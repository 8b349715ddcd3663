/** The seven acceptance criteria of `trigger-runtime.md` §10, on the real runtime. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('acceptance criteria of the seed', () => {
  let agent: Agent;
  let time: Time;
  beforeAll(async () => {
    agent = await boot();
    time = takeTime(agent, START);
  });
  afterAll(async () => {
    time.release();
    await agent.stop();
  });

  it('1: an interval trigger executes repeatedly at its cadence', async () => {
    const t0 = time.now();
    const trigger = await created(agent, {
      instructions: 'look around',
      schedule: every(5 * MINUTE),
    });
    await time.tick();
    expect(await statusesOf(agent, trigger.id)).toEqual([]);
    for (let step = 0; step < 30; step += 1) await time.advance(30_000);
    expect((await runsOf(agent, trigger.id)).map((run) => run.scheduledForMs - t0)).toEqual([
      5 * MINUTE,
      10 * MINUTE,
      15 * MINUTE,
    ]);
    expect(await statusesOf(agent, trigger.id)).toEqual(['success', 'success', 'success']);
    await agent.triggers.delete(trigger.id, OPERATOR);
  });

  it('2: a once trigger executes once at its time and is removed', async () => {
    const at = time.now() + 90_000;
    const trigger = await created(agent, { instructions: 'say hello once', schedule: onceAt(at) });
    await time.advance(89_000);
    expect(await exists(agent, trigger.id)).toBe(true);
    await time.advance(1_000);
    await time.advance(1_000);
    await time.advance(MINUTE);
    expect(await exists(agent, trigger.id)).toBe(false);
    const runs = await runsOf(agent, trigger.id);
    expect(runs.map((run) => [run.status, run.scheduledForMs])).toEqual([['success', at]]);
    expect(await agent.runtime.getTask(trigger.taskId as never)).toBeNull();
  });

  it('3: a cron trigger executes and reschedules over several cycles, at the times of its zone', async () => {
    const trigger = await created(agent, {
      instructions: 'summarize the inbox',
      schedule: cron('0 9 * * *', 'Europe/Berlin'),
    });
    expect(trigger.state).toBe('resting');
    for (let hour = 0; hour < 72; hour += 1) {
      await time.advance(HOUR);
      await agent.triggers.heartbeat();
      await time.tick();
    }
    const runs = await runsOf(agent, trigger.id);
    expect(runs.map((run) => new Date(run.scheduledForMs).toISOString())).toEqual([
      '2026-03-03T08:00:00.000Z',
      '2026-03-04T08:00:00.000Z',
      '2026-03-05T08:00:00.000Z',
    ]);
    expect((await agent.triggers.get(trigger.id, OPERATOR)).nextRunAtMs).toBe(
      Date.parse('2026-03-06T08:00:00Z'),
    );
    await agent.triggers.delete(trigger.id, OPERATOR);
  });

  it('4: the run status fields are written after each run', async () => {
    const trigger = await created(agent, {
      instructions: 'check status',
      schedule: every(2 * MINUTE),
    });
    await time.advance(2 * MINUTE);
    const ran = await agent.triggers.get(trigger.id, OPERATOR);
    expect(ran).toMatchObject({ runCount: 1, lastStatus: 'success' });
    expect(ran.lastRunAtIso).toBe(new Date(time.now()).toISOString());
    expect(ran.lastError).toBeUndefined();

    agent.brain.onLarge = () => {
      throw new Error('the provider says no');
    };
    await time.advance(2 * MINUTE);
    expect(await agent.triggers.get(trigger.id, OPERATOR)).toMatchObject({
      lastStatus: 'failed',
      lastError: 'the provider says no',
    });
    agent.brain.onLarge = () => plan('done');
    await agent.triggers.delete(trigger.id, OPERATOR);
  });

  it('5: the instruction reaches the message pipeline with stable metadata', async () => {
    const chat = await makeChat(agent.runtime, 'acceptance');
    const trigger = await created(agent, {
      instructions: 'water the plants',
      displayName: 'Plants',
      schedule: onceAt(time.now() + MINUTE),
      originRoomId: chat.roomId,
      creatorEntityId: chat.entityId,
    });
    await time.advance(MINUTE);
    const [run] = await runsOf(agent, trigger.id);
    const message = await agent.runtime.getMemoryById(run?.messageId as never);
    expect(message?.content.text).toContain('water the plants');
    expect(message?.metadata).toMatchObject({
      type: 'autonomous_instruction',
      source: 'trigger',
      triggerId: trigger.triggerId,
      triggerRunId: run?.triggerRunId,
      wakeMode: 'inject_now',
      creatorEntityId: chat.entityId,
      originRoomId: chat.roomId,
    });
    expect(message?.entityId).not.toBe(agent.runtime.agentId);
    expect(message?.roomId).not.toBe(chat.roomId);
    const answer = await agent.runtime.getMemoryById(run?.responseId as never);
    expect(answer).toMatchObject({ roomId: message?.roomId, content: { text: 'done' } });
  });

  it('6: a disabled trigger is not executed and costs the tick nothing', async () => {
    const trigger = await created(agent, {
      instructions: 'never again',
      schedule: every(2 * MINUTE),
    });
    await agent.triggers.update(trigger.id, { enabled: false }, OPERATOR);
    for (let step = 0; step < 5; step += 1) await time.advance(2 * MINUTE);
    await agent.triggers.heartbeat();
    expect(await statusesOf(agent, trigger.id)).toEqual([]);
    const task = await agent.runtime.getTask(trigger.taskId as never);
    expect(task?.tags).not.toContain('queue');
    expect(task?.tags).not.toContain('trigger_resting');
    expect((await agent.triggers.get(trigger.id, OPERATOR)).state).toBe('disabled');
    await agent.triggers.delete(trigger.id, OPERATOR);
  });

  it('7: tasks that are no triggers go on unaffected, also beside damaged ones', async () => {
    let plainRuns = 0;
    agent.runtime.registerTaskWorker({
      name: 'PLAIN_TASK',
      execute: async () => {
        plainRuns += 1;
        return undefined;
      },
    });
    await agent.runtime.createTask({
      name: 'PLAIN_TASK',
      description: 'not ours',
      worldId: agent.runtime.agentId,
      tags: ['queue', 'repeat'],
      metadata: { updatedAt: time.now(), updateInterval: MINUTE },
    });
    for (let step = 0; step < 3; step += 1) await time.advance(MINUTE);
    expect(plainRuns).toBe(3);
  });
});
