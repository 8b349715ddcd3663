import { CronExpressionParser } from 'cron-parser';
import { describe, expect, it } from 'vitest';
import {
  computeInitialSchedule,
  computeNextCronDelayMs,
  countRunsBetween,
  isTriggerTask,
  nextRunAfter,
  nextRuns,
  previousRunAtOrBefore,
  runsBetween,
  smallestGapMs,
} from '../../src/triggers/schedule.js';
import type { Schedule } from '../../src/triggers/schema.js';

const MINUTE = 60_000;
const HOUR = 3_600_000;
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

function isoRuns(schedule: Schedule, after: string, count: number): (string | null)[] {
  return nextRuns(schedule, at(after), count).map(iso);
}

/** Lines of "title | zone | expression | after | expected runs", all instants in UTC. */
function rows(text: string): [string, string, string, string, string][] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [title = '', zone = '', expression = '', after = '', expected = ''] = line
        .split(' | ')
        .map((cell) => cell.trim());
      return [title, zone, expression, after, expected];
    });
}

describe('cron around the spring gap', () => {
  it.each(
    rows(`
      Berlin: a daily time inside it runs right after it | Europe/Berlin | 30 2 * * * | 2026-03-28T12:00Z | 2026-03-29T01:00Z 2026-03-30T00:30Z
      Berlin: two daily times inside it run together once | Europe/Berlin | 0,30 2 * * * | 2026-03-28T12:00Z | 2026-03-29T01:00Z 2026-03-30T00:00Z 2026-03-30T00:30Z
      Berlin: a time inside it and the time it ends run once | Europe/Berlin | 0 2,3 * * * | 2026-03-28T12:00Z | 2026-03-29T01:00Z 2026-03-30T00:00Z 2026-03-30T01:00Z
      Berlin: a range of hours | Europe/Berlin | 30 1-4 * * * | 2026-03-28T12:00Z | 2026-03-29T00:30Z 2026-03-29T01:00Z 2026-03-29T01:30Z 2026-03-29T02:30Z 2026-03-29T23:30Z
      Berlin: every second hour keeps its run | Europe/Berlin | 0 */2 * * * | 2026-03-28T22:30Z | 2026-03-28T23:00Z 2026-03-29T01:00Z 2026-03-29T02:00Z
      Berlin: a quarter-hourly one goes on evenly | Europe/Berlin | */15 * * * * | 2026-03-29T00:35Z | 2026-03-29T00:45Z 2026-03-29T01:00Z 2026-03-29T01:15Z
      Berlin: an hourly one goes on evenly | Europe/Berlin | 30 * * * * | 2026-03-29T00:00Z | 2026-03-29T00:30Z 2026-03-29T01:30Z 2026-03-29T02:30Z
      Berlin: all hours written out are every hour | Europe/Berlin | 30 0-23 * * * | 2026-03-29T00:00Z | 2026-03-29T00:30Z 2026-03-29T01:30Z 2026-03-29T02:30Z
      Berlin: weekly on the day of the change | Europe/Berlin | 30 2 * * SUN | 2026-03-22T12:00Z | 2026-03-29T01:00Z 2026-04-05T00:30Z
      New York: a daily time inside it | America/New_York | 30 2 * * * | 2026-03-07T12:00Z | 2026-03-08T07:00Z 2026-03-09T06:30Z
      New York: an hourly one goes on evenly | America/New_York | 0 * * * * | 2026-03-08T05:30Z | 2026-03-08T06:00Z 2026-03-08T07:00Z 2026-03-08T08:00Z
      Lord Howe, half an hour: its first minute | Australia/Lord_Howe | 0 2 * * * | 2026-10-03T00:00Z | 2026-10-03T15:30Z 2026-10-04T15:00Z
      Lord Howe, half an hour: the minute it ends | Australia/Lord_Howe | 30 2 * * * | 2026-10-03T00:00Z | 2026-10-03T15:30Z 2026-10-04T15:30Z
      Lord Howe: a quarter-hourly one goes on evenly | Australia/Lord_Howe | */15 * * * * | 2026-10-03T15:00Z | 2026-10-03T15:15Z 2026-10-03T15:30Z 2026-10-03T15:45Z
      Lord Howe: at half past of every hour | Australia/Lord_Howe | 30 * * * * | 2026-10-03T14:30Z | 2026-10-03T15:00Z 2026-10-03T15:30Z 2026-10-03T16:30Z
      St. Johns, offset of half an hour | America/St_Johns | 30 2 * * * | 2026-03-07T12:00Z | 2026-03-08T05:30Z 2026-03-09T05:00Z
      Santiago: midnight that does not exist runs at 01:00 | America/Santiago | 0 0 * * * | 2026-09-05T12:00Z | 2026-09-06T04:00Z 2026-09-07T03:00Z
      Santiago: a weekly midnight that does not exist | America/Santiago | 0 0 * * 0 | 2026-09-05T12:00Z | 2026-09-06T04:00Z 2026-09-13T03:00Z
      Cairo: midnight that does not exist | Africa/Cairo | 0 0 * * * | 2026-04-23T12:00Z | 2026-04-23T22:00Z 2026-04-24T21:00Z
      Beirut: half past a midnight that does not exist | Asia/Beirut | 30 0 * * * | 2026-03-28T12:00Z | 2026-03-28T22:00Z 2026-03-29T21:30Z
      Apia: a whole day that does not exist runs once after it | Pacific/Apia | 0 9 * * * | 2011-12-29T12:00Z | 2011-12-29T19:00Z 2011-12-30T10:00Z 2011-12-30T19:00Z
    `),
  )('%s', (_title, zone, expression, after, expected) => {
    const count = expected.split(' ').length;
    expect(isoRuns(cron(expression, zone), after, count).join(' ')).toBe(expected);
  });
});

