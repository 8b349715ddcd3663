/** Days that are said once: "tomorrow", "next Friday", "on March 3rd", "2026-12-24", "the 15th". */
import { type Read, readDuration, readOrdinal } from './amounts.js';
import type { DayRef, MonthDay, Nth } from './facts.js';
import { lowAt, type Token } from './tokens.js';
import { type DayPart, NAMED_DAYS, PLURAL_WEEKDAYS, WEEKDAYS } from './words.js';
import { ask, dayOf, type FoundDay, found, partOf, readWrittenDate } from './written-dates.js';

export interface SaidDay {
  day: DayRef;
  part?: DayPart;
  bare: boolean;
}

const PREPOSITIONS = new Set(['on', 'this', 'coming', 'upcoming', 'at']);

/** A day at `index`, with its preposition. */
export function readDay(tokens: readonly Token[], index: number): Read<SaidDay> | null {
  let at = index;
  while (PREPOSITIONS.has(lowAt(tokens, at)) && at < index + 2) at += 1;
  const found =
    readRelativeDay(tokens, at, at > index) ??
    readWrittenDate(tokens, at, at > index) ??
    readNamedDay(tokens, at) ??
    readMonthDay(tokens, at, at > index) ??
    readWeekday(tokens, at, lowAt(tokens, index) === 'this');
  if (!found) return null;
  return {
    value: {
      bare: at === index && found.value.type !== 'date',
      ...partOf(found.value),
      day: dayOf(found.value),
    },
    to: found.to,
  };
}

function readRelativeDay(
  tokens: readonly Token[],
  index: number,
  introduced: boolean,
): Read<FoundDay> | null {
  const low = lowAt(tokens, index);
  const next = lowAt(tokens, index + 1);
  const before = lowAt(tokens, index - 1);
  if (low === 'today') return found({ type: 'offset', days: 0 }, index + 1);
  if (low === 'tonight') return found({ type: 'offset', days: 0, part: 'night' }, index + 1);
  if (low === 'tomorrow') {
    if (next === 'week') return found({ type: 'offset', days: 8 }, index + 2);
    return found({ type: 'offset', days: 1 }, index + 1);
  }
  if (low === 'yesterday') return found({ type: 'past' }, index + 1);
  if (before === 'this' && introduced && /^(?:morning|afternoon|evening)$/.test(low)) {
    return found({ type: 'offset', days: 0, part: low as DayPart }, index + 1);
  }
  const the = low === 'the' ? 1 : 0;
  if (
    lowAt(tokens, index + the) === 'day' &&
    lowAt(tokens, index + the + 1) === 'after' &&
    lowAt(tokens, index + the + 2) === 'tomorrow'
  ) {
    return found({ type: 'offset', days: 2 }, index + the + 3);
  }
  if (
    lowAt(tokens, index + the) === 'day' &&
    lowAt(tokens, index + the + 1) === 'before' &&
    lowAt(tokens, index + the + 2) === 'yesterday'
  ) {
    return found({ type: 'past' }, index + the + 3);
  }
  if (
    low === 'last' &&
    (Object.hasOwn(WEEKDAYS, next) || /^(?:week|month|year|night)$/.test(next))
  ) {
    return found({ type: 'past' }, index + 2);
  }
  if (before === 'this' && low === 'weekend') return found(ask('Saturday or Sunday?'), index + 1);
  if (low === 'next' && next === 'weekend') return found(ask('Saturday or Sunday?'), index + 2);
  if (low === 'next' && /^(?:week|month|year)$/.test(next)) return readNextPeriod(tokens, index);
  return readFrom(tokens, index);
}

/** "next week Monday", "next month on the 3rd"; alone it names no day. */
function readNextPeriod(tokens: readonly Token[], index: number): Read<FoundDay> {
  const unit = lowAt(tokens, index + 1);
  let at = index + 2;
  if (lowAt(tokens, at) === ',') at += 1;
  if (lowAt(tokens, at) === 'on') at += 1;
  if (unit === 'week') {
    const weekday = weekdayAt(tokens, at);
    if (weekday !== undefined) return found({ type: 'weekday', weekday, week: 1 }, at + 1);
  }
  if (unit === 'month') {
    const day = readMonthDay(tokens, at, true);
    if (day?.value.type === 'monthDay') return found({ ...day.value, monthOffset: 1 }, day.to);
  }
  return found(ask(`Which day next ${unit}, and at what time?`), index + 2);
}

