/** `cue trigger …`: each command is one request; how triggers are printed is loaded when one comes. */
import { type Command, Option } from 'commander';
import { isAppError } from '../../../shared/errors.js';
import type {
  Explanation,
  SchedulePreview,
  TriggerRun,
  TriggerSummary,
} from '../../../triggers/index.js';
import { TRIGGER_STATE_WORDS } from '../choices.js';
import type { CommandContext, CommandGroup } from '../command-line.js';
import { badInput, EXIT } from '../exit-codes.js';
import { numberOf } from '../flag-words.js';
import { pageWords } from '../lines.js';
import { type Asked, addServerOptions, answer, ask, tell } from '../server/answer.js';
import { pathSegment } from '../server/path-segment.js';
import {
  addDraftOptions,
  addScheduleOptions,
  type DraftFlags,
  draftOf,
  FLAG_NAMES,
  type ScheduleFlags,
  scheduleOf,
  TEXT_EXPLAINED,
} from './flags.js';

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

const print = () => import('./print.js');

export const triggerGroup: CommandGroup = { define };

function define(group: Command, context: CommandContext): void {
  addServerOptions(group).addHelpText('after', EXPLAINED);
  defineReading(group, context);
  defineChanging(group, context);
  defineRunning(group, context);
}

function defineReading(group: Command, context: CommandContext): void {
  group
    .command('list')
    .description('triggers, newest first')
    .addOption(new Option('--state <state>', 'only those').choices(TRIGGER_STATE_WORDS))
    .option('--search <text>', 'only those with these words')
    .option('--limit <number>', 'how many (50)', numberOf('--limit'))
    .option('--cursor <cursor>', 'the page behind this one')
    .action(async (flags: ListFlags, command: Command) => {
      const { state, search, limit, cursor } = flags;
      const query = { state, q: search, limit, cursor, order: 'soonest' };
      await answer<TriggerPage>(
        context,
        command,
        { path: '/triggers', query, field: 'triggers', flags: FLAG_NAMES },
        {
          text: async ({ triggers }) =>
            (await print()).triggerTable(triggers, context.io.clock.now()),
          beside: (page) =>
            page.total === 0 ? ['no triggers'] : pageWords(page, page.triggers.length),
        },
      );
    });

  group
    .command('show')
    .description('all of one trigger')
    .argument('<trigger...>', NAMED, inOneWord)
    .action(async (id: string, _flags: object, command: Command) => {
      await answer<One>(
        context,
        command,
        { path: pathOf(id), field: 'trigger' },
        { text: async ({ trigger }) => (await print()).triggerText(trigger) },
      );
    });

  group
    .command('runs')
    .description('the history of a trigger, newest first; it outlives the trigger')
    .argument('<trigger...>', NAMED, inOneWord)
    .option('--limit <number>', 'how many (50)', numberOf('--limit'))
    .option('--cursor <cursor>', 'the page behind this one')
    .action(async (id: string, flags: PageFlags, command: Command) => {
      const query = { limit: flags.limit, cursor: flags.cursor };
      await answer<RunPage>(
        context,
        command,
        { path: `${pathOf(id)}/runs`, query, field: 'runs' },
        {
          text: async ({ runs }) => runs.map((await print()).runText).join('\n'),
          beside: (page) =>
            page.total === 0 ? ['it has not run yet'] : pageWords(page, page.runs.length),
        },
      );
    });

  group
    .command('explain')
    .description('why it did or did not run')
    .argument('<trigger...>', NAMED, inOneWord)
    .action(async (id: string, _flags: object, command: Command) => {
      await answer<Explanation>(
        context,
        command,
        { path: `${pathOf(id)}/why`, field: 'reasons' },
        { text: async ({ reasons }) => (await print()).reasonsText(reasons) },
      );
    });

  addScheduleOptions(group.command('preview'))
    .description('how a text is read, and the next runs; nothing is stored')
    .argument('[text...]')
    .addHelpText('after', TEXT_EXPLAINED)
    .action(async (words: string[], flags: ScheduleFlags, command: Command) => {
      const { instructions: _what, ...body } = scheduleOf(words, flags);
      await answer<SchedulePreview>(
        context,
        command,
        {
          method: 'POST',
          path: '/triggers/preview',
          body,
          field: 'scheduleText',
          flags: FLAG_NAMES,
        },
        { text: async (preview) => (await print()).previewText(preview) },
      );
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
      await tell<Created>(context, command, await created(context, command, body), {
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
    .option('--snooze-until <time>', 'put the next run off; stands alone')
    .option('--skip-next', 'leave the next run out; stands alone')
    .addHelpText('after', TEXT_EXPLAINED)
    .action(async (id: string, words: string[], flags: UpdateFlags, command: Command) => {
      await answer<One>(
        context,
        command,
        {
          ...{ method: 'PUT', path: pathOf(id), body: changeOf(words, flags) },
          ...{ field: 'trigger', flags: FLAG_NAMES },
        },
        { text: async ({ trigger }) => (await print()).changedText('✔ changed', trigger) },
      );
    });

  group
    .command('delete')
    .description('delete a trigger; its history stays')
    .argument('<trigger...>', NAMED, inOneWord)
    .action(async (id: string, _flags: object, command: Command) => {
      await answer<{ deleted: boolean }>(
        context,
        command,
        { method: 'DELETE', path: pathOf(id), field: 'deleted', deletes: true },
        { text: () => `✔ deleted trigger ${id}` },
      );
    });
}

function defineRunning(group: Command, context: CommandContext): void {
  group
    .command('run')
    .description('run it now, beside its schedule')
    .argument('<trigger...>', NAMED, inOneWord)
    .option('--wait <seconds>', `until it has ended, at most ${MAX_WAIT_S}`, numberOf('--wait'))
    .option('--no-wait', 'only begin it')
    .action(async (id: string, flags: { wait?: number | boolean }, command: Command) => {
      const path = `${pathOf(id)}/execute`;
      if (flags.wait === false) {
        await answer<{ runId: string }>(
          context,
          command,
          { method: 'POST', path, field: 'runId' },
          { text: ({ runId }) => `✔ began run ${runId}` },
        );
        return;
      }
      const seconds = typeof flags.wait === 'number' ? flags.wait : MAX_WAIT_S;
      if (seconds < 0 || seconds > MAX_WAIT_S) {
        throw badInput(`--wait is 0 to ${MAX_WAIT_S} seconds, not ${seconds}`, { flag: '--wait' });
      }
      const waitMs = Math.round(seconds * 1_000);
      await answer<{ run: TriggerRun }>(
        context,
        command,
        {
          ...{ method: 'POST', path, query: { waitMs }, field: 'run' },
          timeoutMs: waitMs + ANSWER_MS,
        },
        {
          text: async ({ run }) => (await print()).runText(run),
          code: ({ run }) => (run.status === 'failed' ? EXIT.failure : EXIT.done),
        },
      );
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
interface TriggerPage {
  triggers: TriggerSummary[];
  total: number;
  nextCursor: string | null;
}
interface RunPage {
  runs: TriggerRun[];
  total: number;
  nextCursor: string | null;
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