describe('cron around the autumn overlap', () => {
  it.each(
    rows(`
      Berlin: a daily time inside it runs the first time | Europe/Berlin | 30 2 * * * | 2026-10-24T12:00Z | 2026-10-25T00:30Z 2026-10-26T01:30Z
      Berlin: asked in the second pass, the next is tomorrow | Europe/Berlin | 30 2 * * * | 2026-10-25T01:05Z | 2026-10-26T01:30Z
      Berlin: a range of hours, each once | Europe/Berlin | 30 1-4 * * * | 2026-10-24T12:00Z | 2026-10-24T23:30Z 2026-10-25T00:30Z 2026-10-25T02:30Z 2026-10-25T03:30Z 2026-10-26T00:30Z
      Berlin: the hour after it | Europe/Berlin | 0 3 * * * | 2026-10-25T01:30Z | 2026-10-25T02:00Z 2026-10-26T02:00Z
      Berlin: a quarter-hourly one runs in both passes | Europe/Berlin | */15 2-2,0-23 * * * | 2026-10-25T00:40Z | 2026-10-25T00:45Z 2026-10-25T01:00Z 2026-10-25T01:15Z 2026-10-25T01:30Z
      Berlin: an hourly one runs in both passes | Europe/Berlin | 0 * * * * | 2026-10-24T23:30Z | 2026-10-25T00:00Z 2026-10-25T01:00Z 2026-10-25T02:00Z 2026-10-25T03:00Z
      New York: a daily time inside it | America/New_York | 30 1 * * * | 2026-10-31T12:00Z | 2026-11-01T05:30Z 2026-11-02T06:30Z
      New York: an hourly one runs in both passes | America/New_York | 0 * * * * | 2026-11-01T04:30Z | 2026-11-01T05:00Z 2026-11-01T06:00Z 2026-11-01T07:00Z
      Lord Howe, half an hour: inside it | Australia/Lord_Howe | 45 1 * * * | 2026-04-04T00:00Z | 2026-04-04T14:45Z 2026-04-05T15:15Z
      Lord Howe: the minute after it | Australia/Lord_Howe | 0 2 * * * | 2026-04-04T00:00Z | 2026-04-04T15:30Z 2026-04-05T15:30Z
      Lord Howe: an hourly one is not stuck | Australia/Lord_Howe | 0 * * * * | 2026-04-04T13:30Z | 2026-04-04T14:00Z 2026-04-04T15:30Z 2026-04-04T16:30Z
      Lord Howe: a quarter-hourly one goes on evenly | Australia/Lord_Howe | */15 * * * * | 2026-04-04T14:40Z | 2026-04-04T14:45Z 2026-04-04T15:00Z 2026-04-04T15:15Z 2026-04-04T15:30Z
      St. Johns: inside it | America/St_Johns | 30 1 * * * | 2026-10-31T12:00Z | 2026-11-01T04:00Z 2026-11-02T05:00Z
      Santiago: an evening time before midnight | America/Santiago | 30 23 * * * | 2026-04-04T12:00Z | 2026-04-05T02:30Z 2026-04-06T03:30Z
      Santiago: midnight after it | America/Santiago | 0 0 * * * | 2026-04-04T12:00Z | 2026-04-05T04:00Z 2026-04-06T04:00Z
      Cairo: midnight after it | Africa/Cairo | 0 0 * * * | 2026-10-29T12:00Z | 2026-10-29T22:00Z 2026-10-30T22:00Z
    `),
  )('%s', (_title, zone, expression, after, expected) => {
    const count = expected.split(' ').length;
    expect(isoRuns(cron(expression, zone), after, count).join(' ')).toBe(expected);
  });
});

