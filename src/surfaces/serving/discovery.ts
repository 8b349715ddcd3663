/** Where a command looks for the server (seed `nudge.md` §10): flag, then PID file, then the usual port. */
import { isRunning } from '../../shared/dir-lock.js';
import { AppError, isAppError } from '../../shared/errors.js';
import { lookAtPidFile, readPidFile } from './pid-file.js';
import type { ServerAddress } from './types.js';

export const DEFAULT_PORT = 8765;
export const RPC_PATH = '/cue/rpc';

export interface Wanted {
  env: Readonly<Record<string, string | undefined>>;
  /** What the user said. */
  port?: number;
}

/**
 * Always of this machine. Whether somebody listens there, and is one of ours, shows the first call. A PID
 * file whose process is gone says nothing; one of the port that was asked for says path and agent.
 */
export function findServer({ env, port: asked }: Wanted): ServerAddress {
  const written = readPidFile(env);
  const isGone = written === null || !isRunning(written.pid);
  const isMeant = !isGone && (asked === undefined || asked === written.port);
  const port = asked ?? (isMeant ? written.port : DEFAULT_PORT);
  const apiKey = env.ELIZA_SERVER_AUTH_TOKEN;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    path: (isMeant ? written.path : undefined) ?? RPC_PATH,
    ...(isMeant && written.agentId !== undefined ? { agentId: written.agentId } : {}),
    ...(apiKey ? { apiKey } : {}),
  };
}

/** Where nobody was met, says also why the PID file did not tell where to look. */
export function withPidFile(error: unknown, env: Wanted['env']): unknown {
  if (!isAppError(error) || error.code !== 'UNAVAILABLE' || error.details.met !== 'nobody') {
    return error;
  }
  const look = lookAtPidFile(env);
  if (look.file !== null || look.reason === undefined) return error;
  const message = `${error.message} (${look.reason})`;
  return new AppError(error.code, message, error.details, { cause: error });
}
