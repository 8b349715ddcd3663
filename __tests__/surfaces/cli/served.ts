/** `cue` in this process, with somebody who serves: a real agent behind our own listener. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startListener } from '../../../src/surfaces/rest/index.js';
import { type Agent, type BootOptions, boot, startedServices } from '../../helpers/boot.js';
import { type CueWorld, type Ended, runCue } from './cue.js';

export type World = Omit<CueWorld, 'cwd' | 'nowMs'>;

export interface Caller {
  /** A folder of its own, with the PID file's below it. */
  root: string;
  write(path: string, text: string): string;
  read(path: string): string;
  /** Says in the PID file who serves. */
  serves(server: { port: number; agentId?: string; path?: string }): void;
  cue(...argv: string[]): Promise<Ended>;
  cueWith(world: World, ...argv: string[]): Promise<Ended>;
  /** The one document on standard output, and the code. */
  json(...argv: string[]): Promise<{ code: number; document: Record<string, unknown> }>;
  remove(): void;
}

export function makeCaller(): Caller {
  const root = mkdtempSync(join(tmpdir(), 'cue-served-'));
  const pids = join(root, 'pids');
  mkdirSync(pids, { mode: 0o700 });
  const write = (path: string, text: string): string => {
    writeFileSync(join(root, path), text);
    return join(root, path);
  };
  const cueWith: Caller['cueWith'] = (world, ...argv) =>
    runCue(argv, {
      ...{ cwd: root, nowMs: Date.now, ...world },
      env: { NUDGE_PID_DIR: pids, ...world.env },
    });
  return {
    root,
    write,
    read: (path) => readFileSync(join(root, path), 'utf8'),
    serves: (server) => {
      const started = '2026-01-31T12:00:00.000Z';
      write('pids/server.pid', JSON.stringify({ pid: process.pid, started, ...server }));
    },
    cue: (...argv) => cueWith({}, ...argv),
    cueWith,
    async json(...argv) {
      const { code, out } = await cueWith({}, ...argv, '--json');
      return { code, document: JSON.parse(out) };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export interface Served extends Caller {
  agent: Agent;
  /** What the route itself answers. */
  rest(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startServed(options: BootOptions = {}): Promise<Served> {
  const agent = await boot({ slim: true, ...options });
  await startedServices(agent.runtime);
  const listener = await startListener({ runtime: agent.runtime, port: 0 });
  const caller = makeCaller();
  caller.serves({ port: listener.port, agentId: agent.runtime.agentId });
  return {
    ...caller,
    agent,
    rest: async (path) => (await fetch(`http://127.0.0.1:${listener.port}/cue${path}`)).json(),
    async stop() {
      caller.remove();
      await listener.close();
      await agent.stop();
    },
  };
}
