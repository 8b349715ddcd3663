/** A single time of day: "9am", "17:30", "half past nine", "0900", "noon". */
import { type Read, readInteger } from './amounts.js';
import { lowAt, type Token, touches } from './tokens.js';
import { type DayPart, ONE_WORDS, PARTS } from './words.js';

export interface ClockTime {
  /** 0–23 when `sure`, else 1–12 as written. */
  hour: number;
  minute: number;
  second: number;
  /** False for "9": neither am/pm nor a 24-hour writing says which nine it is. */
  sure: boolean;
  midnight?: boolean;
  /** Said with am or pm, which a bare hour before it in a list takes over. */
  meridiem?: boolean;
}

/** "at 9 people", "at 5 km": numbers, not hours. */
const COUNTED = new Set(
  (
    '% $ € £ ° percent degrees degree km kmh mph miles mile meters feet years euros euro dollars dollar bucks usd eur items ' +
    'different other separate points people persons users customers times places locations sites second seconds minute ' +
    'minutes min mins hour hour hours days day week weeks month months per x am/pm of million thousand hundred k gb mb ms / * + st street avenue main'
  ).split(' '),
);

/** One time. `introduced`: "at" stands before it, so a bare number is an hour. */
export function readTime(
  tokens: readonly Token[],
  index: number,
  introduced: boolean,
): Read<ClockTime> | null {
  return (
    readNamed(tokens, index) ??
    readSpoken(tokens, index, introduced) ??
    readDigits(tokens, index, introduced)
  );
}

/** One end of a window, where "9 to 5" are two hours and not nine minutes before five. */
export function readWindowEnd(tokens: readonly Token[], index: number): Read<ClockTime> | null {
  return (
    readNamed(tokens, index) ?? readDigits(tokens, index, true) ?? readSpoken(tokens, index, true)
  );
}

function readNamed(tokens: readonly Token[], index: number): Read<ClockTime> | null {
  const low = lowAt(tokens, index);
  const next = lowAt(tokens, index + 1);
  if (low === '12' && (next === 'noon' || next === 'midnight')) return readNamed(tokens, index + 1);
  if (low === 'noon' || low === 'midday' || low === 'noontime' || low === 'lunchtime')
    return exact(12, 0, index + 1);
  if (low === 'midnight')
    return { value: { hour: 0, minute: 0, second: 0, sure: true, midnight: true }, to: index + 1 };
  return null;
}

/** "half past nine", "quarter to 8", "ten past 5", "half nine". */
function readSpoken(
  tokens: readonly Token[],
  index: number,
  introduced: boolean,
): Read<ClockTime> | null {
  let at = index;
  if (lowAt(tokens, at) === 'a' && lowAt(tokens, at + 1) === 'quarter') at += 1;
  let minutes: number;
  const low = lowAt(tokens, at);
  if (low === 'half') minutes = 30;
  else if (low === 'quarter') minutes = 15;
  else {
    const number = readInteger(tokens, at);
    if (!number || number.value < 1 || number.value > 29) return null;
    minutes = number.value;
    at = number.to - 1;
    if (/^(?:minutes|mins|min)$/.test(lowAt(tokens, at + 1))) at += 1;
  }
  at += 1;
  const relation = lowAt(tokens, at);
  const past = relation === 'past' || (relation === 'after' && low === 'quarter');
  const to = relation === 'to' || relation === 'till' || relation === 'before';
  if (!past && !to) {
    // British "half nine" is 9:30; without "at" it could be half of nine things.
    if (low !== 'half' || !introduced) return null;
    at -= 1;
  } else if (to && low === 'half') return null;
  const named = readNamed(tokens, at + 1);
  const hour = named ? { value: named.value.hour, to: named.to } : readInteger(tokens, at + 1);
  if (!hour || hour.value > 23 || COUNTED.has(lowAt(tokens, hour.to))) return null;
  const base = withMeridiem(
    tokens,
    hour.to,
    hour.value,
    0,
    named !== null || hour.value > 12 || hour.value === 0,
  );
  if (!base) return null;
  const shifted = to ? base.value.hour * 60 - minutes : base.value.hour * 60 + minutes;
  const total = (shifted + 1440) % 1440;
  let hours = Math.floor(total / 60);
  if (!base.value.sure && hours === 0) hours = 12;
  return {
    value: { hour: hours, minute: total % 60, second: 0, sure: base.value.sure },
    to: base.to,
  };
}

