/**
 * Three MCP clients over stdio share one memory; whoever serves is killed six times while they call, then
 * hangs, and gives way to an Eliza server in the end.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pidFileOf } from '../../src/server/client.js';
import { cleanUp, startAgent, until } from '../helpers/children.js';
import { chance, seedOfRun } from '../helpers/crash-stage.js';
import { freePort } from '../helpers/free-port.js';
import { endStdioClients, type StdioClient, stdioClient } from '../helpers/mcp-stdio.js';
import { onPosix } from '../helpers/where.js';

const seed = seedOfRun();
const below = chance(seed + 13);
process.stdout.write(`CUE_CRASH_SEED=${seed} repeats these kills\n`);

const ROUNDS = 6;
const NAME = 'Shared';

let home: string;
let env: Record<string, string>;
let port: number;
let clients: StdioClient[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'cue-mcp-kills-'));
  port = await freePort();
  env = {
    NUDGE_PID_DIR: join(home, 'pid'),
    PGLITE_DATA_DIR: join(home, 'db'),
    CUE_DATA_DIR: join(home, 'cue'),
    CUE_AGENT: NAME,
    LOG_LEVEL: 'fatal',
  };
  clients = await Promise.all([start(), start(), start()]);
});
afterAll(async () => {
  await endStdioClients();
  await cleanUp();
  rmSync(home, { recursive: true, force: true });
});

const start = () =>
  stdioClient({ command: ['cue', 'mcp', '-p', String(port), '--tools', 'all'], env });
const pidFile = () => pidFileOf(env, { kind: 'directory', directory: join(home, 'db') });
const serving = () => JSON.parse(readFileSync(pidFile(), 'utf8')) as { pid: number };

interface Told {
  /** Acknowledged: must be there ever after. */
  hints: string[];
  goals: string[];
  /** Of a call that may have been carried out, or was not. */
  failures: unknown[];
}

/** Calls one after the other until it is told to stop; each must be answered. */
async function work(client: StdioClient, name: string, told: Told, isOver: () => boolean) {
  for (let number = 0; !isOver(); number += 1) {
    const key = `${name}-${number}`;
    const set = { component: name, key, value: `value of ${key}`, meta: { ttl: 'P7D' } };
    const hint = await client.call('nudge_set_hint', set);
    if (hint.failed === undefined) told.hints.push(key);
    else told.failures.push(hint.failed);
    const goal = `Do what ${key} is about`;
    const stored = await client.call('store', {
      intent: { goal },
      outcome: { success: true, summary: `Done: ${key}` },
    });
    if (stored.failed === undefined) told.goals.push(goal);
    else told.failures.push(stored.failed);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Once somebody serves. */
async function served(client: StdioClient): Promise<Record<string, unknown>> {
  for (;;) {
    const status = await client.call('nudge_status');
    if (status.failed === undefined) return status;
  }
}

it('no call stays without an answer, and nothing that was acknowledged is lost', async () => {
  const told: Told = { hints: [], goals: [], failures: [] };
  const sessions = new Set<unknown>();
  /** From each kill to the answer of a call that was held, ms. */
  const waits: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { pid } = serving();
    const killed = clients.find((client) => client.pid === pid);
    const others = clients.filter((client) => client !== killed);
    const [witness] = others;
    if (!killed || !witness) throw new Error('nobody serves');
    const { session_id } = await served(witness);
    sessions.add(session_id);
    let isOver = false;
    const working = others.map((client, at) =>
      work(client, `round-${round}-${at}`, told, () => isOver),
    );
    await new Promise((resolve) => setTimeout(resolve, 200 + below(800)));
    const killedAt = performance.now();
    process.kill(pid, 'SIGKILL');
    const status = await served(witness);
    waits.push(Math.round(performance.now() - killedAt));
    expect(others.map((client) => client.pid)).toContain(status.pid);
    isOver = true;
    await Promise.all(working);
    await killed.close();
    clients = [...others, await start()];
  }

  // Ten seconds are promised (`npm run bench -- mcp` judges it, as built); sources on a busy machine take longer.
  process.stdout.write(`the others carried on after ${waits.join(', ')} ms\n`);
  expect(sessions.size).toBe(ROUNDS);
  const [client] = clients;
  const { payload } = (await client?.call('nudge_export')) ?? {};
  const exported = JSON.stringify(payload);
  expect(told.hints.filter((key) => !exported.includes(`value of ${key}"`))).toEqual([]);
  const goals = new Set<string>();
  let cursor: unknown;
  do {
    const page = await client?.call('list', { limit: 100, ...(cursor ? { cursor } : {}) });
    const { memories, next_cursor } = page as {
      memories: { intent: { goal: string } }[];
      next_cursor: unknown;
    };
    for (const { intent } of memories) goals.add(intent.goal);
    cursor = next_cursor;
  } while (cursor);
  expect(told.goals.length).toBeGreaterThan(ROUNDS);
  expect(told.goals.filter((goal) => !goals.has(goal))).toEqual([]);
  for (const failure of told.failures) {
    // `false`: the next server took longer than a call is held, on a busy machine.
    const carried_out = expect.toBeOneOf(['unknown', false]);
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', details: { carried_out } });
  }
});

/** The process that serves, and two that follow it. */
function parts(): [StdioClient, StdioClient, StdioClient] {
  const { pid } = serving();
  const primary = clients.find((client) => client.pid === pid);
  const [first, second] = clients.filter((client) => client !== primary);
  if (!primary || !first || !second) throw new Error('nobody serves');
  return [primary, first, second];
}

const done = (goal: string, outcome: object = { success: true }) => ({
  intent: { goal },
  outcome: { summary: `Done: ${goal}`, ...outcome },
});

it.runIf(onPosix())(
  'whoever serves may hang: it is told of, and goes on where it was',
  async () => {
    const [primary, first, second] = parts();
    await Promise.all([first, second].map(({ client }) => client.listTools()));
    const sessionId = (await served(first)).session_id;
    process.kill(primary.pid, 'SIGSTOP');
    const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => String(error));
    const repeated = second.call('list');
    const [stored, begun] = await Promise.all([
      outcomeOf(first.call('store', done('x'))),
      outcomeOf(start()),
    ]);
    const words =
      `the server (process ${primary.pid}, port ${port}) has the call, and does not answer: ` +
      `wait until it goes on, or end it (kill -9 ${primary.pid})`;
    expect(stored).toEqual({
      failed: { code: 'UNAVAILABLE', message: words, details: { carried_out: 'unknown' } },
    });
    expect(begun).toContain(
      `the server (process ${primary.pid}, port ${port}) does not answer: wait until`,
    );
    expect(begun).not.toContain('about to serve');

    process.kill(primary.pid, 'SIGCONT');
    expect(await repeated).toHaveProperty('memories');
    for (const client of [first, second, primary]) {
      expect(await served(client)).toMatchObject({ pid: primary.pid, session_id: sessionId });
    }
  },
);

