/** Tries to take a directory's lock at a given instant; several of these race (`lock.test.ts`). */
import { lockDirectory } from '../../src/shared/dir-lock.js';

export interface LockTry {
  directory: string;
  atMs: number;
}

process.on('disconnect', () => process.exit(0));
process.on('message', ({ directory, atMs }: LockTry) => {
  while (Date.now() < atMs) {
    // Busy, so that all of them come within the same millisecond.
  }
  lockDirectory(directory, null).then(
    () => process.send?.('mine'),
    (error: unknown) => process.send?.(error instanceof Error ? error.message : String(error)),
  );
});
process.send?.('ready');
