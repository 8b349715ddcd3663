/** The changes that are about time: when it runs next, and when it runs from now on. */
import { InvalidInputError } from '../../shared/errors.js';
import { localParts } from '../../shared/zones.js';
import {
  atTimeOfDay,
  inZone,
  isZoneUnknown,
  type Schedule,
  scheduleOf,
  type TimezoneSource,
  type TriggerSummary,
  timeOfDayAt,
  timezoneOfWords,
  timezoneSourceOf,
  validateSchedule,
  zoneForChange,
} from '../../triggers/index.js';
import { askUser, type Outcome, refuse, succeed } from './action-frame.js';
import { instantWords, nextRunSentence, plain, quoted } from './display.js';
import { findingWords } from './failure.js';
import { ask } from './pending.js';
import {
  clock,
  momentOf,
  type ReadOptions,
  readBare,
  readMoment,
  readTimeOfDay,
} from './reading.js';
import type { Turn } from './turn.js';
import { askZone } from './zone-question.js';

const WHEN_FORMS = 'Say for example "for 10 minutes" or "until tomorrow at 9am".';
const SCHEDULE_FORMS =
  'Say for example "to 10am", "to every Friday at 9" or "to tomorrow at noon".';

export async function snooze(
  turn: Turn,
  trigger: TriggerSummary,
  how: { until?: string; length?: string; by?: boolean },
): Promise<Outcome> {
  const name = quoted(trigger.displayName);
  const options = zoned(turn, trigger);
  if (how.length !== undefined) {
    const end = readMoment(`in ${how.length.replace(/ more\b/i, '')}`, options);
    if (!end.ok) return notUnderstood(end.question, `how long I shall put off ${name}`, WHEN_FORMS);
    const lengthMs = end.value - turn.nowMs;
    const later = { later: how.by === true };
    return putOff(turn, await turn.service.snoozeFor(trigger.id, lengthMs, turn.requester, later));
  }
  if (how.until === undefined) return askUser(`Until when shall I put off ${name}? ${WHEN_FORMS}`);
  const read = readMoment(how.until, options, trigger.nextRunAtMs ?? undefined);
  if (!read.ok) {
    return notUnderstood(read.question, `until when I shall put off ${name}`, WHEN_FORMS);
  }
  return putOff(turn, await turn.service.snooze(trigger.id, read.value, turn.requester));
}

function putOff(turn: Turn, moved: TriggerSummary): Outcome {
  const { nextRunAtMs, displayName, id } = moved;
  const zone = zoned(turn, moved).timezone;
  const after = moved.triggerType === 'once' ? '' : ` After that it goes on ${moved.scheduleText}.`;
  return succeed(
    `The next run of ${quoted(displayName)} is ${instantWords(nextRunAtMs ?? turn.nowMs, turn.nowMs, zone)}.${after}`,
    { triggerId: id, nextRunAtMs },
  );
}

/** "Pause it until Monday": a repeating one starts again with its own next time after that. */
export async function pauseUntil(
  turn: Turn,
  trigger: TriggerSummary,
  until: string,
): Promise<Outcome> {
  const options = zoned(turn, trigger);
  const midnight = readMoment(`${until} at 00:00`, options);
  const read = midnight.ok
    ? midnight
    : readMoment(until, options, trigger.nextRunAtMs ?? undefined);
  if (!read.ok) {
    return notUnderstood(
      read.question,
      `until when I shall pause ${quoted(trigger.displayName)}`,
      WHEN_FORMS,
    );
  }
  const moved = await turn.service.pauseUntil(trigger.id, read.value, turn.requester);
  return trigger.triggerType === 'cron' ? rescheduled(turn, moved) : putOff(turn, moved);
}

export async function skipNext(
  turn: Turn,
  trigger: TriggerSummary,
  day: 'today' | 'tomorrow' | undefined,
): Promise<Outcome> {
  const name = quoted(trigger.displayName);
  const { timezone } = zoned(turn, trigger);
  const beforeMs = trigger.nextRunAtMs;
  if (beforeMs !== null && day !== undefined && dayName(beforeMs, turn.nowMs, timezone) !== day) {
    return refuse(
      `The next run of ${name} is ${instantWords(beforeMs, turn.nowMs, timezone)}, so not ${day}. I skipped nothing; to skip that one say "skip the next one".`,
    );
  }
  const left = await turn.service.skipNext(trigger.id, turn.requester);
  const skipped = beforeMs === null ? '' : ` of ${instantWords(beforeMs, turn.nowMs, timezone)}`;
  return succeed(
    `${name} leaves out the run${skipped}. ${nextRunSentence(left, turn.nowMs, turn.zone.name)}`,
    { triggerId: left.id, nextRunAtMs: left.nextRunAtMs },
  );
}

