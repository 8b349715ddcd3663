import { describe, expect, it } from 'vitest';
import { formatDuration } from '../../src/shared/clock.js';
import { describeSchedule, formatInstant } from '../../src/triggers/describe.js';
import type { Schedule } from '../../src/triggers/schema.js';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const BERLIN = 'Europe/Berlin';

describe('describeSchedule of cron', () => {
  it.each<[string, string]>([
    ['30 18 * * *', 'every day at 18:30'],
    ['0 9 * * 1-5', 'every weekday at 09:00'],
    ['0 9 * * MON,TUE,WED,THU,FRI', 'every weekday at 09:00'],
    ['0 8 * * 1,4', 'every Monday and Thursday at 08:00'],
    ['0 10 * * 0,6', 'every Saturday and Sunday at 10:00'],
    ['0 10 * * 7', 'every Sunday at 10:00'],
    ['0 8,12,18 * * *', 'every day at 08:00, 12:00 and 18:00'],
    ['15,45 9 * * *', 'every day at 09:15 and 09:45'],
    ['0 9 * * 0-6', 'every day at 09:00'],
    ['0 9 1 * *', 'on the 1st of every month at 09:00'],
    ['0 9 2,3,11,22 * *', 'on the 2nd, 3rd, 11th and 22nd of every month at 09:00'],
    ['0 9 1 1,7 *', 'on the 1st of January and July at 09:00'],
    ['0 9 25 12 *', 'every year on 25 December at 09:00'],
    ['0 9 29 2 *', 'every year on 29 February at 09:00'],
    ['0 9 L * *', 'on the last day of every month at 09:00'],
    ['0 9 15,L * *', 'on the 15th and last day of every month at 09:00'],
    ['0 9 * * 1#1', 'on the first Monday of every month at 09:00'],
    ['0 9 * 9 1#1', 'on the first Monday of September at 09:00'],
    ['0 9 * * FRI#5', 'on the fifth Friday of every month at 09:00'],
    ['0 9 * * 5L', 'on the last Friday of every month at 09:00'],
    ['0 9 * 7 1', 'every Monday in July at 09:00'],
    ['0 9 * 6,7,8 *', 'every day in June, July and August at 09:00'],
    ['* * * * *', 'every minute'],
    ['*/15 * * * *', 'every 15 minutes'],
    ['0,30 * * * *', 'every 30 minutes'],
    ['0 * * * *', 'every hour'],
    ['5 * * * *', 'every hour at :05'],
    ['5,35 * * * *', 'every hour at :05 and :35'],
    ['0 */2 * * *', 'every 2 hours'],
    ['30 */6 * * *', 'every day at 00:30, 06:30, 12:30 and 18:30'],
    ['30 */4 * * *', 'every 4 hours at :30'],
    ['0 9-17 * * *', 'every hour from 09:00 to 17:00'],
    ['0 8-18/2 * * *', 'every 2 hours from 08:00 to 18:00'],
    ['*/15 9-17 * * 1-5', 'every 15 minutes from 09:00 to 17:45 on weekdays'],
    ['* 9 * * *', 'every minute from 09:00 to 09:59'],
    ['0 * * * 1,3', 'every hour on Mondays and Wednesdays'],
    ['*/10 * 1 * *', 'every 10 minutes on the 1st of every month'],
    ['*/20 * * * * *', 'every 20 seconds'],
    ['30 0 9 * * *', 'every day at 09:00:30'],
    ['@daily', 'every day at 00:00'],
    ['@hourly', 'every hour'],
    ['0 9 13 * 5', 'on the cron schedule "0 9 13 * 5"'],
    ['0 9 */2 * *', 'on the cron schedule "0 9 */2 * *"'],
    ['*/7 * * * *', 'on the cron schedule "*/7 * * * *"'],
    ['0 9 * * 1,5L', 'on the cron schedule "0 9 * * 1,5L"'],
    ['nonsense', 'on the cron schedule "nonsense"'],
  ])('%s', (cronExpression, expected) => {
    expect(describeSchedule({ triggerType: 'cron', cronExpression })).toBe(expected);
  });

  const weekday: Schedule = { triggerType: 'cron', cronExpression: '0 9 * * 1-5' };

  it.each<[string, Schedule, string | undefined, string]>([
    [
      'its own zone is named',
      { ...weekday, timezone: BERLIN },
      undefined,
      'every weekday at 09:00 (Europe/Berlin)',
    ],
    [
      "its own zone is named, not the reader's",
      { ...weekday, timezone: BERLIN },
      'Asia/Tokyo',
      'every weekday at 09:00 (Europe/Berlin)',
    ],
    ['UTC is named to a reader with a zone', weekday, BERLIN, 'every weekday at 09:00 (UTC)'],
    [
      'no zone where no clock time is',
      { triggerType: 'cron', cronExpression: '*/15 * * * *', timezone: BERLIN },
      BERLIN,
      'every 15 minutes',
    ],
    [
      'a bare end',
      { ...weekday, timezone: BERLIN, untilIso: '2026-12-31' },
      undefined,
      'every weekday at 09:00 (Europe/Berlin), until 31 Dec 2026',
    ],
    [
      'an end with a time',
      { ...weekday, timezone: BERLIN, untilIso: '2026-12-31T18:00' },
      undefined,
      'every weekday at 09:00 (Europe/Berlin), until 31 Dec 2026 at 18:00',
    ],
    [
      'a start and an end',
      { ...weekday, timezone: BERLIN, startAtIso: '2026-11-01', untilIso: '2026-12-31' },
      undefined,
      'every weekday at 09:00 (Europe/Berlin), starting 1 Nov 2026, until 31 Dec 2026',
    ],
  ])('%s', (_title, schedule, timezone, expected) => {
    expect(describeSchedule(schedule, timezone)).toBe(expected);
  });
});

