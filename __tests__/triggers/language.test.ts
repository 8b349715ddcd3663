import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { nextRunAfter, nextRuns } from '../../src/triggers/schedule.js';
import { parseScheduleText, type ScheduleReading } from '../../src/triggers/schedule-text.js';
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

it.each([
  'ping prod at 9am M-F',
  'm/w/f at 6pm send the digest',
  'alarm at 7am on mwf',
  't/th 6pm send the digest',
  'mon/wed at 9am standup',
  'mo-fr 8am check mail',
  'at 5 minute intervals stretch',
])('asks about "%s", which is written as a timetable has it', (text) => {
  expect(parseScheduleText(text, BERLIN).kind).toBe('ambiguous');
});

describe('what is no schedule', () => {
  it.each([...new Set([...NOT_SCHEDULES, ...NEVER_SCHEDULES])])('%j', (text) => {
    expect(parseScheduleText(text, BERLIN).kind).not.toBe('schedule');
  });

  it('tells of the past and asks for nothing', () => {
    for (const text of ['We were down 14 with 2:30 left', 'The books were closed at 11:40 PM'])
      expect(parseScheduleText(text, BERLIN)).toEqual({ kind: 'none' });
  });

  it.each([
    'every Friday the 13th at 9am check the locks',
    'every month on friday the 13th at 9 check the locks',
    'each Tuesday the 4th at 9am check the locks',
    'each year on Monday 24 December at 9am check the locks',
  ])('asks about a weekday and a date at once: %s', (text) => {
    expect(parseScheduleText(text, BERLIN)).toMatchObject({
      kind: 'ambiguous',
      question:
        'I cannot keep to a weekday and a day of the month at once. Which of the two shall I go by?',
    });
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

/** What strangers say, and when it has to fire: 2026-03-04 is a Wednesday. */
describe('strangers', () => {
  it.each<[string, string[]]>([
    ['pay rent every month on the 3rd Tuesday at 9am', ['2026-03-17 09:00', '2026-04-21 09:00']],
    ['every fourth Thursday in November at 9am call home', ['2026-11-26 09:00']],
    ['every 20th and 30th of Aug at 9am pay', ['2026-08-20 09:00', '2026-08-30 09:00']],
    ['every year on december 21st and 31st at 9am pay', ['2026-12-21 09:00', '2026-12-31 09:00']],
    ['every day for 3 occurrences at 9am ping me', ['2026-03-05 09:00', '2026-03-06 09:00']],
    ['daily at 3pm 3x ping me', ['2026-03-04 15:00', '2026-03-05 15:00', '2026-03-06 15:00']],
    ['fridays starting in may at 9am ping me', ['2026-05-01 09:00', '2026-05-08 09:00']],
    ['every friday from April until June at 9am ping me', ['2026-04-03 09:00']],
    ['each 4/15 at 9am pay taxes', ['2026-04-15 09:00', '2027-04-15 09:00']],
    ['xmas at 6 pm call home', ['2026-12-25 18:00']],
    ['every day at 9am starting 2026-03-10T08:30 ping me', ['2026-03-10 09:00']],
    ['tomorrow at 5h20 feed the goats', ['2026-03-05 05:20']],
    ['tomorrow 11:20 hrs ring the vet', ['2026-03-05 11:20']],
    ['every sun 2145 put the bins out', ['2026-03-08 21:45', '2026-03-15 21:45']],
    ['every tuesday evening 8.15 water the ferns', ['2026-03-10 20:15']],
    ['every sunday at 2:15 of the morning check the kiln', ['2026-03-08 02:15']],
    ['every weeknight at nine lock the shop', ['2026-03-04 21:00', '2026-03-05 21:00']],
    ['8 this evening call home', ['2026-03-04 20:00']],
    ['9 tomorrow evening call home', ['2026-03-05 21:00']],
    ['at 730 in the evening call home', ['2026-03-04 19:30']],
    ['4/25 at 4:00pm call home', ['2026-04-25 16:00']],
    ['thursday at 9:30pm ist call home', ['2026-03-05 17:00']],
    ['put meeting with anna tomorrow ten am', ['2026-03-05 10:00']],
    ['tell me when it is five pm', ['2026-03-04 17:00']],
    ['i want to wake up at six am tomorrow', ['2026-03-05 06:00']],
    ['set a timer for five minutes', ['2026-03-04 11:05']],
    ['remind me at 15h30 to leave', ['2026-03-04 15:30']],
    ['in 1/2 hour stretch', ['2026-03-04 11:30']],
    ['every mon wed fri at 7:15 gym', ['2026-03-06 07:15', '2026-03-09 07:15']],
    ['remind me at ten am eastern on friday to call', ['2026-03-06 16:00']],
    ['set a countdown for one hour and thirty minutes', ['2026-03-04 12:30']],
    ['remind me to watch channel five at eight pm', ['2026-03-04 20:00']],
    ['every mon, wed and fri at 7:15 gym', ['2026-03-06 07:15', '2026-03-09 07:15']],
    ['every day at 9 and 18 eat', ['2026-03-04 18:00', '2026-03-05 09:00']],
    ['every 90 minutes drink water', ['2026-03-04 12:30', '2026-03-04 14:00']],
    ['at twelve oh three pm tomorrow call home', ['2026-03-05 12:03']],
    ['remind me on the twenty second of june at noon to call', ['2026-06-22 12:00']],
    ['set an alarm for five hundred and thirty am tomorrow', ['2026-03-05 05:30']],
    ['set an alarm for two hours from now please', ['2026-03-04 13:00']],
    ['half nine tomorrow morning ring the plumber', ['2026-03-05 09:30']],
    ['friday half 6pm ring the plumber', ['2026-03-06 18:30']],
    ['every hour n a half stand up', ['2026-03-04 12:30', '2026-03-04 14:00']],
    ['remind me tomorrow at 9am Bogotá time to call', ['2026-03-05 15:00']],
    [
      'every 4 months on the 3rd at 9am, starting june, pay',
      ['2026-06-03 09:00', '2026-10-03 09:00', '2027-02-03 09:00'],
    ],
    [
      'every 3 months on the 5th at 9am starting may 20th pay',
      ['2026-06-05 09:00', '2026-09-05 09:00'],
    ],
    ['every 3 months on the first monday at 9am pay', ['2026-04-06 09:00', '2026-07-06 09:00']],
    ['every 2 months on the first monday at 9am starting april pay', ['2026-04-06 09:00']],
    ['every 2 weeks on friday at 9am starting april pay', ['2026-04-03 09:00', '2026-04-17 09:00']],
    ['every 3 days at 9am starting april 2nd pay', ['2026-04-02 09:00', '2026-04-05 09:00']],
    ['at 3 ring the timber yard', ['2026-03-04 15:00']],
    ['remind me to pay dave by 8 in the morning', ['2026-03-05 08:00']],
    ['every day by 10am send the figures', ['2026-03-05 10:00', '2026-03-06 10:00']],
    ['every third evening at 8 water the ferns', ['2026-03-04 20:00', '2026-03-07 20:00']],
    ['remind me to meet tom & sun li at 5pm', ['2026-03-04 17:00']],
    ['remind me at 8pm to study for the tth exam', ['2026-03-04 20:00']],
    ['at quarter of five call home', ['2026-03-04 16:45']],
    ['every tues + thurs at 7am put the bins out', ['2026-03-05 07:00', '2026-03-10 07:00']],
    ['sats at 10 am walk the dog', ['2026-03-07 10:00', '2026-03-14 10:00']],
    ['twice a day, at 9 and 9, take the pill', ['2026-03-04 21:00', '2026-03-05 09:00']],
    ['at 6 and 6 every day take the pill', ['2026-03-04 18:00', '2026-03-05 06:00']],
    [
      '4x a day at 8, 12, 4 and 8 take the drops',
      ['2026-03-04 12:00', '2026-03-04 16:00', '2026-03-04 20:00', '2026-03-05 08:00'],
    ],
    ['at 5 in the morning and 5 in the evening every day milk', ['2026-03-04 17:00']],
    ['every other night at 10pm water the orchids', ['2026-03-04 22:00', '2026-03-06 22:00']],
    ['1st and 3rd monday of the month at 9am meet', ['2026-03-16 09:00', '2026-04-06 09:00']],
    ['2nd and last Fridays of each month at 9am pay', ['2026-03-13 09:00', '2026-03-27 09:00']],
    ['every 2 hours between 22:00 and 6:00 turn him', ['2026-03-04 22:00', '2026-03-05 00:00']],
    ['every day bar sunday at 9am feed the hens', ['2026-03-05 09:00']],
    ['every day next week at 7pm water', ['2026-03-09 19:00', '2026-03-10 19:00']],
    ['remind me 2moz at 9am to pay', ['2026-03-05 09:00']],
    ['the demo is at 3pm today, buzz me 10 minutes before it', ['2026-03-04 14:50']],
    ['Match on Friday at 8pm. Remind me half an hour ahead to leave', ['2026-03-06 19:30']],
    ['remind me an hour before my 3pm call', ['2026-03-04 14:00']],
    ['Wedding at 2pm on June 6th! Tell me the night before to iron', ['2026-06-05 20:00']],
    ['my shift ends at 7pm, remind me half an hour before to write', ['2026-03-04 18:30']],
    ['pickup is 3:15pm, remind me an hour before', ['2026-03-04 14:15']],
    ['remind me 3 days before the 20th at 9am to pay rent', ['2026-03-17 09:00']],
    ['the trip is june 10th 6pm, remind me that day at noon', ['2026-06-10 12:00']],
    ['swimming is tuesdays at 4.30pm, remind me 5 min before', ['2026-03-10 16:25']],
    ['every weekday 5 minutes before 5:30pm lock the door', ['2026-03-04 17:25']],
    ['remind me an hour after the 2pm wash to hang it', ['2026-03-04 15:00']],
    ['Party on saturday 8pm, remind me friday at 6pm to buy ice', ['2026-03-06 18:00']],
    ['Remind me fri lunchtime to buy cake for sat', ['2026-03-06 12:00']],
    ['party is 2nd may remind me a week b4 to send invites 5pm', ['2026-04-25 17:00']],
    ['launch 14 March 15:00, page me T-30m', ['2026-03-14 14:30']],
    ['Daily 10 AM from 20th November to 10th March water it', ['2026-11-20 10:00']],
    ['tomorrow at 9 check whether the books were closed', ['2026-03-05 09:00']],
    ['visit on 9 april 16.45 at the clinic', ['2026-04-09 16:45']],
    ['12.5. at 8.15 passport photos', ['2026-05-12 08:15']],
    ['6.15 and 18.15 daily, goats', ['2026-03-04 18:15', '2026-03-05 06:15']],
    ['thu 12 march 0930 blood test', ['2026-03-12 09:30']],
    ['on the second of june at ten am call the notary', ['2026-06-02 10:00']],
    ['on the 3rd of april, 7 in the morning, call the notary', ['2026-04-03 07:00']],
    ['match tonight, buzz me 8 sharp tonight', ['2026-03-04 20:00']],
    ['timer 1h45 for the dough', ['2026-03-04 12:45']],
    ['25 minutes please, then tell me to turn the loaf', ['2026-03-04 11:25']],
    ['15 min - swap the laundry', ['2026-03-04 11:15']],
    ['a week on friday at 9am call the vet', ['2026-03-13 09:00']],
    ['a fortnight today 4pm call the vet', ['2026-03-18 16:00']],
    ['monday at 5pm count the till', ['2026-03-09 17:00']],
    ['11/20 at 9h30 - fetch the crate, could you remind me?', ['2026-11-20 09:30']],
    ['first day of every quarter at 9am pay', ['2026-04-01 09:00', '2026-07-01 09:00']],
    ['last friday of every quarter at 9am pay', ['2026-03-27 09:00', '2026-06-26 09:00']],
    ['3 may and 3 november every year at 9am pay', ['2026-05-03 09:00', '2026-11-03 09:00']],
    ['2nd and 16th of month 8am pay', ['2026-03-16 08:00', '2026-04-02 08:00']],
    ['every 2 months starting may 9 at 14:00 pay', ['2026-05-09 14:00', '2026-07-09 14:00']],
    ['every year starting 5 may at 9am pay', ['2026-05-05 09:00', '2027-05-05 09:00']],
    ['every 6 hours turn him, first one at 9pm', ['2026-03-04 21:00', '2026-03-05 03:00']],
    ['every 3 hours between 8:00 and 20:00, every day, eat', ['2026-03-04 14:00']],
    ['every 2 hours during the day, from 8 till 20, eat', ['2026-03-04 12:00']],
    ['tomorrow from 8 to 9 every 30 min read', ['2026-03-05 08:00', '2026-03-05 08:30']],
    ['mon-fri 13-17 every 2 hours walk', ['2026-03-04 13:00', '2026-03-04 15:00']],
    ['Tue and Thu at 7 yoga', ['2026-03-05 07:00', '2026-03-10 07:00']],
    ['on Monday, Wednesday and Friday at 7am swim', ['2026-03-06 07:00', '2026-03-09 07:00']],
  ])('%s', (text, fires) => {
    const { schedule } = scheduleOf(parseScheduleText(text, BERLIN));
    const runs = nextRuns(schedule, NOW_MS, fires.length);
    expect(runs.map((ms) => wallTime(ms, 'Europe/Berlin'))).toEqual(fires);
  });

  it.each([
    ['every weekday this week at 7pm ping me', 3],
    ['every friday this month at 5pm ping me', 4],
    ['next three nights at 10 ping me', 3],
    ['every 10 minutes, 3 times, ping me', 3],
    ['on friday from 8 to 10 every 20 minutes ping me', 7],
    ['every day at 9am for 3 occurrences ping me', 3],
    ['mondays and thursdays for 6 times at 9am ping me', 6],
    ['every day at 9am twice ping me', 2],
  ])('runs as often as was said: %s', (text, count) => {
    const { schedule } = scheduleOf(parseScheduleText(text, BERLIN));
    expect(nextRuns(schedule, NOW_MS, 20)).toHaveLength(count);
  });
});

describe('a word of time that the schedule does not express', () => {
  it.each<[string, string[]]>([
    ['every year in week 12 at 9am remind me to plan', ['week', '12']],
    ['at 4 pm feed the fish and again at 9:10 pm switch off the lamp', ['9:10', 'pm']],
    ['every friday at 17:40 rehearse, but not on 6 November', ['6', 'November']],
    ['pay 2nd to the last of each month at 9am', ['2nd']],
    ['every Monday except the first at 9am pay', ['first']],
    ['every 5 minutes until it rains check the roof', ['until']],
    ['every friday at 9am only in August ping me', ['only', 'August']],
    ['every saturday of may at 10 oil the decking', ['may']],
    ['every monday at 9am during march file the taxes', ['march']],
    ['remind me tomorrow evening by seven to call', ['by', 'seven']],
    ['please remind me one hour before the meeting tomorrow morning', ['one', 'hour']],
    ['call mom on thanksgiving at noon', ['thanksgiving']],
    ['remind me tomorrow at 25:00 to pay', ['25:00']],
    ["remind me of rita's birthday twenty four hours in advance", ['twenty', 'hours', 'advance']],
    ['every payday at 9am remind me to save', ['every']],
    ['remind me at 5pm XYZT to call', ['XYZT']],
    ['remind me at 5pm berlin to call', ['berlin']],
    ['every midweek at 9am call', ['every']],
    ['easter monday at 9am call', ['easter']],
    ['black friday at 9am call', ['black']],
    ['remind me on my birthday at nine am to rest', ['birthday']],
    ['remind me at 5pm et to call', ['et']],
    ['remind me tomorrow at 8, a quarter, to call', ['quarter']],
    ['wake me up half tomorrow at 7', ['half']],
    ['remind me at 9am Springfield time to call', ['Springfield time']],
    ['every monday at 5pm in twin falls time ping me', ['twin falls time']],
    ['9am tomorrow Elbonia time ping me', ['Elbonia time']],
    ['give me 10 minutes warning for the 3pm call', ['10', 'minutes', 'warning']],
    ['The party is at 9pm tomorrow. Remind me 20 before to dress', ['20', 'before']],
    ["Dad's visit is on friday. Remind me at 6pm to clean", ['friday']],
    ['I have a call on friday, so remind me at 6pm to prepare', ['friday']],
    ['The bins go out every monday. Ping me at 7pm', ['every', 'monday']],
    ['Remind me tomorrow at 9 to call Bob. Actually make it friday', ['friday']],
    ['Every day at 9am send me a joke. I go on leave until friday.', ['until', 'friday']],
    ['sat 2pm film with ann remind me at 1 to get ready', ['1']],
    ['every day at 9 tell me the news at 9am Tokyo time', ['9', 'am']],
    ['Saturdays 8AM rowing except the 21st thats a race', ['except', '21st']],
    ['Saturdays at 8AM remind me to row. Except the 21st, a race', ['Except', '21st']],
    ['Mondays 7pm choir, not on the 21st', ['21st']],
    ['In 3 weeks time on the Monday morning at 9 ring the vet', ['Monday', '9']],
    ['every hour through the night from 10 tonight to 6 in the morning ping me', ['10']],
    ['every other day quiz me or so, idk when', ['idk']],
    ['2026-03-14T02:00Z maintenance window, page me T-30m', ['T', '30']],
    ['The call is tomorrow 13:00 their time, inform me 10 minutes before', ['10']],
    ['in 999999999 years tell me to run', ['999999999']],
    ['every day at 9 for 999999999 weeks tell me to run', ['999999999']],
    ['remind me at 4, no wait, 4.30 to leave', ['4.30']],
    ["I'm on 5 off 2, remind me at 6pm to pack lunch", ['5', '2']],
    ['doing 3 on 3 off so remind me at 6pm to pack lunch', ['3']],
  ])('%s: is asked about', (text, words) => {
    const reading = parseScheduleText(text, BERLIN);
    expect(reading.kind).toBe('ambiguous');
    if (reading.kind === 'ambiguous')
      for (const word of words) expect(reading.question).toContain(`"${word}"`);
  });

  it.each(['every 31st of February at 9 pay', 'every 31st of April at 9 pay', '0 9 30 2 * pay'])(
    '%s: says that there is no such day',
    (text) => {
      const question = expect.stringContaining('There is no such day');
      expect(parseScheduleText(text, BERLIN)).toMatchObject({ kind: 'ambiguous', question });
    },
  );

  it.each([
    'every year on the 1st Friday at 9am pay',
    'every other week on mon and fri at 9am pay',
    'every 3rd year on march 3 at 9am pay',
    'every wednesday in march at 9am pay',
    'on december 21st and 31st at 9am pay',
    '31 February at 9am pay',
    'on monday the 10th of march at 9am pay',
    'tonight at 2 call',
    'this afternoon at 12 call',
    'Thursday 9 am BST call',
    'tomorrow at 9am for the next 3 weeks call',
    'save event for five pm to six pm on march eighteenth',
    'tomorrow at 9 remind me to call Bob, on Friday at 5pm to pay',
    'if it rains tomorrow at 8 remind me to take an umbrella',
    'wake me at 6am on my training days',
    'wake me up at five am this week',
    'every day at 9 and 7 eat',
    'remind me to raise the price by 10 tomorrow',
    'every hour from 22:00 to 6:00 on weekdays scan the gate',
    "remind me about tomorrow's 3pm meeting at 9pm tonight",
    'set an alarm for 6 and another for 6:30 tomorrow',
    'at 4pm plan the next 3 days',
    'remind me tonight before bed to lock up',
    'remind me at 3pm, an hour before the meeting, to print the slides',
    'remind me 30 minutes before my appointment tomorrow',
    'The train is at 11:05. Remind me 30 minutes before',
    'the bins go out every tuesday, ping me the night before at 8',
    'our shift is 22:00 to 06:00, ping me every 2 hours to scan',
    'ping me at 9am on our days off',
    'Daily 10 AM from 20th March to 10th March water the ferns',
    'every friday at lunchtime, say 12:30, review',
    'every day at 8 but only once take it',
    'the 15th of every quarter at 9am pay',
    'every 3 months starting in may at 9am pay',
    'every day at 9 starting 2026-02-30T12:00 pay',
    'every day at 9 starting 2026-03-10T24:00 pay',
    'on Saturday and Sunday at 9am feed the cat',
    'remind me in 30 to turn it off',
    'the ferry sails every 40 minutes until midnight',
    'our landlord is coming tomorrow at 10',
    'his uncle woke up at four every day of his life',
    'ok so lunch with Ann on friday at 2 was called off',
    'thanks, the 7pm reminder came in handy',
    'my alarm rang at 5am and i slept on',
    'mail the crew saying practice moves to 9:30 every weekday',
    'tell Anna that dinner is at 8 tomorrow evening',
    'put this into French: see you tomorrow at nine',
    'write a haiku about foggy sunday mornings',
  ])('%s: is asked about, too', (text) => {
    expect(parseScheduleText(text, BERLIN).kind).toBe('ambiguous');
  });

  it.each([
    ['remind me tomorrow at 9 to review chapter 5', 'remind me to review chapter 5'],
    ['every day at 9am send me 3 jokes', 'send me 3 jokes'],
    ['every day at 7am meditate for 10 minutes', 'meditate for 10 minutes'],
    ['tell me every Friday at 4pm what I did this week', 'tell me what I did this week'],
    ['remind me tomorrow at 9 about the call at 5pm', 'remind me about the call at 5pm'],
    ['every day at 9am hug every kid', 'hug every kid'],
    ['every day at 9am half a tablet', 'half a tablet'],
    ['every day at 9pm reflect on my day', 'reflect on my day'],
    ['My exam is on friday at 8. Remind me tomorrow at 6pm to study', 'remind me to study'],
    ['I have 3 eggs and bus 7 runs late. Remind me at 6pm to shop', 'remind me to shop'],
    ["I'm in all day today. Remind me at 6pm to shop", 'remind me to shop'],
    [
      'Every day at 9am:\n- list the calls for today\n- what is due on friday',
      'list the calls for today\n- what is due on friday',
    ],
    ['remind me 15 minutes before my 2pm huddle to eat', 'remind me before my 2pm huddle to eat'],
    [
      'The demo is at 3pm. Remind me an hour before to eat',
      'remind me to eat (The demo is at 3pm)',
    ],
    ['every day at 5pm story time with Tom', 'story time with Tom'],
    ['every day at 9am fill in my time sheet', 'fill in my time sheet'],
  ])('%s: belongs to what is to be done', (text, instructions) => {
    expect(parseScheduleText(text, BERLIN)).toMatchObject({ kind: 'schedule', instructions });
  });
});

describe('what to do', () => {
  it.each([
    ['every 90 minutes drink water', 'drink water'],
    ['every Tuesday at 9am New York time call the vendor', 'call the vendor'],
    ['in 10 minutes tell Anna hello', 'tell Anna hello'],
    ['call Ada tomorrow at 9', 'call Ada'],
    ['set an alarm for 7am tomorrow', 'tell me that my alarm is going off'],
    ['set a timer for five minutes for cookies', 'tell me that my timer is up for cookies'],
    ['I need a reminder tomorrow at 10am to sign the lease', 'remind me to sign the lease'],
    ['could you please check the oven in 20 minutes, thanks', 'check the oven'],
  ])('%s: nobody asks whether to do it or to remind of it', (text, instructions) => {
    expect(parseScheduleText(text, BERLIN)).toMatchObject({ kind: 'schedule', instructions });
  });

  it('is asked for where nothing is said', () => {
    for (const text of ['every day at 9', 'remind me tomorrow at two pm'])
      expect(parseScheduleText(text, BERLIN)).toMatchObject({
        kind: 'ambiguous',
        question: 'What should I do then?',
      });
  });
});

describe('a date that is written out', () => {
  it('is not moved to the evening when its time has passed: it is asked back', () => {
    const said = 'remind me on 2026-03-04 at 10:00 to call mum';
    expect(parseScheduleText(said, BERLIN)).toMatchObject({
      kind: 'ambiguous',
      question: 'That time has passed already. When should it be?',
    });
    expect(parseScheduleText('remind me today at 10:00 to call mum', BERLIN)).toMatchObject({
      schedule: { scheduledAtIso: '2026-03-04T21:00:00.000Z' },
    });
  });
});
