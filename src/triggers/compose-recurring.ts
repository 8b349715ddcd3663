/** Recurring facts → cron where wall time matters, an interval where only the distance does. */

import type { ClockTime, Unit } from '../language/index.js';
import { isSubDaily, type ScheduleFields, WEEKDAY_OF_DATE } from '../language/index.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import {
  type Clock,
  clockOf,
  type Day,
  instantOn,
  type Moment,
  momentIn,
  nthInMonth,
  shifted,
  startOf,
  weekdayOf,
} from './calendar.js';
import type { Schedule } from './schema.js';

/** A schedule, or what has to be asked first. */
export type Composed = { schedule: Schedule } | { question: string };

const ALL_DAYS = [0, 1, 2, 3, 4, 5, 6];
const WHICH_DAY: Partial<Record<Unit, string>> = {
  week: 'day of the week',
  month: 'day of the month',
  year: 'date',
};
const UNIT_MS: Partial<Record<Unit, number>> = {
  second: SECOND_MS,
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/** The schedule of facts that repeat. Its bounds are added by the caller, except a start it needs itself. */
export function composeRecurring(said: ScheduleFields, moment: Moment, waking: boolean): Composed {
  if (said.cron !== undefined) {
    if (said.times || said.every || said.weekdays)
      return { question: 'Shall I follow the cron expression or the words?' };
    return cron(said.cron, moment);
  }
  const counted = withoutPerUnit(said);
  if ('question' in counted) return counted;
  const { day } = counted.facts;
  if ((day?.type === 'monthDay' || day?.type === 'date') && day.weekday !== undefined)
    return { question: WEEKDAY_OF_DATE };
  const facts = withoutExceptions(withStart(absorbDay(counted.facts)));
  if (facts.weekdays?.length === 0)
    return { question: 'That leaves no day at all. On which days should it be?' };
  return isSubDaily(facts) ? subDaily(facts, moment) : daily(facts, moment, waking);
}

/** "twice a day at 9 and 17:00" is daily at two times; "twice a day" alone leaves the times open. */
function withoutPerUnit(facts: ScheduleFields): { facts: ScheduleFields } | { question: string } {
  if (!facts.perUnit) return { facts };
  const { perUnit, ...rest } = facts;
  if (perUnit.unit === 'day' && facts.times?.length === perUnit.count)
    return { facts: { ...rest, every: { count: 1, unit: 'day' } } };
  if (perUnit.unit === 'week' && facts.weekdays?.length === perUnit.count) return { facts: rest };
  if (perUnit.unit === 'month' && facts.monthDays?.length === perUnit.count) return { facts: rest };
  if (perUnit.unit === 'hour' && 60 % perUnit.count === 0)
    return { facts: { ...rest, every: { count: 60 / perUnit.count, unit: 'minute' } } };
  const what = perUnit.unit === 'day' ? 'At which times' : 'On which days, and at what time';
  return { question: `${what} should that be?` };
}

function absorbDay(facts: ScheduleFields): ScheduleFields {
  const { day, ...rest } = facts;
  switch (day?.type) {
    case 'weekday':
      return { ...rest, weekdays: [...(facts.weekdays ?? []), day.weekday] };
    case 'monthDay':
      return { ...rest, monthDays: [...(facts.monthDays ?? []), day.day] };
    case 'nth': {
      const months = day.month === undefined ? {} : { months: [day.month] };
      return { ...rest, ...months, nth: [...(facts.nth ?? []), day.nth] };
    }
    case 'date':
      return { ...rest, months: [day.month], monthDays: [day.day] };
    default:
      return facts;
  }
}

/** "every week starting Monday", "every 3 months starting 10 November": the start names the day. */
function withStart(facts: ScheduleFields): ScheduleFields {
  const { day, month } = facts.start ?? {};
  const unit = facts.every?.unit;
  if (month || facts.monthDays || facts.nth || facts.weekdays || facts.months) return facts;
  if (day?.type === 'weekday' && unit === 'week') return { ...facts, weekdays: [day.weekday] };
  if (day?.type !== 'date') return facts;
  if (unit === 'month') return { ...facts, monthDays: [day.day] };
  return unit === 'year' ? { ...facts, months: [day.month], monthDays: [day.day] } : facts;
}

function withoutExceptions(facts: ScheduleFields): ScheduleFields {
  if (!facts.except) return facts;
  const { except, ...rest } = facts;
  return { ...rest, weekdays: (facts.weekdays ?? ALL_DAYS).filter((day) => !except.includes(day)) };
}

function cron(cronExpression: string, moment: Moment): Composed {
  return { schedule: { triggerType: 'cron', cronExpression, timezone: moment.zone } };
}

function subDaily(facts: ScheduleFields, moment: Moment): Composed {
  const every =
    facts.every ?? (facts.everyMs === undefined ? { count: 1, unit: 'hour' as Unit } : undefined);
  if (facts.part) return { question: 'Between which hours should that be?' };
  if (facts.monthDays || facts.nth || facts.months)
    return { question: 'Between which hours of those days should it be?' };
  const intervalMs = facts.everyMs ?? (every ? every.count * (UNIT_MS[every.unit] ?? 0) : 0);
  const onClock =
    facts.window !== undefined || facts.weekdays !== undefined || facts.minuteOfHour !== undefined;
  if (!onClock) return interval(intervalMs, facts, moment);
  const weekdays = facts.weekdays ? weekdayField(facts.weekdays) : '*';
  if (facts.weekdays && facts.window && facts.window.to.hour < facts.window.from.hour)
    return { question: 'Those hours go on past midnight. On which days should they begin?' };
  const odd = {
    question:
      'Those steps do not fit evenly into a day with such limits. Which times exactly should it be?',
  };
  if (intervalMs % MINUTE_MS !== 0) return odd;
  const minutes = intervalMs / MINUTE_MS;
  if (minutes < 60) {
    if (60 % minutes !== 0 || facts.minuteOfHour !== undefined) return odd;
    const field = minutes === 1 ? '*' : `*/${minutes}`;
    if (!facts.window) return cron(`${field} * * * ${weekdays}`, moment);
    const { from, to } = facts.window;
    // The end is no start of a further hour: "until 17:00" at steps of half an hour ends with 16:30.
    if (from.minute !== 0 || to.minute !== 0)
      return { question: 'I can only keep to full hours there. From which hour to which?' };
    const last = (to.hour === 0 ? 24 : to.hour) - 1;
    if (last < from.hour) return cron(`${field} ${from.hour}-23,0-${last} * * ${weekdays}`, moment);
    return cron(`${field} ${range(from.hour, last)} * * ${weekdays}`, moment);
  }
  if (minutes % 60 !== 0) return odd;
  const hours = minutes / 60;
  const step = hours === 1 ? '' : `/${hours}`;
  if (!facts.window) {
    if (24 % hours !== 0) return odd;
    return cron(`${facts.minuteOfHour ?? 0} *${step} * * ${weekdays}`, moment);
  }
  const { from, to } = facts.window;
  const minute = facts.minuteOfHour ?? from.minute;
  const end = to.minute < minute ? to.hour - 1 : to.hour;
  if (end < from.hour) {
    if (end < 0) return odd;
    const list = Array.from({ length: (end + 24 - from.hour) / hours + 1 }, (_, step) => {
      return (from.hour + step * hours) % 24;
    });
    const field = hours > 1 ? list.join(',') : `${from.hour}-23,${range(0, end)}`;
    return cron(`${minute} ${field} * * ${weekdays}`, moment);
  }
  return cron(
    `${minute} ${from.hour === end ? String(from.hour) : `${from.hour}-${end}${step}`} * * ${weekdays}`,
    moment,
  );
}

function range(from: number, to: number): string {
  return from === to ? String(from) : `${from}-${to}`;
}

function interval(intervalMs: number, facts: ScheduleFields, moment: Moment): Composed {
  if (intervalMs <= 0 || !Number.isInteger(intervalMs))
    return { question: 'How often should that be?' };
  const schedule: Schedule = { triggerType: 'interval', intervalMs };
  const startMs = facts.start ? startOf(facts.start, moment) : null;
  if (startMs !== null) schedule.startAtIso = new Date(startMs).toISOString();
  if (startMs !== null || facts.zone) schedule.timezone = moment.zone;
  return { schedule };
}

function daily(facts: ScheduleFields, moment: Moment, waking: boolean): Composed {
  const times = facts.times ?? (facts.start?.time ? [facts.start.time] : []);
  const part = facts.part ?? (facts.times ? undefined : facts.start?.part);
  const unit = facts.every?.unit ?? 'day';
  const count = facts.every?.count ?? 1;
  if (facts.window) return { question: 'How often between those hours?' };
  const clocks =
    times.length > 0
      ? times.map((time) => clockOf(time, part, waking))
      : [clockOf(undefined, part, waking)];
  const first = clocks[0];
  const named = facts.weekdays ?? facts.monthDays ?? facts.nth ?? facts.months;
  if (!first) {
    if (named === undefined && count > 1 && (unit === 'day' || unit === 'week'))
      return interval(count * (UNIT_MS[unit] ?? 0), facts, moment);
    const open = named === undefined && (unit !== 'week' || facts.start?.day === undefined);
    const day = WHICH_DAY[unit];
    return { question: open && day ? `On which ${day}, and at what time?` : 'At what time?' };
  }
  if (!ascend(clocks, times))
    return { question: 'Which of those times are in the morning, and which in the evening?' };
  const minute = first.minute;
  if (clocks.some((clock) => clock?.minute !== minute || clock.second !== 0)) {
    return {
      question:
        'Those times differ in their minutes, and one schedule cannot do that. Which one shall I take first?',
    };
  }
  const hours = [...new Set(clocks.map((clock) => clock?.hour ?? 0))]
    .sort((a, b) => a - b)
    .join(',');
  const at = `${minute} ${hours}`;
  if (count > 1 && (unit === 'day' || unit === 'week'))
    return everyFewDays(facts, count, unit, first, clocks.length, moment);
  if (unit === 'year' || facts.months) return yearly(facts, at, count);
  if (unit === 'month' || facts.monthDays || facts.nth) return monthly(facts, at, count, moment);
  const { weekdays } = facts;
  if (unit === 'week' && !weekdays) return { question: 'On which day of the week?' };
  return cron(
    `${at} * * ${weekdays && weekdays.length < 7 ? weekdayField(weekdays) : '*'}`,
    moment,
  );

  function yearly(given: ScheduleFields, clock: string, years: number): Composed {
    if (!given.months || years > 1)
      return {
        question:
          years > 1 ? 'I can repeat that every year only. Shall I?' : 'On which date of the year?',
      };
    if (given.nth) return nthField(given, clock, given.months.join(','), moment);
    if (!given.monthDays) return { question: 'On which day of that month?' };
    return cron(`${clock} ${given.monthDays.join(',')} ${given.months.join(',')} *`, moment);
  }
}

/**
 * Times of a day are said in their order: "9 and 9" and "8, 12, 4 and 8" end in the evening. False
 * where that leaves a choice, as for "9 and 7".
 */
function ascend(clocks: readonly (Clock | null)[], times: readonly ClockTime[]): boolean {
  const [first, second] = clocks;
  const twice = first && second && first.hour === second.hour && first.minute === second.minute;
  if (twice && times.every((time) => !time.sure)) first.hour %= 12;
  return clocks.every((clock, index) => {
    const before = clocks[index - 1];
    if (!clock || !before || times[index]?.sure !== false) return true;
    const ahead = (): number => clock.hour * 60 + clock.minute - before.hour * 60 - before.minute;
    if (ahead() > 0) return true;
    if (clock.hour >= 12 || (clocks.length < 3 && ahead() < 0)) return false;
    clock.hour += 12;
    return ahead() > 0;
  });
}

/** Steps of several days keep their time of day and are counted from their first occurrence. */
function everyFewDays(
  facts: ScheduleFields,
  count: number,
  unit: 'day' | 'week',
  clock: Clock,
  times: number,
  moment: Moment,
): Composed {
  if (times > 1) return { question: 'With such steps I can keep one time of day only. Which one?' };
  if (facts.monthDays || facts.nth || facts.months)
    return { question: 'I cannot combine those. On which days should it be?' };
  const { weekdays } = facts;
  if (unit === 'day' && weekdays)
    return {
      question: 'Counting days and naming weekdays does not go together. On which weekdays?',
    };
  if (unit === 'week' && weekdays?.length !== 1)
    return { question: 'On which day of the week? With such steps I can keep one.' };
  const startMs = facts.start ? startOf(facts.start, moment) : null;
  const from = Math.max(moment.nowMs, startMs ?? 0);
  let day: Day = moment.now;
  for (let step = 0; step < 800; step += 1, day = shifted(day, 1)) {
    if (weekdays && weekdayOf(day) !== weekdays[0]) continue;
    const atMs = instantOn(day, clock.hour, clock.minute, clock.second, moment.zone);
    if (atMs < from || atMs === moment.nowMs) continue;
    return {
      schedule: {
        triggerType: 'interval',
        intervalMs: count * (unit === 'week' ? 7 : 1) * DAY_MS,
        wallClock: true,
        startAtIso: new Date(atMs).toISOString(),
        timezone: moment.zone,
      },
    };
  }
  return { question: 'When should that begin?' };
}

function monthly(facts: ScheduleFields, at: string, count: number, moment: Moment): Composed {
  if (count > 1 && 12 % count !== 0)
    return {
      question: `I cannot count in steps of ${count} months. In which months should it be?`,
    };
  const months = count === 1 ? '*' : monthsFrom(facts, count, moment);
  if (facts.nth && facts.monthDays)
    return { question: 'I cannot combine those days in one schedule. Which one shall I take?' };
  if (facts.nth) return nthField(facts, at, months, moment);
  if (facts.weekdays)
    return {
      question: 'Which one of those weekdays in the month: the first, the second, the last?',
    };
  if (!facts.monthDays) return { question: 'On which day of the month?' };
  const days = [...facts.monthDays].sort((a, b) => (a === 'L' ? 32 : a) - (b === 'L' ? 32 : b));
  return cron(`${at} ${days.join(',')} ${months} *`, moment);
}

/** Every n-th month, counted from the first possible one in the schedule's zone. */
function monthsFrom(facts: ScheduleFields, count: number, moment: Moment): string {
  const startMs = facts.start ? startOf(facts.start, moment) : null;
  const from = startMs === null ? moment.now : momentIn(moment.zone, startMs).now;
  const nth = facts.nth?.[0];
  const day = facts.monthDays?.[0] ?? (nth && nthInMonth(from.year, from.month, nth)?.day);
  const earliest = startMs === null ? from.day + 1 : from.day;
  const passed = typeof day === 'number' && day < earliest ? 1 : 0;
  const first = (from.month - 1 + passed) % count;
  return Array.from({ length: 12 / count }, (_, index) => first + 1 + index * count).join(',');
}

function nthField(facts: ScheduleFields, at: string, months: string, moment: Moment): Composed {
  const days = (facts.nth ?? []).map(({ nth, weekday }) =>
    nth === 'L' ? `${weekday}L` : `${weekday}#${nth}`,
  );
  return cron(`${at} * ${months} ${days.join(',')}`, moment);
}

/** Day numbers as cron writes them; three or more in a row as a range. */
export function weekdayField(weekdays: readonly number[]): string {
  const days = [...new Set(weekdays)].sort((a, b) => a - b);
  if (days.length === Object.keys(ALL_DAYS).length) return '*';
  const parts: string[] = [];
  for (let index = 0; index < days.length; index += 1) {
    let last = index;
    while (days[last + 1] === (days[last] ?? 0) + 1) last += 1;
    if (last - index >= 2) {
      parts.push(`${days[index]}-${days[last]}`);
      index = last;
    } else parts.push(String(days[index]));
  }
  return parts.join(',');
}
