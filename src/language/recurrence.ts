/** Things that repeat: "every 5 minutes", "on Tuesdays", "the first Monday of each month", "twice a day". */
import { readDuration, readTime } from './clock.js';
import { isDate, MONTH, readDate, readNamedDay, WEEKDAY } from './days.js';
import { match, type Phrase, pattern, type Read, wordAt } from './phrase.js';
import type { MonthDay, Nth, ScheduleFields } from './schedule-fields.js';
import { type DayPart, MONTHS, type Unit, WEEKDAYS, WEEKEND, WORKDAYS } from './words.js';

export interface SaidRecurrence {
  facts: ScheduleFields;
  adjective?: boolean;
  vague?: boolean;
}
type Found = Read<SaidRecurrence> | null;

const found = (facts: ScheduleFields, to: number): Found => ({ value: { facts }, to });
const UNIT = '(second|minute|hour|day|week|fortnight|month|year)';
const EVERY_DAY: ScheduleFields['every'] = { count: 1, unit: 'day' };

export function readRecurrence(phrase: Phrase, index: number): Found {
  return (
    readEvery(phrase, index) ??
    readAdverb(phrase, index) ??
    readTimesPer(phrase, index) ??
    readMinuteOfHour(phrase, index) ??
    readMonthly(phrase, index) ??
    readSeveralDates(phrase, index) ??
    readDayGroup(phrase, index) ??
    readVague(phrase, index)
  );
}

const EVERY = pattern('(?:(?:on|at|in|once|for|of) )?(?:every|every and every)(?: single)?');
const AND_EVERY = pattern('every and every(?: single)?');
const NOW_AND_THEN = pattern(
  '(?:now and (?:then|again)|so often|once in a while|few|several|some)',
);
const UNIT_AT = pattern(`${UNIT}( and an? half)?`);
const OF_PERIOD = pattern('of (?:the|every) (?:week|month|year)');
const NTH_UNIT = pattern(
  `(?:other|alternate|second|(\\d{1,2})(?:st|nd|rd|th)) (?:${UNIT}|(morning|afternoon|evening|night))`,
);
const NTH_DAYS = pattern('(?:other|alternate|second|(\\d{1,2})(?:st|nd|rd|th)|(\\d{1,2}))');
const QUARTER = pattern('quarter(?! (?:-|of|hour))');
const DAYTIME = pattern('(?:noon|midnight)');
const PART_AT = pattern('(morning|afternoon|evening|night)s?');
const MONTH_AT = pattern(MONTH);

function readEvery(phrase: Phrase, index: number): Found {
  const every = match(phrase, index, AND_EVERY) ?? match(phrase, index, EVERY);
  if (!every) return null;
  const at = every.to;
  const vague = match(phrase, at, NOW_AND_THEN);
  if (vague) {
    const unit = match(phrase, vague.to, UNIT_AT);
    return found({ ask: HOW_OFTEN }, unit?.to ?? vague.to);
  }
  return (
    readMonthlyDays(phrase, at, true) ??
    readEveryNamed(phrase, at) ??
    readEveryNth(phrase, at) ??
    readEveryAmount(phrase, at)
  );
}

const HOW_OFTEN = 'How often, or when exactly, should I do that?';

/** Days by name behind "every": weekdays, groups of days, parts of the day, dates, months. */
function readEveryNamed(phrase: Phrase, index: number): Found {
  const days = readDayList(phrase, index);
  if (days) return withPart(phrase, onDays(phrase, index, days), days.to);
  const part = match(phrase, index, PART_AT);
  if (part) return found({ every: EVERY_DAY, part: part.groups[1] as DayPart }, part.to);
  const time = match(phrase, index, DAYTIME) && readTime(phrase, index, false);
  if (time) return found({ every: EVERY_DAY, times: [time.value] }, time.to);
  const dates = readDates(phrase, index);
  if (dates) return dates;
  const month = match(phrase, index, MONTH_AT);
  if (month) return found({ months: [MONTHS[month.groups[1] ?? ''] ?? 1] }, month.to);
  const quarter = match(phrase, index, QUARTER);
  return quarter && found({ every: { count: 3, unit: 'month' } }, quarter.to);
}