describe('cron fields', () => {
  it.each(
    rows(`
      a zone with half an hour | Asia/Kolkata | 0 9 * * * | 2026-10-20T12:00Z | 2026-10-21T03:30Z 2026-10-22T03:30Z
      weekdays | Europe/Berlin | 0 9 * * MON-FRI | 2026-10-23T12:00Z | 2026-10-26T08:00Z 2026-10-27T08:00Z
      29 February | UTC | 0 0 29 2 * | 2026-10-20T12:00Z | 2028-02-29T00:00Z 2032-02-29T00:00Z
      29 February across 2100 | UTC | 0 0 29 2 * | 2096-02-29T00:00Z | 2104-02-29T00:00Z
      the fifth Monday of February | UTC | 0 0 * 2 1#5 | 2072-02-29T00:00Z | 2112-02-29T00:00Z
      both day fields restricted: either | UTC | 0 0 13 * FRI | 2026-10-31T00:00Z | 2026-11-06T00:00Z 2026-11-13T00:00Z 2026-11-20T00:00Z 2026-11-27T00:00Z 2026-12-04T00:00Z 2026-12-11T00:00Z 2026-12-13T00:00Z
      a starred day field narrows the other (crontab) | UTC | 0 0 */2 * 1 | 2026-10-20T12:00Z | 2026-11-09T00:00Z 2026-11-23T00:00Z
      an impossible day is rescued by a weekday | UTC | 0 0 30 2 1 | 2026-10-20T12:00Z | 2027-02-01T00:00Z 2027-02-08T00:00Z
      the last day of the month | UTC | 0 9 L * * | 2027-01-31T12:00Z | 2027-02-28T09:00Z 2027-03-31T09:00Z
      the last Friday | UTC | 0 9 * * 5L | 2026-10-20T12:00Z | 2026-10-30T09:00Z 2026-11-27T09:00Z
      the last Friday, not the one a week before | UTC | 0 9 * * 5L | 2026-07-01T12:00Z | 2026-07-31T09:00Z 2026-08-28T09:00Z
      the first Monday | UTC | 0 9 ? * mon#1 | 2026-10-20T12:00Z | 2026-11-02T09:00Z 2026-12-07T09:00Z
      7 is Sunday | UTC | 0 9 * * 7 | 2026-10-20T12:00Z | 2026-10-25T09:00Z 2026-11-01T09:00Z
      0 and 7 together | UTC | 0 9 * * 0,7 | 2026-10-20T12:00Z | 2026-10-25T09:00Z 2026-11-01T09:00Z
      a list that overlaps | UTC | 0-2,1 9 * * * | 2026-10-20T12:00Z | 2026-10-21T09:00Z 2026-10-21T09:01Z 2026-10-21T09:02Z
      months by name | UTC | 0 9 1 jan,JUL * | 2026-10-20T12:00Z | 2027-01-01T09:00Z 2027-07-01T09:00Z
      @weekly | UTC | @weekly | 2026-10-20T12:00Z | 2026-10-25T00:00Z
      @midnight | Europe/Berlin | @midnight | 2026-10-20T12:00Z | 2026-10-20T22:00Z
      seconds | UTC | */30 59 23 * * * | 2026-10-20T23:59:30Z | 2026-10-21T23:59Z 2026-10-21T23:59:30.000Z
    `),
  )('%s', (_title, zone, expression, after, expected) => {
    const count = expected.split(' ').length;
    expect(isoRuns(cron(expression, zone), after, count).join(' ')).toBe(expected);
  });

  it('reads the expression in UTC when there is no zone', () => {
    expect(isoRuns(cron('0 9 * * *'), '2026-10-20T12:00Z', 1)).toEqual(['2026-10-21T09:00Z']);
  });

  it('is strictly after, to the millisecond', () => {
    const daily = cron('0 9 * * *');
    expect(nextRunAfter(daily, at('2026-10-20T09:00Z') - 1)).toBe(at('2026-10-20T09:00Z'));
    expect(nextRunAfter(daily, at('2026-10-20T09:00Z'))).toBe(at('2026-10-21T09:00Z'));
  });
});

