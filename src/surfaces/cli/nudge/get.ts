/** `nudge get <component> <key>` */
import type { GetResult, ScoredHint } from '../../../hints/offline.js';
import { badInput, EXIT } from '../exit-codes.js';
import { numberOf } from '../flag-words.js';
import { printJson, printText } from '../io.js';
import { callServer } from './call.js';
import type { NudgeCommand, NudgeContext } from './command.js';
import {
  addContextFlags,
  CONTEXT_EXPLAINED,
  type ContextFlags,
  contextOf,
} from './context-flags.js';
import type * as Words from './print-hint.js';

interface GetFlags extends ContextFlags {
  limit?: number;
  explain?: true;
  raw?: true;
  json?: true;
}

export const get: NudgeCommand = {
  define(command, context) {
    command.argument('<component>').argument('<key>');
    addContextFlags(command)
      .option('--limit <number>', 'so many of its variants, best first (1)', numberOf('--limit'))
      .option('--explain', 'also why the others are not eligible')
      .option('--raw', 'print the value alone, as it is, secrets too: $(nudge get api build --raw)')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', CONTEXT_EXPLAINED)
      .action((component: string, key: string, flags: GetFlags) =>
        perform({ component, key }, flags, context),
      );
  },
};

/** Done: one is eligible. */
async function perform(
  name: { component: string; key: string },
  flags: GetFlags,
  context: NudgeContext,
): Promise<void> {
  const { io, end } = context;
  const { limit, explain, raw, json } = flags;
  if (raw && (json || explain || limit !== undefined)) {
    throw badInput('--raw prints one value: it goes without --json, --explain and --limit');
  }
  const params = {
    ...name,
    context: await contextOf(flags, io),
    ...(limit === undefined ? {} : { limit }),
    ...(explain ? { explain: 'all' } : {}),
  };
  // Loaded while the server works.
  const words = json ? null : import('./print-hint.js');
  const result = await callServer<GetResult>(context, 'get_hint', params, { field: 'hint' });
  if (words === null) printJson(io, result);
  else if (raw && result.hint !== null) {
    const { printedValue } = await import('../../../hints/offline.js');
    printText(io, printedValue(result.hint.value));
  } else print(name, result, context, await words);
  end(result.hint === null ? EXIT.notFound : EXIT.done);
}

function print(
  name: { component: string; key: string },
  { hint, hints, match_explain, others = [] }: GetResult,
  { io }: NudgeContext,
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
