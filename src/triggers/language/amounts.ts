/** Lengths of time: "20 minutes", "an hour and a half", "2h30m", "a couple of days". */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/clock.js';
import { match, type Phrase, pattern, type Read, touches, wordAt } from './phrase.js';
import type { Unit } from './words.js';

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
