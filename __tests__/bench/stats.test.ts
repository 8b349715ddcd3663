import { describe, expect, it } from 'vitest';
import { readArguments } from '../../bench/arguments.js';
import { fileOf } from '../../bench/memory/questions.js';
import { dataAt, draftAt, idAt, linksAt } from '../../bench/memory/workload.js';
import { rowsOf } from '../../bench/rows.js';
import { shortened } from '../../bench/statement-watch.js';
import { median, percentile, rowOf, sideBySide, statsOf } from '../../bench/stats.js';
import { tableOf } from '../../bench/table.js';

const MACHINE = { cpu: 'some cpu', cores: 2, memoryGb: 8, node: '20.19.0', platform: 'linux x64' };

describe('statistics', () => {
  it('takes the middle value, or the mean of the two in the middle', () => {
    expect(median([5])).toBe(5);
    expect(median([9, 1, 5])).toBe(5);
    expect(median([1, 2, 10, 4])).toBe(3);
  });

  it('gives a percentile that was measured, by nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile(values, 0.95)).toBe(95);
    expect(percentile(values, 0.99)).toBe(99);
    expect(percentile(values, 1)).toBe(100);
    expect(percentile([7], 0.95)).toBe(7);
  });

  it('does not depend on the order and leaves its input as it was', () => {
    const values = [3, 1, 2];
    expect(statsOf(values)).toEqual({ median: 2, p95: 3, p99: 3, max: 3, n: 3 });
    expect(values).toEqual([3, 1, 2]);
  });

  it('refuses to say anything about nothing', () => {
    expect(() => statsOf([])).toThrow('at least one number');
    expect(() => statsOf([1, Number.NaN])).toThrow('at least one number');
  });
});

describe('a row of a bench', () => {
  it('has the form of DESIGN §13', () => {
    const row = rowOf({
      id: 'a',
      what: 'a thing',
      at: 10,
      ours: [1, 2, 3],
      beside: [10],
      budget: 5,
    });
    expect(row).toEqual({
      id: 'a',
      at: 10,
      ours: { median: 2, p95: 3, p99: 3, max: 3, n: 3 },
      beside: { median: 10, p95: 10, p99: 10, max: 10, n: 1 },
      ratio: 5,
      budget: 5,
      ok: true,
      judged: 'median',
      what: 'a thing',
    });
  });

  it('is judged by the number its budget is about', () => {
    const input = { id: 'a', what: '', at: 1, ours: [1, 1, 1, 9], budget: 5 };
    expect(rowOf(input).ok).toBe(true);
    expect(rowOf({ ...input, judged: 'p99' }).ok).toBe(false);
  });

  it('misses nothing when it has no budget, and compares with nothing when there is nothing', () => {
    expect(rowOf({ id: 'a', what: '', at: 1, ours: [9], beside: [] })).toMatchObject({
      beside: null,
      ratio: null,
      budget: null,
      ok: true,
    });
  });
});

it('of answers per second more is better, of milliseconds less', () => {
  const input = { id: 'a', what: '', at: 1, ours: [100], beside: [300] };
  expect(rowOf(input).ratio).toBe(3);
  expect(rowOf({ ...input, unit: 'per second' }).ratio).toBe(0.333);
});

it('a budget of no errors is missed by one', () => {
  const row = (errors: number) =>
    rowOf({ id: 'a', what: '', at: 1, ours: [errors], unit: 'errors', judged: 'max', budget: 0 });
  expect([row(0).ok, row(1).ok]).toEqual([true, false]);
});

it('numbers of a load come by the hundred thousand', () => {
  const values = Array.from({ length: 300_000 }, (_, index) => index);
  expect(statsOf(values).max).toBe(299_999);
});

it('a table says where a budget is missed, and its notes stand below', () => {
  const rows = [
    rowOf({ id: 'quick', what: 'quick', at: 1_000, ours: [1], beside: [250], budget: 5 }),
    rowOf({ id: 'slow', what: 'slow', at: 10, ours: [7], budget: 5, note: 'too slow' }),
  ];
  expect(tableOf({ rows, machine: MACHINE })).toBe(
    [
      '| what  |    at | ours ms |  p95 | n | beside ms | n | ratio | budget |  ok |',
      '| ----- | ----- | ------- | ---- | - | --------- | - | ----- | ------ | --- |',
      '| quick | 1,000 |    1.00 | 1.00 | 1 |       250 | 1 |  250× | ≤ 5.00 | yes |',
      '| slow  |    10 |    7.00 | 7.00 | 1 |           |   |       | ≤ 5.00 |  NO |',
      '',
      'slow @ 10: too slow',
      'Machine: some cpu, 2 cores, 8 GB, Node 20.19.0, linux x64.',
    ].join('\n'),
  );
});

