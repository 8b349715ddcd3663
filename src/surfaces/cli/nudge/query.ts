/** `nudge query` */
import type { QueryResult } from '../../../hints/offline.js';
import { EXIT } from '../exit-codes.js';
import { collect, numberOf, wordsIn } from '../flag-words.js';
import { printJson, printText } from '../io.js';
import { callServer } from './call.js';
import type { NudgeCommand, NudgeContext } from './command.js';
import {
  addContextFlags,
  CONTEXT_EXPLAINED,
  type ContextFlags,
  contextOf,
} from './context-flags.js';

interface QueryFlags extends ContextFlags {
  component?: string;
  keys?: string[];
  tags?: string[];
  regex?: string;
  limit?: number;
  explain?: true;
  json?: true;
}

export const query: NudgeCommand = {
  define(command, context) {
    command
      .option('--component <name>', 'of this component')
      .option('--keys <names>', 'with one of these keys; comma-separated', collect)
      .option('--tags <words>', 'with all of these tags; comma-separated', collect)
      .option('--regex <pattern>', 'on key, value and tags');
    addContextFlags(command)
      .option('--limit <number>', 'at most so many (10)', numberOf('--limit'))
      .option('--explain', 'also those that are not eligible, and why')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', CONTEXT_EXPLAINED)
      .action((flags: QueryFlags) => perform(flags, context));
  },
};

/** Done: there are some. */
async function perform(flags: QueryFlags, context: NudgeContext): Promise<void> {
  const { io, end } = context;
  const { component, keys, tags, regex, limit, explain, json } = flags;
  const params = {
    ...(component === undefined ? {} : { component }),
    ...(keys === undefined ? {} : { keys: wordsIn(keys) }),
    ...(tags === undefined ? {} : { tags: wordsIn(tags) }),
    ...(regex === undefined ? {} : { regex }),
    context: await contextOf(flags, io),
    ...(limit === undefined ? {} : { limit }),
    ...(explain ? { explain: 'all' } : {}),
  };
  const result = await callServer<QueryResult>(context, 'query', params, { field: 'hints' });
  if (json) printJson(io, result);
  else await print(result, context);
  end(result.hints.length === 0 ? EXIT.notFound : EXIT.done);
}

async function print({ hints, others = [] }: QueryResult, { io }: NudgeContext): Promise<void> {
  const { hintName, indented, matchLines, otherLines, valueLines } = await import(
    './print-hint.js'
  );
  const blocks = hints.map((one) => [
    hintName(one),
    ...indented([...valueLines(one.hint, one.key), ...matchLines(one.match_explain)]),
  ]);
  const more = otherLines(others, true);
  const all = more.length === 0 ? blocks : [...blocks, more];
  if (all.length > 0) printText(io, all.map((lines) => lines.join('\n')).join('\n\n'));
  if (hints.length === 0) io.err('nudge: no hint fits here\n');
}
