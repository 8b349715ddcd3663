/**
 * One writer per embedded database directory. Nothing in the host stops a second process from
 * opening it (verified, ELIZA_GUIDE §1), and two of them corrupt it. The lock is a file with the
 * holder's pid; a holder that no longer lives is no holder.
 */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from './errors.js';
import { realPath } from './real-path.js';

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
/** Held for the moment in which a lock that nobody holds any more is cleared away. */
const CLEARING_SUFFIX = '.clearing';
/** A file that is still unreadable, or still being cleared away, after this was left by the dead. */
const LEFT_BEHIND_MS = 2_000;
const PATIENCE_MS = 3 * LEFT_BEHIND_MS;
const PAUSE_MS = 10;
/** Several agents of one process share the directory and the lock. */
const heldHere = new Map<string, number>();

/**
 * Takes the lock, or throws AppError UNAVAILABLE naming the holder's pid and port. Blocks the process
 * where somebody else is just taking it, or a lock without a holder is cleared away: up to six seconds.
 * @param port port the holder serves on, for the message others read; null when it serves none
 */
export function lockDirectory(directory: string, port: number | null): DirLock {
  const wanted = wantedLock(directory, port);
  const endMs = Date.now() + PATIENCE_MS;
  do {
    if (attempt(wanted)) return held(wanted);
    pause();
  } while (Date.now() < endMs);
  throw notTaken(wanted);
}

/** The same without blocking: others go on while it waits. */
export async function lockDirectorySoon(directory: string, port: number | null): Promise<DirLock> {
  const wanted = wantedLock(directory, port);
  const endMs = Date.now() + PATIENCE_MS;
  do {
    // Taken and counted in one turn: nobody else of this process comes in between.
    if (attempt(wanted)) return held(wanted);
    await sleep(PAUSE_MS);
  } while (Date.now() < endMs);
  throw notTaken(wanted);
}

interface WantedLock {
  directory: string;
  key: string;
  path: string;
  mine: LockHolder;
}

function wantedLock(directory: string, port: number | null): WantedLock {
  const key = realPath(resolve(directory));
  const mine = { pid: process.pid, startedTicks: stateOf(process.pid).ticks, port };
  return { directory, key, path: key + LOCK_SUFFIX, mine };
}

/** `false`: not yet. Throws when another process that lives holds it. */
function attempt({ directory, key, path, mine }: WantedLock): boolean {
  // Looked at each time: a lock with our own pid that we do not hold counts as left behind.
  if (heldHere.has(key)) return true;
  mkdirSync(dirname(path), { recursive: true });
  if (create(path, mine)) return true;
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
  clearAway(path, mine);
  return create(path, mine);
}

function held({ key, path }: WantedLock): DirLock {
  heldHere.set(key, (heldHere.get(key) ?? 0) + 1);
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

function notTaken({ path }: WantedLock): AppError {
  return new AppError('UNAVAILABLE', `the lock ${path} could not be taken`);
}

/** Makes the file with the holder in it; `false` when there is one already. */
function create(path: string, holder: LockHolder): boolean {
  try {
    writeFileSync(path, `${JSON.stringify(holder)}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes a lock that nobody holds, one process at a time: between reading that its holder is dead
 * and removing it, another process could have taken it, and its lock would be removed instead.
 */
function clearAway(path: string, mine: LockHolder): void {
  const guard = path + CLEARING_SUFFIX;
  if (!create(guard, mine)) {
    if (ageMs(guard) > LEFT_BEHIND_MS) rmSync(guard, { force: true });
    return;
  }
  try {
    const holder = readHolder(path);
    // Unreadable and young: it is being written at this moment.
    const held = holder ? isAlive(holder) : ageMs(path) <= LEFT_BEHIND_MS;
    if (!held) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

function ageMs(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

/** Loading a plugin is synchronous up to here, and nothing may open the database meanwhile. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
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
    // Missing, or half written.
    return null;
  }
}

function isAlive(holder: LockHolder): boolean {
  // Our own pid in a lock we do not hold: an earlier life of this container, not us.
  if (holder.pid === process.pid) return false;
  if (!isRunning(holder.pid)) return false;
  const { ticks } = stateOf(holder.pid);
  return ticks === null || holder.startedTicks === null || ticks === holder.startedTicks;
}

/** Whether a process with this number lives now, whoever it is; what only waits to be buried does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !stateOf(pid).ended;
}

/**
 * Where /proc has it: start time of a process in clock ticks since boot (field 22 of stat), and
 * whether it has ended and only waits for its parent to notice (in containers often for ever).
 */
function stateOf(pid: number): { ticks: string | null; ended: boolean } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { ticks: fields[19] ?? null, ended: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return { ticks: null, ended: false };
  }
}
