/** `npm run bench -- mcp`: what MCP adds to what it serves (DESIGN §13, issue 7). */
import { buildCommands } from '../built.js';
import { inChild } from '../in-child.js';
import { type Row, rowOf, type SuiteOptions } from '../stats.js';
import { linesFor } from './lines.js';
import type { Part, PartReport, PartRequest, SampleName, Samples } from './protocol.js';

const SIZES = [10_000];
const QUICK_SIZES = [200];

export async function mcpRows({ quick, say, ...options }: SuiteOptions): Promise<Row[]> {
  const sizes = options.sizes ?? (quick ? QUICK_SIZES : SIZES);
  const rows: Row[] = [];
  await buildCommands(say);
  for (const size of sizes) {
    const part = (name: Part, doing: string) => {
      say(`${size} memories: ${doing} …`);
      return run({ part: name, size, quick });
    };
    const reports = [
      await part('served', 'asked over HTTP'),
      await part('starts', 'cue mcp'),
      await part('recoveries', 'cue mcp beside busy processes'),
    ];
    rows.push(...rowsOf(size, reports));
  }
  return rows;
}

function run(request: PartRequest): Promise<PartReport> {
  return inChild(new URL('./child.ts', import.meta.url), request, {
    name: `the ${request.part} bench at ${request.size}`,
  });
}

function rowsOf(size: number, reports: readonly PartReport[]): Row[] {
  const all = (name: SampleName, from: (report: PartReport) => Samples | undefined) =>
    reports.flatMap((report) => from(report)?.[name] ?? []);
  return linesFor(size).flatMap(({ name, ...line }) => {
    const ours = all(name, ({ samples }) => samples);
    const beside = all(name, (report) => report.beside);
    if (ours.length === 0) return [];
    return [rowOf({ ...line, at: size, ours, ...(beside.length > 0 ? { beside } : {}) })];
  });
}
