/**
 * Two processes of one agent on one database, over the real `pg` driver: each occurrence runs
 * exactly once, and neither undoes what the other has written. Two hundred at once, and a death in
 * between: `__tests__/crash/two-processes.test.ts`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type AgentProcess,
  type Chat,
  type ChildConfig,
  cleanUp,
  linesOf,
  newDirectory,
  startAgent,
  until,
} from '../helpers/children.js';
import { openSharedDatabase, type SharedDatabase } from '../helpers/shared-database.js';

/** Few triggers a room, or the host's REFLECTION joins in. */
const ROOMS = 12;
const TRIGGERS = 60;

let database: SharedDatabase;
let config: ChildConfig & { outbox: string; modelLog: string };
let first: AgentProcess;
let second: AgentProcess;
const chats: Chat[] = [];

beforeAll(async () => {
  database = await openSharedDatabase();
  const directory = newDirectory();
  config = {
    kind: 'bare',
    slim: true,
    postgresUrl: database.url,
    // Nobody dies here, and a machine under load must not look like a death.
    leaseMs: 120_000,
    // Not used, and so not locked.
    env: { PGLITE_DATA_DIR: join(directory, 'unused') },
    outbox: join(directory, 'outbox'),
    modelLog: join(directory, 'model'),
  };
  // One after the other: the host's first migrations race.
  first = startAgent(config);
  await first.ready;
  second = startAgent({ ...config, migrated: true });
  await second.ready;
  expect(existsSync(join(directory, 'unused.cue-lock'))).toBe(false);
  for (let n = 0; n < ROOMS; n += 1) chats.push(await first.call('chat', `room ${n}`));
});

afterAll(async () => {
  await cleanUp();
  await database.close();
});

function draft(name: string, n: number, inMs: number) {
  const chat = chats[n % ROOMS];
  return {
    instructions: name,
    displayName: name,
    schedule: { triggerType: 'once', inMs },
    originRoomId: chat?.roomId,
    creatorEntityId: chat?.entityId,
    deliverTo: { roomId: chat?.roomId, source: 'fake' },
  };
}

