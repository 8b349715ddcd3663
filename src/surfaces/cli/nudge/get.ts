/** `nudge get <component> <key>`: an agent waits for it before each build. */
import type { GetResult, ScoredHint } from '../../../hints/offline.js';
import type { CommandContext } from '../command-line.js';
import { collect, numberOf, type PlainOption, plainLine, portOf } from '../flags.js';
import {
  badInput,
  EXIT,
  type ExitCode,
  type Io,
  ioFor,
  printJson,
  printText,
  tellError,
} from '../io.js';
import { callServer, documentOf } from './call.js';
import { type ContextFlags, contextOf } from './context-flags.js';
import type * as Words from './print-hint.js';

export interface GetFlags extends ContextFlags {
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
  const place = await contextOf(flags, io);
  const params = { ...name, context: place, limit, explain: explain && 'all' };
  // Loaded while the server works.
  const words = json ? null : import('./print-hint.js');
  const result = await callServer<GetResult>(context, 'get_hint', params, { field: 'hint' });
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

/** What the flags of a line say, and where it wants to be answered. */
interface Line {
  name: HintName;
  flags: GetFlags;
  port?: number;
  dataDir?: string;
}

/**
 * The command without the reader of command lines, which takes half as long as all else.
 * @param argv beginning with `get`
 * @returns `null`: something that only the reader of command lines understands, or refuses
 */
export function quickGet(argv: readonly string[], io: Io): Promise<ExitCode> | null {
  const line = understood(argv.slice(1));
  if (line === null) return null;
  const { name, flags, port, dataDir } = line;
  return performGet(name, flags, { io: ioFor(io, () => dataDir), port: () => port }).catch(
    (error: unknown) => tellError(error, { name: 'nudge', argv, documentOf }, io),
  );
}

function understood(words: readonly string[]): Line | null {
  try {
    return lineOf(words);
  } catch {
    // A number, say, that is none: told by the reader of command lines.
    return null;
  }
}

function lineOf(words: readonly string[]): Line | null {
  const line = plainLine(words, OPTIONS);
  if (line === null) return null;
  const [component, key, ...more] = line.operands;
  const { port, dataDir, ...flags } = line.given;
  const isClear = more.length === 0 && (port === undefined || dataDir === undefined);
  if (component === undefined || key === undefined || !isClear) return null;
  return { ...line.given, name: { component, key }, flags };
}

const text = (value: string): string => value;
const list = (value: string, before: unknown) => collect(value, before as string[] | undefined);
const OPTIONS: Readonly<Record<string, PlainOption>> = {
  '--json': ['json', null],
  '--raw': ['raw', null],
  '--explain': ['explain', null],
  '--limit': ['limit', numberOf('--limit')],
  '--port': ['port', portOf],
  '-p': ['port', portOf],
  '--data-dir': ['dataDir', text],
  '--cwd': ['cwd', text],
  '--repo': ['repo', text],
  '--branch': ['branch', text],
  '--os': ['os', text],
  '--env': ['env', list],
  '--files-open': ['filesOpen', list],
};
