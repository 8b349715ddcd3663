/** Follows index and decision files while they are edited, renamed, checked out and made again. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { type Clock, SECOND_MS, systemClock } from '../../shared/clock.js';
import { messageOf } from '../../shared/errors.js';
import { isBelow, realPath } from '../../shared/folders.js';
import type { Log } from '../../shared/log.js';
import type { DiskState, WhenPaths } from '../types.js';
import { isUnread, unreadOf } from '../unread.js';
import { boundsOf, INDEX } from './bounds.js';
import { createFolderReader } from './read.js';

/** An edit is to be known within a tenth of a second; what comes in more steps is looked at again. */
const DEBOUNCE_MS = 15;
/** Even without an event the disk is read this often: watching fails silently on some systems. */
const REREAD_MS = 2 * SECOND_MS;
/** A folder that takes long to read is read less often: this share of the time goes into it, at most. */
const MOST_OF_THE_TIME = 0.01;

export interface WatchDeps {
  log?: Log | undefined;
  clock?: Clock | undefined;
  settleMs?: number | undefined;
  /** Events within this time are one; so are all that come while a look waits for the one before it. */
  debounceMs?: number | undefined;
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
 * `createShrinkFilter` says). Neither file nor folder needs to exist. Calls never overlap.
 */
export async function watchFolder(
  paths: WhenPaths,
  onChange: (state: DiskState) => void | Promise<void>,
  deps: WatchDeps = {},
): Promise<FolderWatch> {
  const { log, clock = systemClock, debounceMs = DEBOUNCE_MS, rereadMs = REREAD_MS } = deps;
  const reader = createFolderReader(paths, clock);
  const filter = createShrinkFilter({ settleMs: deps.settleMs ?? SETTLE_MS });
  let told: DiskState | null = null;
  let closed = false;
  let watcher: FSWatcher | null = null;
  /** Folders that are watched; '': the watch is to be set up anew. */
  let watched = '';
  let soon: NodeJS.Timeout | undefined;
  let again: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  /** A look that has not begun: it will see whatever is there by then, for all who ask. */
  let next: Promise<void> | null = null;

  async function lookOnce(): Promise<void> {
    if (closed) return;
    const startedMs = clock.now();
    let againInMs: number | null = null;
    try {
      const { state, ...filtered } = filter.see(await reader.read(), clock.now());
      againInMs = filtered.againInMs;
      if (closed) return;
      await watchAgain();
      if (state === told) return;
      await onChange(state);
      told = state;
    } catch (error) {
      log?.error({ error: messageOf(error) }, 'index and decision files could not be followed');
    } finally {
      const pauseMs = Math.max(rereadMs, (clock.now() - startedMs) / MOST_OF_THE_TIME);
      lookAgain(Math.min(againInMs ?? pauseMs, pauseMs));
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

  function lookAgain(inMs: number): void {
    clearTimeout(again);
    if (closed) return;
    again = setTimeout(() => void look(), inMs).unref();
  }

  function onEvent(): void {
    if (closed || soon !== undefined) return;
    soon = setTimeout(() => {
      soon = undefined;
      void look();
    }, debounceMs);
  }

  /** Begins anew where folders came or went above what is watched. */
  async function watchAgain(): Promise<void> {
    const places = placesOf(paths);
    const folders = JSON.stringify(places.folders);
    if (folders === watched) return;
    watched = folders;
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
    watcher.on('unlinkDir', () => {
      watched = '';
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

  await look();

  return {
    look,
    async close() {
      closed = true;
      clearTimeout(soon);
      clearTimeout(again);
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

/**
 * Holds back what takes content away from a file. Editors and version control write in steps (empty,
 * then half, then whole; delete, then add), and a reader that believes each step forgets what is about
 * to come back. An addition or change counts at once. A loss counts when it still stands after a while.
 * A file that is there but cannot be read keeps its known text. Pure: time is handed in. (Waiting until a
 * file stops growing, as chokidar can, would delay every edit and does not see "delete, then add".)
 */

/** Longer than an editor or a checkout takes between two steps. */
export const SETTLE_MS = 300;

interface Filtered {
  /** What to go by; the same object as long as nothing in it changes. */
  state: DiskState;
  /** Look again after this time, whatever is reported meanwhile; `null`: no need. */
  againInMs: number | null;
}

interface ShrinkFilter {
  see(seen: DiskState, nowMs: number): Filtered;
}

/** A loss that does not count yet: what was seen instead (`null`: nothing), and since when. */
interface Loss {
  seen: string | null;
  sinceMs: number;
}

/** No path of a decision file is empty. */
const INDEX_KEY = '';

export function createShrinkFilter({
  settleMs = SETTLE_MS,
}: {
  settleMs?: number;
} = {}): ShrinkFilter {
  let believed: DiskState | null = null;
  let losses = new Map<string, Loss>();

  return {
    see(seen, nowMs) {
      if (believed === null) {
        believed = seen;
        return { state: seen, againInMs: null };
      }
      const unread = unreadOf(seen.warnings);
      const before = textsOf(believed);
      const now = textsOf(seen);
      const added = new Set([...now].flatMap(([key, text]) => (before.has(key) ? [] : [text])));
      const next = new Map(now);
      const pending = new Map<string, Loss>();
      for (const [key, old] of before) {
        const text = now.get(key) ?? null;
        const isMoved = text === null && added.has(old);
        if (isMoved || !losesContent(old, text)) continue;
        const isUnreadable = text === null && isUnread(key === INDEX_KEY ? INDEX : key, unread);
        const loss = losses.get(key);
        const sinceMs = loss?.seen === text ? loss.sinceMs : nowMs;
        if (!isUnreadable && nowMs - sinceMs >= settleMs) continue;
        next.set(key, old);
        if (!isUnreadable) pending.set(key, { seen: text, sinceMs });
      }
      losses = pending;
      const state = stateOf(next, believed, seen);
      if (!isSame(believed, state)) believed = state;
      const waits = [...pending.values()].map(({ sinceMs }) => sinceMs + settleMs - nowMs);
      // Nothing reports that the system can open files again.
      if (unread.some(({ code }) => code === 'busy')) waits.push(settleMs);
      return { state: believed, againInMs: waits.length > 0 ? Math.min(...waits) : null };
    },
  };
}

function textsOf({ index, files }: DiskState): Map<string, string> {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  if (index !== null) texts.set(INDEX_KEY, index.text);
  return texts;
}

function stateOf(texts: Map<string, string>, before: DiskState, seen: DiskState): DiskState {
  const indexText = texts.get(INDEX_KEY);
  const path = (seen.index ?? before.index)?.path;
  const files = [...texts].filter(([key]) => key !== INDEX_KEY);
  return {
    index: indexText === undefined || path === undefined ? null : { path, text: indexText },
    files: files
      .map(([file, text]) => ({ path: file, text }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
    // A file that still counts as present is not reported as missing.
    warnings: seen.warnings.filter(
      ({ code }) =>
        !(code === 'no_index' && indexText !== undefined) &&
        !(code === 'no_folder' && files.length > 0),
    ),
  };
}

/** Headings and entries: what a file is taken apart by. Underlines stand for their headings. */
const LANDMARK = /^ {0,3}(?:#{1,6}[ \t]|(?:[-*+] +)?\/(?:when|how) |=+[ \t]*$|-+[ \t]*$)/gm;

/** Gone, empty, cut off, without some of its headings or entries, or less than half of it. */
function losesContent(before: string, after: string | null): boolean {
  if (after === null) return true;
  if (before === after || before.trim() === '') return false;
  if (after.length < before.length / 2 || before.startsWith(after)) return true;
  return countOf(after) < countOf(before);
}

function countOf(text: string): number {
  return text.match(LANDMARK)?.length ?? 0;
}

/** Whether both are of the same files with the same texts and warnings. */
function isSame(one: DiskState, other: DiskState): boolean {
  return (
    one.index?.text === other.index?.text &&
    one.index?.path === other.index?.path &&
    one.files.length === other.files.length &&
    one.files.every(({ path, text }, at) => {
      const file = other.files[at];
      return file?.path === path && file.text === text;
    }) &&
    JSON.stringify(one.warnings) === JSON.stringify(other.warnings)
  );
}
