/**
 * How long a hint lives: `session`, or a duration in ISO 8601 (`PT2H`, `P1D`, `P1Y2M3DT4H5M6,5S`).
 * Years and months are those of the calendar, in UTC, and a day that a month lacks becomes its
 * last day (31 January and `P1M` is 28 or 29 February). Pure; evaluated whenever a hint is read.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import type { Finding } from '../shared/errors.js';

export type Ttl =
  /** Ends with the session of whoever set it (`StoredHint.session`). */
  | { session: true }
  /** Epoch ms in, epoch ms out; later by at least 1 ms. */
  | { endsAt(fromMs: number): number }
  | { finding: Finding };

const MAX_YEARS = 100;
/** The longest TTL, which stands for "for good". */
export const FOR_GOOD = `P${MAX_YEARS}Y`;
const YEAR_MS = 365.2425 * DAY_MS;
const NUMBER = String.raw`(\d+(?:[.,]\d+)?)`;
const DURATION = new RegExp(
  `^P(?!$)(?:${NUMBER}Y)?(?:${NUMBER}M)?(?:${NUMBER}W)?(?:${NUMBER}D)?` +
    `(?:T(?!$)(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
  'i',
);

/** The finding (`meta.ttl`) says that it is no duration, is zero, or is longer than 100 years. */
export function parseTtl(ttl: string): Ttl {
  const text = ttl.trim();
  if (text.toLowerCase() === 'session') return { session: true };
  const [whole, ...parts] = DURATION.exec(text) ?? [];
  if (whole === undefined) {
    return refused(
      /^[+-]/.test(text)
        ? 'must not have a sign'
        : 'is neither "session" nor a duration like PT2H or P1D',
    );
  }
  const given = parts.filter((part) => part !== undefined);
  if (given.slice(0, -1).some((part) => /[.,]/.test(part))) {
    return refused('may have a fraction only in its smallest unit');
  }
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] =
    parts.map((part) => (part === undefined ? 0 : Number(part.replace(',', '.'))));
  const allMonths = years * 12 + months;
  const ms =
    (weeks * 7 + days) * DAY_MS + hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS;
  if (allMonths === 0 && ms === 0) return refused('must be longer than nothing');
  if (allMonths / 12 + ms / YEAR_MS > MAX_YEARS) return refused(`is over ${MAX_YEARS} years`);
  return {
    endsAt: (fromMs) => Math.max(fromMs + 1, Math.round(monthsLater(fromMs, allMonths) + ms)),
  };
}

const refused = (message: string): Ttl => ({ finding: { field: 'meta.ttl', message } });

/** Part of a month is that part of the month it falls into. */
function monthsLater(fromMs: number, months: number): number {
  const full = Math.floor(months);
  const start = wholeMonthsLater(fromMs, full);
  if (full === months) return start;
  return start + (months - full) * (wholeMonthsLater(fromMs, full + 1) - start);
}

function wholeMonthsLater(fromMs: number, months: number): number {
  const from = new Date(fromMs);
  const year = from.getUTCFullYear();
  const month = from.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(from.getUTCDate(), lastDay);
  // `fromMs` negative (before 1970) has its time of day, too.
  const timeOfDay = ((fromMs % DAY_MS) + DAY_MS) % DAY_MS;
  return Date.UTC(year, month, day) + timeOfDay;
}
