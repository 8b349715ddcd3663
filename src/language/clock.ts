/** Times of day: "9am", "17:30", "15h30", "half past nine", "six thirty", "at 8 and 20:00", "9 in the evening". */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { match, type Phrase, pattern, type Read, touches, wordAt } from './phrase.js';
import { type DayPart, MONTHS, type Unit } from './words.js';

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

export interface ClockTimes {
  times: ClockTime[];
  /** "in the evening" behind the time. */
  part?: DayPart;
  /** "9 or 10": which one is not said. */
  either?: boolean;
}

const NAMED = pattern('(?:12 )?(noon|midnight)');
const PAST = pattern(
  "(?:an? )?(half|quarter|\\d{1,2})( minute)? (past|after|to|before|until|of) (?:12 )?(\\d{1,2}|noon|midnight)(?: o'clock)?",
);
const COLON = pattern('(\\d{1,2}):(\\d{2})(?::(\\d{2}))?');
const DOT = pattern('(\\d{1,2})\\.(\\d{2})');
const DOT_LISTED = pattern('(?:, |, and |and |& )\\d{1,2}\\.\\d{2}');
const FRENCH = pattern('(\\d{1,2}) h(?: (\\d{2}))?');
const HOURS = pattern('(?:hour|h)');
const MILITARY = pattern('(\\d{2})(\\d{2}) (?:hour|h)');
const COMPACT = pattern('(\\d{1,2})(\\d{2})');
const SPACED = pattern('(\\d{1,2}) (\\d{2})');
const HALF_HOUR = pattern('half (\\d{1,2})');
const HOUR = pattern('(\\d{1,2})');
const MERIDIEM = pattern('(?:ish )?(am|pm)');
const OCLOCK = pattern("(?:ish )?(?:o'clock|o clock|sharp|on the dot)");
const PART_BEHIND = pattern(
  '(?:(?:in|of) (?:the )?(?:early |late )?(morning|afternoon|evening|night)|at (night))',
);
const DAY_BEHIND = pattern(
  '(?:today|tonight|tomorrow|this (?:morning|afternoon|evening)|(?:on )?(?:sun|mon|tues|wednes|thurs|fri|satur)days?)',
);
/** "at 9 people", "at 5 km": numbers, not hours. */
const COUNTED =
  /^(?:[%$€£°+*/]|percent|degrees?|km|kmh|mph|miles?|meters?|feet|euros?|dollars?|bucks|usd|eur|items|different|other|separate|points?|people|persons?|users?|customers?|times|places|locations|sites|second|minute|hour|day|week|month|year|per|x|of|million|thousand|hundred|k|gb|mb|ms|st|street|avenue|main)$/u;

/** One time. `introduced`: "at" stands before it, so a bare number is an hour. */
export function readTime(
  phrase: Phrase,
  index: number,
  introduced: boolean,
): Read<ClockTime> | null {
  const named = match(phrase, index, NAMED);
  if (named) {
    return named.groups[1] === 'noon'
      ? { value: exact(12, 0), to: named.to }
      : { value: { ...exact(0, 0), midnight: true }, to: named.to };
  }
  return readPast(phrase, index, introduced) ?? readDigits(phrase, index, introduced);
}

/** One end of a window, where "9 to 5" are two hours and not nine minutes before five. */
export function readEnd(phrase: Phrase, index: number): Read<ClockTime> | null {
  const named = match(phrase, index, NAMED);
  return named ? readTime(phrase, index, true) : readDigits(phrase, index, true);
}

