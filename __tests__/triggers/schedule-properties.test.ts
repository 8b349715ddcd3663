import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countRunsBetween,
  nextRunAfter,
  nextRuns,
  previousRunAtOrBefore,
  runsBetween,
  validateSchedule,
} from '../../src/triggers/schedule.js';
import type { Schedule } from '../../src/triggers/schema.js';

const SEED = 20260329;
const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = Date.parse('2026-10-20T12:00Z');

function at(iso: string): number {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) throw new Error(`bad test date ${iso}`);
  return ms;
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString().replace(':00.000Z', 'Z');
}

function cron(cronExpression: string, timezone?: string, more: Partial<Schedule> = {}): Schedule {
  return { triggerType: 'cron', cronExpression, ...(timezone ? { timezone } : {}), ...more };
}

/** Fixed Sundays of clock changes: the scan of one of these weeks is the oracle of the last property. */
const CHANGE_WEEKS: [zone: string, from: string][] = [
  ['Europe/Berlin', '2026-03-26T00:00Z'],
  ['Europe/Berlin', '2026-10-22T00:00Z'],
  ['America/New_York', '2026-03-05T00:00Z'],
  ['America/New_York', '2026-10-29T00:00Z'],
  ['Australia/Lord_Howe', '2026-10-01T00:00Z'],
  ['Australia/Lord_Howe', '2026-04-02T00:00Z'],
  ['America/St_Johns', '2026-03-05T00:00Z'],
  ['America/St_Johns', '2026-10-29T00:00Z'],
  ['America/Santiago', '2026-09-03T00:00Z'],
  ['America/Santiago', '2026-04-02T00:00Z'],
  ['Africa/Cairo', '2026-04-21T00:00Z'],
  ['Asia/Beirut', '2026-10-22T00:00Z'],
  ['Africa/Casablanca', '2026-02-13T00:00Z'],
  ['Asia/Kolkata', '2026-03-26T00:00Z'],
];

interface Minute {
  ms: number;
  wall: number;
}

const scans = new Map<string, Minute[]>();

/** Every minute of seven days with the reading of the wall clock, straight from Intl. */
function scanOf(zone: string, from: string): Minute[] {
  const known = scans.get(zone + from);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const minutes: Minute[] = [];
  for (let ms = at(from); ms < at(from) + 7 * DAY; ms += MINUTE) {
    const [day, month, year, hour, minute] = format.format(ms).split(/\D+/).map(Number);
    minutes.push({ ms, wall: Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute) });
  }
  scans.set(zone + from, minutes);
  return minutes;
}

interface Fields {
  minutes: number[];
  hours: number[] | null;
  weekdays: number[] | null;
}

function bruteForce({ minutes, hours, weekdays }: Fields, scan: Minute[]): number[] {
  const matches = (wall: number): boolean => {
    const date = new Date(wall);
    return (
      minutes.includes(date.getUTCMinutes()) &&
      (!hours || hours.includes(date.getUTCHours())) &&
      (!weekdays || weekdays.includes(date.getUTCDay()))
    );
  };
  const seen = new Set<number>();
  const runs: number[] = [];
  let previous: number | null = null;
  for (const { ms, wall } of scan) {
    let runsNow = matches(wall) && (hours === null || !seen.has(wall));
    for (
      let skipped: number = (previous ?? wall) + MINUTE;
      hours !== null && skipped < wall;
      skipped += MINUTE
    ) {
      runsNow ||= matches(skipped);
    }
    if (runsNow) runs.push(ms);
    seen.add(wall);
    previous = wall;
  }
  return runs;
}

const fieldsArbitrary: fc.Arbitrary<Fields> = fc.record({
  minutes: fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 4 }),
  // Up to 23 of them: all 24 are "every hour" and follow the other rule.
  hours: fc.option(
    fc.uniqueArray(fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 23 })), {
      minLength: 1,
      maxLength: 6,
    }),
  ),
  weekdays: fc.option(
    fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 }),
  ),
});

function expressionOf({ minutes, hours, weekdays }: Fields): string {
  return `${minutes.join(',')} ${hours?.join(',') ?? '*'} * * ${weekdays?.join(',') ?? '*'}`;
}

