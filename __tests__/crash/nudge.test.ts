/** Four clients share hints; whoever serves is killed ten times while they call (DESIGN §11). */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pidFileOf, writePidFile } from '../../src/server/pid-file.js';
import { FORWARD_LIMITS } from '../../src/server/rpc-forward.js';
import { cleanUp, startAgent } from '../helpers/children.js';
import { chance, seedOfRun } from '../helpers/crash-stage.js';
import { freePort } from '../helpers/free-port.js';
import {
  endNudges,
  type Fields,
  type RpcLine,
  runNudge,
  type ServeProcess,
  startServe,
} from '../helpers/nudge.js';

const seed = seedOfRun();
const below = chance(seed + 11);
process.stdout.write(`CUE_CRASH_SEED=${seed} repeats these kills\n`);

const ROUNDS = 10;
/** A little less than that: two clocks measure it. */
const HELD_MS = FORWARD_LIMITS.heldMs - 1_000;

let home: string;
let env: Record<string, string>;
let port: number;
let clients: ServeProcess[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'cue-nudge-kills-'));
  port = await freePort();
  env = {
    NUDGE_PID_DIR: join(home, 'pid'),
    PGLITE_DATA_DIR: join(home, 'db'),
    CUE_DATA_DIR: join(home, 'cue'),
    ELIZA_SERVER_AUTH_TOKEN: '',
    POSTGRES_URL: '',
  };
});
afterAll(async () => {
  await endNudges();
  await cleanUp();
  rmSync(home, { recursive: true, force: true });
});

const start = () => startServe({ env, args: ['-p', String(port)] });
const pidFile = () => pidFileOf(env, { kind: 'directory', directory: join(home, 'db') });
const named = () => JSON.parse(readFileSync(pidFile(), 'utf8')) as { pid: number };

interface Told {
  /** Acknowledged: must be there ever after. */
  keys: string[];
  calls: number;
  /** Not carried out, because the next server took longer than a call is held: a busy machine. */
  refused: number;
  /** The longest that one waited for its answer, ms. */
  longestMs: number;
  problems: string[];
}

