/** Which words the offline model takes to hints, and which not. */
import { describe, expect, it } from 'vitest';
import { chooseAction } from '../../demo/intent.js';
import { parseScheduleText } from '../../src/index.js';

const options = {
  parse: parseScheduleText,
  nowMs: Date.parse('2026-03-04T10:00:00Z'),
  timezone: 'UTC',
};
const chosen = (text: string, lastAnswer?: { text: string; action: string }) =>
  chooseAction({ text, ...(lastAnswer ? { lastAnswer } : {}) }, options);

describe('words about hints, and those that are not', () => {
  it.each([
    ['remember: build http-proxy with `docker compose build router`', 'STORE_WORK_MEMORY'],
    ['please remember that api is tested with `npm test`', 'STORE_WORK_MEMORY'],
    ['set hint http-proxy build = make', 'SET_HINT'],
    ['add a hint', 'SET_HINT'],
    ['hint http-proxy build', 'GET_HINT'],
    ['how do I build http-proxy?', 'GET_HINT'],
    ['what is the port of api?', 'GET_HINT'],
    ['list hints of api', 'GET_HINT'],
    ['which hints do you have?', 'GET_HINT'],
    ['bump http-proxy build', 'BUMP_HINT'],
    ['forget the build hint of http-proxy', 'FORGET_HINT'],
    ['delete all hints of api', 'FORGET_HINT'],
    ['remember that the login bug was fixed with `git revert abc`', 'STORE_WORK_MEMORY'],
    ['remember that the login bug came from an expired token #auth', 'STORE_WORK_MEMORY'],
    ['remember to build http-proxy with `make`', 'CREATE_TRIGGER'],
    ['remind me to build http-proxy with `make` tomorrow at 9', 'CREATE_TRIGGER'],
    ['every Friday at 5pm build http-proxy with `make`', 'CREATE_TRIGGER'],
    ['/remember writing x | Header | some keywords', 'REMEMBER_WHEN'],
    ['forget what I told you about the login bug', 'FORGET_WORK_MEMORY'],
    ['that worked, thanks', 'REPLY'],
    ['how are you?', 'REPLY'],
  ])('%s: %s', (text, action) => {
    expect(chosen(text)).toBe(action);
  });
});

describe('what follows a hint', () => {
  const given = { text: 'api/test: `npm test`.', action: 'GET_HINT' };
  it.each([
    ['that worked, thanks', given, 'BUMP_HINT'],
    ['great, it did the trick', given, 'BUMP_HINT'],
    [
      'yes',
      { text: 'Did you mean the hint a/b: `c`. Say yes or no.', action: 'SET_HINT' },
      'SET_HINT',
    ],
    ['the second', { text: 'Of which component?\n1. a/b\n2. c/d', action: 'GET_HINT' }, 'GET_HINT'],
    [
      'yes',
      { text: 'That forgets 2 hints:\nShall I? Say yes or no.', action: 'FORGET_HINT' },
      'FORGET_HINT',
    ],
    ['thanks', { text: 'Of which component?\n1. a/b', action: 'GET_HINT' }, 'REPLY'],
    ['list my reminders', { text: 'Of which component?', action: 'GET_HINT' }, 'LIST_TRIGGERS'],
    ['yes', given, 'REPLY'],
  ] as const)('%s behind %j: %s', (text, last, action) => {
    expect(chosen(text, last)).toBe(action);
  });
});
