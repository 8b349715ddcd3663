/**
 * Who has opened a directory may be an Eliza server that is still starting, and has no lock yet. Until it
 * asks for ours, no headless agent may open what it has open: no other one, and not this process's next.
 */
import { resolve } from 'node:path';
import { realPath } from '../shared/real-path.js';
import type { DirectoryWatch } from './watch.js';

/** An Eliza server needs so long from opening its database until the plugin takes the lock. */
const SERVER_START_MS = 30_000;
const LOOK_MS = 50;

const left = new Set<string>();

/** Keeps the lock until somebody asks for it; keeps no process alive. */
export function leaveTo(
  { directory, watch }: { directory: string; watch: DirectoryWatch },
  unlock: () => void,
): void {
  const key = realPath(resolve(directory));
  left.add(key);
  const end = (): void => {
    clearInterval(looking);
    clearTimeout(patience);
    left.delete(key);
    watch.close();
    unlock();
  };
  const looking = setInterval(() => {
    if (watch.isAsked()) end();
  }, LOOK_MS);
  const patience = setTimeout(end, SERVER_START_MS);
  looking.unref();
  patience.unref();
}

/** Whether this process has just left it to another. */
export function hasLeft(directory: string): boolean {
  return left.has(realPath(resolve(directory)));
}