function readDigits(
  tokens: readonly Token[],
  index: number,
  introduced: boolean,
): Read<ClockTime> | null {
  const here = tokens[index];
  if (!here) return null;
  if (here.kind === 'clock') {
    const [hour = 0, minute = 0, second = 0] = here.low.split(':').map(Number);
    if (hour > 24 || minute > 59 || second > 59) return null;
    return withMeridiem(
      tokens,
      index + 1,
      hour,
      minute,
      /^0\d/.test(here.low) || hour > 12 || hour === 0,
      second,
    );
  }
  if (here.kind === 'decimal') {
    const [hour = '', minute = ''] = here.low.split('.');
    if (minute.length !== 2 || Number(hour) > 23 || Number(minute) > 59 || hour.length > 2)
      return null;
    const sure = /^0\d/.test(hour) || Number(hour) > 12 || Number(hour) === 0;
    const read = withMeridiem(tokens, index + 1, Number(hour), Number(minute), sure);
    if (
      !read ||
      !(introduced || isMeridiem(tokens, index + 1)) ||
      COUNTED.has(lowAt(tokens, read.to))
    )
      return null;
    return read;
  }
  if (here.kind === 'number') return readHourNumber(tokens, index, introduced);
  if (here.kind !== 'word') return null;
  const hour = ONE_WORDS.get(here.low);
  if (hour === undefined || hour < 1 || hour > 12) return null;
  const minute = readInteger(tokens, index + 1);
  const spoken =
    minute && minute.value >= 10 && minute.value <= 59 && tokens[index + 1]?.kind === 'word'
      ? minute
      : null;
  if (
    spoken &&
    (introduced || isMeridiem(tokens, spoken.to)) &&
    !COUNTED.has(lowAt(tokens, spoken.to))
  ) {
    return withMeridiem(tokens, spoken.to, hour, spoken.value, false);
  }
  return hourAlone(tokens, index + 1, hour, introduced, false);
}

function readHourNumber(
  tokens: readonly Token[],
  index: number,
  introduced: boolean,
): Read<ClockTime> | null {
  const low = lowAt(tokens, index);
  const next = lowAt(tokens, index + 1);
  if (low.length === 4) {
    const hour = Number(low.slice(0, 2));
    const minute = Number(low.slice(2));
    const military = /^(?:hrs|hours|h|hour)$/.test(next);
    if (hour > 23 || minute > 59 || !(introduced || military || isMeridiem(tokens, index + 1)))
      return null;
    if (!military && COUNTED.has(next)) return null;
    if (isMeridiem(tokens, index + 1)) return withMeridiem(tokens, index + 1, hour, minute, false);
    return exact(hour, minute, military ? index + 2 : index + 1);
  }
  if (low.length === 3 && isMeridiem(tokens, index + 1)) {
    return withMeridiem(tokens, index + 1, Number(low.slice(0, 1)), Number(low.slice(1)), false);
  }
  if (low.length > 2) return null;
  const hour = Number(low);
  // 17h30, 17h
  if (next === 'h' && touches(tokens, index + 1)) {
    const after = tokens[index + 2];
    const joined = after?.kind === 'number' && touches(tokens, index + 2) && after.low.length === 2;
    const minute = joined ? Number(after.low) : 0;
    return introduced && hour < 24 && minute < 60
      ? exact(hour, minute, joined ? index + 3 : index + 2)
      : null;
  }
  return hourAlone(
    tokens,
    index + 1,
    hour,
    introduced,
    hour > 12 || hour === 0 || (low.length === 2 && low.startsWith('0')),
  );
}

