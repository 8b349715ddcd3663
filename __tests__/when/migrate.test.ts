import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';
import { CONSUMPTION_HEADER } from '../../src/when/migrate/consumption-header.js';
import { migrateIndex } from '../../src/when/migrate/migrate.js';
import { reportText } from '../../src/when/migrate/report.js';
import { fixIndex, validate } from '../../src/when/validate.js';
import { LEGACY_FILES, LEGACY_INDEX } from '../fixtures/legacy-index.js';

const FILES = [
  parseDecisionFile(
    'testing.md',
    '# T\n\n## .Doubles\n\n### Mock Patching Pattern\n\nx\n\n## Test data builders\n\nx\n\n## Flaky tests\n\nx\n',
  ),
  parseDecisionFile('cli.md', '# C\n\n## Exit codes\n\nx\n\n## Error handling\n\nx\n'),
  parseDecisionFile('jobs.md', '# J\n\n## Error handling\n\nx\n\n## Pipe | dream\n\nx\n'),
];

const SMALL = `# Memory Index

Scan the loaded content mentally, identify relevant entries, then Read the referenced file directly.

## Behavioral Rules (fragments — already loaded)

Ask first — never delete what is not yours

## Technical Decisions (mixed — check entry for specific file)

Exit codes — 0 done, 3 not found, 2 bad input
Mock patching pattern — patch where object is used not where defined
Error handling — jobs.md: classify as retryable or final

## agents/decisions/testing.md

<!-- a remark -->
- Flaky tests — quarantine within a day, fix or delete within a week
- Tests data builder — defaults for everything
- Doubles — what they are
`;

const MIGRATED = `# Memory Index

${CONSUMPTION_HEADER}

## agents/decisions/testing.md

<!-- a remark -->
/when patching mock pattern | Mock Patching Pattern | patch where object is used not where defined
- /when using flaky tests | Flaky tests | quarantine within a day, fix or delete within a week
- Tests data builder — defaults for everything
- Doubles — what they are

## agents/decisions/cli.md

/when using exit codes | Exit codes | 0 done, 3 not found, 2 bad input

## agents/decisions/jobs.md

/when handling error | Error handling | jobs.md: classify as retryable or final
`;

describe('the consumption header', () => {
  it('is the text of the specification, byte for byte', () => {
    expect(createHash('sha256').update(CONSUMPTION_HEADER).digest('hex')).toBe(
      'f92a7867d93a56319805ed924eb322d5021c00613f9c9d3bfecce0258b853826',
    );
    expect(CONSUMPTION_HEADER.split('\n')).toHaveLength(9);
    expect(CONSUMPTION_HEADER).toContain('`/when\\n- writing mock tests\\n- splitting modules`');
  });

  it.each([
    ['# M\n\n## a.md\n', `# M\n\n${CONSUMPTION_HEADER}\n\n## a.md\n`],
    ['# M\n\nKept.\n## a.md\n', `# M\n\nKept.\n\n${CONSUMPTION_HEADER}\n\n## a.md\n`],
    ['## a.md\n', `${CONSUMPTION_HEADER}\n\n## a.md\n`],
    ['\ufeff## a.md', `\ufeff${CONSUMPTION_HEADER}\n\n## a.md`],
    ['---\na: 1\n---\n## a.md\n', `---\na: 1\n---\n\n${CONSUMPTION_HEADER}\n\n## a.md\n`],
  ])('is put before the first group of %j', (text, result) => {
    const migrated = migrateIndex(text, []);
    expect(migrated.text).toBe(result);
    expect(migrated.report.header).toBe('inserted');
    expect(migrateIndex(result, []).changed).toBe(false);
  });

  it('replaces the paragraph of the passive instruction, however it is wrapped', () => {
    const passive =
      '**Use:** Loaded. Scan the loaded content\nmentally, identify relevant entries, then Read the referenced file directly.';
    const migrated = migrateIndex(`# M\n\nA\n\n${passive}\n\nB\n\n## a.md\n`, []);
    expect(migrated.text).toBe(`# M\n\nA\n\n${CONSUMPTION_HEADER}\n\nB\n\n## a.md\n`);
    expect(migrated.report.header).toBe('replaced');
  });
});

