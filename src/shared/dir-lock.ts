/**
 * One writer per embedded database directory. Nothing in the host stops a second process from
 * opening it (verified, ELIZA_GUIDE §1), and two of them corrupt it. The lock is a file with the
 * holder's pid; a holder that no longer lives is no holder.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from './errors.js';
import { makeFolder } from './make-folder.js';
import { realPath } from './real-path.js';

/** `headless`: serves a memory until an agent wants it, and then leaves. */
export type LockKind = 'agent' | 'headless';

/** A process, told apart from a later one that was given its pid. */
export interface ProcessMark {
  pid: number;
  /** Tells two processes with the same pid apart where the system says when they started. */
  startedTicks: string | null;
}

export interface LockHolder extends ProcessMark {
  port: number | null;
  kind: LockKind;
}

/** Who asks a headless holder to leave. */
export interface LockRequest extends ProcessMark {
  /** The asker has the database open already: the holder must write nothing more, not even to close. */
  opened: boolean;
}

export interface LockOptions {
  /** `agent` when absent. */
  kind?: LockKind;
  /** Asks a headless holder to leave, and waits for that; absent: every holder is final. */
  ask?: { opened: boolean; patienceMs?: number };
}

export interface DirLock {
  release(): void;
}

/** Beside the directory, not in it: the database refuses to be made in a directory with files. */
const LOCK_SUFFIX = '.cue-lock';
/** Held for the moment in which a lock that nobody holds any more is cleared away. */
const CLEARING_SUFFIX = '.clearing';
/** Beside the lock: somebody asks its headless holder to leave. */
const WANTED_SUFFIX = '.wanted';
/** What a headless agent may take to finish what it is answering and close its database. */
const LEAVING_MS = 10_000;
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
export function lockDirectory(
  directory: string,
  port: number | null,
  kind: LockKind = 'agent',
): DirLock {
  const wanted = wantedLock(directory, port, kind);
  const endMs = Date.now() + PATIENCE_MS;
  do {
    if (attempt(wanted)) return held(wanted);
    pause();
  } while (Date.now() < endMs);
  throw notTaken(wanted);
}

/** The same without blocking: others go on while it waits. A headless holder may be asked to leave. */
export async function lockDirectorySoon(
  directory: string,
  port: number | null,
  { kind = 'agent', ask }: LockOptions = {},
): Promise<DirLock> {
  const wanted = wantedLock(directory, port, kind);
  const startMs = Date.now();
  const leavingMs = ask?.patienceMs ?? LEAVING_MS;
  let asked = false;
  try {
    do {
      try {
        // Taken and counted in one turn: nobody else of this process comes in between.
        if (attempt(wanted)) return held(wanted);
      } catch (error) {
        const isOver = Date.now() - startMs >= leavingMs;
        // It may have gone between the two looks.
        if (ask === undefined || isOver || readHolder(wanted.path)?.kind === 'agent') throw error;
        if (!asked) request(wanted, ask.opened);
        asked = true;
      }
      await sleep(PAUSE_MS);
    } while (Date.now() - startMs < PATIENCE_MS + (asked ? leavingMs : 0));
    throw notTaken(wanted);
  } finally {
    if (asked) withdraw(wanted);
  }
}

/** Who asks for a directory that this process holds; `null`: nobody who lives. */
export function requestFor(directory: string): LockRequest | null {
  return readRequest(requestPath(directory));
}

/** Who holds the lock of a directory or file; `null`: nobody who lives, or this process. */
export function holderOf(directory: string): LockHolder | null {
  const holder = readHolder(realPath(resolve(directory)) + LOCK_SUFFIX);
  return holder && isAlive(holder) ? holder : null;
}

/** The file whose making is the request. */
export function requestPath(directory: string): string {
  return realPath(resolve(directory)) + LOCK_SUFFIX + WANTED_SUFFIX;
}

/** Replaces what an asker has left who no longer lives. */
function request({ path, mine }: WantedLock, opened: boolean): void {
  const { pid, startedTicks } = mine;
  const asking: LockRequest = { pid, startedTicks, opened };
  const draft = `${path}${WANTED_SUFFIX}.${pid}`;
  writeFileSync(draft, `${JSON.stringify(asking)}\n`);
  renameSync(draft, path + WANTED_SUFFIX);
}

function withdraw({ path, mine }: WantedLock): void {
  if (readMark(path + WANTED_SUFFIX)?.pid === mine.pid) {
    rmSync(path + WANTED_SUFFIX, { force: true });
  }
}

function readRequest(path: string): LockRequest | null {
  const read = readMark(path);
  if (!read || !isAlive(read)) return null;
  const { pid, startedTicks, more } = read;
  return { pid, startedTicks, opened: more.opened === true };
}

interface WantedLock {
  directory: string;
  key: string;
  path: string;
  mine: LockHolder;
}

function wantedLock(directory: string, port: number | null, kind: LockKind): WantedLock {
  const key = realPath(resolve(directory));
  const mine = { ...markOf(process.pid), port, kind };
  return { directory, key, path: key + LOCK_SUFFIX, mine };
}

/** `false`: not yet. Throws when another process that lives holds it. */
function attempt({ directory, key, path, mine }: WantedLock): boolean {
  // Looked at each time: a lock with our own pid that we do not hold counts as left behind.
  if (heldHere.has(key)) return true;
  makeFolder(dirname(path));
  if (mine.kind === 'headless') givePrecedence(directory, path);
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

/** One headless agent leaves for who has asked, not for the next headless one. */
function givePrecedence(directory: string, path: string): void {
  const asker = readRequest(path + WANTED_SUFFIX);
  if (!asker) return;
  throw new AppError(
    'UNAVAILABLE',
    `the database directory ${directory} is about to be used by process ${asker.pid}`,
    { pid: asker.pid, port: null },
  );
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
  const read = readMark(path);
  if (!read) return null;
  const { pid, startedTicks, more } = read;
  return {
    pid,
    startedTicks,
    port: typeof more.port === 'number' ? more.port : null,
    // Of a version that knew no other.
    kind: more.kind === 'headless' ? 'headless' : 'agent',
  };
}

/** `null`: missing, or half written. */
function readMark(path: string): (ProcessMark & { more: Record<string, unknown> }) | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof parsed !== 'object' || parsed === null) return null;
    const { pid, startedTicks, ...more }: Record<string, unknown> = { ...parsed };
    if (typeof pid !== 'number') return null;
    return { pid, startedTicks: typeof startedTicks === 'string' ? startedTicks : null, more };
  } catch {
    return null;
  }
}

function isAlive(holder: ProcessMark): boolean {
  // Our own pid in a lock we do not hold: an earlier life of this container, not us.
  return holder.pid !== process.pid && isSameProcess(holder);
}

/** What tells a process that lives from a later one of its number. */
export function markOf(pid: number): ProcessMark {
  return { pid, startedTicks: stateOf(pid).ticks };
}

/** Whether it lives, and is not known to be a later one of its number. */
export function isSameProcess({ pid, startedTicks }: ProcessMark): boolean {
  if (!isRunning(pid)) return false;
  const { ticks } = stateOf(pid);
  return ticks === null || startedTicks === null || ticks === startedTicks;
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
