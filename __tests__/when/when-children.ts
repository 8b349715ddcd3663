/** Starts `helpers/when-child.ts`; what it was told to do begins when it is told, not at its start. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll } from 'vitest';
import type { WhenTask } from '../helpers/when-child.js';

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

export interface WhenChild {
  run(task: WhenTask): Promise<Ending>;
}

const PROGRAM = fileURLToPath(new URL('../helpers/when-child.ts', import.meta.url));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const living = new Set<ChildProcess>();

export async function startWhenChild(): Promise<WhenChild> {
  const child = fork(PROGRAM, {
    execArgv: ['--import', TSX],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  living.add(child);
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, 'close').then(([code, signal]): Ending => {
    living.delete(child);
    return { code, signal, stderr };
  });
  await Promise.race([once(child, 'message'), ended]);
  return {
    run(task) {
      child.send(task);
      return ended;
    },
  };
}

afterAll(() => {
  for (const child of living) child.kill('SIGKILL');
});
