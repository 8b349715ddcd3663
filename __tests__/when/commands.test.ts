import { describe, expect, it } from 'vitest';
import { findCommands } from '../../src/when/commands.js';
import { expectQuick } from '../helpers/quick.js';

function found(text: string): string[] {
  return findCommands(text).map(({ query }) => query);
}

describe('findCommands at the start of a line', () => {
  it.each([
    ['alone', '/when writing mock tests'],
    ['after other lines', 'Let me look that up.\n\n/when writing mock tests\n'],
    ['below a line that begins with code', '```npm test``` fails.\n/when writing mock tests'],
    ['as a list item', 'First:\n- /when writing mock tests'],
    ['as a nested list item', '- look it up\n    - /when writing mock tests'],
    ['as a numbered item', '2. /how writing mock tests'],
    ['slightly indented', '   /when writing mock tests'],
    ['spoken to somebody', '@cue /when writing mock tests'],
    ['with a line break of Windows', 'Yes.\r\n/when writing mock tests\r\n'],
    ['with the note of a printed line', '/when writing mock tests      # Mock Patching (sibling)'],
    ['as one whole line of the index', '/when writing mock tests | Mock Patching | patch it'],
    ['in bold', '**/when writing mock tests**'],
    ['in italics, in a list', '- _/when writing mock tests_'],
    ['in backticks', '`/when writing mock tests`'],
    ['in backticks, in a list', '- `/when writing mock tests`'],
    ['behind a closed code block', '```\ncode\n```\n/when writing mock tests'],
    ['behind a code block with a longer fence', '````\n```\n````\n/when writing mock tests'],
  ])('finds one %s', (_, text) => {
    expect(found(text)).toEqual(['writing mock tests']);
  });

  it.each([
    ['below the command', '/when\n- writing mock tests\n- § testing.md\n\nand then go on'],
    ['below a blank line', '/when\n\n- writing mock tests\n- § testing.md\nand then go on'],
    ['with typed breaks', 'First /when\n/when\\n- writing mock tests\\n- § testing.md'],
    ['of commands', '- /when writing mock tests\n- /when § testing.md\n- then write the test'],
    ['of commands below a command', '/when\n- /when writing mock tests\n- /when § testing.md'],
  ])('finds a list %s', (_, text) => {
    expect(found(text)).toEqual(['writing mock tests', '§ testing.md']);
  });

  it('does not take the list that follows a complete command', () => {
    expect(found('/when writing mock tests\n- then I patch the module')).toEqual([
      'writing mock tests',
    ]);
  });

  it.each([
    ['another command', '/whenever it rains'],
    ['a path', '/when/then/else.ts'],
    ['a part of a path', 'a/when b'],
    ['a command within a line', 'please use /when writing mock tests'],
    ['a line that leads to it', 'Let me check: /when writing mock tests'],
    ['a command in a sentence', 'I will run `/when writing mock tests` first.'],
    ['an example behind a colon', 'For example: /when writing mock tests'],
    ['a usage text', 'Usage: /when writing mock tests'],
    ['a usage text of two words', 'Usage example: /when writing mock tests'],
    ['a report', 'I used: /when writing mock tests'],
    ['a short report', 'Noted: /when writing mock tests'],
    ['a statement', 'The entry is: /when writing mock tests'],
    ['a negation', 'I will not use this one: /when writing mock tests'],
    ['a negation behind a name', 'Never, /when writing mock tests'],
    ['a condition', 'If in doubt, /when writing mock tests'],
    ['an adverb', 'However, /when writing mock tests is wrong'],
    ['a line that goes on', 'Let me check: /when writing mock tests. Then I patch it.'],
    ['an entry to be written', 'Let me add this: /when doing a thing | A thing | words'],
    ['a quoted command behind a colon', 'Let me check: "/when writing mock tests"'],
    ['the bare command', '/when'],
    ['the bare command before prose', '/when\nYou use it like this.'],
    ['a placeholder', '/when <trigger>'],
    ['a letter that stands for something', '/when X'],
    ['an ellipsis', '/when …'],
    ['three dots', '/when ...'],
    ['fenced code', '```\n/when writing mock tests\n```'],
    ['fenced code in a list', '- ```sh\n  /when writing mock tests\n  ```'],
    ['fenced code that is never closed', '~~~\n/when writing mock tests'],
    ['indented code', '    /when writing mock tests'],
    ['a quotation', '> /when writing mock tests'],
    ['a printed list', 'Related:\n- /when writing mock tests      # Mock Patching (sibling)'],
    ['a printed list of suggestions', 'No entry.\nDid you mean:\n- /when writing mock tests'],
    ['a piece of the index', '/when a thing | A | words\n/when b thing | B | words'],
    ['nothing', ''],
  ])('finds none in %s', (_, text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('findCommands within a sentence', () => {
  it.each([
    'Use `/when` to recall.',
    'The form is `/when <trigger>`.',
    'Example: `/when writing mock tests` returns the "Mock patching pattern" section.',
    'Such a line, e.g. `/when writing mock tests`, recalls a section.',
    'According to `/when writing mock tests`, you patch where it is used.',
    'I used `/when writing mock tests` and it says to patch.',
    'Ran `/when writing mock tests` already.',
    'We never need `/when writing mock tests`.',
    "I won't run `/when writing mock tests` again.",
    'The entry `/when writing mock tests` is wrong.',
    '`/when writing mock tests` says to patch where it is used.',
    'What does `/when writing mock tests` do?',
    'Why is it `/when writing mock tests`?',
    'You get it with `/when writing mock tests`.',
    'See `src/when/writing mock.ts` and `/whenever`.',
    '> I will run `/when writing mock tests` first.',
  ])('leaves alone what is only talked about: %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

it('finds each once, at most twenty, and says when there are more', () => {
  const twice = '/when writing mock tests\n`/when Writing Mock Tests`';
  expect(found(twice)).toEqual(['writing mock tests']);
  const many = Array.from({ length: 30 }, (_, index) => `/when topic ${index}`).join('\n');
  const requests = findCommands(many);
  expect(requests.length).toBe(21);
  expect(requests[20]?.kind).toBe('invalid');
});

it('reads a hostile text in time linear in its length', () => {
  for (const bad of ['`/when ', '/when\n', '`', ' ', '- ', '> ', '```\n', '/when a | b | c\n']) {
    expectQuick(1_000, () => findCommands(`/when ${bad.repeat(60_000)}`));
  }
});
