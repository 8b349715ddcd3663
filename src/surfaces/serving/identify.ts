/** Who answers at an address: asked, because pids are used again and a port may be anybody's. */
import { isAppError } from '../../shared/errors.js';
import { createRpcClient } from './rpc-client.js';
import type { ServerAddress } from './types.js';

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
