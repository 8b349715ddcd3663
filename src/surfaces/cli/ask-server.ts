/** One call to whoever serves the database that is meant. */

import { setTimeout as delay } from 'node:timers/promises';
import {
  addressOfAgent,
  createRpcClient,
  findServer,
  identityOf,
  type ServerAddress,
  startingServer,
  type Wanted,
  withPidFile,
} from '../../server/client.js';
import { SECOND_MS } from '../../shared/clock.js';
import { AppError, isAppError } from '../../shared/errors.js';
import type { Io } from './io.js';
import { oneLine } from './lines.js';

/** Told before something is deleted: which server and database lose it. Nothing of a server that does not say. */
export async function sayWhere(io: Pick<Io, 'err'>, address: ServerAddress): Promise<void> {
  const identity = identityOf(await createRpcClient(address).call('nudge.status', {}));
  if (identity === null) return;
  const { database, pid, agentName, agentId } = identity;
  const where =
    database === null
      ? 'a database server, or a memory that is not kept'
      : `the database ${oneLine(database)}`;
  io.err(
    `In ${where}: agent ${oneLine(agentName ?? agentId)}, server process ${pid} at ${address.baseUrl}\n`,
  );
}

/**
 * @param port that the user said
 * @param field that every good answer has
 * @throws AppError that of `ask`, or UNAVAILABLE saying what was met
 */
export async function callServing<Answer extends object>(
  io: Pick<Io, 'env' | 'cwd'>,
  port: number | undefined,
  field: keyof Answer & string,
  ask: (address: ServerAddress) => Promise<unknown>,
): Promise<Answer> {
  const wanted = { env: io.env, cwd: io.cwd, port };
  const { address, answer } = await onceServed(wanted, async () => {
    const found = await addressOfAgent(findServer(wanted), io.env);
    return { address: found, answer: await ask(found) };
  }).catch((error: unknown) => {
    throw port === undefined ? withPidFile(error, wanted) : error;
  });
  if (typeof answer === 'object' && answer !== null && field in answer) return answer as Answer;
  const message = `${address.baseUrl} is served by another program: say where the server is with -p PORT`;
  throw new AppError('UNAVAILABLE', message, { met: 'foreign', server: address.baseUrl });
}

/** Who serves, and where. @throws AppError as `callServing` */
export async function askWho(
  io: Pick<Io, 'env' | 'cwd'>,
  port: number | undefined,
): Promise<{ who: Record<string, unknown>; baseUrl: string }> {
  let baseUrl = '';
  const who = await callServing<Record<string, unknown>>(io, port, 'pid', (address) => {
    baseUrl = address.baseUrl;
    return createRpcClient(address).call('nudge.status', {});
  });
  return { who, baseUrl };
}

const PAUSE_MS = 200;
const PATIENCE_MS = 10 * SECOND_MS;

/**
 * Asks, and again while a process that lives is about to serve: ten seconds at most.
 * @throws AppError that of `ask`, or UNAVAILABLE naming that process
 */
export async function onceServed<Answer>(
  wanted: Wanted,
  ask: () => Promise<Answer>,
  patienceMs = PATIENCE_MS,
): Promise<Answer> {
  for (let leftMs = patienceMs; ; leftMs -= PAUSE_MS) {
    try {
      return await ask();
    } catch (error) {
      const isNobody = isAppError(error) && error.details.met === 'nobody';
      const pid = isNobody ? await startingServer(wanted) : null;
      if (!isNobody || pid === null) throw error;
      if (leftMs <= 0) {
        // Without what was met: the PID file has nothing to say to this.
        const message = `process ${pid} is about to serve: try again in a moment`;
        const failure = new AppError('UNAVAILABLE', message, { pid }, { cause: error });
        throw failure;
      }
    }
    await delay(PAUSE_MS);
  }
}
