/**
 * What the words of time in a sentence say, piece by piece. Pieces are merged; two that say the same
 * thing differently are a conflict.
 */
import type { ClockTime, Duration } from './clock.js';
import type { DayPart, Unit } from './words.js';

/** A day that is said once. `week`: 0 the coming one, 1 in the next calendar week, and so on. */
export type DayRef =
  | { type: 'offset'; days: number }
  | { type: 'weekday'; weekday: number; week: number; sameWeek?: boolean }
  | { type: 'date'; year?: number; month: number; day: number; weekday?: number }
  | { type: 'monthDay'; day: MonthDay; monthOffset?: number; weekday?: number }
  /** In the month that many months ahead, or in the next one of that name. */
  | { type: 'nth'; nth: Nth; monthOffset?: number; month?: number }
  | { type: 'instant'; iso: string }
  | { type: 'past' }
  /** `period`: what a recurrence beside it is limited to, in this week or the next one. */
  | { type: 'ask'; question: string; period?: { unit: Unit; ahead: 0 | 1 } };

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
  /** The last moment of the running week, month, …, or of the one that many ahead. */
  endOf?: Unit;
  ahead?: number;
  /** `day` is the first one of a month that was named without a day. */
  month?: boolean;
  /** The first day of the next week, month, … */
  next?: Unit;
}

export interface ScheduleFields {
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
  /** "20 minutes before": counted from an event; `words` is how many of them bind the length to it. */
  offset?: {
    ms: number;
    days: number;
    months: number;
    sign: 1 | -1;
    words: number;
    part?: DayPart;
  };
  /** That many days from `day`. */
  dayShift?: number;
  /** '' is the user's own zone. */
  zone?: string;
  /** The zone was named by its daylight saving time: "PDT", "BST". */
  daylight?: boolean;
  cron?: string;
  /** "Sat and Sun": weekly or once? A stated week settles it and `ask`. */
  onDays?: number[];
  /** "December 21st and 31st": a stated year settles it and `ask`. */
  onDates?: { months: number[]; monthDays: MonthDay[] };
  /** Understood as a schedule but not settled: the question to ask. */
  ask?: string;
}

/** A run of words that speaks of time. */
export interface TimeExpression {
  from: number;
  to: number;
  facts: ScheduleFields;
  /** "a daily summary": a recurrence only where nothing else is one. */
  adjective?: boolean;
  /** "soon": no time by itself, a question where nothing else says when. */
  vague?: boolean;
  /** In a clause of what is to be done: "what happened today". */
  subordinate?: boolean;
  /** Behind a comma or "and": another item, not a name in what is to be done. */
  joined?: boolean;
}

export const WEEKDAY_OF_DATE =
  'I cannot keep to a weekday and a day of the month at once. Which of the two shall I go by?';

const RECURRING = [
  ...(['every', 'everyMs', 'weekdays', 'monthDays', 'nth', 'months'] as const),
  ...(['perUnit', 'cron', 'minuteOfHour'] as const),
];
const ANCHORED = [...RECURRING, 'times', 'part', 'day', 'delay', 'offset', 'ask'] as const;

/** True when the facts say that something repeats. */
export function isRecurring(facts: ScheduleFields): boolean {
  return RECURRING.some((field) => facts[field] !== undefined);
}

/** True when the facts say when, and not only until when or in which zone. */
export function isAnchored(facts: ScheduleFields): boolean {
  return ANCHORED.some((field) => facts[field] !== undefined);
}

/** All of them together, or null when they contradict each other. */
export function mergedAll(pieces: readonly TimeExpression[]): ScheduleFields | null {
  let facts: ScheduleFields | null = {};
  for (const piece of pieces) facts = facts && merged(facts, piece.facts);
  return facts;
}

/** Both together, or null when they contradict each other. */
export function merged(a: ScheduleFields, b: ScheduleFields): ScheduleFields | null {
  const shared = (Object.keys(b) as (keyof ScheduleFields)[]).filter(
    (key) => a[key] !== undefined && b[key] !== undefined,
  );
  const result: ScheduleFields = { ...a, ...b };
  for (const key of shared) {
    if (key === 'ask') {
      result.ask = a.ask;
    } else if (key === 'weekdays' && !a.times && !b.times) {
      result.weekdays = [...new Set([...(a.weekdays ?? []), ...(b.weekdays ?? [])])].sort(
        (x, y) => x - y,
      );
    } else if (key === 'every' && (isSameCycle(a, b) || (isEveryDay(b) && isSubDaily(a)))) {
      result.every = a.every;
    } else if (key === 'every' && isEveryDay(a) && isSubDaily(b)) {
      result.every = b.every;
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
export function isSubDaily(facts: ScheduleFields): boolean {
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

/** "every two hours between 8 and 20, every day": each day is one on which the hours are counted. */
function isEveryDay({ every, ...others }: ScheduleFields): boolean {
  return every?.unit === 'day' && every.count === 1 && Object.keys(others).length === 0;
}

function isSameCycle(a: ScheduleFields, b: ScheduleFields): boolean {
  return a.every?.unit === b.every?.unit && a.every?.count === b.every?.count;
}

/** "every week" + "on Monday": the day completes the cycle. Any other cycle excludes a single day. */
function absorbs(facts: ScheduleFields): boolean {
  if (!isRecurring(facts)) return true;
  // "tomorrow from 8 to 10 every 15 minutes"
  if (isSubDaily(facts) && facts.window) return true;
  const unit = facts.every?.unit ?? facts.perUnit?.unit;
  switch (facts.day?.type) {
    case 'weekday':
      return unit === 'week' && facts.day.week === 0;
    case 'monthDay':
      return unit === 'month' || facts.months !== undefined;
    case 'nth':
      return unit === 'year' || (unit === 'month' && facts.day.month === undefined);
    case 'date':
      return unit === 'year';
    case 'ask':
      return true;
    default:
      return false;
  }
}

/** What fields make: a schedule, or the question that is still open. Whoever keeps schedules says it. */
export type Compose<S> = (
  fields: ScheduleFields,
  /** The request is to be woken, so a bare 6 is in the morning. */
  waking: boolean,
) => { schedule: S } | { question: string };
export type MadeBy<S> = (fields: ScheduleFields) => { schedule: S } | { question: string };
/** Only a schedule that runs once has this instant. */
export type AnySchedule = { scheduledAtIso?: string | undefined };
