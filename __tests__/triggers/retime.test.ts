import { describe, expect, it } from 'vitest';
import { timezoneOfWords } from '../../src/language/index.js';
import { atTimeOfDay, timeOfDayAt } from '../../src/triggers/retime.js';
import { parseIso } from '../../src/triggers/schedule.js';
import type { Schedule } from '../../src/triggers/schema.js';

const NOW = Date.parse('2026-11-27T08:00:00Z');
const TEN = { hour: 10, minute: 15 };
const BERLIN = 'Europe/Berlin';

describe('a schedule at another time of day', () => {
  it.each<[string, Schedule, Partial<Schedule>]>([
    [
      'keeps the weekdays of a cron expression',
      { triggerType: 'cron', cronExpression: '30 9 * * 1-5', timezone: BERLIN },
      { cronExpression: '15 10 * * 1-5' },
    ],
    [
      'keeps days of the month and writes shorthands out',
      { triggerType: 'cron', cronExpression: '@monthly', timezone: BERLIN },
      { cronExpression: '15 10 1 * *' },
    ],
    [
      'keeps a seconds field',
      { triggerType: 'cron', cronExpression: '30 0 9 * * MON', timezone: BERLIN },
      { cronExpression: '0 15 10 * * MON' },
    ],
    [
      'keeps the day of a one-off',
      { triggerType: 'once', scheduledAtIso: '2026-12-24T17:00:00Z', timezone: BERLIN },
      { scheduledAtIso: '2026-12-24T09:15:00.000Z' },
    ],
    [
      'takes a one-off that would be over to the next day',
      { triggerType: 'once', scheduledAtIso: '2026-11-26T17:00:00Z', timezone: BERLIN },
      { scheduledAtIso: '2026-11-27T09:15:00.000Z' },
    ],
    [
      'moves the start of every other Friday',
      {
        triggerType: 'interval',
        intervalMs: 14 * 86_400_000,
        wallClock: true,
        startAtIso: '2026-12-04T08:00:00.000Z',
        timezone: BERLIN,
      },
      { startAtIso: '2026-12-04T09:15:00.000Z' },
    ],
  ])('%s', (_what, schedule, changed) => {
    expect(atTimeOfDay(schedule, TEN, NOW)).toEqual({ ...schedule, ...changed });
  });

  it.each<[string, Schedule]>([
    ['every 20 minutes', { triggerType: 'interval', intervalMs: 1_200_000 }],
    ['at 9 and 17', { triggerType: 'cron', cronExpression: '0 9,17 * * *' }],
    ['every hour', { triggerType: 'cron', cronExpression: '0 * * * *' }],
    ['an unreadable expression', { triggerType: 'cron', cronExpression: 'often' }],
    ['an unreadable moment', { triggerType: 'once', scheduledAtIso: 'soon' }],
  ])('there is none for %s', (_what, schedule) => {
    expect(atTimeOfDay(schedule, TEN, NOW)).toBeNull();
  });

  it.each([
    ['a day of 25 hours', '2026-10-25T00:30', '2026-10-26T00:15'],
    ['the evening before a day of 23 hours', '2026-03-28T23:30', '2026-03-29T23:15'],
    ['the evening of a day of 25 hours', '2026-10-25T23:30', '2026-10-26T23:15'],
  ])('the next day is the next of the calendar on %s', (_what, now, next) => {
    const nowMs = parseIso(now, BERLIN) ?? 0;
    const [hour = 0, minute = 0] = next.slice(11).split(':').map(Number);
    const schedule: Schedule = {
      triggerType: 'once',
      scheduledAtIso: new Date(nowMs + 600_000).toISOString(),
      timezone: BERLIN,
    };
    const moved = atTimeOfDay(schedule, { hour, minute }, nowMs);
    expect(moved?.scheduledAtIso).toBe(new Date(parseIso(next, BERLIN) ?? 0).toISOString());
  });

  it('is read off an instant in a zone, UTC when there is no such zone', () => {
    expect(timeOfDayAt(NOW, 'Asia/Kolkata')).toEqual({ hour: 13, minute: 30 });
    expect(timeOfDayAt(NOW, 'Mars')).toEqual({ hour: 8, minute: 0 });
  });
});

describe('a time zone named by itself', () => {
  it.each([
    ['Berlin', 'Europe/Berlin'],
    ['new york time', 'America/New_York'],
    ['PST', 'America/Los_Angeles'],
    ['est', 'America/New_York'],
    ['UTC+2', 'Etc/GMT-2'],
    ['europe/berlin', 'Europe/Berlin'],
    ['the UK', 'Europe/London'],
    ['Tokyo.', 'Asia/Tokyo'],
    ['UTC', 'UTC'],
  ])('%s is %s', (words, zone) => {
    expect(timezoneOfWords(words)).toEqual({ zone });
  });
  it.each(['Mars', '', 'my time', '<script>', 'x'.repeat(100_000)])('%s is none', (words) => {
    expect(timezoneOfWords(words)).toHaveProperty('problem');
  });
});
