/** What a list looks like, on terminals and elsewhere. */
import { describe, expect, it } from 'vitest';
import type { Io } from '../../../src/surfaces/cli/io.js';
import { type Column, shortIds, tableOf, widthOf } from '../../../src/surfaces/cli/table.js';

interface Row {
  id: string;
  name: string;
  state: string;
  at: number | null;
}

const NOW = Date.UTC(2026, 4, 1, 9);
const MINUTE = 60_000;
const columns: readonly Column<Row>[] = [
  { head: 'ID', id: ({ id }) => id },
  { head: 'NAME', text: ({ name }) => name, isCut: true },
  { head: 'STATE', text: ({ state }) => state, isState: true },
  { head: 'NEXT', atMs: ({ at }) => at },
];

function io(terminal?: Io['terminal']): Io {
  return {
    ...{ cwd: '/', env: {}, parentPid: 1, clock: { now: () => NOW } },
    ...{ stdin: async () => '', out: () => {}, err: () => {} },
    ...(terminal && { terminal }),
  };
}

const row = (change: Partial<Row> = {}): Row => ({
  ...{ id: 'e71298c6-1f2e-4d4c-8a52-0f3a6b0d5c11', name: 'water the plants' },
  ...{ state: 'active', at: NOW + 90 * MINUTE, ...change },
});

function shown(rows: Row[], width = 80, hasColors = false): string[] {
  return tableOf(io({ columns: width, hasColors }), columns)
    .lines(rows)
    .split('\n');
}

describe('on a terminal', () => {
  it('columns stand under their headers, with short ids and relative times', () => {
    expect(shown([row(), row({ id: 'a'.repeat(36), name: 'x', at: null })])).toEqual([
      'ID        NAME              STATE   NEXT',
      'e71298c6  water the plants  active  in 2h',
      'aaaaaaaa  x                 active  -',
    ]);
  });

  it('the widest column that may is cut until the rows fit', () => {
    const lines = shown([row({ name: 'a name that is much too long for this' }), row()], 46);
    expect(lines[1]).toBe('e71298c6  a name that is much…   active  in 2h');
    expect(lines[2]).toBe('e71298c6  water the plants       active  in 2h');
  });

  it('some of a column is always left', () => {
    expect(shown([row({ name: 'a name that is much too long' })], 10)[1]).toBe(
      'e71298c6  a name that…  active  in 2h',
    );
  });

  it('characters of two columns count as two', () => {
    expect([widthOf('植物'), widthOf('🌱x'), widthOf('é')]).toEqual([4, 3, 1]);
    const lines = shown([row({ name: '植物に水をやる' }), row({ name: 'x' })]);
    expect(lines.map((line) => widthOf(line.slice(0, line.indexOf('active'))))).toEqual([
      expect.anything(),
      26,
      26,
    ]);
  });

  it('colours are those of headers and states, and no text brings its own', () => {
    const name = 'failed \u001b[31mred\u202e';
    const [header = '', line] = shown([row({ name, state: 'failed 3 times' })], 80, true);
    expect(header.startsWith('\u001b[1mID\u001b[22m')).toBe(true);
    expect(line).toBe('e71298c6  failed  [31mred\ufffd  \u001b[31mfailed 3 times\u001b[39m  in 2h');
  });

  it('a text of several lines is one line', () => {
    expect(shown([row({ name: 'one\n  two\r\n' })])).toHaveLength(2);
  });

  it('rows that come later stand in the same columns, without a header', () => {
    const table = tableOf(io({ columns: 80, hasColors: false }), columns);
    expect(table.lines([])).toBe('');
    expect(table.lines([row()]).split('\n')).toHaveLength(2);
    expect(table.lines([row({ name: 'x' })])).toBe('e71298c6  x                 active  in 2h');
  });
});

describe('for another program', () => {
  it('values stand between tabs: whole ids, exact times, nothing for what there is not', () => {
    const long = 'a name with\ttabs\nand lines, however long it may be '.repeat(4).trim();
    expect(tableOf(io(), columns).lines([row({ name: long, at: null })])).toBe(
      `${row().id}\t${long.replaceAll(/[\t\n]/g, ' ')}\tactive\t`,
    );
    expect(tableOf(io(), columns).lines([row()])).toMatch(/\t2026-05-01T10:30:00\.000Z$/);
  });
});

describe('short ids', () => {
  it('have eight digits, or as many more as tell one from the others', () => {
    const ids = ['e71298c6-1f2e', 'e71298c6-1a2e', 'a71298c6-1f2e'];
    expect([...shortIds([...ids, 'e71298c6-1f2e']).values()]).toEqual([
      'e71298c6-1f',
      'e71298c6-1a',
      'a71298c6',
    ]);
  });
});