/** @param action carries the change out once the zone is known */
export async function reschedule(
  turn: Turn,
  trigger: TriggerSummary,
  to: string,
  action: string,
): Promise<Outcome> {
  const zone = zoneForChange(trigger, turn.zone);
  const options = { nowMs: turn.nowMs, timezone: zone.name };
  const read = readChange(trigger, to, options);
  if (!read.ok) {
    const named = timezoneOfWords(to);
    if ('zone' in named) {
      return confirmed(turn, trigger, inZone(scheduleOf(trigger), named.zone), 'request');
    }
    return read.outcome;
  }
  const { schedule } = read;
  // One moment for something that repeats is about its next run; the pattern stays.
  const atMs = momentOf(schedule);
  if (atMs !== null && trigger.triggerType !== 'once') {
    return putOff(turn, await turn.service.snooze(trigger.id, atMs, turn.requester));
  }
  const source = timezoneSourceOf(
    (timezone) => {
      const again = readChange(trigger, to, { nowMs: turn.nowMs, timezone });
      return again.ok ? again.schedule : null;
    },
    zone.source,
    turn.nowMs,
  );
  if (source === 'host' && turn.run === null && isZoneUnknown(zone)) {
    return askZone(turn, action, turn.text);
  }
  return confirmed(
    turn,
    trigger,
    { ...schedule, timezone: schedule.timezone ?? zone.name },
    source,
  );
}

type Change = { ok: true; schedule: Schedule } | { ok: false; outcome: Outcome };

/** The schedule a trigger gets by "to 10am", "to every Friday at 9", "to Friday". */
function readChange(trigger: TriggerSummary, to: string, options: ReadOptions): Change {
  const time = readTimeOfDay(to, options);
  if (time) {
    const { timezone } = options;
    const moved = atTimeOfDay({ ...scheduleOf(trigger), timezone }, time, options.nowMs);
    if (moved) return { ok: true, schedule: moved };
    const text = `${quoted(trigger.displayName)} runs ${trigger.scheduleText}: it has no single time of day that I could change to ${clock(time)}. ${SCHEDULE_FORMS}`;
    return { ok: false, outcome: askUser(text) };
  }
  let read = readBare(to, options);
  if (!read.ok && trigger.nextRunAtMs !== null && !('zone' in timezoneOfWords(to))) {
    // "to Friday", "to weekdays": another day at the time it has.
    const same = clock(timeOfDayAt(trigger.nextRunAtMs, options.timezone));
    const filled = [`${to} at ${same}`, `every ${to} at ${same}`, `on ${to} at ${same}`].map(
      (words) => readBare(words, options),
    );
    read = filled.find((one) => one.ok) ?? read;
  }
  if (read.ok) return { ok: true, schedule: read.value };
  const what = `when ${quoted(trigger.displayName)} shall run`;
  return { ok: false, outcome: notUnderstood(read.question, what, SCHEDULE_FORMS) };
}

async function confirmed(
  turn: Turn,
  trigger: TriggerSummary,
  schedule: Schedule,
  source: TimezoneSource | undefined,
): Promise<Outcome> {
  const { minIntervalMs, allowSeconds } = turn.service.settings;
  const findings = validateSchedule(schedule, { nowMs: turn.nowMs, minIntervalMs, allowSeconds });
  if (findings.length > 0) {
    return refuse(`${findingWords(findings)} I changed nothing.`, {
      code: new InvalidInputError(findings).code,
    });
  }
  const confirm = turn.run === null ? turn.service.confirmationFor(schedule, turn.nowMs) : null;
  if (!confirm) return applyReschedule(turn, trigger.id, schedule, source);
  await ask(turn, {
    kind: 'confirm-reschedule',
    id: trigger.id,
    schedule,
    scheduleText: confirm.scheduleText,
    ...(source === undefined ? {} : { timezoneSource: source }),
  });
  return askUser(
    `That is ${confirm.scheduleText}, up to ${Math.floor(3_600_000 / confirm.everyMs)} runs an hour. Shall I change ${quoted(trigger.displayName)} to that? Say yes or no.`,
    { triggerId: trigger.id, confirm: confirm.scheduleText },
  );
}

export async function applyReschedule(
  turn: Turn,
  id: string,
  schedule: Schedule,
  source?: TimezoneSource,
): Promise<Outcome> {
  const patch = { schedule, ...(source === undefined ? {} : { timezoneSource: source }) };
  return rescheduled(turn, await turn.service.update(id, patch, turn.requester));
}

function rescheduled(turn: Turn, moved: TriggerSummary): Outcome {
  return succeed(
    `${quoted(moved.displayName)} now runs ${moved.scheduleText}. ${nextRunSentence(moved, turn.nowMs, turn.zone.name)}`,
    { triggerId: moved.id, nextRunAtMs: moved.nextRunAtMs },
  );
}

/** The zone of a trigger in which times said about it are read. */
function zoned(turn: Turn, trigger: TriggerSummary): { nowMs: number; timezone: string } {
  return { nowMs: turn.nowMs, timezone: zoneForChange(trigger, turn.zone).name };
}

function dayName(atMs: number, nowMs: number, zone: string): 'today' | 'tomorrow' | 'later' {
  const dayOf = (ms: number) => {
    const { year, month, day } = localParts(ms, zone);
    return Date.UTC(year, month - 1, day) / 86_400_000;
  };
  const days = dayOf(atMs) - dayOf(nowMs);
  return days === 0 ? 'today' : days === 1 ? 'tomorrow' : 'later';
}

function notUnderstood(question: string | null, what: string, forms: string): Outcome {
  return {
    text: question === null ? `I did not understand ${what}. ${forms}` : plain(question, 300),
    success: question !== null,
    ...(question === null ? {} : { asked: true }),
  };
}
