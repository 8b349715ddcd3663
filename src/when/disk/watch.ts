/** Follows index and decision files while they are edited, renamed, checked out and made again. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { type Clock, MINUTE_MS, SECOND_MS, systemClock } from '../../shared/clock.js';
import { messageOf } from '../../shared/errors.js';
import type { Log } from '../../shared/log.js';
import { isBelow, realPath } from '../../shared/real-path.js';
import type { DiskState, WhenPaths } from '../types.js';
import { boundsOf } from './bounds.js';
import { createFolderReader } from './read.js';
import { createShrinkFilter, isSame, SETTLE_MS } from './shrink-filter.js';

/** An edit is to be known within a tenth of a second; what comes in more steps is looked at again. */
const DEBOUNCE_MS = 15;
/** A watch that was lost is set up anew within this time. */
const CHECK_MS = 2 * SECOND_MS;

export interface WatchDeps {
  log?: Log | undefined;
  clock?: Clock | undefined;
  settleMs?: number | undefined;
  /** Events within this time are one; so are all that come while a look waits for the one before it. */
  debounceMs?: number | undefined;
  /** Even without an event the disk is read this often: watching fails silently on some systems. */
  rereadMs?: number | undefined;
  /** This often it is looked whether the folders are still those that are watched; reads no file. */
  checkMs?: number | undefined;
}

export interface FolderWatch {
  /** Reads now instead of at the next event; resolves when `onChange` has been told. */
  look(): Promise<void>;
  /** Resolves when nothing of it is left: no handle, no timer, no call. */
  close(): Promise<void>;
}

/**
 * Tells `onChange` what to go by: once before it resolves, then whenever that changes (settled as
 * `createShrinkFilter` says). Neither file nor folder needs to exist. Calls never overlap.
 */
export async function watchFolder(
  paths: WhenPaths,
  onChange: (state: DiskState) => void | Promise<void>,
  deps: WatchDeps = {},
): Promise<FolderWatch> {
  const { log, clock = systemClock, debounceMs = DEBOUNCE_MS } = deps;
  const { rereadMs = MINUTE_MS, checkMs = CHECK_MS } = deps;
  const reader = createFolderReader(paths, clock);
  const filter = createShrinkFilter({ settleMs: deps.settleMs ?? SETTLE_MS });
  let told: DiskState | null = null;
  let closed = false;
  let watcher: FSWatcher | null = null;
  /** Folders and their identity when the watch was set up; '': it is to be set up anew. */
  let watched = { folders: '', are: '' };
  let read: DiskState | null = null;
  /** The index when it was last read. */
  let touched = '';
  /** Since the last look: whether there was an event, and whether one is due without any. */
  let heard = false;
  let unasked = false;
  let soon: NodeJS.Timeout | null = null;
  let later: NodeJS.Timeout | null = null;
  let checking: Promise<void> | null = null;
  let running: Promise<void> = Promise.resolve();
  /** A look that has not begun: it will see whatever is there by then, for all who ask. */
  let next: Promise<void> | null = null;

  async function lookOnce(): Promise<void> {
    if (closed) return;
    const isUnheard = unasked && !heard;
    unasked = false;
    heard = false;
    try {
      touched = await touchOf(paths.index);
      const seen = await reader.read();
      if (isUnheard && !heard && read !== null && !isSame(read, seen)) {
        log?.info({ index: paths.index }, 'a change was not reported: watching anew');
        watched.are = '';
      }
      read = seen;
      const { state, againInMs } = filter.see(seen, clock.now());
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

  function onEvent(): void {
    heard = true;
    lookSoon();
  }

  function lookUnasked(): void {
    unasked = true;
    lookSoon();
  }

  /** Stats only, so that it may be done often. */
  async function check(): Promise<void> {
    const places = placesOf(paths);
    const [are, index] = await Promise.all([identityOf(places.identified), touchOf(paths.index)]);
    if (are !== watched.are || index !== touched) lookUnasked();
  }

  function checkSoon(): void {
    checking ??= check()
      // What is wrong there, the next look says.
      .catch(() => {})
      .finally(() => {
        checking = null;
      });
  }

  /** Begins anew where folders came or went above what is watched, or are others than they were. */
  async function watchAgain(): Promise<void> {
    const places = placesOf(paths);
    const folders = JSON.stringify(places.folders);
    // Before it is set up: what is exchanged meanwhile is another one at the next look.
    const are = await identityOf(places.identified);
    if (closed || (folders === watched.folders && are === watched.are)) return;
    const mine = { folders, are };
    watched = mine;
    const old = watcher;
    watcher = watch(places.folders, {
      // Each file that is not left out costs a handle.
      ignored: (path, stats) =>
        !places.concerns(path) || (stats?.isFile() === true && !places.isRead(path)),
      ignoreInitial: true,
      followSymlinks: false,
      atomic: false,
    });
    watcher.on('all', onEvent);
    // What is followed below a folder that goes is no longer followed, even if it comes back at once.
    watcher.on('unlinkDir', (path) => {
      if (places.identified.includes(resolve(path))) mine.are = '';
    });
    // The library leaves out events that follow one another closely, and a file that is renamed over
    // another right after the same happened before (seen); what the system reports, it hands on.
    watcher.on('raw', (_, path, details) => {
      if (places.concerns(reportedPath(path, details))) onEvent();
    });
    // What changed between the last look and now was reported to nobody.
    watcher.on('ready', onEvent);
    watcher.on('error', (error) => {
      log?.warn({ error: messageOf(error) }, 'watching index and decision files failed');
      onEvent();
    });
    await old?.close();
  }

  const reread = setInterval(lookUnasked, rereadMs);
  reread.unref();
  const checks = setInterval(checkSoon, checkMs);
  checks.unref();
  await look();

  return {
    look,
    async close() {
      closed = true;
      clearInterval(reread);
      clearInterval(checks);
      if (soon !== null) clearTimeout(soon);
      if (later !== null) clearTimeout(later);
      await checking;
      await running;
      await watcher?.close();
    },
  };
}

interface Places {
  /** Folders that exist. */
  folders: string[];
  /** Those whose exchange for others of their name ends the watch: these, and the one of the files. */
  identified: string[];
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
    identified: [...new Set([...folders, ...(folder === null ? [] : [folder])])].sort(),
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

/** Changes when one of the paths is another folder than before, comes or goes. Never throws. */
async function identityOf(folders: readonly string[]): Promise<string> {
  const seen = await Promise.all(
    folders.map(async (folder) => {
      const stats = await stat(folder, { bigint: true }).catch(() => null);
      if (stats === null) return [folder];
      // Systems give the number of a removed folder to the next one that is made.
      return [folder, ...[stats.dev, stats.ino, stats.birthtimeNs].map(String)];
    }),
  );
  return JSON.stringify(seen);
}

/** Changes when the file is written, replaced, comes or goes. Never throws. */
async function touchOf(file: string): Promise<string> {
  const stats = await stat(file, { bigint: true }).catch(() => null);
  return stats === null ? '' : [stats.dev, stats.ino, stats.mtimeNs, stats.size].join(' ');
}
