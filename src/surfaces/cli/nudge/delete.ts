/** `nudge delete <component> <key>` */
import type { DeleteResult } from '../../../hints/offline.js';
import { badInput, EXIT } from '../exit-codes.js';
import { printJson, printText } from '../io.js';
import { callServer } from './call.js';
import type { NudgeCommand, NudgeContext } from './command.js';
import { addContextFlags, type ContextFlags, contextOf, saysContext } from './context-flags.js';
import { addScopeFlags, type ScopeFlags, scopeOf } from './scope-flags.js';

interface DeleteFlags extends ContextFlags, ScopeFlags {
  here?: true;
  json?: true;
}

const EXPLAINED = `
All variants of the key go, but with --scope-… only the one that has exactly this scope, and with --here
or a context only those that are eligible there; what is left out of a context is inferred.
`;

export const remove: NudgeCommand = {
  define(command, context) {
    command.argument('<component>').argument('<key>');
    addContextFlags(addScopeFlags(command))
      .option('--here', 'only what is eligible here')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', EXPLAINED)
      .action((component: string, key: string, flags: DeleteFlags) =>
        perform({ component, key }, flags, context),
      );
  },
};

async function perform(
  name: { component: string; key: string },
  flags: DeleteFlags,
  context: NudgeContext,
): Promise<void> {
  const { io, end } = context;
  const scope = scopeOf(flags);
  const isThere = flags.here === true || saysContext(flags);
  if (scope !== undefined && isThere) throw badInput('give a scope or a context, not both');
  const params = {
    ...name,
    ...(scope === undefined ? {} : { scope }),
    ...(isThere ? { context: await contextOf(flags, io) } : {}),
  };
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
