/** Follows index and decision files while they are edited, renamed, checked out and made again. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { type Clock, MINUTE_MS, systemClock } from '../../shared/clock.js';
import { messageOf } from '../../shared/errors.js';
import type { Log } from '../../shared/log.js';
import { isBelow, realPath } from '../../shared/real-path.js';
import type { DiskState, WhenPaths } from '../types.js';
import { boundsOf } from './bounds.js';
import { createFolderReader } from './read.js';
import { createSettling, SETTLE_MS } from './settling.js';

/** An edit is to be known within a tenth of a second; what comes in more steps is looked at again. */
const DEBOUNCE_MS = 15;

export interface WatchDeps {
  log?: Log | undefined;
  clock?: Clock | undefined;
  settleMs?: number | undefined;
  /** Events within this time are one; so are all that come while a look waits for the one before it. */
  debounceMs?: number | undefined;
  /** Even without an event the disk is read this often: watching fails silently on some systems. */
  rereadMs?: number | undefined;
}

export interface FolderWatch {
  /** Reads now instead of at the next event; resolves when `onChange` has been told. */
  look(): Promise<void>;
  /** Resolves when nothing of it is left: no handle, no timer, no call. */
  close(): Promise<void>;
}

/**
 * Tells `onChange` what to go by: once before it resolves, then whenever that changes (settled as
 * `createSettling` says). Neither file nor folder needs to exist. Calls never overlap.
 */
export async function watchFolder(
  paths: WhenPaths,
  onChange: (state: DiskState) => void | Promise<void>,
  deps: WatchDeps = {},
): Promise<FolderWatch> {
  const { log, clock = systemClock, debounceMs = DEBOUNCE_MS, rereadMs = MINUTE_MS } = deps;
  const reader = createFolderReader(paths, clock);
  const settling = createSettling({ settleMs: deps.settleMs ?? SETTLE_MS });
  let told: DiskState | null = null;
  let closed = false;
  let watcher: FSWatcher | null = null;
  let watched = '';
  let soon: NodeJS.Timeout | null = null;
  let later: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  /** A look that has not begun: it will see whatever is there by then, for all who ask. */
  let next: Promise<void> | null = null;

  async function lookOnce(): Promise<void> {
    if (closed) return;
    try {
      const { state, againInMs } = settling.see(await reader.read(), clock.now());
      if (againInMs !== null) lookLater(againInMs);
      if (closed) return;
      await watchAgain();
      if (state === told) return;
      await onChange(state);
      told = state;
    } catch (error) {
      log?.error({ error: messageOf(error) }, 'index and decision files could not be followed');
    }
  }

  /** One after the other; each reads what stands there when its turn comes. */
  function look(): Promise<void> {
    if (next !== null) return next;
    next = running.then(() => {
      next = null;
      return lookOnce();
    });
    running = next;
    return next;
  }

  function lookSoon(): void {
    if (closed || soon !== null) return;
    soon = setTimeout(() => {
      soon = null;
      void look();
    }, debounceMs);
  }

  function lookLater(inMs: number): void {
    if (closed) return;
    if (later !== null) clearTimeout(later);
    later = setTimeout(() => {
      later = null;
      void look();
    }, inMs);
  }

  /** Begins anew where folders came or went above what is watched. */
  async function watchAgain(): Promise<void> {
    const places = placesOf(paths);
    const wanted = JSON.stringify(places.folders);
    if (wanted === watched) return;
    watched = wanted;
    const old = watcher;
    watcher = watch(places.folders, {
      // Each file that is not left out costs a handle.
      ignored: (path, stats) =>
        !places.concerns(path) || (stats?.isFile() === true && !places.isRead(path)),
      ignoreInitial: true,
      followSymlinks: false,
      atomic: false,
    });
    watcher.on('all', lookSoon);
    // The library leaves out events that follow one another closely, and a file that is renamed over
    // another right after the same happened before (seen); what the system reports, it hands on.
    watcher.on('raw', (_, path, details) => {
      if (places.concerns(reportedPath(path, details))) lookSoon();
    });
    // What changed between the last look and now was reported to nobody.
    watcher.on('ready', lookSoon);
    watcher.on('error', (error) => {
      log?.warn({ error: messageOf(error) }, 'watching index and decision files failed');
      lookSoon();
    });
    await old?.close();
  }

  const reread = setInterval(lookSoon, rereadMs);
  reread.unref();
  await look();

  return {
    look,
    async close() {
      closed = true;
      clearInterval(reread);
      if (soon !== null) clearTimeout(soon);
      if (later !== null) clearTimeout(later);
      await running;
      await watcher?.close();
    },
  };
}

interface Places {
  /** Folders that exist. */
  folders: string[];
  /** Whether a path below them can matter. */
  concerns(path: string): boolean;
  /** Whether a file is one that is read. */
  isRead(path: string): boolean;
}

/**
 * The folders to watch: those above index and decisions folder, so that both may come and go, and
 * where links lead. Only the way down to them is watched, never the rest of those folders.
 */
function placesOf(paths: WhenPaths): Places {
  const { index, decisions } = boundsOf(paths);
  const targets = new Set<string>();
  for (const path of [paths.index, paths.decisions]) {
    targets.add(join(realPath(dirname(resolve(path))), basename(path)));
  }
  const folder = 'real' in decisions ? decisions.real : null;
  if ('real' in index) targets.add(index.real);
  if (folder !== null) targets.add(folder);
  const folders = new Set([...targets].map((target) => existingAbove(target)));
  const onTheWay = (path: string) => [...targets].some((target) => isBelow(target, path));
  const within = (path: string) =>
    folder !== null &&
    isBelow(path, folder) &&
    !/[\\/](?:\.|node_modules(?:[\\/]|$))/.test(path.slice(folder.length));
  return {
    folders: [...folders].sort(),
    concerns: (path) => onTheWay(resolve(path)) || within(resolve(path)),
    isRead: (path) => /\.md$/i.test(path) || targets.has(resolve(path)),
  };
}

/** Systems report the name in the folder that is watched; some report nothing, then it is the folder. */
function reportedPath(path: string | null, details: unknown): string {
  const isIn = typeof details === 'object' && details !== null && 'watchedPath' in details;
  const folder = isIn && typeof details.watchedPath === 'string' ? details.watchedPath : '';
  return resolve(folder, path ?? '');
}

function existingAbove(path: string): string {
  const above = dirname(path);
  return above === path || existsSync(above) ? above : existingAbove(above);
}
