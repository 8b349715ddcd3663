/** `cue trigger …`: each command is one request; how triggers are printed is loaded when one comes. */
import { type Command, Option } from 'commander';
import { isAppError } from '../../shared/errors.js';
import type {
  Explanation,
  NamedRun,
  SchedulePreview,
  TriggerDraft,
  TriggerRun,
  TriggerSummary,
} from '../../triggers/index.js';
import {
  type Asked,
  addServerOptions,
  answer,
  ask,
  type FlagNames,
  pathSegment,
  type ServerFlags,
  tell,
} from './answer.js';
import type { CommandContext } from './command-line.js';
import { mustBeFields, RUN_FIELDS, TRIGGER_FIELDS } from './fields.js';
import { addPageOptions, numberOf, RUN_STATUS_WORDS, TRIGGER_STATE_WORDS } from './flags.js';
import { badInput, EXIT } from './io.js';
import { answerList, type ListRequest, watchList } from './list.js';

export const commands = { trigger: define, runs: defineRuns };

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
/** A name may come without quotes: `cue trigger run check the news`. */
const inOneWord = (word: string, before?: string) =>
  before === undefined ? word : `${before} ${word}`;

const WATCH = 'also what comes, until Ctrl-C';

/** `cue runs`: those of all triggers. */
function defineRuns(group: Command, context: CommandContext): void {
  addServerOptions(group)
    .addOption(new Option('--status <status>', 'only those').choices(RUN_STATUS_WORDS))
    .option('--since <time>', 'ISO time or date')
    .option('--before <time>', 'ISO time or date');
  addPageOptions(group)
    .option('--watch', WATCH)
    .action(async (flags: AllRunFlags, command: Command) => {
      const { status, since, before, limit, cursor, watch } = flags;
      const list = runList({
        ...{ path: '/runs', query: { status, since, before, limit, cursor } },
        none: 'no runs',
        table: async () => (await print()).allRunTable(context.io),
      });
      if (!watch) await answerList(context, command, list);
      else await watchRuns(context, command, list, (run) => (status ?? run.status) === run.status);
    });

  group
    .command('show')
    .description('all of one run')
    .argument('<run>', 'its id, or the first eight digits of it')
    .action(async (id: string, _flags: object, command: Command) => {
      const path = `/runs/${pathSegment(id, { what: 'run', list: 'cue runs' })}`;
      await answer<OneRun>(context, command, {
        ...{ path, field: 'run', known: RUN_FIELDS },
        text: async (one) => (await print()).wholeRunText(one),
      });
    });
}

type RunList = ListRequest<TriggerRun>;

function runList(list: Omit<RunList, 'field' | 'known'>): RunList {
  return { ...list, field: 'runs', known: RUN_FIELDS };
}

function watchRuns(
  context: CommandContext,
  command: Command,
  list: RunList,
  isOurs: (run: TriggerRun) => boolean,
): Promise<void> {
  const keyOf = ({ triggerRunId, status, attempt }: TriggerRun) =>
    `${triggerRunId} ${status} ${attempt}`;
  return watchList(context, command, list, { type: 'run', keyOf, isOurs, filters: true });
}

const print = () => import('./trigger-text.js');

function define(group: Command, context: CommandContext): void {
  addServerOptions(group).addHelpText('after', EXPLAINED);
  defineReading(group, context);
  defineChanging(group, context);
  defineRunning(group, context);
}

/** A command about one trigger. */
function ofOne(group: Command, name: string, description: string): Command {
  const command = group.command(name).description(description);
  return command.argument('<trigger...>', NAMED, inOneWord);
}

