import { describe, expect, it } from 'vitest';
import { readTimeWords } from '../../../src/memory/recall/time-words.js';

/** Wednesday, 18 March 2026, 15:30 in Vienna (UTC+1; summer time begins on the 29th). */
const NOW = Date.parse('2026-03-18T14:30:00Z');
const ZONE = 'Europe/Vienna';

function span(text: string): [string, string, string] | null {
  const { range, rest } = readTimeWords(text, NOW, ZONE);
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
    const { range } = readTimeWords('after last month', NOW, ZONE);
    expect(range && new Date(range.sinceMs).toISOString()).toBe('2026-02-28T23:00:00.000Z');
    expect(range?.beforeMs).toBeGreaterThan(NOW);
  });

  it('a day of 23 hours is a day', () => {
    const { range } = readTimeWords('yesterday', Date.parse('2026-03-30T10:00:00Z'), ZONE);
    expect(range && range.beforeMs - range.sinceMs).toBe(23 * 3_600_000);
  });
});
