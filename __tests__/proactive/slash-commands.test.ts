import { describe, expect, it } from 'vitest';
import {
  beginsWith,
  commandsIn,
  foldedCommand,
} from '../../src/proactive/reading/slash-commands.js';

describe('commands in what an agent writes', () => {
  it.each<[string, string, string[]]>([
    ['a line of its own', '/when writing mock tests', ['/when writing mock tests']],
    ['code', 'I read `/when writing mock tests`.', ['/when writing mock tests`.']],
    [
      'the middle of a sentence',
      'Let me run /when Writing  mock tests before I begin.',
      ['/when writing mock tests before i begin.'],
    ],
    ['the other prefix', '/how  writing mock tests', ['/when writing mock tests']],
    [
      'two on one line',
      '/when writing mock tests and /how splitting modules',
      ['/when writing mock tests and', '/when splitting modules'],
    ],
    [
      'a batch',
      'So:\n/when\n- writing mock tests\n* splitting modules\n1. naming files\n\n- not this',
      ['/when writing mock tests', '/when splitting modules', '/when naming files'],
    ],
    ['a batch in Windows lines', '/when\r\n- naming files\r\n', ['/when naming files']],
    ['a command twice', '/when naming files\n/when naming files', ['/when naming files']],
    ['a list that no command precedes', '- writing mock tests', []],
    ['paths and addresses', 'src/when ready, ./when x, https://a.org/when x, /when/ready x', []],
    ['longer words', '/whenever it rains /however', []],
    ['no words behind it', '/when … /how', []],
  ])('%s', (_, text, expected) => {
    expect(commandsIn(text)).toEqual(expected);
  });

  it('are at most fifty, each of at most 200 characters, read in no time', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `/when case ${index}`).join('\n');
    expect(commandsIn(many)).toHaveLength(50);
    expect(commandsIn(`/when ${'x'.repeat(19_000)}`)[0]).toHaveLength(200);
    const started = performance.now();
    commandsIn('/when '.repeat(4_000));
    commandsIn('/when\n- '.repeat(2_500));
    expect(performance.now() - started).toBeLessThan(200);
  });

  it.each([
    ['/when writing mock tests', true],
    ['/when writing mock tests.', true],
    ['/when writing mock tests before i begin', true],
    ['/when writing mock tests - now', true],
    ['/when writing mock testsuites', false],
    ['/when writing mock tests-only code', false],
    ['/when writing', false],
  ])('%j begins with the command: %j', (written, expected) => {
    expect(beginsWith(written, foldedCommand('/how Writing mock  tests'))).toBe(expected);
  });
});
