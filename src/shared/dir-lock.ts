/**
 * One writer per embedded database directory. Nothing in the host stops a second process from
 * opening it (verified, ELIZA_GUIDE §1), and two of them corrupt it. The lock is a file that names its
 * holder; a holder that no longer lives (`process-life.ts`) is no holder.
 */
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, codeOf } from './errors.js';
import { realPath } from './folders.js';
import {
  isAlive,
  isAliveByPid,
  LEASE_MS,
  type LifeMark,
  listenFor,
  nameOf,
  newMark,
  type ProcessMark,
  RENEW_MS,
  removeSocket,
  type StoredMark,
  storedMark,
} from './process-life.js';

/** `headless`: serves a memory until an agent wants it, and then leaves. */
export type LockKind = 'agent' | 'headless';

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
  /**
   * Called when another process has the lock although this one lives: the machine slept, or the lease
   * could not be renewed. @param path of the lock file
   */
  onLost?: (path: string) => void;
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

/** What this process holds; several agents of one process share the directory and the lock. */
interface Held {
  count: number;
  end(): void;
}
const heldHere = new Map<string, Held>();

/**
 * Takes the lock, or throws AppError UNAVAILABLE naming the holder's pid and port. Waits up to six
 * seconds while somebody else is taking the lock or clearing one away, and for the length of a lease
 * where nothing but the lease tells whether the holder lives. A headless holder may be asked to leave.
 * @param port port the holder serves on, for the message others read; null when it serves none
 */
export async function lockDirectory(
  directory: string,
  port: number | null,
  { kind = 'agent', ask, onLost }: LockOptions = {},
): Promise<DirLock> {
  const wanted = wantedLock(directory, { port, kind }, onLost);
  const startMs = Date.now();
  const leavingMs = ask?.patienceMs ?? LEAVING_MS;
  let askedMs: number | null = null;
  let leaseMs = 0;
  try {
    do {
      let isLeased = false;
      try {
        const met = await attempt(wanted);
        if (typeof met === 'object') return met;
        isLeased = met === 'leased';
        if (isLeased) leaseMs = LEASE_MS;
      } catch (error) {
        const isOver = Date.now() - startMs >= leavingMs;
        // It may have gone between the two looks.
        if (ask === undefined || isOver || readLock(wanted.path)?.kind === 'agent') throw error;
        if (askedMs === null || Date.now() - askedMs >= RENEW_MS) {
          request(wanted, ask.opened);
          askedMs = Date.now();
        }
      }
      await sleep(isLeased ? 10 * PAUSE_MS : PAUSE_MS);
    } while (Date.now() - startMs < PATIENCE_MS + leaseMs + (askedMs === null ? 0 : leavingMs));
    throw new AppError('UNAVAILABLE', `the lock ${wanted.path} could not be taken`);
  } finally {
    if (askedMs !== null) withdraw(wanted);
  }
}

/** Whether this process has the lock of a directory: then every holder before it has ended. */
export function holdsDirectory(directory: string): boolean {
  return heldHere.has(realPath(resolve(directory)));
}

/** Who asks for a directory that this process holds; `null`: nobody who lives. */
export function requestFor(directory: string): LockRequest | null {
  const asker = readRequest(requestPath(directory));
  if (!asker) return null;
  const { pid, startedTicks } = asker.mark;
  return { pid, startedTicks, opened: asker.opened };
}

/** Who holds the lock of a directory or file; `null`: nobody who lives, or this process. */
export function holderOf(directory: string): LockHolder | null {
  const path = realPath(resolve(directory)) + LOCK_SUFFIX;
  const lock = readLock(path);
  if (!lock || !seemsAlive(lock.mark, path)) return null;
  const { pid, startedTicks } = lock.mark;
  return { pid, startedTicks, port: lock.port, kind: lock.kind };
}

