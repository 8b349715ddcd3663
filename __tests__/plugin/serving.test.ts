/** Whether an Eliza server with the plugin can be found by the command line. */
import { fork } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IAgentRuntime, Plugin } from '@elizaos/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { announceServer, ServingService } from '../../src/server/announce.js';
import { pidFileOf, readPidFile, writePidFile, writerMark } from '../../src/server/client.js';
import { until } from '../helpers/children.js';
import { startServer, type TestServer } from '../helpers/server.js';

const pids = mkdtempSync(join(tmpdir(), 'cue-announce-'));
const path = join(pids, 'server.pid');
const dataDir = join(pids, 'db');
/** Of those who mean its database. */
const own = pidFileOf({ NUDGE_PID_DIR: pids }, { kind: 'directory', directory: dataDir });
const FAKE = fileURLToPath(new URL('../helpers/fake-server.mjs', import.meta.url));
const log = { debug() {}, info() {}, warn() {}, error() {} };
const plugin: Plugin = {
  name: 'announcing',
  description: 'what the plugin does in an Eliza server',
  services: [ServingService],
};
const announced = (what: string) => until(what, async () => readPidFile(path), 15_000);
const portOf = (server: TestServer) => Number(new URL(server.baseUrl).port);

let server: TestServer;

beforeAll(async () => {
  // Left by a process that is gone.
  const stale = { pid: 999_999_999, port: 1, started: new Date(0).toISOString() };
  writeFileSync(path, JSON.stringify(stale), { mode: 0o600 });
  server = await startServer({ env: { NUDGE_PID_DIR: pids }, plugins: [plugin], dataDir });
});
afterAll(async () => {
  await server.stop();
  rmSync(pids, { recursive: true, force: true });
});

it('it names its process, its real port and its agent, in place of one that is gone', async () => {
  const found = await until('it is announced', async () => {
    const file = readPidFile(path);
    return file?.pid === process.pid ? file : null;
  });
  expect(found).toEqual({
    ...writerMark(),
    port: portOf(server),
    path: '/cue/rpc',
    agentId: server.agentId,
    started: found.started,
    key: expect.stringMatching(/^[0-9a-f-]{36}$/),
    kind: 'eliza',
    database: expect.stringMatching(/[\\/]db$/),
  });
  expect(readPidFile(own)).toEqual(found);
  expect(Math.abs(Date.parse(found.started) - Date.now())).toBeLessThan(60_000);
});

it('it names itself again when its file is taken away, and takes it away at its end', async () => {
  rmSync(path);
  const announcement = announceServer(server.runtime, {
    clock: { now: () => 0 },
    log,
    everyMs: 20,
  });
  expect(await announced('it is announced again')).toMatchObject({ pid: process.pid });
  announcement.close();
  announcement.close();
  expect([existsSync(path), existsSync(own)]).toEqual([false, false]);
});

it.each([
  [
    'beside the Eliza server of another database it names itself to those who mean its own',
    'eliza',
  ],
  ['of a headless server it takes the place as the usual one', 'headless'],
])('%s', async (_name, kind) => {
  const status = {
    name: 'cue',
    kind,
    agent_id: 'another',
    session_id: 's',
    database: '/srv/other',
  };
  const other = fork(FAKE, [JSON.stringify(status)], { execArgv: [] });
  const port = await new Promise<number>((resolve) => {
    other.once('message', (message) => resolve(Number(message)));
  });
  const started = new Date(0).toISOString();
  writePidFile(path, { pid: other.pid ?? 0, port, started });
  const announcement = announceServer(server.runtime, {
    clock: { now: () => 0 },
    log,
    everyMs: 20,
  });
  await until('it is announced', async () => readPidFile(own), 15_000);
  const isReplaced = kind === 'headless';
  await until('it has looked', async () => {
    const isOther = readPidFile(path)?.port === port;
    return isOther === isReplaced ? null : true;
  });
  expect(readPidFile(path)?.port).toBe(isReplaced ? portOf(server) : port);
  announcement.close();
  expect([existsSync(path), existsSync(own)]).toEqual([!isReplaced, false]);
  other.kill();
  rmSync(path, { force: true });
});

it('another agent of its process that stops leaves the file of this one', async () => {
  const files = { clock: { now: () => 0 }, log, everyMs: 20 };
  const mine = announceServer(server.runtime, files);
  await announced('it is announced');
  const other = new Proxy(server.runtime, {
    get: (target, key) => (key === 'agentId' ? 'another-agent' : Reflect.get(target, key, target)),
  }) as IAgentRuntime;
  announceServer(other, files).close();
  expect(readPidFile(path)).toMatchObject({ agentId: server.agentId });
  mine.close();
});

it('a host without a server announces nothing, whatever the environment says', async () => {
  const silent = mkdtempSync(join(tmpdir(), 'cue-silent-'));
  mkdirSync(join(silent, 'pid'));
  const before = process.env.NUDGE_PID_DIR;
  process.env.NUDGE_PID_DIR = join(silent, 'pid');
  const bare = new Proxy(server.runtime, {
    get: (target, key) => {
      if (key === 'agentId') return 'bare-agent';
      return key === 'elizaOS' ? undefined : Reflect.get(target, key, target);
    },
  }) as IAgentRuntime;
  const announcement = announceServer(bare, { clock: { now: () => 0 }, log });
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  // Those of the server's own agent may be there.
  const agents = readdirSync(join(silent, 'pid')).map(
    (name) => readPidFile(join(silent, 'pid', name))?.agentId,
  );
  announcement.close();
  expect(agents).not.toContain('bare-agent');
  if (before === undefined) delete process.env.NUDGE_PID_DIR;
  else process.env.NUDGE_PID_DIR = before;
  rmSync(silent, { recursive: true, force: true });
});
