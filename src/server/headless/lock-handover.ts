/**
 * Who has opened a directory may be an Eliza server that is still starting, and has no lock yet. Until it
 * asks for ours, no headless agent may open what it has open: no other one, and not this process's next.
 */

import { type FSWatcher, watch } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { requestFor, requestPath } from '../../shared/dir-lock.js';
import { realPath } from '../../shared/folders.js';
import { namesIn } from '../pid-file.js';
import { targetOf } from '../server-probe.js';
import type { Fence } from './fence.js';

/** An Eliza server needs so long from opening its database until the plugin takes the lock. */
const SERVER_START_MS = 30_000;
const ASK_MS = 50;

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
  }, ASK_MS);
  const patience = setTimeout(end, SERVER_START_MS);
  looking.unref();
  patience.unref();
}

/** Whether this process has just left it to another. */
export function hasLeft(directory: string): boolean {
  return left.has(realPath(resolve(directory)));
}

/** Another process with a file of the directory open; `null`: none that can be seen. Blocks for milliseconds. */
export function openerOf(directory: string): number | null {
  const below = realPath(resolve(directory)) + sep;
  for (const name of namesIn('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const files = `/proc/${pid}/fd`;
    // Of other users' processes nothing is shown.
    if (namesIn(files).some((handle) => targetOf(`${files}/${handle}`).startsWith(below))) {
      return pid;
    }
  }
  return null;
}

export interface DirectoryWatch {
  /** Never rejects, and resolves once. */
  readonly wanted: Promise<'wanted' | 'opened'>;
  /** Whether the asker stands at the door now. */
  isAsked(): boolean;
  close(): void;
}

/** Notices what the system does not tell: network drives, systems without such messages. */
const LOOK_MS = 250;

/** Keeps no process alive. */
export function watchDirectory(directory: string, fence: Fence): DirectoryWatch {
  const watchers: FSWatcher[] = [];
  let settle: (how: 'wanted' | 'opened') => void = () => {};
  const wanted = new Promise<'wanted' | 'opened'>((resolve) => {
    settle = resolve;
  });
  function look(): void {
    const request = fence.check() ? null : requestFor(directory);
    if (request?.opened) fence.raise();
    if (fence.isUp) settle('opened');
    else if (request) settle('wanted');
  }
  for (const folder of [directory, dirname(requestPath(directory))]) {
    try {
      const watcher = watch(folder, { persistent: false }, look);
      watcher.on('error', () => watcher.close());
      watchers.push(watcher);
    } catch {
      // The timer looks.
    }
  }
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  look();
  return {
    wanted,
    isAsked: () => requestFor(directory) !== null,
    close() {
      clearInterval(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
