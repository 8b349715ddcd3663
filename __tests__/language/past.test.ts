import { describe, expect, it } from 'vitest';
import { readPastTime } from '../../src/language/past.js';
import { expectQuick } from '../helpers/quick.js';

/** Wednesday, 18 March 2026, 15:30 in Vienna (UTC+1; summer time begins on the 29th). */
const NOW = Date.parse('2026-03-18T14:30:00Z');
const ZONE = 'Europe/Vienna';

function span(text: string, nowMs = NOW, zone = ZONE): [string, string, string] | null {
  const { range, rest } = readPastTime(text, nowMs, zone);
  if (!range) return null;
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 16);
  return [day(range.sinceMs), day(range.beforeMs), rest];
}

describe('times in a question', () => {
  it.each([
    ['what did we do yesterday?', '2026-03-16T23:00', '2026-03-17T23:00', 'what did we do ?'],
    ['today', '2026-03-17T23:00', '2026-03-18T23:00', ''],
    ['jwt bug the day before yesterday', '2026-03-15T23:00', '2026-03-16T23:00', 'jwt bug'],
    ['last week', '2026-03-08T23:00', '2026-03-15T23:00', ''],
    ['this week', '2026-03-15T23:00', '2026-03-22T23:00', ''],
    ['last weekend', '2026-03-13T23:00', '2026-03-15T23:00', ''],
    ['last month', '2026-01-31T23:00', '2026-02-28T23:00', ''],
    ['this year', '2025-12-31T23:00', '2026-12-31T23:00', ''],
    ['3 days ago', '2026-03-14T23:00', '2026-03-15T23:00', ''],
    ['two weeks ago', '2026-02-28T23:00', '2026-03-07T23:00', ''],
    ['in the last 2 days', '2026-03-15T23:00', '2026-03-18T14:30', ''],
    ['over the past hour', '2026-03-18T13:30', '2026-03-18T14:30', ''],
    ['since Monday', '2026-03-15T23:00', '2026-03-18T14:30', ''],
    ['on Wednesday', '2026-03-10T23:00', '2026-03-11T23:00', ''],
    ['last Friday', '2026-03-12T23:00', '2026-03-13T23:00', ''],
    ['in January', '2025-12-31T23:00', '2026-01-31T23:00', ''],
    ['in December', '2025-11-30T23:00', '2025-12-31T23:00', ''],
    ['during May 2025', '2025-04-30T22:00', '2025-05-31T22:00', ''],
    ['on 2026-03-02', '2026-03-01T23:00', '2026-03-02T23:00', ''],
    ['since 2026-03-02', '2026-03-01T23:00', '2026-03-18T14:30', ''],
    ['wombat since last month', '2026-01-31T23:00', '2026-03-18T14:30', 'wombat'],
    ['wombat before last week', '1970-01-01T00:00', '2026-03-08T23:00', 'wombat'],
    ['until yesterday', '1970-01-01T00:00', '2026-03-17T23:00', ''],
    ['before October', '1970-01-01T00:00', '2025-09-30T22:00', ''],
    ['in 2025', '2024-12-31T23:00', '2025-12-31T23:00', ''],
    [
      'deploys between Monday and Tuesday please',
      '2026-03-15T23:00',
      '2026-03-17T23:00',
      'deploys please',
    ],
    ['between January and last week', '2025-12-31T23:00', '2026-03-15T23:00', ''],
  ])('%s', (text, since, before, rest) => {
    expect(span(text)).toEqual([since, before, rest]);
  });

  it.each([
    'how does the login work',
    'the may release',
    'a week-long trip',
    'Monday meeting notes',
  ])('no time is read from "%s"', (text) => {
    expect(span(text)).toBeNull();
  });

  it('after a time is everything later', () => {
    const { range } = readPastTime('after last month', NOW, ZONE);
    expect(range && new Date(range.sinceMs).toISOString()).toBe('2026-02-28T23:00:00.000Z');
    expect(range?.beforeMs).toBeGreaterThan(NOW);
  });

  it('a day of 23 hours is a day', () => {
    const { range } = readPastTime('yesterday', Date.parse('2026-03-30T10:00:00Z'), ZONE);
    expect(range && range.beforeMs - range.sinceMs).toBe(23 * 3_600_000);
  });
});

