/**
 * The right to serve: a lock beside each PID file. The database has a lock of its own, but a database server
 * has none, and two that start at once must not both be named.
 */
import { lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { holderOf, lockDirectory } from '../shared/dir-lock.js';
import { isAppError, messageOf } from '../shared/errors.js';
import { readPidFile } from './pid-file.js';

export type Right =
  | { lock: { release(): void } }
  /** Another process that lives has it. */
  | { holder: number }
  /** There can be none, and so no PID file: what stands in the way. */
  | { impossible: string };

/**
 * Never rejects.
 * @param needed PID files: all of their rights, or none
 * @param also one whose right is taken with them if it is free, so that others know who is about to serve
 */
export async function takeRight(needed: readonly string[], also?: string): Promise<Right> {
  const locks: { release(): void }[] = [];
  const release = (): void => {
    for (const lock of locks) lock.release();
  };
  for (const pidFile of needed) {
    const right = await takeOne(pidFile);
    if (!('lock' in right)) {
      release();
      return right;
    }
    locks.push(right.lock);
  }
  const free = also === undefined ? null : await takeOne(also);
  if (free && 'lock' in free) locks.push(free.lock);
  return { lock: { release } };
}

async function takeOne(pidFile: string): Promise<Right> {
  try {
    const folder = dirname(pidFile);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isOwnFolder(folder)) return { impossible: `${folder} belongs to somebody else` };
    return { lock: await lockDirectory(pidFile, null) };
  } catch (error) {
    const holder = isAppError(error) ? error.details.pid : undefined;
    return typeof holder === 'number' ? { holder } : { impossible: messageOf(error) };
  }
}

/** The process that is about to serve, and has not said yet where; `null`: none. */
export function startingProcess(pidFile: string): number | null {
  const holder = holderOf(pidFile);
  if (!holder) return null;
  return readPidFile(pidFile)?.pid === holder.pid ? null : holder.pid;
}

function isOwnFolder(path: string): boolean {
  const found = lstatSync(path);
  if (!found.isDirectory()) return false;
  return process.geteuid === undefined || found.uid === process.geteuid();
}
