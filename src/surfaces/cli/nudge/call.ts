/** One method of Nudge, called at whoever serves. */
import type { Command } from 'commander';
import {
  createRpcClient,
  type RpcClientOptions,
  RpcFailure,
  type StartAgent,
} from '../../../server/client.js';
import type { CheckSettings } from '../../../server/serve-stdio.js';
import { callServing, sayWhere } from '../ask-server.js';
import type { CommandContext } from '../command-line.js';
import { errorDocument } from '../io.js';

/** What a command of `nudge` is handed: it adds its arguments and options, and says how it ended. */
export interface NudgeContext extends CommandContext {
  /** `--port`, before the command's name or behind it; `undefined`: it was not said. */
  port?: () => number | undefined;
  /** Starts a headless agent; loaded when it is asked for, because it brings the host along. */
  startAgent: () => Promise<StartAgent>;
  /** @throws AppError INVALID_INPUT naming every setting with a wrong value */
  checkSettings?: CheckSettings;
}

export interface NudgeCommand {
  define(command: Command, context: NudgeContext): void;
}

/**
 * @param name without "nudge."
 * @param deletes it removes something for good: where is said before it is asked
 * @param field that every result of the method has
 * @throws AppError the method's own, or UNAVAILABLE saying what was met
 */
export function callServer<Result extends object>(
  { io, port }: Pick<NudgeContext, 'io' | 'port'>,
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
