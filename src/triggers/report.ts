/** What operators and users ask: how is it going, when would it run, why did it not fire? */
import { formatDuration } from '../shared/clock.js';
import { type Finding, InvalidInputError, wrongField } from '../shared/errors.js';
import { describeSchedule, formatInstant } from './describe.js';
import type { Parts, TriggerSettings } from './parts.js';
import type { LedgerHealth } from './run-history.js';
import { nextRuns, type ScheduleLimits, validateSchedule } from './schedule.js';
import { parseScheduleText, parseTimeText } from './schedule-text.js';
import type { Requester, Schedule, TriggerRun, TriggerSummary } from './schema.js';
import type { Census } from './store.js';
import { summaryOf } from './task-codec.js';
import type { Triggers } from './triggers.js';

/** Facts about the host that only the composition root can see. */
export interface HostFacts {
  taskServicePresent: boolean;
  workerRegistered: boolean;
  /** Set when another plugin registered a worker under our name. */
  workerTakenBy: string | null;
  autonomyPresent: boolean;
}

export interface ReportDeps extends Parts {
  triggers: Triggers;
  host: () => HostFacts;
}

export interface TriggerHealth extends HostFacts, Census, LedgerHealth {
  enabled: boolean;
  /** Nothing is dispatched at all: kill switch CUE_TRIGGERS_PAUSED, or a headless server. */
  dispatchPaused: boolean;
  /** Why nothing runs although everything is switched on, or `null`. */
  blocked: string | null;
  /** Triggers set aside because their stored form cannot be read. */
  setAside: { taskId: string; triggerId: string; reason: string }[];
}

export interface SchedulePreview {
  schedule: Schedule;
  scheduleText: string;
  instructions?: string;
  nextRuns: { atMs: number; iso: string; local: string }[];
}

export interface Explanation {
  trigger: TriggerSummary;
  /** The answer in sentences, most important first. */
  reasons: string[];
  lastRuns: TriggerRun[];
}

export const PREVIEW_RUNS = 5;

/**
 * Text or schedule → words and the next five runs.
 * @throws InvalidInputError when the text has no one reading or the schedule is not valid.
 */
export function previewSchedule(
  input: { text?: string; schedule?: Schedule; timezone: string },
  options: { nowMs: number; minIntervalMs: number; allowSeconds: boolean },
): SchedulePreview {
  const read = judgedScheduleInput(input, options);
  const zone = read.schedule.timezone ?? input.timezone;
  return {
    schedule: read.schedule,
    scheduleText: describeSchedule(read.schedule, zone),
    ...(read.instructions === undefined ? {} : { instructions: read.instructions }),
    nextRuns: nextRuns(read.schedule, options.nowMs, PREVIEW_RUNS).map((atMs) => ({
      atMs,
      iso: new Date(atMs).toISOString(),
      local: formatInstant(atMs, zone),
    })),
  };
}

/** What a field of a schedule is called for a caller that gave text. */
const SAID: Readonly<Record<string, string>> = {
  intervalMs: 'the time between two runs',
  cronExpression: 'the schedule',
  scheduledAtIso: 'the time',
  startAtIso: 'the start',
  untilIso: 'the end',
};

/**
 * Reads and judges. What is wrong with a schedule read from text is wrong with `text`, since the
 * caller has never seen the fields.
 * @throws InvalidInputError
 */
export function judgedScheduleInput(
  input: { text?: string; schedule?: Schedule; timezone: string },
  options: ScheduleLimits,
): { schedule: Schedule; instructions?: string } {
  const read = readScheduleInput(input, options.nowMs);
  const findings = validateSchedule(read.schedule, options);
  if (findings.length === 0) return read;
  throw new InvalidInputError(
    findings.map(({ field, message }) => {
      if (input.schedule !== undefined) return { field: `schedule.${field}`, message };
      const said = `${SAID[field] ?? field} ${message}`;
      return inText(said, `${said.charAt(0).toUpperCase()}${said.slice(1)}.`);
    }),
  );
}

