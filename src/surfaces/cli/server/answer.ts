/** How the commands ask whoever serves, and how they print what it answers. */
import type { Command } from 'commander';
import { askRest, type RestRequest } from '../../../server/client.js';
import type { CommandContext } from '../command-line.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { portOf } from '../flag-words.js';
import { printJson, printText } from '../io.js';
import { callServing, sayWhere } from './call.js';
import { dataDirOption, ioFor } from './data-dir.js';
import { type FlagNames, inFlags } from './in-flags.js';

/** Options that every command has which asks a server. */
export interface ServerFlags {
  port?: number;
  dataDir?: string;
  json?: true;
}

export interface Asked<Body> extends RestRequest {
  /** That every good answer has. */
  field: keyof Body & string;
  /** Of fields in the request; other flags are named as their fields. `null`: the fields were given. */
  flags?: FlagNames | null;
  /** It removes something for good: where is said before it is asked. */
  deletes?: boolean;
}

export interface Printed<Body> {
  /** For people; with `--json` the body is printed as it came. */
  text: (body: Body) => string | Promise<string>;
  /** How the command ended; done when absent. */
  code?: (body: Body) => ExitCode;
  /** Said beside the result. */
  beside?: (body: Body) => readonly string[];
}

const EXPLAINED = `
Environment:
  NUDGE_PID_DIR             folder of the files in which servers say where they listen
  ELIZA_SERVER_AUTH_TOKEN   the key of the server, if it wants one
`;

/** `-p` and `--json`, which the commands below take, too. */
export function addServerOptions(command: Command): Command {
  return command
    .option('-p, --port <port>', 'port of the server (else the one of this project)', portOf)
    .addOption(dataDirOption())
    .option('--json', 'print what the server answers')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXPLAINED);
}

/** @throws AppError the route's own, in flags of the command, or UNAVAILABLE saying what was met */
export async function ask<Body extends object>(
  { io }: CommandContext,
  command: Command,
  { field, flags, deletes, ...request }: Asked<Body>,
): Promise<Body> {
  const { port, dataDir } = command.optsWithGlobals<ServerFlags>();
  try {
    return await callServing<Body>(
      ioFor(io, () => dataDir),
      port,
      field,
      async (address) => {
        if (deletes) await sayWhere(io, address);
        return askRest(address, request);
      },
    );
  } catch (error) {
    throw flags === null ? error : inFlags(error, command, flags);
  }
}

/** One request, printed, with the end it has. @throws AppError as `ask` */
export async function answer<Body extends object>(
  context: CommandContext,
  command: Command,
  asked: Asked<Body>,
  printed: Printed<Body>,
): Promise<void> {
  await tell(context, command, await ask<Body>(context, command, asked), printed);
}

/** Prints an answer as it was asked for. */
export async function tell<Body extends object>(
  { io, end }: CommandContext,
  command: Command,
  body: Body,
  { text, code, beside }: Printed<Body>,
): Promise<void> {
  if (command.optsWithGlobals<ServerFlags>().json) printJson(io, body);
  else {
    const words = await text(body);
    if (words !== '') printText(io, words);
    for (const line of beside?.(body) ?? []) io.err(`${line}\n`);
  }
  end(code?.(body) ?? EXIT.done);
}
