/** The folder that `npm run bench -- when` measures is what its rows say it is. */
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../bench/arguments.js';
import { linesFor } from '../../bench/when/lines.js';
import { asked, edited, folderOf } from '../../bench/when/workload.js';
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';

function libraryOf({ index, files }: ReturnType<typeof folderOf>) {
  return buildLibrary(
    parseIndex(index),
    files.map(({ path, text }) => parseDecisionFile(path, text)),
  );
}

describe('the folder of the /when bench', () => {
  const folder = folderOf(64);

  it('is the same each time it is made, with sixteen entries a file', () => {
    expect(folderOf(64)).toEqual(folder);
    expect(folder.files.map(({ path }) => path)).toEqual([
      'topic-000.md',
      'topic-001.md',
      'topic-002.md',
      'topic-003.md',
    ]);
    expect(folderOf(400).files).toHaveLength(25);
  });

  it('links every entry to a section of its own, below a structural one', () => {
    const library = libraryOf(folder);
    expect(library.warnings).toEqual([]);
    expect(new Set(library.entries.map(({ section }) => section)).size).toBe(64);
    expect(new Set(library.entries.map(({ phrase }) => phrase)).size).toBe(64);
    expect(library.entries.every(({ section }) => section?.path.length === 1)).toBe(true);
  });

  it('changes one line by an edit, and another by the next', () => {
    const text = folder.files[0]?.text ?? '';
    const differing = (one: string, other: string) => {
      const lines = other.split('\n');
      return one.split('\n').filter((line, at) => line !== lines[at]);
    };
    expect(differing(edited(text, 7), text)).toEqual(['Revised 7 times.']);
    expect(differing(edited(edited(text, 7), 8), text)).toEqual(['Revised 8 times.']);
  });

  it('is asked the same questions in the same order', () => {
    const one = asked(folder, 'test');
    const other = asked(folder, 'test');
    const round = (ask: typeof one) => [ask.exact(), ask.hybrid(), ask.miss(), ask.batch()];
    expect([round(one), round(one)]).toEqual([round(other), round(other)]);
    expect(one.batch().split('\n- ')).toHaveLength(6);
  });
});

describe('the rows of the /when bench', () => {
  it('promise at 400 entries what the design promises, and nothing at 4,000', () => {
    const budgets = (size: number) =>
      linesFor(size).flatMap(({ id, budget, judged }) =>
        budget === undefined ? [] : [[id, budget, judged]],
      );
    expect(budgets(400)).toEqual([
      ['when.resolve.exact', 2, 'p95'],
      ['when.resolve.hybrid', 2, 'p95'],
      ['when.resolve.section', 2, 'p95'],
      ['when.resolve.file', 2, 'p95'],
      ['when.resolve.miss', 2, 'p95'],
      ['when.sync.first', 2_000, undefined],
      ['when.edit.look', 100, undefined],
      ['when.edit.watched', 100, undefined],
      ['when.statement.cpu', 50, 'max'],
    ]);
    expect(budgets(4_000)).toEqual([['when.statement.cpu', 50, 'max']]);
  });

  it('are a suite of the command', () => {
    expect(readArguments(['when', '--sizes', '4000,400'], ['when']).sizes).toEqual([400, 4_000]);
  });
});