describe('what keeps us from walking with cron-parser (5.10.5)', () => {
  const theirs = (expression: string, tz: string, after: string): string | null =>
    iso(
      CronExpressionParser.parse(expression, { tz, currentDate: new Date(at(after)) })
        .next()
        .getTime(),
    );

  it('runs a time inside the gap half an hour late', () => {
    expect(theirs('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z')).toBe('2026-03-29T01:30Z');
  });

  it('skips a day when the gap is half an hour', () => {
    expect(theirs('0 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z')).toBe(
      '2026-10-04T15:00Z',
    );
  });

  it('throws when the overlap is half an hour', () => {
    expect(() => theirs('0 2 * * *', 'Australia/Lord_Howe', '2026-04-04T12:00Z')).toThrow(
      'loop limit exceeded',
    );
  });
});

describe('bounds', () => {
  it('includes both the start and the end', () => {
    const bounded = cron('0 9 * * *', 'UTC', {
      startAtIso: '2026-11-01T09:00Z',
      untilIso: '2026-11-02T09:00Z',
    });
    expect(isoRuns(bounded, '2026-10-20T12:00Z', 5)).toEqual([
      '2026-11-01T09:00Z',
      '2026-11-02T09:00Z',
    ]);
  });

  it('reads a bare until date as the whole of that local day', () => {
    const bounded = cron('30 23 * * *', 'America/New_York', { untilIso: '2026-11-02' });
    expect(isoRuns(bounded, '2026-11-01T12:00Z', 5)).toEqual([
      '2026-11-02T04:30Z',
      '2026-11-03T04:30Z',
    ]);
  });

  it('reads dates without an offset in the zone, else in UTC', () => {
    const once: Schedule = { triggerType: 'once', scheduledAtIso: '2026-11-27T09:00' };
    expect(iso(nextRunAfter({ ...once, timezone: 'Europe/Berlin' }, NOW))).toBe(
      '2026-11-27T08:00Z',
    );
    expect(iso(nextRunAfter(once, NOW))).toBe('2026-11-27T09:00Z');
    expect(
      iso(
        nextRunAfter(
          { ...once, scheduledAtIso: '2026-11-27T09:00+02:00', timezone: 'Asia/Tokyo' },
          NOW,
        ),
      ),
    ).toBe('2026-11-27T07:00Z');
  });

  it('runs a one-off once and only within the bounds', () => {
    const once: Schedule = { triggerType: 'once', scheduledAtIso: '2026-11-27T09:00Z' };
    expect(nextRunAfter(once, at('2026-11-27T09:00Z'))).toBeNull();
    expect(nextRunAfter({ ...once, untilIso: '2026-11-26' }, NOW)).toBeNull();
    expect(nextRunAfter({ ...once, startAtIso: '2026-11-28' }, NOW)).toBeNull();
  });

  it('ends with the year 9999', () => {
    expect(nextRunAfter(cron('0 0 1 1 *'), at('9999-06-01T00:00Z'))).toBeNull();
    expect(nextRunAfter(cron('0 0 1 1 *'), Number.POSITIVE_INFINITY)).toBeNull();
    expect(nextRunAfter(cron('0 * * * *', 'Asia/Tokyo'), at('9999-12-31T23:30Z'))).toBeNull();
  });

  it('has nothing before 1970', () => {
    expect(nextRunAfter(cron('0 9 * * *'), Number.NEGATIVE_INFINITY)).toBe(9 * HOUR);
    expect(previousRunAtOrBefore(cron('0 8 1 1 *', 'Asia/Tokyo'), 0, -DAY)).toBeNull();
  });
});

