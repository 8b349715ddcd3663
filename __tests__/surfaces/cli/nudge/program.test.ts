import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { packageVersion } from '../../../../src/shared/package-version.js';
import { markOf } from '../../../../src/shared/process-life.js';
import { freePort } from '../../../helpers/free-port.js';
import { AGENT_ID, type HintServer, makeStage, type Stage, startHintServer } from './nudge.js';

let server: HintServer;
const stages: Stage[] = [];
function stageOf(of?: HintServer): Stage {
  const stage = makeStage(of);
  stages.push(stage);
  return stage;
}
beforeAll(async () => {
  server = await startHintServer();
});
afterAll(() => server.close());
afterEach(() => {
  server.calls.length = 0;
  for (const stage of stages.splice(0)) stage.remove();
});

describe('nudge', () => {
  it('prints its version', async () => {
    expect(await stageOf().nudge('--version')).toEqual({
      code: 0,
      out: `${packageVersion()}\n`,
      err: '',
    });
  });

  it('lists its commands as help, with what the exit codes say', async () => {
    const { code, out } = await stageOf().nudge('--help');
    expect(code).toBe(0);
    const names = [...out.matchAll(/^ {2}([a-z]+)(?:\|([a-z-]+))? (?=[ [<])/gm)];
    expect(names.map(([, name, alias]) => (alias ? `${name}|${alias}` : name))).toEqual([
      ...['serve', 'status', 'stop', 'set', 'get', 'query', 'ls|list-components'],
      ...['delete', 'bump', 'import', 'export', 'completion', 'help'],
    ]);
    expect(out).toContain('0 done or found   1 failure, or no server   2 bad input   3 not found');
  });

  it('without a command is bad input, and prints the help beside the result', async () => {
    const { code, out, err } = await stageOf().nudge();
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^Usage: nudge /);
  });

  it.each([
    ['get', '--help'],
    ['help', 'get'],
  ])('explains a command, with the port that all have: nudge %s %s', async (...argv) => {
    const { code, out } = await stageOf().nudge(...argv);
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: nudge get \[options\] <component> <key>\n/);
    expect(out).toContain('-p, --port <port>');
  });

  it.each([
    ['a command that does not exist', ['gte'], /^nudge: unknown command 'gte'\n\(Did you mean get/],
    ['an option that does not exist', ['get', 'a', 'b', '--jsn'], /^nudge: unknown option '--jsn'/],
    ['an argument too few', ['get', 'a'], /^nudge: missing required argument 'key'\n/],
    ['an argument too many', ['get', 'a', 'b', 'c'], /^nudge: too many arguments for 'get'/],
    ['a port in words', ['-p', 'http', 'ls'], /^nudge: --port is a number from 1 to 65535/],
    ['a port that cannot be', ['ls', '--port', '65536'], /^nudge: --port is a number from 1/],
  ])('refuses %s', async (_what, argv, message) => {
    const { code, out, err } = await stageOf(server).nudge(...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
    expect(server.calls).toEqual([]);
  });
});

describe('where a command asks', () => {
  it('is the server of the PID file', async () => {
    expect((await stageOf(server).nudge('ls')).code).toBe(0);
    expect(server.calls.map(({ url }) => url)).toEqual(['/cue/rpc']);
  });

  it.each([
    ['before the command', (port: string) => ['-p', port, 'ls']],
    ['behind it', (port: string) => ['ls', '-p', port]],
    ['in one word', (port: string) => ['ls', `--port=${port}`]],
  ])('is the port that is said, %s', async (_where, argv) => {
    const stage = stageOf();
    expect((await stage.nudge(...argv(String(server.port)))).code).toBe(0);
    expect(server.calls).toHaveLength(1);
  });

  it('has path and agent of the PID file, and the key of the environment', async () => {
    const stage = stageOf();
    const file = { ...markOf(process.pid), port: server.port, started: 'x', agentId: AGENT_ID };
    stage.write('pids/server.pid', JSON.stringify({ ...file, path: '/api/cue/rpc' }));
    await stage.nudgeIn({ env: { ELIZA_SERVER_AUTH_TOKEN: 'key' } }, 'ls');
    const [call] = server.calls;
    expect(call?.url).toBe(`/api/cue/rpc?agentId=${AGENT_ID}`);
    expect(call?.headers['x-api-key']).toBe('key');
  });

  it('is told when nothing listens there, with what to do', async () => {
    const port = String(await freePort());
    expect(await stageOf().nudge('ls', '-p', port)).toEqual({
      code: 1,
      out: '',
      err: `nudge: nothing listens at http://127.0.0.1:${port}: start a server with "nudge serve", or say its port with -p PORT\n`,
    });
    const { code, out } = await stageOf().nudge('ls', '-p', port, '--json');
    expect({ code, error: JSON.parse(out).error.code }).toEqual({ code: 1, error: 'UNAVAILABLE' });
  });

  it.each([
    ['a command', ['get', 'a', 'b'], 1],
    ['the question who serves', ['status'], 3],
    ['the wish to stop it', ['stop'], 3],
  ])(
    'is told when pid and port of the PID file are another program’s: %s',
    async (_what, argv, code) => {
      const asked: (string | undefined)[] = [];
      const foreign = createServer((request, response) => {
        asked.push(request.url);
        response.end('<html></html>');
      });
      await new Promise<void>((done) => foreign.listen(0, '127.0.0.1', done));
      const { port } = foreign.address() as AddressInfo;
      const stage = stageOf();
      const file = JSON.stringify({ pid: process.pid, port, started: 'x' });
      const path = stage.write('pids/server.pid', file);
      const ended = await stage.nudge(...argv);
      foreign.close();
      expect(ended).toMatchObject({ code, out: '' });
      expect(ended.err).toContain('is served by another program (it answers a web page, 200)');
      expect(asked).toEqual(['/cue/rpc']);
      // It may be the file of a server that is about to answer: only a server replaces it.
      expect(readFileSync(path, 'utf8')).toBe(file);
    },
  );
});