describe(`properties (seed ${SEED})`, () => {
  const check = <T extends [unknown, ...unknown[]]>(
    property: fc.IPropertyWithHooks<T>,
    numRuns = 300,
  ): void => fc.assert(property, { seed: SEED, numRuns });
  const weekArbitrary = fc.constantFrom(...CHANGE_WEEKS);
  const anySchedule = fc.oneof(
    fc
      .record({ fields: fieldsArbitrary, week: weekArbitrary })
      .map(({ fields, week }) => cron(expressionOf(fields), week[0])),
    fc
      .record({
        days: fc.integer({ min: 1, max: 30 }),
        anchorMs: fc.integer({ min: 0, max: NOW + 300 * DAY }),
        week: weekArbitrary,
        wallClock: fc.boolean(),
      })
      .map(
        ({ days, anchorMs, week, wallClock }): Schedule => ({
          triggerType: 'interval',
          intervalMs: days * DAY,
          anchorMs,
          timezone: week[0],
          wallClock,
        }),
      ),
    fc
      .record({
        intervalMs: fc.integer({ min: MINUTE, max: 90 * DAY }),
        start: fc.integer({ min: 0, max: NOW + 300 * DAY }),
      })
      .map(
        ({ intervalMs, start }): Schedule => ({
          triggerType: 'interval',
          intervalMs,
          startAtIso: new Date(start).toISOString(),
        }),
      ),
  );
  const anyInstant = fc.oneof(
    weekArbitrary.chain(([, from]) => fc.integer({ min: at(from), max: at(from) + 7 * DAY })),
    fc.integer({ min: 0, max: at('2040-01-01T00:00Z') }),
  );

  it('the next run is strictly later, and asked a millisecond before it is the same run', () => {
    check(
      fc.property(anySchedule, anyInstant, (schedule, after) => {
        const next = nextRunAfter(schedule, after);
        expect(next).toBeGreaterThan(after);
        expect(nextRunAfter(schedule, (next ?? 0) - 1)).toBe(next);
      }),
      1000,
    );
  });

  it('looking back finds what looking forward found', () => {
    check(
      fc.property(anySchedule, anyInstant, (schedule, after) => {
        const runs = nextRuns(schedule, after, 6);
        const last = runs[5] ?? 0;
        expect(runsBetween(schedule, after, last, 100)).toEqual(runs);
        expect(runsBetween(schedule, after, last, 2)).toEqual(runs.slice(-2));
        expect(countRunsBetween(schedule, after, last, 100)).toBe(6);
        expect(previousRunAtOrBefore(schedule, last - 1, 0)).toBe(runs[4]);
      }),
      1000,
    );
  });

  it('without clock changes it walks as cron-parser does', () => {
    const day = fc.oneof(
      fc.constant('*'),
      fc.constantFrom('L', '1', '29', '30,31', '1-7', '10-20/3'),
    );
    const weekday = fc.oneof(
      fc.constant('*'),
      fc.constantFrom('1-5', 'SUN', '7', '5L', '2#1', 'SAT#5', '0-6/2', '1,3'),
    );
    const month = fc.oneof(fc.constant('*'), fc.constantFrom('2', '1-6', '*/3', 'DEC', '2,4'));
    const time = fc.constantFrom('0 9', '*/7 */5', '5/20 0-23', '59 23', '0,1 0', '* 12', '30 1-4');
    check(
      fc.property(time, day, month, weekday, anyInstant, (t, d, m, w, after) => {
        const expression = `${t} ${d} ${m} ${w}`;
        fc.pre(validateSchedule(cron(expression), { nowMs: NOW }).length === 0);
        const theirs = CronExpressionParser.parse(expression, {
          tz: 'UTC',
          currentDate: new Date(after),
        });
        expect(nextRuns(cron(expression), after, 3)).toEqual(
          [theirs.next(), theirs.next(), theirs.next()].map((date) => date.getTime()),
        );
      }),
    );
  });

  it('in weeks of clock changes it agrees with a scan of every minute', () => {
    check(
      fc.property(fieldsArbitrary, weekArbitrary, (fields, [zone, from]) => {
        const scan = scanOf(zone, from);
        const after = at(from) + DAY; // the first day tells the oracle which wall times ran already
        const expected = bruteForce(fields, scan).filter((ms) => ms > after);
        const end = at(from) + 7 * DAY - 1;
        const actual = nextRuns(
          cron(expressionOf(fields), zone),
          after,
          expected.length + 1,
        ).filter((ms) => ms <= end);
        expect(actual.map(iso)).toEqual(expected.map(iso));
      }),
      600,
    );
  });
});
