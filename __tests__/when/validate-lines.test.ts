/** What the validator says of lines that are no entries, and how it counts words. */
import { describe, expect, it } from 'vitest';
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';
import { migrateIndex } from '../../src/when/migrate/migrate.js';
import { reportText } from '../../src/when/migrate/report.js';
import { validate, wordCount } from '../../src/when/validate.js';

const CLI = '# C\n\n## Exit codes\n\nx\n\n## Fixture Scope\n\nx\n';
const ENTRY = '/when returning exit codes | Exit codes | zero for done and found';
const OTHER = '/when choosing fixture scopes | Fixture Scope | function unless it is slow';
const FILES = [parseDecisionFile('cli.md', CLI)];

function problemsOf(index: string, cli = CLI): string[] {
  const files = [parseDecisionFile('cli.md', cli)];
  return validate(buildLibrary(parseIndex(index), files)).problems.map(
    ({ severity, code, file, line }) => `${severity} ${code} ${file}:${line}`,
  );
}

describe('conflict markers', () => {
  it('are errors, in the index and in decision files', () => {
    const index = `# M\n\n## cli.md\n\n<<<<<<< HEAD\n${ENTRY}\n=======\n${OTHER}\n>>>>>>> branch\n`;
    expect(problemsOf(index).filter((one) => one.includes('conflict'))).toEqual([
      'error conflict_marker index:5',
      'error conflict_marker index:7',
      'error conflict_marker index:9',
    ]);
    const cli = CLI.replace(
      'x\n\n## Fix',
      '<<<<<<< HEAD\nx\n||||||| base\ny\n=======\nz\n>>>>>>> b\n\n## Fix',
    );
    expect(problemsOf(`# M\n\n## cli.md\n\n${ENTRY}\n${OTHER}\n`, cli)).toEqual([
      'error conflict_marker cli.md:5',
      'error conflict_marker cli.md:7',
      'error conflict_marker cli.md:9',
      'error conflict_marker cli.md:11',
    ]);
  });

  it('are not a title that is underlined, nor what a fence shows', () => {
    const cli = `${CLI.replace('# C\n', 'Command line\n=======\n')}\n\`\`\`\n<<<<<<< HEAD\n=======\n>>>>>>> b\n\`\`\`\n`;
    expect(problemsOf(`# M\n\n## cli.md\n\n${ENTRY}\n${OTHER}\n`, cli)).toEqual([]);
  });
});

it('a missing index is an error, as what cannot be read is', () => {
  const missing = { file: 'index', code: 'no_index', message: 'there is no index' };
  expect(validate(buildLibrary(parseIndex(''), [], [missing]))).toMatchObject({
    ok: false,
    problems: [{ code: 'no_index', severity: 'error' }],
  });
});

it('messages leave out the line, which the problem names', () => {
  const { problems } = validate(
    buildLibrary(parseIndex(`## cli.md\n\n${ENTRY}\n/when x\n`), FILES),
  );
  expect(problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([
    '4: no header title and no description; an entry is "/when <trigger> | <header-title> | <description>"',
    '7: "Fixture Scope" has no entry in the index',
  ]);
});

describe('words', () => {
  it.each([
    ['writing tests', 'Header', 'patch it — not where', 7],
    ['日本語のテスト', '日本語', '日本語の説明です', 8],
    ['ทดสอบภาษาไทย', 'ภาษา', 'คำอธิบาย', 6],
    ['using C++ 20', 'C#', 'a/b and c-d', 7],
    ['テスト API', 'x', 'y', 4],
  ])('of %s | %s | %s are counted as people do', (phrase, header, description, count) => {
    expect(wordCount({ phrase, header, description })).toBe(count);
  });
});

describe('lines of the old format', () => {
  const OLD = `# M

## cli.md

Exit codes — zero for done, three for missing
Fixture Scope - function unless it is slow
Naming—as a sentence
Colours —
Gone title — what it said
`;

  it('are warnings of the validator', () => {
    const { problems } = validate(buildLibrary(parseIndex(OLD), FILES));
    const legacy = problems.filter(({ code }) => code === 'legacy_entry');
    expect(legacy.map(({ line, message }) => `${line}: ${message}`)).toEqual([
      '5: "Exit codes" is in the old format: "cue when migrate" rewrites it, or says why not',
      '9: "Gone title" is in the old format: "cue when migrate" rewrites it, or says why not',
    ]);
  });

  it('that are written in another way are in the report', () => {
    const { report } = migrateIndex(OLD, FILES);
    expect(report.unresolved.map(({ line, key, reason }) => [line, key, reason])).toEqual([
      [6, 'Fixture Scope - function unless it is slow', 'other_form'],
      [7, 'Naming—as a sentence', 'other_form'],
      [8, 'Colours —', 'other_form'],
      [9, 'Gone title', 'unknown_header'],
    ]);
    expect(reportText(report)).toContain(
      `Left as they were (lines of the index as it was):
  line 6: "Fixture Scope - function unless it is slow": it is neither "Key — description" nor an entry of three fields
`,
    );
  });

  it('are not made of the remarks of a new index', () => {
    const index = `# M\n\n## cli.md\n\n${ENTRY}\n${OTHER}\n\nRemarks - kept well—apart\n`;
    expect(migrateIndex(index, FILES).report.unresolved).toEqual([]);
  });
});
