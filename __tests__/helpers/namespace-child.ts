/**
 * The first process of a pid namespace of its own, as in a container: does what a line of its input
 * says, and answers each with a line.
 */
import { existsSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { lockDirectory } from '../../src/shared/dir-lock.js';
import { messageOf } from '../../src/shared/errors.js';
import { writeTogether } from '../../src/when/disk/write.js';
import { hashOf } from '../../src/when/index-file.js';
import type { WhenPaths } from '../../src/when/types.js';

export type NamespaceTask =
  | { kind: 'lock'; directory: string }
  /** Stands still in the middle of the writing until there is such a file. */
  | { kind: 'write'; paths: WhenPaths; path: string; from: string; to: string; until?: string };

function say(what: unknown): void {
  writeSync(1, `${JSON.stringify(what)}\n`);
}

async function carryOut(task: NamespaceTask): Promise<void> {
  if (task.kind === 'lock') {
    await lockDirectory(task.directory, 4711);
    return;
  }
  const { paths, path, from, to, until } = task;
  await writeTogether([{ path, text: to, expected: hashOf(from) }], {
    paths,
    onStep: (step) => {
      if (until === undefined || step !== 'staged') return;
      writeSync(1, '"staged"\n');
      while (!existsSync(until)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    },
  });
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  carryOut(JSON.parse(line) as NamespaceTask).then(
    () => say('done'),
    (error: unknown) => say(messageOf(error)),
  );
});
say(process.pid);
