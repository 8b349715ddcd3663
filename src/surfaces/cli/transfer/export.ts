/** `cue export` */
import { type Command, Option } from 'commander';
import { MINUTE_MS } from '../../../shared/clock.js';
import type { CommandContext, CommandGroup } from '../command-line.js';
import { badInput, EXIT } from '../exit-codes.js';
import { escapedJson, printJson } from '../io.js';
import { addServerOptions, ask } from '../server/answer.js';

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

const MEMORIES = '/export';
const slow = { timeoutMs: EXPORT_MS };

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
        const asked = { path: '/triggers/export', field: 'triggers', ...slow } as const;
        printJson(io, await ask<{ triggers: unknown }>(context, command, asked));
      } else if (format === 'json') {
        const asked = { path: MEMORIES, query: { format }, field: 'memories', ...slow } as const;
        printJson(io, await ask<{ memories: unknown }>(context, command, asked));
      } else {
        await linesTo(context, command);
      }
      end(EXIT.done);
    });
}

async function linesTo(context: CommandContext, command: Command): Promise<void> {
  const { io } = context;
  const query = { format: 'jsonl' };
  const onLines = (text: string): void => io.out(escapedJson(text));
  const asked = { path: MEMORIES, query, onLines, field: 'lines', ...slow } as const;
  await ask<{ lines: true }>(context, command, asked);
}