/** "half past nine", "quarter to 8", "ten past 5", British "half nine". */
function readPast(phrase: Phrase, index: number, introduced: boolean): Read<ClockTime> | null {
  const half = match(phrase, index, HALF_HOUR);
  if (half && (introduced || isMeridiem(phrase, half.to) || isBesideDay(phrase, index, half.to)))
    return withMeridiem(phrase, half.to, Number(half.groups[1]), 30, false);
  const found = match(phrase, index, PAST);
  if (!found) return null;
  const [, amount = '', unit, relation = '', hour = ''] = found.groups;
  const minutes = amount === 'half' ? 30 : amount === 'quarter' ? 15 : Number(amount);
  const forwards = relation === 'past' || relation === 'after';
  // "quarter of five" is American for quarter to; of most other things it is a share.
  if (relation === 'of' && !(amount === 'quarter' && introduced)) return null;
  const rounded = amount.length > 3 || unit !== undefined || minutes % 5 === 0 || forwards;
  if (minutes < 1 || minutes > 30 || !rounded || (!forwards && amount === 'half')) return null;
  if (relation === 'after' && amount !== 'quarter' && unit === undefined) return null;
  const named = hour === 'noon' ? 12 : hour === 'midnight' ? 0 : null;
  const value = named ?? Number(hour);
  if (value > 23) return null;
  const base = withMeridiem(phrase, found.to, value, 0, named !== null || value > 12);
  if (!base) return null;
  const total = (base.value.hour * 60 + (forwards ? minutes : -minutes) + 1_440) % 1_440;
  const hours = Math.floor(total / 60);
  return {
    value: { ...base.value, hour: base.value.sure || hours > 0 ? hours : 12, minute: total % 60 },
    to: base.to,
  };
}

const DAY_BEFORE = new RegExp(
  `^(?:today|tonight|tomorrow|morning|afternoon|evening|night|\\w+days?|${Object.keys(MONTHS).join('|')}|\\d{1,2}(?:st|nd|rd|th)|\\d+[-/.]\\d.*)$`,
);

/** A day or a part of one directly in front of the words from `index` to `to`, or behind them. */
function isBesideDay(phrase: Phrase, index: number, to: number): boolean {
  const before = wordAt(phrase, wordAt(phrase, index - 1) === ',' ? index - 2 : index - 1);
  return (
    DAY_BEFORE.test(before) ||
    match(phrase, to, PART_BEHIND) !== null ||
    match(phrase, to, DAY_BEHIND) !== null
  );
}

function readDigits(phrase: Phrase, index: number, introduced: boolean): Read<ClockTime> | null {
  const kind = phrase.words[index]?.kind;
  const colon = match(phrase, index, COLON);
  if (colon) {
    const [all, hour = '', minute = '', second = '0'] = colon.groups;
    // "10:30 hrs"
    const hours = match(phrase, colon.to, HOURS);
    return withMeridiem(
      phrase,
      hours?.to ?? colon.to,
      Number(hour),
      Number(minute),
      hours !== null || is24(hour, all),
      Number(second),
    );
  }
  const dot = kind === 'decimal' ? match(phrase, index, DOT) : null;
  if (dot) {
    const [, hour = '', minute = ''] = dot.groups;
    // "7.30 and 19.30"
    const listed = match(phrase, dot.to, DOT_LISTED) !== null && wordAt(phrase, index - 1) === '';
    const backed = introduced || isMeridiem(phrase, dot.to) || isBesideDay(phrase, index, dot.to);
    if (!backed && !listed) return null;
    if (COUNTED.test(wordAt(phrase, dot.to))) return null;
    return withMeridiem(phrase, dot.to, Number(hour), Number(minute), is24(hour, hour));
  }
  if (kind !== 'number') return null;
  const french = match(phrase, index, FRENCH);
  if (french && touches(phrase, index + 1)) {
    const minutes = french.groups[2] !== undefined && touches(phrase, index + 2);
    const hour = Number(french.groups[1]);
    const to = minutes || french.groups[2] === undefined ? french.to : french.to - 1;
    // "3h" lasts three hours; "3h18" and "15h" are on the clock.
    const dated = /day$|^(?:today|tomorrow|tonight)$/.test(wordAt(phrase, index - 1));
    if (!minutes && hour < 13 && !introduced && !dated) return null;
    // Who writes hours like this counts them to 24.
    return withMeridiem(phrase, to, hour, minutes ? Number(french.groups[2]) : 0, true);
  }
  const military = match(phrase, index, MILITARY);
  if (military) return pairOf(phrase, military.groups, military.to, true);
  const compact = match(phrase, index, COMPACT);
  if (compact && /^\d{3,4}$/.test(compact.groups[0])) {
    const backed = isMeridiem(phrase, compact.to) || match(phrase, compact.to, PART_BEHIND);
    const four = compact.groups[0].length === 4;
    // "fri 2200"; "fri 2026" may be a year.
    const beside = !/^(?:19|20)/.test(compact.groups[0]) && isBesideDay(phrase, index, compact.to);
    if (!backed && !(four && (introduced || beside))) return null;
    if (!backed && COUNTED.test(wordAt(phrase, compact.to))) return null;
    return pairOf(phrase, compact.groups, compact.to, four && !backed);
  }
  const spaced = match(phrase, index, SPACED);
  if (spaced && (introduced || isMeridiem(phrase, spaced.to))) {
    if (!COUNTED.test(wordAt(phrase, spaced.to)) && Number(spaced.groups[2]) < 60)
      return pairOf(phrase, spaced.groups, spaced.to, false);
  }
  return readHour(phrase, index, introduced);
}

