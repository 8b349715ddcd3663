/**
 * What the schedule words of a sentence say, piece by piece, before it is known whether they make a
 * schedule. Pieces are merged; two that say the same thing differently are a conflict.
 */
import type { Duration } from './amounts.js';
import type { ClockTime } from './one-time.js';
import type { DayPart, Unit } from './words.js';

/** A day that is said once. `week`: 0 the coming one, 1 in the next calendar week, and so on. */
export type DayRef =
  | { type: 'offset'; days: number }
  | { type: 'weekday'; weekday: number; week: number; sameWeek?: boolean }
  | { type: 'date'; year?: number; month: number; day: number }
  | { type: 'monthDay'; day: MonthDay; monthOffset?: number }
  | { type: 'nth'; nth: Nth; monthOffset: number }
  | { type: 'instant'; iso: string }
  | { type: 'past' }
  | { type: 'ask'; question: string };

/** `'L'` is the last day of the month. */
export type MonthDay = number | 'L';

/** "the second Tuesday", "the last Friday". */
export interface Nth {
  nth: number | 'L';
  weekday: number;
}

/** An end or a beginning: a day, a time of day, a delay, or several of them. */
export interface Bound {
  day?: DayRef;
  time?: ClockTime;
  part?: DayPart;
  delay?: Duration;
  /** The last moment of the running week, month, … */
  endOf?: Unit;
  /** The first day of the next week, month, … */
  next?: Unit;
}

export interface Facts {
  /** "every 2 weeks"; a mixture such as 2h30m is in `everyMs`. */
  every?: { count: number; unit: Unit };
  everyMs?: number;
  weekdays?: number[];
  monthDays?: MonthDay[];
  nth?: Nth[];
  months?: number[];
  /** "on the hour" is 0, "at quarter past every hour" 15. */
  minuteOfHour?: number;
  times?: ClockTime[];
  part?: DayPart;
  day?: DayRef;
  delay?: Duration;
  window?: { from: ClockTime; to: ClockTime };
  until?: Bound;
  span?: Duration;
  /** "3 times": how often at all. */
  runs?: number;
  /** "twice a day". */
  perUnit?: { count: number; unit: Unit };
  start?: Bound;
  except?: number[];
  /** '' is the user's own zone. */
  zone?: string;
  cron?: string;
  /** "Sat and Sun": weekly or once? A stated week settles it and `ask`. */
  onDays?: number[];
  /** Understood as a schedule but not settled: the question to ask. */
  ask?: string;
}

/** A run of tokens that speaks of time. */
export interface Piece {
  from: number;
  to: number;
  facts: Facts;
  /** Nothing but its words makes it one ("9am", "Friday"): between other words it may be a name. */
  bare?: boolean;
  /** "daily" in front of a noun. */
  adjective?: boolean;
  /** "sometimes": no schedule by itself, a question when something is asked for. */
  vague?: boolean;
}

/** True when the facts say that something repeats. */
export function isRecurring(facts: Facts): boolean {
  return (
    facts.every !== undefined ||
    facts.everyMs !== undefined ||
    facts.weekdays !== undefined ||
    facts.monthDays !== undefined ||
    facts.nth !== undefined ||
    facts.months !== undefined ||
    facts.perUnit !== undefined ||
    facts.cron !== undefined ||
    facts.minuteOfHour !== undefined
  );
}

/** True when the facts say when, and not only until when or in which zone. */
export function isAnchored(facts: Facts): boolean {
  return (
    isRecurring(facts) ||
    facts.times !== undefined ||
    facts.part !== undefined ||
    facts.day !== undefined ||
    facts.delay !== undefined ||
    facts.ask !== undefined
  );
}

/** Both together, or null when they contradict each other. */
export function merged(a: Facts, b: Facts): Facts | null {
  const shared = (Object.keys(b) as (keyof Facts)[]).filter(
    (key) => a[key] !== undefined && b[key] !== undefined,
  );
  const result: Facts = { ...a, ...b };
  for (const key of shared) {
    if (key === 'ask') {
      result.ask = a.ask;
    } else if (key === 'weekdays' && !a.times && !b.times) {
      result.weekdays = [...new Set([...(a.weekdays ?? []), ...(b.weekdays ?? [])])].sort(
        (x, y) => x - y,
      );
    } else if (key === 'every' && isSameCycle(a, b)) {
      result.every = a.every;
    } else if (key === 'part' && (a.times !== undefined) !== (b.times !== undefined)) {
      result.part = a.times ? a.part : b.part;
    } else if (JSON.stringify(a[key]) !== JSON.stringify(b[key])) {
      return null;
    }
  }
  if (isRecurring(result) && result.delay) return null;
  if (result.day && !absorbs(result)) return null;
  if (result.delay && (result.day || (result.delay.ms > 0 && (result.times || result.part))))
    return null;
  if (result.times && !fitsPart(result.times, result.part)) return null;
  if (result.times && isSubDaily(result)) return null;
  return result;
}

/** Several times within a day: "every 5 minutes", "hourly". */
export function isSubDaily(facts: Facts): boolean {
  const unit = facts.every?.unit;
  return (
    facts.everyMs !== undefined ||
    unit === 'second' ||
    unit === 'minute' ||
    unit === 'hour' ||
    facts.minuteOfHour !== undefined
  );
}

const PART_RANGE: Readonly<Record<DayPart, readonly [number, number]>> = {
  morning: [0, 12],
  afternoon: [12, 19],
  evening: [16, 24],
  night: [17, 30],
};

/** "every morning … at 3pm": the time belongs to something else. */
function fitsPart(times: readonly ClockTime[], part: DayPart | undefined): boolean {
  if (!part) return true;
  const [from, to] = PART_RANGE[part];
  return times.every(
    (time) =>
      !time.sure || (time.hour >= from && time.hour <= to) || (part === 'night' && time.hour <= 6),
  );
}

function isSameCycle(a: Facts, b: Facts): boolean {
  return a.every?.unit === b.every?.unit && a.every?.count === b.every?.count;
}

/** "every week" + "on Monday": the day completes the cycle. Any other cycle excludes a single day. */
function absorbs(facts: Facts): boolean {
  if (!isRecurring(facts)) return true;
  const unit = facts.every?.unit ?? facts.perUnit?.unit;
  switch (facts.day?.type) {
    case 'weekday':
      return unit === 'week' && facts.day.week === 0;
    case 'monthDay':
      return unit === 'month' || facts.months !== undefined;
    case 'nth':
      return unit === 'month';
    case 'date':
      return unit === 'year';
    case 'ask':
      return true;
    default:
      return false;
  }
}
