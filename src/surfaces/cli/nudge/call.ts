/** One call to whoever serves. */
import { AppError, isAppError } from '../../../shared/errors.js';
import { findServer } from '../../serving/discovery.js';
import { lookAtPidFile } from '../../serving/pid-file.js';
import { createRpcClient, type RpcClientOptions } from '../../serving/rpc-client.js';
import type { NudgeContext } from './command.js';

/**
 * @param name without "nudge."
 * @param field that every result of the method has
 * @throws AppError the method's own, or UNAVAILABLE saying what was met
 */
export async function callServer<Result extends object>(
  { io, port }: NudgeContext,
  name: string,
  params: object,
  { field, ...options }: RpcClientOptions & { field: keyof Result & string },
): Promise<Result> {
  const { env } = io;
  const asked = port?.();
  const address = findServer({ env, ...(asked === undefined ? {} : { port: asked }) });
  const result = await createRpcClient(address, options)
    .call(`nudge.${name}`, params)
    .catch((error) => {
      throw asked === undefined ? withPidFile(error, env) : error;
    });
  if (typeof result === 'object' && result !== null && field in result) return result as Result;
  const message = `${address.baseUrl} is served by another program: say where the server is with -p PORT`;
  throw new AppError('UNAVAILABLE', message, { met: 'foreign', server: address.baseUrl });
}

/** Where nobody was met, why the PID file did not say where to look. */
function withPidFile(error: unknown, env: NudgeContext['io']['env']): unknown {
  if (!isAppError(error) || error.code !== 'UNAVAILABLE' || error.details.met !== 'nobody') {
    return error;
  }
  const look = lookAtPidFile(env);
  if (look.file !== null || look.reason === undefined) return error;
  const message = `${error.message} (${look.reason})`;
  return new AppError(error.code, message, error.details, { cause: error });
}
