/** Entries that messages ask to write. */
import { describe, expect, it } from 'vitest';
import { isEntryToWrite, readEntry } from '../../src/when/turns.js';
import { expectQuick } from '../helpers/quick.js';

const MOCKS = {
  prefix: 'when',
  trigger: 'writing mock tests',
  header: 'Mock patching pattern',
  description: 'patch where used, not defined',
  file: undefined,
  under: undefined,
  content: undefined,
};
const LINE = 'writing mock tests | Mock patching pattern | patch where used, not defined';

describe('an entry is read from', () => {
  it.each([
    ['/remember', `/remember ${LINE}`],
    ['/remember before a command', `/remember /when ${LINE}`],
    ['a line of the index', `/when ${LINE}`],
    ['a bulleted line of the index', `- /when ${LINE}`],
    ['a request around a line', `please add this to the index: /when ${LINE}`],
    ['a line below a request', `can you write this down?\n\n/when ${LINE}`],
  ])('%s', (_name, message) => {
    expect(readEntry(message)).toEqual(MOCKS);
  });

  it.each([
    ['a file', ' in testing.md', { file: 'testing.md' }],
    ['a path in backticks', ' into `api/testing.md`.', { file: 'api/testing.md' }],
    ['a section', ' under .Mock Patching', { under: '.Mock Patching' }],
    ['a section with its sign', ' under § .Mock Patching', { under: '.Mock Patching' }],
    ['a section in quotes', ' under "Mock Patching"', { under: 'Mock Patching' }],
    [
      'a file and a section',
      ' in testing.md under .Mock Patching',
      { file: 'testing.md', under: '.Mock Patching' },
    ],
    [
      'a section and a file',
      ' under .Mock Patching in testing.md',
      { file: 'testing.md', under: '.Mock Patching' },
    ],
  ])('a line with %s', (_name, end, place) => {
    expect(readEntry(`/remember ${LINE}${end}`)).toEqual({ ...MOCKS, ...place });
  });

  it('a message whose further lines are the text of the section', () => {
    const text = 'Patch where it is used.\n\n```py\n@patch("a | b")\n```';
    const message = `/remember ${LINE} in testing.md\n\n${text}\n\n`;
    expect(readEntry(message)).toEqual({ ...MOCKS, file: 'testing.md', content: text });
  });

  it('a message that repeats the heading of the section', () => {
    const message = `/remember ${LINE}\n### Mock Patching Pattern\n\n    code first\nthen words`;
    expect(readEntry(message).content).toBe('    code first\nthen words');
  });

  it('a /how line with a pipe of its own', () => {
    expect(readEntry('/how joining a \\| b | Pipes | c | d')).toMatchObject({
      prefix: 'how',
      trigger: 'joining a | b',
      header: 'Pipes',
      description: 'c | d',
    });
  });

  it.each([
    ['/remember', ['', '', '']],
    ['/remember writing mock tests', ['writing mock tests', '', '']],
    ['/remember writing mock tests | Mock patching', ['writing mock tests', 'Mock patching', '']],
    ['remember that tests are slow', ['', '', '']],
    ['| a | table | row |', ['', '', '']],
  ])('%s, as far as it says it', (message, fields) => {
    const { trigger, header, description } = readEntry(message);
    expect([trigger, header, description]).toEqual(fields);
  });

  it('a hostile message in a moment', () => {
    expectQuick(1_000, () => {
      readEntry(`/remember ${'a | '.repeat(900)}`);
      readEntry(`/remember a | b | ${' under ."'.repeat(400)}`);
      readEntry(`remember ${'to the index '.repeat(300)}| b | c`);
      readEntry(`${'x'.repeat(3_000)} | ${' in '.repeat(200)} | c`);
    });
  });
});

describe('a message', () => {
  it.each([`/remember ${LINE}`])('asks to write: %j', (message) => {
    expect(isEntryToWrite(message)).toBe(true);
  });

  it.each([
    `/when ${LINE}`,
    `remember this: /when ${LINE}`,
    '/when adding entries',
    'cat a | grep b | sort',
    'index.ts | grep b | sort',
    'what does this do?\ncat notes.md | grep add | sort',
    'what is in /when index | a | b?',
    '/when writing | Remember me | add this',
    'hello',
    '',
  ])('asks for no writing: %j', (message) => {
    expect(isEntryToWrite(message)).toBe(false);
  });
});
