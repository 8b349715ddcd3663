import { describe, expect, it } from 'vitest';
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary, fileOfGroup } from '../../src/when/library.js';
import { placeEntries } from '../../src/when/place-entries.js';
import { fixIndex } from '../../src/when/validate.js';

const paths = ['testing.md', 'api/auth.md', 'web/auth.md', 'api/Limits.md', 'my file.md'];

describe('the file of a group', () => {
  it.each([
    ['testing.md', 'testing.md'],
    ['agents/decisions/testing.md', 'testing.md'],
    ['../agents/decisions/testing.md', 'testing.md'],
    ['agents\\decisions\\testing.md', 'testing.md'],
    ['`agents/decisions/testing.md`', 'testing.md'],
    ['[How we test](decisions/testing.md#top)', 'testing.md'],
    ['[](<my file.md>)', 'my file.md'],
    ['my file.md', 'my file.md'],
    ['Testing (testing.md, loaded)', 'testing.md'],
    ['testing', 'testing.md'],
    ['Testing', 'testing.md'],
    ['decisions/api/auth.md', 'api/auth.md'],
    ['limits.md', 'api/Limits.md'],
    ['auth.md', null],
    ['esting.md', null],
    ['Technical Decisions (mixed — check entry for specific file)', null],
    ['', null],
  ])('%s is %s', (title, file) => {
    expect(fileOfGroup(title, paths)).toBe(file);
  });

  it('differs by letter case only if nothing fits exactly', () => {
    expect(fileOfGroup('A.md', ['a.md', 'A.md'])).toBe('A.md');
    expect(fileOfGroup('d/a.md', ['A.md', 'a.md'])).toBe('a.md');
  });
});

describe('a group that is divided', () => {
  const file = parseDecisionFile('a.md', ['A', 'B', 'C', 'D'].map((one) => `## ${one}\n`).join(''));
  const entry = (title: string) =>
    `/when doing ${title} well | ${title} | the words by which it is found`;
  const divided = (...first: string[]) =>
    ['## a.md', '', '### One', '', ...first, '', '### Two', '', entry('C'), ''].join('\n');

  it('is left divided by what mends the index', () => {
    const mended = fixIndex(
      buildLibrary(parseIndex(divided(entry('B'), entry('A'))), [
        parseDecisionFile('a.md', '## A\n## B\n## C\n'),
      ]),
    );
    expect(mended.text).toBe(divided(entry('A'), entry('B')));
  });

  it.each([
    ['B', divided(entry('A'), entry('B'))],
    ['D', `${divided(entry('A'))}${entry('D')}\n`],
  ])('takes a new entry where the order of the file has it: %s', (title, text) => {
    const library = buildLibrary(parseIndex(divided(entry('A'))), [file]);
    const section = file.sections.find((one) => one.title === title);
    if (section === undefined) throw new Error(title);
    const placed = placeEntries(library, [{ section, text: entry(title) }]);
    expect(placed).toBe(text);
  });
});