it('rows of PostgreSQL stand behind the same rows of PGlite', () => {
  const row = (id: string) => rowOf({ id, what: id, at: 10, ours: [1] });
  const second = { ...row('one'), on: 'PostgreSQL' as const };
  const rows = sideBySide([row('one'), row('two')], [second]);
  expect(rows.map(({ id, on }) => [id, on])).toEqual([
    ['one', undefined],
    ['one', 'PostgreSQL'],
    ['two', undefined],
  ]);
  expect(tableOf({ rows, machine: MACHINE })).toContain('| 10 on PostgreSQL |');
});

it('a table names the unit of what is not time', () => {
  const rows = [rowOf({ id: 'held', what: 'held', at: 10, ours: [12.5], unit: 'MB' })];
  expect(tableOf({ rows, machine: MACHINE })).toContain('| held (MB) | 10 |    12.5 |');
});

describe('the command line', () => {
  it('reads suite, switches and sizes', () => {
    expect(readArguments(['triggers', '--json', '--sizes', '1000,100'], ['triggers'])).toEqual({
      suite: 'triggers',
      json: true,
      quick: false,
      postgres: false,
      sizes: [100, 1000],
    });
  });

  it('measures on PostgreSQL what is built on the database', () => {
    expect(readArguments(['memory', '--postgres'], ['memory']).postgres).toBe(true);
    expect(() => readArguments(['when', '--postgres'], ['when'])).toThrow(
      '--postgres is for triggers, memory, proactive',
    );
  });

  it('reads sizes of the catalog alone', () => {
    expect(readArguments(['memory', '--catalog', '100000'], ['memory'])).toMatchObject({
      suite: 'memory',
      catalog: [100_000],
    });
  });

  it.each([
    [[], 'name a bench: triggers'],
    [['memory'], 'name a bench: triggers'],
    [['triggers', '--fast'], 'unknown argument --fast'],
    [['triggers', '--sizes'], 'whole numbers'],
    [['triggers', '--sizes=0'], 'whole numbers'],
    [['triggers', '--catalog=x'], '--catalog wants whole numbers'],
  ])('refuses %j', (argv, message) => {
    expect(() => readArguments(argv, ['triggers'])).toThrow(message);
  });
});

it('calls of one statement have one name, however many values they carry', () => {
  expect(shortened('insert into "tasks" ("id") values ($1, $2, default), ($3, $4, default)')).toBe(
    shortened('insert into "tasks" ("id") values ($1, $2, default)'),
  );
  expect(shortened('select\n  1 where id in ($1, $2)')).toBe('select 1 where id in (…)');
});

describe('the memories of the memory bench', () => {
  const agentId = idAt(0);

  it('are the same whenever they are asked for, and differ from each other', () => {
    expect(draftAt(7)).toEqual(draftAt(7));
    expect(draftAt(7).intent.goal).not.toBe(draftAt(8).intent.goal);
  });

  it('are valid memories that name the files they touched', () => {
    for (const index of [6, 7]) {
      const touched = fileOf(draftAt(index));
      expect(touched).toMatch(/^src\/.+\.ts$/);
      expect(dataAt(index, agentId).files).toContain(touched);
    }
  });

  it('are linked to earlier ones only', () => {
    const number = new Map(Array.from({ length: 200 }, (_, index) => [idAt(index), index]));
    const links = Array.from({ length: 200 }, (_, index) =>
      linksAt(index, 200, agentId).map(({ data }) => ({ index, ...data })),
    ).flat();
    expect(links.length).toBeGreaterThan(50);
    for (const { index, source_id, target_id } of links) {
      expect(source_id).toBe(idAt(index));
      expect(number.get(target_id)).toBeLessThan(index);
    }
  });
});

it('rows are made of all that the children have measured, and of nothing else', () => {
  const line = (name: 'get' | 'got' | 'set') => ({ name, id: name, what: name });
  const rows = rowsOf([line('get'), line('got'), line('set')], {
    at: 3,
    reports: [
      { samples: { get: [1] }, beside: { get: [2] } },
      { samples: { get: [3] }, notes: { get: 'noted' } },
    ],
    host: { get: [4], got: [8], set: [5] },
    measuredAs: (name) => (name === 'got' ? 'get' : name),
  });
  expect(rows.map(({ id, at, ours, beside, note }) => [id, at, ours.n, beside?.n, note])).toEqual([
    ['get', 3, 2, 2, 'noted'],
    ['got', 3, 2, 1, undefined],
  ]);
});
