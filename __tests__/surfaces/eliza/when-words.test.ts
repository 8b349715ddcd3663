/** What a question in words asks of the `/when` index. */
import { describe, expect, it } from 'vitest';
import { whenSubject } from '../../../src/surfaces/eliza/when-actions.js';

describe('a message', () => {
  it.each([
    ['what do we know about mocking?', 'mocking'],
    ['recall how to split modules', 'how to split modules'],
    ['what do you know in the index about retries', 'retries'],
    ['Look up “token budgets” in our decision files.', '“token budgets”'],
    ['how do we mock the clock?', 'how do we mock the clock'],
    ['recall', ''],
    ['???', ''],
    ['recall\nhow to\nmock', 'how to mock'],
  ])('%j asks about %j', (message, subject) => {
    expect(whenSubject(message)).toBe(subject);
  });
});
