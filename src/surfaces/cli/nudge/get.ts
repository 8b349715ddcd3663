/** `nudge get <component> <key>`: an agent waits for it before each build. */
import type { GetResult, ScoredHint } from '../../../hints/offline.js';
import { createRpcClient, RpcFailure } from '../../../server/client.js';
import { callServing } from '../ask-server.js';
import type { CommandContext } from '../command-line.js';
import { type Flags, fieldsOf, plainLine } from '../flags.js';
import {
  badInput,
  EXIT,
  type ExitCode,
  errorDocument,
  type Io,
  ioFor,
  printJson,
  printText,
  tellError,
} from '../io.js';
import { CONTEXT_FLAGS, type ContextFlags, contextOf } from './context-flags.js';
import type * as Words from './print-hint.js';

export const GET_FLAGS: Flags = [
  ...CONTEXT_FLAGS,
  ['limit', '--limit <number>', 'so many of its variants, best first (1)', 'number'],
  ['explain', '--explain', 'also why the others are not eligible'],
  ['raw', '--raw', 'print the value alone, as it is, secrets too: $(nudge get api build --raw)'],
  ['json', '--json', 'print the result as JSON'],
];

export interface GetFlags {
  at?: ContextFlags;
  limit?: number;
  explain?: true;
  raw?: true;
  json?: true;
}

interface HintName {
  component: string;
  key: string;
}

/** Done: one is eligible. */
export async function performGet(
  name: HintName,
  flags: GetFlags,
  context: Pick<CommandContext, 'io' | 'port'>,
): Promise<ExitCode> {
  const { io } = context;
  const { limit, explain, raw, json } = flags;
  if (raw && (json || explain || limit !== undefined)) {
    throw badInput('--raw prints one value: it goes without --json, --explain and --limit');
  }
  const place = await contextOf(flags.at ?? {}, io);
  const params = { ...name, context: place, limit, explain: explain && 'all' };
  // Loaded while the server works.
  const words = json ? null : import('./print-hint.js');
  const result = await callServing<GetResult>(io, context.port?.(), 'hint', (address) =>
    createRpcClient(address).call('nudge.get_hint', params),
  );
  if (words === null) printJson(io, result);
  else if (raw && result.hint !== null) {
    const { printedValue } = await import('../../../hints/offline.js');
    printText(io, printedValue(result.hint.value));
  } else printBest(name, result, io, await words);
  return result.hint === null ? EXIT.notFound : EXIT.done;
}

function printBest(
  name: HintName,
  { hint, hints, match_explain, others = [] }: GetResult,
  io: Io,
  { hintName, matchLines, oneLine, otherLines, valueLines }: typeof Words,
): void {
  const more = otherLines(others);
  if (hint === null) {
    const reasons = match_explain.reasons.map((reason) => `  - ${oneLine(reason)}`);
    const lines = [`nudge: ${hintName(name)} is not eligible here`, ...reasons];
    io.err(`${lines.join('\n')}\n`);
    if (more.length > 0) printText(io, more.join('\n'));
    return;
  }
  const found: Pick<ScoredHint, 'hint' | 'match_explain'>[] = hints ?? [{ hint, match_explain }];
  const blocks = found.map((one) => [
    ...valueLines(one.hint, name.key),
    ...matchLines(one.match_explain),
  ]);
  const all = more.length === 0 ? blocks : [...blocks, more];
  printText(io, all.map((lines) => lines.join('\n')).join('\n\n'));
  if (found.some((one) => one.hint.meta.sensitivity === 'secret')) {
    io.err('the value is a secret: --json shows it\n');
  }
}

/** The error of a method as it came; others have the form of `cue`. */
export function documentOf(error: unknown): object {
  return error instanceof RpcFailure ? { error: error.body } : errorDocument(error);
}

/**
 * The command without the reader of command lines, which takes half as long as all else.
 * @param argv beginning with `get`
 * @returns `null`: something that only the reader of command lines understands, or refuses
 */
export function quickGet(argv: readonly string[], io: Io): Promise<ExitCode> | null {
  const line = understood(argv.slice(1));
  if (line === null) return null;
  const { name, flags } = line;
  const { port, dataDir } = flags;
  return performGet(name, flags, { io: ioFor(io, () => dataDir), port: () => port }).catch(
    (error: unknown) => tellError(error, { name: 'nudge', argv, documentOf }, io),
  );
}

/** What every command of Nudge has, too. */
const PLAIN_FLAGS: Flags = [
  ...GET_FLAGS,
  ['port', '-p, --port <port>', '', 'port'],
  ['dataDir', '--data-dir <directory>', ''],
];

interface Line {
  name: HintName;
  flags: GetFlags & { port?: number; dataDir?: string };
}

function understood(words: readonly string[]): Line | null {
  try {
    const line = plainLine(words, PLAIN_FLAGS);
    if (line === null) return null;
    const [component, key, ...more] = line.operands;
    const flags: Line['flags'] = fieldsOf(PLAIN_FLAGS, line.given);
    const isClear = more.length === 0 && (flags.port === undefined || flags.dataDir === undefined);
    return component === undefined || key === undefined || !isClear
      ? null
      : { name: { component, key }, flags };
  } catch {
    // A number, say, that is none: told by the reader of command lines.
    return null;
  }
}