/** An hour without minutes is a time when "at", am/pm, "o'clock" or a day beside it says so. */
function readHour(phrase: Phrase, index: number, introduced: boolean): Read<ClockTime> | null {
  const found = match(phrase, index, HOUR);
  if (!found) return null;
  const word = found.groups[0];
  const oclock = match(phrase, found.to, OCLOCK);
  const to = oclock?.to ?? found.to;
  const backed =
    introduced ||
    oclock ||
    isMeridiem(phrase, to) ||
    match(phrase, to, PART_BEHIND) ||
    match(phrase, to, DAY_BEHIND);
  const counts = COUNTED.test(wordAt(phrase, to)) && !match(phrase, to, PART_BEHIND);
  if (!backed || (!oclock && counts)) return null;
  if (
    !oclock &&
    touches(phrase, to) &&
    /^(?!ish$)\p{L}/u.test(wordAt(phrase, to)) &&
    !isMeridiem(phrase, to)
  )
    return null;
  return withMeridiem(phrase, to, Number(word), 0, is24(word, word));
}

const is24 = (hour: string, written: string): boolean =>
  /^0\d/.test(written) || Number(hour) > 12 || Number(hour) === 0;

function pairOf(
  phrase: Phrase,
  [, hour = '', minute = '']: RegExpExecArray,
  to: number,
  sure: boolean,
): Read<ClockTime> | null {
  return withMeridiem(phrase, to, Number(hour), Number(minute), sure || Number(hour) > 12);
}

function isMeridiem(phrase: Phrase, index: number): boolean {
  const found = match(phrase, index, MERIDIEM);
  return found !== null && phrase.words[found.to - 1]?.text !== 'Am';
}

function withMeridiem(
  phrase: Phrase,
  index: number,
  hour: number,
  minute: number,
  sure: boolean,
  second = 0,
): Read<ClockTime> | null {
  if (minute > 59 || second > 59 || hour > 24 || (hour === 24 && minute > 0)) return null;
  const said = isMeridiem(phrase, index) ? match(phrase, index, MERIDIEM) : null;
  const clock = { hour: hour % 24, minute, second };
  if (!said) return { value: { ...clock, sure }, to: index };
  const pm = said.groups[1] === 'pm';
  // "17:30 pm" is said; "0 pm" and "15 am" are not times.
  if (hour > 12) return pm && hour < 24 ? { value: { ...clock, sure: true }, to: said.to } : null;
  if (hour === 0 && pm) return null;
  const value = { ...clock, hour: (hour % 12) + (pm ? 12 : 0), sure: true, meridiem: true };
  return { value, to: said.to };
}

