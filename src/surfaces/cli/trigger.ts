/** `cue trigger …` and `cue runs`: each command is one request; how triggers are printed is loaded when one comes. */
import { isAppError } from '../../shared/errors.js';
import type {
  Explanation,
  NamedRun,
  SchedulePreview,
  TriggerRun,
  TriggerSummary,
} from '../../triggers/index.js';
import {
  type Asked,
  addServerOptions,
  ask,
  pathSegment,
  type ServerFlags,
  tell,
} from './answer.js';
import type { CommandContext, DefineCommand } from './command-line.js';
import { mustBeFields, RUN_FIELDS, TRIGGER_FIELDS } from './fields.js';
import { type Flags, PAGE_FLAGS, RUN_STATUS_WORDS, TRIGGER_STATE_WORDS } from './flags.js';
import { badInput, EXIT } from './io.js';
import { oneLine } from './lines.js';
import { type ListRequest, WATCH_FLAG } from './list.js';
import { type Query, requestCommand, serverGroup } from './request.js';

const EXPLAINED = `
Examples:
  cue trigger create every friday at 5pm: send the weekly report
  cue trigger create --cron "0 9 * * 1-5" --timezone Europe/Vienna summarize my inbox
  cue trigger list --state paused

Exit codes:
  0 done   1 failure, no server, or the run has failed   2 bad input   3 there is no such trigger
`;

/** What a server lets callers wait for a run, and the longest that it takes to answer besides. */
const MAX_WAIT_S = 20;
const ANSWER_MS = 5_000;

const NAMED = 'its id, the first eight digits of it, or its name';
const OF_ONE = { '<trigger...>': NAMED };
const THE_TRIGGER = { field: 'trigger', known: TRIGGER_FIELDS } as const;
const OF_RUNS = { field: 'runs', known: RUN_FIELDS } as const;

interface One {
  trigger: TriggerSummary;
}
interface OneRun {
  run: NamedRun;
  trigger: TriggerSummary | null;
}
type Watching = Query & { watch?: true };

const print = () => import('./trigger-text.js');

/** @throws AppError INVALID_INPUT for what cannot be an id */
function pathOf(id: string): string {
  return `/triggers/${pathSegment(id, { what: 'trigger', list: 'cue trigger list' })}`;
}

function watchedRuns(isOurs: (run: TriggerRun) => boolean): ListRequest<TriggerRun>['watched'] {
  const keyOf = ({ triggerRunId, status, attempt }: TriggerRun) =>
    `${triggerRunId} ${status} ${attempt}`;
  return { type: 'run', keyOf, isOurs, filters: true };
}

const list = requestCommand({
  about: 'triggers, newest first',
  flags: [
    ['state', '--state <state>', 'only those', TRIGGER_STATE_WORDS],
    ['q', '--search <text>', 'only those with these words'],
    ...PAGE_FLAGS,
  ],
  ask: ({ fields }, { io }) => ({
    ...{ path: '/triggers', query: { ...fields, order: 'soonest' } },
    ...{ field: 'triggers', known: TRIGGER_FIELDS, none: 'no triggers' },
    table: async () => (await print()).triggerTable(io),
  }),
});

const show = requestCommand<One>({
  ...{ about: 'all of one trigger', args: OF_ONE },
  ask: ({ id }) => ({
    ...{ path: pathOf(id), ...THE_TRIGGER },
    text: async ({ trigger }) => (await print()).triggerText(trigger),
  }),
});

const runs = requestCommand<never, Watching>({
  about: 'the history of a trigger, newest first; it outlives the trigger',
  args: OF_ONE,
  flags: [...PAGE_FLAGS, WATCH_FLAG],
  async ask({ id, fields: { watch, ...query } }, context, command) {
    const triggerId = watch && (await idOf(id, context, command));
    return {
      ...{ path: `${pathOf(id)}/runs`, query, ...OF_RUNS, none: 'it has not run yet' },
      table: async () => (await print()).runTable(context.io),
      watched:
        triggerId === undefined ? undefined : watchedRuns((run) => run.triggerId === triggerId),
    };
  },
});

/** Of one that is gone, what was said. */
async function idOf(id: string, ...asking: [CommandContext, Parameters<typeof ask>[1]]) {
  const found = await ask<One>(...asking, { path: pathOf(id), field: 'trigger' }).catch(
    (error: unknown) => {
      if (isAppError(error) && error.code === 'NOT_FOUND') return null;
      throw error;
    },
  );
  return found?.trigger.id ?? id.toLowerCase();
}

const explain = requestCommand<Explanation>({
  ...{ about: 'why it did or did not run', args: OF_ONE },
  ask: ({ id }) => ({
    ...{ path: `${pathOf(id)}/why`, field: 'reasons' },
    text: ({ reasons }) => reasons.map(oneLine).join('\n'),
  }),
});

