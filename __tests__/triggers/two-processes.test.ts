/**
 * Two processes of one agent on one database, over the real `pg` driver: each occurrence runs
 * exactly once, and neither undoes what the other has written. With a death in between:
 * `__tests__/crash/two-processes.test.ts`.
 */
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

const ROOMS = 20;
const TRIGGERS = 200;

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
    postgresUrl: database.url,
    outbox: join(directory, 'outbox'),
    modelLog: join(directory, 'model'),
  };
  // One after the other: the host's first migrations race.
  first = startAgent(config);
  await first.ready;
  second = startAgent({ ...config, migrated: true });
  await second.ready;
  for (let n = 0; n < ROOMS; n += 1) chats.push(await first.call('chat', `room ${n}`));
});

afterAll(async () => {
  await cleanUp();
  await database.close();
});

it('runs each of 200 occurrences that are due together exactly once', async () => {
  const t0 = Date.now();
  const dueMs = Date.now() + 3_000;
  const made = await first.call(
    'createMany',
    Array.from({ length: TRIGGERS }, (_, n) => {
      const chat = chats[n % ROOMS];
      return {
        instructions: `task ${n}`,
        displayName: `task ${n}`,
        // Half of them at one instant, half within a second, so that both processes see some first.
        schedule: {
          triggerType: 'once',
          scheduledAtIso: new Date(dueMs + (n % 2 === 0 ? 0 : n * 5)).toISOString(),
        },
        originRoomId: chat?.roomId,
        creatorEntityId: chat?.entityId,
        deliverTo: { roomId: chat?.roomId, source: 'fake' },
      };
    }),
  );
  expect(made.created).toHaveLength(TRIGGERS);
  console.log('created', Date.now() - t0);
  await until(
    'all have run',
    async () => {
      const [left] = await database.rows<{ n: number }>(
        `select (select count(*) from tasks where name = 'TRIGGER_DISPATCH')::int as n`,
      );
      return left?.n === 0 ? true : null;
    },
    120_000,
  );
  console.log('ran', Date.now() - t0);
  const runs = await database.rows<{ status: string; open: string; n: number }>(
    `select metadata->>'status' as status, metadata->>'open' as open, count(*)::int as n
      from memories where type = 'cue_trigger_run' group by 1, 2`,
  );
  expect(runs).toEqual([{ status: 'success', open: 'false', n: TRIGGERS }]);
  const wanted = Array.from({ length: TRIGGERS }, (_, n) => `did task ${n}`).toSorted();
  const bare = (text: string) => text.replace(/ \(.*/, '');
  const asked = linesOf(config.modelLog);
  expect(asked.map(bare).toSorted()).toEqual(wanted);
  const sent = linesOf(config.outbox).map((line) => JSON.parse(line) as { text: string });
  expect(sent.map(({ text }) => bare(text)).toSorted()).toEqual(wanted);
  const split = [first, second].map(
    ({ pid }) => asked.filter((line) => line.includes(`(${pid}-`)).length,
  );
  console.log('split', split);
}, 150_000);
