/** `npm run bench -- scale`: a project past the bound of its catalog, on PostgreSQL (docs/scale.md). */
import { rmSync } from 'node:fs';
import { benchDirectory } from '../agent.js';
import { inChild } from '../in-child.js';

import { type Row, type RowInput, rowOf, type SuiteOptions } from '../stats.js';
import type { SampleName, ScaleReport, ScaleRequest } from './protocol.js';

const SIZES = [1_000_000];
const QUICK_SIZES = [10_000];
/** `CUE_CATALOG_MAX`, as it is unless set. */
const MOST = 200_000;
const QUICK_MOST = 2_000;

type Line = Omit<RowInput, 'at' | 'ours'> & { name: SampleName };

const LINES: readonly Line[] = [
  {
    name: 'recall.words',
    id: 'recall in words',
    what: 'recall, ten of all',
    budget: 60,
    judged: 'p95',
  },
  {
    name: 'found',
    id: 'recall@10',
    what: 'questions whose memory is among the ten; beside: a catalog of everything',
    unit: 'percent',
  },
  {
    name: 'same',
    id: 'same ten',
    what: 'of the ten of a catalog of everything, found too',
    unit: 'percent',
  },
  {
    name: 'recall.file',
    id: 'recall by file',
    what: 'recall by the end of a path',
    budget: 60,
    judged: 'p95',
  },
  {
    name: 'check.file',
    id: 'check of a file',
    what: 'look-up before anything is offered',
    budget: 15,
    judged: 'p95',
  },
  {
    name: 'check.conflict',
    id: 'check of a conflict',
    what: 'the same among failures',
    budget: 15,
    judged: 'p95',
  },
  {
    name: 'check.intent',
    id: 'check of an intent',
    what: 'the same by words and likeness',
    budget: 15,
    judged: 'p95',
  },
  { name: 'store', id: 'store', what: 'one memory', budget: 5, judged: 'p95' },
  {
    name: 'seen',
    id: 'seen elsewhere',
    what: 'until two other processes have it',
    budget: 2_000,
    judged: 'max',
  },
  { name: 'resident', id: 'resident', what: 'memory of the process', budget: 700, unit: 'MB' },
  { name: 'ready', id: 'ready', what: 'until the catalog is ready, no snapshot', unit: 's' },
  { name: 'table', id: 'table', what: 'until the search table and its indexes stand', unit: 's' },
  { name: 'restart', id: 'restart', what: 'until ready, with a snapshot', unit: 's' },
  { name: 'filled', id: 'filled', what: 'the database, by the bench', unit: 's' },
];

/** All rows are on PostgreSQL: nothing here can be had on PGlite. */
export async function scaleRows(options: SuiteOptions): Promise<Row[]> {
  const sizes = options.sizes ?? (options.quick ? QUICK_SIZES : SIZES);
  // The host is imported only here, and prints nothing: stdout is for the result.
  process.env.LOG_LEVEL = 'fatal';
  const { onPostgres } = await import('../postgres.js');
  return onPostgres(async () => {
    const rows: Row[] = [];
    for (const size of sizes) rows.push(...(await rowsAt(size, options)));
    return rows;
  });
}

async function rowsAt(size: number, { quick, say }: SuiteOptions): Promise<Row[]> {
  const directory = benchDirectory();
  const request = { size, most: quick ? QUICK_MOST : MOST, questions: quick ? 20 : 200, directory };
  const part = (name: ScaleRequest['part'], answers?: ScaleRequest['answers']) => {
    say(`${size} memories: ${name} …`);
    const asked: ScaleRequest = { part: name, ...request, ...(answers && { answers }) };
    return inChild<ScaleReport>(new URL('./child.ts', import.meta.url), asked, {
      name: `the ${name} bench at ${size}`,
      flags: ['--expose-gc', '--max-old-space-size=8192'],
    });
  };
  try {
    const filled = await part('fill');
    const exact = await part('exact');
    const bounded = await part('bounded', exact.answers);
    const samples = { ...filled.samples, ...exact.samples, ...bounded.samples };
    const besides: Partial<Record<SampleName, number[] | undefined>> = {
      'recall.words': exact.samples['recall.exact'],
      found: exact.samples['found.exact'],
    };
    return LINES.flatMap(({ name, ...line }) => {
      const ours = samples[name];
      if (ours === undefined) return [];
      const beside = besides[name];
      return [rowOf({ ...line, at: size, ours, ...(beside && { beside }) })];
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
