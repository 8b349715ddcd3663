/** Numbers in digits and words, and lengths of time: "20", "twenty five", "an hour and a half", "2h30m". */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/clock.js';
import { lowAt, type Token, touches } from './tokens.js';
import { LETTER_UNITS, ONE_WORDS, ORDINALS, TEN_WORDS, UNITS, type Unit } from './words.js';

export interface Read<T> {
  value: T;
  /** Index of the first token after what was read. */
  to: number;
}

/** Clock units add up to `ms`; calendar units stay calendar units, since a day is not always 24 hours. */
export interface Duration {
  ms: number;
  days: number;
  months: number;
  /** The one unit it was said in, null for mixtures. */
  unit: Unit | null;
  /** How many of that unit. */
  count: number;
}

/** A whole number: digits or words up to ninety-nine. */
export function readInteger(tokens: readonly Token[], index: number): Read<number> | null {
  const here = tokens[index];
  if (!here) return null;
  if (here.kind === 'number') {
    return here.low.length <= 6 ? { value: Number(here.low), to: index + 1 } : null;
  }
  const ten = TEN_WORDS.get(here.low);
  if (ten !== undefined) {
    const dash = lowAt(tokens, index + 1) === '-' ? 1 : 0;
    const one = ONE_WORDS.get(lowAt(tokens, index + 1 + dash));
    if (one !== undefined && one >= 1 && one <= 9)
      return { value: ten + one, to: index + 2 + dash };
    return { value: ten, to: index + 1 };
  }
  const one = ONE_WORDS.get(here.low);
  return one === undefined ? null : { value: one, to: index + 1 };
}

/** A quantity before a unit: integers, "1.5", "a", "an", "half a", "a couple of", "two and a half", "a dozen". */
export function readQuantity(tokens: readonly Token[], index: number): Read<number> | null {
  const low = lowAt(tokens, index);
  const next = lowAt(tokens, index + 1);
  if (tokens[index]?.kind === 'decimal') return { value: Number(low), to: index + 1 };
  if (low === 'half') {
    if (next === 'a' || next === 'an') return { value: 0.5, to: index + 2 };
    return { value: 0.5, to: next === '-' ? index + 2 : index + 1 };
  }
  if (low === 'quarter') return quarter(tokens, index, 0.25);
  if (low === 'three' && (next === 'quarters' || next === 'quarter'))
    return quarter(tokens, index + 1, 0.75);
  if (low === 'dozen') return { value: 12, to: index + 1 };
  if (low === 'couple') return { value: 2, to: next === 'of' ? index + 2 : index + 1 };
  if (low === 'a' || low === 'an') {
    if (next === 'half' || next === 'quarter' || next === 'dozen' || next === 'couple') {
      return readQuantity(tokens, index + 1);
    }
    return { value: 1, to: index + 1 };
  }
  const whole = readInteger(tokens, index);
  if (!whole) return null;
  if (
    lowAt(tokens, whole.to) === 'and' &&
    lowAt(tokens, whole.to + 1) === 'a' &&
    lowAt(tokens, whole.to + 2) === 'half'
  ) {
    return { value: whole.value + 0.5, to: whole.to + 3 };
  }
  if (lowAt(tokens, whole.to) === 'dozen') return { value: whole.value * 12, to: whole.to + 1 };
  return whole;
}

function quarter(tokens: readonly Token[], index: number, value: number): Read<number> {
  if (lowAt(tokens, index + 1) !== 'of')
    return { value, to: lowAt(tokens, index + 1) === '-' ? index + 2 : index + 1 };
  const article = lowAt(tokens, index + 2);
  return { value, to: article === 'a' || article === 'an' ? index + 3 : index + 2 };
}