describe('the migration of an index', () => {
  it('rewrites what it can decide, leaves the rest, and says so', () => {
    const { text, report, changed } = migrateIndex(SMALL, FILES);
    expect(text).toBe(MIGRATED);
    expect(changed).toBe(true);
    expect(report.converted.map(({ line, trigger, file }) => [line, trigger, file])).toEqual([
      [11, 'using exit codes', 'cli.md'],
      [12, 'patching mock pattern', 'testing.md'],
      [13, 'handling error', 'jobs.md'],
      [18, 'using flaky tests', 'testing.md'],
    ]);
    expect(
      report.unresolved.map(({ line, reason, suggestions }) => [line, reason, suggestions]),
    ).toEqual([
      [19, 'unknown_header', ['"Test data builders" (testing.md)']],
      [20, 'unknown_header', []],
    ]);
    expect(report.removed).toEqual([
      {
        title: 'Behavioral Rules (fragments — already loaded)',
        line: 5,
        lines: [
          '## Behavioral Rules (fragments — already loaded)',
          '',
          'Ask first — never delete what is not yours',
          '',
        ],
      },
    ]);
  });

  it('of what it has migrated changes nothing', () => {
    expect(migrateIndex(MIGRATED, FILES)).toMatchObject({ text: MIGRATED, changed: false });
  });

  it('keeps CR LF, trailing text and a last line without a break', () => {
    const text = SMALL.trimEnd().replaceAll('\n', '\r\n');
    expect(migrateIndex(text, FILES).text).toBe(MIGRATED.trimEnd().replaceAll('\n', '\r\n'));
  });

  it('leaves a title alone that several files have, and names them', () => {
    const text = `${CONSUMPTION_HEADER}\n\n## Technical Decisions (mixed)\n\nError handling — somewhere\n`;
    const { changed, report } = migrateIndex(text, FILES);
    expect(changed).toBe(false);
    expect(report.unresolved).toEqual([
      {
        line: 13,
        key: 'Error handling',
        reason: 'ambiguous_header',
        suggestions: ['cli.md', 'jobs.md'],
      },
    ]);
  });

  it('gives a section one entry, and no phrase twice', () => {
    const text = `${CONSUMPTION_HEADER}\n\n## cli.md\n\n/when handling error | Exit codes | kept as it is |\nExit codes — again\nError handling — codes to the caller\n`;
    const { text: result, report } = migrateIndex(text, FILES);
    expect(result).toBe(
      text.replace('Error handling — ', '/when handling error 2 | Error handling | '),
    );
    expect(report.unresolved.map(({ key, reason }) => [key, reason])).toEqual([
      ['Exit codes', 'has_entry'],
    ]);
  });

  it('a title with a pipe is read back', () => {
    const { text } = migrateIndex('## jobs.md\n\nPipe | dream — of one line\n', FILES);
    expect(buildLibrary(parseIndex(text), FILES).entries[0]?.section?.title).toBe('Pipe | dream');
  });

  it('leaves fenced code, comments and other sections as they are', () => {
    const text = `${CONSUMPTION_HEADER}\n\n## cli.md\n\n\`\`\`\nExit codes — shown\n\`\`\`\n<!--\nError handling — hidden\n-->\n\n### Notes\n\nSome – prose\n`;
    expect(migrateIndex(text, FILES).text).toBe(text);
  });

  it('is refused where a code fence above the place of an entry is never closed', () => {
    const text = `${CONSUMPTION_HEADER}\n\n## Mixed\n\nExit codes — zero for done\n\n\`\`\`\nnever closed\n`;
    expect(() => migrateIndex(text, FILES)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  });

  it('an empty file stays empty', () => {
    expect(migrateIndex('', FILES)).toMatchObject({ text: '', changed: false });
  });

  it('of any index done again changes nothing, and keeps every entry and remark', () => {
    const line = fc.constantFrom(
      ...['Exit codes — zero for done', '- Flaky tests – soon', 'Error handling — jobs.md: final'],
      ...['Mock patching pattern — where used', 'Nothing — of the kind', '<!-- a remark -->', ''],
      ...['## agents/testing.md', '## cli.md', '## Technical Decisions (mixed)', '# Title', '```'],
      ...['/when flaking | Flaky tests | as it was', '## Behavioral Rules', 'Some prose.'],
    );
    const text = fc
      .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom('\n', '\r\n'))
      .map(([lines, lineBreak]) => lines.join(lineBreak));
    fc.assert(
      fc.property(text, (index) => {
        let migrated: ReturnType<typeof migrateIndex>;
        try {
          migrated = migrateIndex(index, FILES);
        } catch (error) {
          expect(error).toMatchObject({ code: 'CONFLICT' });
          expect(index).toContain('```');
          return;
        }
        const { text: result, report } = migrated;
        expect(migrateIndex(result, FILES)).toMatchObject({ text: result, changed: false });
        const removed = report.removed.flatMap(({ lines }) => lines);
        const there = new Set([...result.split(/\r?\n/), ...removed]);
        const kept = index
          .split(/\r?\n/)
          .filter((one) => !/^## Technical|^(?:- )?[A-Z].* [—–] /.test(one));
        expect(kept.filter((one) => !there.has(one))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('the report is text for people', () => {
    expect(reportText(migrateIndex(SMALL, FILES).report)).toBe(`entries converted: 4
instructions at the top replaced

Section "Behavioral Rules (fragments — already loaded)" (line 5 of the index as it was) removed:
  Ask first — never delete what is not yours

Triggers to improve (lines of the index as it was):
  line 11: "using exit codes" for "Exit codes"
  line 18: "using flaky tests" for "Flaky tests"

Left as they were (lines of the index as it was):
  line 19: "Tests data builder": no section has this title: "Test data builders" (testing.md)
  line 20: "Doubles": no section has this title
`);
  });
});

describe('an index that cannot be migrated', () => {
  it.each([
    ['of two fields', '/when ending | Exit codes\n/when failing | Error handling\n', 'other_form'],
    ['of arrows', '- Exit codes → zero for done\n* Error handling => codes\n', 'other_form'],
    ['of colons', '- Exit codes: zero for done\n- Error handling: codes\n', 'other_form'],
    ['of keys nobody knows', 'Exits — zero for done\nErrors — codes\n', 'unknown_header'],
  ])('%s stays as it is, and each line is told', (_what, lines, reason) => {
    const text = `# M\n\nScan the loaded content mentally, identify relevant entries, then Read the referenced file directly.\n\n## Behavioral Rules (fragments — already loaded)\n\nAsk first — always\n\n## cli.md\n\n${lines}`;
    const { text: result, changed, report } = migrateIndex(text, FILES);
    expect([result, changed]).toEqual([text, false]);
    expect(report).toMatchObject({ converted: [], removed: [], header: 'kept' });
    expect(report.unresolved.map((one) => one.reason)).toEqual([reason, reason]);
  });

  it('in part is migrated as far as it goes', () => {
    const text = '## cli.md\n\n- Exit codes — zero for done\n- Error handling → codes\n';
    const { text: result, report } = migrateIndex(text, FILES);
    expect(result).toContain(
      '- /when using exit codes | Exit codes | zero for done\n- Error handling →',
    );
    expect(report.unresolved.map(({ key, reason }) => [key, reason])).toEqual([
      ['Error handling → codes', 'other_form'],
    ]);
  });
});

describe('a migrated index', () => {
  const problemsOf = (text: string) =>
    validate(buildLibrary(parseIndex(text), FILES))
      .problems.filter(({ severity }) => severity === 'error')
      .map(({ code, line }) => `${code} ${line}`);
  const COVERED =
    '/when building test data | Test data builders | defaults for everything that a test needs\n';

  it('has the entries of a group in the order of its file', () => {
    const text = `## testing.md\n\nFlaky tests — quarantine within a day, fix or delete within a week\n${COVERED}Mock patching pattern — patch where the object is used, not where defined\n\n## cli.md\n\nError handling — codes to the caller, words to the person\nExit codes — zero done, three not found, two bad input\n`;
    const { text: result } = migrateIndex(text, FILES.slice(0, 2));
    const library = buildLibrary(parseIndex(result), FILES.slice(0, 2));
    expect(library.entries.map(({ header }) => header)).toEqual([
      ...['Mock Patching Pattern', 'Test data builders', 'Flaky tests'],
      ...['Exit codes', 'Error handling'],
    ]);
    expect(validate(library).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(migrateIndex(result, FILES.slice(0, 2)).changed).toBe(false);
  });

  it('keeps rules of behaviour that nobody says are loaded', () => {
    const text = '## Behavioral Rules\n\nAsk first — always\n\n## cli.md\n\nExit codes — zero\n';
    const { text: result, report } = migrateIndex(text, FILES);
    expect(report.removed).toEqual([]);
    expect(result).toContain('## Behavioral Rules\n\nAsk first — always\n');
  });

  it('keeps what leads to a section, and takes the rest of the loaded rules out', () => {
    const loaded = `## Behavioral Rules (fragments — already loaded)\n\nAsk first — always\nFlaky tests — quarantine within a day, fix or delete within a week\n${COVERED}`;
    const text = `${loaded}\n## cli.md\n\nExit codes — zero done, three not found, two bad input\n`;
    const { text: result, report } = migrateIndex(text, FILES);
    expect(report.removed.map(({ lines }) => lines)).toEqual([
      ['## Behavioral Rules (fragments — already loaded)', '', 'Ask first — always', ''],
    ]);
    expect(report.unresolved).toEqual([]);
    expect(result).not.toContain('Behavioral');
    const entries = buildLibrary(parseIndex(result), FILES).entries;
    expect(entries.map(({ header, file }) => [header, file])).toEqual([
      ['Exit codes', 'cli.md'],
      ['Test data builders', 'testing.md'],
      ['Flaky tests', 'testing.md'],
    ]);
    // What the old index did not have is all that is missing.
    expect(problemsOf(result).every((one) => one.startsWith('orphan_header'))).toBe(true);
    expect(migrateIndex(result, FILES)).toMatchObject({ text: result, changed: false });
  });

  it('keeps the loaded rules while a line of them may lead to one of several sections', () => {
    const loaded =
      '## Behavioral Rules (already loaded)\n\nAsk first — always\nError handling — somewhere\n';
    const text = `${loaded}\n## cli.md\n\nExit codes — zero done\n`;
    const { text: result, report } = migrateIndex(text, FILES);
    expect(result).toContain(loaded);
    expect(report.removed).toEqual([]);
    expect(report.unresolved.map(({ key, reason }) => [key, reason])).toEqual([
      ['Ask first', 'unknown_header'],
      ['Error handling', 'ambiguous_header'],
    ]);
  });
});

describe('the migration of a whole index', () => {
  const files = LEGACY_FILES.map(({ path, text }) => parseDecisionFile(path, text));
  const migrated = migrateIndex(LEGACY_INDEX, files);
  const library = buildLibrary(parseIndex(migrated.text), files);

  it('converts every line whose section exists', () => {
    expect(migrated.report.converted).toHaveLength(58);
    expect(migrated.report.unresolved.map(({ key }) => key)).toEqual([
      'Unheard of decision',
      'Load tests',
    ]);
    expect(
      migrated.report.removed.flatMap(({ lines }) => lines).filter((line) => line.includes(' — ')),
    ).toHaveLength(3);
  });

  it('passes the validator but for the lines that were left', () => {
    expect(validate(library).problems.map(({ code, line }) => [code, line])).toEqual([
      ['legacy_entry', 19],
      ['legacy_entry', 74],
    ]);
    expect(fixIndex(library)).toEqual({ text: migrated.text, fixed: [] });
  });

  it('loses no description', () => {
    const before = parseIndex(LEGACY_INDEX).legacy.map(({ description }) => description);
    const after = new Set([
      ...library.index.entries.map(({ description }) => description),
      ...library.index.legacy.map(({ description }) => description),
      'never remove what was not made in this session',
      'lead with the result and then give the reasons',
    ]);
    expect(before.filter((description) => !after.has(description))).toEqual([]);
  });

  it('done again changes nothing', () => {
    expect(migrateIndex(migrated.text, files).changed).toBe(false);
  });
});
