/** From said days and times to instants, in one time zone and relative to one moment. */

import type { Bound, DayRef, Duration, MonthDay, Nth } from '../language/index.js';
import { type ClockTime, type DayPart, hourOf, PART_HOUR, type Unit } from '../language/index.js';
import { DAY_MS } from '../shared/clock.js';
import { instantOfWall, type LocalParts, localParts, monthLength } from '../shared/zones.js';
import { parseIso } from './schedule.js';

/** A calendar day. Day and month may be out of range; they roll over. */
export interface Day {
  year: number;
  month: number;
  day: number;
}

/** The moment of reading, on the wall of the zone of the schedule. */
export interface Moment {
  nowMs: number;
  zone: string;
  now: LocalParts;
}

export function momentIn(zone: string, nowMs: number): Moment {
  return { nowMs, zone, now: localParts(nowMs, zone) };
}

/** A day `days` after `from`, with its fields in range. */
export function shifted(from: Day, days: number): Day {
  const date = new Date(Date.UTC(from.year, from.month - 1, from.day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

export function weekdayOf(day: Day): number {
  return new Date(Date.UTC(day.year, day.month - 1, day.day)).getUTCDay();
}

export function compareDays(a: Day, b: Day): number {
  return (Date.UTC(a.year, a.month - 1, a.day) - Date.UTC(b.year, b.month - 1, b.day)) / DAY_MS;
}

function dayInMonth(year: number, month: number, day: MonthDay): Day | null {
  const first = shifted({ year, month, day: 1 }, 0);
  const length = monthLength(first.year, first.month);
  if (day === 'L') return { ...first, day: length };
  return day <= length ? { ...first, day } : null;
}

export function nthInMonth(year: number, month: number, nth: Nth): Day | null {
  const first = shifted({ year, month, day: 1 }, 0);
  const length = monthLength(first.year, first.month);
  const start = 1 + ((nth.weekday - weekdayOf(first) + 7) % 7);
  const day =
    nth.nth === 'L' ? start + 7 * Math.floor((length - start) / 7) : start + 7 * (nth.nth - 1);
  return day <= length ? { ...first, day } : null;
}

/**
 * The day meant. `passed(day)` says that the time asked for is over on that day, so that "Friday" on a
 * Friday evening is the next one. "next Friday" is the Friday of the next calendar week (weeks begin on
 * Monday). Null when there is no such day; 'past' when it is over.
 */
export function resolveDay(
  ref: DayRef,
  moment: Moment,
  passed: (day: Day) => boolean,
): Day | 'past' | null {
  const today: Day = { year: moment.now.year, month: moment.now.month, day: moment.now.day };
  switch (ref.type) {
    case 'offset':
      return shifted(today, ref.days);
    case 'weekday': {
      if (ref.week > 0 && !ref.sameWeek) {
        const monday = shifted(today, -((moment.now.weekday + 6) % 7));
        return shifted(monday, ref.week * 7 + ((ref.weekday + 6) % 7));
      }
      const ahead = (ref.weekday - moment.now.weekday + 7) % 7;
      const day = shifted(today, ahead === 0 && passed(today) ? 7 : ahead);
      return shifted(day, ref.week * 7);
    }
    case 'date': {
      const named = (day: Day): Day | null =>
        ref.weekday === undefined || weekdayOf(day) === ref.weekday ? day : null;
      if (ref.year !== undefined) {
        const day = { year: ref.year, month: ref.month, day: ref.day };
        return compareDays(day, today) < 0 ? 'past' : named(day);
      }
      for (let year = today.year; year <= today.year + 8; year += 1) {
        const day = dayInMonth(year, ref.month, ref.day);
        if (day && compareDays(day, today) >= 0 && !(compareDays(day, today) === 0 && passed(day)))
          return named(day);
      }
      return null;
    }
    case 'monthDay': {
      const day = nextInMonths(moment, passed, ref.monthOffset, (year, month) =>
        dayInMonth(year, month, ref.day),
      );
      const other = ref.weekday !== undefined && day !== null && day !== 'past';
      return other && weekdayOf(day) !== ref.weekday ? null : day;
    }
    case 'nth':
      return nextInMonths(moment, passed, ref.monthOffset, (year, month) => {
        const day = nthInMonth(year, month, ref.nth);
        return ref.month === undefined || day?.month === ref.month ? day : null;
      });
    case 'past':
      return 'past';
    default:
      return null;
  }
}

function nextInMonths(
  moment: Moment,
  passed: (day: Day) => boolean,
  offset: number | undefined,
  find: (year: number, month: number) => Day | null,
): Day | 'past' | null {
  const today: Day = moment.now;
  const last = offset ?? 12;
  for (let step = offset ?? 0; step <= last; step += 1) {
    const day = find(today.year, today.month + step);
    if (!day) continue;
    const distance = compareDays(day, today);
    if (distance > 0 || (distance === 0 && !passed(day))) return day;
    if (offset !== undefined) return 'past';
  }
  return null;
}

/** The instant of a time of day on a day. Midnight "tonight" is the one at the end of the day. */
export function instantOn(
  day: Day,
  hour: number,
  minute: number,
  second: number,
  zone: string,
): number {
  return instantOfWall({ ...day, hour, minute, second }, zone);
}

/** After a delay: calendar units keep the time on the clock, clock units are elapsed. */
export function after(delay: Duration, moment: Moment): number {
  if (delay.days === 0 && delay.months === 0) return moment.nowMs + delay.ms;
  const { now } = moment;
  const target = shifted({ year: now.year, month: now.month + delay.months, day: 1 }, 0);
  const day = Math.min(now.day, monthLength(target.year, target.month));
  const date = shifted({ ...target, day }, delay.days);
  const milliseconds = ((moment.nowMs % 1000) + 1000) % 1000;
  return instantOn(date, now.hour, now.minute, now.second, moment.zone) + milliseconds + delay.ms;
}

/** The day a delay of days leads to. */
export function dayAfter(delay: Duration, moment: Moment): Day {
  const parts = localParts(after(delay, moment), moment.zone);
  return { year: parts.year, month: parts.month, day: parts.day };
}

export interface Clock {
  hour: number;
  minute: number;
  second: number;
}

/** The hour and minute of a time on the clock, for a plain day. */
export function clockOf(
  time: ClockTime | undefined,
  part: DayPart | undefined,
  waking: boolean,
): Clock | null {
  if (time) return { hour: hourOf(time, part, waking), minute: time.minute, second: time.second };
  return part ? { hour: PART_HOUR[part], minute: 0, second: 0 } : null;
}

/** The first instant of a start bound; null when nothing is bounded ("from today"). */
export function startOf(bound: Bound, moment: Moment): number | null {
  if (bound.delay) return after(bound.delay, moment);
  const today: Day = moment.now;
  const clock = clockOf(bound.time, bound.part, false);
  if (bound.next) {
    const day = firstDay(bound.next, 1, moment);
    return instantOn(day, clock?.hour ?? 0, clock?.minute ?? 0, 0, moment.zone);
  }
  const passed = (day: Day): boolean =>
    clock !== null &&
    instantOn(day, clock.hour, clock.minute, clock.second, moment.zone) <= moment.nowMs;
  if (!bound.day) {
    if (!clock) return null;
    const day = passed(today) ? shifted(today, 1) : today;
    return instantOn(day, clock.hour, clock.minute, clock.second, moment.zone);
  }
  if (bound.day.type === 'instant') return parseIso(bound.day.iso, moment.zone);
  const day = resolveDay(bound.day, moment, passed);
  if (!day || day === 'past') return null;
  if (!clock && compareDays(day, today) <= 0) return null;
  return instantOn(day, clock?.hour ?? 0, clock?.minute ?? 0, clock?.second ?? 0, moment.zone);
}

/** The last instant of an end bound. A day without a time is included to its last second. */
export function endOf(bound: Bound, moment: Moment): number | null {
  if (bound.delay) return after(bound.delay, moment);
  const today: Day = moment.now;
  // "until next week" stops before it begins, "until the end of the week" on its Sunday.
  const period = bound.endOf ?? bound.next;
  if (period) {
    const last = shifted(firstDay(period, 1 + (bound.ahead ?? 0), moment), -1);
    return instantOn(last, 23, 59, 59, moment.zone);
  }
  const clock = clockOf(bound.time, bound.part, false);
  const at = (day: Day): number => {
    if (bound.time?.midnight)
      return instantOn(shifted(day, bound.day ? 1 : 0), 0, 0, 0, moment.zone);
    return clock
      ? instantOn(day, clock.hour, clock.minute, clock.second, moment.zone)
      : instantOn(day, 23, 59, 59, moment.zone);
  };
  const passed = (day: Day): boolean => at(day) <= moment.nowMs;
  if (!bound.day) return passed(today) ? at(shifted(today, 1)) : at(today);
  if (bound.day.type === 'instant') return parseIso(bound.day.iso, moment.zone);
  const day = resolveDay(bound.day, moment, passed);
  return !day || day === 'past' ? null : at(day);
}

/** The first day of the running week, month …, or of the one so many ahead; weeks begin on Monday. */
function firstDay(unit: Unit, ahead: number, { now }: Moment): Day {
  switch (unit) {
    case 'week':
      return shifted(now, 7 * ahead - ((now.weekday + 6) % 7));
    case 'month':
      return shifted({ year: now.year, month: now.month + ahead, day: 1 }, 0);
    case 'year':
      return { year: now.year + ahead, month: 1, day: 1 };
    default:
      return shifted(now, ahead);
  }
}