const TEXT_EXPLAINED = `
Text:
  When, and what to do, in English, read without a model: "every friday at 5pm: send the report". Where a
  time alone stands in front of the first colon, all behind it is what to do. --cron, --at and --interval-ms
  say when exactly; then all of the text is what to do.
`;

const SCHEDULE_FLAGS: Flags = [
  ['schedule.cronExpression', '--cron <expression>', 'when, as cron: "0 17 * * 5"'],
  ['schedule.scheduledAtIso', '--at <time>', 'once, as an ISO time with its zone'],
  ['schedule.intervalMs', '--interval-ms <number>', 'again and again', 'number'],
  ['timezone', '--timezone <name>', 'in which times are read: Europe/Vienna'],
];
const KINDS = { cronExpression: 'cron', scheduledAtIso: 'once', intervalMs: 'interval' } as const;

const WAKE_MODES = ['inject_now', 'next_autonomy_cycle'];
const DRAFT_FLAGS: Flags = [
  ...SCHEDULE_FLAGS,
  ['instructions', '--instructions <text>', 'what to do, word for word'],
  ['displayName', '--name <text>', 'what it is called'],
  ['off', '--disable', 'it does not run', true],
  ['wakeMode', '--wake <mode>', 'at once, or when the autonomy loop comes round', WAKE_MODES],
  ['deliverTo.roomId', '--deliver-to <room>', 'id of the room that gets the answer'],
  ['maxRuns', '--max-runs <number>', 'it is removed after so many', 'number'],
  [
    'missedRunPolicy.mode',
    '--missed <mode>',
    'what becomes of runs that were missed',
    ['skip', 'once', 'all'],
  ],
  ['overlapPolicy', '--overlap <mode>', 'when it is due while it still runs', ['skip', 'queue']],
  ['timeoutMs', '--timeout-ms <number>', 'of one run', 'number'],
  ['maxFailures', '--max-failures <number>', 'it is paused after so many in a row', 'number'],
];

/** What is said of a trigger in flags. */
interface Draft {
  schedule?: Partial<Record<keyof typeof KINDS, string | number>>;
  instructions?: string;
  /** `--disable`, `--enable` */
  off?: true;
  on?: true;
  [field: string]: unknown;
}

/** `text`, or what stands in its place; only what was said. @throws AppError INVALID_INPUT for what contradicts itself */
function draftOf(words: readonly string[], said: Draft): Record<string, unknown> {
  const { schedule = {}, off, on, ...fields } = said;
  const text = words.join(' ').trim();
  const [kind, ...others] = Object.keys(schedule) as (keyof typeof KINDS)[];
  if (off && on) throw badInput('give --enable or --disable, not both');
  if (others.length > 0) throw badInput('give one of --cron, --at and --interval-ms');
  const isTask = kind !== undefined && text !== '';
  if (isTask && fields.instructions !== undefined) {
    throw badInput('say what to do as text or with --instructions, not both');
  }
  return {
    ...(text === '' ? {} : { [isTask ? 'instructions' : 'text']: text }),
    ...fields,
    ...(kind && { schedule: { triggerType: KINDS[kind], ...schedule } }),
    ...(off || on ? { enabled: on === true } : {}),
  };
}

const preview = requestCommand<SchedulePreview, Draft>({
  about: 'how a text is read, and the next runs; nothing is stored',
  args: { '[text...]': '' },
  flags: SCHEDULE_FLAGS,
  after: TEXT_EXPLAINED,
  ask({ words, fields }) {
    const { instructions: _what, ...body } = draftOf(words, fields);
    return {
      ...{ method: 'POST', path: '/triggers/preview', body, field: 'scheduleText' },
      text: async (read) => (await print()).previewText(read),
    };
  },
});

const create = requestCommand<One, Draft>({
  about: 'create a trigger',
  args: { '[text...]': '' },
  flags: [
    ...DRAFT_FLAGS,
    ['runImmediately', '--now', 'the first run is at once, then by the schedule'],
  ],
  after: TEXT_EXPLAINED,
  async ask({ words, fields }, context, command) {
    const body = draftOf(words, fields);
    if (Object.keys(body).length === 0) {
      throw badInput('say when and what: cue trigger create every friday at 5pm: send the report');
    }
    mustBeFields(command.optsWithGlobals<ServerFlags>().json, TRIGGER_FIELDS);
    const asked: Asked<One> = { method: 'POST', path: '/triggers', body, field: 'trigger' };
    const made = await ask<One>(context, command, asked).then(
      (one) => ({ created: true, ...one }),
      // Of a duplicate, the trigger that is there already: whoever asks twice has what was asked for.
      async (error: unknown) => {
        if (!isAppError(error) || error.code !== 'DUPLICATE') throw error;
        const path = pathOf(String(error.details.existingId));
        return {
          created: false,
          ...(await ask<One>(context, command, { path, field: 'trigger' })),
        };
      },
    );
    await tell(context, command, made, {
      ...{ known: TRIGGER_FIELDS, of: ({ trigger }) => trigger },
      text: async ({ created, trigger }) =>
        (await print()).changedText(created ? '✔ created' : 'already there:', trigger),
    });
    return null;
  },
});

