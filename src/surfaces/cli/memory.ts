/** `cue recall`, `cue store` and `cue purge`. */
import type {
  ForgetResult,
  RecalledMemory,
  RecallResult,
  StoreResult,
} from '../../memory/index.js';
import { ageOf } from '../../shared/clock.js';
import { isObject } from '../../shared/json.js';
import type { DefineCommand } from './command-line.js';
import { FORGOTTEN_FIELDS, RECALLED_FIELDS, STORED_FIELDS } from './fields.js';
import { DEPTH_WORDS, type Flag, TASK_TYPE_WORDS } from './flags.js';
import { parseJson } from './input.js';
import { badInput, EXIT } from './io.js';
import { counted, degradedWords, indented, oneLine, redactedWords } from './lines.js';
import { serverCommand } from './request.js';
import { EXPORT_MS } from './transfer.js';

const RECALL_EXPLAINED = `
What is recalled:
  words                         cue recall refresh token
  file:auth.ts, mem_1f2e3d4c,   one of the references that offers print; also intent:, pattern:,
  session:last                  task:, tag:, agent:
  a whole printed line          cue recall 'recall("file:auth.ts", depth: "reasoning")'

Exit codes:
  0 found   1 failure, or no server   2 bad input   3 nothing found
`;

const recall = serverCommand<RecallResult>({
  args: { '<words...>': '' },
  flags: [
    ['depth', '--depth <depth>', 'how much of each (outcome)', DEPTH_WORDS],
    ['limit', '--limit <number>', 'how many (5)', 'number'],
    [
      'min_confidence',
      '--min-confidence <number>',
      '0 to 1; 0 also shows what is hardly like it',
      'number',
    ],
    ['session_id', '--session <id>', 'the session that asks: session:last is the one before it'],
    ['timezone', '--timezone <name>', 'in which "yesterday" is read'],
  ],
  after: RECALL_EXPLAINED,
  ask({ id, fields: { timezone, session_id, ...body } }, { io }) {
    const ref = id.trim();
    if (ref === '') throw badInput("say what to recall: cue recall 'refresh token'");
    const session = session_id ?? io.env.CUE_SESSION_ID;
    return {
      ...{ method: 'POST', path: '/recall', query: { timezone } },
      // Fields that are `undefined` are not sent.
      body: { ref, ...body, session_id: session || undefined },
      ...{ field: 'memories', known: RECALLED_FIELDS },
      text: ({ memories }) =>
        memories.map((memory) => memoryText(memory, io.clock.now())).join('\n\n'),
      beside: ({ memories, total_matches, degraded }) => [
        ...(memories.length === 0 ? ['nothing is remembered of that'] : []),
        ...(total_matches > memories.length && memories.length > 0
          ? [`${memories.length} of ${total_matches}; more: --limit`]
          : []),
        ...degradedWords(degraded),
      ],
      code: ({ memories }) => (memories.length === 0 ? EXIT.notFound : EXIT.done),
    };
  },
});

function memoryText({ memory_id, content, created_at, why }: RecalledMemory, nowMs: number) {
  const age = ageOf(Date.parse(created_at), nowMs);
  return [`${memory_id} (${age}; ${oneLine(why)})`, ...indented(content)].join('\n');
}

const STORE_EXPLAINED = `
Without any of these flags the memory is read from standard input: JSON, in the short or the long form.

Examples:
  cue store --intent "Fix login failing after an hour" --edited src/auth.ts --passed "npm test" \\
    --success --learning "Clocks differ: leave a margin" --tags auth,jwt
  cue store < memory.json
`;

/** What `store` is told of the work in its flags. */
interface Work {
  intent?: { goal?: string; task_type?: string };
  outcome?: { success?: true; failure_reason?: true | string };
  actions?: object[];
}

/** In the order in which they were given; these options share one list, whatever their names are. */
function actionFlags(actions: object[]): Flag[] {
  const acting = (written: string, about: string, make: (text: string) => object): Flag => {
    const add = (text: string) => {
      actions.push(make(text));
      return actions;
    };
    return ['actions', written, about, add];
  };
  const file = (written: string, operation: string, about = 'a file') =>
    acting(written, about, (path) => ({ file: path, operation }));
  const ran = (written: string, result: string, about: string) =>
    acting(written, about, (line) => ({ command: line, result }));
  return [
    file('--edited <path>', 'edit', 'a file; these six may be given several times'),
    file('--created <path>', 'create'),
    file('--deleted <path>', 'delete'),
    file('--read <path>', 'read'),
    ran('--passed <command>', 'pass', 'a command that went well'),
    ran('--failed <command>', 'fail', 'a command that failed'),
  ];
}

