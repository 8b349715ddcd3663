import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEntryLine, parseIndex, printEntry } from '../../src/when/index-file.js';
import type { EntryFields } from '../../src/when/types.js';

const HEADER = `When you need knowledge about a topic, invoke \`/when <trigger>\` to retrieve the full decision content.
Example: \`/when writing mock tests\` returns the "Mock patching pattern" section + related entries.

Batching: \`/when\\n- writing mock tests\\n- splitting modules\` retrieves multiple sections efficiently.

Navigation (§ operator):
- Entry-level: \`/when <trigger>\` → single section + sibling entries
- Section-level: \`/when § <section-title>\` → full H2 section + all child entries
- File-level: \`/when § <filename>.md\` → entire decision file + all entries
`;

const phrases = (text: string) => parseIndex(text).entries.map(({ phrase }) => phrase);
const warned = (text: string) => parseIndex(text).warnings.map(({ message }) => message);

describe('entries', () => {
  it('have three fields, a line and a group', () => {
    const index = parseIndex(
      '# Index\n\n## agents/decisions/testing.md\n\n/when writing mock tests | Mock patching pattern | patch where used, not defined\n\n### `api/auth.md`\n- /how rotate keys | Key rotation | a | b\n',
    );
    expect(index.groups).toEqual([
      { title: 'agents/decisions/testing.md', line: 3, level: 2 },
      {
        title: '`api/auth.md`',
        line: 7,
        level: 3,
        above: ['agents/decisions/testing.md'],
      },
    ]);
    expect(index.entries).toEqual([
      {
        prefix: 'when',
        phrase: 'writing mock tests',
        header: 'Mock patching pattern',
        description: 'patch where used, not defined',
        line: 5,
        group: 'agents/decisions/testing.md',
      },
      {
        prefix: 'how',
        phrase: 'rotate keys',
        header: 'Key rotation',
        description: 'a | b',
        line: 8,
        group: '`api/auth.md`',
      },
    ]);
    expect(index.warnings).toEqual([]);
  });

  it.each([
    [
      'bullets and indentation',
      '- /when a | b | c\n   * /when d | e | f\n+ /when g | h | i\n',
      ['a', 'd', 'g'],
    ],
    ['no space around pipes', '/when a|b|c\n', ['a']],
    ['CR LF and no final line end', '/when a | b | c\r\n/when d | e | f', ['a', 'd']],
    ['a pipe that is escaped', '/when a \\| b | c | d\n', ['a | b']],
    ['a rule right below', 'text\n/when a | b | c\n---\n/when d | e | f\n', ['a', 'd']],
    ['a block that folds', '<details>\n/when a | b | c\n</details>\n', ['a']],
    ['not in code four deep', 'x\n\n    /when a | b | c\n', []],
    ['not in fences', '```\n/when a | b | c\n```\n/when d | e | f\n', ['d']],
    ['not in comments', '<!-- old\n/when a | b | c\n-->\n/when d | e | f\n', ['d']],
    ['not in quotes', '> /when a | b | c\n', []],
    ['not other words', '/whenever a | b | c\n/when/then | b | c\n', []],
    ['not the form shown', '/when <trigger> | <header-title> | <description>\n', []],
  ])('%s', (_name, lines, expected) => {
    expect(phrases(`## g.md\n${lines}`)).toEqual(expected);
    expect(warned(`## g.md\n${lines}`)).toEqual([]);
  });

  it('above the first group are in none', () => {
    expect(parseIndex('/when a | b | c\n').entries[0]?.group).toBe('');
  });

  it('are not in front matter', () => {
    expect(phrases('---\n/when a | b | c\n---\n')).toEqual([]);
  });

  it('end a group at the next title', () => {
    expect(parseIndex('## a.md\n# Other\n/when a | b | c\n').entries[0]?.group).toBe('');
  });
});