/** "a week from Monday", "two days after tomorrow", "two weeks from today". */
function readFrom(tokens: readonly Token[], index: number): Read<FoundDay> | null {
  const duration = readDuration(tokens, index);
  if (!duration || duration.value.ms > 0 || duration.value.months > 0) return null;
  if (!/^(?:from|after)$/.test(lowAt(tokens, duration.to))) return null;
  const base = readDay(tokens, duration.to + 1);
  if (!base) return null;
  const days = duration.value.days;
  const day = base.value.day;
  if (day.type === 'offset') return found({ type: 'offset', days: day.days + days }, base.to);
  if (day.type === 'weekday' && days % 7 === 0)
    return found({ ...day, week: day.week + days / 7, sameWeek: day.week === 0 }, base.to);
  return null;
}

/** The weekday named by one word; "sat", "sun" and "wed" are words too, so these need a capital or a time. */
export function weekdayAt(tokens: readonly Token[], index: number): number | undefined {
  const here = tokens[index];
  if (here?.kind !== 'word' || !Object.hasOwn(WEEKDAYS, here.low)) return undefined;
  if (/^(?:sat|sun|wed|mon|fri)$/.test(here.low) && here.text === here.low) {
    const before = lowAt(tokens, index - 1);
    const next = lowAt(tokens, index + 1);
    const backed =
      /^(?:on|every|each|next|this|and|,|-|to|or|through|thru|until|till|from|starting|other|&)$/.test(
        before,
      ) ||
      /^(?:at|@|,|-|morning|afternoon|evening|night)$/.test(next) ||
      (/^(?:to|through|thru|and|&)$/.test(next) &&
        Object.hasOwn(WEEKDAYS, lowAt(tokens, index + 2))) ||
      /^\d/.test(next);
    if (!backed) return undefined;
  }
  return WEEKDAYS[here.low];
}

function readWeekday(
  tokens: readonly Token[],
  index: number,
  thisWeek: boolean,
): Read<FoundDay> | null {
  let at = index;
  let week = 0;
  if (lowAt(tokens, at) === 'next') {
    week = 1;
    at += 1;
  } else if (
    lowAt(tokens, at) === 'the' &&
    /^(?:following|coming|next)$/.test(lowAt(tokens, at + 1))
  ) {
    week = lowAt(tokens, at + 1) === 'coming' ? 0 : 1;
    at += 2;
  }
  const weekday = weekdayAt(tokens, at);
  if (weekday === undefined) return null;
  at += 1;
  if (
    lowAt(tokens, at) === '.' &&
    tokens[at - 1]?.text.length === 3 &&
    lowAt(tokens, at + 1) !== ''
  )
    at += 1;
  const dated = readWrittenDate(tokens, lowAt(tokens, at) === ',' ? at + 1 : at, false);
  // "Friday, March 6th": the date says more than the weekday.
  if (dated) return dated;
  const of = lowAt(tokens, at) === 'of' ? 1 : 0;
  if (lowAt(tokens, at + of) === 'next' && lowAt(tokens, at + of + 1) === 'week') {
    return found({ type: 'weekday', weekday, week: 1 }, at + of + 2);
  }
  if (of === 0 && lowAt(tokens, at) === 'this' && lowAt(tokens, at + 1) === 'week') {
    return found({ type: 'weekday', weekday, week: 0 }, at + 2);
  }
  if (of === 0 && lowAt(tokens, at) === 'after' && lowAt(tokens, at + 1) === 'next') {
    return found({ type: 'weekday', weekday, week: 2 }, at + 2);
  }
  if (of === 0 && lowAt(tokens, at) === 'week' && week === 0 && !thisWeek) {
    return found({ type: 'weekday', weekday, week: 1, sameWeek: true }, at + 1);
  }
  return found({ type: 'weekday', weekday, week }, at);
}