function exact(hour: number, minute: number): ClockTime {
  return { hour, minute, second: 0, sure: true };
}

/** "in the morning", "at night". */
export function partBehind(phrase: Phrase, index: number): Read<DayPart> | null {
  const found = match(phrase, index, PART_BEHIND);
  return found && { value: (found.groups[1] ?? found.groups[2]) as DayPart, to: found.to };
}

const AT = pattern(
  "(?:(?:at|by|no later than)(?: the)?|around|exactly|approximately|precisely|for|about|(?:when|once|as soon as) (?:it is|it's|its|the clock (?:says|shows)))",
);
const STRICT_AT = pattern(
  "(?:at|around|exactly|approximately|precisely|(?:when|once|as soon as) (?:it is|it's|its|the clock (?:says|shows)))",
);
const AGAIN = pattern('(?:at|around|exactly|approximately|precisely|about)');
const SUFFIX = pattern('(?:ish|sharp|exactly|precisely|on the dot|or so|or thereabouts)');
const LIST_JOINT = pattern('(?:(?:, )?(?:and|then)(?: (?:then|again|also))*|, or|or|plus|,)');

/** One or several times of day at `index`, preposition included. */
export function readTimes(phrase: Phrase, index: number): Read<ClockTimes> | null {
  let at = index;
  let introduced = false;
  const opening = match(phrase, at, AT);
  if (opening) {
    // "for 9am" is a time, "for 9" may be anything, except behind "alarm".
    introduced =
      match(phrase, at, STRICT_AT)?.to === opening.to || wordAt(phrase, index - 1) === 'alarm';
    at = opening.to;
    for (
      let more = match(phrase, at, AGAIN);
      more && at < index + 3;
      more = match(phrase, at, AGAIN)
    )
      at = more.to;
  }
  const first = readTime(phrase, at, introduced);
  if (!first) return null;
  const times = [first.value];
  let either = false;
  let to = match(phrase, first.to, SUFFIX)?.to ?? first.to;
  const parts: { part: DayPart; count: number }[] = [];
  const takePart = (): void => {
    const part = partBehind(phrase, to);
    if (!part) return;
    parts.push({ part: part.value, count: times.length });
    to = part.to;
  };
  takePart();
  // "raise the price by 10 tomorrow": of "by", only what is clearly a time is one.
  const vague = !first.value.sure && first.value.minute === 0 && parts.length === 0;
  if (vague && /^(?:by|no)$/.test(wordAt(phrase, index))) return null;
  while (times.length < 12) {
    const joint = match(phrase, to, LIST_JOINT);
    if (!joint) break;
    const again = match(phrase, joint.to, STRICT_AT);
    const from = again?.to ?? joint.to;
    const next = readTime(phrase, from, again !== null || endsList(phrase, from));
    if (!next) break;
    if (/or$/.test(joint.groups[0])) either = true;
    times.push(next.value);
    to = match(phrase, next.to, SUFFIX)?.to ?? next.to;
    takePart();
  }
  shareMeridiem(times);
  const value: ClockTimes = { times };
  const [part] = parts;
  if (parts.length === 1 && part?.count === times.length) value.part = part.part;
  else
    parts.forEach(({ part, count }, index) => {
      settle(times.slice(parts[index - 1]?.count ?? 0, count), part);
    });
  if (either) value.either = true;
  return { value, to };
}

/** "at 5 in the morning and 5 in the evening": each part says which half of the day its times lie in. */
function settle(times: readonly ClockTime[], part: DayPart): void {
  for (const time of times) {
    if (time.sure) continue;
    time.hour = hourOf(time, part, false) % 24;
    time.sure = true;
  }
}

