/** `cue recall '…'` */
import { type Command, Option } from 'commander';
import type {
  ForgetResult,
  RecalledMemory,
  RecallResult,
  StoreResult,
} from '../../memory/index.js';
import { ageOf } from '../../shared/clock.js';
import { addServerOptions, answer, type FlagNames, type ServerFlags } from './answer.js';
import type { CommandContext } from './command-line.js';
import { FORGOTTEN_FIELDS, RECALLED_FIELDS, STORED_FIELDS } from './fields.js';
import { collect, DEPTH_WORDS, numberOf, TASK_TYPE_WORDS, wordsIn } from './flags.js';
import { parseJson } from './input.js';
import { badInput, EXIT, type Io } from './io.js';
import { counted, indented, oneLine } from './lines.js';
import { EXPORT_MS } from './transfer.js';

export const commands = { recall: defineRecall, store: defineStore, purge: definePurge };

interface RecallFlags {
  depth?: string;
  limit?: number;
  minConfidence?: number;
  session?: string;
  timezone?: string;
}

const RECALL_EXPLAINED = `
What is recalled:
  words                         cue recall refresh token
  file:auth.ts, mem_1f2e3d4c,   one of the references that offers print; also intent:, pattern:,
  session:last                  task:, tag:, agent:
  a whole printed line          cue recall 'recall("file:auth.ts", depth: "reasoning")'

Exit codes:
  0 found   1 failure, or no server   2 bad input   3 nothing found
`;

function defineRecall(recall: Command, context: CommandContext): void {
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
    .addHelpText('after', RECALL_EXPLAINED)
    .action(async (words: string[], flags: RecallFlags, command: Command) => {
      const ref = words.join(' ').trim();
      if (ref === '') throw badInput("say what to recall: cue recall 'refresh token'");
      const { depth, limit, minConfidence, timezone } = flags;
      const { session = context.io.env.CUE_SESSION_ID } = flags;
      await answer<RecallResult>(context, command, {
        ...{ method: 'POST', path: '/recall', query: { timezone } },
        ...{ field: 'memories', known: RECALLED_FIELDS },
        // Fields that are `undefined` are not sent.
        body: {
          ...{ ref, depth, limit, min_confidence: minConfidence },
          session_id: session || undefined,
        },
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
      });
    });
}

function memoryText({ memory_id, content, created_at, why }: RecalledMemory, nowMs: number) {
  const age = ageOf(Date.parse(created_at), nowMs);
  return [`${memory_id} (${age}; ${oneLine(why)})`, ...indented(content)].join('\n');
}

interface StoreFlags extends ServerFlags {
  intent?: string;
  taskType?: string;
  perception?: string;
  reasoning?: string;
  success?: true;
  /** Also with a reason: `--failure "clocks differ"`. */
  failure?: true | string;
  summary?: string;
  learning?: string[];
  tags?: string[];
  importance?: number;
  session?: string;
  agent?: string;
  remindWhen?: string[];
}

type ShortAction = Record<string, string>;

/** Of the fields that are not named like their flags. */
const STORE_FLAG_NAMES: FlagNames = {
  'intent.goal': '--intent',
  session_id: '--session',
  agent_id: '--agent',
  'outcome.learnings': '--learning',
  'outcome.failure_reason': '--failure',
  remind_when: '--remind-when',
};

const STORE_EXPLAINED = `
Without any of these flags the memory is read from standard input: JSON, in the short or the long form.

Examples:
  cue store --intent "Fix login failing after an hour" --edited src/auth.ts --passed "npm test" \\
    --success --learning "Clocks differ: leave a margin" --tags auth,jwt
  cue store < memory.json
`;