describe('parts of a day', () => {
  it.each([
    ['what did we do this morning?', '2026-03-18T04:00', '2026-03-18T11:00', 'what did we do ?'],
    ['earlier this morning', '2026-03-18T04:00', '2026-03-18T11:00', ''],
    ['this afternoon', '2026-03-18T11:00', '2026-03-18T17:00', ''],
    ['this evening', '2026-03-18T17:00', '2026-03-18T23:00', ''],
    ['tonight', '2026-03-18T17:00', '2026-03-18T23:00', ''],
    ['yesterday morning', '2026-03-17T04:00', '2026-03-17T11:00', ''],
    ['yesterday afternoon', '2026-03-17T11:00', '2026-03-17T17:00', ''],
    ['yesterday evening', '2026-03-17T17:00', '2026-03-17T23:00', ''],
    ['yesterday in the evening', '2026-03-17T17:00', '2026-03-17T23:00', ''],
    ['yesterday night', '2026-03-17T17:00', '2026-03-18T05:00', ''],
    ['what broke last night', '2026-03-17T17:00', '2026-03-18T05:00', 'what broke'],
    ['on Monday morning', '2026-03-16T04:00', '2026-03-16T11:00', ''],
    ['since this morning', '2026-03-18T04:00', '2026-03-18T14:30', ''],
    ['before this morning', '1970-01-01T00:00', '2026-03-18T04:00', ''],
    ['yesterday evening at 8:30', '2026-03-17T19:00', '2026-03-17T20:00', ''],
  ])('%s', (text, since, before, rest) => {
    expect(span(text)).toEqual([since, before, rest]);
  });

  it('tonight, asked after midnight, is the night that runs', () => {
    const nowMs = Date.parse('2026-03-18T01:00:00Z'); // 02:00 in Vienna
    expect(span('tonight', nowMs)).toEqual(['2026-03-17T17:00', '2026-03-18T05:00', '']);
    expect(span('this morning', nowMs)).toEqual(['2026-03-18T04:00', '2026-03-18T11:00', '']);
  });

  it('are of the wall clock on a day of a clock change', () => {
    const spring = Date.parse('2026-03-29T10:00:00Z'); // 12:00 summer time
    expect(span('this morning', spring)).toEqual(['2026-03-29T03:00', '2026-03-29T10:00', '']);
    expect(span('last night', spring)).toEqual(['2026-03-28T17:00', '2026-03-29T04:00', '']);
    const autumn = Date.parse('2026-11-01T20:00:00Z'); // New York: 15:00, no longer summer time
    const zone = 'America/New_York';
    expect(span('last night', autumn, zone)).toEqual(['2026-10-31T22:00', '2026-11-01T11:00', '']);
    expect(span('before noon', autumn, zone)).toEqual(['2026-11-01T04:00', '2026-11-01T17:00', '']);
  });
});

