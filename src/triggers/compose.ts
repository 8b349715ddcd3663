/**
 * ScheduleFields → a schedule, or the question that is still open. Nothing here looks at words.
 *
 * Defaults, stated in the confirmation: morning 09:00, afternoon 14:00, evening 18:00, night 20:00; an
 * hour without am/pm is 7–11 am, 12 noon, 1–6 pm (being woken: 4–11 am); an end day is included.
 */

import type { ClockTime } from '../language/index.js';
import {
  type Bound,
  type DayPart,
  isRecurring,
  isSubDaily,
  type ScheduleFields,
  WEEKDAY_NAMES,
} from '../language/index.js';
import { HOUR_MS } from '../shared/clock.js';
import { isTimeZone, zoneOffsetMs } from '../shared/zones.js';
import {
  after,
  clockOf,
  compareDays,
  type Day,
  dayAfter,
  endOf,
  instantOn,
  type Moment,
  momentIn,
  resolveDay,
  shifted,
  startOf,
} from './calendar.js';
import { type Composed, composeRecurring } from './compose-recurring.js';
import { nextRunAfter, parseIso } from './schedule.js';
import type { Schedule } from './schema.js';

export interface ComposeContext {
  nowMs: number;
  timezone: string;
  /** The request is to be woken, so a bare 6 is in the morning. */
  waking: boolean;
}

const NO_SUCH = 'There is no such day or time. When should it be?';

/** The schedule the facts make; an unknown `timezone` counts as UTC. */
export function compose(said: ScheduleFields, context: ComposeContext): Composed {
  const facts = withTimeOfEnd(withDayOfWindow(withDaysOfSpan(withStatedPeriod(said))));
  const own = isTimeZone(context.timezone) ? context.timezone : 'UTC';
  const zone = facts.zone ? facts.zone : own;
  const moment = momentIn(zone, context.nowMs);
  for (const day of [facts.day, facts.start?.day, facts.until?.day]) {
    if (day?.type === 'ask') return { question: day.question };
    if (day?.type === 'instant' && parseIso(day.iso, zone) === null) return { question: NO_SUCH };
  }
  if (facts.ask) return { question: facts.ask };
  const composed = isRecurring(facts)
    ? composeRecurring(facts, moment, context.waking)
    : composeOnce(facts, moment, context.waking);
  if ('question' in composed) return composed;
  const bounded = withBounds(composed.schedule, facts, moment);
  if ('question' in bounded) return bounded;
  if (facts.daylight && !isDaylight(bounded.schedule, zone)) {
    return {
      question: `That is the name of a summer time that does not hold then in ${zone}. Which place is meant?`,
    };
  }
  try {
    if (nextRunAfter(bounded.schedule, context.nowMs) === null) {
      return { question: 'That would be over before its first time. When should it end?' };
    }
  } catch {
    return { question: NO_SUCH };
  }
  return bounded;
}

/** "Thursday 9 am BST", said in winter, is another hour than 9 in London. Recurring times follow the place. */
function isDaylight({ scheduledAtIso }: Schedule, zone: string): boolean {
  if (scheduledAtIso === undefined) return true;
  const atMs = Date.parse(scheduledAtIso);
  const year = new Date(atMs).getUTCFullYear();
  const ends = [0, 6].map((month) => zoneOffsetMs(Date.UTC(year, month, 1), zone));
  return zoneOffsetMs(atMs, zone) === Math.max(...ends);
}

/** "Sat and Sun at 9am every week", "Dec 21st and 31st every year": the period says that they repeat. */
function withStatedPeriod(facts: ScheduleFields): ScheduleFields {
  const { ask: _ask, onDays, onDates, ...rest } = facts;
  const unit = facts.every?.unit;
  if (facts.day?.type === 'ask' && facts.day.period && isRecurring(facts)) {
    const { unit, ahead } = facts.day.period;
    const { day: _day, ...others } = facts;
    return { ...others, ...(ahead && { start: { next: unit } }), until: { endOf: unit, ahead } };
  }
  if (onDays && (unit === 'week' || unit === 'month')) {
    const weekly = unit === 'week' && facts.every?.count === 1;
    const { every, ...others } = rest;
    return { ...others, ...(weekly ? {} : { every }), weekdays: onDays };
  }
  return onDates && unit === 'year' ? { ...rest, ...onDates } : facts;
}

