import { describe, expect, it } from 'vitest';
import { printRecall } from '../../src/when/print.js';
import { parseRequests } from '../../src/when/requests.js';
import type { Answer, Match } from '../../src/when/types.js';

function match(header: string, content?: string): Match {
  const place = { file: 'testing.md', line: header.length, trigger: '', description: '' };
  return {
    rank: 1,
    header,
    ...place,
    confidence: 1,
    ...(content === undefined ? {} : { content }),
  };
}

function answer(over: Partial<Answer>): Answer {
  return {
    query: 'writing mock tests',
    found: 'exact',
    confidence: 1,
    matches: [match('Mock Patching Pattern', '\nPatch where it is used.\n\n')],
    related: [],
    suggestions: [],
    ...over,
  };
}

const RELATED = [
  { command: '/when organizing test files', note: 'Test Module Split Strategy (sibling)' },
  { command: '/when § .Mock Patching', note: 'Full parent section' },
  { command: '/when § testing.md', note: 'Full testing.md file' },
];

/** The seed's own block, with content in the place of its placeholder. */
const SEED = `# Mock Patching Pattern

<full section content from decision file>

---

Related:
- /when organizing test files     # Test Module Split Strategy (sibling)
- /when § .Mock Patching          # Full parent section
- /when § testing.md              # Full testing.md file`;

describe('printRecall', () => {
  it('prints an exact answer as the specification does', () => {
    const content = '\n<full section content from decision file>\n\n';
    const exact = answer({ matches: [match('Mock Patching Pattern', content)], related: RELATED });
    expect(printRecall({ results: [exact] })).toBe(SEED);
  });

  it('prints lines that are commands as they stand', () => {
    const printed = printRecall({ results: [answer({ related: RELATED })] });
    const commands = printed.slice(printed.indexOf('- /when'));
    expect(parseRequests(commands).map(({ query }) => query)).toEqual([
      'organizing test files',
      '§ .Mock Patching',
      '§ testing.md',
    ]);
  });

  it('moves the notes for longer commands, two spaces behind the longest', () => {
    const long = {
      command: '/when organizing the files of integration tests',
      note: 'Long (child)',
    };
    const printed = printRecall({ results: [answer({ related: [long, ...RELATED.slice(2)] })] });
    expect(printed.split('\n').slice(-2)).toEqual([
      '- /when organizing the files of integration tests  # Long (child)',
      '- /when § testing.md                               # Full testing.md file',
    ]);
  });

  it('joins a batch: answers, then misses, then one list', () => {
    const second = answer({
      query: '§ .Errors',
      matches: [match('.Errors', 'Thrown late.')],
      related: RELATED.slice(2),
    });
    const miss = answer({
      query: 'baking bread',
      found: 'none',
      confidence: 0,
      matches: [{ ...match('Bread'), trigger: 'baking cakes' }],
      suggestions: ['/when baking cakes', '/how eating'],
    });
    const unknown = answer({
      found: 'none',
      matches: [],
      message: 'No file "x.md": there are none.',
    });
    const first = answer({ related: RELATED.slice(0, 1) });
    expect(printRecall({ results: [miss, first, unknown, second] })).toBe(`# Mock Patching Pattern

Patch where it is used.

# .Errors

Thrown late.

No entry for "baking bread".
Did you mean:
- /when baking cakes              # Bread
- /how eating

No file "x.md": there are none.

---

Related:
- /when organizing test files     # Test Module Split Strategy (sibling)
- /when § testing.md              # Full testing.md file`);
  });

  it('says of an answer by content how it was found', () => {
    const hybrid = answer({ query: 'mocking things', found: 'hybrid', confidence: 0.8349 });
    expect(printRecall({ results: [hybrid] })).toBe(
      '# Mock Patching Pattern\n\n(closest to "mocking things", confidence 0.83)\n\nPatch where it is used.',
    );
  });

  it('says of an ambiguous trigger what else it stands for', () => {
    const exact = answer({ message: 'also stands for "Mocks" (api.md:3)' });
    expect(printRecall({ results: [exact] })).toBe(
      '# Mock Patching Pattern\n\n(also stands for "Mocks" (api.md:3))\n\nPatch where it is used.',
    );
  });

  it('prints a section once that two queries gave, and points to it', () => {
    const again = answer({ query: 'mock tests', found: 'hybrid', confidence: 0.9 });
    expect(printRecall({ results: [answer({}), again] })).toBe(
      '# Mock Patching Pattern\n\nPatch where it is used.\n\n' +
        '("mock tests": see "Mock Patching Pattern" above)',
    );
  });

  it.each([
    ['line breaks of Windows', '\r\nOne.\r\n\r\nTwo.\r\n', 'One.\r\n\r\nTwo.'],
    ['headings of its own', '\n# Testing\n\n## A\n', '# Testing\n\n## A'],
    ['the indentation of code', '\n    const a = 1;\n\n', '    const a = 1;'],
    ['a rule and a list', '---\n\nRelated:\n- x\n', '---\n\nRelated:\n- x'],
  ])('keeps %s', (_, content, printed) => {
    const exact = answer({ matches: [match('Title', content)] });
    expect(printRecall({ results: [exact] })).toBe(`# Title\n\n${printed}`);
  });

  it('leaves out the byte order mark of a file', () => {
    const exact = answer({ matches: [match('testing.md', '\ufeff# Testing\n')] });
    expect(printRecall({ results: [exact] })).toBe('# testing.md\n\n# Testing');
  });

  it('prints a section without content as its title', () => {
    expect(printRecall({ results: [answer({ matches: [match('Empty', ' \n')] })] })).toBe(
      '# Empty',
    );
  });

  it('says what is wrong before what may be meant, and names sections once', () => {
    const lost = answer({
      found: 'none',
      matches: [],
      message: 'It leads nowhere.',
      suggestions: ['/when baking cakes'],
    });
    const unknown = answer({
      found: 'none',
      matches: [],
      message: 'No file "x.md". There are: § a.md.',
      suggestions: ['/when § a.md'],
    });
    expect(printRecall({ results: [lost, unknown] })).toBe(
      'It leads nowhere.\nDid you mean:\n- /when baking cakes\n\nNo file "x.md". There are: § a.md.',
    );
  });

  it('cuts a query that is repeated', () => {
    const miss = answer({ query: 'x'.repeat(300), found: 'none', matches: [], suggestions: [] });
    expect(printRecall({ results: [miss] })).toBe(`No entry for "${'x'.repeat(80)}…".`);
    expect(printRecall({ results: [] })).toBe('');
  });
});
