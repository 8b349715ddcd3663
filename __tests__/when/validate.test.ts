import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';
import type { Library } from '../../src/when/types.js';
import { fixIndex, validate } from '../../src/when/validate.js';
import { expectQuick } from '../helpers/quick.js';

const TESTING =
  '# T\n\n## .Doubles\n\n### Mock Patching\n\nx\n\n### Fake clock\n\nx\n\n## Flaky tests\n\nx\n';
const CLI = '# C\n\n## Exit codes\n\nx\n\n## Colors\n\nx\n';
const FILES = { 'testing.md': TESTING, 'api/cli.md': CLI };

const MOCKS = '/when patching mocks | Mock Patching | patch where it is used, not defined';
const CLOCK = '/when faking clocks | fake clock | hand one in and advance it';
const FLAKY = '/when fixing flaky tests | Flaky tests | quarantine, then delete';
const CODES = '/when returning exit codes | Exit codes | zero for done and found';
const COLORS = '/when printing colors | Colors | none without a real terminal there';
const INDEX = `# M

## decisions/testing.md

${MOCKS}
${CLOCK}
${FLAKY}

## decisions/api/cli.md

${CODES}
${COLORS}
`;

function libraryOf(index: string, files: Readonly<Record<string, string>> = FILES): Library {
  return buildLibrary(
    parseIndex(index),
    Object.entries(files).map(([path, text]) => parseDecisionFile(path, text)),
  );
}

/** Severity, code, file and line of each problem. */
function found(index: string, files?: Readonly<Record<string, string>>): string[] {
  return validate(libraryOf(index, files)).problems.map(
    ({ severity, code, file, line, fixable }) =>
      `${severity} ${code} ${file}:${line ?? ''}${fixable ? ' fixable' : ''}`,
  );
}