const DATE_JOINT = pattern('(?:, and|and|,|or)(?: (?:on )?the)?');
const DAY_NUMBER = pattern("(\\d{1,2})(?:st|nd|rd|th)?(?! (?:am|pm|:|o'clock|in the|at night))");

/** "March 3rd", "Dec 21st and 31st", "the 20th and 30th of August", "4/15", Christmas. */
function readDates(phrase: Phrase, index: number): Found {
  const first = readDate(phrase, index) ?? readNamedDay(phrase, index);
  if (first?.value.day.type === 'ask') return found({ ask: first.value.day.question }, first.to);
  if (first?.value.day.type !== 'date' || first.value.day.year !== undefined) return null;
  const { month, day } = first.value.day;
  const days = [day];
  const months = [month];
  let to = first.to;
  for (let joint = match(phrase, to, DATE_JOINT); joint; joint = match(phrase, to, DATE_JOINT)) {
    const date = readDate(phrase, joint.to)?.value.day;
    // "1 january and 1 july": the same day of several months.
    if (days.length === 1 && date?.type === 'date' && date.day === day && !date.year) {
      months.push(date.month);
      to = readDate(phrase, joint.to)?.to ?? to;
      continue;
    }
    if (date?.type === 'date' || months.length > 1) break;
    const next = match(phrase, joint.to, DAY_NUMBER);
    const ordinal = phrase.words[joint.to]?.kind === 'ordinal';
    if (!next || !isDate(2024, month, Number(next.groups[1]))) break;
    if (!ordinal && phrase.words[to - 1]?.kind === 'ordinal') break;
    days.push(Number(next.groups[1]));
    to = next.to;
  }
  return found({ months, monthDays: days }, to);
}

const ON = pattern('on(?: the)?');

/** "on December 21st and 31st": two days, every year or once. */
function readSeveralDates(phrase: Phrase, index: number): Found {
  const dates = readDates(phrase, match(phrase, index, ON)?.to ?? index);
  const { months = [], monthDays = [] } = dates?.value.facts ?? {};
  if (!dates || months.length * monthDays.length < 2) return null;
  const ask = 'Every year on those days, or only once?';
  return found({ ask, onDates: { months, monthDays } }, dates.to);
}

/** "every other day", "every second Friday", "every 3rd week", "every 3 Fridays". */
function readEveryNth(phrase: Phrase, index: number): Found {
  const unit = match(phrase, index, NTH_UNIT);
  if (unit) {
    const [, count = '2', name = 'day', part] = unit.groups;
    const weeks = name === 'fortnight' ? 2 : 1;
    const every = { count: Number(count) * weeks, unit: (weeks > 1 ? 'week' : name) as Unit };
    return found({ every, ...(part ? { part: part as DayPart } : {}) }, unit.to);
  }
  const nth = match(phrase, index, NTH_DAYS);
  const days = nth && readDayList(phrase, nth.to);
  if (!days) return null;
  const count = Number(nth.groups[1] ?? nth.groups[2] ?? 2);
  return withPart(phrase, { weekdays: days.value, every: { count, unit: 'week' } }, days.to);
}

