/** How the commands ask whoever serves, and how they print what it answers. */
import type { Command } from 'commander';
import { askRest, createRpcClient, type RestRequest, RpcFailure } from '../../server/client.js';
import { AppError, isAppError, isFindings } from '../../shared/errors.js';
import { callServing, sayWhere } from './ask-server.js';
import { type CommandContext, dataDirOption, filledBy } from './command-line.js';
import { chosenFields, isAll, type JsonFlag, mustBeFields } from './fields.js';
import { longOf, portOf } from './flags.js';
import { badInput, EXIT, type ExitCode, ioFor, printJson, printText } from './io.js';

/** Options that every command has which asks a server. */
export interface ServerFlags {
  port?: number;
  dataDir?: string;
  json?: JsonFlag;
}

/** A call of Nudge, by its name without "nudge."; what is `undefined` in the params is not sent. */
export interface Call {
  call: string;
  params: object;
  timeoutMs?: number;
}

export type Asked<Body> = (RestRequest | Call) & {
  /** That every good answer has. */
  field: keyof Body & string;
  /** The fields were given as such: findings name them, and no flags. */
  isAsGiven?: boolean;
  /** It removes something for good: where is said before it is asked. */
  deletes?: boolean;
};

export interface Printed<Body> {
  /** For people; with `--json` the body is printed as it came. */
  text: (body: Body) => string | Promise<string>;
  /** The text is that of a `Table`. */
  isDrawn?: true;
  /** Fields that `--json` may name; absent: those of the body that came. */
  known?: readonly string[];
  /** What has them; the body when absent. */
  of?: (body: Body) => object | readonly object[];
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
    .option('--json [fields]', 'print what the server answers, or these fields of it')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXPLAINED);
}

/** @throws AppError the server's own, in flags of the command, or UNAVAILABLE saying what was met */
export async function ask<Body extends object>(
  { io }: CommandContext,
  command: Command,
  { field, isAsGiven, deletes, ...request }: Asked<Body>,
): Promise<Body> {
  const { port, dataDir } = command.optsWithGlobals<ServerFlags>();
  const seen = ioFor(io, () => dataDir);
  try {
    return await callServing<Body>(seen, port, field, async (address) => {
      if (deletes) await sayWhere(io, address);
      return 'call' in request
        ? createRpcClient(address, request).call(`nudge.${request.call}`, request.params)
        : askRest(address, request);
    });
  } catch (error) {
    throw isAsGiven ? error : inFlags(error, command);
  }
}

/**
 * One request, printed, with the end it has.
 * @param request `known` fields are those of what `field` names when `of` is absent
 * @throws AppError as `ask`
 */
export async function answer<Body extends object>(
  context: CommandContext,
  command: Command,
  request: Asked<Body> & Printed<Body>,
): Promise<void> {
  const { text, isDrawn, code, beside, known, of, ...asked } = request;
  // Before anything is changed.
  const { json } = command.optsWithGlobals<ServerFlags>();
  if (known !== undefined) mustBeFields(json, known);
  const body = await ask<Body>(context, command, asked);
  const named = known && ((whole: Body) => Object(whole[asked.field]));
  await tell(context, command, body, { text, isDrawn, code, beside, known, of: of ?? named });
}

/** Prints an answer as it was asked for. */
export async function tell<Body extends object>(
  { io, end }: CommandContext,
  command: Command,
  body: Body,
  { text, code, beside, known, of, isDrawn }: Printed<Body>,
): Promise<void> {
  const { json } = command.optsWithGlobals<ServerFlags>();
  if (json === undefined) {
    const words = await text(body);
    if (words !== '') printText(io, words, isDrawn);
  } else {
    mustBeFields(json, known ?? Object.keys(body));
    printJson(io, chosenFields(body, json, of?.(body) ?? body));
  }
  // Where all of the answer is printed, it says this itself.
  if (!isAll(json)) for (const line of beside?.(body) ?? []) io.err(`${line}\n`);
  end(code?.(body) ?? EXIT.done);
}

const INDEX = /\.\d+(?=\.|$)/g;
const IN_BACKTICKS = /`([\w.]+)`/g;

/** The same error; where findings are its message, in flags of the command. Its details stay the server's. */
function inFlags(error: unknown, command: Command): unknown {
  if (!isAppError(error)) return error;
  const { code, message, details } = error;
  const told = isFindings(details.findings) ? details.findings : [];
  if (told.length === 0) return error;
  if (message !== told.map(({ field, message }) => `${field}: ${message}`).join('; ')) return error;
  const flagOf = (field: string): string => {
    const name = field.replace(INDEX, '');
    const filled = filledBy(command, name);
    return filled === undefined ? (longOption(command, name) ?? field) : longOf(filled);
  };
  const words = told.map(({ field, message }) => {
    const said = message.replace(IN_BACKTICKS, (_all, name: string) => flagOf(name));
    return field === '(body)' ? said : `${flagOf(field)}: ${said}`;
  });
  const text = words.join('; ');
  return error instanceof RpcFailure
    ? new RpcFailure(code, error.body, details, text)
    : new AppError(code, text, details, { cause: error });
}

/** The option that is called like the last part of a field. */
function longOption(command: Command, field: string): string | undefined {
  const last = field.split('.').at(-1) ?? '';
  const name = last.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
  return command.options.find((one) => !one.negate && one.attributeName() === name)?.long;
}

/** Of these the path of a URL keeps nothing, also when they are encoded. */
const NO_SEGMENT = /^(?:\s*|\.\.?)$/;

/**
 * @param what whose id it is: `trigger`
 * @param list the command that prints ids
 * @throws AppError INVALID_INPUT for what would vanish from the path: another route would answer
 */
export function pathSegment(id: string, { what, list }: { what: string; list: string }): string {
  // The first letter is encoded as well, because a name may be a word of another route ("health").
  if (!NO_SEGMENT.test(id)) return encodeURIComponent(id).replace(/^[a-z]/i, hexOf);
  const is = id.trim() === '' ? 'its id is empty' : `"${id}" is no id`;
  throw badInput(`say which ${what}: ${is} (${list} prints them)`, { what });
}

function hexOf(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16)}`;
}
