/** What flags say about a trigger, as the fields of a request. Whether it is right says the server. */
import { type Command, Option } from 'commander';
import type { TriggerDraft } from '../../../triggers/index.js';
import { badInput } from '../exit-codes.js';
import { numberOf } from '../flag-words.js';
import type { FlagNames } from '../server/in-flags.js';

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
  maxRuns?: number;
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
    ...{ maxRuns, timeoutMs, maxFailures },
    ...(disable ? { enabled: false } : {}),
    ...(enable ? { enabled: true } : {}),
    missedRunPolicy: missed && { mode: missed },
    deliverTo: deliverTo === false ? null : deliverTo && { roomId: deliverTo },
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
