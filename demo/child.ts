/** The server of `npm start` as a process of its own, so that it can be killed for real. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { exampleIndex } from './example.js';
import { PATIENCE, StepError } from './transcript.js';

const READY = /^ {2}Web UI +(http:\S+)$/m;
const READY_MS = PATIENCE * 45_000;
const STOP_MS = PATIENCE * 10_000;

export interface ServerProcess {
  url: string;
  pid: number;
  /** No good-bye: the process is gone when this resolves. */
  killHard(): Promise<void>;
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>;
  output(): string;
}

/** Kills whatever still lives; nothing may be left behind, however this process ends. */
const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

export async function startProcess(directory: string, port: number): Promise<ServerProcess> {
  const loader = new URL('./typescript.mjs', import.meta.url).href;
  const start = fileURLToPath(new URL('./start.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', loader, start], {
    cwd: directory,
    env: environment(directory, port),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  living.add(child);
  const chunks: string[] = [];
  const output = () => chunks.join('');
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      living.delete(child);
      resolve(code);
    });
  });
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(
      () =>
        reject(new StepError(`the server was not ready within ${READY_MS / 1000} s:\n${output()}`)),
      READY_MS,
    );
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        chunks.push(chunk);
        const ready = READY.exec(output())?.[1];
        if (ready === undefined) return;
        clearTimeout(late);
        resolve(ready);
      });
    }
    child.once('error', reject);
    void ended.then((code) => {
      clearTimeout(late);
      reject(new StepError(`the server ended with code ${code}:\n${output()}`));
    });
  });
  return {
    url,
    pid: child.pid ?? 0,
    output,
    async killHard() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      const code = await ended;
      clearTimeout(late);
      return code;
    },
  };
}

/** Nothing of the caller's but what a process needs: no key, no `.env`, so the offline model. */
function environment(directory: string, port: number): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'LANG', 'TZ', 'NODE_OPTIONS'];
  return {
    ...Object.fromEntries(
      kept.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    HOME: directory,
    USERPROFILE: directory,
    TMPDIR: tmpdir(),
    SERVER_HOST: '127.0.0.1',
    SERVER_PORT: String(port),
    CUE_DATA_DIR: directory,
    CUE_TRIGGER_MIN_INTERVAL_MS: '5000',
    CUE_WHEN_INDEX: exampleIndex(directory),
  };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
