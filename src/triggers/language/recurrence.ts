/** Things that repeat: "every 5 minutes", "on Tuesdays", "the first Monday of each month", "twice a day". */
import { readDuration, readOrdinal, readUnit } from './amounts.js';
import { readNamedDay } from './dates.js';
import type { Facts } from './facts.js';
import {
  type FoundRecurrence,
  found,
  readMinuteOfHour,
  readTimesPer,
  readVagueAdverb,
} from './frequency.js';
import { ofMonth, readMonthly, readMonthlyDays, readNthWorkday } from './month-days.js';
import { readTime } from './one-time.js';
import { lowAt, type Token } from './tokens.js';
import { readDayGroup, readDayList, withPart } from './weekdays.js';
import { type DayPart, MONTHS, PARTS, type Unit, WORKDAYS } from './words.js';
import { readWrittenDate } from './written-dates.js';

const EVERY_DAY: Facts['every'] = { count: 1, unit: 'day' };
const ADVERBS: Readonly<Record<string, Facts>> = {
  daily: { every: EVERY_DAY },
  everyday: { every: EVERY_DAY },
  hourly: { every: { count: 1, unit: 'hour' } },
  weekly: { every: { count: 1, unit: 'week' } },
  monthly: { every: { count: 1, unit: 'month' } },
  yearly: { every: { count: 1, unit: 'year' } },
  annually: { every: { count: 1, unit: 'year' } },
  annual: { every: { count: 1, unit: 'year' } },
  nightly: { every: EVERY_DAY, part: 'night' },
  fortnightly: { every: { count: 2, unit: 'week' } },
  quarterly: { every: { count: 3, unit: 'month' } },
  biweekly: { ask: 'Does "biweekly" mean twice a week or every two weeks?' },
  bimonthly: { ask: 'Does "bimonthly" mean twice a month or every two months?' },
};

/** A recurrence at `index`. */
export function readRecurrence(tokens: readonly Token[], index: number): FoundRecurrence | null {
  return (
    readEvery(tokens, index) ??
    readAdverb(tokens, index) ??
    readTimesPer(tokens, index) ??
    readMinuteOfHour(tokens, index) ??
    readNthWorkday(tokens, index) ??
    readDayGroup(tokens, index) ??
    readMonthly(tokens, index)
  );
}

function readEvery(tokens: readonly Token[], index: number): FoundRecurrence | null {
  let at = index;
  if (
    /^(?:on|at|in|once|for)$/.test(lowAt(tokens, at)) &&
    /^(?:every|each)$/.test(lowAt(tokens, at + 1))
  ) {
    if (lowAt(tokens, at) === 'for') return null;
    at += 1;
  }
  if (!/^(?:every|each)$/.test(lowAt(tokens, at))) return null;
  at += 1;
  if (/^(?:single|and)$/.test(lowAt(tokens, at))) at += lowAt(tokens, at) === 'and' ? 2 : 1;
  return (
    readVagueEvery(tokens, at) ??
    readEveryNth(tokens, at) ??
    readEveryNamed(tokens, at, { count: 1, unit: 'week' }) ??
    readEveryOther(tokens, at) ??
    readEveryAmount(tokens, at)
  );
}

function readVagueEvery(tokens: readonly Token[], index: number): FoundRecurrence | null {
  const words = tokens
    .slice(index, index + 3)
    .map((token) => token.low)
    .join(' ');
  for (const [phrase, length] of [
    ['now and then', 3],
    ['now and again', 3],
    ['so often', 2],
    ['once in', 2],
  ] as const) {
    if (words.startsWith(phrase)) {
      const extra = phrase === 'once in' ? 2 : 0;
      return found({}, index + length + extra, { vague: true });
    }
  }
  const vague = /^(?:few|several|couple|some)$/.test(lowAt(tokens, index));
  if (!vague) return null;
  const of = lowAt(tokens, index + 1) === 'of' ? 2 : 1;
  if (lowAt(tokens, index) === 'couple' || !readUnit(tokens, index + of)) {
    return lowAt(tokens, index) === 'couple' && readUnit(tokens, index + of)
      ? found({ every: { count: 2, unit: readUnit(tokens, index + of) ?? 'day' } }, index + of + 1)
      : null;
  }
  return found({}, index + of + 1, { vague: true });
}

/** Days by name behind "every": weekdays, day groups, parts of the day, months, dates. */
function readEveryNamed(
  tokens: readonly Token[],
  index: number,
  cycle: { count: number; unit: Unit },
): FoundRecurrence | null {
  const low = lowAt(tokens, index);
  const days = readDayList(tokens, index);
  if (days) {
    const facts: Facts =
      cycle.count === 1 ? { weekdays: days.value } : { weekdays: days.value, every: cycle };
    return withPart(tokens, facts, days.to);
  }
  if (cycle.count > 1) return null;
  if (Object.hasOwn(PARTS, low))
    return found({ every: EVERY_DAY, part: PARTS[low] as DayPart }, index + 1);
  if (/^(?:noon|midday|midnight|lunchtime)$/.test(low)) {
    const time = readTime(tokens, index, false);
    return time ? found({ every: EVERY_DAY, times: [time.value] }, time.to) : null;
  }
  if (Object.hasOwn(MONTHS, low) || readOrdinal(tokens, index) || readNamedDay(tokens, index)) {
    const date = readWrittenDate(tokens, index, false) ?? readNamedDay(tokens, index);
    if (date?.value.type === 'date' && date.value.year === undefined) {
      return found({ months: [date.value.month], monthDays: [date.value.day] }, date.to);
    }
  }
  if (Object.hasOwn(MONTHS, low)) return found({ months: [MONTHS[low] ?? 1] }, index + 1);
  if (
    low === 'quarter' &&
    !/^(?:hour|of)$/.test(lowAt(tokens, index + 1)) &&
    lowAt(tokens, index + 1) !== '-'
  ) {
    return found({ every: { count: 3, unit: 'month' } }, index + 1);
  }
  return null;
}

