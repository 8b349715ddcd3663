/** Which servers of ours there are: asked one by one, never believed. */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { SECOND_MS } from '../shared/clock.js';
import { AppError, isAppError } from '../shared/errors.js';
import { isUuid } from '../shared/uuid.js';
import type { ServerAddress } from './connect.js';
import { createRpcClient } from './connect.js';
import type { Env } from './database-location.js';
import { DEFAULT_PORT, keyFor, RPC_PATH } from './find-server.js';
import type { ServerFile } from './pid-file.js';
import { isWriterAlive, isWriterCertain, readPidFile } from './pid-file.js';

export interface FoundServer {
  address: ServerAddress;
  port: number;
  identity: Identity;
}

/** Ports on which a server may listen that could not write the PID file, from 8765 or 8766. */
const PORTS = 22;
const MAX_PORT = 65_535;
const CONNECT_MS = 1_000;

/**
 * The server that a PID file names; `silent`: it lives and listens, but does not answer in time. A file of a
 * dead process, of a pid that is another program's by now, and of a port where somebody else answers is as none.
 * @throws AppError UNAVAILABLE when it wants a key
 */
export async function probeNamed(
  pidFile: string,
  env: Env,
  answerMs: number,
): Promise<FoundServer | { silent: ServerFile } | null> {
  const file = readPidFile(pidFile);
  if (!file || file.pid === process.pid || !isWriterAlive(file)) return null;
  const address = addressOf(file, env, isWriterCertain(file));
  const identity = await askWho(address, answerMs);
  if (identity === 'silent') {
    return isPortOf(file.pid, file.port) === false ? null : { silent: file };
  }
  return identity?.pid === file.pid ? { address, port: file.port, identity } : null;
}

/** The server that is this process, on one of the ports where one listens that has written no PID file. */
export async function probeProcess(
  pid: number,
  first: number | undefined,
  env: Env,
  answerMs: number,
): Promise<FoundServer | null> {
  const from = first || DEFAULT_PORT;
  for (let port = from; port < from + PORTS && port <= MAX_PORT; port += 1) {
    if (!(await isListened(port))) continue;
    const owns = isPortOf(pid, port);
    if (owns === false) continue;
    const address = addressOf({ port }, env, owns === true || port === first);
    const identity = await identify(address, answerMs).catch(() => null);
    if (identity?.pid === pid) return { address, port, identity };
  }
  return null;
}

/** `false` only where it is certain that nobody listens: who is busy does not answer at once. */
export function isListened(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: CONNECT_MS });
    const end = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(true));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code !== 'ECONNREFUSED'));
  });
}

/** Where a server is reached from here. @param isKnown whether it is certain who is there */
export function addressOf(
  { port, path, agentId, key }: Pick<ServerFile, 'port' | 'path' | 'agentId' | 'key'>,
  env: Env,
  isKnown = true,
): ServerAddress {
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    path: path ?? RPC_PATH,
    ...(agentId === undefined ? {} : { agentId }),
    ...keyFor(env, isKnown),
    ...(key === undefined || !isKnown ? {} : { localKey: key }),
  };
}

/** Of `nudge.status`, what tells a server from others; all of it stands in `status`. */
export interface Identity {
  pid: number;
  kind: 'headless' | 'eliza';
  /** ISO time; absent: a version that does not say. */
  started?: string;
  agentId: string;
  /** `null`: a version that does not say. */
  agentName: string | null;
  /** `CUE_PROJECT` of the agent; `null`: it has none. */
  project: string | null;
  sessionId: string;
  /** Absolute directory of its embedded database; `null`: a database server, or memory. */
  database: string | null;
  status: Record<string, unknown>;
}

/**
 * @returns `null` when nobody of ours answers in time
 * @throws AppError UNAVAILABLE (`details.met`: `unauthenticated`) when a key is missing or wrong
 */
export async function identify(
  address: ServerAddress,
  timeoutMs: number,
): Promise<Identity | null> {
  const answer = await askWho(address, timeoutMs);
  return answer === 'silent' ? null : answer;
}

/** The same; `silent`: somebody listens, and has not answered in time. @throws AppError as `identify` */
export async function askWho(
  address: ServerAddress,
  timeoutMs: number,
): Promise<Identity | 'silent' | null> {
  try {
    const status = await createRpcClient(address, { timeoutMs }).call('nudge.status', {});
    return identityOf(status);
  } catch (error) {
    const met = isAppError(error) ? error.details.met : undefined;
    if (met === 'unauthenticated') throw error;
    return met === 'timeout' ? 'silent' : null;
  }
}

