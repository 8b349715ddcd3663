import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseTtl } from '../../src/hints/ttl.js';

const endOf = (ttl: string, from: string): string => {
  const parsed = parseTtl(ttl);
  if (!('endsAt' in parsed)) throw new Error(`${ttl}: ${JSON.stringify(parsed)}`);
  return new Date(parsed.endsAt(Date.parse(from))).toISOString();
};

it.each(['session', ' session ', 'Session'])('%j ends with the process', (ttl) => {
  expect(parseTtl(ttl)).toEqual({ session: true });
});

const FROM = '2026-01-31T10:20:30.400Z';
it.each([
  ['PT2H', '2026-01-31T12:20:30.400Z'],
  ['pt2h', '2026-01-31T12:20:30.400Z'],
  ['P1D', '2026-02-01T10:20:30.400Z'],
  ['P1W', '2026-02-07T10:20:30.400Z'],
  ['P1M', '2026-02-28T10:20:30.400Z'],
  ['PT1M', '2026-01-31T10:21:30.400Z'],
  ['P13M', '2027-02-28T10:20:30.400Z'],
  ['P2Y1M', '2028-02-29T10:20:30.400Z'],
  ['PT0.5S', '2026-01-31T10:20:30.900Z'],
  ['PT0,5S', '2026-01-31T10:20:30.900Z'],
  ['PT0.0001S', '2026-01-31T10:20:30.401Z'],
  ['PT1.5H', '2026-01-31T11:50:30.400Z'],
  ['P0.5D', '2026-01-31T22:20:30.400Z'],
  ['P0.5Y', '2026-07-31T10:20:30.400Z'],
  ['P1.5M', '2026-03-15T22:20:30.400Z'],
  ['P1Y2M3DT4H5M6S', '2027-04-03T14:25:36.400Z'],
  ['P1Y2M1W3DT4H5M6.25S', '2027-04-10T14:25:36.650Z'],
  ['P0D', null],
  ['PT36H', '2026-02-01T22:20:30.400Z'],
  ['P100Y', '2126-01-31T10:20:30.400Z'],
])('%s after 31 January 2026 ends %s', (ttl, end) => {
  if (end === null) expect(parseTtl(ttl)).toHaveProperty('finding');
  else expect(endOf(ttl, FROM)).toBe(end);
});

it('keeps the time of day before 1970 and over a leap day', () => {
  expect(endOf('P1M', '1969-12-31T23:59:59.999Z')).toBe('1970-01-31T23:59:59.999Z');
  expect(endOf('P1Y', '2028-02-29T00:00:00.000Z')).toBe('2029-02-28T00:00:00.000Z');
});

it.each([
  ['P', 'is neither "session" nor a duration like PT2H or P1D'],
  ['PT', 'is neither "session" nor a duration like PT2H or P1D'],
  ['P1DT', 'is neither "session" nor a duration like PT2H or P1D'],
  ['2h', 'is neither "session" nor a duration like PT2H or P1D'],
  ['', 'is neither "session" nor a duration like PT2H or P1D'],
  ['P1H', 'is neither "session" nor a duration like PT2H or P1D'],
  ['P1D2M', 'is neither "session" nor a duration like PT2H or P1D'],
  ['xP1D', 'is neither "session" nor a duration like PT2H or P1D'],
  ['P1D ago', 'is neither "session" nor a duration like PT2H or P1D'],
  ['P1.D', 'is neither "session" nor a duration like PT2H or P1D'],
  ['P١D', 'is neither "session" nor a duration like PT2H or P1D'],
  ['P-1D', 'is neither "session" nor a duration like PT2H or P1D'],
  ['-P1D', 'must not have a sign'],
  ['+P1D', 'must not have a sign'],
  ['P0.5DT1H', 'may have a fraction only in its smallest unit'],
  ['PT0S', 'must be longer than nothing'],
  ['P0Y0M0DT0H0M0.0S', 'must be longer than nothing'],
  ['P101Y', 'is over 100 years'],
  ['P1201M', 'is over 100 years'],
  [`P${'9'.repeat(90)}D`, 'is over 100 years'],
  [`PT${'9'.repeat(400)}S`, 'is over 100 years'],
])('finds %j wrong: %s', (ttl, message) => {
  expect(parseTtl(ttl)).toEqual({ finding: { field: 'meta.ttl', message } });
});

it('ends later than it begins, within 100 years and a day, for every duration', () => {
  const part = fc.integer({ min: 0, max: 14 });
  fc.assert(
    fc.property(
      fc.tuple(part, part, part, part, part, part),
      fc.integer({ min: 0, max: 4_102_444_800_000 }),
      ([years, months, days, hours, minutes, seconds], from) => {
        fc.pre(years + months + days + hours + minutes + seconds > 0);
        const parsed = parseTtl(`P${years}Y${months}M${days}DT${hours}H${minutes}M${seconds}S`);
        const end = 'endsAt' in parsed ? parsed.endsAt(from) : 0;
        expect(end).toBeGreaterThan(from);
        expect(end - from).toBeLessThan(101 * 366 * 86_400_000);
      },
    ),
    { numRuns: 500, seed: 5 },
  );
});
