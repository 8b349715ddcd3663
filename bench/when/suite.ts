/** `npm run bench -- when`: what `/when` costs (DESIGN §13, issue 5), the host's own way beside. */
import { rmSync } from 'node:fs';
import { benchDirectory } from '../agent.js';
import { buildCommands } from '../built.js';
import { inChild } from '../in-child.js';
import { rowsOf } from '../rows.js';
import type { Row, SuiteOptions } from '../stats.js';
import { commandProcess } from './command.js';
import { linesFor } from './lines.js';
import type { Part, PartReport, PartRequest } from './protocol.js';
import { PER_FILE } from './workload.js';

const SIZES = [400, 4_000];
const QUICK_SIZES = [48];
/** A first sync happens once in a directory; more than one number is worth the time where it is short. */
const FIRST_SYNCS = 3;
const SHORT = 1_000;

export async function whenRows(options: SuiteOptions): Promise<Row[]> {
  const sizes = options.sizes ?? (options.quick ? QUICK_SIZES : SIZES);
  const rows: Row[] = [];
  await buildCommands(options.say);
  for (const size of sizes) rows.push(...(await rowsAt(size, options)));
  return rows;
}

async function rowsAt(size: number, { quick, say }: SuiteOptions): Promise<Row[]> {
  const part = async (name: Part, doing: string) => {
    say(`${size} entries, ${Math.ceil(size / PER_FILE)} files: ${doing} …`);
    const directory = benchDirectory();
    try {
      return await run({ part: name, size, quick, directory });
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  };
  const reports = [await part('book', 'in memory')];
  const syncs = quick || size > SHORT ? 1 : FIRST_SYNCS;
  for (let round = 0; round < syncs; round += 1) {
    reports.push(await part('synced', 'on disk and PGlite'));
  }
  const host = await part('host', 'the host alone');
  say(`${size} entries: cue when as a process …`);
  reports.push(await commandProcess(size, quick));
  return rowsOf(linesFor(size), {
    ...{ at: size, reports, host: host.samples },
    // The same answers, beside another way to them.
    measuredAs: (name) => (name === 'resolve.hybrid.bm25' ? 'resolve.hybrid' : name),
  });
}

function run(request: PartRequest): Promise<PartReport> {
  return inChild(new URL('./child.ts', import.meta.url), request, {
    name: `the ${request.part} bench at ${request.size}`,
  });
}