describe('clock times', () => {
  it.each([
    // Alone: the last such time.
    ['what failed since 3pm', '2026-03-18T14:00', '2026-03-18T14:30', 'what failed'],
    ['since 15:00', '2026-03-18T14:00', '2026-03-18T14:30', ''],
    ['since 4 p.m.', '2026-03-17T15:00', '2026-03-18T14:30', ''],
    ['since midnight', '2026-03-17T23:00', '2026-03-18T14:30', ''],
    ['deploys before noon', '2026-03-17T23:00', '2026-03-18T11:00', 'deploys'],
    ['before 6pm', '2026-03-16T23:00', '2026-03-17T17:00', ''],
    ['after 9:30', '2026-03-18T08:30', '2026-03-18T23:00', ''],
    ['until midnight', '2026-03-16T23:00', '2026-03-17T23:00', ''],
    ['what happened at noon?', '2026-03-18T10:30', '2026-03-18T11:30', 'what happened ?'],
    ['around 11 am', '2026-03-18T09:30', '2026-03-18T10:30', ''],
    // Beside a day.
    ['at 3pm today', '2026-03-18T13:30', '2026-03-18T14:30', ''],
    ['at 15:00 yesterday', '2026-03-17T13:30', '2026-03-17T14:30', ''],
    ['deploys yesterday, at 12:30 am', '2026-03-16T23:00', '2026-03-17T00:00', 'deploys'],
    ['yesterday after 3pm', '2026-03-17T14:00', '2026-03-17T23:00', ''],
    ['after 3pm yesterday', '2026-03-17T14:00', '2026-03-17T23:00', ''],
    ['yesterday until midnight', '2026-03-16T23:00', '2026-03-17T23:00', ''],
    ['since 3pm yesterday', '2026-03-17T14:00', '2026-03-18T14:30', ''],
    ['since yesterday 3pm', '2026-03-17T14:00', '2026-03-18T14:30', ''],
    ['before yesterday at 3pm', '1970-01-01T00:00', '2026-03-17T14:00', ''],
    ['at 9am on Monday', '2026-03-16T07:30', '2026-03-16T08:30', ''],
    ['since 9am Monday', '2026-03-16T08:00', '2026-03-18T14:30', ''],
    ['Saturday at 23:50', '2026-03-14T22:20', '2026-03-14T23:20', ''],
    ['on 2026-03-02 15:00', '2026-03-02T13:30', '2026-03-02T14:30', ''],
    ['last week at 3pm', '2026-03-08T23:00', '2026-03-15T23:00', 'at 3pm'],
    // Two of them.
    ['between 9am and noon', '2026-03-18T08:00', '2026-03-18T11:00', ''],
    ['bugs between 9am and noon yesterday', '2026-03-17T08:00', '2026-03-17T11:00', 'bugs'],
    ['yesterday between 9:15 and 10:00', '2026-03-17T08:15', '2026-03-17T09:00', ''],
    ['from 9am to noon', '2026-03-18T08:00', '2026-03-18T11:00', ''],
    ['between 10pm and 2am', '2026-03-17T21:00', '2026-03-18T01:00', ''],
    ['between 4pm and midnight', '2026-03-17T15:00', '2026-03-17T23:00', ''],
    ['between yesterday 3pm and noon', '2026-03-17T14:00', '2026-03-18T11:00', ''],
  ])('"%s"', (text, since, before, rest) => {
    expect(span(text)).toEqual([since, before, rest]);
  });

  it.each([
    'since 3',
    'after 9 retries',
    'between 3 and 5',
    'before 25:00',
    'since 13pm',
    'at 10:30:45.123 the log ends',
    'after main.ts:12:30',
    'the 3pm meeting',
    'noon',
    'a ratio of 16:10',
  ])('"%s" names no clock time', (text) => {
    expect(span(text)).toBeNull();
  });

  it('a pair of times before the first of today is of yesterday', () => {
    const nowMs = Date.parse('2026-03-18T07:00:00Z'); // 08:00 in Vienna
    expect(span('between 9am and noon', nowMs)?.slice(0, 2)).toEqual([
      '2026-03-17T08:00',
      '2026-03-17T11:00',
    ]);
    expect(span('between 9am and noon today', nowMs)?.slice(0, 2)).toEqual([
      '2026-03-18T08:00',
      '2026-03-18T11:00',
    ]);
  });

  it('a time that the clock change skips is the first one after it', () => {
    const nowMs = Date.parse('2026-03-29T10:00:00Z');
    expect(span('since 2:30', nowMs)).toEqual(['2026-03-29T01:00', '2026-03-29T10:00', '']);
    expect(span('since 9am', nowMs)).toEqual(['2026-03-29T07:00', '2026-03-29T10:00', '']);
    expect(span('since 9am yesterday', nowMs)?.[0]).toBe('2026-03-28T08:00');
  });
});

