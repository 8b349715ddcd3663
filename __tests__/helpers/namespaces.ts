/** Processes that are each the first of a pid namespace of their own, as those of two containers are. */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { NamespaceTask } from './namespace-child.js';
import { programOf } from './programs.js';

export interface Container {
  /** What it says next: its pid first, then an answer to each task. */
  next(): Promise<unknown>;
  send(task: NamespaceTask): void;
  /** The next answer. */
  ask(task: NamespaceTask): Promise<unknown>;
  kill(): Promise<void>;
}

const IN_NAMESPACE = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const living = new Set<ChildProcessByStdio<Writable, Readable, null>>();

/** `null`: it can have them. */
export function whyNoNamespaces(): string | null {
  const tried = spawnSync('unshare', [...IN_NAMESPACE, 'true'], { encoding: 'utf8' });
  if (tried.status === 0) return null;
  return tried.error?.message ?? tried.stderr.trim();
}

export async function startContainer(): Promise<Container> {
  const child = spawn(
    'unshare',
    [...IN_NAMESPACE, process.execPath, programOf('__tests__/helpers/namespace-child')],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  living.add(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the process has ended');
    return JSON.parse(value);
  };
  const send = (task: NamespaceTask) => void child.stdin.write(`${JSON.stringify(task)}\n`);
  const container: Container = {
    next,
    send,
    ask(task) {
      send(task);
      return next();
    },
    async kill() {
      if (!living.delete(child)) return;
      // The output ends with the last process of the namespace, not with `unshare`.
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
  };
  return container;
}

/** For `afterAll`. */
export function endContainers(): void {
  for (const child of living) child.kill('SIGKILL');
  living.clear();
}