describe('the validator', () => {
  it('passes an index in which each plain section has its entry', () => {
    expect(validate(libraryOf(INDEX))).toEqual({
      ok: true,
      problems: [],
      counts: { entries: 5, files: 2, sections: 6 },
    });
  });

  it.each([
    [
      'a line without a third field',
      [CLOCK, '/when faking clocks | fake clock'],
      ['error malformed_entry index:6', 'error orphan_header testing.md:9'],
    ],
    [
      'an unknown header',
      [CLOCK, CLOCK.replace('| fake clock', '| Fake clocks')],
      ['error unknown_header index:6', 'error orphan_header testing.md:9'],
    ],
    [
      'a structural header',
      [CLOCK, CLOCK.replace('| fake clock', '| .Doubles')],
      ['error structural_header index:6', 'error orphan_header testing.md:9'],
    ],
    [
      'seven words',
      [FLAKY, '/when fixing flakes | Flaky tests | quarantine or delete'],
      ['error word_count index:7'],
    ],
    ['eight words', [FLAKY, '/when fixing flakes | Flaky tests | quarantine and then delete'], []],
    ['twenty words', [FLAKY, `${FLAKY}${' more'.repeat(12)}`], []],
    ['twenty-one words', [FLAKY, `${FLAKY}${' more'.repeat(13)}`], ['error word_count index:7']],
    ['an entry that is missing', [`${FLAKY}\n`, ''], ['error orphan_header testing.md:13']],
    [
      'a wrong order',
      [`${MOCKS}\n${CLOCK}`, `${CLOCK}\n${MOCKS}`],
      ['error wrong_order index:6 fixable'],
    ],
    [
      'an entry in the group of another file',
      [COLORS, `${COLORS}\n${FLAKY}`, `${FLAKY}\n\n`, '\n'],
      ['error misplaced_entry index:12 fixable'],
    ],
    [
      'an entry in a group of no file',
      ['## decisions/api/cli.md', '## Odds and ends'],
      ['error misplaced_entry index:11 fixable', 'error misplaced_entry index:12 fixable'],
    ],
    [
      'a line that stands twice',
      [FLAKY, `${FLAKY}\n- ${FLAKY}`],
      ['error duplicate_line index:8 fixable'],
    ],
    [
      'two entries for one section',
      [FLAKY, `${FLAKY}\n${FLAKY.replace('fixing', 'hunting')}`],
      ['error duplicate_entry index:8'],
    ],
    [
      'one trigger for two sections',
      ['/when printing colors', '/when "Patching  Mocks"'],
      ['error ambiguous_trigger index:12'],
    ],
    [
      'a line of the old format',
      [FLAKY, `${FLAKY}\nFlaky tests — quarantine`],
      ['warning legacy_entry index:8'],
    ],
  ])('finds %s', (_, changes, problems) => {
    let index = INDEX;
    for (let at = 0; at + 1 < changes.length; at += 2) {
      index = index.replace(changes[at] ?? '', changes[at + 1] ?? '');
    }
    expect(found(index)).toEqual(problems);
    expect(validate(libraryOf(index)).ok).toBe(!problems.some((one) => one.startsWith('error')));
  });

  it('says which titles come closest', () => {
    const index = INDEX.replace('| fake clock', '| Fake clocks here');
    expect(validate(libraryOf(index)).problems[0]?.message).toContain('closest: "Fake clock"');
  });

  it('an entry for a header that several other files have is no matter of moving', () => {
    const files = { ...FILES, 'more.md': '## Colors\n' };
    const index = INDEX.replace(COLORS, '').replace(FLAKY, `${FLAKY}\n${COLORS}`);
    expect(found(index, files)).toEqual([
      'error unknown_header index:8',
      'error orphan_header api/cli.md:7',
      'error orphan_header more.md:1',
    ]);
  });

  it('finds titles with a dot and file names that are used twice', () => {
    const files = { ...FILES, 'cli.md': '## .doubles\n', 'testing.md': TESTING };
    expect(found(INDEX, files)).toContain('error duplicate_structural cli.md:1');
    expect(found(INDEX, files)).toContain('error duplicate_file_name cli.md:');
  });

  it('of several headings of one title in a file only the first is asked for', () => {
    const files = { ...FILES, 'api/cli.md': `${CLI}\n## colors\n` };
    expect(found(INDEX, files)).toEqual(['warning ambiguous_header index:12']);
  });

  it('checks and fixes 1,200 misplaced entries of 80 files within seconds', () => {
    const files: Record<string, string> = {};
    let index = '';
    for (let file = 0; file < 80; file += 1) {
      const titles = Array.from({ length: 15 }, (_, at) => `Topic ${file} number ${at}`);
      files[`f${file}.md`] = titles.map((title) => `## ${title}\n\nx\n`).join('\n');
      const lines = titles.map((title, at) => `/when doing ${file} ${at} | ${title} | as it is`);
      index += `## f${(file * 7) % 80}.md\n\n${lines.reverse().join('\n')}\n\n`;
    }
    const library = libraryOf(index, files);
    expectQuick(10_000, () => fixIndex(library));
    const { text } = fixIndex(library);
    expect(validate(libraryOf(text, files)).problems).toEqual([]);
  });
});

