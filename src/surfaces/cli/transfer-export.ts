/** `cue export` */
import { type Command, Option } from 'commander';
import { MINUTE_MS } from '../../shared/clock.js';
import type { CommandContext } from './command-line.js';
import { badInput, EXIT } from './exit-codes.js';
import { printJson } from './io.js';
import type { CommandGroup } from './program.js';
import { addServerOptions, ask } from './server-answer.js';

interface ExportFlags {
  format?: 'json' | 'jsonl';
  triggers?: true;
}

const EXPLAINED = `
JSON lines are printed as they come, however many they are. An export that breaks off ends with exit code
1 and is not complete.

Example:
  cue export > memories.jsonl
`;

export const EXPORT_MS = 10 * MINUTE_MS;

export const exportGroup: CommandGroup = { define };

function define(group: Command, context: CommandContext): void {
  addServerOptions(group)
    .addOption(
      new Option('--format <name>', 'of memories: JSON lines, or one document (jsonl)').choices([
        'jsonl',
        'json',
      ]),
    )
    .option('--triggers', 'the triggers, in place of memories, links, chapters and wisdom')
    .addHelpText('after', EXPLAINED)
    .action(async (flags: ExportFlags, command: Command) => {
      const { format = 'jsonl', triggers } = flags;
      const { io, end } = context;
      if (triggers) {
        if (flags.format === 'jsonl') throw badInput('triggers are exported as one document');
        const path = '/triggers/export';
        printJson(io, await ask(context, command, { path, field: 'triggers', ...slow }));
      } else if (format === 'json') {
        const query = { format };
        printJson(io, await ask(context, command, { path, query, field: 'memories', ...slow }));
      } else {
        await linesTo(context, command);
      }
      end(EXIT.done);
    });
}

const path = '/export';
const slow = { timeoutMs: EXPORT_MS };

async function linesTo(context: CommandContext, command: Command): Promise<void> {
  const { io } = context;
  const query = { format: 'jsonl' };
  await ask(context, command, { path, query, ...slow, onLines: (text) => io.out(text) });
}