/** The file whose making is the request. */
export function requestPath(directory: string): string {
  return realPath(resolve(directory)) + LOCK_SUFFIX + WANTED_SUFFIX;
}

/** Replaces what an asker has left who no longer lives; repeated, it renews the asker's lease. */
function request({ path, mark }: WantedLock, opened: boolean): void {
  const draft = `${path}${WANTED_SUFFIX}.${mark.id}`;
  writeFileSync(draft, `${JSON.stringify({ ...mark, opened })}\n`);
  renameSync(draft, path + WANTED_SUFFIX);
}

function withdraw({ path, mark }: WantedLock): void {
  const asking = storedMark(readJson(path + WANTED_SUFFIX).parsed);
  if (asking?.id === mark.id) rmSync(path + WANTED_SUFFIX, { force: true });
}

function readRequest(path: string): { mark: StoredMark; opened: boolean } | null {
  const { parsed } = readJson(path);
  const mark = storedMark(parsed);
  if (!mark || !seemsAlive(mark, path)) return null;
  return { mark, opened: parsed.opened === true };
}

/** Without asking its socket: by its pid, or by the lease that it renews. */
function seemsAlive(mark: StoredMark, path: string): boolean {
  return isAliveByPid(mark) ?? ageMs(path) <= LEASE_MS;
}

interface WantedLock {
  directory: string;
  key: string;
  path: string;
  /** In which the lock lies. */
  folder: string;
  kind: LockKind;
  mark: LifeMark;
  /** Of the lock file, once it is ours. */
  text: string;
  onLost: ((path: string) => void) | undefined;
  /** The lock of whoever is known by a lease alone, as it was first seen. */
  leased: { text: string; renewedMs: number } | null;
}

function wantedLock(
  directory: string,
  { port, kind }: Pick<LockHolder, 'port' | 'kind'>,
  onLost: WantedLock['onLost'],
): WantedLock {
  const key = realPath(resolve(directory));
  const folder = dirname(key);
  mkdirSync(folder, { recursive: true });
  const mark = newMark(folder);
  const text = `${JSON.stringify({ ...mark, port, kind })}\n`;
  return {
    directory,
    key,
    path: key + LOCK_SUFFIX,
    folder,
    kind,
    mark,
    text,
    onLost,
    leased: null,
  };
}

/** `leased`: not yet, and only a lease tells whether its holder lives. Throws when another process has it. */
async function attempt(wanted: WantedLock): Promise<DirLock | 'not yet' | 'leased'> {
  const { directory, key, path, folder } = wanted;
  const mine = heldHere.get(key);
  if (mine) {
    mine.count += 1;
    return handleOf(key);
  }
  if (wanted.kind === 'headless') givePrecedence(wanted);
  if (create(path, wanted.text)) return await begin(wanted);
  const lock = readLock(path);
  const isHeld = lock ? await isAlive(lock.mark, folder) : null;
  if (lock && (isHeld ?? isRenewed(wanted, lock.text))) {
    const where = lock.port === null ? '' : `, serving on port ${lock.port}`;
    throw new AppError(
      'UNAVAILABLE',
      `the database directory ${directory} is in use by ${nameOf(lock.mark)}${where}: stop it, ` +
        'or give this agent another PGLITE_DATA_DIR or a POSTGRES_URL',
      { pid: lock.mark.pid, port: lock.port, who: nameOf(lock.mark) },
    );
  }
  const isGone = clearAway(wanted, lock, isHeld === false);
  return lock && isHeld === null && !isGone ? 'leased' : 'not yet';
}