describe('the fix', () => {
  it('puts entries in the order and the groups of their files and drops what stands twice', () => {
    const index = `# M

## decisions/testing.md

${FLAKY}
<!-- about colors -->
${COLORS}
${MOCKS}

${CLOCK}
${MOCKS}

## decisions/api/cli.md

- ${CODES}
`;
    const { text, fixed } = fixIndex(libraryOf(index));
    expect(text).toBe(`# M

## decisions/testing.md

${MOCKS}
<!-- about colors -->
${CLOCK}

${FLAKY}

## decisions/api/cli.md

- ${CODES}
${COLORS}
`);
    expect(fixed.map(({ code, line }) => [code, line])).toEqual([
      ['misplaced_entry', 7],
      ['wrong_order', 8],
      ['wrong_order', 10],
      ['duplicate_line', 11],
      ['wrong_order', 11],
    ]);
  });

  it('makes the group that is missing, as the others are', () => {
    const index = `# M\n\n## decisions/testing.md\n\n${MOCKS}\n${CODES}\n${CLOCK}\n${FLAKY}\n${COLORS}\n`;
    expect(fixIndex(libraryOf(index)).text).toBe(
      `# M\n\n## decisions/testing.md\n\n${MOCKS}\n${CLOCK}\n${FLAKY}\n\n## decisions/api/cli.md\n\n${CODES}\n${COLORS}\n`,
    );
  });

  it('puts entries into a group of which only a part has entries', () => {
    const entries = [FLAKY, MOCKS];
    const index = [...entries, '## decisions/testing.md', '### Notes', CLOCK].join('\n');
    const { text } = fixIndex(libraryOf(index));
    const lines = text.split('\n').filter((line) => line.startsWith('/when'));
    expect(lines.sort()).toEqual([...entries, CLOCK].sort());
    expect(validate(libraryOf(text)).problems.filter(({ fixable }) => fixable)).toEqual([]);
  });

  it('leaves alone what needs a person', () => {
    const index = INDEX.replace('| fake clock', '| no such thing').replace('printing', 'Printing');
    expect(fixIndex(libraryOf(index))).toEqual({ text: index, fixed: [] });
  });

  it('keeps CR LF and a last line without a break', () => {
    const index = `## testing.md\r\n\r\n${FLAKY}\r\n${CLOCK}\r\n\r\n${MOCKS}`;
    expect(fixIndex(libraryOf(index)).text).toBe(
      `## testing.md\r\n\r\n${MOCKS}\r\n${CLOCK}\r\n\r\n${FLAKY}`,
    );
  });

  it('takes indented lines along with their entry', () => {
    const index = `## testing.md\n\n- ${CLOCK}\n  see the helpers\n- ${MOCKS}\n`;
    expect(fixIndex(libraryOf(index)).text).toBe(
      `## testing.md\n\n- ${MOCKS}\n- ${CLOCK}\n  see the helpers\n`,
    );
  });

  it('of any shuffled index leaves nothing to fix, loses no line, and done again changes nothing', () => {
    const lines = [MOCKS, CLOCK, FLAKY, CODES, COLORS, `- ${MOCKS}`, `  ${CODES}`];
    const rest = [
      '',
      '',
      'Some prose.',
      '<!-- a remark -->',
      '## decisions/testing.md',
      '## decisions/api/cli.md',
      '### Notes',
      '# Title',
      '/when lost | Nowhere | leads to nothing that anybody has written down',
      'Old key — of the old format',
    ];
    const line = fc.constantFrom(...lines, ...rest);
    const text = fc
      .tuple(fc.array(line, { maxLength: 16 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
      .map(([all, lineBreak, ended]) => all.join(lineBreak) + (ended ? lineBreak : ''));
    fc.assert(
      fc.property(text, (index) => {
        const library = libraryOf(index);
        const fixed = libraryOf(fixIndex(library).text);
        expect(validate(fixed).problems.filter(({ fixable }) => fixable)).toEqual([]);
        expect(fixIndex(fixed)).toEqual({ text: fixed.index.text, fixed: [] });
        expect(contentOf(fixed)).toEqual(contentOf(library));
      }),
      { numRuns: 250 },
    );
  });
});

/** Lines that are no group of a file, each once, in any order: what no fix may lose or make. */
function contentOf({ index }: Library): string[] {
  const lines = index.text.split(/\r?\n/).map((line) => line.trim().replace(/^- /, ''));
  return [...new Set(lines.filter((line) => line !== '' && !line.startsWith('## ')))].sort();
}

it.each([
  ...['too_large', 'not_text', 'busy', 'unreadable', 'outside', 'broken_link'],
  ...['no_index', 'no_folder'],
])('a file that could not be read is an error: %s', (code) => {
  const away = { file: 'api/cli.md', code, message: `api/cli.md: ${code}` };
  const library = buildLibrary(parseIndex(''), [], [away]);
  expect(validate(library)).toMatchObject({
    ok: false,
    problems: [{ ...away, severity: 'error', fixable: false }],
  });
});