function readEveryAmount(phrase: Phrase, index: number): Found {
  const unit = match(phrase, index, UNIT_AT);
  if (unit) {
    const name = unit.groups[1] ?? '';
    if (unit.groups[2]) return name === 'hour' ? found({ everyMs: 90 * 60_000 }, unit.to) : null;
    if (name === 'day') {
      const of = match(phrase, unit.to, OF_PERIOD);
      return found({ every: EVERY_DAY }, of?.to ?? unit.to);
    }
    const fortnight = name === 'fortnight';
    return found(
      { every: { count: fortnight ? 2 : 1, unit: (fortnight ? 'week' : name) as Unit } },
      unit.to,
    );
  }
  const duration = readDuration(phrase, index);
  if (!duration) return null;
  const { ms, days, months, unit: said, count } = duration.value;
  if (said && Number.isInteger(count) && count >= 1)
    return found({ every: { count, unit: said } }, duration.to);
  return ms > 0 && months === 0 ? found({ everyMs: ms + days * 86_400_000 }, duration.to) : null;
}

const GROUP_NAMES: Readonly<Record<string, readonly number[]>> = {
  weekday: WORKDAYS,
  weekend: WEEKEND,
  weeknight: WORKDAYS,
};
const WORKING_DAY = pattern('(?:business|working|work|week) day');
const DAY_OR_GROUP = pattern(`(?:${WEEKDAY}|(weekday|weekend|weeknight))s?(?: day)?`);
const DAY_JOINT = pattern('(?:, and|, or|,|and|or|/|on|every)(?: (?:on|every))?');
const DAY_RANGE = pattern('(?:-|to|through|until)');

/** Weekday names joined by commas, "and", "to": sorted day numbers. At least one. */
export function readDayList(phrase: Phrase, index: number): Read<number[]> | null {
  const days = new Set<number>();
  let to = index;
  while (days.size < 7) {
    const joint = days.size > 0 ? match(phrase, to, DAY_JOINT) : null;
    const here = dayOrGroup(phrase, joint?.to ?? to);
    if (!here) break;
    const range = match(phrase, here.to, DAY_RANGE);
    const last = range && dayOrGroup(phrase, range.to);
    if (last && here.value.length === 1 && last.value.length === 1) {
      for (let day = here.value[0] ?? 0; ; day = (day + 1) % 7) {
        days.add(day);
        if (day === last.value[0]) break;
      }
      to = last.to;
    } else {
      for (const day of here.value) days.add(day);
      to = here.to;
    }
  }
  return days.size > 0 ? { value: [...days].sort((a, b) => a - b), to } : null;
}

function dayOrGroup(phrase: Phrase, index: number): Read<readonly number[]> | null {
  const working = match(phrase, index, WORKING_DAY);
  if (working) return { value: WORKDAYS, to: working.to };
  const day = match(phrase, index, DAY_OR_GROUP);
  if (!day) return null;
  const [, name, group] = day.groups;
  const value = group ? (GROUP_NAMES[group] ?? []) : [WEEKDAYS[name ?? ''] ?? 0];
  return { value, to: day.to };
}

const GROUP_OPENING = pattern('(?:(?:only|just) )?(?:on|during|in|from|over)(?: the)?');
const ONLY = pattern('(?:only|just)');
const IN_THE_WEEK = pattern('during the week');
const PLURAL_PARTS = pattern(
  '(?:(?:only|just) )?(?:on |in the )?(mornings|afternoons|evenings|nights)',
);

