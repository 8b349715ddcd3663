/**
 * Facts → a schedule, or the question that is still open. Nothing here looks at words.
 *
 * Defaults, stated in the confirmation: morning 09:00, afternoon 14:00, evening 18:00, night 20:00; an
 * hour without am/pm is 7–11 am, 12 noon, 1–6 pm (being woken: 4–11 am); an end day is included.
 */
import { isTimeZone } from '../../shared/zones.js';
import { nextRunAfter } from '../schedule.js';
import type { Schedule } from '../schema.js';
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
import { type Facts, isRecurring, isSubDaily } from './facts.js';
import type { ClockTime } from './one-time.js';
import { WEEKDAY_NAMES } from './words.js';

export interface ComposeContext {
  nowMs: number;
  timezone: string;
  /** The request is to be woken, so a bare 6 is in the morning. */
  waking: boolean;
}

/** The schedule the facts make; an unknown `timezone` counts as UTC. */
export function compose(said: Facts, context: ComposeContext): Composed {
  const facts = withTimeOfEnd(withDaysOfWeek(said));
  const own = isTimeZone(context.timezone) ? context.timezone : 'UTC';
  const zone = facts.zone ? facts.zone : own;
  const moment = momentIn(zone, context.nowMs);
  if (facts.day?.type === 'ask') return { question: facts.day.question };
  if (facts.ask) return { question: facts.ask };
  const composed = isRecurring(facts)
    ? composeRecurring(facts, moment, context.waking)
    : composeOnce(facts, moment, context.waking);
  if ('question' in composed) return composed;
  const bounded = withBounds(composed.schedule, facts, moment);
  if ('question' in bounded) return bounded;
  try {
    if (nextRunAfter(bounded.schedule, context.nowMs) === null) {
      return { question: 'That would be over before its first time. When should it end?' };
    }
  } catch {
    return { question: 'I cannot run that schedule. How often, and at what time, should it be?' };
  }
  return bounded;
}

/** "Sat and Sun at 9am every week": the week says that they repeat. */
function withDaysOfWeek(facts: Facts): Facts {
  if (!facts.onDays || facts.every?.unit !== 'week' || facts.every.count !== 1) return facts;
  const { ask: _ask, onDays, every: _every, ...rest } = facts;
  return { ...rest, weekdays: onDays };
}

/** "every day until July 1st at 7am": where no other time is said, it is that of every day. */
function withTimeOfEnd(facts: Facts): Facts {
  const time = facts.until?.day && facts.until.time;
  if (!time || !isRecurring(facts) || isSubDaily(facts)) return facts;
  if (facts.times || facts.part || facts.cron || facts.start?.time) return facts;
  const { time: _time, part, ...until } = facts.until ?? {};
  return { ...facts, times: [time], until, ...(part ? { part } : {}) };
}

function withBounds(schedule: Schedule, facts: Facts, moment: Moment): Composed {
  if (schedule.triggerType === 'once') return { schedule };
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
    const untilMs = endOf(facts.until, moment);
    if (untilMs === null || untilMs <= moment.nowMs)
      return { question: 'That end lies in the past. Until when should it go on?' };
    result.untilIso = new Date(untilMs).toISOString();
  } else if (facts.span) {
    const from =
      result.startAtIso === undefined || result.wallClock
        ? moment
        : momentIn(moment.zone, Date.parse(result.startAtIso));
    result.untilIso = new Date(after(facts.span, from)).toISOString();
  } else if (facts.runs) {
    const untilMs = lastOf(result, facts.runs, moment.nowMs);
    if (untilMs === null)
      return { question: 'I could not count those times. Until when should it go on?' };
    result.untilIso = new Date(untilMs).toISOString();
  }
  return { schedule: result };
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

function composeOnce(facts: Facts, moment: Moment, waking: boolean): Composed {
  const times = facts.times ?? [];
  if (times.length > 1)
    return { question: 'That is more than one time, and I can set one at a time. Which one?' };
  if (facts.day?.type === 'instant') return once(instantOfIso(facts.day.iso, moment), moment);
  if (facts.delay) {
    if (!facts.times && !facts.part) return once(after(facts.delay, moment), moment);
    return onDay(dayAfter(facts.delay, moment), facts, moment, waking);
  }
  if (!facts.day) return nextTimeOfDay(facts, moment, waking);
  const clock = clockOf(times[0], facts.part, waking);
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
  return onDay(day, facts, moment, waking);
}

function onDay(day: Day, facts: Facts, moment: Moment, waking: boolean): Composed {
  const time = facts.times?.[0];
  const clock = clockOf(time, facts.part, waking);
  if (!clock) return { question: 'At what time?' };
  const today = compareDays(day, moment.now) === 0;
  let target = day;
  if (time?.midnight || (clock.hour === 0 && facts.part === 'night')) {
    if (!today && facts.part !== 'night') {
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
function nextTimeOfDay(facts: Facts, moment: Moment, waking: boolean): Composed {
  const time: ClockTime | undefined = facts.times?.[0];
  if (!time && !facts.part) return { question: 'When should I do it?' };
  if (time && !time.sure && !facts.part && !(waking && time.hour >= 4 && time.hour <= 11)) {
    return {
      question: `Today or tomorrow, and is that ${spoken(time)} in the morning or in the evening?`,
    };
  }
  const clock = clockOf(time, facts.part, waking);
  if (!clock) return { question: 'At what time?' };
  const today: Day = moment.now;
  const atMs = instantOn(today, clock.hour, clock.minute, clock.second, moment.zone);
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

function instantOfIso(iso: string, moment: Moment): number {
  if (/Z$|[+-]\d{2}:?\d{2}$/.test(iso)) return Date.parse(iso);
  const wall = new Date(`${iso}Z`);
  const day = {
    year: wall.getUTCFullYear(),
    month: wall.getUTCMonth() + 1,
    day: wall.getUTCDate(),
  };
  return instantOn(
    day,
    wall.getUTCHours(),
    wall.getUTCMinutes(),
    wall.getUTCSeconds(),
    moment.zone,
  );
}

function once(atMs: number, moment: Moment): Composed {
  if (!Number.isFinite(atMs) || atMs > moment.nowMs + 100 * 366 * 86_400_000)
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
