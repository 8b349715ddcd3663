/** Which process `nudge stop` may end. */
import { type ChildProcess, fork } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { isRunning, markOf } from '../../../../src/shared/process-life.js';
import { withProc } from '../../../helpers/where.js';
import { AGENT_ID, makeStage } from './nudge.js';

const FAKE = fileURLToPath(new URL('../../../helpers/fake-server.mjs', import.meta.url));
const STATUS = { name: 'cue', kind: 'headless', agent_id: AGENT_ID, session_id: 's' };

const children: ChildProcess[] = [];
const servers: Server[] = [];
const stage = makeStage();
afterAll(() => stage.remove());
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of servers.splice(0)) server.close();
});

async function headless(): Promise<{ pid: number; port: number }> {
  const child = fork(FAKE, [JSON.stringify(STATUS)], { execArgv: [] });
  children.push(child);
  const port = await new Promise<number>((resolve) => {
    child.once('message', (message) => resolve(Number(message)));
  });
  return { pid: child.pid ?? 0, port };
}

/** Somebody's program that names another process as itself. */
async function liar(pid: number): Promise<number> {
  const server = createServer((_request, answer) => {
    answer.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { ...STATUS, pid } }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('nudge stop', () => {
  it('ends nobody whom only an answer names', async () => {
    const { pid } = await headless();
    const { code, err } = await stage.nudge('stop', '-p', String(await liar(pid)));
    expect([code, isRunning(pid)]).toEqual([2, true]);
    expect(err).toContain(`says that it is process ${pid}, which no PID file confirms`);
  });

  it.runIf(withProc())('ends the process that listens there', async () => {
    const { pid, port } = await headless();
    expect((await stage.nudge('stop', '-p', String(port))).code).toBe(0);
    expect(isRunning(pid)).toBe(false);
  });

  it('ends the process of the PID file', async () => {
    const { pid } = await headless();
    const port = await liar(pid);
    stage.write('pids/server.pid', JSON.stringify({ ...markOf(pid), port, started: 'x' }));
    expect(await stage.nudge('stop')).toEqual({
      code: 0,
      out: `✔ stopped the server (process ${pid}, port ${port})\n`,
      err: '',
    });
    expect(isRunning(pid)).toBe(false);
  });

  it('says that a client at its standard input is cut off', async () => {
    const { pid } = await headless();
    const port = await liar(pid);
    const file = { ...markOf(pid), port, started: 'x', hasClient: true };
    stage.write('pids/server.pid', JSON.stringify(file));
    const { code, out } = await stage.nudge('stop');
    expect([code, isRunning(pid)]).toEqual([0, false]);
    expect(out).toBe(
      `✔ stopped the server (process ${pid}, port ${port}); a client was connected through it, such as a coding agent, and may have to reconnect\n`,
    );
  });
});