/** "on weekdays", "Mon-Fri", "Tuesdays and Thursdays", "mornings". A plural or a range makes it repeat. */
function readDayGroup(phrase: Phrase, index: number): Found {
  const parts = match(phrase, index, PLURAL_PARTS);
  if (parts) {
    const part = (parts.groups[1] ?? '').slice(0, -1) as DayPart;
    return found({ every: EVERY_DAY, part }, parts.to);
  }
  const week = match(phrase, index, IN_THE_WEEK);
  if (week) return found({ weekdays: [...WORKDAYS] }, week.to);
  const opening = match(phrase, index, GROUP_OPENING) ?? match(phrase, index, ONLY);
  const at = opening?.to ?? index;
  const days = readDayList(phrase, at);
  if (!days) return null;
  const words = phrase.words.slice(at, days.to).map((word) => word.low);
  const nights = /^(?:morning|afternoon|evening|night)s$/.test(wordAt(phrase, days.to));
  const repeats =
    nights ||
    words.some((word) => /days$|ends$|nights$|^(?:every|-|to|through|until)$/.test(word)) ||
    phrase.words.slice(at, days.to).some((word) => /^days$/i.test(word.text));
  if (repeats) {
    const only = match(phrase, days.to, ONLY);
    return withPart(phrase, onDays(phrase, at, days), only?.to ?? days.to);
  }
  if (words.some((word) => /^week(?:day|end|night)$/.test(word))) {
    return (
      opening && found({ ask: 'Every week, or only the next time, and on which day?' }, days.to)
    );
  }
  if (days.value.length < 2) return null;
  // "Tue and Thu at 7 yoga", "on Monday, Wednesday and Friday": a timetable. "On Saturday and Sunday" may be once.
  const leads = !opening && /^(?:|[.!?;:\n])$/.test(wordAt(phrase, index - 1));
  if (days.value.length > 2 || leads) return withPart(phrase, onDays(phrase, at, days), days.to);
  return found({ ask: 'Every week on those days, or only once?', onDays: days.value }, days.to);
}

/** "weeknights at eight": the eight of the evening. */
function onDays(phrase: Phrase, from: number, { value, to }: Read<number[]>): ScheduleFields {
  const isNight = phrase.words.slice(from, to).some(({ low }) => /^weeknights?$/.test(low));
  return { weekdays: value, ...(isNight ? { part: 'night' as const } : {}) };
}

/** "every Saturday morning", "weekdays in the evening". */
function withPart(phrase: Phrase, facts: ScheduleFields, index: number): Found {
  const part = match(phrase, index, PART_AT);
  return part ? found({ ...facts, part: part.groups[1] as DayPart }, part.to) : found(facts, index);
}