describe('lines meant as entries', () => {
  it.each([
    ['/when a', 'no header title and no description'],
    ['/when a | b', 'no description'],
    ['/when a | b |', 'no description'],
    ['/when | b | c', 'no trigger'],
    ['/when a | | c', 'no header title'],
    ['/when', 'no trigger and no header title and no description'],
  ])('%s: %s', (line, lacking) => {
    const { entries, warnings } = parseIndex(`## a.md\n\n${line}\n/when d | e | f\n`);
    expect(entries.map(({ phrase }) => phrase)).toEqual(['d']);
    expect(warnings).toEqual([
      {
        file: 'index',
        line: 3,
        code: 'malformed_entry',
        message: `line 3: ${lacking}; an entry is "/when <trigger> | <header-title> | <description>"`,
      },
    ]);
  });

  it('lead nowhere with §', () => {
    expect(warned('## a.md\n/when § .Mocking | a | b\n')).toEqual([
      'line 2: a command with § leads to a section or file and is no entry',
    ]);
  });

  it('are usage above the first group', () => {
    expect(warned('# Index\n/when <trigger>   # behavior\n/how\n/when a | b\n')).toEqual([
      'line 4: no description; an entry is "/when <trigger> | <header-title> | <description>"',
    ]);
  });

  it.each(['', '## a.md\n\n'])('are none in the consumption header, below "%s"', (before) => {
    const { entries, legacy, warnings } = parseIndex(`# Index\n\n${before}${HEADER}`);
    expect({ entries, legacy, warnings }).toEqual({ entries: [], legacy: [], warnings: [] });
  });
});

describe('lines of the old form', () => {
  const keys = (text: string) =>
    parseIndex(text).legacy.map(({ key, description }) => [key, description]);

  it('have a key, a line and a group', () => {
    const text = '# Index\n\n## a.md\n\nMock patching pattern — patch where used\n';
    expect(parseIndex(text).legacy).toEqual([
      { key: 'Mock patching pattern', description: 'patch where used', line: 5, group: 'a.md' },
    ]);
  });

  it.each([
    [
      'a bullet',
      '- Key — text\n* Other — more',
      [
        ['Key', 'text'],
        ['Other', 'more'],
      ],
    ],
    [
      'an en dash, two hyphens',
      'Key – text\nKey -- text',
      [
        ['Key', 'text'],
        ['Key', 'text'],
      ],
    ],
    ['an em dash before other dashes', 'A – B — text', [['A – B', 'text']]],
    ['markup around the key', '**Bold `key`** — text', [['Bold key', 'text']]],
    ['a dash in the description', 'Key — a — b', [['Key', 'a — b']]],
    ['none with a hyphen', 'Key - text', []],
    ['none without both sides', ' — text\nKey — ', []],
    ['none in tables, quotes, comments', '| a — b |\n> a — b\n\n<!-- a — b -->', []],
    ['none in fences', '```\nKey — text\n```', []],
  ])('%s', (_name, lines, expected) => {
    expect(keys(`## a.md\n\n${lines}\n`)).toEqual(expected);
  });

  it('are prose above the first group', () => {
    expect(keys('Append only — no editing.\n\n## a.md\n')).toEqual([]);
  });

  it('need no group when there is none', () => {
    expect(keys('Key — text\n')).toEqual([['Key', 'text']]);
  });
});

describe('printing', () => {
  it('puts pipes between the fields', () => {
    const fields: EntryFields = {
      prefix: 'how',
      phrase: 'a',
      header: 'B | c',
      description: 'd | e',
    };
    expect(printEntry(fields)).toBe('/how a | B \\| c | d | e');
  });

  it('and reading are the reverse of each other', () => {
    const field = fc
      .string({ unit: fc.constantFrom('a', 'B', '|', ' ', '\\ ', 'ü', '`', '<', '>', '/', '—') })
      .map((text) => text.replaceAll(/\s+/g, ' ').trim())
      .filter((text) => text !== '' && !text.endsWith('\\') && !/^<[^<>]+>$/.test(text));
    const fields = fc.record({
      prefix: fc.constantFrom('when' as const, 'how' as const),
      phrase: field,
      header: field,
      description: field,
    });
    fc.assert(
      fc.property(fields, (one) => {
        expect(parseEntryLine(printEntry(one))).toEqual(one);
      }),
      { numRuns: 300, seed: 5 },
    );
  });
});
