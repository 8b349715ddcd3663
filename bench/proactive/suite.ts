/** `npm run bench -- proactive`: what offers cost (DESIGN §13), the host's own way beside. */
import { rmSync } from 'node:fs';
import { benchDirectory } from '../agent.js';
import { inChild } from '../in-child.js';
import type { PartReport as FillReport, PartRequest as FillRequest } from '../memory/protocol.js';
import { type Row, rowOf, type SuiteOptions } from '../stats.js';
import { linesFor } from './lines.js';
import type { Part, PartReport, PartRequest, Samples } from './protocol.js';

const SIZES = [1_000, 10_000];
const QUICK_SIZES = [200];
/** DESIGN §13 wants the checks measured here; filling a database takes longer than measuring. */
const ALONE_SIZES = [100_000];
const NO_REPORT: PartReport = { samples: {}, notes: {} };

export async function proactiveRows(options: SuiteOptions): Promise<Row[]> {
  const sizes = options.sizes ?? (options.quick ? QUICK_SIZES : SIZES);
  const whole = options.sizes === undefined && !options.quick;
  const alone = options.catalog ?? (whole ? ALONE_SIZES : []);
  const rows: Row[] = [];
  for (const size of sizes) rows.push(...(await rowsAt(size, options)));
  for (const size of alone) {
    options.say(`${size} memories: catalog alone …`);
    const ours = await run({ part: 'alone', size, quick: options.quick, directory: '' });
    rows.push(...rowsOf(size, ours, NO_REPORT.samples));
  }
  return rows;
}

async function rowsAt(size: number, { quick, say }: SuiteOptions): Promise<Row[]> {
  const directory = benchDirectory();
  try {
    say(`${size} memories: import …`);
    await fill({ part: 'fill', size, quick, directory });
    say(`${size} memories: detectors, offers, turns …`);
    const ours = await run({ part: 'stored', size, quick, directory });
    say(`${size} memories: the host alone …`);
    const host = await run({ part: 'plain', size, quick, directory });
    return rowsOf(size, ours, host.samples);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function fill(request: FillRequest): Promise<FillReport> {
  return inChild(new URL('../memory/child.ts', import.meta.url), request, {
    name: `the import of ${request.size}`,
    flags: ['--expose-gc'],
  });
}

function run(request: PartRequest): Promise<PartReport> {
  return inChild(new URL('./child.ts', import.meta.url), request, {
    name: `the ${request.part satisfies Part} bench at ${request.size}`,
  });
}

function rowsOf(size: number, { samples, notes }: PartReport, host: Samples): Row[] {
  return linesFor(size).flatMap(({ name, ...line }) => {
    const ours = samples[name] ?? [];
    if (ours.length === 0) return [];
    const beside = host[name];
    const note = notes[name];
    return [
      rowOf({
        ...line,
        at: size,
        ours,
        ...(beside ? { beside } : {}),
        ...(note === undefined ? {} : { note }),
      }),
    ];
  });
}
