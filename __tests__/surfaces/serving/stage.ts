/** Agents that are none and servers that only say who they are: what an election is made of, without a database. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IAgentRuntime } from '@elizaos/core';
import { type DatabaseLocation, personalDatabase } from '../../../src/server/database-location.js';
import {
  createLeaderElection,
  type LeaderElection,
  type LeaderElectionDeps,
} from '../../../src/server/leader-election.js';
import type { PrimaryAgent, StartAgentOptions } from '../../../src/server/own-server.js';
import type { ServerFile } from '../../../src/server/pid-file.js';
import { pidFileOf } from '../../../src/server/pid-file.js';
import { systemClock } from '../../../src/shared/clock.js';
import { markOf } from '../../../src/shared/process-life.js';
import { servingOf } from '../../../src/surfaces/nudge-status.js';
import { routeMaker } from '../../../src/surfaces/rest/route.js';

const FAKE = fileURLToPath(new URL('../../helpers/fake-server.mjs', import.meta.url));
export const AGENT_ID = 'aaaaaaaa-0000-4000-8000-000000000001';
/** Of whoever does not say another: what those serve that mean none. Nothing opens it. */
const DATABASE = personalDatabase().directory;

export interface FakeServer {
  pid: number;
  port: number;
  /** Stops listening, but lives on. */
  goDeaf(): void;
  kill(): Promise<void>;
}

export interface StartedAgent {
  options: StartAgentOptions;
  want(how: 'wanted' | 'opened'): void;
  closed: boolean;
}

export interface Stage {
  env: Record<string, string>;
  pidFile: string;
  log: string[];
  /** Each that was started. */
  agents: StartedAgent[];
  /** Thrown by the next starts, while there is one. */
  refusal: { error: Error | null };
  election(more?: Partial<LeaderElectionDeps>): LeaderElection;
  fake(said?: object, key?: string): Promise<FakeServer>;
  /** As a server of that database says it: in its own PID file, and in the usual one unless `alone`. */
  name(file: Partial<ServerFile>, database?: DatabaseLocation | string, alone?: 'alone'): void;
  /** What the usual PID file says, or that of a database. */
  named(database?: string): ServerFile;
  /** The right to serve is this process's. */
  hold(pid: number): void;
  end(): Promise<void>;
}

export function makeStage(): Stage {
  const home = mkdtempSync(join(tmpdir(), 'cue-roles-'));
  const pidFile = join(home, 'pid', 'server.pid');
  const env: Record<string, string> = { NUDGE_PID_DIR: dirname(pidFile) };
  const children: ChildProcess[] = [];
  const made: LeaderElection[] = [];
  const log: string[] = [];
  const agents: StartedAgent[] = [];
  const refusal: Stage['refusal'] = { error: null };

  async function startAgent(options: StartAgentOptions): Promise<PrimaryAgent> {
    if (refusal.error) throw refusal.error;
    let want: StartedAgent['want'] = () => {};
    const wanted = new Promise<'wanted' | 'opened'>((resolve) => {
      want = resolve;
    });
    const agent: StartedAgent = { options, want, closed: false };
    agents.push(agent);
    return {
      runtime: fakeRuntime(agents.length, options.env.PGLITE_DATA_DIR),
      agentId: AGENT_ID,
      directory: null,
      wanted,
      close: async () => {
        agent.closed = true;
      },
    };
  }

  return {
    ...{ env, pidFile, log, agents, refusal },
    election(more = {}) {
      const election = createLeaderElection({
        startAgent: async () => startAgent,
        env,
        cwd: home,
        port: 0,
        clock: systemClock,
        log: (line) => log.push(line),
        ...more,
        times: {
          checkMs: 40,
          pollMs: 10,
          retryMs: 100,
          patienceMs: 300,
          hangingMs: 300,
          ...more.times,
        },
      });
      made.push(election);
      return election;
    },
    async fake(said = {}, key = '') {
      const status = {
        ...{ name: 'cue', kind: 'eliza', agent_id: AGENT_ID, session_id: 's' },
        database: DATABASE,
        ...said,
      };
      const child = fork(FAKE, [JSON.stringify(status), key], { execArgv: [] });
      children.push(child);
      const port = await new Promise<number>((resolve) => {
        child.once('message', (message) => resolve(Number(message)));
      });
      return {
        pid: child.pid ?? 0,
        port,
        goDeaf: () => void child.send('deaf'),
        kill: () => ended(child),
      };
    },
    name(file, database = DATABASE, alone) {
      mkdirSync(dirname(pidFile), { recursive: true, mode: 0o700 });
      const mark = markOf(file.pid ?? process.pid);
      const whole = { ...mark, port: 1, started: '2026-05-01T09:00:00.000Z', ...file };
      const place = typeof database === 'string' ? inDirectory(database) : database;
      writeFileSync(pidFileOf(env, place), JSON.stringify(whole));
      if (alone === undefined) writeFileSync(pidFile, JSON.stringify(whole));
    },
    hold(pid) {
      mkdirSync(dirname(pidFile), { recursive: true, mode: 0o700 });
      const holder = { pid, startedTicks: null, port: null, kind: 'agent' };
      writeFileSync(`${pidFile}.cue-lock`, JSON.stringify(holder));
    },
    named(database) {
      const path = database === undefined ? pidFile : pidFileOf(env, inDirectory(database));
      return JSON.parse(readFileSync(path, 'utf8')) as ServerFile;
    },
    async end() {
      await Promise.all(made.map((one) => one.close()));
      await Promise.all(children.map(ended));
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function inDirectory(directory: string): DatabaseLocation {
  return { kind: 'directory', directory };
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  return gone;
}

/** With the one route that an election asks. */
function fakeRuntime(session: number, database: string | undefined): IAgentRuntime {
  const route = routeMaker({ apiKey: () => undefined })({
    type: 'POST',
    path: '/rpc',
    rawBody: true,
    handle: async () => ({
      status: 200,
      body: {
        jsonrpc: '2.0',
        id: 1,
        result: {
          name: 'cue',
          pid: process.pid,
          agent_id: AGENT_ID,
          session_id: `session-${session}`,
          database: database ?? DATABASE,
          ...servingOf(runtime),
        },
      },
    }),
  });
  const runtime = {
    agentId: AGENT_ID,
    routes: [{ ...route, path: `/cue${route.path}` }],
    logger: { error() {} },
  } as unknown as IAgentRuntime;
  return runtime;
}

export async function until(what: string, look: () => boolean): Promise<void> {
  const endMs = Date.now() + 60_000;
  while (!look()) {
    if (Date.now() > endMs) throw new Error(`timed out waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
