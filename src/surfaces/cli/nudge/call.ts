/** One method of Nudge, called at whoever serves. */
import { createRpcClient, type RpcClientOptions } from '../../serving/rpc-client.js';
import { callServing } from '../server/call.js';
import type { NudgeContext } from './command.js';

/**
 * @param name without "nudge."
 * @param field that every result of the method has
 * @throws AppError the method's own, or UNAVAILABLE saying what was met
 */
export function callServer<Result extends object>(
  { io, port }: NudgeContext,
  name: string,
  params: object,
  { field, ...options }: RpcClientOptions & { field: keyof Result & string },
): Promise<Result> {
  return callServing<Result>(io, port?.(), field, (address) =>
    createRpcClient(address, options).call(`nudge.${name}`, params),
  );
}
