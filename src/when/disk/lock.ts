/**
 * One writer at a time for an index and its decision files, over all processes of this machine.
 * Readers need no lock: what they see is whole, or settles (`shrink-filter.ts`).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdir, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DirLock, lockDirectory } from '../../shared/dir-lock.js';
import { AppError, isAppError, messageOf } from '../../shared/errors.js';
import type { WhenPaths } from '../types.js';
import { boundsOf } from './bounds.js';

const PAUSE_MS = 15;
/** About ten seconds: a writer holds the lock for some milliseconds. */
const ATTEMPTS = 650;
/** The lock belongs to the whole process, so writers within it queue here. */
const lines = new Map<string, Promise<void>>();
/** Locks that the running work holds, so that it can be re-entered. */
const held = new AsyncLocalStorage<ReadonlySet<string>>();

/**
 * Does the work while nobody else writes beside this index. Throws AppError UNAVAILABLE when the lock
 * cannot be had, PERMISSION_DENIED when the index is not ours. The folder of the index is made for it,
 * and taken away again when the work fails. Within such work it may be called again.
 */
export async function exclusively<T>(paths: WhenPaths, work: () => Promise<T>): Promise<T> {
  const { index } = boundsOf(paths);
  // The lock would be made beside it.
  if ('refused' in index) throw new AppError('PERMISSION_DENIED', index.refused.message);
  const key = index.real;
  const mineAlready = held.getStore();
  if (mineAlready?.has(key)) return work();
  const before = lines.get(key) ?? Promise.resolve();
  let leave = () => {};
  const mine = new Promise<void>((done) => {
    leave = done;
  });
  const line = before.then(() => mine);
  lines.set(key, line);
  await before;
  let made: readonly string[] = [];
  try {
    made = await makeFolder(key);
    const lock = await takeLock(key);
    try {
      return await held.run(new Set([...(mineAlready ?? []), key]), work);
    } finally {
      lock.release();
    }
  } catch (error) {
    // Only what was made here; a folder that has got files since stays.
    for (const folder of made) await rmdir(folder).catch(() => {});
    throw error;
  } finally {
    leave();
    if (lines.get(key) === line) lines.delete(key);
  }
}

/** Of this file; returns what was not there before, innermost first. */
async function makeFolder(index: string): Promise<string[]> {
  const folder = dirname(index);
  try {
    const first = await mkdir(folder, { recursive: true });
    return first === undefined ? [] : foldersBetween(first, folder);
  } catch (error) {
    throw notLocked(index, null, error);
  }
}

/** The inner folder and those around it up to the outer one, innermost first. */
export function foldersBetween(outer: string, inner: string): string[] {
  return inner === outer ? [outer] : [inner, ...foldersBetween(outer, dirname(inner))];
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
