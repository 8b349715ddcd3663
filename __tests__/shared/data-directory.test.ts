import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { dataDirectoryOf } from '../../src/shared/folders.js';

it('keeps files beside the database, in the configured directory, or in the folder of the host', () => {
  const cases: [string | undefined, string | null][] = [
    ['data', '/db/of/agent'],
    ['data', null],
    [undefined, '/db/of/agent'],
    [undefined, null],
  ];
  expect(cases.map(([configured, database]) => dataDirectoryOf(configured, database))).toEqual([
    { path: resolve('data'), kept: true },
    { path: resolve('data'), kept: true },
    { path: '/db/of/cue', kept: true },
    { path: resolve('.eliza/cue'), kept: true },
  ]);
});

it('keeps nothing of a database in memory, wherever the directory is', () => {
  expect(dataDirectoryOf('data', 'memory')).toEqual({ path: resolve('data'), kept: false });
  expect(dataDirectoryOf(undefined, 'memory')).toEqual({
    path: resolve('.eliza/cue'),
    kept: false,
  });
});
