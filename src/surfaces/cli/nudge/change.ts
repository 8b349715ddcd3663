/** `nudge bump <component> <key>` */
import type { Command } from 'commander';
import type { DeleteResult, Hint } from '../../../hints/offline.js';
import type { CommandContext } from '../command-line.js';
import { numberOf } from '../flags.js';
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

export const commands = { delete: defineDelete, bump: defineBump };

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
