/** `npm run bench -- memory`: the memory rows of DESIGN §13, the host's own way beside. */
import { rmSync } from 'node:fs';
import { benchDirectory } from '../agent.js';
import { inChild } from '../in-child.js';
import { isOnServer, noteOfLong } from '../statement-watch.js';
import { type Row, rowOf, type SuiteOptions } from '../stats.js';
import { linesFor } from './lines.js';
import type { Part, PartReport, PartRequest, SampleName, Samples } from './protocol.js';

const SIZES = [1_000, 10_000, 50_000];
const QUICK_SIZES = [200];
/** DESIGN §13 wants the checks measured here; this needs no database. */
const CATALOG_SIZES = [100_000];

export async function memoryRows(options: SuiteOptions): Promise<Row[]> {
  const sizes = options.sizes ?? (options.quick ? QUICK_SIZES : SIZES);
  const whole = options.sizes === undefined && !options.quick;
  const alone = options.catalog ?? (whole ? CATALOG_SIZES : []);
  const rows: Row[] = [];
  for (const size of sizes) rows.push(...(await rowsAt(size, options)));
  for (const size of alone.filter((one) => !sizes.includes(one))) {
    options.say(`${size} memories: catalog …`);
    const report = await run({ part: 'catalog', size, quick: options.quick, directory: '' });
    rows.push(...rowsOf(size, [report], {}));
  }
  return rows;
}

async function rowsAt(size: number, { quick, say }: SuiteOptions): Promise<Row[]> {
  const directory = benchDirectory();
  const part = (name: Part, doing: string) => {
    say(`${size} memories: ${doing} …`);
    return run({ part: name, size, quick, directory });
  };
  try {
    const fill = await part('fill', 'import');
    const cold = await part('cold', 'start without snapshot');
    const warm = await part('warm', 'start with snapshot, recall, store');
    const host = await part('host', 'the host alone');
    // It needs no database, so that it is the same beside any.
    const catalog = isOnServer() ? [] : [await part('catalog', 'catalog')];
    return rowsOf(size, [fill, cold, over(warm, host), ...catalog], host.samples);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What the agent holds beyond what the host alone holds. */
function over(warm: PartReport, host: PartReport): PartReport {
  const beyond = (name: 'held.heap' | 'held.rss') => {
    const ours = warm.samples[name]?.[0] ?? Number.NaN;
    const alone = host.samples[name]?.[0] ?? Number.NaN;
    return {
      sample: [ours - alone],
      note: `${Math.round(ours)} MB with work memory, ${Math.round(alone)} MB the host alone`,
    };
  };
  const heap = beyond('held.heap');
  const rss = beyond('held.rss');
  return {
    ...warm,
    samples: { ...warm.samples, 'held.heap': heap.sample, 'held.rss': rss.sample },
    notes: { ...warm.notes, 'held.heap': heap.note, 'held.rss': rss.note },
  };
}

function run(request: PartRequest): Promise<PartReport> {
  return inChild(new URL('./child.ts', import.meta.url), request, {
    name: `the ${request.part} bench at ${request.size}`,
    flags: ['--expose-gc'],
  });
}

function rowsOf(size: number, reports: readonly PartReport[], host: Samples): Row[] {
  const blocks = reports.flatMap((report) => report.blocks);
  const notes = Object.assign({}, ...reports.map((report) => report.notes ?? {})) as Partial<
    Record<SampleName, string>
  >;
  return linesFor(size).flatMap(({ name, beside, ...line }) => {
    const ours = reports.flatMap((report) => report.samples[name] ?? []);
    if (ours.length === 0) return [];
    const theirs = beside ? host[name] : undefined;
    const note = notes[name];
    return [
      rowOf({
        ...line,
        at: size,
        ours,
        ...(theirs ? { beside: theirs } : {}),
        ...(note === undefined ? {} : { note }),
        ...(name === 'statement' ? noteOfLong(blocks) : {}),
      }),
    ];
  });
}