/** "for the next 5 days at 9pm": on each of them. */
function withDaysOfSpan(facts: ScheduleFields): ScheduleFields {
  const days = facts.span !== undefined && facts.span.ms === 0 && !facts.day && !facts.delay;
  if (!days || isRecurring(facts) || !(facts.times || facts.part)) return facts;
  return { ...facts, every: { count: 1, unit: 'day' } };
}

/** "tomorrow from 8 to 10 every 15 minutes": those hours of that day are all of it. */
function withDayOfWindow(facts: ScheduleFields): ScheduleFields {
  const { day, window, ...rest } = facts;
  if (!day || day.type === 'ask' || !window || !isSubDaily(facts)) return facts;
  return { ...rest, start: { day, time: window.from }, until: { day, time: window.to } };
}

/** "every day until July 1st at 7am": where no other time is said, it is that of every day. */
function withTimeOfEnd(facts: ScheduleFields): ScheduleFields {
  const time = facts.until?.day && facts.until.time;
  if (!time || !isRecurring(facts) || isSubDaily(facts)) return facts;
  if (facts.times || facts.part || facts.cron || facts.start?.time) return facts;
  const { time: _time, part, ...until } = facts.until ?? {};
  return { ...facts, times: [time], until, ...(part ? { part } : {}) };
}

function withBounds(schedule: Schedule, facts: ScheduleFields, moment: Moment): Composed {
  if (schedule.triggerType === 'once') {
    return boundless(facts)
      ? { schedule }
      : { question: 'Is that once, or how often? A single time has no beginning and no end.' };
  }
  const result: Schedule = { ...schedule };
  if (facts.start && result.startAtIso === undefined) {
    const startMs = startOf(facts.start, moment);
    if (startMs !== null) {
      if (startMs < moment.nowMs)
        return { question: 'That start lies in the past. When should it begin?' };
      result.startAtIso = new Date(startMs).toISOString();
    }
  }
  if (facts.until) {
    const startMs = Date.parse(result.startAtIso ?? '');
    if (facts.start && isBefore(facts.until, facts.start))
      return { question: 'That end lies before the start. From when until when should it go on?' };
    const named = endOf(facts.until, moment);
    // "from November until February": the end is the first one after the start.
    const untilMs =
      named !== null && named < startMs
        ? endOf(facts.until, momentIn(moment.zone, startMs))
        : named;
    if (untilMs === null || untilMs <= moment.nowMs)
      return { question: 'That end lies in the past. Until when should it go on?' };
    result.untilIso = new Date(untilMs).toISOString();
  } else if (facts.span) {
    const from =
      result.startAtIso === undefined || result.wallClock
        ? moment
        : momentIn(moment.zone, Date.parse(result.startAtIso));
    result.untilIso = new Date(after(facts.span, from)).toISOString();
  }
  if (facts.runs === 1) return { question: 'Only once, or again and again?' };
  if (facts.runs) {
    const untilMs = lastOf(result, facts.runs, moment.nowMs);
    if (untilMs === null)
      return { question: 'I could not count those times. Until when should it go on?' };
    result.untilIso = new Date(untilMs).toISOString();
  }
  return { schedule: result };
}

function boundless({ until, span, runs, start, except, window }: ScheduleFields): boolean {
  return !(until ?? span ?? except ?? window ?? start) && (runs ?? 1) === 1;
}

/** "from 20 March to 10 March": of a whole year less some days nobody speaks like that. */
function isBefore({ day: end }: Bound, { day: start }: Bound): boolean {
  if (end?.type !== 'date' || start?.type !== 'date' || end.month !== start.month) return false;
  return end.year === start.year && end.day < start.day;
}

/** When the n-th run is over, with room for a clock that starts a moment later. */
function lastOf(schedule: Schedule, runs: number, nowMs: number): number | null {
  if (runs > 1_000) return null;
  if (schedule.triggerType === 'interval' && schedule.startAtIso === undefined) {
    return nowMs + Math.floor((runs + 0.5) * (schedule.intervalMs ?? 0));
  }
  let at: number | null = nowMs;
  for (let run = 0; run < runs && at !== null; run += 1) at = nextRunAfter(schedule, at);
  return at;
}