describe('dates', () => {
  it.each([
    ['what did we do on nov 22?', '2025-11-21T23:00', '2025-11-22T23:00', 'what did we do ?'],
    ['on November 22', '2025-11-21T23:00', '2025-11-22T23:00', ''],
    ['22 November', '2025-11-21T23:00', '2025-11-22T23:00', ''],
    ['on the 22nd of November', '2025-11-21T23:00', '2025-11-22T23:00', ''],
    ['on Saturday, nov. 22', '2025-11-21T23:00', '2025-11-22T23:00', ''],
    ['22 nov 2026', '2026-11-21T23:00', '2026-11-22T23:00', ''],
    ['jwt nov 22nd, 2025', '2025-11-21T23:00', '2025-11-22T23:00', 'jwt'],
    ['22.11.2026', '2026-11-21T23:00', '2026-11-22T23:00', ''],
    ['since 2.3.2026', '2026-03-01T23:00', '2026-03-18T14:30', ''],
    ['mar 18', '2026-03-17T23:00', '2026-03-18T23:00', ''],
    ['March 19', '2025-03-18T23:00', '2025-03-19T23:00', ''],
    ['on 29 feb', '2024-02-28T23:00', '2024-02-29T23:00', ''],
    ['on may 3', '2025-05-02T22:00', '2025-05-03T22:00', ''],
    ['what happened May 3?', '2025-05-02T22:00', '2025-05-03T22:00', 'what happened ?'],
    ['3 May', '2025-05-02T22:00', '2025-05-03T22:00', ''],
    ['before dec 24th', '1970-01-01T00:00', '2025-12-23T23:00', ''],
    ['between sept 3 and 4 oct', '2025-09-02T22:00', '2025-10-04T22:00', ''],
    ['between nov 20 and nov 22, 2024', '2024-11-19T23:00', '2024-11-22T23:00', ''],
    ['between December and February 2025', '2024-11-30T23:00', '2025-02-28T23:00', ''],
    ['on nov 22 at 3pm', '2025-11-22T13:30', '2025-11-22T14:30', ''],
    ['after 3pm on 22 nov', '2025-11-22T14:00', '2025-11-22T23:00', ''],
    ['on nov 22 in the morning', '2025-11-22T04:00', '2025-11-22T11:00', ''],
    ['in jan', '2025-12-31T23:00', '2026-01-31T23:00', ''],
    ['since sept', '2025-08-31T22:00', '2026-03-18T14:30', ''],
    ['in dec 2024', '2024-11-30T23:00', '2024-12-31T23:00', ''],
    ['during feb', '2026-01-31T23:00', '2026-02-28T23:00', ''],
  ])('of "%s"', (text, since, before, rest) => {
    expect(span(text)).toEqual([since, before, rest]);
  });

  it.each('jan feb mar apr may jun jul aug sep sept oct nov dec'.split(' '))(
    'the abbreviation %s is a month behind a preposition and beside a day, else a word',
    (month) => {
      expect(span(`in ${month}`)?.[2]).toBe('');
      expect(span(`on ${month} 7`)?.[2]).toBe('');
      expect(span(`7 ${month} 2025`)?.[2]).toBe('');
      expect(span(month)).toBeNull();
      expect(span(`the ${month} column`)).toBeNull();
    },
  );

  it.each([
    'may 2 agents write the same memory',
    'rule 3 may fail',
    'march 2 steps back',
    'nov 31',
    'on feb 30, 2026',
    '32.11.2026',
    '22.13.2026',
    'version 1.22.11.2026',
    'dec 3.5',
    'decimal 22',
    'marker 5',
  ])('"%s" is no date', (text) => {
    expect(span(text)).toBeNull();
  });

  it('without a year is the last one that has begun where the question is asked', () => {
    const nowMs = Date.parse('2026-11-21T23:30:00Z'); // the 22nd in Vienna, the 21st in New York
    expect(span('on nov 22', nowMs)?.[0]).toBe('2026-11-21T23:00');
    expect(span('on nov 22', nowMs, 'America/New_York')?.[0]).toBe('2025-11-22T05:00');
  });
});

it.each([
  'between ',
  'between                ',
  'at 3pm and ',
  'at 45:99 ',
  'may 3 x ',
  'nov 31 ',
  '3 ',
  '31.02.2026 ',
  'on the ',
  'yesterday,',
  'since ',
  ' ',
])('a question of 20000 times "%s" is read in no time', (words) => {
  expectQuick(5_000, () => span(words.repeat(20_000)));
});