function defineReading(group: Command, context: CommandContext): void {
  const list = group
    .command('list')
    .description('triggers, newest first')
    .addOption(new Option('--state <state>', 'only those').choices(TRIGGER_STATE_WORDS))
    .option('--search <text>', 'only those with these words');
  addPageOptions(list).action(async (flags: ListFlags, command: Command) => {
    const { state, search, limit, cursor } = flags;
    const query = { state, q: search, limit, cursor, order: 'soonest' };
    await answerList<TriggerSummary>(context, command, {
      ...{ path: '/triggers', query, field: 'triggers', flags: FLAG_NAMES },
      ...{ known: TRIGGER_FIELDS, none: 'no triggers' },
      table: async () => (await print()).triggerTable(context.io),
    });
  });

  ofOne(group, 'show', 'all of one trigger').action(
    async (id: string, _flags: object, command: Command) => {
      await answer<One>(context, command, {
        ...{ path: pathOf(id), field: 'trigger', known: TRIGGER_FIELDS },
        text: async ({ trigger }) => (await print()).triggerText(trigger),
      });
    },
  );

  const history = 'the history of a trigger, newest first; it outlives the trigger';
  addPageOptions(ofOne(group, 'runs', history))
    .option('--watch', WATCH)
    .action(async (id: string, { limit, cursor, watch }: RunFlags, command: Command) => {
      const list = runList({
        ...{ path: `${pathOf(id)}/runs`, query: { limit, cursor }, none: 'it has not run yet' },
        table: async () => (await print()).runTable(context.io),
      });
      if (!watch) return answerList(context, command, list);
      const found = await ask<One>(context, command, { path: pathOf(id), field: 'trigger' }).catch(
        (error: unknown) => {
          if (isAppError(error) && error.code === 'NOT_FOUND') return null;
          throw error;
        },
      );
      const triggerId = found?.trigger.id ?? id.toLowerCase();
      await watchRuns(context, command, list, (run) => run.triggerId === triggerId);
    });

  ofOne(group, 'explain', 'why it did or did not run').action(
    async (id: string, _flags: object, command: Command) => {
      await answer<Explanation>(context, command, {
        ...{ path: `${pathOf(id)}/why`, field: 'reasons' },
        text: async ({ reasons }) => (await print()).reasonsText(reasons),
      });
    },
  );

  addScheduleOptions(group.command('preview'))
    .description('how a text is read, and the next runs; nothing is stored')
    .argument('[text...]')
    .addHelpText('after', TEXT_EXPLAINED)
    .action(async (words: string[], flags: ScheduleFlags, command: Command) => {
      const { instructions: _what, ...body } = scheduleOf(words, flags);
      await answer<SchedulePreview>(context, command, {
        ...{ method: 'POST', path: '/triggers/preview', body },
        ...{ field: 'scheduleText', flags: FLAG_NAMES },
        text: async (preview) => (await print()).previewText(preview),
      });
    });
}

function defineChanging(group: Command, context: CommandContext): void {
  addDraftOptions(group.command('create'))
    .description('create a trigger')
    .argument('[text...]')
    .option('--now', 'the first run is at once, then by the schedule')
    .addHelpText('after', TEXT_EXPLAINED)
    .action(async (words: string[], flags: DraftFlags & { now?: true }, command: Command) => {
      const body = { ...draftOf(words, flags), ...(flags.now ? { runImmediately: true } : {}) };
      if (Object.keys(body).length === 0) {
        throw badInput(
          'say when and what: cue trigger create every friday at 5pm: send the report',
        );
      }
      mustBeFields(command.optsWithGlobals<ServerFlags>().json, TRIGGER_FIELDS);
      await tell<Created>(context, command, await created(context, command, body), {
        ...{ known: TRIGGER_FIELDS, of: ({ trigger }) => trigger },
        text: async ({ created, trigger }) =>
          (await print()).changedText(created ? '✔ created' : 'already there:', trigger),
      });
    });

  addDraftOptions(group.command('update'))
    .description('change what is said of a trigger; the rest stays')
    .argument('<trigger>', NAMED)
    .argument('[text...]')
    .option('--enable', 'it runs again')
    .option('--no-deliver-to', 'no room gets the answer')
    .option('--no-max-runs', 'it is no longer removed after so many runs')
    .option('--snooze-until <time>', 'put the next run off; stands alone')
    .option('--skip-next', 'leave the next run out; stands alone')
    .addHelpText('after', TEXT_EXPLAINED)
    .action(async (id: string, words: string[], flags: UpdateFlags, command: Command) => {
      await answer<One>(context, command, {
        ...{ method: 'PUT', path: pathOf(id), body: changeOf(words, flags) },
        ...{ field: 'trigger', known: TRIGGER_FIELDS, flags: FLAG_NAMES },
        text: async ({ trigger }) => (await print()).changedText('✔ changed', trigger),
      });
    });

  ofOne(group, 'delete', 'delete a trigger; its history stays').action(
    async (id: string, _flags: object, command: Command) => {
      await answer<{ deleted: boolean }>(context, command, {
        ...{ method: 'DELETE', path: pathOf(id), deletes: true },
        ...{ field: 'deleted', known: ['deleted'], of: (body) => body },
        text: () => `✔ deleted trigger ${id}`,
      });
    },
  );
}

