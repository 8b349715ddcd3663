import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { parseScheduleText, type ScheduleReading } from '../../src/triggers/language/index.js';
import { nextRunAfter, nextRuns } from '../../src/triggers/schedule.js';
import { NOT_SCHEDULES, SCHEDULES } from '../fixtures/phrasings.js';
import { HEARD, NEVER_SCHEDULES } from '../fixtures/phrasings-audit.js';

/** A Wednesday, 11:00 in Berlin. */
const NOW_MS = Date.parse('2026-03-04T10:00:00Z');
const BERLIN = { nowMs: NOW_MS, timezone: 'Europe/Berlin' };

function scheduleOf(reading: ScheduleReading) {
  if (reading.kind !== 'schedule') throw new Error(`expected a schedule, got ${reading.kind}`);
  return reading;
}

describe.each(SCHEDULES)('said at $nowIso in $timezone', ({ nowIso, timezone, rows }) => {
  it.each(rows)('%s', (text, schedule, instructions) => {
    const reading = parseScheduleText(text, { nowMs: Date.parse(nowIso), timezone });
    expect(reading).toMatchObject({ kind: 'schedule', instructions });
    expect(scheduleOf(reading).schedule).toEqual(schedule);
    expect(nextRunAfter(schedule, Date.parse(nowIso))).not.toBeNull();
  });
});

/** A moment as the wall clock of `zone` shows it. */
function wallTime(ms: number, zone: string): string {
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(ms);
}

describe.each(HEARD)('fires as said at $nowIso in $timezone', ({ nowIso, timezone, rows }) => {
  it.each(rows)('$text', ({ text, fires, zone = timezone, ends = false }) => {
    const nowMs = Date.parse(nowIso);
    const { schedule } = scheduleOf(parseScheduleText(text, { nowMs, timezone }));
    const runs = nextRuns(schedule, nowMs, fires.length + (ends ? 1 : 0));
    expect(runs.map((ms) => wallTime(ms, zone))).toEqual(fires);
  });
});

