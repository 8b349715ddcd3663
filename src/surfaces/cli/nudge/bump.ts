/** `nudge bump <component> <key>` */
import type { Hint } from '../../../hints/offline.js';
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
  saysContext,
} from './context-flags.js';
import { addScopeFlags, type ScopeFlags, scopeOf } from './scope-flags.js';

interface BumpFlags extends ContextFlags, ScopeFlags {
  delta?: number;
  json?: true;
}

export const bump: NudgeCommand = {
  define(command, context) {
    command
      .argument('<component>')
      .argument('<key>')
      .option('--delta <number>', 'how often it has helped (1)', numberOf('--delta'));
    addContextFlags(addScopeFlags(command))
      .option('--json', 'print the result as JSON')
      .addHelpText('after', CONTEXT_EXPLAINED)
      .action((component: string, key: string, flags: BumpFlags) =>
        perform({ component, key }, flags, context),
      );
  },
};

/** The variant that `get` gives here, or the one of the scope. */
async function perform(
  name: { component: string; key: string },
  flags: BumpFlags,
  context: NudgeContext,
): Promise<void> {
  const { io, end } = context;
  const scope = scopeOf(flags);
  if (scope !== undefined && saysContext(flags)) {
    throw badInput('give a scope or a context, not both');
  }
  const params = {
    ...name,
    ...(flags.delta === undefined ? {} : { delta: flags.delta }),
    ...(scope === undefined ? { context: await contextOf(flags, io) } : { scope }),
  };
  const result = await callServer<{ hint: Hint }>(context, 'bump', params, { field: 'hint' });
  if (flags.json) printJson(io, result);
  else {
    const { useLine } = await import('./print-hint.js');
    printText(io, useLine(result.hint, io.clock.now()));
  }
  end(EXIT.done);
}