const update = requestCommand<One, Draft>({
  about: 'change what is said of a trigger; the rest stays',
  args: { '<trigger>': NAMED, '[text...]': '' },
  flags: [
    ...DRAFT_FLAGS,
    ['on', '--enable', 'it runs again', true],
    ['deliverTo', '--no-deliver-to', 'no room gets the answer'],
    ['maxRuns', '--no-max-runs', 'it is no longer removed after so many runs'],
    ['snoozeUntil', '--snooze-until <time>', 'put the next run off; stands alone'],
    ['skipNext', '--skip-next', 'leave the next run out; stands alone'],
  ],
  after: TEXT_EXPLAINED,
  ask({ words: [id = '', ...words], fields }) {
    const body = draftOf(words, fields);
    if (Object.keys(body).length === 0) {
      throw badInput('say what to change: cue trigger update --help');
    }
    return {
      ...{ method: 'PUT', path: pathOf(id), body, ...THE_TRIGGER },
      text: async ({ trigger }) => (await print()).changedText('✔ changed', trigger),
    };
  },
});

const remove = requestCommand<{ deleted: boolean }>({
  ...{ about: 'delete a trigger; its history stays', args: OF_ONE },
  ask: ({ id }) => ({
    ...{ method: 'DELETE', path: pathOf(id), deletes: true },
    ...{ field: 'deleted', known: ['deleted'], of: (body) => body },
    text: () => `✔ deleted trigger ${id}`,
  }),
});

const run = requestCommand<{ runId: string; run: TriggerRun }, { wait?: number | null }>({
  ...{ about: 'run it now, beside its schedule', args: OF_ONE },
  flags: [
    ['wait', '--wait <seconds>', `until it has ended, at most ${MAX_WAIT_S}`, 'number'],
    ['wait', '--no-wait', 'only begin it'],
  ],
  ask({ id, fields: { wait = MAX_WAIT_S } }) {
    const request = { method: 'POST', path: `${pathOf(id)}/execute` } as const;
    if (wait === null) {
      const text = ({ runId }: { runId: string }) => `✔ began run ${runId}`;
      return { ...request, field: 'runId', known: ['runId'], of: (body) => body, text };
    }
    if (wait < 0 || wait > MAX_WAIT_S) {
      throw badInput(`--wait is 0 to ${MAX_WAIT_S} seconds, not ${wait}`, { flag: '--wait' });
    }
    const waitMs = Math.round(wait * 1_000);
    return {
      ...{ ...request, query: { waitMs }, timeoutMs: waitMs + ANSWER_MS },
      ...{ field: 'run', known: RUN_FIELDS },
      text: async (done) => (await print()).runText(done.run),
      code: (done) => (done.run.status === 'failed' ? EXIT.failure : EXIT.done),
    };
  },
});

const allRuns = requestCommand<never, Watching>({
  flags: [
    ['status', '--status <status>', 'only those', RUN_STATUS_WORDS],
    ['since', '--since <time>', 'ISO time or date'],
    ['before', '--before <time>', 'ISO time or date'],
    ...PAGE_FLAGS,
    WATCH_FLAG,
  ],
  ask: ({ fields: { watch, ...query } }, { io }) => ({
    ...{ path: '/runs', query, ...OF_RUNS, none: 'no runs' },
    table: async () => (await print()).allRunTable(io),
    watched: watch && watchedRuns(({ status }) => (query.status ?? status) === status),
  }),
});

const showRun = requestCommand<OneRun>({
  about: 'all of one run',
  args: { '<run>': 'its id, or the first eight digits of it' },
  ask: ({ id }) => ({
    path: `/runs/${pathSegment(id, { what: 'run', list: 'cue runs' })}`,
    ...{ field: 'run', known: RUN_FIELDS },
    text: async (one) => (await print()).wholeRunText(one),
  }),
});

/** `cue runs`: those of all triggers. */
const defineRuns: DefineCommand = (group, context) => {
  allRuns(addServerOptions(group), context);
  showRun(group.command('show'), context);
};

const ofTriggers = {
  ...{ list, show, runs, explain, preview },
  ...{ create, update, delete: remove, run },
};
export const commands = { trigger: serverGroup(EXPLAINED, ofTriggers), runs: defineRuns };
