/** The rules of the triggers room: who may do what, how many, what counts as the same. */
import { stringToUuid } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Requester, TriggerDraft } from '../../src/index.js';
import { createRecords, databaseOf, homeOf, rowsOf } from '../../src/records/index.js';
import { createLedger } from '../../src/triggers/ledger.js';
import { runIdOf } from '../../src/triggers/run-history.js';
import { createTaskStore } from '../../src/triggers/store.js';
import { upgradeTriggers } from '../../src/triggers/trigger-service.js';
import { type Agent, boot, makeChat } from '../helpers/boot.js';
import { isOnPostgres } from '../helpers/postgres.js';
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
const DAY = 24 * HOUR;

let agent: Agent;
let time: Time;
beforeAll(async () => {
  agent = await boot({
    slim: true,
    settings: { CUE_TRIGGER_MAX_PER_CREATOR: '3', CUE_TRIGGER_MAX_PER_AGENT: '60' },
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

const rows = () =>
  rowsOf<{ n: string | number }>(
    databaseOf(agent.runtime),
    sql`select count(*) as n from tasks where name = 'TRIGGER_DISPATCH'`,
  ).then((found) => Number(found[0]?.n));

async function fromChat(
  seed: string,
  draft: Omit<TriggerDraft, 'originRoomId'>,
  confirmed = false,
) {
  const chat = await makeChat(agent.runtime, seed);
  const requester: Requester = { kind: 'entity', entityId: chat.entityId, roomId: chat.roomId };
  return agent.triggers.create(
    { ...draft, originRoomId: chat.roomId, creatorEntityId: chat.entityId },
    { requester, source: 'conversation', confirmed },
  );
}

describe('bad input creates nothing and names the field', () => {
  const base = { instructions: 'x', schedule: every(HOUR) };
  const cases: [string, unknown, string][] = [
    ['empty instructions', { ...base, instructions: '   ' }, 'instructions'],
    [
      'instructions of invisible characters alone',
      { ...base, instructions: '\u200b \u2060\u00ad\u3164\ufe0f\u{e0041}\u2800' },
      'instructions',
    ],
    ['a display name that nobody sees', { ...base, displayName: '\u200b' }, 'displayName'],
    ['100 KB of instructions', { ...base, instructions: 'a'.repeat(100_000) }, 'instructions'],
    ['NUL in the instructions', { ...base, instructions: 'a\u0000b' }, 'instructions'],
    ['instructions of the wrong type', { ...base, instructions: 7 }, 'instructions'],
    ['an unknown field', { ...base, colour: 'red' }, 'colour'],
    [
      'an unknown field of the schedule',
      { ...base, schedule: { ...every(HOUR), color: 1 } },
      'schedule.color',
    ],
    ['an invalid cron', { ...base, schedule: cron('61 * * * *') }, 'schedule.cronExpression'],
    [
      'a cron that never fires',
      { ...base, schedule: cron('0 0 30 2 *') },
      'schedule.cronExpression',
    ],
    ['an unknown zone', { ...base, schedule: cron('0 9 * * *', 'Mars/Base') }, 'schedule.timezone'],
    ['an interval under the floor', { ...base, schedule: every(1_000) }, 'schedule.intervalMs'],
    ['an interval over a year', { ...base, schedule: every(400 * DAY) }, 'schedule.intervalMs'],
    [
      'an interval that is no number',
      { ...base, schedule: { triggerType: 'interval', intervalMs: 'x' } },
      'schedule.intervalMs',
    ],
    [
      'a one-off in the past',
      { ...base, schedule: onceAt(START - DAY) },
      'schedule.scheduledAtIso',
    ],
    ['no schedule', { instructions: 'x' }, 'schedule'],
    ['a wake mode of its own', { ...base, wakeMode: 'soon' }, 'wakeMode'],
    ['maxRuns of zero', { ...base, maxRuns: 0 }, 'maxRuns'],
    ['a display name with a line break', { ...base, displayName: 'a\nb' }, 'displayName'],
    ['a display name of 500 characters', { ...base, displayName: 'n'.repeat(500) }, 'displayName'],
    ['a room that is no id', { ...base, deliverTo: { roomId: 'my room' } }, 'deliverTo.roomId'],
  ];
  it.each(cases)('%s', async (_name, draft, field) => {
    const before = await rows();
    await expect(
      agent.triggers.create(draft as TriggerDraft, { requester: OPERATOR, source: 'operator' }),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      findings: expect.arrayContaining([expect.objectContaining({ field })]),
    });
    expect(await rows()).toBe(before);
  });

  it('right-to-left and emoji names are kept as they are', async () => {
    const displayName = 'תזכורת 🌱 שלום';
    const trigger = await created(agent, { ...base, displayName, instructions: '🌱 مرحبا' });
    const stored = await agent.triggers.get(trigger.id, OPERATOR);
    expect([stored.displayName, stored.instructions]).toEqual([displayName, '🌱 مرحبا']);
  });
});

describe('the same trigger', () => {
  it('is stored once: a second request gets the existing one', async () => {
    const draft = {
      instructions: 'Water the plants!',
      schedule: cron('0 9 * * *', 'Europe/Berlin'),
    };
    const first = await created(agent, draft);
    const again = await agent.triggers.create(
      { ...draft, instructions: '  water   the PLANTS! ' },
      { requester: OPERATOR, source: 'operator' },
    );
    expect(again).toMatchObject({ created: false, trigger: { id: first.id } });
  });

  it.each([
    ['set the heating to -5', 'set the heating to 5'],
    ['learn C', 'learn C#'],
    ['Water the plants!', 'Water the plants?'],
    ['write x²', 'write x2'],
  ])('other characters make another one: %s, %s', async (one, other) => {
    await created(agent, { instructions: one, schedule: every(HOUR) });
    await created(agent, { instructions: other, schedule: every(HOUR) });
  });

  it('another target or creator makes another one, a guest in another session does not', async () => {
    const draft = { instructions: 'water the plants', schedule: every(HOUR) };
    const to = (seed: string) => ({ deliverTo: { roomId: stringToUuid(seed) } });
    await created(agent, draft);
    await created(agent, { ...draft, ...to('one room') });
    await created(agent, { ...draft, ...to('another room') });
    await created(agent, { ...draft, creatorEntityId: stringToUuid('ada') });
    await created(agent, { ...draft, creatorEntityId: stringToUuid('bob') });
    const asGuest = (session: string) =>
      agent.triggers.create(draft, {
        requester: { kind: 'agent', sessionId: stringToUuid(session) },
        source: 'operator',
      });
    expect(await asGuest('first')).toMatchObject({ created: true });
    expect(await asGuest('second')).toMatchObject({ created: false });
  });

  it('is known again after an upgrade: keys of an older form are made anew', async () => {
    const draft = { instructions: 'made long ago', schedule: every(HOUR), maxFailures: 2 };
    const old = await created(agent, draft);
    const home = homeOf(agent.runtime);
    const store = createTaskStore(createRecords({ db: databaseOf(agent.runtime), home }));
    const stored = { dedupeKey: 'd41d8cd98f00b204e9800998ecf8427e', lastStatus: 'failed' };
    await store.write([{ id: old.taskId, trigger: { ...stored, failureCount: 0 } }]);
    expect(await upgradeTriggers(store, home.agentId, time.now())).toBe(1);
    expect(await upgradeTriggers(store, home.agentId, time.now())).toBe(0);
    const again = await agent.triggers.create(draft, { requester: OPERATOR, source: 'operator' });
    expect(again).toMatchObject({
      created: false,
      // It had been resumed after failures, which then stood on the task alone.
      trigger: { id: old.id, failuresFromMs: time.now(), revision: 0 },
    });
  });

  it('another zone, room or time makes another trigger', async () => {
    const instructions = 'water the plants';
    const room = stringToUuid('another room');
    await created(agent, { instructions, schedule: cron('0 9 * * *', 'Europe/Berlin') });
    await created(agent, { instructions, schedule: cron('0 9 * * *', 'Europe/Paris') });
    await created(agent, { instructions, schedule: cron('0 10 * * *', 'Europe/Berlin') });
    await created(agent, {
      instructions,
      schedule: cron('0 9 * * *', 'Europe/Berlin'),
      originRoomId: room,
    });
    expect(await rows()).toBe(4);
  });

  it('asked for ten times at once is stored once', async () => {
    const results = await Promise.all(
      Array.from({ length: 10 }, () =>
        agent.triggers.create(
          { instructions: 'only one of me', schedule: every(HOUR) },
          { requester: OPERATOR, source: 'operator' },
        ),
      ),
    );
    expect(results.filter((result) => result.created)).toHaveLength(1);
    expect(
      new Set(results.map((result) => ('trigger' in result ? result.trigger.id : ''))),
    ).toHaveProperty('size', 1);
    expect(await rows()).toBe(1);
  });

  it('may be made again after it was edited into another one', async () => {
    const draft = { instructions: 'first thought', schedule: every(HOUR) };
    const first = await created(agent, draft);
    await agent.triggers.update(first.id, { instructions: 'second thought' }, OPERATOR);
    const second = await created(agent, draft);
    expect(second.id).not.toBe(first.id);
    expect(await rows()).toBe(2);
    await expect(
      agent.triggers.update(second.id, { instructions: 'second thought' }, OPERATOR),
    ).rejects.toMatchObject({ code: 'DUPLICATE', details: { existingId: first.id } });
  });
});

describe('limits', () => {
  it('one person has at most so many active triggers, the operator is not bound by it', async () => {
    for (let n = 0; n < 3; n += 1) {
      expect(
        await fromChat('greedy', { instructions: `n ${n}`, schedule: every(HOUR) }),
      ).toMatchObject({ created: true });
    }
    await expect(
      fromChat('greedy', { instructions: 'one too many', schedule: every(HOUR) }),
    ).rejects.toMatchObject({ code: 'LIMIT_REACHED', details: { limit: 3, count: 3 } });
    await created(agent, { instructions: 'by the operator', schedule: every(HOUR) });
  });

  it('the agent has at most so many; createMany says which were over', async () => {
    const drafts = Array.from({ length: 70 }, (_, n) => ({
      instructions: `bulk ${n}`,
      schedule: every(HOUR),
    }));
    const made = await agent.triggers.createMany(drafts, { requester: OPERATOR });
    expect([made.created.length, made.rejected.length]).toEqual([60, 10]);
    expect(made.rejected[0]?.findings[0]?.message).toContain('limit of 60');
    await expect(
      created(agent, { instructions: 'more', schedule: every(HOUR) }),
    ).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
    });
  });

  it('a paused trigger can not be resumed past the limit', async () => {
    const paused = await created(agent, { instructions: 'aside', schedule: every(HOUR) });
    await agent.triggers.pause(paused.id, OPERATOR);
    const drafts = Array.from({ length: 60 }, (_, n) => ({
      instructions: `fill ${n}`,
      schedule: every(HOUR),
    }));
    await agent.triggers.createMany(drafts, { requester: OPERATOR });
    await expect(agent.triggers.resume(paused.id, OPERATOR)).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
    });
  });

  it('createMany judges item by item and finds doubles within the request', async () => {
    const good = { instructions: 'a good one', schedule: every(HOUR) };
    const made = await agent.triggers.createMany(
      [
        good,
        { ...good, schedule: every(5) },
        good,
        { instructions: 'another', schedule: every(HOUR) },
      ],
      { requester: OPERATOR },
    );
    expect(made.created.map((one) => one.instructions)).toEqual(['a good one', 'another']);
    expect(made.rejected.map((one) => [one.index, one.findings[0]?.field])).toEqual([
      [1, 'schedule.intervalMs'],
    ]);
    expect(made.duplicates.map((one) => one.index)).toEqual([2]);
  });

  it('a repeating schedule under five minutes needs a yes in a conversation, a one-off never', async () => {
    const often = { instructions: 'poke me', schedule: every(2 * MINUTE) };
    expect(await fromChat('eager', often)).toEqual({
      created: false,
      confirm: { scheduleText: 'every 2 minutes', everyMs: 2 * MINUTE },
    });
    expect(await rows()).toBe(0);
    expect(await fromChat('eager', often, true)).toMatchObject({ created: true });
    expect(
      await fromChat('eager', { instructions: 'soon', schedule: onceAt(time.now() + 20_000) }),
    ).toMatchObject({ created: true });
    expect(
      await fromChat('eager', { instructions: 'cron too', schedule: cron('*/2 * * * *') }),
    ).toMatchObject({ created: false, confirm: { everyMs: 2 * MINUTE } });
  });

  it('a run may make five triggers, none more often than hourly, and the chain counts as one', async () => {
    const parent = await created(agent, { instructions: 'parent', schedule: every(HOUR) });
    const chat = await makeChat(agent.runtime, 'children');
    const viaRun = (parentId: string, n: string, schedule: TriggerDraft['schedule']) =>
      agent.triggers.create(
        { instructions: `child ${n}`, schedule },
        {
          requester: {
            kind: 'entity',
            entityId: chat.entityId,
            roomId: chat.roomId,
            viaRunOfTriggerId: parentId,
          },
          source: 'conversation',
          confirmed: true,
        },
      );
    await expect(viaRun(parent.id, 'often', every(30 * MINUTE))).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
    });
    const first = await viaRun(parent.id, '1', every(2 * HOUR));
    expect(first).toMatchObject({
      created: true,
      trigger: { createdBy: 'agent', parentTriggerId: parent.id },
    });
    for (const n of ['2', '3', '4']) await viaRun(parent.id, n, every(2 * HOUR));
    const childId = 'trigger' in first ? first.trigger.id : '';
    expect(await viaRun(childId, '5', every(2 * HOUR))).toMatchObject({
      trigger: { parentTriggerId: parent.id },
    });
    await expect(viaRun(childId, '6', every(2 * HOUR))).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
    });
    await expect(viaRun(parent.id, '7', every(2 * HOUR))).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
    });
  });
});