/** Sets, reads and bumps until it is told to stop; each call must be answered. */
async function callOn(
  client: ServeProcess,
  component: string,
  told: Told,
  isOver: () => boolean,
): Promise<void> {
  const ask = async (method: string, params: object): Promise<RpcLine> => {
    for (;;) {
      const from = performance.now();
      const answer = await client.call(method, { ...params });
      const ms = performance.now() - from;
      told.calls += 1;
      told.longestMs = Math.max(told.longestMs, ms);
      const carriedOut = answer.error?.data?.details.carried_out;
      // What may be repeated is, for as long as a call is held; then its caller does it.
      const isGivenUp = carriedOut === 'unknown' && method === 'set_hint' && ms > HELD_MS;
      if (carriedOut !== false && !isGivenUp) return answer;
      told.refused += 1;
    }
  };
  for (let n = 0; !isOver(); n += 1) {
    const name = { component, key: `key-${n}` };
    const set = await ask('set_hint', { ...name, value: `value ${n}`, meta: { ttl: 'P7D' } });
    if (set.error) told.problems.push(`set: ${set.error.message}`);
    else told.keys.push(`${component}/${name.key}`);
    const bump = await ask('bump', name);
    // Its server may die while it has it, and nobody counts it twice.
    if (bump.error && bump.error.data?.details.carried_out !== 'unknown') {
      told.problems.push(`bump: ${bump.error.message}`);
    }
    let got = await ask('get_hint', name);
    // A busy server may have a read for longer than is waited for it.
    while (got.error?.data?.details.carried_out === 'unknown') got = await ask('get_hint', name);
    if (!got.result?.hint) told.problems.push(`get: ${JSON.stringify(got)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The status that it is answered once somebody serves. */
async function served(client: ServeProcess | undefined): Promise<Fields> {
  for (;;) {
    const answer = await client?.call('status');
    if (answer?.result) return answer.result;
  }
}

describe('hints of four clients', () => {
  it(`survive ten servers (CUE_CRASH_SEED=${seed})`, async () => {
    clients = [start(), start(), start(), start()];
    await Promise.all(clients.map(served));
    const told: Told = { keys: [], calls: 0, refused: 0, longestMs: 0, problems: [] };
    const sessions = new Set<unknown>();

    for (let round = 0; round < ROUNDS; round += 1) {
      const victim = clients.find(({ pid }) => pid === named().pid);
      if (!victim) throw new Error(`round ${round}: ${named().pid} is none of ours`);
      const left = clients.filter((client) => client !== victim);
      let isOver = false;
      const calling = left.map((client, at) =>
        callOn(client, `round-${round}-${at}`, told, () => isOver),
      );
      await new Promise((resolve) => setTimeout(resolve, below(700)));
      await victim.kill();
      const status = await Promise.all(left.map(served));
      isOver = true;
      await Promise.all(calling);

      // One of them serves, and all of them know it.
      const { pid } = named();
      expect(left.map((client) => client.pid)).toContain(pid);
      expect(status.map((one) => one.pid)).toEqual(left.map(() => pid));
      sessions.add(status[0]?.session_id);
      clients = [...left, start()];
      await served(clients.at(-1));
    }

    expect(told.problems).toEqual([]);
    expect(sessions.size).toBe(ROUNDS);
    const { result } = await (clients[0] as ServeProcess).call('query', { limit: 1_000 });
    const found = ((result?.hints ?? []) as { component: string; key: string }[]).map(
      ({ component, key }) => `${component}/${key}`,
    );
    expect(told.keys.filter((key) => !found.includes(key))).toEqual([]);
    expect(found).toHaveLength(told.keys.length);
    process.stdout.write(
      `${ROUNDS} kills: ${told.calls} calls answered, the longest after ${Math.round(told.longestMs)} ms, ${told.refused} refused, ${told.keys.length} hints\n`,
    );
  });

  it('go on in a daemon, which only a signal ends', async () => {
    await endNudges();
    const daemon = startServe({ env, args: ['-p', String(port)], client: 'nobody' });
    await daemon.says('PRIMARY');
    const { code, out } = await runNudge(['query', '--limit', '1', '--json'], env);
    expect(code).toBe(0);
    expect((JSON.parse(out) as { hints: unknown[] }).hints).toHaveLength(1);
    expect(await daemon.kill('SIGINT')).toEqual({ code: 0, signal: null });
    expect((await runNudge(['status', '-p', String(port)], env)).code).toBe(3);
  });

  it('give way to an Eliza server, and take its place when it dies', async () => {
    const client = start();
    const before = await served(client);
    const name = { component: 'eliza', key: 'run' };
    await client.call('set_hint', { ...name, value: 'npm start', meta: { ttl: 'P7D' } });
    // By its name the agent that the hints belong to.
    const eliza = startAgent({ kind: 'server', name: 'Cue', dataDir: join(home, 'db'), env });
    const ready = await eliza.ready;
    const place = { kind: 'directory', directory: join(home, 'db') } as const;
    writePidFile(pidFileOf(env, place), {
      pid: eliza.pid,
      port: ready.port ?? 0,
      started: new Date().toISOString(),
      agentId: String(before.agent_id),
    });
    const during = await served(client);
    expect(during).toMatchObject({ kind: 'eliza', pid: eliza.pid, agent_id: before.agent_id });
    expect((await client.call('bump', name)).result).toMatchObject({ hint: { use_count: 1 } });

    await eliza.kill();
    expect(await served(client)).toMatchObject({ kind: 'headless', pid: client.pid });
    expect((await client.call('get_hint', name)).result).toMatchObject({ hint: { use_count: 1 } });
    client.hangUp();
    expect(await client.ended).toEqual({ code: 0, signal: null });
  });
});
