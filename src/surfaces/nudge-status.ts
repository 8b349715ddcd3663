/** `nudge.status`, for every surface that serves hints: who serves them, and how many there are. */
import { resolve } from 'node:path';
import type { IAgentRuntime } from '@elizaos/core';
import type { HintCounts, Hints } from '../hints/index.js';
import { hintsOf } from '../operations/index.js';
import { type Caller, databaseOf, pgliteDirectory } from '../records/index.js';
import { InvalidInputError } from '../shared/errors.js';
import { packageVersion } from '../shared/package-version.js';

/** Who serves the hints; a client knows by `name` that it has reached one of ours. */
export interface NudgeStatus {
  name: 'cue';
  version: string;
  kind: Serving['kind'];
  pid: number;
  /** ISO time at which it began to serve. */
  started: string;
  agent_id: string;
  agent_name: string;
  /** `CUE_PROJECT`; `null`: the agent's own. */
  project: string | null;
  /** Directory of the embedded database; `null`: a database server, or memory. */
  database: string | null;
  /** Of this life of the serving process: hints with TTL `session` end with it. */
  session_id: string;
  counts: HintCounts;
}

export interface StatusDeps {
  /** Asked at each call. @throws AppError UNAVAILABLE while the service has not started */
  hints: () => Hints;
  caller: Caller;
  agentId: string;
  /** Asked at each status. */
  serving: () => Serving & Pick<NudgeStatus, 'agent_name' | 'project' | 'database'>;
}

export function statusDepsOf(runtime: IAgentRuntime, caller: Caller): StatusDeps {
  return {
    hints: () => hintsOf(runtime),
    caller,
    agentId: runtime.agentId,
    serving: () => {
      const set = runtime.getSetting('CUE_PROJECT');
      const directory = pgliteDirectory(databaseOf(runtime));
      return {
        ...servingOf(runtime),
        agent_name: runtime.character.name,
        project: typeof set === 'string' && set.trim() !== '' ? set.trim() : null,
        database: directory === null || directory === 'memory' ? null : resolve(directory),
      };
    },
  };
}

/** @throws InvalidInputError for any parameter, AppError UNAVAILABLE */
export async function nudgeStatus(
  { hints, caller, agentId, serving }: StatusDeps,
  params: Record<string, unknown>,
): Promise<NudgeStatus> {
  const unknown = Object.keys(params).map((field) => ({ field, message: 'unknown field' }));
  if (unknown.length > 0) throw new InvalidInputError(unknown);
  const room = hints();
  const { kind, started, agent_name, project, database } = serving();
  return {
    name: 'cue',
    version: packageVersion(),
    kind,
    pid: process.pid,
    started,
    agent_id: agentId,
    agent_name,
    project,
    database,
    session_id: room.sessionId,
    counts: room.counts(caller),
  };
}

export interface Serving {
  /** `headless`: started by one of our commands, gives way to an Eliza server. */
  kind: 'headless' | 'eliza';
  /** ISO time at which it began to serve; of an Eliza server, at which its process began. */
  started: string;
}

const headless = new WeakMap<IAgentRuntime, Serving>();

/** Said by whoever has started the agent to serve it. */
export function serveHeadless(runtime: IAgentRuntime, started: string): void {
  headless.set(runtime, { kind: 'headless', started });
}

export function servingOf(runtime: IAgentRuntime): Serving {
  const started = new Date(performance.timeOrigin).toISOString();
  return headless.get(runtime) ?? { kind: 'eliza', started };
}