describe('intervals', () => {
  const everyTwoHours: Schedule = { triggerType: 'interval', intervalMs: 2 * HOUR };

  it('without an anchor counts from the instant asked about and has no past', () => {
    expect(nextRunAfter(everyTwoHours, NOW)).toBe(NOW + 2 * HOUR);
    expect(previousRunAtOrBefore(everyTwoHours, NOW, 0)).toBeNull();
    expect(countRunsBetween(everyTwoHours, 0, NOW, 10)).toBe(0);
    expect(runsBetween(everyTwoHours, 0, NOW, 10)).toEqual([]);
  });

  it('keeps to the grid of its anchor however late it is asked', () => {
    const anchored = { ...everyTwoHours, anchorMs: at('2026-10-01T00:10Z') };
    expect(isoRuns(anchored, '2026-09-01T00:00Z', 1)).toEqual(['2026-10-01T02:10Z']);
    expect(isoRuns(anchored, '2026-10-20T12:00Z', 2)).toEqual([
      '2026-10-20T12:10Z',
      '2026-10-20T14:10Z',
    ]);
    expect(iso(previousRunAtOrBefore(anchored, at('2026-10-01T01:00Z'), 0))).toBeNull();
  });

  it('counts its start as the first occurrence', () => {
    const started = { ...everyTwoHours, anchorMs: 5, startAtIso: '2026-11-01T09:00Z' };
    expect(isoRuns(started, '2026-10-20T12:00Z', 2)).toEqual([
      '2026-11-01T09:00Z',
      '2026-11-01T11:00Z',
    ]);
    expect(isoRuns(started, '2026-11-01T09:00Z', 1)).toEqual(['2026-11-01T11:00Z']);
  });

  it('of whole days by the wall clock keeps its local time across both changes', () => {
    const everyOtherDay: Schedule = {
      triggerType: 'interval',
      intervalMs: 2 * DAY,
      wallClock: true,
      timezone: 'Europe/Berlin',
      startAtIso: '2026-10-23T09:00',
    };
    expect(isoRuns(everyOtherDay, '2026-10-20T12:00Z', 3)).toEqual([
      '2026-10-23T07:00Z',
      '2026-10-25T08:00Z',
      '2026-10-27T08:00Z',
    ]);
    expect(
      isoRuns({ ...everyOtherDay, startAtIso: '2026-03-27T02:30' }, '2026-03-28T12:00Z', 2),
    ).toEqual(['2026-03-29T01:00Z', '2026-03-31T00:30Z']);
  });

  it('by the wall clock, asked in the second pass of an overlap, has run in the first', () => {
    const daily: Schedule = {
      triggerType: 'interval',
      intervalMs: DAY,
      wallClock: true,
      timezone: 'Europe/Berlin',
      startAtIso: '2026-10-20T02:30',
    };
    expect(isoRuns(daily, '2026-10-25T00:00Z', 1)).toEqual(['2026-10-25T00:30Z']);
    expect(isoRuns(daily, '2026-10-25T01:05Z', 1)).toEqual(['2026-10-26T01:30Z']);
    expect(iso(previousRunAtOrBefore(daily, at('2026-10-25T01:05Z'), 0))).toBe('2026-10-25T00:30Z');
  });

  it('by the wall clock starts at its exact anchor even in a second pass', () => {
    const daily: Schedule = {
      triggerType: 'interval',
      intervalMs: DAY,
      wallClock: true,
      timezone: 'Europe/Berlin',
      startAtIso: '2026-10-25T01:30Z',
    };
    expect(isoRuns(daily, '2026-10-25T00:00Z', 2)).toEqual([
      '2026-10-25T01:30Z',
      '2026-10-26T01:30Z',
    ]);
  });

  it('without the wall clock elapses evenly', () => {
    const even: Schedule = {
      triggerType: 'interval',
      intervalMs: DAY,
      timezone: 'Europe/Berlin',
      startAtIso: '2026-10-24T09:00',
    };
    expect(isoRuns(even, '2026-10-20T12:00Z', 2)).toEqual([
      '2026-10-24T07:00Z',
      '2026-10-25T07:00Z',
    ]);
  });
});