/** What was said, without the process that said it. */
const plainly = (text: string) => text.replace(/ \(.*/, '');
const sentTexts = () =>
  linesOf(config.outbox).map((line) => plainly((JSON.parse(line) as { text: string }).text));

async function triggersLeft(): Promise<number> {
  const [row] = await second.call(
    'rows',
    `select count(*)::int as n from tasks where name = 'TRIGGER_DISPATCH'`,
  );
  return Number(row?.n);
}

it(`runs each of ${TRIGGERS} occurrences that are due together exactly once`, async () => {
  const made = await first.call(
    'createMany',
    // Half of them at one instant, half within a second, so that each process sees some first.
    Array.from({ length: TRIGGERS }, (_, n) =>
      draft(`task ${n}`, n, 3_000 + (n % 2 === 0 ? 0 : n * 5)),
    ),
  );
  expect(made.created).toHaveLength(TRIGGERS);
  await until('all have run', async () => ((await triggersLeft()) === 0 ? true : null));

  const runs = await second.call(
    'rows',
    `select metadata->>'status' as status, metadata->>'open' as open, count(*)::int as n
      from memories where type = 'cue_trigger_run' group by 1, 2`,
  );
  expect(runs).toEqual([{ status: 'success', open: 'false', n: TRIGGERS }]);
  const wanted = Array.from({ length: TRIGGERS }, (_, n) => `did task ${n}`).toSorted();
  const asked = linesOf(config.modelLog);
  expect(asked.map(plainly).toSorted()).toEqual(wanted);
  expect(sentTexts().toSorted()).toEqual(wanted);
  const shares = [first, second].map(
    ({ pid }) => asked.filter((line) => line.includes(`(${pid}-`)).length,
  );
  // How they share depends on whose tick comes first; all is well even when one takes everything.
  process.stdout.write(`two processes took ${shares.join(' and ')} of ${TRIGGERS} runs\n`);
  const [twins] = await second.call(
    'rows',
    `select count(*)::int as n from (select entity_id, room_id from participants
      group by 1, 2 having count(*) > 1) twice`,
  );
  expect(twins).toEqual({ n: 0 });
});

it('does not send an answer twice that both processes find undelivered', async () => {
  const before = sentTexts().length;
  const COUNT = 12;
  // On a slow machine they may be tried again before all have run.
  await Promise.all([first, second].map((agent) => agent.call('refuse', 1_000)));
  const made = await first.call(
    'createMany',
    Array.from({ length: COUNT }, (_, n) => draft(`late ${n}`, n, 500)),
  );
  expect(made.created).toHaveLength(COUNT);
  await until('all have run', async () => ((await triggersLeft()) === 0 ? true : null));
  expect(await first.call('health')).toMatchObject({ undelivered: COUNT });
  expect(sentTexts()).toHaveLength(before);

  await first.call('refuse', 0);
  await second.call('refuse', 0);
  await first.call(
    'rows',
    `update memories set metadata = jsonb_set(metadata, '{delivery,nextAttemptAtMs}', '0')
      where type = 'cue_trigger_run' and metadata->'delivery'->>'state' = 'pending'`,
  );
  await Promise.all([first.call('heartbeat'), second.call('heartbeat')]);
  await until('all are delivered', async () =>
    (await first.call('health')).undelivered === 0 ? true : null,
  );
  await Promise.all([first.call('settle'), second.call('settle')]);
  expect(sentTexts().slice(before).toSorted()).toEqual(
    Array.from({ length: COUNT }, (_, n) => `did late ${n}`).toSorted(),
  );
});

it('switches autonomy off in both processes, whichever is told', async () => {
  const asked = linesOf(config.modelLog).length;
  await first.call('autonomy', { enabled: false });
  expect(await second.call('autonomy', {})).toMatchObject({ enabled: false });
  // A change of something else by a process that has not been told leaves it switched off.
  await second.call('autonomy', { intervalMs: 600_000 });
  expect(await first.call('autonomy', {})).toMatchObject({ enabled: false, intervalMs: 600_000 });
  await second.call('createMany', [draft('while it is off', 0, 200)]);
  await until('it is deferred', async () =>
    (await second.call('health')).deferred === 1 ? true : null,
  );
  expect(linesOf(config.modelLog)).toHaveLength(asked);
  await second.call('autonomy', { enabled: true });
  await until('it has run', async () => ((await triggersLeft()) === 0 ? true : null));
  expect(linesOf(config.modelLog)).toHaveLength(asked + 1);
});

it('keeps an edit that the other process overwrites with an old copy', async () => {
  // Whose tick comes first takes the beat, again and again: these two never get it.
  await beatIn(60_000);
  await Promise.all([first, second].map(overwriteEdit));
  await beatIn(0);
});

async function overwriteEdit(agent: AgentProcess, n: number): Promise<void> {
  const { trigger } = await agent.call('create', {
    instructions: `hourly ${n}`,
    schedule: { triggerType: 'interval', intervalMs: 3_600_000 },
  });
  const [old] = await agent.call(
    'rows',
    `select metadata from tasks where id = '${trigger.taskId}'`,
  );
  await agent.call('update', trigger.id, {
    instructions: `two-hourly ${n}`,
    schedule: { triggerType: 'interval', intervalMs: 7_200_000 },
  });
  // What the host's TaskService of the other process does when it has read before the edit.
  const [over] = await agent.call(
    'rows',
    `update tasks set metadata = '${JSON.stringify(old?.metadata)}'::jsonb
      where id = '${trigger.taskId}' returning metadata`,
  );
  expect(over?.metadata).toEqual(old?.metadata);
  await until(`edit ${n} is back`, async () =>
    (await agent.call('get', trigger.id)).intervalMs === 7_200_000 ? true : null,
  );
  expect(await agent.call('get', trigger.id)).toMatchObject({
    instructions: `two-hourly ${n}`,
    revision: 1,
  });
}

/** The beat of all processes is one task of the host. */
async function beatIn(ms: number): Promise<void> {
  await first.call(
    'rows',
    `update tasks set metadata = jsonb_set(metadata, '{updatedAt}', '${Date.now() + ms}')
      where name = 'CUE_HEARTBEAT'`,
  );
}