function defineRunning(group: Command, context: CommandContext): void {
  ofOne(group, 'run', 'run it now, beside its schedule')
    .option('--wait <seconds>', `until it has ended, at most ${MAX_WAIT_S}`, numberOf('--wait'))
    .option('--no-wait', 'only begin it')
    .action(async (id: string, flags: { wait?: number | boolean }, command: Command) => {
      const path = `${pathOf(id)}/execute`;
      if (flags.wait === false) {
        await answer<{ runId: string }>(context, command, {
          ...{ method: 'POST', path, field: 'runId', known: ['runId'], of: (body) => body },
          text: ({ runId }) => `✔ began run ${runId}`,
        });
        return;
      }
      const seconds = typeof flags.wait === 'number' ? flags.wait : MAX_WAIT_S;
      if (seconds < 0 || seconds > MAX_WAIT_S) {
        throw badInput(`--wait is 0 to ${MAX_WAIT_S} seconds, not ${seconds}`, { flag: '--wait' });
      }
      const waitMs = Math.round(seconds * 1_000);
      await answer<{ run: TriggerRun }>(context, command, {
        ...{ method: 'POST', path, query: { waitMs }, timeoutMs: waitMs + ANSWER_MS },
        ...{ field: 'run', known: RUN_FIELDS },
        text: async ({ run }) => (await print()).runText(run),
        code: ({ run }) => (run.status === 'failed' ? EXIT.failure : EXIT.done),
      });
    });
}

interface PageFlags {
  limit?: number;
  cursor?: string;
}
interface ListFlags extends PageFlags {
  state?: string;
  search?: string;
}
interface RunFlags extends PageFlags {
  watch?: true;
}
interface AllRunFlags extends RunFlags {
  status?: TriggerRun['status'];
  since?: string;
  before?: string;
}
interface UpdateFlags extends DraftFlags {
  snoozeUntil?: string;
  skipNext?: true;
}
interface One {
  trigger: TriggerSummary;
}
interface Created extends One {
  created: boolean;
}
interface OneRun {
  run: NamedRun;
  trigger: TriggerSummary | null;
}
/** Of a duplicate, the trigger that is there already: whoever asks twice has what was asked for. */
async function created(context: CommandContext, command: Command, body: object): Promise<Created> {
  const request: Asked<One> = {
    ...{ method: 'POST', path: '/triggers', body },
    ...{ field: 'trigger', flags: FLAG_NAMES },
  };
  try {
    return { created: true, ...(await ask<One>(context, command, request)) };
  } catch (error) {
    if (!isAppError(error) || error.code !== 'DUPLICATE') throw error;
    const path = pathOf(String(error.details.existingId));
    return { created: false, ...(await ask<One>(context, command, { path, field: 'trigger' })) };
  }
}

/** @throws AppError INVALID_INPUT for what cannot be an id */
function pathOf(id: string): string {
  return `/triggers/${pathSegment(id, { what: 'trigger', list: 'cue trigger list' })}`;
}

/** @throws AppError INVALID_INPUT when nothing is said */
function changeOf(words: readonly string[], flags: UpdateFlags): Record<string, unknown> {
  const { snoozeUntil, skipNext } = flags;
  const change = {
    ...draftOf(words, flags),
    ...(snoozeUntil === undefined ? {} : { snoozeUntil }),
    ...(skipNext ? { skipNext } : {}),
  };
  if (Object.keys(change).length > 0) return change;
  throw badInput('say what to change: cue trigger update --help');
}

export interface ScheduleFlags {
  cron?: string;
  at?: string;
  intervalMs?: number;
  timezone?: string;
}

export interface DraftFlags extends ScheduleFlags {
  instructions?: string;
  name?: string;
  /** `--disable`, `--enable` */
  disable?: true;
  enable?: true;
  wake?: TriggerDraft['wakeMode'];
  /** `false`: `--no-deliver-to` */
  deliverTo?: string | false;
  /** `false`: `--no-max-runs` */
  maxRuns?: number | false;
  missed?: 'skip' | 'once' | 'all';
  overlap?: 'skip' | 'queue';
  timeoutMs?: number;
  maxFailures?: number;
}

