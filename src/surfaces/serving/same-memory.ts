/** Whether one server has the memory of another, and how the next one comes to have it. */
import { AppError } from '../../shared/errors.js';
import type { Identity } from './identify.js';
import type { Env } from './place.js';

/**
 * One that takes the place of another opens the same database for the same agent.
 * @throws AppError UNAVAILABLE when it cannot know which: its folder's own would be another memory
 */
export function sameMemory(env: Env, last: Identity | null): Env {
  if (!last) return env;
  const { database, agentId: CUE_AGENT, pid } = last;
  if (database !== null) {
    const { POSTGRES_URL: _not, ...rest } = env;
    return { ...rest, PGLITE_DATA_DIR: database, CUE_AGENT };
  }
  if (env.POSTGRES_URL || pid === process.pid) return { ...env, CUE_AGENT };
  const message =
    'the server that has gone had a database server, or a memory that is not kept: this process does not ' +
    'take its place without POSTGRES_URL; start a server anew';
  throw new AppError('UNAVAILABLE', message);
}

/** Why a server is not followed that has another database than the one before: it may be another project's. */
export function otherMemory(now: Identity): AppError {
  const message = `another memory is served now: ${memoryOf(now)}; start anew to join it`;
  return new AppError('UNAVAILABLE', message);
}

/** What to tell of a server that is not for the same agent and database as the one before; `null`: it is. */
export function changeOf(now: Identity, before: Identity): string | null {
  const isSame = now.agentId === before.agentId && now.database === before.database;
  return isSame
    ? null
    : `another memory than before: ${memoryOf(now)} instead of ${memoryOf(before)}`;
}

function memoryOf({ agentId, database }: Identity): string {
  return `agent ${agentId} in ${database ?? 'a database server, or none that is kept'}`;
}
