/**
 * A process that works on a `/when` folder and nothing else: remembers drafts one after the other,
 * and dies at a step of the writing; or watches, stops watching, and ends by itself.
 */
import { readFolder } from '../../src/when/disk/read.js';
import { watchFolder } from '../../src/when/disk/watch.js';
import { type WriteStep, writeLocked } from '../../src/when/disk/write.js';
import { remember } from '../../src/when/remember.js';
import type { RememberDraft, WhenPaths } from '../../src/when/types.js';

export type WhenTask =
  | { kind: 'remember'; paths: WhenPaths; drafts: RememberDraft[]; dieAt?: WriteStep }
  | { kind: 'watch'; paths: WhenPaths };

async function carryOut(task: WhenTask): Promise<void> {
  if (task.kind === 'watch') {
    const watch = await watchFolder(task.paths, () => {});
    await watch.look();
    await watch.close();
    return;
  }
  const { paths, drafts, dieAt } = task;
  const onStep = (step: WriteStep) => {
    if (step === dieAt) process.kill(process.pid, 'SIGKILL');
  };
  const write: typeof writeLocked = (changes, deps) => writeLocked(changes, { ...deps, onStep });
  for (const draft of drafts) await remember({ paths, read: readFolder, write }, draft);
}

process.once('message', (task: WhenTask) => {
  carryOut(task).then(
    () => process.disconnect(),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
process.send?.('ready');
