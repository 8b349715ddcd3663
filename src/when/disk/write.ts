/** Several files changed as one: all of them, or none. */

import {
  access,
  chmod,
  chown,
  constants,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Serial, serial } from '../../shared/async.js';
import { type Clock, HOUR_MS, systemClock } from '../../shared/clock.js';
import { type DirLock, lockDirectory } from '../../shared/dir-lock.js';
import { AppError, codeOf, isAppError, messageOf } from '../../shared/errors.js';
import { realPath } from '../../shared/folders.js';
import { stampOf } from '../../shared/read-whole.js';
import { hashOf } from '../index-file.js';
import type { WhenPaths } from '../types.js';
import { boundsOf, isBroken } from './bounds.js';
import { readText, type TextRead } from './read.js';

export interface FileChange {
  /** Absolute; below the decisions folder, or beside the index. */
  path: string;
  text: string;
  /** SHA-256 (hex) of the text that is replaced; `null`: there must be no such file. */
  expected: string | null;
}

/** `staged`: all new texts lie beside their files; `renamed`: one more of them took its place. */
export type WriteStep = 'staged' | 'renamed';

export interface WriteDeps {
  paths: WhenPaths;
  clock?: Clock | undefined;
  /** Called as the writing goes on; a test ends the process here. */
  onStep?: ((step: WriteStep, path: string) => void) | undefined;
}

interface Staged {
  change: FileChange;
  real: string;
  before: TextRead | null;
  temp: string;
}

/**
 * Names of what a crash leaves behind: hidden from readers, and known as ours. They name the index whose
 * lock was held: whoever holds that lock may remove them, in whichever container they were made.
 */
const TEMP = /^\..+\.([0-9a-f]+)-\d+\.cue-tmp$/;
/** A file of another index, or of a version that named its process, may be in use for so long. */
const IN_USE_MS = HOUR_MS;
/** Those of this process that are in use. */
const mine = new Set<string>();
let lastTemp = 0;

/**
 * Replaces or makes the files under the lock of the index. Throws AppError CONFLICT naming the file
 * when one is not what was expected, PERMISSION_DENIED for a path that is not ours or a file that is
 * read-only, UNAVAILABLE when the disk refuses; then everything is as it was, but for what an editor has
 * saved meanwhile. A process that dies in between leaves a beginning
 * of the list changed, each file whole: order the changes so that this does no harm.
 */
export function writeTogether(changes: readonly FileChange[], deps: WriteDeps): Promise<void> {
  return exclusively(deps.paths, () => writeLocked(changes, deps));
}

/** The same for whoever holds the lock, within `exclusively`. */
export async function writeLocked(changes: readonly FileChange[], deps: WriteDeps): Promise<void> {
  const staged: Staged[] = [];
  const renamed: Staged[] = [];
  const { clock = systemClock } = deps;
  const lockName = lockNameOf(deps.paths);
  try {
    for (const { change, real } of placesOf(changes, deps.paths)) {
      const before = await expectedText(change, real);
      if (before?.text === change.text) continue;
      if (before !== null) await requireWritable(change.path, real, before);
      staged.push({ change, real, before, temp: tempNameOf(real, lockName) });
    }
    for (const folder of new Set(staged.map(({ real }) => dirname(real)))) {
      await mkdir(folder, { recursive: true });
      await removeLeftovers(folder, lockName, clock.now());
    }
    for (const { change, before, temp } of staged) await writeTemp(temp, change.text, before);
    deps.onStep?.('staged', '');
    for (const file of staged) {
      await checkUntouched(file);
      await rename(file.temp, file.real);
      renamed.push(file);
      deps.onStep?.('renamed', file.change.path);
    }
    for (const folder of new Set(staged.map(({ real }) => dirname(real)))) await syncFolder(folder);
  } catch (error) {
    await undo(staged, renamed, error);
    if (error instanceof AppError) throw error;
    throw notWritten(error);
  } finally {
    for (const { temp } of staged) mine.delete(temp);
  }
}

function placesOf(
  changes: readonly FileChange[],
  paths: WhenPaths,
): { change: FileChange; real: string }[] {
  const bounds = boundsOf(paths);
  const seen = new Set<string>();
  return changes.map((change) => {
    const real = realPath(resolve(change.path));
    if (isBroken(change.path) || !bounds.writable(real)) {
      const message = `${change.path} lies outside the decisions folder and may not be written`;
      throw new AppError('PERMISSION_DENIED', message, { path: change.path });
    }
    if (seen.has(real)) {
      const message = `${change.path} is to be written twice at once`;
      throw new AppError('INVALID_INPUT', message, { path: change.path });
    }
    seen.add(real);
    return { change, real };
  });
}

/** What stands there; `null`: nothing, as expected. */
async function expectedText(
  { path, expected }: FileChange,
  real: string,
): Promise<TextRead | null> {
  const read = await readText(real);
  if (read === 'gone') {
    if (expected === null) return null;
    throw conflict(path, 'is no longer there');
  }
  if ('refused' in read) throw conflict(path, read.refused.message);
  if (expected === null) throw conflict(path, 'is there already');
  if (hashOf(read.text) !== expected) throw conflict(path, 'has been changed meanwhile');
  return read;
}