describe('rights', () => {
  it('a stranger can neither see nor change a trigger, a member of the room can see it', async () => {
    const made = await fromChat('owner-of-it', {
      instructions: 'private matter',
      schedule: every(HOUR),
    });
    const id = 'trigger' in made ? made.trigger.id : '';
    const owner = await makeChat(agent.runtime, 'owner-of-it');
    const stranger = await makeChat(agent.runtime, 'stranger');
    const asStranger: Requester = {
      kind: 'entity',
      entityId: stranger.entityId,
      roomId: stranger.roomId,
    };
    const asMember: Requester = {
      kind: 'entity',
      entityId: stranger.entityId,
      roomId: owner.roomId,
    };
    const asOwner: Requester = { kind: 'entity', entityId: owner.entityId, roomId: owner.roomId };

    await expect(agent.triggers.get(id, asStranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(agent.triggers.runs(id, { limit: 1 }, asStranger)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(agent.triggers.why(id, asStranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(agent.triggers.delete(id, asStranger)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect((await agent.triggers.list({}, { limit: 50 }, asStranger)).triggers).toEqual([]);

    expect((await agent.triggers.get(id, asMember)).id).toBe(id);
    for (const act of [
      () => agent.triggers.update(id, { instructions: 'mine now' }, asMember),
      () => agent.triggers.pause(id, asMember),
      () => agent.triggers.delete(id, asMember),
      () => agent.triggers.run(id, asMember),
      () => agent.triggers.snooze(id, time.now() + HOUR, asMember),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    }
    expect((await agent.triggers.list({}, { limit: 50 }, asOwner)).total).toBe(1);
    expect((await agent.triggers.pause(id, asOwner)).state).toBe('paused');
  });

  it("the world's owner and its admins may change what others made there", async () => {
    const made = await fromChat('governed', {
      instructions: 'governed matter',
      schedule: every(HOUR),
    });
    const id = 'trigger' in made ? made.trigger.id : '';
    const chat = await makeChat(agent.runtime, 'governed');
    const boss = await makeChat(agent.runtime, 'boss');
    const asBoss: Requester = { kind: 'entity', entityId: boss.entityId, roomId: chat.roomId };
    await expect(agent.triggers.pause(id, asBoss)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    const world = await agent.runtime.getWorld(chat.worldId);
    if (!world) throw new Error('no world');
    await agent.runtime.updateWorld({
      ...world,
      metadata: { ...world.metadata, roles: { [boss.entityId]: 'ADMIN' } as never },
    });
    expect((await agent.triggers.pause(id, asBoss)).state).toBe('paused');
  });
});

describe('changing', () => {
  it('pausing takes it out of the queue; resuming does not run what was missed meanwhile', async () => {
    const trigger = await created(agent, { instructions: 'rest a while', schedule: every(HOUR) });
    await agent.triggers.pause(trigger.id, OPERATOR);
    time.jump(5 * HOUR + 30 * MINUTE);
    await agent.triggers.heartbeat();
    await time.tick();
    const resumed = await agent.triggers.resume(trigger.id, OPERATOR);
    expect(resumed.nextRunAtMs).toBe((trigger.nextRunAtMs ?? 0) + 5 * HOUR);
    expect(await statusesOf(agent, trigger.id)).toEqual([]);
  });

  it('skip next leaves out exactly one run and says so in the ledger', async () => {
    const trigger = await created(agent, { instructions: 'skip one', schedule: every(HOUR) });
    const moved = await agent.triggers.skipNext(trigger.id, OPERATOR);
    expect(moved.nextRunAtMs).toBe((trigger.nextRunAtMs ?? 0) + HOUR);
    time.jump(2 * HOUR);
    await agent.triggers.heartbeat();
    await time.tick();
    expect((await runsOf(agent, trigger.id)).map((run) => [run.status, run.reason])).toEqual([
      ['skipped', 'skipped on request'],
      ['success', undefined],
    ]);
  });

  it('snooze puts off the next run only', async () => {
    const trigger = await created(agent, {
      instructions: 'snooze me',
      schedule: cron('0 * * * *'),
    });
    const first = trigger.nextRunAtMs ?? 0;
    await agent.triggers.snooze(trigger.id, first + 10 * MINUTE, OPERATOR);
    for (let step = 0; step < 8; step += 1) {
      time.jump(15 * MINUTE);
      await agent.triggers.heartbeat();
      await time.tick();
    }
    const runs = await runsOf(agent, trigger.id);
    expect(
      runs.filter((run) => run.status === 'success').map((run) => run.scheduledForMs - first),
    ).toEqual([10 * MINUTE, HOUR]);
    await expect(agent.triggers.snooze(trigger.id, time.now() - 1, OPERATOR)).rejects.toMatchObject(
      {
        code: 'INVALID_INPUT',
      },
    );
  });

  it('snoozing for a while never brings a run forward', async () => {
    const draft = { instructions: 'doze', schedule: cron('0 9 * * *') };
    const { id, nextRunAtMs } = await created(agent, draft);
    const later = await agent.triggers.snoozeFor(id, 1, OPERATOR);
    expect(later.nextRunAtMs).toBe((nextRunAtMs ?? 0) + 1);
    const soon = await agent.triggers.snoozeFor(id, 48 * HOUR, OPERATOR);
    expect(soon.nextRunAtMs).toBe(time.now() + 48 * HOUR);
  });

  it('what is paused until a moment goes on by its clock, else at that moment', async () => {
    const untilMs = time.now() + 3 * 24 * HOUR + MINUTE;
    const daily = await created(agent, { instructions: 'hold', schedule: cron('0 9 * * *') });
    const held = await agent.triggers.pauseUntil(daily.id, untilMs, OPERATOR);
    expect(held.startAtIso).toBe(new Date(untilMs).toISOString());
    expect(held.nextRunAtMs).toBeGreaterThan(untilMs);
    const often = await created(agent, { instructions: 'hold too', schedule: every(HOUR) });
    const { nextRunAtMs } = await agent.triggers.pauseUntil(often.id, untilMs, OPERATOR);
    expect(nextRunAtMs).toBe(untilMs);
  });

  it('a partial change leaves the rest; two changes at once do not both win', async () => {
    const trigger = await created(agent, {
      instructions: 'keep me',
      displayName: 'Name',
      schedule: every(HOUR),
      maxRuns: 7,
    });
    await agent.triggers.update(trigger.id, { displayName: 'New name' }, OPERATOR);
    expect(await agent.triggers.get(trigger.id, OPERATOR)).toMatchObject({
      instructions: 'keep me',
      displayName: 'New name',
      intervalMs: HOUR,
      maxRuns: 7,
    });
    const both = await Promise.allSettled([
      agent.triggers.update(trigger.id, { displayName: 'left' }, OPERATOR),
      agent.triggers.update(trigger.id, { displayName: 'right' }, OPERATOR),
    ]);
    const lost = both.filter((one) => one.status === 'rejected');
    expect(lost.map(({ reason }) => reason.code)).toEqual(lost.map(() => 'CONFLICT'));
    // With several connections the second may begin when the first has ended: then it is no conflict.
    const { revision } = await agent.triggers.get(trigger.id, OPERATOR);
    expect(revision).toBe(1 + both.length - lost.length);
    if (!isOnPostgres()) expect(lost).toHaveLength(1);
  });

  it('a new schedule replaces the whole old one', async () => {
    const trigger = await created(agent, { instructions: 'shape', schedule: every(HOUR) });
    const changed = await agent.triggers.update(
      trigger.id,
      { schedule: cron('0 9 * * 1') },
      OPERATOR,
    );
    expect(changed).toMatchObject({ triggerType: 'cron', cronExpression: '0 9 * * 1' });
    const stored = await agent.triggers.get(trigger.id, OPERATOR);
    expect([stored.intervalMs, stored.anchorMs]).toEqual([undefined, undefined]);
  });

  it('running it now leaves its schedule alone and counts the run', async () => {
    const trigger = await created(agent, { instructions: 'now please', schedule: every(HOUR) });
    const { run } = await agent.triggers.run(trigger.id, OPERATOR, { waitMs: 10_000 });
    expect(run).toMatchObject({ status: 'success', cause: 'manual', answer: 'done' });
    expect(run).not.toHaveProperty('leaseToken');
    expect(await agent.triggers.get(trigger.id, OPERATOR)).toMatchObject({
      nextRunAtMs: trigger.nextRunAtMs,
      runCount: 1,
    });
  });
});

describe('retention', () => {
  it('keeps the last hundred rows and the whole count', async () => {
    const trigger = await created(agent, {
      instructions: 'very often',
      schedule: every(MINUTE),
    });
    const ledger = createLedger(
      createRecords({ db: databaseOf(agent.runtime), home: homeOf(agent.runtime) }),
    );
    await ledger.claim(
      Array.from({ length: 112 }, (_, n) => ({
        text: `run ${n}`,
        run: {
          version: 1 as const,
          triggerRunId: runIdOf(trigger.triggerId, n),
          triggerId: trigger.triggerId,
          taskId: trigger.taskId,
          scheduledForMs: n,
          cause: 'schedule' as const,
          status: 'success' as const,
          open: false,
          attempt: 1,
          startedAt: time.now() - HOUR + n,
        },
      })),
    );
    for (let step = 0; step < 3; step += 1) await time.advance(MINUTE);
    const { total } = await agent.triggers.runs(trigger.id, { limit: 1 }, OPERATOR);
    expect(total).toBeGreaterThanOrEqual(100);
    expect(total).toBeLessThanOrEqual(111);
    expect(await agent.triggers.get(trigger.id, OPERATOR)).toMatchObject({ runCount: 115 });
    const counted = await rowsOf<{ metadata: { pruned: number } }>(
      databaseOf(agent.runtime),
      sql`select metadata from memories where type = 'cue_trigger_counter'
        and metadata->>'triggerId' = ${trigger.triggerId}`,
    );
    expect((counted[0]?.metadata.pruned ?? 0) + total).toBe(115);
  });

  it('old rows go by age, failed ones last', async () => {
    const trigger = await created(agent, {
      instructions: 'seldom',
      schedule: every(DAY),
      maxFailures: 50,
    });
    const day = async (times: number) => {
      for (let step = 0; step < times; step += 1) {
        time.jump(DAY);
        await agent.triggers.heartbeat();
        await time.tick();
      }
    };
    agent.brain.onLarge = () => plan('', 'ZZZ_QQQ_WWW');
    await day(1);
    agent.brain.onLarge = () => plan('done');
    await day(1);
    for (let step = 0; step < 3; step += 1) {
      time.jump(11 * MINUTE);
      await agent.triggers.heartbeat();
      await agent.triggers.settle();
    }
    await day(36);
    const kept = await runsOf(agent, trigger.id);
    expect(kept.filter((run) => run.status === 'failed')).toHaveLength(0);
    expect(kept.filter((run) => time.now() - run.startedAt > 31 * DAY)).toHaveLength(0);
    expect((await agent.triggers.get(trigger.id, OPERATOR)).runCount).toBeGreaterThanOrEqual(37);
  });
});

describe('export and import', () => {
  it('brings the same triggers back with their counts, and doubles nothing', async () => {
    const kept = await created(agent, {
      instructions: 'travel light',
      displayName: 'Traveller',
      schedule: cron('0 9 * * 1-5', 'Asia/Kolkata'),
      maxRuns: 10,
      timeoutMs: 60_000,
    });
    await agent.triggers.run(kept.id, OPERATOR, { waitMs: 10_000 });
    const exported = JSON.parse(JSON.stringify(await agent.triggers.exportAll()));
    expect(exported.triggers).toHaveLength(1);

    const again = await agent.triggers.requests.importAll(exported);
    expect([again.created.length, again.duplicates.length]).toEqual([0, 1]);

    await agent.triggers.delete(kept.id, OPERATOR);
    time.jump(MINUTE);
    const back = await agent.triggers.requests.importAll({
      triggers: [...exported.triggers, { version: 1, broken: true }],
    });
    expect([back.created.length, back.rejected.length]).toEqual([1, 1]);
    const id = back.created[0]?.trigger.id ?? '';
    expect(await agent.triggers.get(id, OPERATOR)).toMatchObject({
      displayName: 'Traveller',
      cronExpression: '0 9 * * 1-5',
      timezone: 'Asia/Kolkata',
      maxRuns: 10,
      timeoutMs: 60_000,
      runCount: 1,
    });
    expect(await exists(agent, id)).toBe(true);
  });
});
