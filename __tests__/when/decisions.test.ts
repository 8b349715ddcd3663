import { expect, it } from 'vitest';
import { hashOf, parseDecisionFile } from '../../src/when/index-file.js';

const text = `# Testing

Intro.

## .Mocking

### Mock \`patching\`
patch where used

### Fakes
## Speed
fast
### Fakes
## Speed
again
`;

it('makes sections of the headings below the title', () => {
  const { sections, ...file } = parseDecisionFile('a/testing.md', text);
  expect(file).toEqual({ path: 'a/testing.md', text, hash: hashOf(text) });
  expect(sections.map(({ file: _file, ...section }) => section)).toEqual([
    {
      title: '.Mocking',
      level: 2,
      structural: true,
      path: [],
      ordinal: 0,
      line: 5,
      content: '\n### Mock `patching`\npatch where used\n\n### Fakes\n',
    },
    {
      title: 'Mock patching',
      level: 3,
      structural: false,
      path: ['.Mocking'],
      ordinal: 0,
      line: 7,
      content: 'patch where used\n\n',
    },
    {
      title: 'Fakes',
      level: 3,
      structural: false,
      path: ['.Mocking'],
      ordinal: 0,
      line: 10,
      content: '',
    },
    {
      title: 'Speed',
      level: 2,
      structural: false,
      path: [],
      ordinal: 0,
      line: 11,
      content: 'fast\n### Fakes\n',
    },
    {
      title: 'Fakes',
      level: 3,
      structural: false,
      path: ['Speed'],
      ordinal: 0,
      line: 13,
      content: '',
    },
    {
      title: 'Speed',
      level: 2,
      structural: false,
      path: [],
      ordinal: 1,
      line: 14,
      content: 'again\n',
    },
  ]);
});

it('takes a dot in code for a name, not for a mark', () => {
  const { sections } = parseDecisionFile('a.md', '## `.env` files\n## .Group\n');
  expect(sections.map(({ title, structural }) => [title, structural])).toEqual([
    ['.env files', false],
    ['.Group', true],
  ]);
});

it('hashes as SHA-256 of the UTF-8 text', () => {
  expect(hashOf('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});

it('has no sections without headings', () => {
  expect(parseDecisionFile('a.md', 'text').sections).toEqual([]);
});