/** A rename needs no right to the file that it replaces; who took that right away meant it. */
async function requireWritable(path: string, real: string, { mode }: TextRead): Promise<void> {
  // The superuser may write everything, and means read-only files all the same.
  const isReadOnly = (mode & 0o222) === 0;
  const isDenied = isReadOnly || (await access(real, constants.W_OK).then(() => false, isNoRight));
  if (!isDenied) return;
  const message = `${path} is read-only: nothing was written`;
  throw new AppError('PERMISSION_DENIED', message, { path });
}

function isNoRight(error: unknown): boolean {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return true;
  throw error;
}

/** Once more right before the rename: an editor asks nobody for a lock. */
async function checkUntouched({ change, real, before }: Staged): Promise<void> {
  const stats = await lstat(real, { bigint: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if ((stats === null ? null : stampOf(stats)) !== (before?.stamp ?? null)) {
    throw conflict(change.path, 'has been changed meanwhile');
  }
}

function conflict(path: string, why: string): AppError {
  return new AppError('CONFLICT', `${path} ${why}: nothing was written`, { path });
}

function notWritten(cause: unknown): AppError {
  const message = `the files could not be written: ${messageOf(cause)}`;
  return new AppError('UNAVAILABLE', message, {}, { cause });
}

/** Stands for the lock of the index in the names of temporary files. */
function lockNameOf(paths: WhenPaths): string {
  return hashOf(realPath(resolve(paths.index))).slice(0, 12);
}

function tempNameOf(real: string, lockName: string): string {
  lastTemp += 1;
  const temp = join(dirname(real), `.${basename(real)}.${lockName}-${lastTemp}.cue-tmp`);
  mine.add(temp);
  return temp;
}

async function writeTemp(temp: string, text: string, like: TextRead | null): Promise<void> {
  const handle = await open(temp, 'wx', like?.mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (like === null) return;
  if (process.getuid?.() === 0) await chown(temp, like.uid, like.gid);
  // After the owner, which takes some bits away, and in spite of the umask.
  await chmod(temp, like.mode);
}

/**
 * Puts back what was replaced, but not over what somebody has saved since; what cannot be put back is said
 * in the error that is thrown.
 */
async function undo(
  staged: readonly Staged[],
  renamed: readonly Staged[],
  cause: unknown,
): Promise<void> {
  const lost: string[] = [];
  for (const { change, real, before, temp } of [...renamed].reverse()) {
    try {
      const now = await readText(real);
      if (now === 'gone') continue;
      if ('refused' in now) throw new Error(now.refused.message);
      if (now.text !== change.text) continue;
      if (before === null) await rm(real);
      else {
        await writeTemp(temp, before.text, before);
        await rename(temp, real);
      }
    } catch (error) {
      lost.push(`${change.path} (${messageOf(error)})`);
    }
  }
  for (const { temp } of staged) await rm(temp, { force: true }).catch(() => {});
  if (lost.length === 0) return;
  const message = `writing failed (${messageOf(cause)}), and these could not be put back: ${lost.join(', ')}`;
  throw new AppError('INTERNAL', message, {}, { cause });
}

async function removeLeftovers(folder: string, lockName: string, nowMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const owner = TEMP.exec(name)?.[1];
    const path = join(folder, name);
    if (owner === undefined || mine.has(path)) continue;
    if (owner === lockName || (await isOld(path, nowMs))) await rm(path, { force: true });
  }
}

async function isOld(path: string, nowMs: number): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found !== null && nowMs - found.mtimeMs > IN_USE_MS;
}

async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // Not every system can: then the rename lasts as soon as the system gets to it.
  }
}

/**
 * One writer at a time for an index and its decision files, over all processes of this machine.
 * Readers need no lock: what they see is whole, or settles (`shrink-filter.ts`).
 */

const PAUSE_MS = 15;
/** About ten seconds: a writer holds the lock for some milliseconds. */
const ATTEMPTS = 650;
/** The lock belongs to the whole process, so writers within it queue here. */
const queues = new Map<string, Serial>();

/**
 * Does the work while nobody else writes beside this index. Throws AppError UNAVAILABLE when the lock
 * cannot be had, PERMISSION_DENIED when the index is not ours. The folder of the index is made for it.
 */
export async function exclusively<T>(paths: WhenPaths, work: () => Promise<T>): Promise<T> {
  const { index } = boundsOf(paths);
  // The lock would be made beside it.
  if ('refused' in index) throw new AppError('PERMISSION_DENIED', index.refused.message);
  const key = index.real;
  const inTurn = queues.get(key) ?? serial();
  queues.set(key, inTurn);
  return inTurn(async () => {
    await mkdir(dirname(key), { recursive: true }).catch((error: unknown) => {
      throw notLocked(key, null, error);
    });
    const lock = await takeLock(key);
    try {
      return await work();
    } finally {
      lock.release();
    }
  });
}

async function takeLock(index: string): Promise<DirLock> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lockDirectory(index, null);
    } catch (error) {
      const isBusy = isAppError(error) && error.details.pid !== undefined;
      if (isBusy && attempt < ATTEMPTS) {
        await sleep(PAUSE_MS);
        continue;
      }
      throw notLocked(index, isBusy ? error.details.who : null, error);
    }
  }
}

function notLocked(index: string, who: unknown, cause: unknown): AppError {
  const message =
    who === null
      ? `${index} cannot be locked: ${messageOf(cause)}`
      : `${String(who)} is writing to ${index} and does not end`;
  return new AppError('UNAVAILABLE', message, {}, { cause });
}
