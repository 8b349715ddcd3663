/**
 * Cron expressions, read by cron-parser and expanded to plain lists and day masks. What cron-parser
 * lets through or refuses wrongly is put right here; `cron.ts` walks the result.
 */
import { CronExpressionParser, type CronFieldCollection } from 'cron-parser';
import { messageOf } from '../shared/errors.js';

/** A cron expression whose fields are expanded; lists are ascending and never empty. */
export interface Cron {
  /** Five or six fields in upper case, shorthands (`@daily`) replaced. */
  readonly expression: string;
  /** True when the writer gave a seconds field, even a plain 0. */
  readonly hasSeconds: boolean;
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly lastDayOfMonth: boolean;
  readonly months: readonly number[];
  /** 0 is Sunday; every one of them when the field is a wildcard, none when all are written `#n` or `L`. */
  readonly weekdays: readonly number[];
  /** Weekdays written `#n`: the n-th such day of the month, 1–5. */
  readonly nthWeekdays: readonly { weekday: number; nth: number }[];
  /** Weekdays written with `L`: the last such day of the month. */
  readonly lastWeekdays: readonly number[];
  readonly anyDayOfMonth: boolean;
  readonly anyWeekday: boolean;
  /** By (length of month, weekday of the 1st): bit d is set when day d+1 matches. */
  readonly dayMasks: Int32Array;
}

type CronReading = { ok: true; cron: Cron } | { ok: false; problem: string };

/** Longer expressions are refused; listing every minute takes 169 characters. */
const MAX_CRON_LENGTH = 200;
const MAX_CACHED = 5_000;

// crontab(5), plus the ones cron-parser adds. cron-parser lacks @midnight.
const SHORTHANDS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
  '@minutely': '* * * * *',
  '@secondly': '* * * * * *',
  '@weekdays': '0 0 * * 1-5',
  '@weekends': '0 0 * * 0,6',
};

const FIELD_NAMES = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const;
/** How many values each field has. */
const FIELD_SIZES: readonly [number, string][] = [
  [60, 'seconds'],
  [60, 'minutes'],
  [24, 'hours'],
  [31, 'days'],
  [12, 'months'],
  [7, 'weekdays'],
];
const WILDCARDS = ['*', '*', '*', '*', '*', '*'];

const readings = new Map<string, CronReading>();

/**
 * Reads 5 or 6 fields, names, `L`, `#`, `?`, 7 for Sunday, or a shorthand such as `@daily`; letter
 * case does not matter. Refused, other than by cron-parser: fewer than 5 fields (it would fill them
 * up), `H` (it draws a random time) and what can never fire. Never throws; memoized.
 */
export function readCron(text: string): CronReading {
  const known = readings.get(text);
  if (known) return known;
  if (text.length > MAX_CRON_LENGTH) {
    return { ok: false, problem: `is longer than ${MAX_CRON_LENGTH} characters` };
  }
  const reading = parse(text);
  if (readings.size >= MAX_CACHED) {
    const [oldest] = readings.keys();
    if (oldest !== undefined) readings.delete(oldest);
  }
  readings.set(text, reading);
  return reading;
}

/** The length of a month, 28 to 31; `month` is 0–11. */
export function monthLength(year: number, month: number): number {
  if (month !== 1) return month === 3 || month === 5 || month === 8 || month === 10 ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

/**
 * The step that goes beyond its field, in words, or `null`: of a star with step 90 in the minutes only
 * minute 0 is left, every hour, which nobody means who writes 90. Stored ones go on as they always did.
 */
export function wideStep(cron: Cron): string | null {
  const raw = cron.expression.split(/\s+/);
  for (const [index, field] of (cron.hasSeconds ? raw : ['0', ...raw]).entries()) {
    const [size = 0, unit] = FIELD_SIZES[index] ?? [];
    const wide = field.split(',').find((item) => Number(item.split('/')[1] ?? 1) > size);
    if (wide === undefined) continue;
    return `steps beyond the ${size} ${unit} of its field (${wide}): write the times themselves, or use an interval`;
  }
  return null;
}

function parse(text: string): CronReading {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, problem: 'is empty' };
  if (/(?!\t)\p{Cc}/u.test(trimmed)) return { ok: false, problem: 'contains a control character' };
  const shown = JSON.stringify(trimmed);
  const expanded = trimmed.startsWith('@') ? SHORTHANDS[trimmed.toLowerCase()] : trimmed;
  if (expanded === undefined) return { ok: false, problem: `${shown} is not a known shorthand` };
  const expression = expanded.toUpperCase();
  const raw = expression.split(/\s+/);
  if (raw.length !== 5 && raw.length !== 6) {
    const fields = raw.length === 1 ? '1 field' : `${raw.length} fields`;
    return {
      ok: false,
      problem: `${shown} has ${fields}; expected minute, hour, day of month, month, day of week`,
    };
  }
  if (raw.some((field) => field.replace(/[A-Z]{3}/g, '').includes('H'))) {
    return {
      ok: false,
      problem: `${shown} uses H, which stands for a random time; write the time`,
    };
  }
  const withSeconds = raw.length === 6 ? raw : ['0', ...raw];
  try {
    const { nthWeekdays, field } = splitNth(withSeconds[5] ?? '');
    const fields = parseFields(withSeconds.with(5, field).map(withoutRepeats));
    const days = fields.dayOfMonth.values;
    const onlyNth = nthWeekdays.length > 0 && field === '*';
    const weekdays = onlyNth ? [] : fields.dayOfWeek.values.map(String);
    const cron: Cron = {
      expression,
      hasSeconds: raw.length === 6,
      seconds: fields.second.values,
      minutes: fields.minute.values,
      hours: fields.hour.values,
      months: fields.month.values,
      daysOfMonth: days.filter((day) => typeof day === 'number'),
      lastDayOfMonth: days.includes('L'),
      weekdays: uniqueWeekdays(weekdays.filter((day) => !day.endsWith('L'))),
      nthWeekdays,
      lastWeekdays: uniqueWeekdays(weekdays.filter((day) => day.endsWith('L'))),
      anyDayOfMonth: startsWithStar(withSeconds[3]),
      anyWeekday: startsWithStar(withSeconds[5]),
      dayMasks: new Int32Array(28),
    };
    fillDayMasks(cron);
    return canFire(cron) ? { ok: true, cron } : { ok: false, problem: `${shown} never fires` };
  } catch (error) {
    const message = messageOf(error);
    if (message.includes('explicit day of month'))
      return { ok: false, problem: `${shown} never fires` };
    return { ok: false, problem: `${shown} is not a cron expression: ${message}` };
  }
}