it('an Eliza server takes the memory over, and the clients go on as who they are', async () => {
  const [primary, first, second] = parts();
  const told: Told = { hints: [], goals: [], failures: [] };
  const updates: string[] = [];
  const own = new Map<StdioClient, unknown>();
  for (const [client, name] of [
    [primary, 'primary'],
    [first, 'first'],
  ] as const) {
    await client.call('identity', { action: 'register', name });
    own.set(client, (await client.call('store', done(`What ${name} does`))).memory_id);
  }
  const failing = { success: false, failure_reason: 'the fuse is blown' };
  await first.call('store', {
    ...done('Start the turbine again', failing),
    actions: [{ file: 'src/turbine.ts', operation: 'edit' }],
  });
  await first.client.subscribeResource({ uri: 'rum://conflict_warning' });
  first.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    updates.push(params.uri);
  });
  let isOver = false;
  const working = work(second, 'meanwhile', told, () => isOver);

  const agent = startAgent({
    ...{ kind: 'server', name: NAME, dataDir: join(home, 'db'), migrated: true, env },
  });
  await agent.ready;
  const isEliza = async (client: StdioClient) =>
    (await served(client)).pid === agent.pid ? true : null;
  for (const client of clients) await until('it is followed', () => isEliza(client), 60_000);
  isOver = true;
  await working;

  // Only who has written it may change it.
  for (const [client, memory_id] of own) {
    expect(await client.call('update_memory', { memory_id, importance: 0.9 })).toMatchObject({
      memory_id,
      revision: 2,
    });
  }
  await first.call('on_action_planned', {
    action: 'Start the turbine again',
    file_path: 'src/turbine.ts',
  });
  await until('it is told', async () => (updates.length > 0 ? true : null));
  expect(updates[0]).toBe('rum://conflict_warning');

  const { payload } = await first.call('nudge_export');
  const exported = JSON.stringify(payload);
  expect(told.hints.filter((key) => !exported.includes(`value of ${key}"`))).toEqual([]);
  const rows = await agent.call('rows', `select content->>'text' as text from memories`);
  const stored = JSON.stringify(rows);
  expect(told.goals.length).toBeGreaterThan(0);
  expect(told.goals.filter((goal) => !stored.includes(`${goal}`))).toEqual([]);
  expect(primary.errors()).toContain('an Eliza server takes the database over');
});