/** `null`: it is not one of ours. */
export function identityOf(status: unknown): Identity | null {
  if (typeof status !== 'object' || status === null) return null;
  const read: Record<string, unknown> = { ...status };
  const { name, pid, agent_id, agent_name, project, session_id, started, database } = read;
  if (name !== 'cue' || typeof pid !== 'number') return null;
  if (typeof agent_id !== 'string' || typeof session_id !== 'string') return null;
  return {
    pid,
    kind: read.kind === 'headless' ? 'headless' : 'eliza',
    ...(typeof started === 'string' ? { started } : {}),
    agentId: agent_id,
    agentName: textOf(agent_name),
    project: textOf(project),
    sessionId: session_id,
    database: textOf(database),
    status: read,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

const ANSWER_MS = 5 * SECOND_MS;

/**
 * For a command, which asks who is there only where the environment names somebody.
 * @throws AppError as `resolveAgent` and the call itself do
 */
export async function addressOfAgent(
  address: ServerAddress,
  env: Env,
  answerMs = ANSWER_MS,
): Promise<ServerAddress> {
  if (!env.CUE_AGENT?.trim() && !env.CUE_PROJECT?.trim()) return address;
  const client = createRpcClient(address, { timeoutMs: answerMs });
  const identity = identityOf(await client.call('nudge.status', {}));
  // Of another program: the command's own call says so.
  if (identity === null) return address;
  const port = Number(new URL(address.baseUrl).port);
  return (await resolveAgent({ address, port, identity }, env, answerMs)).address;
}

/**
 * The same server at the agent that the environment names: an Eliza server may have several, which are
 * told apart by id.
 * @throws AppError INVALID_INPUT when it has not that agent, or another project; UNAVAILABLE as `askWho`
 */
export async function resolveAgent<Found extends FoundServer>(
  found: Found,
  env: Env,
  answerMs: number,
): Promise<Found> {
  const agent = env.CUE_AGENT?.trim();
  const meant = agent ? await atAgent(found, agent, answerMs) : found;
  const project = env.CUE_PROJECT?.trim();
  if (!project || meant.identity.project === project) return meant;
  const served = meant.identity.project;
  throw wrong(meant, 'CUE_PROJECT', project, served === null ? 'no named project' : `"${served}"`);
}

async function atAgent<Found extends FoundServer>(
  found: Found,
  agent: string,
  answerMs: number,
): Promise<Found> {
  const { agentId, agentName } = found.identity;
  if (isNamed(found.identity, agent)) return found;
  if (isUuid(agent)) {
    const address = { ...found.address, agentId: agent };
    const identity = await askWho(address, answerMs);
    if (identity && identity !== 'silent' && isNamed(identity, agent)) {
      return { ...found, address, identity };
    }
  }
  const shown = agentName === null ? agentId : `"${agentName}" (${agentId})`;
  throw wrong(found, 'CUE_AGENT', agent, shown);
}

function isNamed({ agentId, agentName }: Identity, agent: string): boolean {
  const asked = agent.toLowerCase();
  return agentId.toLowerCase() === asked || agentName?.toLowerCase() === asked;
}

function wrong(
  { port, identity }: FoundServer,
  setting: string,
  asked: string,
  served: string,
): AppError {
  const { pid, kind } = identity;
  const hint = setting === 'CUE_AGENT' && kind === 'eliza' ? ', by id where it has several' : '';
  const message =
    `${setting} is "${asked}", but the server (process ${pid}, port ${port}) serves ${served}: ` +
    `set ${setting} to what it serves${hint}, or leave it out`;
  return new AppError('INVALID_INPUT', message, { pid, port, setting });
}

/** A server that was lost and found again, is the same. */
export function isSameServer(a: FoundServer, b: FoundServer): boolean {
  const [one, other] = [a.identity, b.identity];
  return a.port === b.port && one.pid === other.pid && one.sessionId === other.sessionId;
}

export function howToGoOn(pid: number, platform: NodeJS.Platform = process.platform): string {
  const command = platform === 'win32' ? `taskkill /F /PID ${pid}` : `kill -9 ${pid}`;
  return `wait until it goes on, or end it (${command})`;
}

const LISTENS = '0A';
/** As `/proc/net/tcp` and `tcp6` write them: whoever listens at exactly this address is connected first. */
const OWN_ADDRESSES: ReadonlySet<string> = new Set([
  '0100007F',
  '0000000000000000FFFF00000100007F',
]);
const ALL_ADDRESSES: ReadonlySet<string> = new Set(['00000000', '0'.repeat(32)]);

/**
 * Whether a connection to 127.0.0.1 at this port comes to this process; `null`: the system does not say,
 * or not of a process of somebody else.
 */
export function isPortOf(pid: number, port: number): boolean | null {
  const sockets = listeners(port);
  if (sockets === null) return null;
  if (sockets.size === 0) return false;
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((name) => sockets.has(targetOf(`${folder}/${name}`)));
  } catch {
    return null;
  }
}

/** As the links of a process to its sockets are called. */
function listeners(port: number): Set<string> | null {
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].map(rowsOf);
  if (rows.every((one) => one === null)) return null;
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  const own = new Set<string>();
  const all = new Set<string>();
  for (const row of rows.flatMap((one) => one ?? [])) {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    const [address = '', found] = local.split(':');
    if (state !== LISTENS || found !== wanted) continue;
    if (OWN_ADDRESSES.has(address)) own.add(`socket:[${inode}]`);
    else if (ALL_ADDRESSES.has(address)) all.add(`socket:[${inode}]`);
  }
  return own.size > 0 ? own : all;
}

function rowsOf(path: string): string[] | null {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(1);
  } catch {
    return null;
  }
}

/** Empty: closed meanwhile. */
export function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
