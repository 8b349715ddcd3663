/** `nudge` in this process or one of its own, against a small server with a real store. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Io } from '../../../../src/surfaces/cli/io.js';
import { quickGet } from '../../../../src/surfaces/cli/nudge/get.js';
import { run } from '../../../../src/surfaces/cli/nudge/program.js';
import { answerRpcText } from '../../../../src/surfaces/rest/rpc/json-rpc.js';
import { createNudgeHandler } from '../../../../src/surfaces/rest/rpc/nudge-methods.js';
import { programOf } from '../../../helpers/programs.js';
import { OPERATOR, type TestRoom, testRoom } from '../../../hints/hint-room.js';

export const AGENT_ID = 'aaaaaaaa-0000-4000-8000-000000000001';

export interface Call {
  url: string;
  headers: IncomingHttpHeaders;
  method: string;
  params: Record<string, unknown>;
}

export interface HintServer {
  port: number;
  room: TestRoom;
  /** What it was asked, in order. */
  calls: Call[];
  close(): Promise<void>;
}

/** Answers the methods of Nudge as the routes do. */
export async function startHintServer(
  settings: Parameters<typeof testRoom>[0] = {},
): Promise<HintServer> {
  const room = testRoom(settings);
  const calls: Call[] = [];
  const handle = createNudgeHandler({
    hints: () => room.hints,
    caller: OPERATOR,
    agentId: AGENT_ID,
    serving: () => ({
      ...{ kind: 'headless', started: '2026-01-31T12:00:00.000Z', database: null },
      ...{ agent_name: 'Cue', project: null },
    }),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString();
    // Tests beside this one look for servers, and may ask at this port who is there.
    if (text === '') {
      response.writeHead(404).end();
      return;
    }
    const { method, params } = JSON.parse(text);
    calls.push({ url: request.url ?? '', headers: request.headers, method, params });
    const answer = await answerRpcText(text, handle);
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    room,
    calls,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface World {
  stdin?: string;
  cwd?: string;
  env?: Record<string, string>;
}

export interface Stage {
  /** A folder of its own, with the PID file's below it. */
  root: string;
  write(path: string, text: string): string;
  nudge(...argv: string[]): Promise<Ended>;
  nudgeIn(world: World, ...argv: string[]): Promise<Ended>;
  /** `get` without the reader of command lines; `null`: it is left to that. */
  quick(...argv: string[]): Promise<Ended | null>;
  /** The same by the real program. */
  process(world: World, ...argv: string[]): Promise<Ended>;
  remove(): void;
}

/**
 * @param server its port stands in the PID file
 */
export function makeStage(server?: {
  port: number;
  /** Whose clock the commands read. */
  room: Pick<TestRoom, 'now'>;
}): Stage {
  const root = mkdtempSync(join(tmpdir(), 'nudge-cli-'));
  const pids = join(root, 'pids');
  mkdirSync(pids, { mode: 0o700 });
  const write = (path: string, text: string): string => {
    const whole = join(root, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    return whole;
  };
  if (server) {
    const started = '2026-01-31T12:00:00.000Z';
    write('pids/server.pid', JSON.stringify({ pid: process.pid, port: server.port, started }));
  }
  const ioOf = (world: World, ended: Ended): Io => {
    return {
      cwd: world.cwd ?? root,
      env: { NUDGE_PID_DIR: pids, ...world.env },
      parentPid: 4711,
      clock: { now: () => server?.room.now() ?? 0 },
      stdin: async () => world.stdin ?? '',
      out: (text: string) => {
        ended.out += text;
      },
      err: (text: string) => {
        ended.err += text;
      },
    };
  };
  const nothing = (): Ended => ({ code: null, out: '', err: '' });
  const nudgeIn: Stage['nudgeIn'] = async (world, ...argv) => {
    const ended = nothing();
    const startAgent = async () => {
      throw new Error('no agent is started here');
    };
    ended.code = await run(argv, ioOf(world, ended), { startAgent });
    return ended;
  };
  return {
    root,
    write,
    nudge: (...argv) => nudgeIn({}, ...argv),
    nudgeIn,
    async quick(...argv) {
      const ended = nothing();
      const code = quickGet(argv, ioOf({}, ended));
      if (code === null) return null;
      ended.code = await code;
      return ended;
    },
    process: (world, ...argv) => {
      const env = { PATH: process.env.PATH, NUDGE_PID_DIR: pids, ...world.env };
      return processOf([programOf('src/bin/nudge'), ...argv], {
        ...world,
        cwd: world.cwd ?? root,
        env,
      });
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function processOf(
  argv: readonly string[],
  { cwd, env, stdin = '' }: Omit<World, 'env'> & { env: Record<string, string | undefined> },
): Promise<Ended> {
  const child = spawn(process.execPath, argv, { cwd, env });
  const heard: Ended = { code: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    heard.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.err += text;
  });
  child.stdin.end(stdin);
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => done({ ...heard, code }));
  });
}
