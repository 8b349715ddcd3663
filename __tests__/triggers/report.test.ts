/** What a text says to who cannot ask back: a schedule, and what to do. */
import { describe, expect, it } from 'vitest';
import { readScheduleInput } from '../../src/triggers/report.js';

const NOW_MS = Date.parse('2026-03-02T09:00:00Z');
const read = (text: string) => readScheduleInput({ text, timezone: 'Europe/Vienna' }, NOW_MS);
const instructionsOf = (text: string) => read(text).instructions;

describe('a text that begins with a time', () => {
  it.each([
    ['every minute: ping', 'ping'],
    ['every 5 minutes: ping', 'ping'],
    ['every day at 9: backup', 'backup'],
    ['tomorrow at 9: write it', 'write it'],
    ['tomorrow at 9: call Ada', 'call Ada'],
    ['every monday at 8: standup', 'standup'],
    ['every friday at 17:30: Send: the report', 'Send: the report'],
    ['every friday at 17:30:Send it.\nThen rest', 'Send it.\nThen rest'],
    ['in 2 hours: 5 pushups', '5 pushups'],
  ])('has what to do behind its colon: %s', (text, instructions) => {
    expect(instructionsOf(text)).toBe(instructions);
  });

  it('keeps the time in front of the colon', () => {
    expect(read('every monday at 8: standup').schedule).toEqual({
      triggerType: 'cron',
      cronExpression: '0 8 * * 1',
      timezone: 'Europe/Vienna',
    });
  });

  it('may have nothing behind it', () => {
    expect(instructionsOf('every day at 9:')).toBeUndefined();
  });
});

it.each([
  ['every friday at 5pm <b>bold</b> words', '<b>bold</b> words'],
  ['every friday at 5pm <script>alert(1)</script>', '<script>alert(1)</script>'],
  ['every day at 9 run npm test && npm run build', 'run npm test && npm run build'],
])('what to do may be markup or code: %s', (text, instructions) => {
  expect(instructionsOf(text)).toBe(instructions);
});

it.each(['greet 👩‍👩‍👧 now', 'wave ❤️‍🔥', 'بگو می‌خواهم', 'कहो क्‍ष'])(
  'what a joiner joins stays one: %s',
  (instructions) => {
    expect(instructionsOf(`every day at 9 ${instructions}`)).toBe(instructions);
  },
);

it('a wrong time is named before what else is not understood', () => {
  expect(() => read('every friday at 25:00 x')).toThrow('There is no "25:00" on the clock');
});

it('a colon behind other words divides nothing', () => {
  expect(instructionsOf('Reminder: call Ada tomorrow at 9')).toBe('remind me: call Ada');
  expect(instructionsOf('every day at 9 tell me about ETA: 5 min')).toBe(
    'tell me about ETA: 5 min',
  );
});

it('a question that nobody can answer comes with the way out', () => {
  expect(() => read('call Ada tomorrow')).toThrow(
    'At what time? Nobody can answer here: say the time alone, and what to do as `instructions`',
  );
  expect(() => read('remind me at 9 to call Ada')).toThrow(
    'Today or tomorrow, and is that 9 in the morning or in the evening? Nobody can answer here: ',
  );
});
