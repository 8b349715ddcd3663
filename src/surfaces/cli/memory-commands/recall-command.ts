/** `cue recall '…'` */
import { type Command, Option } from 'commander';
import type { RecalledMemory, RecallResult } from '../../../memory/index.js';
import { ageOf } from '../../../shared/ages.js';
import { DEPTH_WORDS } from '../choices.js';
import type { CommandContext, CommandGroup } from '../command-line.js';
import { badInput, EXIT } from '../exit-codes.js';
import { numberOf } from '../flag-words.js';
import { indented, oneLine } from '../lines.js';
import { addServerOptions, answer } from '../server/answer.js';

interface RecallFlags {
  depth?: string;
  limit?: number;
  minConfidence?: number;
  session?: string;
  timezone?: string;
}

const EXPLAINED = `
What is recalled:
  words                         cue recall refresh token
  file:auth.ts, mem_1f2e3d4c,   one of the references that offers print; also intent:, pattern:,
  session:last                  task:, tag:, agent:
  a whole printed line          cue recall 'recall("file:auth.ts", depth: "reasoning")'

Exit codes:
  0 found   1 failure, or no server   2 bad input   3 nothing found
`;

export const recallGroup: CommandGroup = { define };

function define(recall: Command, context: CommandContext): void {
  addServerOptions(recall)
    .argument('<words...>')
    .addOption(new Option('--depth <depth>', 'how much of each (outcome)').choices(DEPTH_WORDS))
    .option('--limit <number>', 'how many (5)', numberOf('--limit'))
    .option(
      '--min-confidence <number>',
      '0 to 1; 0 also shows what is hardly like it',
      numberOf('--min-confidence'),
    )
    .option('--session <id>', 'the session that asks: session:last is the one before it')
    .option('--timezone <name>', 'in which "yesterday" is read')
    .addHelpText('after', EXPLAINED)
    .action(async (words: string[], flags: RecallFlags, command: Command) => {
      const ref = words.join(' ').trim();
      if (ref === '') throw badInput("say what to recall: cue recall 'refresh token'");
      const { depth, limit, minConfidence, timezone } = flags;
      const { session = context.io.env.CUE_SESSION_ID } = flags;
      await answer<RecallResult>(
        context,
        command,
        {
          ...{ method: 'POST', path: '/recall', query: { timezone }, field: 'memories' },
          // Fields that are `undefined` are not sent.
          body: {
            ...{ ref, depth, limit, min_confidence: minConfidence },
            session_id: session || undefined,
          },
        },
        {
          text: ({ memories }) =>
            memories.map((memory) => memoryText(memory, context.io.clock.now())).join('\n\n'),
          beside: ({ memories, total_matches, degraded }) => [
            ...(memories.length === 0 ? ['nothing is remembered of that'] : []),
            ...(total_matches > memories.length && memories.length > 0
              ? [`${memories.length} of ${total_matches}; more: --limit`]
              : []),
            ...(degraded === undefined ? [] : [oneLine(degraded)]),
          ],
          code: ({ memories }) => (memories.length === 0 ? EXIT.notFound : EXIT.done),
        },
      );
    });
}

function memoryText({ memory_id, content, created_at, why }: RecalledMemory, nowMs: number) {
  const age = ageOf(Date.parse(created_at), nowMs);
  return [`${memory_id} (${age}; ${oneLine(why)})`, ...indented(content)].join('\n');
}