function defineStore(store: Command, context: CommandContext): void {
  const actions: ShortAction[] = [];
  /** In the order in which they were given. */
  const acting = (make: (text: string) => ShortAction) => (text: string) => {
    actions.push(make(text));
    return text;
  };
  const file = (operation: string) => acting((path) => ({ file: path, operation }));
  const ran = (result: string) => acting((line) => ({ command: line, result }));
  addServerOptions(store)
    .option('--intent <text>', 'what was to be done')
    .addOption(new Option('--task-type <type>', 'kind of work').choices(TASK_TYPE_WORDS))
    .option('--perception <text>', 'what was seen')
    .option('--reasoning <text>', 'which way was chosen, and why')
    .option('--edited <path>', 'a file; these six may be given several times', file('edit'))
    .option('--created <path>', 'a file', file('create'))
    .option('--deleted <path>', 'a file', file('delete'))
    .option('--read <path>', 'a file', file('read'))
    .option('--passed <command>', 'a command that went well', ran('pass'))
    .option('--failed <command>', 'a command that failed', ran('fail'))
    .option('--success', 'it was done')
    .option('--failure [reason]', 'it was not done')
    .option('--summary <text>', 'what came of it')
    .option('--learning <text>', 'what to know the next time; repeatable', collect)
    .option('--tags <words>', 'comma-separated', collect)
    .option('--importance <number>', '0 to 1 (0.5)', numberOf('--importance'))
    .option(
      '--remind-when <phrase>',
      'what somebody would say or do when this matters again; up to five times',
      collect,
    )
    .option('--session <id>', 'the session it belongs to')
    .option('--agent <id>', 'whose name stands under it')
    .addHelpText('after', STORE_EXPLAINED)
    .action(async (flags: StoreFlags, command: Command) => {
      await answer<StoreResult>(context, command, {
        ...{ method: 'POST', path: '/memories', field: 'memory_id' },
        ...{ known: STORED_FIELDS, of: (stored) => stored },
        body: await draftOf(flags, actions, context.io),
        flags: flags.intent === undefined ? null : STORE_FLAG_NAMES,
        text: ({ memory_id, links }) =>
          `✔ stored ${memory_id}${links > 0 ? `, ${links} linked` : ''}`,
        beside: ({ redacted = [], degraded }) => [
          ...redacted.map(({ kind, count }) => `taken out: ${oneLine(kind)} (${count})`),
          ...(degraded === undefined ? [] : [oneLine(degraded)]),
        ],
      });
    });
}

async function draftOf(flags: StoreFlags, actions: ShortAction[], io: Io): Promise<object> {
  const { json: _json, port: _port, dataDir: _directory, ...said } = flags;
  if (Object.keys(said).length === 0) return fromInput(await io.stdin());
  const { intent, taskType, perception, reasoning, success, failure, summary } = said;
  const { learning, tags, importance, session, agent, remindWhen } = said;
  if (intent === undefined) throw badInput('--intent says what was to be done');
  if (intent.trim() === '') throw badInput('--intent is empty: say what was to be done');
  if (success === undefined && failure === undefined) {
    throw badInput('say how it ended: --success or --failure');
  }
  if (success !== undefined && failure !== undefined) {
    throw badInput('choose one of --success and --failure: both were given');
  }
  // Fields that are `undefined` are not sent.
  return {
    intent: taskType === undefined ? intent : { goal: intent, task_type: taskType },
    ...{ perception, reasoning, importance, session_id: session, agent_id: agent },
    actions: actions.length === 0 ? undefined : actions,
    outcome: {
      success: success === true,
      ...{ summary, learnings: learning },
      failure_reason: typeof failure === 'string' ? failure : undefined,
    },
    tags: tags && wordsIn(tags),
    remind_when: remindWhen,
  };
}

function fromInput(text: string): object {
  if (text.trim() === '') {
    throw badInput(
      'say what was done: cue store --intent "…" --success, or JSON on standard input',
    );
  }
  const read = parseJson(text, 'standard input');
  if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read;
  throw badInput('standard input is no JSON object');
}

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

const PURGE_EXPLAINED = `
Without --yes nothing is forgotten: it is shown what would be. With it they are gone for good, with their
links; chapters and wisdom made from them are made anew from what remains. Several conditions hold together.

Exit codes:
  0 done   1 failure, or no server   2 bad input   3 nothing to forget
`;

/** Of one request. */
const MOST_FORGOTTEN = 10_000;

function definePurge(group: Command, context: CommandContext): void {
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
    .addHelpText('after', PURGE_EXPLAINED)
    .action(async (ids: string[], flags: PurgeFlags, command: Command) => {
      const body = { ...conditionsOf(ids, flags), dry_run: !flags.yes };
      await answer<ForgetResult>(context, command, {
        ...{ method: 'POST', path: '/forget', body, timeoutMs: EXPORT_MS, deletes: true },
        ...{ field: 'memory_ids', known: FORGOTTEN_FIELDS, of: (forgotten) => forgotten },
        text: forgottenText,
        beside: ({ total, dry_run }) => [
          ...(total === 0
            ? [`nothing matches that: nothing ${dry_run ? 'would be' : 'was'} forgotten`]
            : []),
          ...(dry_run && total > 0 ? ['nothing is forgotten yet: say it again with --yes'] : []),
          ...(total >= MOST_FORGOTTEN ? ['there may be more: run it again'] : []),
        ],
        code: ({ total }) => (total === 0 ? EXIT.notFound : EXIT.done),
      });
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

function forgottenText({ dry_run, total, memories, links, chapters, wisdom, kept }: ForgetResult) {
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
