/** Starts `helpers/when-child.ts`; what it was told to do begins when it is told, not at its start. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll } from 'vitest';
import { programOf } from '../helpers/programs.js';
import type { WhenTask } from '../helpers/when-child.js';

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

export interface WhenChild {
  run(task: WhenTask): Promise<Ending>;
}

const living = new Set<ChildProcess>();

export async function startWhenChild(): Promise<WhenChild> {
  const child = fork(programOf('__tests__/helpers/when-child'), {
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
