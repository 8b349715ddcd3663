/** One method of Nudge, called at whoever serves. */
import { createRpcClient, type RpcClientOptions, RpcFailure } from '../../../server/client.js';
import { callServing, sayWhere } from '../ask-server.js';
import type { CommandContext } from '../command-line.js';
import { errorDocument } from '../io.js';

/**
 * @param name without "nudge."
 * @param params what is `undefined` in them is not sent
 * @param deletes it removes something for good: where is said before it is asked
 * @param field that every result of the method has
 * @throws AppError the method's own, or UNAVAILABLE saying what was met
 */
export function callServer<Result extends object>(
  { io, port }: Pick<CommandContext, 'io' | 'port'>,
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

/** The error of a method as it came; others have the form of `cue`. */
export function documentOf(error: unknown): object {
  return error instanceof RpcFailure ? { error: error.body } : errorDocument(error);
}