describe('links', () => {
  const files = [
    parseDecisionFile(
      'testing.md',
      '# Testing\n## .Mocking\n### Mock `patching` pattern\na\n### Fakes\nb\n## Fakes\nc\n',
    ),
    parseDecisionFile('api/auth.md', '## Key rotation\nd\n'),
  ];
  const link = (lines: string) =>
    buildLibrary(parseIndex(`# Index\n\n## decisions/testing.md\n\n${lines}\n`), files);
  const leads = (lines: string) =>
    link(lines).entries.map(({ file, section }) => [file, section?.line ?? null]);
  const warned = (lines: string) =>
    link(lines).warnings.map(({ code, line, message }) => [code, line, message]);

  it.each(['Mock patching pattern', 'mock  PATCHING pattern', 'Mock `patching` pattern'])(
    'lead to the section of the title: %s',
    (header) => {
      expect(leads(`/when a | ${header} | b`)).toEqual([['testing.md', 3]]);
      expect(warned(`/when a | ${header} | b`)).toEqual([]);
    },
  );

  it('lead to the first of several sections', () => {
    expect(leads('/when a | Fakes | b')).toEqual([['testing.md', 5]]);
    expect(warned('/when a | Fakes | b')).toEqual([
      ['ambiguous_header', 5, 'line 5: testing.md has "Fakes" on lines 5, 7; the first counts'],
    ]);
  });

  it('never lead to sections that group others', () => {
    expect(leads('/when a | .Mocking | b')).toEqual([['testing.md', null]]);
    expect(warned('/when a | .Mocking | b')).toEqual([
      ['structural_header', 5, 'line 5: ".Mocking" groups others and is reached by § only'],
    ]);
  });

  it('stay with what is not there, and say what is close', () => {
    expect(leads('/when a | Patching pattern | b')).toEqual([['testing.md', null]]);
    expect(warned('/when a | Patching pattern | b\n/when a | Nothing | b')).toEqual([
      [
        'unknown_header',
        5,
        'line 5: testing.md has no "Patching pattern"; closest: "Mock patching pattern"',
      ],
      ['unknown_header', 6, 'line 6: testing.md has no "Nothing"'],
    ]);
  });

  it('do not cross files, but say where the title is', () => {
    expect(leads('/when a | Key rotation | b')).toEqual([['testing.md', null]]);
    expect(warned('/when a | Key rotation | b')).toEqual([
      ['unknown_header', 5, 'line 5: testing.md has no "Key rotation"; api/auth.md has it'],
    ]);
  });

  it('need a file', () => {
    const text = '/when a | b | c\n\n## Rules\n/when d | e | f\n';
    const library = buildLibrary(parseIndex(text), files);
    expect(library.entries.map(({ file, section }) => [file, section])).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(library.warnings.map(({ message }) => message)).toEqual([
      'line 1: the entry stands in no group, which names no decision file',
      'line 4: the entry is in "Rules", which names no decision file',
    ]);
  });

  it('lead to the file of the group around theirs when its title names none', () => {
    const text = [
      '## testing.md',
      '### Doubles',
      '/when a | Mock patching pattern | b',
      '#### Other',
      '/when b | Fakes | b',
      '### api/auth.md',
      '#### Other',
      '/when c | Key rotation | b',
      '## Other',
      '/when d | Key rotation | b',
      '# Part two',
      '### Doubles',
      '/when e | Fakes | b',
    ].join('\n');
    const library = buildLibrary(parseIndex(text), files);
    expect(
      library.entries.map(({ phrase, file, section }) => [phrase, file, section?.line]),
    ).toEqual([
      ['a', 'testing.md', 3],
      ['b', 'testing.md', 5],
      ['c', 'api/auth.md', 1],
      ['d', null, undefined],
      ['e', null, undefined],
    ]);
  });

  it('come with what reading the files and the index found, in that order', () => {
    const read = { file: 'x.md', code: 'too_large', message: 'x' };
    const index = parseIndex('## testing.md\n/when a\n/when b | c | d\n');
    expect(buildLibrary(index, files, [read]).warnings.map(({ code }) => code)).toEqual([
      'too_large',
      'malformed_entry',
      'unknown_header',
    ]);
  });
});

it('links 4,000 broken entries of one file without comparing each with each title', () => {
  const titles = Array.from({ length: 4_000 }, (_, at) => `Title number ${at}`);
  const file = parseDecisionFile('a.md', titles.map((title) => `## ${title}\n`).join(''));
  const lines = titles.map((title) => `/when doing ${title} | ${title} x | words\n`);
  const { warnings } = buildLibrary(parseIndex(`## a.md\n${lines.join('')}`), [file]);
  expect(warnings.filter(({ message }) => message.includes('closest:'))).toHaveLength(50);
  expect(warnings).toHaveLength(4_000);
});
