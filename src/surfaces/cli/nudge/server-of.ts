/** Whoever serves, as `status` and `stop` need to know it. */

import {
  createRpcClient,
  findServer,
  type Identity,
  identityOf,
  meantAddress,
  withPidFile,
} from '../../../server/client.js';
import { AppError, isAppError } from '../../../shared/errors.js';
import { onceServed } from '../server/once-served.js';
import type { NudgeContext } from './command.js';

export interface KnownServer extends Identity {
  port: number;
}

/** What is met where no server is. */
const NO_SERVER: ReadonlySet<unknown> = new Set(['nobody', 'unreachable', 'foreign']);

/** @throws AppError NOT_FOUND when nothing of ours serves, else what was met */
export async function serverOf({ io, port }: NudgeContext): Promise<KnownServer> {
  const asked = port?.();
  const wanted = { env: io.env, cwd: io.cwd, port: asked };
  const { address, status } = await onceServed(wanted, async () => {
    const found = await meantAddress(findServer(wanted), io.env);
    return { address: found, status: await createRpcClient(found).call('nudge.status', {}) };
  }).catch((met: unknown) => {
    const error = asked === undefined ? withPidFile(met, wanted) : met;
    throw isAppError(error) && NO_SERVER.has(error.details.met) ? nothing(error.message) : error;
  });
  const identity = identityOf(status);
  if (!identity) throw nothing(`${address.baseUrl} is served by another program`);
  return { ...identity, port: Number(new URL(address.baseUrl).port) };
}

function nothing(met: string): AppError {
  return new AppError('NOT_FOUND', `nothing serves: ${met}`, { what: 'server' });
}