function composeOnce(facts: ScheduleFields, moment: Moment, waking: boolean): Composed {
  const times = facts.times ?? [];
  if (times.length > 1)
    return { question: 'That is more than one time, and I can set one at a time. Which one?' };
  if (facts.day?.type === 'instant') return once(parseIso(facts.day.iso, moment.zone), moment);
  if (facts.delay) {
    if (!facts.times && !facts.part) return once(after(facts.delay, moment), moment);
    return onDay(dayAfter(facts.delay, moment), facts, moment, waking);
  }
  if (!facts.day) return nextTimeOfDay(facts, moment, waking);
  const clock = clockOf(times[0], facts.part, waking);
  if (isOdd(times[0], facts.part)) return { question: WHICH_HALF };
  const passed = (day: Day): boolean =>
    clock !== null &&
    instantOn(day, clock.hour, clock.minute, clock.second, moment.zone) <= moment.nowMs;
  const day = resolveDay(facts.day, moment, passed);
  if (day === 'past') return { question: 'That lies in the past. Which day do you mean?' };
  if (day === null) return { question: 'I know no such day. Which day do you mean?' };
  if (!clock)
    return {
      question: `At what time${facts.day.type === 'offset' && facts.day.days === 0 ? ' today' : ''}?`,
    };
  return onDay(shifted(day, facts.dayShift ?? 0), facts, moment, waking);
}

const WHICH_HALF = 'Is that before or after noon? Please say it with am or pm.';

/** "tonight at 2", "this afternoon at 12": the hour does not lie where the part of the day does. */
function isOdd(time: ClockTime | undefined, part: DayPart | undefined): boolean {
  if (time === undefined || time.sure || part === undefined) return false;
  const hour = time.hour % 12;
  return part === 'night' ? hour > 0 && hour < 5 : hour === 0 && part !== 'evening';
}

function onDay(day: Day, facts: ScheduleFields, moment: Moment, waking: boolean): Composed {
  const time = facts.times?.[0];
  const clock = clockOf(time, facts.part, waking);
  if (!clock) return { question: 'At what time?' };
  const today = compareDays(day, moment.now) === 0;
  let target = day;
  const late = facts.part === 'night' || facts.part === 'evening';
  if (time?.midnight || (clock.hour === 0 && late)) {
    if (!today && !late) {
      return {
        question: `Midnight at the start of ${WEEKDAY_NAMES[new Date(Date.UTC(day.year, day.month - 1, day.day)).getUTCDay()]} or at its end?`,
      };
    }
    target = shifted(day, 1);
  } else if (facts.part === 'night' && clock.hour < 5) target = shifted(day, 1);
  let atMs = instantOn(target, clock.hour, clock.minute, clock.second, moment.zone);
  const loose = time && !time.sure && !facts.part && facts.day?.type !== 'date';
  if (atMs <= moment.nowMs && today && loose && clock.hour < 12) {
    // "today at 9", said at noon, can only be the evening's; "2026-11-21 at 9:00" is a mistake.
    atMs = instantOn(target, clock.hour + 12, clock.minute, clock.second, moment.zone);
  }
  if (atMs <= moment.nowMs) return { question: 'That time has passed already. When should it be?' };
  return once(atMs, moment);
}

/** A time without a day is its next occurrence, if it is clear which time it is. */
function nextTimeOfDay(facts: ScheduleFields, moment: Moment, waking: boolean): Composed {
  const time: ClockTime | undefined = facts.times?.[0];
  if (!time && !facts.part) return { question: 'When should I do it?' };
  const clock = clockOf(time, facts.part, waking);
  if (!clock) return { question: 'At what time?' };
  const today: Day = moment.now;
  const atMs = instantOn(today, clock.hour, clock.minute, clock.second, moment.zone);
  const open = time && !time.sure && !facts.part && !(waking && time.hour >= 4 && time.hour <= 11);
  // "at 3", said at ten, is the three that comes next and the one that people mean; "at 9" is not.
  if (open && (atMs <= moment.nowMs || atMs - moment.nowMs > 12 * HOUR_MS)) {
    return {
      question: `Today or tomorrow, and is that ${spoken(time)} in the morning or in the evening?`,
    };
  }
  if (atMs > moment.nowMs) return once(atMs, moment);
  return once(
    instantOn(shifted(today, 1), clock.hour, clock.minute, clock.second, moment.zone),
    moment,
  );
}

function spoken(time: ClockTime): string {
  return time.minute === 0
    ? String(time.hour)
    : `${time.hour}:${String(time.minute).padStart(2, '0')}`;
}

function once(atMs: number | null, moment: Moment): Composed {
  if (atMs === null || atMs > moment.nowMs + 100 * 366 * 86_400_000)
    return { question: 'That is too far away. When should it be?' };
  if (atMs <= moment.nowMs) return { question: 'That lies in the past. When should it be?' };
  return {
    schedule: {
      triggerType: 'once',
      scheduledAtIso: new Date(atMs).toISOString(),
      timezone: moment.zone,
    },
  };
}
