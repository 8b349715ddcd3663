/** Days of the month that repeat: "the 15th of every month", "the 1st and 15th", "the first Monday of each month". */
import { type Read, readInteger, readOrdinal } from './amounts.js';
import { readMonthDayNumber, readNth } from './dates.js';
import type { Facts, MonthDay, Nth } from './facts.js';
import { type FoundRecurrence, found } from './frequency.js';
import { lowAt, type Token } from './tokens.js';
import { MONTHS } from './words.js';

/** "1st and 15th", "last day", "first Monday", "first and third Monday". */
export function readMonthlyDays(tokens: readonly Token[], index: number): Read<Facts> | null {
  const first = readNth(tokens, index);
  if (first) {
    const list: Nth[] = [first.value];
    let to = first.to;
    while (list.length < 5 && /^(?:and|&|,)$/.test(lowAt(tokens, to))) {
      const next = readNth(tokens, to + 1);
      if (!next) break;
      list.push(next.value);
      to = next.to;
    }
    return { value: { nth: list }, to };
  }
  const days: MonthDay[] = [];
  const ordinals: number[] = [];
  let to = index;
  while (days.length < 12) {
    let from = to;
    if (days.length > 0) {
      while (/^(?:and|&|,|the|on)$/.test(lowAt(tokens, from)) && from < to + 3) from += 1;
      if (from === to) break;
    }
    if (days.length > 0) {
      // "first and third Monday": the weekday stands once.
      const shared = readNth(tokens, from);
      if (shared && typeof shared.value.nth === 'number') {
        const weekday = shared.value.weekday;
        return {
          value: { nth: [...ordinals.map((nth) => ({ nth, weekday })), shared.value] },
          to: shared.to,
        };
      }
    }
    const day = readMonthDayNumber(tokens, from);
    if (!day) break;
    days.push(day.value);
    if (typeof day.value === 'number') ordinals.push(day.value);
    to = day.to;
  }
  return days.length > 0 ? { value: { monthDays: days }, to } : null;
}

/** "of the month", "of every month", "of each other month", "in March"; what it adds to the days. */
export function ofMonth(tokens: readonly Token[], index: number): Read<Facts> | null {
  let at = index;
  if (/^(?:of|in)$/.test(lowAt(tokens, at))) at += 1;
  else if (!/^(?:every|each)$/.test(lowAt(tokens, at))) return null;
  if (/^(?:the|a|any)$/.test(lowAt(tokens, at)) && lowAt(tokens, at + 1) === 'month')
    return { value: {}, to: at + 2 };
  if (!/^(?:every|each)$/.test(lowAt(tokens, at))) return null;
  if (/^(?:month|calendar)$/.test(lowAt(tokens, at + 1))) {
    return { value: {}, to: lowAt(tokens, at + 1) === 'calendar' ? at + 3 : at + 2 };
  }
  const other =
    lowAt(tokens, at + 1) === 'other'
      ? { value: 2, to: at + 2 }
      : (readInteger(tokens, at + 1) ?? readOrdinal(tokens, at + 1));
  if (other && /^months?$/.test(lowAt(tokens, other.to))) {
    return { value: { every: { count: other.value, unit: 'month' } }, to: other.to + 1 };
  }
  const month = lowAt(tokens, at + 1);
  if (lowAt(tokens, at + 1) === 'quarter')
    return { value: { every: { count: 3, unit: 'month' } }, to: at + 2 };
  return Object.hasOwn(MONTHS, month)
    ? { value: { months: [MONTHS[month] ?? 1] }, to: at + 2 }
    : null;
}

/** "on the 15th of every month", "the first Monday of each month", "on the 1st and 15th". */
export function readMonthly(tokens: readonly Token[], index: number): FoundRecurrence | null {
  let at = index;
  if (/^(?:on|at)$/.test(lowAt(tokens, at))) at += 1;
  if (lowAt(tokens, at) === 'the') at += 1;
  else if (/^(?:day|days)$/.test(lowAt(tokens, at))) {
    const day = readInteger(tokens, at + 1);
    const of = day ? ofMonth(tokens, day.to) : null;
    return day && of && day.value >= 1 && day.value <= 31
      ? found({ monthDays: [day.value], ...of.value }, of.to)
      : null;
  }
  const days = readMonthlyDays(tokens, at);
  if (!days) return null;
  const end = lowAt(tokens, days.to - 1);
  if (/^(?:end|start|beginning)$/.test(end)) {
    const of = ofMonth(tokens, days.to);
    return of && lowAt(tokens, of.to - 1) === 'month' && lowAt(tokens, of.to - 2) !== 'the'
      ? found({ ...days.value, ...of.value }, of.to)
      : null;
  }
  const of = ofMonth(tokens, days.to);
  if (of) return found({ ...days.value, ...of.value }, of.to);
  if (
    end === 'day' &&
    at > index + 1 &&
    days.value.monthDays?.length === 1 &&
    lowAt(tokens, days.to) !== 'of'
  ) {
    return found({ day: { type: 'monthDay', day: days.value.monthDays[0] ?? 'L' } }, days.to);
  }
  const several =
    (days.value.monthDays?.length ?? 0) > 1 &&
    tokens.slice(at, days.to).every((token) => token.kind !== 'word' || !/day$/.test(token.low));
  const all = tokens.slice(at, days.to).some((token) => token.kind === 'ordinal');
  return several && all && at > index ? found(days.value, days.to) : null;
}

/** "the first weekday of every month": understood, but no schedule can hold it. */
export function readNthWorkday(tokens: readonly Token[], index: number): FoundRecurrence | null {
  let at = index;
  while (/^(?:on|every|each|the)$/.test(lowAt(tokens, at)) && at < index + 2) at += 1;
  const last = /^(?:last|final)$/.test(lowAt(tokens, at));
  const ordinal = last ? { to: at + 1 } : readOrdinal(tokens, at);
  if (!ordinal) return null;
  at = ordinal.to;
  if (/^(?:business|working|work|week)$/.test(lowAt(tokens, at))) at += 1;
  else if (!/^(?:weekday|workday)$/.test(lowAt(tokens, at))) return null;
  if (!/^(?:day|weekday|workday)$/.test(lowAt(tokens, at))) return null;
  const of = ofMonth(tokens, at + 1);
  const question = 'I can keep a day of the month or a weekday of it. Which one shall I take?';
  return of ? found({ ask: question }, of.to) : null;
}
