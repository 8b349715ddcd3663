/** One call to whoever serves the database that is meant. */

import type { ServerAddress } from '../../../server/client.js';
import {
  createRpcClient,
  findServer,
  identityOf,
  meantAddress,
  withPidFile,
} from '../../../server/client.js';
import { AppError } from '../../../shared/errors.js';
import type { Io } from '../io.js';
import { oneLine } from '../lines.js';
import { onceServed } from './once-served.js';

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
    const found = await meantAddress(findServer(wanted), io.env);
    return { address: found, answer: await ask(found) };
  }).catch((error: unknown) => {
    throw port === undefined ? withPidFile(error, wanted) : error;
  });
  if (typeof answer === 'object' && answer !== null && field in answer) return answer as Answer;
  const message = `${address.baseUrl} is served by another program: say where the server is with -p PORT`;
  throw new AppError('UNAVAILABLE', message, { met: 'foreign', server: address.baseUrl });
}
