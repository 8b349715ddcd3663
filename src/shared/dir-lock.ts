/**
 * One writer per embedded database directory. Nothing in the host stops a second process from
 * opening it (verified, ELIZA_GUIDE §1), and two of them corrupt it. The lock is a file with the
 * holder's pid; a holder that no longer lives is no holder.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError } from './errors.js';

export interface LockHolder {
  pid: number;
  /** Tells two processes with the same pid apart where the system says when they started. */
  startedTicks: string | null;
  port: number | null;
}

export interface DirLock {
  release(): void;
}

/** Beside the directory, not in it: the database refuses to be made in a directory with files. */
const LOCK_SUFFIX = '.cue-lock';
/** Several agents of one process share the directory and the lock. */
const heldHere = new Map<string, number>();

/**
 * Takes the lock, or throws AppError UNAVAILABLE naming the holder's pid and port.
 * @param port port the holder serves on, for the message others read; null when it serves none
 */
export function lockDirectory(directory: string, port: number | null): DirLock {
  const key = resolve(directory);
  const count = heldHere.get(key) ?? 0;
  const path = key + LOCK_SUFFIX;
  if (count === 0) {
    mkdirSync(dirname(path), { recursive: true });
    take(path, directory, port);
  }
  heldHere.set(key, count + 1);
  let released = false;
  return {
    release() {
      if (released) return;
      released = true;
      const left = (heldHere.get(key) ?? 1) - 1;
      if (left > 0) {
        heldHere.set(key, left);
        return;
      }
      heldHere.delete(key);
      if (readHolder(path)?.pid === process.pid) rmSync(path, { force: true });
    },
  };
}

function take(path: string, directory: string, port: number | null): void {
  const mine: LockHolder = {
    pid: process.pid,
    startedTicks: startedTicks(process.pid),
    port,
  };
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      writeFileSync(path, `${JSON.stringify(mine)}\n`, { flag: 'wx' });
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = readHolder(path);
    if (holder && isAlive(holder)) {
      const where = holder.port === null ? '' : `, serving on port ${holder.port}`;
      throw new AppError(
        'UNAVAILABLE',
        `the database directory ${directory} is in use by process ${holder.pid}${where}: stop it, ` +
          'or give this agent another PGLITE_DATA_DIR or a POSTGRES_URL',
        { pid: holder.pid, port: holder.port },
      );
    }
    rmSync(path, { force: true });
  }
  throw new AppError('UNAVAILABLE', `the lock ${path} could not be taken`);
}

function readHolder(path: string): LockHolder | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof parsed !== 'object' || parsed === null || !('pid' in parsed)) return null;
    const { pid } = parsed;
    if (typeof pid !== 'number') return null;
    const ticks = 'startedTicks' in parsed ? parsed.startedTicks : null;
    const port = 'port' in parsed ? parsed.port : null;
    return {
      pid,
      startedTicks: typeof ticks === 'string' ? ticks : null,
      port: typeof port === 'number' ? port : null,
    };
  } catch {
    // Missing, or half written by a process that died: nobody holds it.
    return null;
  }
}

function isAlive(holder: LockHolder): boolean {
  // Our own pid in a lock we do not hold: an earlier life of this container, not us.
  if (holder.pid === process.pid) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  const ticks = startedTicks(holder.pid);
  return ticks === null || holder.startedTicks === null || ticks === holder.startedTicks;
}

/** Start time of a process in clock ticks since boot, where /proc has it (field 22 of stat). */
function startedTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