/** An hour without minutes is a time when "at", am/pm, "o'clock" or a part of the day says so. */
function hourAlone(
  tokens: readonly Token[],
  next: number,
  hour: number,
  introduced: boolean,
  sure: boolean,
): Read<ClockTime> | null {
  const oclock = /^(?:o'clock|oclock|o’clock)$/.test(lowAt(tokens, next));
  const split = lowAt(tokens, next) === 'o' && lowAt(tokens, next + 1) === 'clock';
  const after = oclock ? next + 1 : split ? next + 2 : next;
  const backed =
    introduced || after > next || isMeridiem(tokens, after) || partAfter(tokens, after) !== null;
  if (!backed || hour > 24 || (after === next && COUNTED.has(lowAt(tokens, after)))) return null;
  return withMeridiem(tokens, after, hour, 0, sure);
}

function isMeridiem(tokens: readonly Token[], index: number): boolean {
  const low = lowAt(tokens, index);
  if (low === 'am') return tokens[index]?.text !== 'Am';
  return low === 'pm' || ((low === 'a' || low === 'p') && lowAt(tokens, index + 1) === 'm');
}

function withMeridiem(
  tokens: readonly Token[],
  next: number,
  hour: number,
  minute: number,
  sure: boolean,
  second = 0,
): Read<ClockTime> | null {
  if (minute > 59) return null;
  if (!isMeridiem(tokens, next)) {
    if (hour > 24 || (hour === 24 && minute > 0)) return null;
    return { value: { hour: hour % 24, minute, second, sure }, to: next };
  }
  const low = lowAt(tokens, next);
  const to = low === 'am' || low === 'pm' ? next + 1 : next + 2;
  // "17:30 pm" is said; "0 am" and "15 am" are not times.
  if (hour > 12) return low.startsWith('p') && hour < 24 ? exact(hour, minute, to) : null;
  if (hour === 0) return low.startsWith('a') ? exact(0, minute, to) : null;
  const shift = low.startsWith('p') ? 12 : 0;
  return { value: { hour: (hour % 12) + shift, minute, second, sure: true, meridiem: true }, to };
}

function exact(hour: number, minute: number, to: number): Read<ClockTime> {
  return { value: { hour, minute, second: 0, sure: true }, to };
}

/** "in the morning", "at night" behind a time or alone. */
export function partAfter(tokens: readonly Token[], index: number): Read<DayPart> | null {
  const low = lowAt(tokens, index);
  if (low === 'at' && lowAt(tokens, index + 1) === 'night')
    return { value: 'night', to: index + 2 };
  if (low !== 'in' || lowAt(tokens, index + 1) !== 'the') return null;
  const early = /^(?:early|late)$/.test(lowAt(tokens, index + 2)) ? 1 : 0;
  const word = lowAt(tokens, index + 2 + early);
  const part = Object.hasOwn(PARTS, word) ? PARTS[word] : undefined;
  return part === undefined ? null : { value: part, to: index + 3 + early };
}

/**
 * The hour on the 24-hour clock. Where nothing says am or pm: with a part of the day, the one that lies
 * in it; else 7–11 are am, 12 is noon and 1–6 are pm, as people mean them; being woken, 4–11 are am.
 */
export function hourOf(time: ClockTime, part: DayPart | undefined, waking: boolean): number {
  if (time.sure) return time.hour;
  const hour = time.hour % 12;
  switch (part) {
    case 'morning':
      return hour;
    case 'afternoon':
      return hour + 12;
    case 'evening':
      return hour === 0 ? 0 : hour + 12;
    case 'night':
      return hour < 5 ? hour : hour + 12;
    default:
      if (waking && hour >= 4) return hour;
      return hour >= 7 ? hour : hour + 12;
  }
}