const ADVERBS: Readonly<Record<string, ScheduleFields>> = {
  daily: { every: EVERY_DAY },
  everyday: { every: EVERY_DAY },
  hourly: { every: { count: 1, unit: 'hour' } },
  weekly: { every: { count: 1, unit: 'week' } },
  monthly: { every: { count: 1, unit: 'month' } },
  yearly: { every: { count: 1, unit: 'year' } },
  annually: { every: { count: 1, unit: 'year' } },
  nightly: { every: EVERY_DAY, part: 'night' },
  fortnightly: { every: { count: 2, unit: 'week' } },
  quarterly: { every: { count: 3, unit: 'month' } },
  biweekly: { ask: 'Does "biweekly" mean twice a week or every two weeks?' },
  bimonthly: { ask: 'Does "bimonthly" mean twice a month or every two months?' },
};
const ADVERB = pattern(`(?:once )?(${Object.keys(ADVERBS).join('|')})`);
const NOMINAL = /^(?:an?|the|my|our|your|his|her|their|this|that|another|new|some|recurring)$/;
const BEHIND_ADVERB =
  /^(?:|\n|[.,;:!?)("-]|at|on|in|from|for|to|around|starting|beginning|until|and|between|please|through|as|except|thanks|with|about|during|every|noon|midnight|up|remind|\d.*)$/;

/** "daily", "hourly": where they stand before a noun they are read only if nothing else repeats. */
function readAdverb(phrase: Phrase, index: number): Found {
  const adverb = match(phrase, index, ADVERB);
  const facts = adverb && ADVERBS[adverb.groups[1] ?? ''];
  if (!facts) return null;
  const before = wordAt(phrase, index - 1);
  const leads = index === 0 || /^[,.\n]$/.test(before);
  const free = !NOMINAL.test(before) && (BEHIND_ADVERB.test(wordAt(phrase, adverb.to)) || leads);
  return { value: { facts, adjective: !free }, to: adverb.to };
}

const TIMES_PER = pattern(
  `(?:(once)|(twice)|(thrice)|(\\d{1,3}) (?:times?|x))(?: (?:an?|per|every|/) ${UNIT}| (daily))`,
);

/** "twice a day", "3 times per week", "once an hour". */
function readTimesPer(phrase: Phrase, index: number): Found {
  const said = match(phrase, index, TIMES_PER);
  if (!said) return null;
  const [, once, twice, thrice, number, unitWord] = said.groups;
  const count = once ? 1 : twice ? 2 : thrice ? 3 : Number(number);
  const unit = (unitWord ?? 'day') as Unit;
  if (unitWord === 'fortnight') return null;
  return found(count === 1 ? { every: { count: 1, unit } } : { perUnit: { count, unit } }, said.to);
}

const ON_THE_HOUR = pattern(
  '(?:on the (half )?hour|at the (?:top|start|beginning) of (the|every) hour)',
);
const PAST_HOUR = pattern(
  '(?:on|at) (?:an? )?(quarter|half|\\d{1,2})(?: minute)? (past|after|to|before) (the|every) hour',
);
const COLON_MINUTE = pattern('at : (\\d{2})');

/** "on the hour", "at quarter past every hour", "at 15 minutes past the hour". */
function readMinuteOfHour(phrase: Phrase, index: number): Found {
  const hourly = (minuteOfHour: number, every: boolean): ScheduleFields =>
    every ? { every: { count: 1, unit: 'hour' }, minuteOfHour } : { minuteOfHour };
  const on = match(phrase, index, ON_THE_HOUR);
  if (on) return found(hourly(on.groups[1] ? 30 : 0, on.groups[2] === 'every'), on.to);
  const colon = match(phrase, index, COLON_MINUTE);
  if (colon) return found({ minuteOfHour: Number(colon.groups[1]) }, colon.to);
  const past = match(phrase, index, PAST_HOUR);
  if (!past) return null;
  const [, amount = '', relation = '', which] = past.groups;
  const minutes = amount === 'quarter' ? 15 : amount === 'half' ? 30 : Number(amount);
  if (minutes > 59) return null;
  const forwards = relation === 'past' || relation === 'after';
  return found(hourly(forwards ? minutes : (60 - minutes) % 60, which === 'every'), past.to);
}

const MONTH_OPENING = pattern('(?:(?:on|at)(?: the)?(?: day)?|the(?: day)?|day)');
const MONTH_EDGE = pattern('(?:at|on|in) the (end|start|beginning|begin)');
const MONTH_ITEM = pattern(
  `(?:(\\d{1,2})(?:st|nd|rd|th)|(second)|(last)|(\\d{1,2}))(?: ${WEEKDAY}s?| (day))?`,
);
const MONTH_JOINT = pattern('(?:, and|and|,|or)(?: (?:on )?the)?');
const EDGE = pattern('(end|start|beginning|begin)');
const OF_THE_MONTH = pattern('(?:(?:of|in) (?:the|an?|any)|of) month');
const OF_EVERY = pattern(
  '(?:of |in |on )?every(?: calendar)? (?:(other|\\d{1,2})(?:st|nd|rd|th)? )?month',
);
const OF_QUARTER = pattern('(?:of |in )?every quarter');
const OF_NAMED = pattern(`(?:of |in )?(?:every )?${MONTH}`);
const OF_EVERY_NAMED = pattern(`(?:of |in )?every ${MONTH}`);
const WORKDAY_OF = pattern(
  '(?:on |every |the )*(?:\\d{1,2}(?:st|nd|rd|th)|second|last) (?:(?:business|working|work|week) day|weekday)(?: (?:of|in) (?:the|every|an?) month)?',
);

/** "on the 15th of every month", "the first Monday of each month", "on the 1st and 15th". */
function readMonthly(phrase: Phrase, index: number): Found {
  const workday = match(phrase, index, WORKDAY_OF);
  if (workday) {
    const ask = 'I can keep a day of the month or a weekday of it. Which one shall I take?';
    return found({ ask }, workday.to);
  }
  const edge = wordAt(phrase, index - 1) === 'month' ? match(phrase, index, MONTH_EDGE) : null;
  if (edge) {
    const day: MonthDay = edge.groups[1] === 'end' ? 'L' : 1;
    return found({ day: { type: 'monthDay', day } }, edge.to);
  }
  const opening = match(phrase, index, MONTH_OPENING);
  return readMonthlyDays(phrase, opening?.to ?? index, false);
}

interface MonthDays {
  nth: Nth[];
  monthDays: MonthDay[];
  plain: boolean;
}

/**
 * One or several days of a month and the month they are in. `every` stands before them: then "the 1st
 * and 15th" needs no month, and "every second Friday" is every other Friday.
 */
function readMonthlyDays(phrase: Phrase, index: number, every: boolean): Found {
  const start = wordAt(phrase, index) === 'the' ? index + 1 : index;
  const days = readMonthItems(phrase, start);
  if (!days) return null;
  const { nth, monthDays, plain } = days.value;
  const of = ofMonth(phrase, days.to, every);
  const facts: ScheduleFields = {
    ...(nth.length > 0 ? { nth } : {}),
    ...(monthDays.length > 0 ? { monthDays } : {}),
  };
  if (of?.value.months === QUARTERS) return found(ofQuarter(facts), of.to);
  if (of) return found({ ...facts, ...of.value }, of.to);
  if (plain) return null;
  const first = nth.every((item) => item.nth === 1 || item.nth === 'L');
  if (every) {
    if (nth.length > 0) return first || nth.length > 1 ? found(facts, days.to) : null;
    const unit = UNIT_AT_WORD.test(wordAt(phrase, days.to));
    return unit || wordAt(phrase, days.to - 1) === 'day' ? null : found(facts, days.to);
  }
  const several = monthDays.length > 1 && nth.length === 0 && start > index;
  const opened = /^(?:the|on|day)$/.test(wordAt(phrase, index - 1)) || start > index;
  if (wordAt(phrase, days.to - 1) === 'day' && monthDays.length === 1 && opened)
    return found({ day: { type: 'monthDay', day: monthDays[0] ?? 'L' } }, days.to);
  const [only, ...more] = nth;
  if (more.length > 0) return found(facts, days.to);
  if (only) return opened ? found({ day: { type: 'nth', nth: only } }, days.to) : null;
  return several || (monthDays.length > 1 && opened) ? found(facts, days.to) : null;
}

const QUARTERS = [1, 4, 7, 10];

/** "the first day of every quarter" is in its first month, "the last Friday" in its last. */
function ofQuarter(facts: ScheduleFields): ScheduleFields {
  const days = [...(facts.monthDays ?? []), ...(facts.nth ?? []).map(({ nth }) => nth)];
  if (days.every((day) => day === 1)) return { ...facts, months: QUARTERS };
  if (days.every((day) => day === 'L')) return { ...facts, months: [3, 6, 9, 12] };
  return { ask: 'In which month of the quarter should that be?' };
}

const UNIT_AT_WORD =
  /^(?:second|minute|hour|day|week|fortnight|month|year|morning|afternoon|evening|night)$/;

function readMonthItems(phrase: Phrase, index: number): Read<MonthDays> | null {
  const days: MonthDays = { nth: [], monthDays: [], plain: false };
  const edge = match(phrase, index, EDGE);
  if (edge) {
    const of = ofMonth(phrase, edge.to, true);
    // "the end of the month" is the next one; "of every month" all of them.
    if (!of || !phrase.words.slice(edge.to, of.to).some((word) => word.low === 'every'))
      return null;
    days.monthDays.push(edge.groups[1] === 'end' ? 'L' : 1);
    return { value: days, to: edge.to };
  }
  let to = index;
  let pending: (number | 'L')[] = [];
  for (let items = 0; items < 12; items += 1) {
    const joint = items > 0 ? match(phrase, to, MONTH_JOINT) : null;
    if (items > 0 && !joint) break;
    const from = joint?.to ?? to;
    const item = match(phrase, from, MONTH_ITEM);
    if (!item) break;
    const [, ordinal, second, last, plain, weekday, day] = item.groups;
    if (plain && !plainDay(phrase, index, from)) break;
    if (plain && weekday) break;
    const value: MonthDay = last ? 'L' : second ? 2 : Number(ordinal ?? plain);
    if (typeof value === 'number' && (value < 1 || value > 31)) break;
    if (second && !weekday && !day) break;
    if (plain) days.plain = true;
    if (weekday) {
      // "the 2nd and last Friday": both count the same weekday.
      for (const nth of [...pending, value]) {
        if (typeof nth === 'number' && nth > 5) return null;
        days.nth.push({ nth, weekday: WEEKDAYS[weekday] ?? 0 });
      }
      pending = [];
    } else pending.push(value);
    if (
      last &&
      !weekday &&
      !day &&
      !ofMonth(phrase, item.to, true) &&
      !match(phrase, item.to, MONTH_JOINT)
    )
      return null;
    to = item.to;
  }
  if (to === index) return null;
  days.monthDays.push(...pending);
  return { value: days, to };
}

/** A number without an ending is a day of the month only behind "day" or another day. */
function plainDay(phrase: Phrase, index: number, at: number): boolean {
  return at > index || wordAt(phrase, index - 1) === 'day';
}

/** "of the month", "of every 3rd month", "in March" behind "every": what it adds to the days. */
function ofMonth(phrase: Phrase, index: number, every: boolean): Read<ScheduleFields> | null {
  const one = match(phrase, index, OF_THE_MONTH);
  if (one) return { value: {}, to: one.to };
  const months = match(phrase, index, OF_EVERY);
  if (months) {
    const count = months.groups[1] === 'other' ? 2 : Number(months.groups[1] ?? 1);
    return { value: count > 1 ? { every: { count, unit: 'month' } } : {}, to: months.to };
  }
  const quarter = match(phrase, index, OF_QUARTER);
  if (quarter) return { value: { months: QUARTERS }, to: quarter.to };
  const named = match(phrase, index, every ? OF_NAMED : OF_EVERY_NAMED);
  return named && { value: { months: [MONTHS[named.groups[1] ?? ''] ?? 1] }, to: named.to };
}

const VAGUE = pattern(
  '(?:sometimes?|occasionally|periodically|regularly|frequently|someday|eventually|constantly|continuously|soon|later(?: today| on| this week)?|from time to time|once in a while|now and (?:then|again)|at some point|some ?(?:time|day)|in (?:an? )?(?:little )?(?:bit|while|moment)|(?:an? )?(?:few|several|multiple) times (?:an?|per) (?:day|week|month)|at random(?: times)?|at (?:dawn|dusk|sunrise|sunset|bedtime|dinnertime)|(?:before|after) (?:bed|bedtime|work|breakfast|lunch|dinner)|(?:at )?(?:the )?end of (?:the )?day|eod|in (?:an? )?(?:few|some|several) (?:second|minute|hour|day|week|month|year)|as often as possible|on a regular basis|at regular intervals|around the clock)',
);

const OWN_DAY = pattern('(?:on|during) (?:my|our|his|her|their) (?:[a-z]+ day|day off)');

/** "sometimes", "in a few minutes", "on my work days": a time that has to be asked for. */
function readVague(phrase: Phrase, index: number): Found {
  const own = match(phrase, index, OWN_DAY);
  if (own) return found({ ask: 'Which days are those, and at what time should I do it?' }, own.to);
  const vague = match(phrase, index, VAGUE);
  return vague && { value: { facts: { ask: HOW_OFTEN }, vague: true }, to: vague.to };
}
