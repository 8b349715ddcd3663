/** `nudge get`, `query`, `ls`, `bump` and `delete`. */
import type { Command } from 'commander';
import type { ComponentCount, DeleteResult, Hint, QueryResult } from '../../../hints/offline.js';
import type { CommandContext } from '../command-line.js';
import { collect, numberOf, wordsIn } from '../flags.js';
import { badInput, EXIT, printJson, printText } from '../io.js';
import { callServer } from './call.js';
import {
  addContextFlags,
  addScopeFlags,
  CONTEXT_EXPLAINED,
  type ContextFlags,
  contextOf,
  type ScopeFlags,
  saysContext,
  scopeOf,
} from './context-flags.js';
import { type GetFlags, performGet } from './get.js';

export const commands = {
  ...{ get: defineGet, query: defineQuery, ls: defineLs },
  ...{ delete: defineDelete, bump: defineBump },
};

function defineGet(command: Command, context: CommandContext): void {
  command.argument('<component>').argument('<key>');
  addContextFlags(command)
    .option('--limit <number>', 'so many of its variants, best first (1)', numberOf('--limit'))
    .option('--explain', 'also why the others are not eligible')
    .option('--raw', 'print the value alone, as it is, secrets too: $(nudge get api build --raw)')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', CONTEXT_EXPLAINED)
    .action(async (component: string, key: string, flags: GetFlags) =>
      context.end(await performGet({ component, key }, flags, context)),
    );
}

interface QueryFlags extends ContextFlags {
  component?: string;
  keys?: string[];
  tags?: string[];
  regex?: string;
  limit?: number;
  explain?: true;
  json?: true;
}

function defineQuery(command: Command, context: CommandContext): void {
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
    .action((flags: QueryFlags) => performQuery(flags, context));
}

/** Done: there are some. */
async function performQuery(flags: QueryFlags, context: CommandContext): Promise<void> {
  const { io, end } = context;
  const { component, keys, tags, regex, limit, explain, json } = flags;
  const params = {
    ...{ component, regex, limit },
    keys: keys && wordsIn(keys),
    tags: tags && wordsIn(tags),
    context: await contextOf(flags, io),
    explain: explain && 'all',
  };
  const result = await callServer<QueryResult>(context, 'query', params, { field: 'hints' });
  if (json) printJson(io, result);
  else await printFound(result, context);
  end(result.hints.length === 0 ? EXIT.notFound : EXIT.done);
}