describe('missed runs', () => {
  const everyMinute = cron('* * * * *', 'Europe/Berlin');

  it('gives the latest ones of a long downtime, oldest first', () => {
    expect(runsBetween(everyMinute, NOW - 30 * DAY, NOW, 3)).toEqual([
      NOW - 2 * MINUTE,
      NOW - MINUTE,
      NOW,
    ]);
  });

  it('leaves out the start of the span and includes its end', () => {
    expect(runsBetween(cron('0 * * * *'), NOW - 2 * HOUR, NOW, 9)).toEqual([NOW - HOUR, NOW]);
    expect(countRunsBetween(cron('0 * * * *'), NOW - 2 * HOUR, NOW, 9)).toBe(2);
  });

  it('counts up to the cap', () => {
    expect(countRunsBetween(everyMinute, NOW - 30 * DAY, NOW, 500)).toBe(500);
    expect(countRunsBetween(everyMinute, NOW - HOUR, NOW, 500)).toBe(60);
    expect(countRunsBetween(everyMinute, NOW - HOUR, NOW, 0)).toBe(0);
  });

  it('counts intervals within their bounds', () => {
    const bounded: Schedule = {
      triggerType: 'interval',
      intervalMs: MINUTE,
      startAtIso: '2026-10-20T10:00Z',
      untilIso: '2026-10-20T11:00Z',
    };
    expect(countRunsBetween(bounded, 0, NOW, 1000)).toBe(61);
    expect(countRunsBetween(bounded, at('2026-10-20T10:00Z'), NOW, 1000)).toBe(60);
    expect(countRunsBetween(bounded, 0, NOW, 10)).toBe(10);
    expect(countRunsBetween(bounded, NOW, NOW + DAY, 10)).toBe(0);
  });

  it('finds the last run not before a limit', () => {
    const daily = cron('30 2 * * *', 'Europe/Berlin');
    const gapRun = at('2026-03-29T01:00Z');
    expect(previousRunAtOrBefore(daily, gapRun + HOUR, 0)).toBe(gapRun);
    expect(previousRunAtOrBefore(daily, gapRun - 1, 0)).toBe(at('2026-03-28T01:30Z'));
    expect(previousRunAtOrBefore(daily, at('2026-10-25T01:45Z'), 0)).toBe(at('2026-10-25T00:30Z'));
    expect(previousRunAtOrBefore(daily, gapRun + HOUR, gapRun + 1)).toBeNull();
    expect(previousRunAtOrBefore({ ...daily, untilIso: '2026-03-28' }, gapRun, 0)).toBe(
      at('2026-03-28T01:30Z'),
    );
  });
});

describe('smallestGapMs', () => {
  it.each<[string, Schedule, number]>([
    ['every minute', cron('* * * * *'), MINUTE],
    ['uneven seconds', cron('0,50 0-5 9 * * *'), 10_000],
    ['uneven minutes', cron('0,58 * * * *'), 2 * MINUTE],
    [
      'minutes that meet only across hours that follow each other',
      cron('0,58 0-22/2,23 * * *'),
      2 * MINUTE,
    ],
    ['minutes that meet nowhere', cron('0,58 */2 * * *'), 58 * MINUTE],
    ['across midnight', cron('0,59 0,23 * * *'), MINUTE],
    ['across midnight, but only every other weekday', cron('0,50 0,23 * * 1,3,5'), 50 * MINUTE],
    ['daily, whatever the clock changes do', cron('30 2 * * *', 'Europe/Berlin'), DAY],
    ['an hour list that a gap pushes together', cron('2 1-4 * * *', 'Europe/Berlin'), HOUR],
    ['the 31st and the 1st', cron('0 0 1,31 * *'), DAY],
    ['29 February', cron('0 0 29 2 *'), 1461 * DAY],
    ['an interval', { triggerType: 'interval', intervalMs: 7 * MINUTE }, 7 * MINUTE],
    ['a one-off', { triggerType: 'once', scheduledAtIso: '2027-01-01' }, Number.POSITIVE_INFINITY],
    [
      'one run left',
      cron('* * * * *', 'UTC', { untilIso: '2026-10-20T12:01Z' }),
      Number.POSITIVE_INFINITY,
    ],
  ])('%s', (_title, schedule, expected) => {
    expect(smallestGapMs(schedule, NOW)).toBe(expected);
  });
});