/** The unit at `index`; single letters count only where they touch their number. */
export function readUnit(tokens: readonly Token[], index: number): Unit | null {
  const low = lowAt(tokens, index);
  if (Object.hasOwn(UNITS, low)) return UNITS[low] ?? null;
  if (low === 'fortnight' || low === 'fortnights') return 'week';
  if (
    Object.hasOwn(LETTER_UNITS, low) &&
    touches(tokens, index) &&
    tokens[index - 1]?.kind !== 'word'
  ) {
    return LETTER_UNITS[low] ?? null;
  }
  return null;
}

/** A length of time. Fractions are allowed of clock units only. */
export function readDuration(tokens: readonly Token[], index: number): Read<Duration> | null {
  let at = index;
  const total: Duration = { ms: 0, days: 0, months: 0, unit: null, count: 0 };
  for (let terms = 0; terms < 4; terms += 1) {
    let from = at;
    if (terms > 0) {
      if (lowAt(tokens, from) === ',') from += 1;
      if (lowAt(tokens, from) === 'and') from += 1;
    }
    const quantity = readQuantity(tokens, from);
    if (!quantity) break;
    let unitAt = quantity.to;
    if (lowAt(tokens, unitAt) === '-') unitAt += 1;
    const unit = readUnit(tokens, unitAt);
    if (!unit) {
      // "1h30": the minutes need no unit when they touch the hours.
      if (
        terms > 0 &&
        total.unit === 'hour' &&
        touches(tokens, from) &&
        tokens[from]?.kind === 'number'
      ) {
        if (!add(total, quantity.value, 'minute')) return null;
        at = quantity.to;
      }
      break;
    }
    let value = quantity.value;
    at = unitAt + 1;
    if (lowAt(tokens, unitAt).startsWith('fortnight')) value *= 2;
    if (
      lowAt(tokens, at) === 'and' &&
      lowAt(tokens, at + 1) === 'a' &&
      lowAt(tokens, at + 2) === 'half'
    ) {
      value += 0.5;
      at += 3;
    }
    if (!add(total, value, unit)) return null;
  }
  return at === index || !isPositive(total) ? null : { value: total, to: at };
}

function isPositive(duration: Duration): boolean {
  return duration.ms > 0 || duration.days > 0 || duration.months > 0;
}

function add(total: Duration, value: number, unit: Unit): boolean {
  const first = total.unit === null && total.count === 0;
  total.unit = first ? unit : null;
  total.count = value;
  switch (unit) {
    case 'second':
      total.ms += value * SECOND_MS;
      return true;
    case 'minute':
      total.ms += value * MINUTE_MS;
      return true;
    case 'hour':
      total.ms += value * HOUR_MS;
      return true;
    case 'day':
    case 'week': {
      const days = unit === 'week' ? value * 7 : value;
      total.days += Math.floor(days);
      total.ms += (days - Math.floor(days)) * DAY_MS;
      return true;
    }
    default: {
      const months = unit === 'year' ? value * 12 : value;
      total.months += months;
      return Number.isInteger(months);
    }
  }
}

/** "3rd", "third", "twenty-first" as a number from 1 to 31. */
export function readOrdinal(tokens: readonly Token[], index: number): Read<number> | null {
  const here = tokens[index];
  if (!here) return null;
  if (here.kind === 'ordinal') return bounded(Number.parseInt(here.low, 10), index + 1);
  const ten = TEN_WORDS.get(here.low);
  if (ten !== undefined && ten <= 30) {
    const dash = lowAt(tokens, index + 1) === '-' ? 1 : 0;
    const low = lowAt(tokens, index + 1 + dash);
    const one = Object.hasOwn(ORDINALS, low) ? ORDINALS[low] : undefined;
    return one !== undefined && one <= 9 ? bounded(ten + one, index + 2 + dash) : null;
  }
  const value = Object.hasOwn(ORDINALS, here.low) ? ORDINALS[here.low] : undefined;
  return value === undefined ? null : bounded(value, index + 1);
}

function bounded(value: number, to: number): Read<number> | null {
  return value >= 1 && value <= 31 ? { value, to } : null;
}
