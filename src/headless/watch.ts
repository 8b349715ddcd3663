/** Notices that somebody else wants an embedded database, or has opened it. */
import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { requestFor, requestPath } from '../shared/dir-lock.js';
import type { Fence } from './fence.js';

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