describe('computeNextCronDelayMs', () => {
  it('is the time until the next fire', () => {
    expect(
      computeNextCronDelayMs({
        cronExpression: '0 9 * * *',
        timezone: 'Europe/Berlin',
        nowMs: NOW,
      }),
    ).toBe(19 * HOUR);
    expect(computeNextCronDelayMs({ cronExpression: '0 9 * * *', nowMs: NOW })).toBe(21 * HOUR);
  });

  it.each([
    ['x', 'UTC', 'cronExpression'],
    ['0 0 30 2 *', 'UTC', 'cronExpression'],
    ['0 9 * * *', 'EST', 'timezone'],
  ])('throws for %s in %s', (cronExpression, timezone, field) => {
    expect(() => computeNextCronDelayMs({ cronExpression, timezone, nowMs: NOW })).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        findings: [expect.objectContaining({ field })],
      }),
    );
  });
});

describe('computeInitialSchedule', () => {
  const interval: Schedule = { triggerType: 'interval', intervalMs: HOUR };

  it.each<[string, Schedule, number, string[]]>([
    ['interval', interval, HOUR, ['queue', 'repeat', 'trigger']],
    [
      'once',
      { triggerType: 'once', scheduledAtIso: '2026-10-20T12:00:05Z' },
      5_000,
      ['queue', 'repeat', 'trigger', 'trigger_once'],
    ],
    ['cron', cron('0 9 * * *'), 21 * HOUR, ['queue', 'repeat', 'trigger', 'trigger_cron']],
  ])('maps %s', (_title, schedule, updateInterval, tags) => {
    expect(computeInitialSchedule(schedule, { nowMs: NOW })).toEqual({
      updatedAt: NOW,
      updateInterval,
      nextRunAtMs: NOW + updateInterval,
      tags,
    });
  });

  it('runs now when asked to, and regularly after that', () => {
    expect(computeInitialSchedule(interval, { nowMs: NOW, runImmediately: true })).toEqual({
      updatedAt: NOW,
      updateInterval: HOUR,
      nextRunAtMs: NOW,
      tags: ['queue', 'repeat', 'trigger', 'immediate'],
    });
  });

  it('throws when nothing is left', () => {
    expect(() =>
      computeInitialSchedule(
        { triggerType: 'once', scheduledAtIso: '2026-10-20T11:00Z' },
        { nowMs: NOW },
      ),
    ).toThrow('scheduledAtIso: leaves no occurrence');
  });
});

describe('isTriggerTask', () => {
  const metadata = { trigger: { triggerId: 'a' } };

  it.each<[string, Parameters<typeof isTriggerTask>[0], boolean]>([
    ['the tag and a trigger', { name: 'x', tags: ['queue', 'trigger'], metadata }, true],
    ['the name and a trigger', { name: 'TRIGGER_DISPATCH', metadata }, true],
    ['neither tag nor name', { name: 'x', tags: ['queue', 'trigger_once'], metadata }, false],
    ['no metadata', { tags: ['trigger'] }, false],
    ['null metadata', { tags: ['trigger'], metadata: null }, false],
    ['a trigger that is text', { tags: ['trigger'], metadata: { trigger: 'a' } }, false],
    ['a trigger that is null', { tags: ['trigger'], metadata: { trigger: null } }, false],
    ['a trigger that is a list', { tags: ['trigger'], metadata: { trigger: [] } }, false],
    ['null', null, false],
    ['undefined', undefined, false],
  ])('%s', (_title, task, expected) => {
    expect(isTriggerTask(task)).toBe(expected);
  });
});
