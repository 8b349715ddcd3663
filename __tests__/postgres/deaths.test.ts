/** Three processes of one agent on a real server; processes die, the server dies, connections are cut. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning } from '../../src/shared/process-life.js';
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
import { crashServer, cutConnections, SERVER_ZONE } from '../helpers/postgres.js';
import { openSharedDatabase, type SharedDatabase } from '../helpers/shared-database.js';

const TRIGGERS = 60;
const ROOMS = 12;
const LEASE_MS = 4_000;

let database: SharedDatabase;
let config: ChildConfig & { outbox: string; modelLog: string };
let agents: AgentProcess[];

beforeEach(async () => {
  database = await openSharedDatabase();
  const directory = newDirectory();
  config = {
    kind: 'bare',
    slim: true,
    postgresUrl: database.url,
    migrated: true,
    leaseMs: LEASE_MS,
    // Long enough for a death in between.
    modelDelayMs: 200,
    outbox: join(directory, 'outbox'),
    modelLog: join(directory, 'model'),
  };
  const first = startAgent(config);
  await first.ready;
  agents = [first, startAgent(config), startAgent(config)];
  await Promise.all(agents.map(({ ready }) => ready));
});

afterEach(async () => {
  await cleanUp();
  await database.close();
});
afterAll(cleanUp);

const asked = () => linesOf(config.modelLog);
const sent = () =>
  linesOf(config.outbox).map((line) => (JSON.parse(line) as { text: string }).text);
const isOf = (agent: AgentProcess) => (line: string) => line.includes(`(${agent.pid}-`);

/** Triggers that are due together; resolves when so many answers have been asked for. */
async function underWay(some: number): Promise<void> {
  const [agent] = agents;
  if (!agent) throw new Error('no agent lives');
  const chats: Chat[] = [];
  for (let n = 0; n < ROOMS; n += 1) chats.push(await agent.call('chat', `room ${n}`));
  const made = await agent.call(
    'createMany',
    Array.from({ length: TRIGGERS }, (_, n) => ({
      instructions: `task ${n}`,
      displayName: `task ${n}`,
      schedule: { triggerType: 'once', inMs: 2_000 + n * 10 },
      originRoomId: chats[n % ROOMS]?.roomId,
      creatorEntityId: chats[n % ROOMS]?.entityId,
      deliverTo: { roomId: chats[n % ROOMS]?.roomId, source: 'fake' },
    })),
  );
  expect(made.created).toHaveLength(TRIGGERS);
  await until('some have been asked', async () => (asked().length >= some ? true : null));
}

async function killBusiest(): Promise<void> {
  const busiest = agents.toSorted(
    (a, b) => asked().filter(isOf(b)).length - asked().filter(isOf(a)).length,
  )[0];
  await busiest?.kill();
  agents = agents.filter((agent) => agent !== busiest);
}

/** Waits for the end, and sees that everything was done once and nothing was said twice. */
async function expectAllOnce(): Promise<void> {
  const [agent] = agents;
  if (!agent) throw new Error('no agent lives');
  const dead = () => agents.filter(({ pid }) => !isRunning(pid)).map((one) => one.output());
  await until(
    'all is over',
    async () => {
      expect(dead()).toEqual([]);
      // A connection that was cut fails the statement that comes over it next.
      const [row] = await agent
        .call(
          'rows',
          `select (select count(*) from tasks where name = 'TRIGGER_DISPATCH')
            + (select count(*) from memories where type = 'cue_trigger_run'
              and (metadata->>'open' = 'true'
                or metadata->'delivery'->>'state' in ('pending', 'delivering'))) as n`,
        )
        .catch(() => [{ n: -1 }]);
      return Number(row?.n) === 0 ? true : null;
    },
    300_000,
  ).catch(async (error: unknown) => {
    const left = await agent.call(
      'rows',
      `select metadata - 'instructions' as left from memories where type = 'cue_trigger_run'
          and metadata->>'status' <> 'success'
        union all select metadata from tasks where name = 'TRIGGER_DISPATCH'`,
    );
    throw new Error(`${String(error)}; left: ${JSON.stringify(left)}`);
  });
  const runs = await agent.call(
    'rows',
    `select metadata->>'status' as status, metadata->>'answer' as answer,
        metadata->'delivery'->>'state' as delivery
      from memories where type = 'cue_trigger_run'`,
  );
  expect(runs.map(({ status }) => status)).toEqual(Array(TRIGGERS).fill('success'));
  const held = runs.filter((run) => run.delivery === 'unknown').map((run) => run.answer);
  const certain = (texts: unknown[]) => texts.filter((text) => !held.includes(text)).toSorted();
  expect(certain(sent())).toEqual(certain(runs.map((run) => run.answer)));
  expect(new Set(sent()).size).toBe(sent().length);
  // An answer is held where nobody knows whether it was sent: at most one a room.
  expect(held.length).toBeLessThanOrEqual(ROOMS);
}

describe(`${TRIGGERS} occurrences that are due together run once each`, () => {
  it('when two of three processes die one after the other', async () => {
    const [zone] = (await agents[0]?.call('rows', 'show timezone')) ?? [];
    expect(Object.values(zone ?? {})).toEqual([SERVER_ZONE]);
    await underWay(10);
    await killBusiest();
    await until('more have been asked', async () => (asked().length >= 30 ? true : null));
    await killBusiest();
    await expectAllOnce();
  });

  it('when the server dies without a checkpoint and recovers', async () => {
    await underWay(10);
    crashServer();
    await until('more have been asked', async () => (asked().length >= 30 ? true : null));
    crashServer();
    await expectAllOnce();
  });

  it('when all connections are cut again and again', async () => {
    await underWay(5);
    for (const some of [10, 20, 30, 40]) {
      await until('more have been asked', async () => (asked().length >= some ? true : null));
      expect(await cutConnections(database.url)).toBeGreaterThan(0);
    }
    await expectAllOnce();
  });
});
