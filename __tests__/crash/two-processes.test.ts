/** Two processes on one database, and one of them dies, or stands still and comes back. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
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
import { chance, inStorm, seedOfRun } from '../helpers/crash-stage.js';
import { openSharedDatabase, type SharedDatabase } from '../helpers/shared-database.js';

const seed = seedOfRun();
const below = chance(seed + 88);
process.stdout.write(`CUE_CRASH_SEED=${seed} repeats these deaths of two\n`);

const TRIGGERS = 200;
const ROOMS = 40;
const LEASE_MS = 4_000;
/** A run that is still under way when all else is over. */
const LONG_MS = 60_000;

let database: SharedDatabase;
let config: ChildConfig & { outbox: string; modelLog: string };
let first: AgentProcess;
let second: AgentProcess;

beforeEach(async () => {
  database = await openSharedDatabase();
  const directory = newDirectory();
  config = {
    kind: 'bare',
    slim: true,
    postgresUrl: database.url,
    leaseMs: LEASE_MS,
    outbox: join(directory, 'outbox'),
    modelLog: join(directory, 'model'),
  };
  first = startAgent(config);
  await first.ready;
  second = startAgent({ ...config, migrated: true });
  await second.ready;
});

afterEach(async () => {
  await cleanUp();
  await database.close();
});
afterAll(cleanUp);

async function chatsOf(count: number): Promise<Chat[]> {
  const chats: Chat[] = [];
  for (let n = 0; n < count; n += 1) chats.push(await first.call('chat', `room ${n}`));
  return chats;
}

const draft = (name: string, chat: Chat | undefined, inMs: number) => ({
  instructions: name,
  displayName: name,
  schedule: { triggerType: 'once', inMs },
  originRoomId: chat?.roomId,
  creatorEntityId: chat?.entityId,
  deliverTo: { roomId: chat?.roomId, source: 'fake' },
});

const sent = () =>
  linesOf(config.outbox).map((line) => (JSON.parse(line) as { text: string }).text);
const askedBy = (pid: number) =>
  linesOf(config.modelLog).filter((line) => line.includes(`(${pid}-`)).length;

async function allOver(agent: AgentProcess): Promise<void> {
  await until(
    'all is over',
    async () => {
      const [row] = await agent.call(
        'rows',
        `select (select count(*) from tasks where name = 'TRIGGER_DISPATCH')
          + (select count(*) from memories where type = 'cue_trigger_run'
            and (metadata->>'open' = 'true'
              or metadata->'delivery'->>'state' in ('pending', 'delivering'))) as n`,
      );
      return Number(row?.n) === 0 ? true : null;
    },
    600_000,
  );
}

describe(`of ${TRIGGERS} occurrences due together`, () => {
  for (const death of [1, 2].slice(0, inStorm(1))) {
    it(`each is done once when one process dies (${death}, CUE_CRASH_SEED=${seed})`, async () => {
      const chats = await chatsOf(ROOMS);
      await first.call(
        'createMany',
        Array.from({ length: TRIGGERS }, (_, n) =>
          draft(`task ${n}`, chats[n % ROOMS], 3_000 + (n % 2 === 0 ? 0 : n * 5)),
        ),
      );
      const some = 20 + below(100);
      await until(
        'some have been asked',
        async () => (linesOf(config.modelLog).length >= some ? true : null),
        300_000,
      );
      // The one that has the most to do: the other one has to take its runs over.
      const [victim, heir] =
        askedBy(first.pid) > askedBy(second.pid) ? [first, second] : [second, first];
      await victim.kill();
      await allOver(heir);

      const runs = await heir.call(
        'rows',
        `select metadata->>'status' as status, metadata->>'answer' as answer,
            metadata->>'takeovers' as takeovers, metadata->'delivery'->>'state' as delivery
          from memories where type = 'cue_trigger_run'`,
      );
      expect(runs).toHaveLength(TRIGGERS);
      expect(runs.filter((run) => run.status !== 'success')).toEqual([]);
      const takenOver = runs.filter((run) => run.takeovers !== null);
      expect(takenOver.length).toBeGreaterThan(0);
      const held = runs.filter((run) => run.delivery === 'unknown').map((run) => run.answer);
      // At most one for each room the dead process was busy in.
      expect(held.length).toBeLessThanOrEqual(8);
      const certain = (texts: unknown[]) => texts.filter((text) => !held.includes(text)).toSorted();
      expect(certain(sent())).toEqual(certain(runs.map((run) => run.answer)));
      expect(new Set(sent()).size).toBe(sent().length);
      expect(await heir.call('health')).toMatchObject({ deliveryUnknown: held.length });
      process.stdout.write(
        `asked ${askedBy(first.pid)} + ${askedBy(second.pid)}, taken over ${takenOver.length}, held ${held.length}\n`,
      );
    });
  }
});

it('a process that stands still past its lease says nothing when it goes on', async () => {
  const [chat] = await chatsOf(1);
  // Whoever gets it stops between having the answer and sending it.
  for (const agent of [first, second])
    await agent.call('arm', { step: 'answered', how: 'SIGSTOP' });
  await first.call('create', draft('frozen', chat, 500));
  await until('the model was asked', async () =>
    linesOf(config.modelLog).length > 0 ? true : null,
  );
  const [frozen, awake] = askedBy(first.pid) > 0 ? [first, second] : [second, first];
  await awake.call('arm', null);
  await allOver(awake);
  expect(sent()).toHaveLength(1);
  frozen.signal('SIGCONT');
  await frozen.call('settle');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(sent()).toHaveLength(1);
  const rows = await awake.call(
    'rows',
    `select metadata->>'status' as status, metadata->>'takeovers' as takeovers,
        metadata->'delivery'->>'state' as delivery
      from memories where type = 'cue_trigger_run'`,
  );
  expect(rows).toEqual([{ status: 'success', takeovers: '1', delivery: 'delivered' }]);
});

it('a process that stands still does not begin what another one has taken over', async () => {
  const [chat] = await chatsOf(1);
  for (const agent of [first, second]) await agent.call('model', 10_000);
  await first.call(
    'createMany',
    // One after the other, as they belong to one conversation.
    ['one', 'two', 'three'].map((name) => draft(name, chat, 500)),
  );
  await until('the first is asked', async () =>
    linesOf(config.modelLog).length > 0 ? true : null,
  );
  const [frozen, awake] = askedBy(first.pid) > 0 ? [first, second] : [second, first];
  frozen.signal('SIGSTOP');
  await awake.call('model', 0);
  await allOver(awake);
  expect(sent()).toHaveLength(3);
  frozen.signal('SIGCONT');
  await frozen.call('settle');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(sent()).toHaveLength(3);
  // What was under way was asked a second time, what waited was not.
  expect(askedBy(frozen.pid)).toBe(1);
});

it('a run that breaks off is taken up again although its process is alive and busy', async () => {
  await second.kill();
  const [one, other] = await chatsOf(2);
  // The other run lasts longer than the lease: what it renews must not include the broken one.
  await first.call('model', LONG_MS);
  await first.call('create', draft('long', one, 200));
  await until('the long one is asked', async () =>
    linesOf(config.modelLog).length > 0 ? true : null,
  );
  await first.call('model', 0);
  await first.call('arm', { step: 'claimed', how: 'throw' });
  await first.call('create', draft('broken', other, 200));
  await until('it is answered', async () =>
    sent().some((text) => text.startsWith('did broken')) ? true : null,
  );
  expect(sent().filter((text) => text.startsWith('did long'))).toHaveLength(0);
  await allOver(first);
  expect(sent()).toHaveLength(2);
});
