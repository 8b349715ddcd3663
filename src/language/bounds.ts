/** What limits a recurrence: "between 9 and 17", "until Friday", "for a week", "starting Monday", "except Sunday". */
import { HOUR_MS } from '../shared/clock.js';
import { monthLength } from '../shared/zones.js';
import {
  type ClockTime,
  type Duration,
  partBehind,
  readDuration,
  readEnd,
  readTime,
  readTimes,
} from './clock.js';
import { MONTH, readDay } from './days.js';
import { match, type Phrase, pattern, type Read, touches, wordAt } from './phrase.js';
import { readDayList } from './recurrence.js';
import type { Bound, DayRef, ScheduleFields } from './schedule-fields.js';
import { type DayPart, MONTHS, type Unit, WORKDAYS } from './words.js';

/** Any limit at `index`. */
export function readBound(phrase: Phrase, index: number): Read<ScheduleFields> | null {
  return (
    readWindow(phrase, index) ??
    readUntil(phrase, index) ??
    readStart(phrase, index) ??
    readSpan(phrase, index) ??
    readExcept(phrase, index) ??
    readRuns(phrase, index)
  );
}

const BUSINESS_HOURS = pattern(
  '(?:(?:but )?only )?(?:during|in|within) (?:(?:the|my|our) )?(?:business|working|work|office) hour',
);
const DURING = pattern('during the (?:day|daytime|night|morning|afternoon)');
const WINDOW_OPENING = pattern('(between|from)(?: at)?');
const WINDOW_JOINT = pattern('(?:and|to|until|through|-)(?: at)?');

function readWindow(phrase: Phrase, index: number): Read<ScheduleFields> | null {
  const business = match(phrase, index, BUSINESS_HOURS);
  if (business) {
    const hour = (value: number): ClockTime => ({ hour: value, minute: 0, second: 0, sure: true });
    return {
      value: { window: { from: hour(9), to: hour(17) }, weekdays: [...WORKDAYS] },
      to: business.to,
    };
  }
  const during = match(phrase, index, DURING);
  const hours =
    during && readWindow(phrase, wordAt(phrase, during.to) === ',' ? during.to + 1 : during.to);
  if (during)
    return hours ?? { value: { ask: 'Between which hours should that be?' }, to: during.to };
  const opening = match(phrase, index, WINDOW_OPENING);
  const from = readEnd(phrase, opening?.to ?? index);
  const joint = from && match(phrase, from.to, WINDOW_JOINT);
  const to = joint && readEnd(phrase, joint.to);
  if (!to) return null;
  if (joint.groups[0].startsWith('and') && opening?.groups[1] !== 'between') return null;
  if (!opening) {
    // "9-17" without a word in front: only where both ends are clearly times.
    const kind = phrase.words[index]?.kind;
    const clear = from.value.meridiem || to.value.meridiem || kind === 'clock';
    // "mon-fri 9-5"
    const days = /days?$/.test(wordAt(phrase, index - 1)) && touches(phrase, from.to);
    if (!days && (!clear || !(from.value.sure || to.value.sure))) return null;
  }
  const part = partBehind(phrase, to.to);
  return windowOf(from.value, to.value, part?.value, part?.to ?? to.to);
}

/** "9 to 5" is from morning to afternoon; the end lies after the beginning where am/pm is open. */
function windowOf(
  from: ClockTime,
  to: ClockTime,
  part: DayPart | undefined,
  end: number,
): Read<ScheduleFields> {
  const first = { ...from };
  const last = { ...to };
  const late = part !== undefined && part !== 'morning';
  if (!first.sure) {
    const shared =
      last.meridiem === true &&
      last.hour >= 12 &&
      (first.hour % 12) + 12 < last.hour &&
      first.hour < 7;
    if (first.hour !== 12 && (shared || late)) first.hour += 12;
    first.sure = true;
  }
  if (!last.sure) {
    // "between 22:00 and 6:00" ends in the morning.
    const later = (last.hour % 12) + 12;
    if (last.hour <= first.hour && later > first.hour) last.hour = later;
    last.sure = true;
  }
  return { value: { window: { from: first, to: last } }, to: end };
}

const END_OF = pattern(
  `(?:the )?(?:end|rest) of (?:(today)|(?:the |this )?(day|week|month|year)|${MONTH})`,
);
const NEXT_UNIT = pattern('next (week|month|year)');
const MONTH_ALONE = pattern(`${MONTH}(?! \\d)(?: (\\d{4}))?`);
const IN = pattern('in');

