/** Where a command looks for the server (seed `nudge.md` §10): flag, then PID file, then the usual port. */
import { AppError, isAppError } from '../../shared/errors.js';
import { isWriterAlive, isWriterCertain, lookAtPidFile, readPidFile } from './pid-file.js';
import type { ServerAddress, ServerFile } from './types.js';

export const DEFAULT_PORT = 8765;
export const RPC_PATH = '/cue/rpc';

export interface Wanted {
  env: Readonly<Record<string, string | undefined>>;
  /** What the user said. */
  port?: number;
}

/**
 * Always of this machine. Whether somebody listens there, and is one of ours, shows the first call. A PID
 * file whose process is gone says nothing; one of the port that was asked for says path and agent. The key
 * goes to the port that the user has named, and to whoever has written the file: on the usual port, or
 * with the pid of one that is gone, may be somebody else.
 */
export function findServer({ env, port: asked }: Wanted): ServerAddress {
  const written = readPidFile(env);
  const isGone = written === null || !isWriterAlive(written);
  const isMeant = !isGone && (asked === undefined || asked === written.port);
  const port = asked ?? (isMeant ? written.port : DEFAULT_PORT);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    path: (isMeant ? written.path : undefined) ?? RPC_PATH,
    ...(isMeant && written.agentId !== undefined ? { agentId: written.agentId } : {}),
    ...keyFor(env, asked !== undefined || (isMeant && isWriterCertain(written))),
  };
}

/** What of the key an address has. @param isKnown whether it is certain who is there */
export function keyFor(
  { ELIZA_SERVER_AUTH_TOKEN: apiKey }: Wanted['env'],
  isKnown: boolean,
): Pick<ServerAddress, 'apiKey' | 'isKeyWithheld'> {
  if (!apiKey) return {};
  return isKnown ? { apiKey } : { isKeyWithheld: true };
}

/** Where nobody was met, says also why the PID file did not tell where to look. */
export function withPidFile(error: unknown, env: Wanted['env']): unknown {
  if (!isAppError(error) || error.code !== 'UNAVAILABLE' || error.details.met !== 'nobody') {
    return error;
  }
  const look = lookAtPidFile(env);
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
