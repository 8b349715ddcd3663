/** `cue purge`: forgets memories; without --yes it only shows which. */
import { type Command, Option } from 'commander';
import type { ForgetResult } from '../../../memory/index.js';
import { TASK_TYPE_WORDS } from '../choices.js';
import type { CommandContext, CommandGroup } from '../command-line.js';
import { EXIT } from '../exit-codes.js';
import { collect, wordsIn } from '../flag-words.js';
import { counted, oneLine } from '../lines.js';
import { addServerOptions, answer } from '../server/answer.js';
import { EXPORT_MS } from './export.js';

interface PurgeFlags {
  query?: string;
  file?: string;
  tags?: string[];
  session?: string;
  agent?: string;
  person?: string;
  taskType?: string;
  since?: string;
  before?: string;
  successOnly?: true;
  failuresOnly?: true;
  all?: true;
  yes?: true;
}

const EXPLAINED = `
Without --yes nothing is forgotten: it is shown what would be. With it they are gone for good, with their
links; chapters and wisdom made from them are made anew from what remains. Several conditions hold together.

Exit codes:
  0 done   1 failure, or no server   2 bad input   3 nothing to forget
`;

/** Of one request. */
const MOST_FORGOTTEN = 10_000;

export const purgeGroup: CommandGroup = { define };

function define(group: Command, context: CommandContext): void {
  addServerOptions(group)
    .argument('[memory...]', 'mem_…')
    .option('--query <words>', 'those with all of these words')
    .option('--file <path>', 'those of a file')
    .option('--tags <words>', 'comma-separated', collect)
    .option('--session <id>', 'those of a session')
    .option('--agent <id>', 'those that an agent wrote')
    .option('--person <id>', 'those made with a person, by the id of the entity')
    .addOption(new Option('--task-type <type>', 'kind of work').choices(TASK_TYPE_WORDS))
    .option('--since <time>', 'ISO time')
    .option('--before <time>', 'ISO time')
    .option('--success-only', 'what went well')
    .option('--failures-only', 'what failed')
    .option('--all', 'all there is')
    .option('--yes', 'forget them')
    .addHelpText('after', EXPLAINED)
    .action(async (ids: string[], flags: PurgeFlags, command: Command) => {
      const body = { ...conditionsOf(ids, flags), dry_run: !flags.yes };
      await answer<ForgetResult>(
        context,
        command,
        {
          ...{ method: 'POST', path: '/forget', body, timeoutMs: EXPORT_MS, field: 'memory_ids' },
          deletes: true,
        },
        {
          text: textOf,
          beside: ({ total, dry_run }) => [
            ...(total === 0
              ? [`nothing matches that: nothing ${dry_run ? 'would be' : 'was'} forgotten`]
              : []),
            ...(dry_run && total > 0 ? ['nothing is forgotten yet: say it again with --yes'] : []),
            ...(total >= MOST_FORGOTTEN ? ['there may be more: run it again'] : []),
          ],
          code: ({ total }) => (total === 0 ? EXIT.notFound : EXIT.done),
        },
      );
    });
}

/** Fields that are `undefined` are not sent. */
function conditionsOf(ids: readonly string[], flags: PurgeFlags): object {
  const { query, file, tags, session, agent, person, taskType, since, before, all } = flags;
  return {
    memory_ids: ids.length === 0 ? undefined : ids,
    ...{ query, file, since, before, all },
    tags: tags && wordsIn(tags),
    session_id: session,
    agent_id: agent,
    entity_id: person,
    task_type: taskType,
    success_only: flags.successOnly,
    failures_only: flags.failuresOnly,
  };
}

function textOf({ dry_run, total, memories, links, chapters, wisdom, kept }: ForgetResult) {
  const verb = dry_run ? 'would forget' : '✔ forgot';
  const anew = [
    ...(links === 0 ? [] : [counted(links, 'link')]),
    ...(chapters === 0 ? [] : [`${counted(chapters, 'chapter')} made anew`]),
    ...(wisdom === 0 ? [] : [`${wisdom} of wisdom made anew`]),
  ];
  return [
    ...(total === 0
      ? []
      : [`${verb} ${[counted(total, 'memory', 'memories'), ...anew].join(', ')}`]),
    ...memories.map(({ memory_id, content }) => `  ${memory_id}: ${oneLine(content)}`),
    ...(total > memories.length ? [`  and ${total - memories.length} more`] : []),
    ...(kept === 0 ? [] : [`${counted(kept, 'more is', 'more are')} not yours, and stay`]),
  ].join('\n');
}