/** A day, a time, both, or "the end of the week" at `index`. */
function readPoint(phrase: Phrase, index: number): Read<Bound> | null {
  const end = match(phrase, index, END_OF);
  if (end) {
    const [, today, unit, month] = end.groups;
    if (month) return { value: { day: lastDayOf(MONTHS[month] ?? 1) }, to: end.to };
    return { value: { endOf: today ? 'day' : (unit as Unit) }, to: end.to };
  }
  const next = match(phrase, index, NEXT_UNIT);
  if (next) {
    const day = readDay(phrase, index);
    if (!day || day.value.day.type === 'ask')
      return { value: { next: next.groups[1] as Unit }, to: next.to };
  }
  const month = match(phrase, index, MONTH_ALONE);
  if (month && !readDay(phrase, index))
    return { value: { day: firstOf(month.groups[1], month.groups[2]), month: true }, to: month.to };
  const bound: Bound = {};
  let to = index;
  for (let round = 0; round < 2; round += 1) {
    const day = bound.day ? null : readDay(phrase, to);
    if (day && day.value.day.type !== 'past') {
      bound.day = day.value.day;
      if (day.value.part) bound.part = day.value.part;
      to = day.to;
    }
    const times = bound.time ? null : (readTimes(phrase, to) ?? bareTime(phrase, to));
    const [time, second] = times?.value.times ?? [];
    if (times && time && !second) {
      bound.time = time;
      if (times.value.part) bound.part = times.value.part;
      to = times.to;
    }
  }
  if (bound.day || bound.time) return { value: bound, to };
  const inside = match(phrase, index, IN);
  const delay = inside && readDuration(phrase, inside.to);
  return delay && { value: { delay: delay.value }, to: delay.to };
}

function firstOf(month: string | undefined, year: string | undefined): DayRef {
  const first = { type: 'date', month: MONTHS[month ?? ''] ?? 1, day: 1 } as const;
  return year === undefined ? first : { ...first, year: Number(year) };
}

function lastDayOf(month: number): DayRef {
  return { type: 'date', month, day: monthLength(2025, month) };
}

/** "until 5": behind such words a number is an hour. */
function bareTime(
  phrase: Phrase,
  index: number,
): Read<{ times: ClockTime[]; part?: DayPart }> | null {
  const time = readTime(phrase, index, true);
  if (!time) return null;
  const part = partBehind(phrase, time.to);
  return {
    value: { times: [time.value], ...(part ? { part: part.value } : {}) },
    to: part?.to ?? time.to,
  };
}

const UNTIL = pattern(
  '(?:(?:up |right |all |and )?(?:until|through|up to)|(?:for|over|during)(?= the rest of )|(?:and )?(?:ending|stopping|ends|ceasing|stop)(?: (?:on|at))?)',
);
const NOTICE = pattern('further notice');

function readUntil(phrase: Phrase, index: number): Read<ScheduleFields> | null {
  const until = match(phrase, index, UNTIL);
  if (!until) return null;
  const notice = match(phrase, until.to, NOTICE);
  if (notice) return { value: {}, to: notice.to };
  const point = readUntilPoint(phrase, until.to, /through/.test(until.groups[0]));
  return point && { value: { until: point.value }, to: point.to };
}

/** "until February" ends before it, "through February" and "from May to February" with it. */
function readUntilPoint(phrase: Phrase, index: number, including: boolean): Read<Bound> | null {
  const point = readPoint(phrase, index);
  const month = point && match(phrase, index, MONTH_ALONE);
  if (!month || month.to !== point.to || !point.value.day) return point;
  const number = MONTHS[month.groups[1] ?? ''] ?? 1;
  const before = number === 1 ? 12 : number - 1;
  const year = month.groups[2] === undefined ? null : Number(month.groups[2]);
  const day = lastDayOf(including ? number : before);
  if (year !== null && day.type === 'date') day.year = !including && number === 1 ? year - 1 : year;
  return { value: { day }, to: point.to };
}

const START = pattern(
  '(?:(?:starting|beginning|commencing|effective)(?: off)?(?: (?:on|from|in))?|(?:start|starts|begin|begins)(?: on| from| in)?|(?:the )?1st (?:1|time)(?: is| will be)?(?: on)?|as of|from)',
);
const NOW = pattern('(?:now|today|right now)(?: on| onwards?)?');
const ONWARDS = pattern('(?:onwards?|forward)');
const ON_END = pattern('on(?! (?:the|every|[a-z]+day|\\d))');
const RANGE_JOINT = pattern('(?:to|until|through|up to|-)');
const BETWEEN = pattern('between');
const AND = pattern('and');