describe('what is no schedule', () => {
  it.each(NEVER_SCHEDULES)('%j', (text) => {
    expect(parseScheduleText(text, BERLIN).kind).not.toBe('schedule');
  });

  it.each(NOT_SCHEDULES)('%s', (text, accepted) => {
    expect(accepted).toContain(parseScheduleText(text, BERLIN).kind);
  });

  it('asks back where a request is not clear', () => {
    const questions = [
      'at 9 remind me to call mum',
      'tomorrow remind me to call mum',
      'remind me every now and then to drink',
      'every day at 9',
      'remind me on 03/04/2026 at 9 to pay',
      'remind me yesterday at 9 to call',
      'every day except holidays at 9 remind me to train',
    ].map((text) => parseScheduleText(text, BERLIN).kind);
    expect(new Set(questions)).toEqual(new Set(['ambiguous']));
  });

  it('never makes a schedule of a schedule that is quoted, denied, asked about or told', () => {
    const orders = SCHEDULES.flatMap(({ rows }) => rows.map(([text]) => text)).filter(
      // A second sentence may be an order of its own whatever the first one says.
      (text) => !/["'’`\n]|[.!?] \p{L}/u.test(text),
    );
    const frames = [
      (text: string) => `He said "${text}"`,
      (text: string) => `\`${text}\``,
      (text: string) => `What does "${text}" mean?`,
      (text: string) => `She told me to ${text}`,
      (text: string) => `I used to say ${text}`,
      (text: string) => `If I write ${text}`,
    ];
    const made = frames.flatMap((frame) =>
      orders.map(frame).filter((text) => parseScheduleText(text, BERLIN).kind === 'schedule'),
    );
    expect(made).toEqual([]);
  });
});

describe('the confirmation', () => {
  it.each([
    ['every weekday at 9 summarize my inbox', 'every weekday at 09:00 (Europe/Berlin)'],
    ['ping me tomorrow at noon about lunch', 'once on Thu 5 Mar 2026 at 12:00 (Europe/Berlin)'],
    ['every 2 hours check the feeds', 'every 2 hours'],
  ])('%s', (text, summary) => {
    expect(parseScheduleText(text, BERLIN)).toMatchObject({ summary });
  });
});

describe('windows and ends', () => {
  it('never fires outside the hours that were said', () => {
    const { schedule } = scheduleOf(
      parseScheduleText('every 30 minutes between 9 and 17 on weekdays check my inbox', {
        nowMs: NOW_MS,
        timezone: 'UTC',
      }),
    );
    const hours = nextRuns(schedule, NOW_MS, 200).map((ms) => new Date(ms).getUTCHours());
    expect(Math.min(...hours)).toBe(9);
    expect(Math.max(...hours)).toBe(16);
  });

  it('includes the last day of "until"', () => {
    const { schedule } = scheduleOf(
      parseScheduleText('every day at 9 until March 6 send me a joke', BERLIN),
    );
    expect(nextRuns(schedule, NOW_MS, 5).map((ms) => new Date(ms).toISOString())).toEqual([
      '2026-03-05T08:00:00.000Z',
      '2026-03-06T08:00:00.000Z',
    ]);
  });

  it('runs as often as was said', () => {
    const { schedule } = scheduleOf(
      parseScheduleText('every 10 minutes, 3 times, ping me', BERLIN),
    );
    expect(nextRuns({ ...schedule, anchorMs: NOW_MS + 500 }, NOW_MS + 500, 10)).toHaveLength(3);
  });
});

describe('what the agent is given to do', () => {
  it('keeps the sentences around the order where they say more', () => {
    expect(
      parseScheduleText(
        'The site is flaky. Check it every 5 minutes. Tell me if it is down.',
        BERLIN,
      ),
    ).toMatchObject({
      instructions: 'check it (The site is flaky). Tell me if it is down.',
    });
  });

  it('keeps the lines of a list', () => {
    expect(
      parseScheduleText('Every day at 9:\n- summarize my inbox\n- post it to Slack', BERLIN),
    ).toMatchObject({
      instructions: 'summarize my inbox\n- post it to Slack',
    });
  });

  it('keeps what is said beyond the part that is read for a schedule', () => {
    const list = 'and then the next item of the list, '.repeat(150);
    const reading = scheduleOf(
      parseScheduleText(`every day at 9 summarize my inbox. ${list}the end`, BERLIN),
    );
    expect(reading.schedule.cronExpression).toBe('0 9 * * *');
    expect(reading.instructions.endsWith('the end')).toBe(true);
  });
});

describe('the zone of the machine', () => {
  const before = process.env.TZ;
  afterEach(() => {
    process.env.TZ = before;
  });

  it.each(['America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati'])(
    'does not matter: %s',
    (zone) => {
      process.env.TZ = zone;
      expect(new Date(NOW_MS).getTimezoneOffset()).not.toBe(0);
      for (const { nowIso, timezone, rows } of SCHEDULES) {
        for (const [text, schedule] of rows) {
          const reading = parseScheduleText(text, { nowMs: Date.parse(nowIso), timezone });
          expect([text, scheduleOf(reading).schedule]).toEqual([text, schedule]);
        }
      }
    },
  );
});

describe('any text', () => {
  const words = SCHEDULES.flatMap(({ rows }) => rows.flatMap(([text]) => text.split(/(\s+)/)));

  it('is read without throwing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 400 }),
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((parts) => parts.join(' ')),
        ),
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'no such zone', ''),
        fc.integer({ min: Date.parse('1970-01-02'), max: Date.parse('2100-01-01') }),
        (text, timezone, nowMs) => {
          const reading = parseScheduleText(text, { nowMs, timezone });
          if (reading.kind !== 'schedule') return;
          expect(reading.instructions).not.toBe('');
          expect(nextRunAfter(reading.schedule, nowMs)).toBeGreaterThan(nowMs);
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it('gives the same answer for the same words', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 25 }), (parts) => {
        const text = parts.join('');
        expect(parseScheduleText(text, BERLIN)).toEqual(parseScheduleText(text, BERLIN));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n\t '],
    ['NUL', '\0'.repeat(5_000)],
    ['emoji', '😀'.repeat(3_000)],
    ['right to left', 'ذكرني كل يوم الساعة 9 '.repeat(100)],
    ['open quotes', '"'.repeat(8_000)],
    ['stars', '* '.repeat(4_000)],
    ['dates without end', 'march 3 '.repeat(1_000)],
    ['100 KB', 'remind me tomorrow at 9am to '.repeat(3_500)],
  ])('makes no schedule of %s', (_name, text) => {
    expect(parseScheduleText(text, BERLIN).kind).not.toBe('schedule');
  });

  it('is read through noise around the words', () => {
    expect(
      parseScheduleText('⏰ remind\u00a0me  tomorrow at 9\u200b to call mum 🙏', BERLIN),
    ).toMatchObject({
      schedule: { scheduledAtIso: '2026-03-05T08:00:00.000Z' },
    });
  });
});

describe('a date that is written out', () => {
  it('is not moved to the evening when its time has passed: it is asked back', () => {
    const said = 'remind me on 2026-03-04 at 10:00 to call mum';
    expect(parseScheduleText(said, BERLIN)).toEqual({
      kind: 'ambiguous',
      question: 'That time has passed already. When should it be?',
    });
    expect(parseScheduleText('remind me today at 10:00 to call mum', BERLIN)).toMatchObject({
      schedule: { scheduledAtIso: '2026-03-04T21:00:00.000Z' },
    });
  });
});