const LIST_END =
  /^(?:|[,.!?;:\n]|and|am|pm|on|every|daily|tomorrow|today|to|in|o'clock|h|for|please|remind|\p{L}+)$/u;

/** A list item may be a bare number only where no counted thing follows. */
function endsList(phrase: Phrase, index: number): boolean {
  const word = wordAt(phrase, index + 1);
  return LIST_END.test(word) && !COUNTED.test(word) && !/^\p{L}+s$/u.test(word);
}

/** "at 9 and 11 am": the first time takes the am of the one behind it; beside 18:15, 6:15 is in the morning. */
function shareMeridiem(times: ClockTime[]): void {
  if (times.some(({ hour, meridiem }) => hour > 12 && !meridiem))
    for (const time of times) time.sure = true;
  for (let index = times.length - 2; index >= 0; index -= 1) {
    const here = times[index];
    const next = times[index + 1];
    if (!here || !next?.meridiem || here.sure) continue;
    const hour = (here.hour % 12) + (next.hour >= 12 ? 12 : 0);
    if (hour * 60 + here.minute >= next.hour * 60 + next.minute) continue;
    here.hour = hour;
    here.sure = true;
  }
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

const QUANTITY =
  '(?:(\\d+(?:\\.\\d+)?)(?: an?)?|(?:an? )?(half)(?: -)?(?: an?| of an?)?|(?:an? )?(quarter)(?: -)?(?: of)?(?: an?)?|(3) quarters? of an?|(?:an? )?(couple)(?: of)?|an? (dozen)|(an?))';
const TERM = pattern(
  `${QUANTITY}( and an? half)? (?:- )?(second|minute|h|hour|day|week|fortnight|month|year)( and an? half)?`,
);
const JOINT = pattern('(?:, and|,|and)');
const BARE_MINUTES = pattern('(\\d\\d)');

/** Longer ones lead out of the calendar. */
const LONGEST_DAYS = 365_000;

export function readDuration(phrase: Phrase, index: number): Read<Duration> | null {
  const total: Duration = { ms: 0, days: 0, months: 0, unit: null, count: 0 };
  let to = index;
  for (let terms = 0; terms < 4; terms += 1) {
    const joint = terms > 0 ? (match(phrase, to, JOINT)?.to ?? to) : to;
    const term = match(phrase, joint, TERM);
    if (!term) break;
    const [, digits, half, quarter, three, couple, dozen, , before, unit = '', after] = term.groups;
    let count = digits ? Number(digits) : half ? 0.5 : quarter ? 0.25 : 1;
    if (three) count = 0.75;
    if (couple) count = 2;
    if (dozen) count = 12;
    if (before || after) count += 0.5;
    if (!add(total, count, unit === 'h' ? 'hour' : unit)) return null;
    to = term.to;
  }
  const days = total.ms / DAY_MS + total.days + total.months * 30;
  if (to === index || days <= 0 || days > LONGEST_DAYS) return null;
  // "1h30": the minutes need no unit where they touch the hours.
  const minutes = match(phrase, to, BARE_MINUTES);
  if (minutes && wordAt(phrase, to - 1) === 'h' && touches(phrase, to)) {
    add(total, Number(minutes.groups[1]), 'minute');
    to = minutes.to;
  }
  return { value: total, to };
}

function add(total: Duration, count: number, unit: string): boolean {
  const isFirst = total.unit === null && total.count === 0;
  const weeks = unit === 'fortnight' ? 2 * count : count;
  total.unit = isFirst ? (unit === 'fortnight' ? 'week' : (unit as Unit)) : null;
  total.count = weeks;
  const clock = { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS }[unit];
  if (clock !== undefined) {
    total.ms += count * clock;
    return true;
  }
  if (unit === 'month' || unit === 'year') {
    total.months += unit === 'year' ? 12 * count : count;
    return Number.isInteger(total.months);
  }
  const days = unit === 'day' ? count : 7 * weeks;
  total.days += Math.floor(days);
  total.ms += (days - Math.floor(days)) * DAY_MS;
  return true;
}
