import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_REQUEST, MOST_REQUESTS, parseRequests } from '../../src/when/requests.js';
import { expectQuick } from '../helpers/quick.js';

function queries(text: string): string[] {
  return parseRequests(text).map(({ query }) => query);
}

describe('parseRequests', () => {
  it.each([
    ['a bare trigger', 'writing mock tests'],
    ['the command', '/when writing mock tests'],
    ['the command in capitals', '/When   writing  mock tests  '],
    ['/how', '/how writing mock tests'],
    ['double quotes around the trigger', '/when "writing mock tests"'],
    ['double quotes around the command', '"/when writing mock tests"'],
    ['backticks around the command', '`/when writing mock tests`'],
    ['typographic quotes', '/when “writing mock tests”'],
    ['emphasis', '**/when writing mock tests**'],
    ['slight emphasis', '- */when writing mock tests*'],
    ['a list item', '- /when writing mock tests'],
    ['a numbered list item', '1. /when writing mock tests'],
    ['a printed line with its note', '- /when writing mock tests      # Mock Patching (sibling)'],
    ['an index line', '/when writing mock tests | Mock patching pattern | patch where used'],
    ['fields without the command', 'writing mock tests | Mock patching pattern | patch where used'],
    ['code fences around it', '```\n/when writing mock tests\n```'],
  ])('reads %s', (_, text) => {
    expect(parseRequests(text)).toEqual([
      { kind: 'trigger', query: 'writing mock tests', phrase: 'writing mock tests' },
    ]);
  });

  it('keeps what stands behind a mark that is no note', () => {
    expect(queries('/when using C # generics\n§ C # basics\n§ c # d.md')).toEqual([
      'using C # generics',
      '§ C # basics',
      '§ c # d.md',
    ]);
  });

  it('takes two that differ behind the mark for two', () => {
    expect(parseRequests('/when using C # generics\n/when using C # lists')).toHaveLength(2);
  });

  it.each([
    ['real line breaks', '/when\n- writing mock tests\n- splitting modules'],
    ['line breaks of Windows', '/when\r\n- writing mock tests\r\n- splitting modules\r\n'],
    ['breaks typed as two characters', '/when\\n- writing mock tests\\n- splitting modules'],
    [
      'typed breaks without a space before the bullet',
      '/when \\n - writing mock tests\\n- splitting modules',
    ],
    ['typed breaks and no bullets', '/when\\nwriting mock tests\\nsplitting modules'],
    ['asterisks', '/when\n* writing mock tests\n* splitting modules'],
    ['numbers', '/when\n1. writing mock tests\n2) splitting modules'],
    ['several commands', '/when writing mock tests\n/how splitting modules'],
    ['the first on the line of the command', '/when writing mock tests\n- splitting modules'],
    ['blank lines between', '/when\n\n- writing mock tests\n\n- splitting modules'],
    ['no command at all', 'writing mock tests\nsplitting modules'],
    ['quotes in the list', '/when\n- "writing mock tests"\n- `splitting modules`'],
    [
      'one of them twice',
      '/when\n- writing mock tests\n- splitting modules\n- Splitting  Modules.',
    ],
  ])('reads a batch with %s', (_, text) => {
    expect(queries(text)).toEqual(['writing mock tests', 'splitting modules']);
  });

  it.each([
    ['/when § .Mock Patching', '§ .Mock Patching', '.Mock Patching'],
    ['/when §.Mock Patching', '§ .Mock Patching', '.Mock Patching'],
    ['/when§ Mock Patching', '§ Mock Patching', 'Mock Patching'],
    ['§ "Mock Patching"', '§ Mock Patching', 'Mock Patching'],
    [
      '- /when § .Mock Patching          # Full parent section',
      '§ .Mock Patching',
      '.Mock Patching',
    ],
    ['§ Either | or', '§ Either | or', 'Either | or'],
    ['§ C# and F#', '§ C# and F#', 'C# and F#'],
  ])('%s is a section', (text, query, title) => {
    expect(parseRequests(text)).toEqual([{ kind: 'section', query, title }]);
  });

  it.each([
    ['/when § testing.md', 'testing.md'],
    ['§testing.md', 'testing.md'],
    ['- /when § testing.md              # Full testing.md file', 'testing.md'],
    ['§ api/auth.md', 'api/auth.md'],
    ['§ `api/auth.md`', 'api/auth.md'],
    ['§ api\\notes.md', 'api\\notes.md'],
    ['§ README.MD', 'README.MD'],
  ])('%s is a file', (text, name) => {
    expect(parseRequests(text)).toEqual([{ kind: 'file', query: `§ ${name}`, name }]);
  });

  it('mixes triggers, sections and files', () => {
    const text = '/when\\n- writing mock tests\\n- § .Mock Patching\\n§ testing.md';
    expect(parseRequests(text).map(({ kind }) => kind)).toEqual(['trigger', 'section', 'file']);
  });

  it.each(['', '  \n ', '/when', '/how \n', '/when\n- \n-', '```', '/when | Header | words'])(
    '%j asks for nothing',
    (text) => expect(parseRequests(text)).toEqual([]),
  );

  it('takes an escaped pipe for a part of the trigger', () => {
    expect(queries('/when piping a \\| b | Pipes | shell words')).toEqual(['piping a | b']);
  });

  it('says what is missing behind a lone §', () => {
    expect(parseRequests('/when §')).toEqual([
      {
        kind: 'invalid',
        query: '§',
        message: 'Name a section or a file: /when § .Section or /when § file.md.',
      },
    ]);
  });

  it('refuses a request that is too long and answers the others', () => {
    const long = 'x'.repeat(LONGEST_REQUEST + 1);
    expect(parseRequests(`/when\n- ${long}\n- splitting modules`)).toEqual([
      {
        kind: 'invalid',
        query: `${'x'.repeat(80)}…`,
        message: 'Too long: 501 characters, at most 500 are allowed.',
      },
      { kind: 'trigger', query: 'splitting modules', phrase: 'splitting modules' },
    ]);
    expect(parseRequests('x'.repeat(LONGEST_REQUEST))[0]?.kind).toBe('trigger');
  });

  it('answers the first twenty and says that there were more', () => {
    const text = Array.from({ length: 23 }, (_, index) => `- topic ${index}`).join('\n');
    const requests = parseRequests(`/when\n${text}`);
    expect(requests.length).toBe(MOST_REQUESTS + 1);
    expect(requests[19]?.query).toBe('topic 19');
    expect(requests[20]).toEqual({
      kind: 'invalid',
      query: '',
      message: '23 requests at once; only the first 20 are answered.',
    });
  });

  it('takes any text without throwing, in time linear in its length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        return parseRequests(text).every(({ query }) => query.length <= LONGEST_REQUEST);
      }),
      { seed: 5, numRuns: 200 },
    );
    for (const bad of [
      ' '.repeat(100_000),
      '\\n'.repeat(50_000),
      '# '.repeat(100_000),
      '`'.repeat(200_000),
    ]) {
      expectQuick(1_000, () => parseRequests(`/when ${bad}x`));
    }
  });
});