/** "every other day", "every second Friday", "every 3rd week". */
function readEveryOther(tokens: readonly Token[], index: number): FoundRecurrence | null {
  const other = /^(?:other|alternate)$/.test(lowAt(tokens, index));
  const ordinal = other ? { value: 2, to: index + 1 } : readOrdinal(tokens, index);
  if (!ordinal) return null;
  const unit = readUnit(tokens, ordinal.to);
  if (unit && tokens[ordinal.to]?.low !== 'second')
    return found({ every: { count: ordinal.value, unit } }, ordinal.to + 1);
  return readEveryNamed(tokens, ordinal.to, { count: ordinal.value, unit: 'week' });
}

function readEveryAmount(tokens: readonly Token[], index: number): FoundRecurrence | null {
  let at = index;
  // "every minute", "every hour and a half", "every quarter hour" have no number in front.
  const unit = readUnit(tokens, at);
  if (unit && !/^(?:s|m|h|d|w)$/.test(lowAt(tokens, at))) {
    const half =
      lowAt(tokens, at + 1) === 'and' &&
      lowAt(tokens, at + 2) === 'a' &&
      lowAt(tokens, at + 3) === 'half';
    if (half && unit === 'hour') return found({ everyMs: 90 * 60_000 }, at + 4);
    const count = lowAt(tokens, at).startsWith('fortnight') ? 2 : 1;
    if (
      unit === 'day' &&
      lowAt(tokens, at + 1) === 'of' &&
      /^(?:the|every|each)$/.test(lowAt(tokens, at + 2))
    ) {
      if (/^(?:week|month|year)$/.test(lowAt(tokens, at + 3)))
        return found({ every: EVERY_DAY }, at + 4);
    }
    return found({ every: { count, unit } }, at + 1);
  }
  if (
    /^(?:business|working|work|week)$/.test(lowAt(tokens, at)) &&
    /^days?$/.test(lowAt(tokens, at + 1))
  ) {
    return found({ weekdays: [...WORKDAYS] }, at + 2);
  }
  const duration = readDuration(tokens, at);
  if (!duration) return null;
  at = duration.to;
  const { ms, days, months, unit: said, count } = duration.value;
  if (said && Number.isInteger(count) && count >= 1)
    return found({ every: { count, unit: said } }, at);
  if (ms > 0 && months === 0) return found({ everyMs: ms + days * 86_400_000 }, at);
  return null;
}

/** "every first Monday", "every 15th", "every 1st and 15th", "every last day of the month". */
function readEveryNth(tokens: readonly Token[], index: number): FoundRecurrence | null {
  const monthly = readMonthlyDays(tokens, index);
  if (!monthly) return null;
  const of = ofMonth(tokens, monthly.to);
  if (of !== null) return found({ ...monthly.value, ...of.value }, of.to);
  // "every second Friday" is every other Friday; "every first Friday" and "every last" can only be monthly.
  const { nth, monthDays } = monthly.value;
  if (nth?.every((item) => item.nth === 1 || item.nth === 'L'))
    return found(monthly.value, monthly.to);
  const numeral = tokens[index]?.kind === 'ordinal' && tokens[monthly.to - 1]?.kind === 'ordinal';
  const unit = readUnit(tokens, monthly.to);
  return monthDays && numeral && !unit ? found(monthly.value, monthly.to) : null;
}

/** "daily", "hourly", …; in front of a noun it is an adjective and names no schedule by itself. */
function readAdverb(tokens: readonly Token[], index: number): FoundRecurrence | null {
  const low = lowAt(tokens, index);
  const once = low === 'once' && Object.hasOwn(ADVERBS, lowAt(tokens, index + 1)) ? 1 : 0;
  const word = lowAt(tokens, index + once);
  const facts = Object.hasOwn(ADVERBS, word) ? ADVERBS[word] : undefined;
  if (!facts) return readVagueAdverb(tokens, index);
  const before = lowAt(tokens, index - 1);
  const next = lowAt(tokens, index + once + 1);
  const nominal =
    /^(?:a|an|the|my|our|your|his|her|their|this|that|another|new|some|recurring)$/.test(before);
  const ends =
    /^(?:|\n|[.,;:!?)("-]|at|@|on|in|from|for|to|around|starting|beginning|until|till|and|between|please|through|as|except|thanks|with|about|during|every|each|noon|midnight)$/.test(
      next,
    ) || /^\d/.test(next);
  // "hourly check the queue" orders, "weekly sync in room 4" names: an object behind the next word tells.
  const object =
    /^(?:me|us|the|my|our|a|an|all|any|this|these|it|them|if|whether|for|your)$/.test(
      lowAt(tokens, index + once + 2),
    ) || tokens[index + once + 2]?.kind === 'quote';
  const leads = index === 0 || /^(?:mark|break)$/.test(tokens[index - 1]?.kind ?? '');
  const adverb = !nominal && (ends || (leads && object));
  return found(facts, index + once + 1, adverb ? {} : { adjective: true });
}
