/**
 * The files in which whoever serves says so: the one of the seed (`nudge.md` §9), which names the
 * machine's usual server, and beside it one for each database that is served. They lie where every user of the machine
 * may write, and whoever they name is sent the caller's key: only what belongs to the caller counts.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, posix, win32 } from 'node:path';
import { AppError, codeOf, messageOf } from '../shared/errors.js';
import { isSameProcess, markOf, processName } from '../shared/process-life.js';
import {
  type DatabaseLocation,
  databaseName,
  type Env,
  personalDatabase,
} from './database-location.js';

/** A PID file: `/tmp/nudge/server.pid`, on Windows below `%LOCALAPPDATA%` (seed `nudge.md` §9), or one beside it. */
export interface ServerFile {
  pid: number;
  port: number;
  /** ISO time at which it began to serve. */
  started: string;
  /** Of the JSON-RPC route; `/cue/rpc` when absent. */
  path?: string;
  agentId?: string;
  /** Absent: a version that does not say. */
  kind?: 'eliza' | 'headless';
  /** What is served, for people: a directory, or host and name of a database server's. */
  database?: string;
  /** Where the system says when a process started: tells it from a later one of its pid. */
  startedTicks?: string;
  /** Proves to the server that its client is a process of the same person (`local-key.ts`). */
  key?: string;
  /** A client is at its standard input (a coding agent, say), and loses its connection when it ends. */
  hasClient?: true;
}

/** What was met in place of the file. */
export type PidFileLook =
  | { file: ServerFile }
  /** `reason`: why there is nothing to be read, in words that name the path; absent: there is no file. */
  | { file: null; reason?: string };

const NAME = 'server.pid';
/** Of the servers of one database. */
const NAME_OF_ONE = /^server-[0-9a-f]+\.pid$/;
const ROOT = 0;
const MAX_BYTES = 65_536;
const MAX_PORT = 65_535;
/** Stands behind host and port of an address: must not change either. */
const ROUTE = /^\/(?!\/)[\w./~%-]{0,200}$/;
const AGENT_ID = /^[\w-]{1,100}$/;
const KEY = /^[\w-]{16,200}$/;
/** Printed to a person: one line, of a reasonable length. */
const DATABASE = /^[^\p{C}\p{Zl}\p{Zp}]{1,1000}$/u;
const TICKS = /^\d{1,20}$/;

/** Path of the file that names the machine's usual server. `NUDGE_PID_DIR` stands for the folder of the seed. */
export function usualPidFile(env: Env, platform: NodeJS.Platform = process.platform): string {
  const path = platform === 'win32' ? win32 : posix;
  return path.join(env.NUDGE_PID_DIR || defaultFolder(env, platform), NAME);
}

/** Path of the file that names the server of a database. */
export function pidFileOf(env: Env, place: DatabaseLocation): string {
  return join(dirname(usualPidFile(env)), `server-${databaseName(place)}.pid`);
}

/** The server on this machine whose file says that it listens there; `null`: none that lives. */
export function serverOnPort(env: Env, port: number): ServerFile | null {
  for (const path of pidFiles(env)) {
    const file = readPidFile(path);
    if (file?.port === port && isWriterAlive(file)) return file;
  }
  return null;
}

/**
 * The servers that whoever means no database may be led to, each once, in the order of their ports: those of
 * Eliza, and that of the personal database. A headless server of a project is asked by nobody else.
 */
export function usualServers(env: Env): ServerFile[] {
  const found = new Map<string, ServerFile>();
  const usual = [usualPidFile(env), pidFileOf(env, personalDatabase())];
  for (const path of pidFiles(env)) {
    const file = readPidFile(path);
    if (file === null || !isWriterAlive(file)) continue;
    if (file.kind !== 'eliza' && !usual.includes(path)) continue;
    const key = `${file.pid} ${file.port} ${file.agentId ?? ''}`;
    found.set(key, { ...found.get(key), ...file });
  }
  return [...found.values()].toSorted((a, b) => a.port - b.port);
}

/** All there are on this machine. */
export function pidFiles(env: Env): string[] {
  const usual = usualPidFile(env);
  const folder = dirname(usual);
  const others = namesIn(folder).filter((name) => NAME_OF_ONE.test(name));
  return [usual, ...others.map((name) => join(folder, name))];
}

function defaultFolder(env: Env, platform: NodeJS.Platform): string {
  if (platform !== 'win32') return '/tmp/nudge';
  const local = env.LOCALAPPDATA || win32.join(env.USERPROFILE || homedir(), 'AppData', 'Local');
  return win32.join(local, 'nudge');
}

/** `null`: there is none, or none that counts; `lookAtPidFile` says why. */
export function readPidFile(path: string): ServerFile | null {
  return lookAtPidFile(path).file;
}

/** What a file says of the process that writes it. */
export function writerMark(): Pick<ServerFile, 'pid' | 'startedTicks'> {
  const { pid, startedTicks } = markOf(process.pid);
  return { pid, ...(startedTicks === null ? {} : { startedTicks }) };
}