function readStart(phrase: Phrase, index: number): Read<ScheduleFields> | null {
  const between = match(phrase, index, BETWEEN);
  const opening = between ?? match(phrase, index, START);
  if (!opening) return null;
  const from = opening.groups[0] === 'from';
  const now = match(phrase, opening.to, NOW);
  if (now && !readTimes(phrase, now.to)) return { value: {}, to: now.to };
  const point = readPoint(phrase, opening.to);
  if (!point) return null;
  const { day, next, time } = point.value;
  const short = /^(?:start|begin)s?/.test(opening.groups[0]) && !/ing/.test(opening.groups[0]);
  if ((from && !day && !next) || (short && !day && !next && !time)) return null;
  const joint = match(phrase, point.to, between ? AND : RANGE_JOINT);
  if (joint && (from || between)) {
    // "from Monday to Friday" is a range of weekdays, read elsewhere.
    if (day?.type === 'weekday' || !day || time) return null;
    const last = readUntilPoint(phrase, joint.to, /^(?:through|to|-)$/.test(joint.groups[0]));
    return last?.value.day || last?.value.endOf || last?.value.next
      ? { value: { start: point.value, until: last.value }, to: last.to }
      : null;
  }
  if (between) return null;
  const onwards = match(phrase, point.to, ONWARDS) ?? match(phrase, point.to, ON_END);
  return { value: { start: point.value }, to: onwards?.to ?? point.to };
}

const SPAN = pattern(
  '(?:(?:(for)(?: up to)?|over|during|in)(?: (?:((?:the )?(?:next|following|coming)|another)|exactly))?|((?:the )?next))',
);
const PARTS = pattern('(\\d{1,3}) (morning|afternoon|evening|night)s?');
const ONE_UNIT = pattern('(hour|day|week|fortnight|month|year)');
/** Milliseconds, days and months. */
const ONE_UNIT_LONG: Readonly<Record<string, readonly number[]>> = {
  hour: [HOUR_MS],
  day: [0, 1],
  week: [0, 7],
  fortnight: [0, 14],
  month: [0, 0, 1],
  year: [0, 0, 12],
};

/** "for the next 3 days", "for a week", "over the next two hours". */
function readSpan(phrase: Phrase, index: number): Read<ScheduleFields> | null {
  const opening = match(phrase, index, SPAN);
  if (!opening) return null;
  const [, isFor, soon, next = soon] = opening.groups;
  if (!isFor && !next) return null;
  const parts = match(phrase, opening.to, PARTS);
  if (parts) {
    const days = Number(parts.groups[1]);
    const span: Duration = { ms: 0, days, months: 0, unit: 'day', count: days };
    return { value: { span, part: parts.groups[2] as DayPart }, to: parts.to };
  }
  const duration = readDuration(phrase, opening.to);
  if (duration) return { value: { span: duration.value }, to: duration.to };
  const unit = soon ? match(phrase, opening.to, ONE_UNIT) : null;
  if (!unit) return null;
  const [ms = 0, days = 0, months = 0] = ONE_UNIT_LONG[unit.groups[1] ?? ''] ?? [];
  return { value: { span: { ms, days, months, unit: null, count: 1 } }, to: unit.to };
}

const EXCEPT = pattern(
  '(?:except for|except|bar|other than|apart from|excluding|excl|minus|skipping|besides|save for|but not|and not|but skip|but never|skip|not|but|without|no)(?: (?:on|for|at|during))?(?: the)?',
);
const SURE_EXCEPT =
  /^(?:except|other than|apart from|excl|minus|skipping|besides|save for|but (?:not|skip|never))/;
const HOLIDAYS = pattern('(?:(?:public|bank|national) )?(?:holidays?|vacations?)');

function readExcept(phrase: Phrase, index: number): Read<ScheduleFields> | null {
  const opening = match(phrase, index, EXCEPT);
  if (!opening) return null;
  const days = readDayList(phrase, opening.to);
  if (days) return { value: { except: days.value }, to: days.to };
  const holidays = match(phrase, opening.to, HOLIDAYS);
  if (holidays) {
    const ask =
      'I do not know the holidays, so I cannot leave them out. Shall I do it on those days too?';
    return { value: { ask }, to: holidays.to };
  }
  if (!SURE_EXCEPT.test(opening.groups[0])) return null;
  // "everything except spam" belongs to what is to be done.
  if (
    !/day$|^(?:every|daily|weekly|week|month|weekdays|\d.*|am|pm)$/.test(wordAt(phrase, index - 1))
  )
    return null;
  const ask = 'I cannot leave out that exception. On which days or hours should it happen?';
  return { value: { ask }, to: opening.to };
}

const RUNS = pattern(
  '(?:(?:only|just) (once)(?! in )|once only)|(?:(?:for|up to|for up to|only|just) )?(?:(twice|thrice)|(\\d{1,4}) ?(?:times?|x|occurrences?|occasions|repetitions|runs))(?: (?:in total|total|only|altogether))?',
);
const NOT_RUNS = pattern('(?:an?|per|every|daily|the|as|more|faster)');

/** "3 times", "for 3 occurrences", "5x", "twice": how often at all. */
function readRuns(phrase: Phrase, index: number): Read<ScheduleFields> | null {
  const runs = match(phrase, index, RUNS);
  if (!runs || match(phrase, runs.to, NOT_RUNS)) return null;
  const [, , word, number] = runs.groups;
  const count = word === 'twice' ? 2 : word ? 3 : Number(number ?? 1);
  return count < 1 ? null : { value: { runs: count }, to: runs.to };
}
