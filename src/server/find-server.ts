/**
 * Where a command looks for the server (seed `nudge.md` §10): flag, then PID file, then the usual port. Who
 * means a database is sent to a server of it, or to none; who means none is sent to the one server there
 * is. Among several nobody but the user chooses.
 */
import { AppError, isAppError } from '../shared/errors.js';
import type { ServerAddress } from './connect.js';
import {
  configuredDatabase,
  type DatabaseLocation,
  type Env,
  shownDatabase,
} from './database-location.js';
import type { ServerFile } from './pid-file.js';
import {
  isWriterAlive,
  isWriterCertain,
  lookAtPidFile,
  pidFileOf,
  readPidFile,
  serverOnPort,
  usualPidFile,
  usualServers,
} from './pid-file.js';

/** Of the usual server: who means no database, and finds none named, tries it at last. */
export const DEFAULT_PORT = 8765;
/** Of a headless server of a project: nobody may come upon it by chance. */
export const PROJECT_PORT = 8766;
export const RPC_PATH = '/cue/rpc';

export interface Wanted {
  env: Env;
  /** Absolute: the folder that the database is meant from. */
  cwd: string;
  /** What the user said. */
  port?: number | undefined;
}

/**
 * Always of this machine. Whether somebody listens there, and is one of ours, shows the first call. A PID
 * file whose process is gone says nothing; one of the port that was asked for says path and agent. The key
 * goes to the port that the user has named, and to whoever has written the file: on the usual port, or
 * with the pid of one that is gone, may be somebody else.
 * @throws AppError UNAVAILABLE (`details.met`: `nobody`) when nobody serves the database that is meant;
 * INVALID_INPUT when none is meant and several are served
 */
export function findServer({ env, cwd, port: asked }: Wanted): ServerAddress {
  if (asked !== undefined) return addressAt(asked, serverOnPort(env, asked), keyFor(env, true));
  const { place, pidFile } = targetDatabase(env, cwd);
  const living = place === null ? onlyServer(env) : livingAt(pidFile);
  if (living === null && place !== null) throw notServed(place);
  const isCertain = living !== null && isWriterCertain(living);
  return addressAt(living?.port ?? DEFAULT_PORT, living, keyFor(env, isCertain));
}

function livingAt(pidFile: string): ServerFile | null {
  const named = readPidFile(pidFile);
  return named && isWriterAlive(named) ? named : null;
}

/** @throws AppError INVALID_INPUT listing them when there are several */
function onlyServer(env: Env): ServerFile | null {
  const [only, ...others] = usualServers(env);
  if (only === undefined || others.length === 0) return only ?? null;
  const candidates = [only, ...others].map(({ port, pid, agentId, database }) => ({
    ...{ port, pid, agentId: agentId ?? null, database: database ?? null },
  }));
  const lines = candidates.map(
    ({ port, pid, agentId, database }) =>
      `\n  -p ${port}  process ${pid}, ${database === null ? `agent ${agentId}` : `database ${database}`}`,
  );
  const message =
    'this folder has no database of its own, and several servers run: name one with -p PORT, ' +
    `or its database with --data-dir DIRECTORY${lines.join('')}`;
  throw new AppError('INVALID_INPUT', message, { candidates });
}

function addressAt(
  port: number,
  file: ServerFile | null,
  key: ReturnType<typeof keyFor>,
): ServerAddress {
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    path: file?.path ?? RPC_PATH,
    ...(file?.agentId === undefined ? {} : { agentId: file.agentId }),
    ...key,
  };
}

function notServed(place: DatabaseLocation): AppError {
  const message =
    `no server has the database ${shownDatabase(place)}: start one here with "cue mcp" or "nudge serve", ` +
    'or say the port of another with -p PORT';
  return new AppError('UNAVAILABLE', message, { met: 'nobody', sent: false });
}

/** What of the key an address has. @param isKnown whether it is certain who is there */
export function keyFor(
  { ELIZA_SERVER_AUTH_TOKEN: apiKey }: Env,
  isKnown: boolean,
): Pick<ServerAddress, 'apiKey' | 'isKeyWithheld'> {
  if (!apiKey) return {};
  return isKnown ? { apiKey } : { isKeyWithheld: true };
}

/** Where nobody was met, says also why the PID file did not tell where to look. */
export function withPidFile(error: unknown, { env, cwd }: Wanted): unknown {
  if (!isAppError(error) || error.code !== 'UNAVAILABLE' || error.details.met !== 'nobody') {
    return error;
  }
  const look = lookAtPidFile(targetDatabase(env, cwd).pidFile);
  const reason = look.file === null ? look.reason : whyNotNamed(look.file);
  if (reason === undefined) return error;
  const message = `${error.message} (${reason})`;
  return new AppError(error.code, message, error.details, { cause: error });
}

/** Its port may be anybody's by now. */
function whyNotNamed(file: ServerFile): string | undefined {
  if (isWriterAlive(file)) return undefined;
  return `the PID file names process ${file.pid} on port ${file.port}, which is gone`;
}

export interface Meant {
  /** `null`: none in particular. */
  place: DatabaseLocation | null;
  /** Path of the PID file that counts. */
  pidFile: string;
}

/** @param cwd absolute */
export function targetDatabase(env: Env, cwd: string, home?: string): Meant {
  const place = configuredDatabase(env, cwd, home);
  return { place, pidFile: place === null ? usualPidFile(env) : pidFileOf(env, place) };
}

/** The process that is about to serve the database that is meant; `null`: none. Commands ask where nobody serves. */
export async function startingServer({ env, cwd }: Wanted): Promise<number | null> {
  const { startingProcess } = await import('./right-to-serve.js');
  return startingProcess(targetDatabase(env, cwd).pidFile);
}
