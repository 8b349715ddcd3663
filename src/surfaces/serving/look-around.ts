/** Which servers of ours there are: asked one by one, never believed. */
import { connect } from 'node:net';
import { DEFAULT_PORT, keyFor, RPC_PATH } from './discovery.js';
import { askWho, type Identity, identify } from './identify.js';
import { isWriterAlive, isWriterCertain, readPidFile } from './pid-file.js';
import type { Env } from './place.js';
import { isPortOf } from './port-owner.js';
import type { ServerAddress, ServerFile } from './types.js';

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
 * The server that a PID file names. A file of a dead process, of a pid that is another program's by
 * now, and of a port where somebody else answers is as none.
 * @throws AppError UNAVAILABLE when it wants a key
 */
export async function namedServer(
  pidFile: string,
  env: Env,
  answerMs: number,
): Promise<FoundServer | null> {
  const found = await lookAtNamed(pidFile, env, answerMs);
  return found && 'silent' in found ? null : found;
}

/** The same, and one that lives and listens, but does not answer in time. @throws AppError as it does */
export async function lookAtNamed(
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
export async function serverOfProcess(
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