/** Whether the process that it names lives, and is not known to be a later one of its number. */
export function isWriterAlive({ pid, startedTicks }: ServerFile): boolean {
  return isSameProcess({ pid, startedTicks: startedTicks ?? null });
}

/**
 * The same for what only the writer may be sent: where the system tells processes of one number apart,
 * a file that does not say when its writer started is not enough.
 */
export function isWriterCertain(file: ServerFile): boolean {
  if (!isWriterAlive(file)) return false;
  return file.startedTicks !== undefined || markOf(file.pid).startedTicks === null;
}

/** Never throws. Whether the process lives and is the one that wrote it is not asked. */
export function lookAtPidFile(path: string): PidFileLook {
  try {
    // The administrator's server serves everybody; a user's does not serve the administrator.
    const text = readOwnFile(path, true);
    const file = serverFileOf(text);
    return file ? { file } : { file: null, reason: `${path} is no PID file of a server` };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { file: null };
    const why = codeOf(error) === 'ELOOP' ? 'is a symbolic link' : null;
    return { file: null, reason: why ? `${path} ${why}` : messageOf(error) };
  }
}

/**
 * Replaces the file as a whole; makes its folder for this user alone.
 * @throws AppError UNAVAILABLE when folder or file is somebody else's, a link, or cannot be written:
 * the server can then be reached by its port only
 */
export function writePidFile(path: string, file: ServerFile): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const refused = whyNotOurs(folder, 'folder') ?? whyNotOurs(path, 'file');
    if (refused !== null) throw new AppError('UNAVAILABLE', refused, { path });
    replaceOwnFile(path, `${JSON.stringify(file)}\n`);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw notWritten(path, error);
  }
}

/**
 * Only when it still names this process, and this agent of it. Never throws: a file that stays names
 * nobody who lives.
 * @param agentId absent: of whichever agent
 */
export function removePidFile(path: string, pid: number, agentId?: string): void {
  const named = readPidFile(path);
  if (named?.pid !== pid || (agentId !== undefined && named.agentId !== agentId)) return;
  rmQuietly(path);
}

function notWritten(path: string, cause: unknown): AppError {
  const message = `the PID file ${path} cannot be written: ${messageOf(cause)}`;
  return new AppError('UNAVAILABLE', message, { path }, { cause });
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * The text of a file that nobody else can have written.
 * @param trustsRoot the administrator's file counts, too
 * @throws AppError UNAVAILABLE for what is no file of ours
 */
export function readOwnFile(path: string, trustsRoot: boolean): string {
  // Not blocking: a pipe in its place would never open.
  const handle = openSync(
    path,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    const found = fstatSync(handle);
    const isTrusted = isOwn(found) || (trustsRoot && found.uid === ROOT);
    const refused =
      whyOdd(path, found, 'file') ?? (isTrusted ? null : `${path} belongs to another user`);
    if (refused !== null) throw new AppError('UNAVAILABLE', refused, { path });
    if (found.size > MAX_BYTES) return '';
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

/** Replaces a file as a whole, for this user alone. @throws what the file system says */
export function replaceOwnFile(path: string, text: string | Buffer): void {
  const draft = `${path}.${processName()}`;
  try {
    // Left by an earlier process of our number; a link in its place goes, not what it points to.
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmQuietly(draft);
    throw error;
  }
}

/** `null`: it is ours, or there is none. */
function whyNotOurs(path: string, kind: 'folder' | 'file'): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return null;
  const odd = whyOdd(path, found, kind);
  if (odd !== null) return odd;
  return isOwn(found) ? null : `${path} belongs to another user`;
}

function whyOdd(path: string, found: Stats, kind: 'folder' | 'file'): string | null {
  if (found.isSymbolicLink()) return `${path} is a symbolic link`;
  const isKind = kind === 'folder' ? found.isDirectory() : found.isFile();
  return isKind ? null : `${path} is no ${kind}`;
}

/** Windows has no such numbers; its folder lies in the user's profile. */
function isOwn({ uid }: Stats): boolean {
  return process.geteuid === undefined || uid === process.geteuid();
}

function serverFileOf(text: string): ServerFile | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof read !== 'object' || read === null) return null;
  const { pid, port, started, path, agentId, ...more }: Record<string, unknown> = { ...read };
  const { startedTicks, key, hasClient, kind, database } = more;
  if (!isCount(pid) || !isCount(port) || port > MAX_PORT || typeof started !== 'string') {
    return null;
  }
  if (path !== undefined && !(typeof path === 'string' && ROUTE.test(path))) return null;
  if (agentId !== undefined && !(typeof agentId === 'string' && AGENT_ID.test(agentId))) {
    return null;
  }
  return {
    ...{ pid, port, started },
    ...(path === undefined ? {} : { path }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(typeof startedTicks === 'string' && TICKS.test(startedTicks) ? { startedTicks } : {}),
    ...(typeof key === 'string' && KEY.test(key) ? { key } : {}),
    ...(hasClient === true ? { hasClient } : {}),
    ...(kind === 'eliza' || kind === 'headless' ? { kind } : {}),
    ...(typeof database === 'string' && DATABASE.test(database) ? { database } : {}),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function rmQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A folder that may only be read: what is in it stays.
  }
}