const store: DefineCommand = (command, context) =>
  serverCommand<StoreResult, Work>({
    flags: [
      ['intent.goal', '--intent <text>', 'what was to be done'],
      ['intent.task_type', '--task-type <type>', 'kind of work', TASK_TYPE_WORDS],
      ['perception', '--perception <text>', 'what was seen'],
      ['reasoning', '--reasoning <text>', 'which way was chosen, and why'],
      ...actionFlags([]),
      ['outcome.success', '--success', 'it was done'],
      ['outcome.failure_reason', '--failure [reason]', 'it was not done'],
      ['outcome.summary', '--summary <text>', 'what came of it'],
      ['outcome.learnings', '--learning <text>', 'what to know the next time; repeatable', 'texts'],
      ['tags', '--tags <words>', 'comma-separated', 'words'],
      ['importance', '--importance <number>', '0 to 1 (0.5)', 'number'],
      [
        'remind_when',
        '--remind-when <phrase>',
        'what somebody would say or do when this matters again; up to five times',
        'texts',
      ],
      ['session_id', '--session <id>', 'the session it belongs to'],
      ['agent_id', '--agent <id>', 'whose name stands under it'],
    ],
    after: STORE_EXPLAINED,
    ask: async ({ fields }, { io }) => {
      const isAsGiven = Object.keys(fields).length === 0;
      return {
        ...{ method: 'POST', path: '/memories', isAsGiven },
        body: isAsGiven ? fromInput(await io.stdin()) : draftOf(fields),
        ...{ field: 'memory_id', known: STORED_FIELDS, of: (stored) => stored },
        text: ({ memory_id, links }) =>
          `✔ stored ${memory_id}${links > 0 ? `, ${links} linked` : ''}`,
        beside: ({ redacted, degraded }) => [
          ...redactedWords(redacted),
          ...degradedWords(degraded),
        ],
      };
    },
  })(command, context);

/** @throws AppError INVALID_INPUT where it is not said what was to be done, or how it ended */
function draftOf({ intent: { goal, task_type } = {}, outcome = {}, ...work }: Work): object {
  const { success, failure_reason: failure, ...ended } = outcome;
  if (goal === undefined) throw badInput('--intent says what was to be done');
  if (goal.trim() === '') throw badInput('--intent is empty: say what was to be done');
  if (success === undefined && failure === undefined) {
    throw badInput('say how it ended: --success or --failure');
  }
  if (success !== undefined && failure !== undefined) {
    throw badInput('choose one of --success and --failure: both were given');
  }
  const failure_reason = failure === true ? undefined : failure;
  return {
    ...{ intent: task_type === undefined ? goal : { goal, task_type } },
    ...{ ...work, outcome: { ...ended, success: success === true, failure_reason } },
  };
}

function fromInput(text: string): object {
  if (text.trim() === '') {
    throw badInput(
      'say what was done: cue store --intent "…" --success, or JSON on standard input',
    );
  }
  const read = parseJson(text, 'standard input');
  if (isObject(read)) return read;
  throw badInput('standard input is no JSON object');
}

const PURGE_EXPLAINED = `
Without --yes nothing is forgotten: it is shown what would be. With it they are gone for good, with their
links; chapters and wisdom made from them are made anew from what remains. Several conditions hold together.

Exit codes:
  0 done   1 failure, or no server   2 bad input   3 nothing to forget
`;

/** Of one request. */
const MOST_FORGOTTEN = 10_000;

const purge = serverCommand<ForgetResult>({
  args: { '[memory...]': 'mem_…' },
  flags: [
    ['query', '--query <words>', 'those with all of these words'],
    ['file', '--file <path>', 'those of a file'],
    ['tags', '--tags <words>', 'comma-separated', 'words'],
    ['session_id', '--session <id>', 'those of a session'],
    ['agent_id', '--agent <id>', 'those that an agent wrote'],
    ['entity_id', '--person <id>', 'those made with a person, by the id of the entity'],
    ['task_type', '--task-type <type>', 'kind of work', TASK_TYPE_WORDS],
    ['since', '--since <time>', 'ISO time'],
    ['before', '--before <time>', 'ISO time'],
    ['success_only', '--success-only', 'what went well'],
    ['failures_only', '--failures-only', 'what failed'],
    ['all', '--all', 'all there is'],
    ['dry_run', '--yes', 'forget them', false],
  ],
  after: PURGE_EXPLAINED,
  ask: ({ words, fields }) => ({
    ...{ method: 'POST', path: '/forget', timeoutMs: EXPORT_MS, deletes: true },
    body: { memory_ids: words.length === 0 ? undefined : words, dry_run: true, ...fields },
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
  }),
});

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

export const commands = { recall, store, purge };
