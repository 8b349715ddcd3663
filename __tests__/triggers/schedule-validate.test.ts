import { describe, expect, it } from 'vitest';
import { validateSchedule } from '../../src/triggers/schedule.js';
import type { Schedule } from '../../src/triggers/schema.js';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const NOW = Date.parse('2026-10-20T12:00Z');

function cron(cronExpression: string, timezone?: string, more: Partial<Schedule> = {}): Schedule {
  return { triggerType: 'cron', cronExpression, ...(timezone ? { timezone } : {}), ...more };
}

describe('validateSchedule', () => {
  const interval = (more: Partial<Schedule>): Schedule => ({
    triggerType: 'interval',
    intervalMs: HOUR,
    ...more,
  });
  const once = (scheduledAtIso: string, more: Partial<Schedule> = {}): Schedule => ({
    triggerType: 'once',
    scheduledAtIso,
    ...more,
  });

  it.each<[string, Schedule]>([
    ['cron', cron('0 9 * * 1-5', 'Europe/Berlin')],
    ['steps as wide as their fields', cron('*/60 */24 */31 */12 */7')],
    ['cron in an Etc zone', cron('0 9 * * *', 'Etc/GMT-2')],
    [
      'cron in UTC, bounded',
      cron('0 9 * * *', 'UTC', { startAtIso: '2026-01-01', untilIso: '2027-01-01' }),
    ],
    ['the shortest interval', interval({ intervalMs: MINUTE })],
    ['the longest interval', interval({ intervalMs: 366 * DAY })],
    [
      'an interval by the wall clock',
      interval({ intervalMs: 14 * DAY, wallClock: true, timezone: 'Asia/Kolkata', anchorMs: 0 }),
    ],
    ['a one-off with an offset', once('2026-11-27T09:00:00.5+01:00')],
    [
      'a one-off on its last permitted instant',
      once('2026-11-27T09:00Z', { untilIso: '2026-11-27T09:00Z' }),
    ],
  ])('accepts %s', (_title, schedule) => {
    expect(validateSchedule(schedule, { nowMs: NOW })).toEqual([]);
  });

  it.each<[string, Schedule, string, string]>([
    [
      'an unknown zone',
      cron('0 9 * * *', 'Mars/Olympus'),
      'timezone',
      '"Mars/Olympus" is not a known time zone; write an IANA name such as Europe/Berlin or UTC',
    ],
    [
      'an offset',
      cron('0 9 * * *', '+02:00'),
      'timezone',
      '"+02:00" is an offset, not a time zone; write a place such as Europe/Berlin, or Etc/GMT-2 if the offset never changes',
    ],
    [
      'an abbreviation',
      cron('0 9 * * *', 'EST'),
      'timezone',
      '"EST" is ambiguous; write an IANA name such as America/New_York',
    ],
    [
      'garbage',
      cron('every day'),
      'cronExpression',
      '"every day" has 2 fields; expected minute, hour, day of month, month, day of week',
    ],
    [
      'a value out of range',
      cron('60 * * * *'),
      'cronExpression',
      '"60 * * * *" is not a cron expression: Constraint error, got value 60 expected range 0-59',
    ],
    [
      'an empty list item',
      cron('1,,2 * * * *'),
      'cronExpression',
      '"1,,2 * * * *" is not a cron expression: Invalid list value format',
    ],
    [
      'a random time',
      cron('H 9 * * *'),
      'cronExpression',
      '"H 9 * * *" uses H, which stands for a random time; write the time',
    ],
    [
      'an unknown shorthand',
      cron('@reboot'),
      'cronExpression',
      '"@reboot" is not a known shorthand',
    ],
    ['an empty expression', cron(' '), 'cronExpression', 'is empty'],
    [
      'a step that no field can hold',
      cron('1/99999999999 * * * *'),
      'cronExpression',
      'steps beyond the 60 minutes of its field (1/99999999999): write the times themselves, or use an interval',
    ],
    [
      'a step beyond its field, also within a list',
      cron('0 9,*/25 * * *'),
      'cronExpression',
      'steps beyond the 24 hours of its field (*/25): write the times themselves, or use an interval',
    ],
    [
      'a step beyond the week',
      cron('0 9 * * */8'),
      'cronExpression',
      'steps beyond the 7 weekdays of its field (*/8): write the times themselves, or use an interval',
    ],
    ['seconds', cron('0 0 9 * * *'), 'cronExpression', 'has a seconds field; expected 5 fields'],
    ['30 February', cron('0 0 30 2 *'), 'cronExpression', '"0 0 30 2 *" never fires'],
    ['31 April and June', cron('0 0 31 4,6 *'), 'cronExpression', '"0 0 31 4,6 *" never fires'],
    [
      'a long expression',
      cron(`${'1,'.repeat(100)}1 * * * *`),
      'cronExpression',
      'is longer than 200 characters',
    ],
    [
      'NUL in an expression',
      cron('0 9 * * *\u0000'),
      'cronExpression',
      'contains a control character',
    ],
    ['NUL in a zone', cron('0 9 * * *', 'UTC\u0000'), 'timezone', 'contains a control character'],
    [
      'a missing expression',
      { triggerType: 'cron' },
      'cronExpression',
      'is required for triggerType cron',
    ],
    [
      'a field of another type',
      cron('0 9 * * *', 'UTC', { intervalMs: HOUR }),
      'intervalMs',
      'does not belong to triggerType cron',
    ],
    [
      'a wall clock on cron',
      cron('0 9 * * *', 'UTC', { wallClock: true }),
      'wallClock',
      'does not belong to triggerType cron',
    ],
    [
      'a missing interval',
      { triggerType: 'interval' },
      'intervalMs',
      'is required for triggerType interval',
    ],
    [
      'half a millisecond',
      interval({ intervalMs: HOUR + 0.5 }),
      'intervalMs',
      '3600000.5 is not a whole number of milliseconds above 0',
    ],
    [
      'NaN',
      interval({ intervalMs: Number.NaN }),
      'intervalMs',
      'NaN is not a whole number of milliseconds above 0',
    ],
    [
      'an interval below the floor',
      interval({ intervalMs: MINUTE - 1 }),
      'intervalMs',
      'is 59 seconds, below the floor of 1 minute',
    ],
    [
      'an interval above a year',
      interval({ intervalMs: 366 * DAY + 1 }),
      'intervalMs',
      'is above 366 days',
    ],
    [
      'a wall clock of hours',
      interval({ wallClock: true, timezone: 'UTC' }),
      'wallClock',
      'needs an intervalMs of whole days',
    ],
    [
      'a wall clock without a zone',
      interval({ intervalMs: DAY, wallClock: true }),
      'timezone',
      'is required with wallClock',
    ],
    [
      'a missing time',
      { triggerType: 'once' },
      'scheduledAtIso',
      'is required for triggerType once',
    ],
    [
      'an unparsable time',
      once('tomorrow'),
      'scheduledAtIso',
      '"tomorrow" is not an ISO 8601 date-time between 1970 and 9999',
    ],
    [
      'a date that does not exist',
      once('2027-02-29T09:00Z'),
      'scheduledAtIso',
      '"2027-02-29T09:00Z" is not an ISO 8601 date-time between 1970 and 9999',
    ],
    [
      'a past one-off',
      once('2026-10-20T13:59', { timezone: 'Europe/Berlin' }),
      'scheduledAtIso',
      'is in the past (2026-10-20T11:59:00.000Z)',
    ],
    [
      'a one-off right now',
      once('2026-10-20T12:00Z'),
      'scheduledAtIso',
      'is in the past (2026-10-20T12:00:00.000Z)',
    ],
    [
      'an unparsable start',
      cron('0 9 * * *', 'UTC', { startAtIso: '2026-13-01' }),
      'startAtIso',
      '"2026-13-01" is not an ISO 8601 date-time between 1970 and 9999',
    ],
    [
      'an end before the start',
      cron('0 9 * * *', 'UTC', { startAtIso: '2027-01-02', untilIso: '2027-01-01' }),
      'untilIso',
      'is before startAtIso',
    ],
    [
      'an end that has passed',
      cron('0 9 * * *', 'UTC', { untilIso: '2026-10-19' }),
      'untilIso',
      'has already passed (2026-10-19T23:59:59.999Z)',
    ],
    [
      'no occurrence before the end',
      cron('0 9 1 * *', 'UTC', { untilIso: '2026-10-31' }),
      'untilIso',
      'leaves no occurrence',
    ],
    [
      'a one-off before its start',
      once('2026-11-27T09:00Z', { startAtIso: '2026-11-28' }),
      'startAtIso',
      'leaves no occurrence',
    ],
  ])('refuses %s', (_title, schedule, field, message) => {
    expect(validateSchedule(schedule, { nowMs: NOW })).toEqual([{ field, message }]);
  });

  it('reports every faulty field at once', () => {
    const faulty: Schedule = {
      triggerType: 'cron',
      cronExpression: 'x',
      timezone: 'EST',
      untilIso: 'never',
    };
    expect(validateSchedule(faulty, { nowMs: NOW }).map((finding) => finding.field)).toEqual([
      'timezone',
      'untilIso',
      'cronExpression',
    ]);
  });

  it('holds seconds to the floor when they are allowed', () => {
    const limits = { nowMs: NOW, allowSeconds: true };
    expect(validateSchedule(cron('30 0 9 * * *'), limits)).toEqual([]);
    expect(validateSchedule(cron('*/10 0 9 * * *'), limits)).toEqual([
      { field: 'cronExpression', message: 'fires 10 seconds apart, below the floor of 1 minute' },
    ]);
  });

  it('holds cron to a higher floor', () => {
    expect(
      validateSchedule(cron('*/4 * * * *'), { nowMs: NOW, minIntervalMs: 5 * MINUTE }),
    ).toEqual([
      { field: 'cronExpression', message: 'fires 4 minutes apart, below the floor of 5 minutes' },
    ]);
  });
});
