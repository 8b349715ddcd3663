/** One method of Nudge, called at whoever serves. */
import { createRpcClient, type RpcClientOptions } from '../../../server/client.js';
import { callServing, sayWhere } from '../server/call.js';
import type { NudgeContext } from './command.js';

/**
 * @param name without "nudge."
 * @param deletes it removes something for good: where is said before it is asked
 * @param field that every result of the method has
 * @throws AppError the method's own, or UNAVAILABLE saying what was met
 */
export function callServer<Result extends object>(
  { io, port }: NudgeContext,
  name: string,
  params: object,
  {
    field,
    deletes,
    ...options
  }: RpcClientOptions & { field: keyof Result & string; deletes?: boolean },
): Promise<Result> {
  return callServing<Result>(io, port?.(), field, async (address) => {
    if (deletes) await sayWhere(io, address);
    return createRpcClient(address, options).call(`nudge.${name}`, params);
  });
}