/**
 * The schedule of a request that gives it as text or as data. Text that is a schedule only ("every
 * day at 9") is read too: what to do then stands beside it.
 * @throws InvalidInputError with the question that a conversation would ask, and how to do without
 */
export function readScheduleInput(
  input: { text?: string; schedule?: Schedule; timezone: string },
  nowMs: number,
): { schedule: Schedule; instructions?: string } {
  const inZone = (schedule: Schedule): Schedule => ({
    ...schedule,
    timezone: schedule.timezone ?? input.timezone,
  });
  if (input.schedule !== undefined) return { schedule: inZone(input.schedule) };
  const text = input.text ?? '';
  if (text.trim() === '') {
    throw wrongField('text', 'is required: say when, such as "every weekday at 9"');
  }
  const context = { nowMs, timezone: input.timezone };
  const divided = readDivided(text, context);
  if (divided !== null) return { ...divided, schedule: inZone(divided.schedule) };
  const whole = parseScheduleText(text, { ...context, mayHoldCode: true });
  if (whole.kind === 'schedule') {
    return { schedule: inZone(whole.schedule), instructions: whole.instructions };
  }
  const bare = readBareSchedule(text, context);
  if (bare.kind === 'schedule') return { schedule: inZone(bare.schedule) };
  const question =
    bare.kind === 'ambiguous' ? bare.question : whole.kind === 'ambiguous' ? whole.question : null;
  throw new InvalidInputError([
    question === null
      ? inText(UNREAD, `The sentence ${UNREAD}.`)
      : inText(`${question} ${WAY_OUT}`, question),
  ]);
}

/** For programs the `message`; as a sentence for whoever wrote it the `text`. */
const inText = (message: string, text: string): Finding => ({ field: 'text', message, text });

const UNREAD = 'says no time that can be read: write "every weekday at 9" or "in 2 hours"';
const WAY_OUT =
  'Nobody can answer here: say the time alone, and what to do as `instructions`, or use other words';

/** Not the one within 9:30. */
const COLON = /:(?!(?<=\d:)\d)/;

/** "every monday at 8: standup": where a time alone stands in front of the first colon, all behind it is what to do. */
function readDivided(
  text: string,
  context: { nowMs: number; timezone: string },
): { schedule: Schedule; instructions: string } | null {
  const at = text.search(COLON);
  const instructions = text.slice(at + 1).trim();
  if (at < 0 || instructions === '') return null;
  const read = readBareSchedule(text.slice(0, at), context);
  return read.kind === 'schedule' ? { schedule: read.schedule, instructions } : null;
}

/** Words that only say when: "every day at 9", "tomorrow at noon". Anything beside them is refused. */
export function readBareSchedule(
  words: string,
  context: { nowMs: number; timezone: string },
): ReturnType<typeof parseTimeText> {
  return parseTimeText(words.trim().replace(/[.,;:!?\s]+$/, ''), context);
}

export async function healthOf(deps: ReportDeps): Promise<TriggerHealth> {
  const nowMs = deps.clock.now();
  const settings = deps.settings();
  const census = await deps.store.census(nowMs);
  const ledger = await deps.ledger.health(nowMs);
  const invalid = (await deps.store.invalid()).map(summaryOf);
  const host = deps.host();
  return {
    enabled: settings.enabled,
    dispatchPaused: settings.paused !== null,
    ...host,
    blocked: blockedReason(settings, host) ?? (await deps.autonomy.unavailable()),
    ...census,
    ...ledger,
    setAside: invalid.map(({ taskId, triggerId, stateReason }) => ({
      taskId,
      triggerId,
      reason: stateReason ?? 'unreadable',
    })),
  };
}