function parseFields(fields: string[]): CronFieldCollection {
  // The date only keeps cron-parser from reading the clock; its iterator is not used.
  return CronExpressionParser.parse(fields.join(' '), { tz: 'UTC', currentDate: new Date(0) })
    .fields;
}

/** cron-parser refuses lists that name a value twice (`1-5,5`, `0,7`); crontab takes them. */
function withoutRepeats(field: string, index: number): string {
  const items = field.split(',');
  const name = FIELD_NAMES[index];
  if (items.length === 1 || name === undefined || items.includes('') || field.includes('#'))
    return field;
  const values = items.flatMap(
    (item): (string | number)[] => parseFields(WILDCARDS.with(index, item))[name].values,
  );
  return [...new Set(values.map(String))].join(',');
}

/** cron-parser takes one `#` only; "1#1,1#3" and "5#2,5L" are lists of them, the rest is its own. */
function splitNth(text: string): {
  nthWeekdays: { weekday: number; nth: number }[];
  field: string;
} {
  const items = text.split(',');
  const isNth = (item: string) => item.includes('#');
  const nthWeekdays = items.filter(isNth).flatMap((item) => {
    const { values, nthDay } = parseFields(WILDCARDS.with(5, item)).dayOfWeek;
    return values.map((value) => ({
      weekday: Number.parseInt(String(value), 10) % 7,
      nth: nthDay,
    }));
  });
  const field = items.filter((item) => !isNth(item)).join(',');
  return { nthWeekdays, field: nthWeekdays.length > 0 && field === '' ? '*' : field };
}

function uniqueWeekdays(values: string[]): number[] {
  return [...new Set(values.map((value) => Number.parseInt(value, 10) % 7))].sort((a, b) => a - b);
}

/**
 * crontab(5): either day field matching is enough, unless one of them starts with a star. For a star
 * with step 2 in the day of month and Monday, cron-parser runs on odd days and on Mondays; crontab,
 * and so this, on the Mondays among the odd days.
 */
function startsWithStar(field: string | undefined): boolean {
  return field !== undefined && (field.startsWith('*') || field.startsWith('?'));
}

function fillDayMasks(cron: Cron): void {
  const both = cron.anyDayOfMonth || cron.anyWeekday;
  for (let length = 28; length <= 31; length += 1) {
    for (let first = 0; first < 7; first += 1) {
      let mask = 0;
      for (let day = 1; day <= length; day += 1) {
        const weekday = (first + day - 1) % 7;
        const byDay = cron.daysOfMonth.includes(day) || (cron.lastDayOfMonth && day === length);
        const byWeekday =
          cron.weekdays.includes(weekday) ||
          cron.nthWeekdays.some(
            (each) => each.weekday === weekday && each.nth === Math.ceil(day / 7),
          ) ||
          (cron.lastWeekdays.includes(weekday) && day > length - 7);
        if (both ? byDay && byWeekday : byDay || byWeekday) mask |= 1 << (day - 1);
      }
      cron.dayMasks[(length - 28) * 7 + first] = mask;
    }
  }
}

function canFire(cron: Cron): boolean {
  return cron.months.some((month) => {
    const longest = monthLength(2000, month - 1);
    return cron.dayMasks
      .subarray((longest - 28) * 7, (longest - 28) * 7 + 7)
      .some((mask) => mask !== 0);
  });
}