export const TEXT_EXPLAINED = `
Text:
  When, and what to do, in English, read without a model: "every friday at 5pm: send the report". Where a
  time alone stands in front of the first colon, all behind it is what to do. --cron, --at and --interval-ms
  say when exactly; then all of the text is what to do.
`;

/** Of the fields that are not named like their flags. */
export const FLAG_NAMES: FlagNames = {
  'schedule.cronExpression': '--cron',
  'schedule.scheduledAtIso': '--at',
  displayName: '--name',
  wakeMode: '--wake',
  'deliverTo.roomId': '--deliver-to',
  'missedRunPolicy.mode': '--missed',
  overlapPolicy: '--overlap',
  q: '--search',
};

export function addScheduleOptions(command: Command): Command {
  return command
    .option('--cron <expression>', 'when, as cron: "0 17 * * 5"')
    .option('--at <time>', 'once, as an ISO time with its zone')
    .option('--interval-ms <number>', 'again and again', numberOf('--interval-ms'))
    .option('--timezone <name>', 'in which times are read: Europe/Vienna');
}

export function addDraftOptions(command: Command): Command {
  return addScheduleOptions(command)
    .option('--instructions <text>', 'what to do, word for word')
    .option('--name <text>', 'what it is called')
    .option('--disable', 'it does not run')
    .addOption(
      new Option('--wake <mode>', 'at once, or when the autonomy loop comes round').choices([
        'inject_now',
        'next_autonomy_cycle',
      ]),
    )
    .option('--deliver-to <room>', 'id of the room that gets the answer')
    .option('--max-runs <number>', 'it is removed after so many', numberOf('--max-runs'))
    .addOption(
      new Option('--missed <mode>', 'what becomes of runs that were missed').choices([
        'skip',
        'once',
        'all',
      ]),
    )
    .addOption(
      new Option('--overlap <mode>', 'when it is due while it still runs').choices([
        'skip',
        'queue',
      ]),
    )
    .option('--timeout-ms <number>', 'of one run', numberOf('--timeout-ms'))
    .option(
      '--max-failures <number>',
      'it is paused after so many in a row',
      numberOf('--max-failures'),
    );
}

/** `text`, or what stands in its place. @throws AppError INVALID_INPUT for two of them */
export function scheduleOf(
  words: readonly string[],
  { cron, at, intervalMs, timezone }: ScheduleFlags,
): Record<string, unknown> {
  const text = words.join(' ').trim();
  const exact = [
    ...(cron === undefined ? [] : [{ triggerType: 'cron', cronExpression: cron }]),
    ...(at === undefined ? [] : [{ triggerType: 'once', scheduledAtIso: at }]),
    ...(intervalMs === undefined ? [] : [{ triggerType: 'interval', intervalMs }]),
  ];
  if (exact.length > 1) throw badInput('give one of --cron, --at and --interval-ms');
  const [schedule] = exact;
  const zone = timezone === undefined ? {} : { timezone };
  if (schedule === undefined) return { ...(text === '' ? {} : { text }), ...zone };
  return { schedule, ...(text === '' ? {} : { instructions: text }), ...zone };
}

/** Only what was said. @throws AppError INVALID_INPUT for flags that contradict each other */
export function draftOf(words: readonly string[], flags: DraftFlags): Record<string, unknown> {
  const { instructions, name, disable, enable, wake, deliverTo, missed, overlap } = flags;
  const { maxRuns, timeoutMs, maxFailures } = flags;
  if (disable && enable) throw badInput('give --enable or --disable, not both');
  const schedule = scheduleOf(words, flags);
  if (instructions !== undefined && 'instructions' in schedule) {
    throw badInput('say what to do as text or with --instructions, not both');
  }
  const fields: Record<string, unknown> = {
    ...schedule,
    ...(instructions === undefined ? {} : { instructions }),
    ...{ displayName: name, wakeMode: wake, overlapPolicy: overlap },
    ...{ maxRuns: maxRuns === false ? null : maxRuns, timeoutMs, maxFailures },
    ...(disable ? { enabled: false } : {}),
    ...(enable ? { enabled: true } : {}),
    missedRunPolicy: missed && { mode: missed },
    deliverTo: deliverTo === false ? null : deliverTo && { roomId: deliverTo },
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