describe('describeSchedule of intervals', () => {
  const plain = (intervalMs: number, more: Partial<Schedule> = {}): Schedule => ({
    triggerType: 'interval',
    intervalMs,
    ...more,
  });
  const friday = (days: number): Schedule =>
    plain(days * DAY, {
      wallClock: true,
      timezone: BERLIN,
      anchorMs: Date.parse('2026-11-27T08:00Z'),
    });

  it.each<[string, Schedule]>([
    ['every minute', plain(MINUTE)],
    ['every 90 minutes', plain(90 * MINUTE)],
    ['every 36 hours', plain(36 * HOUR)],
    ['every 1 day 1 hour 1 minute', plain(25 * HOUR + MINUTE)],
    ['every hour', plain(HOUR)],
    ['every 2 hours', plain(2 * HOUR, { timezone: BERLIN })],
    ['every day', plain(DAY)],
    ['every week', plain(7 * DAY)],
    ['every 2 weeks', plain(14 * DAY)],
    ['every day at 09:00 (Europe/Berlin)', friday(1)],
    ['every other day at 09:00 (Europe/Berlin)', friday(2)],
    ['every 3 days at 09:00 (Europe/Berlin)', friday(3)],
    ['every Friday at 09:00 (Europe/Berlin)', friday(7)],
    ['every other Friday at 09:00 (Europe/Berlin)', friday(14)],
    ['every 3 weeks on Friday at 09:00 (Europe/Berlin)', friday(21)],
    [
      'every other Friday at 09:00 (Europe/Berlin), starting 27 Nov 2026',
      { ...friday(14), startAtIso: '2026-11-27T09:00' },
    ],
    [
      'every 2 hours, starting 1 Nov 2026 at 09:00 (Europe/Berlin)',
      plain(2 * HOUR, { timezone: BERLIN, startAtIso: '2026-11-01T09:00' }),
    ],
    ['every 2 hours, until 31 Dec 2026', plain(2 * HOUR, { untilIso: '2026-12-31' })],
  ])('%s', (expected, schedule) => {
    expect(describeSchedule(schedule)).toBe(expected);
  });
});

describe('describeSchedule of one-offs', () => {
  const once: Schedule = { triggerType: 'once', scheduledAtIso: '2026-11-27T08:00:00Z' };

  it.each<[string, Schedule, string | undefined]>([
    ['once on Fri 27 Nov 2026 at 09:00 (Europe/Berlin)', { ...once, timezone: BERLIN }, undefined],
    ['once on Fri 27 Nov 2026 at 17:00 (Asia/Tokyo)', once, 'Asia/Tokyo'],
    ['once on Fri 27 Nov 2026 at 08:00 (UTC)', once, undefined],
    ['once on Fri 27 Nov 2026 at 08:00 (UTC)', once, 'No/Where'],
    ['once at "soon"', { ...once, scheduledAtIso: 'soon' }, undefined],
  ])('%s (%#)', (expected, schedule, timezone) => {
    expect(describeSchedule(schedule, timezone)).toBe(expected);
  });
});

describe('formatInstant', () => {
  it.each<[string, string, string]>([
    ['2026-11-27T08:00:00Z', BERLIN, 'Fri 27 Nov 2026, 09:00 Europe/Berlin'],
    ['2026-11-27T08:00:30Z', 'UTC', 'Fri 27 Nov 2026, 08:00:30 UTC'],
    ['2026-10-20T19:00:00Z', 'Asia/Kolkata', 'Wed 21 Oct 2026, 00:30 Asia/Kolkata'],
    ['2026-10-20T19:00:00Z', 'EST', 'Tue 20 Oct 2026, 19:00 UTC'],
  ])('%s in %s', (instant, timezone, expected) => {
    expect(formatInstant(Date.parse(instant), timezone)).toBe(expected);
  });
});

describe('formatDuration', () => {
  it.each<[number, string]>([
    [0, '0 seconds'],
    [1, '1 millisecond'],
    [250, '250 milliseconds'],
    [20_000, '20 seconds'],
    [MINUTE, '1 minute'],
    [90 * MINUTE, '1 hour 30 minutes'],
    [2 * HOUR, '2 hours'],
    [25 * HOUR + 61_000, '1 day 1 hour 1 minute 1 second'],
    [14 * DAY, '14 days'],
    [-2 * HOUR, '2 hours'],
  ])('%i ms', (ms, expected) => {
    expect(formatDuration(ms)).toBe(expected);
  });
});
