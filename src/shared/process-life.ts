/**
 * Whether the process that wrote a file still lives. Three proofs, the first that applies decides:
 *
 * 1. The pid and its start time, for a process of our own pid namespace.
 * 2. A Unix socket beside the file, for another container on this machine: its listener lives as long as
 *    the process, whatever that is busy with, and connecting to it crosses namespaces.
 * 3. A lease, for another machine and where no socket can be made: the process writes its file again
 *    every `RENEW_MS`, and a file that is older than `LEASE_MS` belongs to nobody.
 */
import { once } from 'node:events';
import {
  closeSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf } from './errors.js';

/** A process, told apart from a later one that was given its pid. */
export interface ProcessMark {
  pid: number;
  /** Tells two processes with the same pid apart where the system says when they started. */
  startedTicks: string | null;
}

/** What a process writes into a file by which others find out whether it lives. */
export interface LifeMark extends ProcessMark {
  /** For people. */
  host: string;
  /** Changes with each start of the machine. */
  machine: string;
  /** The namespace in which the pid means this process. */
  pidSpace: string;
  /** Device of the folder: sockets of another mount of the same files cannot be connected to. */
  device: string;
  /** Unlike that of any other mark; names the socket. */
  id: string;
}

export const RENEW_MS = 2_000;
export const LEASE_MS = 20_000;
/** Linux has room for 108 bytes, macOS for 104. */
const MAX_SOCKET_PATH = 100;

const MACHINE = contentOf('/proc/sys/kernel/random/boot_id')?.trim() || hostname();
const PID_SPACE = targetOf('/proc/self/ns/pid') ?? process.platform;

/** Part of a file name that no other process uses at this time, on this machine or another. */
export function processName(): string {
  // Loaded where it is needed: a hook has no time for it.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const space = createHash('sha256').update(`${MACHINE} ${hostname()} ${PID_SPACE}`).digest('hex');
  return `${process.pid}-${space.slice(0, 8)}`;
}

/** A new mark of this process for a file in this folder. */
export function newMark(folder: string): LifeMark {
  return {
    ...markOf(process.pid),
    host: hostname(),
    machine: MACHINE,
    pidSpace: PID_SPACE,
    device: deviceOf(folder),
    id: process.getBuiltinModule('node:crypto').randomUUID().slice(0, 13),
  };
}

/** Of a mark as it stands in a file; `null` for the parts that an earlier version did not write. */
export type StoredMark = ProcessMark & {
  [Part in Exclude<keyof LifeMark, keyof ProcessMark>]: string | null;
};

export function storedMark(read: Record<string, unknown>): StoredMark | null {
  if (typeof read.pid !== 'number') return null;
  const text = (part: keyof LifeMark) => (typeof read[part] === 'string' ? read[part] : null);
  return {
    pid: read.pid,
    startedTicks: text('startedTicks'),
    host: text('host'),
    machine: text('machine'),
    pidSpace: text('pidSpace'),
    device: text('device'),
    id: text('id'),
  };
}

/** The process in words that are true from here: a pid of another namespace says little alone. */
export function nameOf(mark: StoredMark): string {
  if (isPidOfOurs(mark)) return `process ${mark.pid}`;
  return mark.host === hostname()
    ? `process ${mark.pid} of another container on this host`
    : `process ${mark.pid} on the host "${mark.host}"`;
}

/** `null`: its pid and its socket do not tell, so that its lease decides. */
export async function isAlive(mark: StoredMark, folder: string): Promise<boolean | null> {
  const byPid = isAliveByPid(mark);
  if (byPid !== null) return byPid;
  if (mark.id === null || mark.machine !== MACHINE || mark.device !== deviceOf(folder)) return null;
  return await isAnswered(folder, mark.id);
}

/** For whoever cannot wait for a socket; `null`: its lease decides. */
export function isAliveByPid(mark: StoredMark): boolean | null {
  if (!isPidOfOurs(mark)) return null;
  // Our own pid in a file that we do not hold: an earlier life of this container, not us.
  return mark.pid !== process.pid && isSameProcess(mark);
}

/** Marks of an earlier version say nothing of namespaces, and are taken for ours. */
function isPidOfOurs({ machine, pidSpace }: StoredMark): boolean {
  if (machine === null || pidSpace === null) return true;
  return machine === MACHINE && pidSpace === PID_SPACE;
}

/**
 * Listens at the socket of a mark for as long as this process lives; keeps no process alive. Where no
 * socket can be made (file systems, long paths, Windows), there is none, and the lease decides.
 */
export async function listenFor({ id }: LifeMark, folder: string): Promise<{ close(): void }> {
  const path = join(folder, socketName(id));
  const draft = `${socketName(id)}.new`;
  const server = createServer((client) => client.destroy());
  // Only a socket that listens may have the name: one that is bound and refuses belongs to the dead.
  try {
    await atShortPath(folder, draft, async (short) => {
      server.listen({ path: short, exclusive: true, readableAll: true, writableAll: true });
      server.unref();
      await once(server, 'listening');
      renameSync(join(folder, draft), path);
    });
  } catch {
    if (server.listening) server.close();
  }
  return {
    close() {
      if (server.listening) server.close();
      rmSync(path, { force: true });
    },
  };
}

/** Removes what a process that is dead has left of its socket. */
export function removeSocket(id: string, folder: string): void {
  for (const name of [socketName(id), `${socketName(id)}.new`]) {
    rmSync(join(folder, name), { force: true });
  }
}

function socketName(id: string): string {
  return `.cue-life-${id}`;
}

/** `null`: it cannot be told, as where the socket is missing or may not be connected to. */
async function isAnswered(folder: string, id: string): Promise<boolean | null> {
  try {
    return await atShortPath(folder, socketName(id), async (path) => {
      const client = connect({ path });
      await once(client, 'connect');
      client.destroy();
      return true;
    });
  } catch (error) {
    const code = codeOf(error);
    // A full queue is that of a process that lives and is busy.
    return code === 'ECONNREFUSED' ? false : code === 'EAGAIN' ? true : null;
  }
}

/**
 * A path that is too long for a socket is shortened by way of its open folder, which Linux alone has.
 * Elsewhere the system refuses it.
 */
async function atShortPath<T>(
  folder: string,
  name: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(folder, name);
  const fits = Buffer.byteLength(path) <= MAX_SOCKET_PATH;
  if (fits || process.platform !== 'linux') return await work(path);
  const handle = openSync(folder, 'r');
  try {
    return await work(`/proc/self/fd/${handle}/${name}`);
  } finally {
    closeSync(handle);
  }
}

function deviceOf(folder: string): string {
  return String(statSync(folder, { bigint: true }).dev);
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
    return codeOf(error) === 'EPERM';
  }
  return !stateOf(pid).ended;
}

/**
 * Where /proc has it: start time of a process in clock ticks since boot (field 22 of stat), and
 * whether it has ended and only waits for its parent to notice (in containers often for ever).
 */
function stateOf(pid: number): { ticks: string | null; ended: boolean } {
  const stat = contentOf(`/proc/${pid}/stat`);
  if (stat === null) return { ticks: null, ended: false };
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { ticks: fields[19] ?? null, ended: fields[0] === 'Z' || fields[0] === 'X' };
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}