async function printFound(
  { hints, others = [] }: QueryResult,
  { io }: CommandContext,
): Promise<void> {
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

/** All of a component: it has no more (seed §9), and a query answers no more. */
const LIMIT = 1_000;

function defineLs(command: Command, context: CommandContext): void {
  command
    .argument('[component]', 'its keys; without it, all components')
    .option('--json', 'print the result as JSON: of list_components, or of query')
    .action((component: string | undefined, { json = false }: { json?: boolean }) =>
      component === undefined ? listComponents(json, context) : listKeys(component, json, context),
    );
}

/** Done also where there is none. */
async function listComponents(json: boolean, context: CommandContext): Promise<void> {
  const { io, end } = context;
  type Counted = { components: ComponentCount[] };
  const options = { field: 'components' } as const;
  const result = await callServer<Counted>(context, 'list_components', {}, options);
  if (json) printJson(io, result);
  else {
    const { oneLine } = await import('./print-hint.js');
    const lines = result.components.map(
      ({ name, hint_count }) =>
        `${oneLine(name)}: ${hint_count} ${hint_count === 1 ? 'hint' : 'hints'}`,
    );
    if (lines.length > 0) printText(io, lines.join('\n'));
    else io.err('no hints yet: nudge set <component> <key> <value>\n');
  }
  end(EXIT.done);
}

/** Done: the component has keys, eligible here or not. */
async function listKeys(component: string, json: boolean, context: CommandContext): Promise<void> {
  const { io, end } = context;
  const params = { component, context: await contextOf({}, io), limit: LIMIT, explain: 'all' };
  const result = await callServer<QueryResult>(context, 'query', params, { field: 'hints' });
  const { hints, others = [] } = result;
  if (json) printJson(io, result);
  else if (hints.length + others.length === 0) io.err(`nudge: no component "${component}"\n`);
  else {
    const { oneLine, valueInLine } = await import('./print-hint.js');
    const lines = [...hints, ...others]
      // Stable: of one key what is eligible comes first, best first.
      .toSorted((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1))
      .map(({ key, hint, match_explain: { matched, reasons } }) => {
        const why = matched ? '' : ` (not eligible here: ${oneLine(reasons.join('; '))})`;
        return `${oneLine(key)}: ${valueInLine(hint, key)}${why}`;
      });
    printText(io, lines.join('\n'));
  }
  end(hints.length + others.length === 0 ? EXIT.notFound : EXIT.done);
}

interface BumpFlags extends ContextFlags, ScopeFlags {
  delta?: number;
  json?: true;
}

function defineBump(command: Command, context: CommandContext): void {
  command
    .argument('<component>')
    .argument('<key>')
    .option('--delta <number>', 'how often it has helped (1)', numberOf('--delta'));
  addContextFlags(addScopeFlags(command))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', CONTEXT_EXPLAINED)
    .action((component: string, key: string, flags: BumpFlags) =>
      performBump({ component, key }, flags, context),
    );
}

/** The variant that `get` gives here, or the one of the scope. */
async function performBump(
  name: { component: string; key: string },
  flags: BumpFlags,
  context: CommandContext,
): Promise<void> {
  const { io, end } = context;
  const scope = scopeOf(flags);
  if (scope !== undefined && saysContext(flags)) {
    throw badInput('give a scope or a context, not both');
  }
  const place = scope === undefined ? await contextOf(flags, io) : undefined;
  const params = { ...name, delta: flags.delta, scope, context: place };
  const result = await callServer<{ hint: Hint }>(context, 'bump', params, { field: 'hint' });
  if (flags.json) printJson(io, result);
  else {
    const { useLine } = await import('./print-hint.js');
    printText(io, useLine(result.hint, io.clock.now()));
  }
  end(EXIT.done);
}

interface DeleteFlags extends ContextFlags, ScopeFlags {
  here?: true;
  json?: true;
}

const DELETE_EXPLAINED = `
All variants of the key go, but with --scope-… only the one that has exactly this scope, and with --here
or a context only those that are eligible there; what is left out of a context is inferred.
`;

function defineDelete(command: Command, context: CommandContext): void {
  command.argument('<component>').argument('<key>');
  addContextFlags(addScopeFlags(command))
    .option('--here', 'only what is eligible here')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', DELETE_EXPLAINED)
    .action((component: string, key: string, flags: DeleteFlags) =>
      performDelete({ component, key }, flags, context),
    );
}

async function performDelete(
  name: { component: string; key: string },
  flags: DeleteFlags,
  context: CommandContext,
): Promise<void> {
  const { io, end } = context;
  const scope = scopeOf(flags);
  const isThere = flags.here === true || saysContext(flags);
  if (scope !== undefined && isThere) throw badInput('give a scope or a context, not both');
  const params = { ...name, scope, context: isThere ? await contextOf(flags, io) : undefined };
  const options = { field: 'deleted', deletes: true } as const;
  const result = await callServer<DeleteResult>(context, 'delete_hint', params, options);
  if (flags.json) printJson(io, result);
  else {
    const { hintName, indented, valueLines } = await import('./print-hint.js');
    const { previous_all: gone } = result;
    const [only] = gone;
    const what = gone.length === 1 && only ? `v${only.version}` : `${gone.length} variants`;
    const values = gone.flatMap((hint) => valueLines(hint, name.key));
    const lines = [`✔ deleted hint ${hintName(name)} (${what})`, ...indented(values)];
    printText(io, lines.join('\n'));
  }
  end(EXIT.done);
}