export function readNamedDay(tokens: readonly Token[], index: number): Read<FoundDay> | null {
  for (let length = 3; length >= 1; length -= 1) {
    const words = tokens
      .slice(index, index + length)
      .map((token) => token.low)
      .join(' ');
    const date = Object.hasOwn(NAMED_DAYS, words) ? NAMED_DAYS[words] : undefined;
    if (date) return found({ type: 'date', month: date[0], day: date[1] }, index + length);
  }
  return null;
}

/** "the 15th", "the last day of the month", "the 3rd of next month", "the end of the month". */
function readMonthDay(
  tokens: readonly Token[],
  index: number,
  introduced: boolean,
): Read<FoundDay> | null {
  const the = lowAt(tokens, index) === 'the' ? 1 : 0;
  if (!the && !introduced) return null;
  const nth = readNth(tokens, index);
  if (nth) {
    const offset = monthAfter(tokens, nth.to);
    return offset
      ? found({ type: 'nth', nth: nth.value, monthOffset: offset.value }, offset.to)
      : null;
  }
  const day = readMonthDayNumber(tokens, index + the);
  if (!day) return null;
  const whole =
    lowAt(tokens, day.to - 1) === 'end' && lowAt(tokens, day.to + 1) === 'the'
      ? { value: 0, to: day.to + 3 }
      : null;
  const offset = monthAfter(tokens, day.to) ?? whole;
  if (offset)
    return found({ type: 'monthDay', day: day.value, monthOffset: offset.value }, offset.to);
  if (
    day.value === 'L' ||
    lowAt(tokens, index + the) !== lowAt(tokens, day.to - 1) ||
    tokens[index + the]?.kind === 'word'
  )
    return null;
  return FOLLOWS_A_DAY.test(lowAt(tokens, day.to))
    ? found({ type: 'monthDay', day: day.value }, day.to)
    : null;
}

/** "on the 15th at 9", but not "on the 15th floor". */
const FOLLOWS_A_DAY =
  /^(?:|\n|[,.;:!?()@&-]|at|to|and|or|in|around|please|remind|every|each|until|till|for|about|that|i|we|noon|midnight|tell|ping|send|\d.*)$/;

/** "of this month" 0, "of next month" 1. */
function monthAfter(tokens: readonly Token[], index: number): Read<number> | null {
  if (lowAt(tokens, index) !== 'of' || lowAt(tokens, index + 2) !== 'month') return null;
  const which = lowAt(tokens, index + 1);
  if (which === 'next') return { value: 1, to: index + 3 };
  return which === 'this' ? { value: 0, to: index + 3 } : null;
}

/** "15th", "last day", "first day", without article. */
export function readMonthDayNumber(tokens: readonly Token[], index: number): Read<MonthDay> | null {
  const low = lowAt(tokens, index);
  const next = lowAt(tokens, index + 1);
  if (/^(?:last|final)$/.test(low) && next === 'day') return { value: 'L', to: index + 2 };
  if (low === 'end' && next === 'of' && /month$/.test(lowAt(tokens, index + 3)))
    return { value: 'L', to: index + 1 };
  if (/^(?:start|beginning)$/.test(low) && next === 'of') return { value: 1, to: index + 1 };
  const ordinal = readOrdinal(tokens, index);
  if (!ordinal) return null;
  return {
    value: ordinal.value,
    to: lowAt(tokens, ordinal.to) === 'day' ? ordinal.to + 1 : ordinal.to,
  };
}

/** "first Monday", "the 2nd Tuesday", "last Friday". */
export function readNth(tokens: readonly Token[], index: number): Read<Nth> | null {
  const at = lowAt(tokens, index) === 'the' ? index + 1 : index;
  const last = /^(?:last|final)$/.test(lowAt(tokens, at));
  const ordinal = last ? { value: 0, to: at + 1 } : readOrdinal(tokens, at);
  if (!ordinal || ordinal.value > 5) return null;
  const weekday = weekdayAt(tokens, ordinal.to) ?? PLURAL_WEEKDAYS[lowAt(tokens, ordinal.to)];
  if (weekday === undefined) return null;
  return { value: { nth: last ? 'L' : ordinal.value, weekday }, to: ordinal.to + 1 };
}