/** Whether a holder that is known by its lease alone has renewed that since it was first seen. */
function isRenewed(wanted: WantedLock, text: string): boolean {
  const renewedMs = statSync(wanted.path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const { leased } = wanted;
  if (leased?.text === text) return leased.renewedMs !== renewedMs;
  wanted.leased = { text, renewedMs };
  return false;
}

/** One headless agent leaves for who has asked, not for the next headless one. */
function givePrecedence({ directory, path }: WantedLock): void {
  const asker = readRequest(path + WANTED_SUFFIX);
  if (!asker) return;
  throw new AppError(
    'UNAVAILABLE',
    `the database directory ${directory} is about to be used by ${nameOf(asker.mark)}`,
    { pid: asker.mark.pid, port: null, who: nameOf(asker.mark) },
  );
}

/** The lock file is ours: counted in the same turn, so that nobody else of this process comes in between. */
async function begin(wanted: WantedLock): Promise<DirLock> {
  const { key, path, folder, mark, onLost } = wanted;
  let listening: { close(): void } | null = null;
  const renewing = setInterval(() => {
    if (renew(wanted)) return;
    end();
    heldHere.delete(key);
    onLost?.(path);
  }, RENEW_MS);
  renewing.unref();
  function end(): void {
    clearInterval(renewing);
    listening?.close();
  }
  heldHere.set(key, {
    count: 1,
    end() {
      end();
      if (readJson(path).text === wanted.text) rmSync(path, { force: true });
    },
  });
  listening = await listenFor(mark, folder);
  return handleOf(key);
}

function handleOf(key: string): DirLock {
  const held = heldHere.get(key);
  let released = false;
  return {
    release() {
      if (released || !held) return;
      released = true;
      held.count -= 1;
      if (held.count > 0 || heldHere.get(key) !== held) return;
      heldHere.delete(key);
      held.end();
    },
  };
}

/** `false`: the lock is another's by now. What cannot be written at this moment is tried again. */
function renew({ path, text }: WantedLock): boolean {
  try {
    const handle = openSync(path, 'r+');
    try {
      if (readFileSync(handle, 'utf8') !== text) return false;
      writeSync(handle, text, 0);
      return true;
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return true;
  }
  try {
    return create(path, text);
  } catch {
    return true;
  }
}

/** Makes the file with this text; `false` when there is one already. */
function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes a lock that nobody holds, one process at a time: between reading that its holder is dead
 * and removing it, another process could have taken it, and its lock would be removed instead.
 * @param isDead it is certain; else its age decides, by the clock of its file system
 */
function clearAway(
  { path, folder, text }: WantedLock,
  lock: Lock | null,
  isDead: boolean,
): boolean {
  const guard = path + CLEARING_SUFFIX;
  if (!create(guard, text)) {
    if (ageMs(guard) > LEFT_BEHIND_MS) rmSync(guard, { force: true });
    return false;
  }
  try {
    const seen = readLock(path);
    if (seen?.text !== lock?.text) return false;
    // Unreadable and young: it is being written at this moment.
    const allowedMs = lock ? LEASE_MS : LEFT_BEHIND_MS;
    if (!isDead && ageMs(path, statSync(guard).mtimeMs) <= allowedMs) return false;
    if (lock?.mark.id) removeSocket(lock.mark.id, folder);
    rmSync(path, { force: true });
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
}

function ageMs(path: string, nowMs = Date.now()): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? nowMs - found.mtimeMs : 0;
}

interface Lock extends Pick<LockHolder, 'port' | 'kind'> {
  mark: StoredMark;
  text: string;
}

function readLock(path: string): Lock | null {
  const { text, parsed } = readJson(path);
  const mark = storedMark(parsed);
  if (!mark) return null;
  return {
    mark,
    text,
    port: typeof parsed.port === 'number' ? parsed.port : null,
    // Of a version that knew no other.
    kind: parsed.kind === 'headless' ? 'headless' : 'agent',
  };
}

/** Empty where it is missing, or half written. */
function readJson(path: string): { text: string; parsed: Record<string, unknown> } {
  try {
    const text = readFileSync(path, 'utf8');
    const parsed: unknown = JSON.parse(text);
    return { text, parsed: typeof parsed === 'object' ? { ...parsed } : {} };
  } catch {
    return { text: '', parsed: {} };
  }
}