function blockedReason(settings: TriggerSettings, host: HostFacts): string | null {
  if (!settings.enabled) return 'triggers are switched off (CUE_TRIGGERS_ENABLED)';
  if (settings.paused !== null) return settings.paused;
  if (!host.taskServicePresent) {
    return 'the host has no task service: add @elizaos/plugin-bootstrap to the character';
  }
  if (!host.workerRegistered) {
    return host.workerTakenBy === null
      ? 'the worker TRIGGER_DISPATCH is not registered'
      : `another plugin has registered a worker named TRIGGER_DISPATCH (${host.workerTakenBy})`;
  }
  return null;
}

/** "Why did it (not) fire?", from the ledger and the state. */
export async function explain(
  deps: ReportDeps,
  id: string,
  requester: Requester,
): Promise<Explanation> {
  const trigger = await deps.triggers.get(id, requester);
  const { runs } = await deps.triggers.runs(id, { limit: 5 }, requester);
  const nowMs = deps.clock.now();
  const zone = trigger.timezone ?? 'UTC';
  const reasons: string[] = [];

  const blocked =
    blockedReason(deps.settings(), deps.host()) ?? (await deps.autonomy.unavailable());
  if (blocked !== null) reasons.push(`Nothing runs right now: ${blocked}.`);
  switch (trigger.state) {
    case 'invalid':
      reasons.push(`It is set aside and cannot run: ${trigger.stateReason}.`);
      break;
    case 'paused':
      reasons.push(`It is paused: ${trigger.stateReason}.`);
      break;
    case 'disabled':
      reasons.push('It is paused; resume it to let it run.');
      break;
    case 'active':
    case 'resting':
      if (trigger.nextRunAtMs !== null && trigger.nextRunAtMs > nowMs) {
        reasons.push(
          `It runs ${trigger.scheduleText}; the next run is ${formatInstant(trigger.nextRunAtMs, zone)}, in ${formatDuration(trigger.nextRunAtMs - nowMs)}.`,
        );
      } else if (trigger.nextRunAtMs !== null) {
        reasons.push(
          `It has been due since ${formatInstant(trigger.nextRunAtMs, zone)} and waits for the task service, which ticks once a second.`,
        );
      } else {
        reasons.push('Its schedule has no further run; it is removed when its last run has ended.');
      }
  }
  for (const run of runs.slice(0, 3)) reasons.push(sentenceOf(run, zone));
  if (runs.length === 0) reasons.push('It has not run yet.');
  return { trigger, reasons, lastRuns: runs };
}

/** One run in a sentence. */
export function sentenceOf(run: TriggerRun, zone: string): string {
  const at = formatInstant(run.scheduledForMs, zone);
  const what = run.cause === 'manual' ? `The run asked for at ${at}` : `The run due ${at}`;
  const because = run.error ?? run.reason;
  const tail = because === undefined ? '' : `: ${because}`;
  const retry =
    run.retryAtMs === undefined
      ? ''
      : `; the next attempt is ${formatInstant(run.retryAtMs, zone)}`;
  switch (run.status) {
    case 'success':
      return `${what} succeeded${run.responded === false ? ' without saying anything' : ''}${tail}${deliveryOf(run)}.`;
    case 'failed':
      return `${what} failed (attempt ${run.attempt})${tail}${retry}.`;
    case 'skipped':
      return `${what} was skipped${tail}.`;
    case 'deferred':
      return `${what} is deferred${tail}.`;
    case 'running':
      return run.begunAtMs === undefined
        ? `${what} waits for its turn${tail}.`
        : `${what} is running now${tail}.`;
  }
}

function deliveryOf(run: TriggerRun): string {
  switch (run.delivery?.state) {
    case 'delivered':
      return '; the answer was delivered';
    case 'pending':
    case 'delivering':
      return `; the answer is not delivered yet (${run.delivery.error ?? 'under way'})`;
    case 'unknown':
      return '; whether the answer arrived is unknown';
    case 'failed':
      return `; the answer could not be delivered (${run.delivery.error ?? 'no reason'})`;
    default:
      return '';
  }
}
