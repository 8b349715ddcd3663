/** `npm run bench -- hints`: what hints cost (DESIGN §13, issue 6), the host's own way beside. */
import { rmSync } from 'node:fs';
import { benchDirectory } from '../agent.js';
import { buildCommands } from '../built.js';
import { inChild } from '../in-child.js';
import { rowsOf } from '../rows.js';
import type { Row, SuiteOptions } from '../stats.js';
import { linesFor } from './lines.js';
import type { Part, PartReport, PartRequest } from './protocol.js';

const SIZES = [5_000];
const QUICK_SIZES = [200];
/** A process starts once; more than one number is worth the time. */
const STARTS = 3;

export async function hintRows(options: SuiteOptions): Promise<Row[]> {
  const sizes = options.sizes ?? (options.quick ? QUICK_SIZES : SIZES);
  const rows: Row[] = [];
  const hasCommand = await builtCommand(options.say);
  for (const size of sizes) rows.push(...(await rowsAt(size, hasCommand, options)));
  return rows;
}

async function rowsAt(
  size: number,
  hasCommand: boolean,
  { quick, say }: SuiteOptions,
): Promise<Row[]> {
  const directory = benchDirectory();
  const part = (name: Part, doing: string) => {
    say(`${size} hints: ${doing} …`);
    return run({ part: name, size, quick, directory, hasCommand });
  };
  try {
    const reports = [await part('room', 'in process')];
    for (let round = 0; round < (quick ? 1 : STARTS); round += 1) {
      reports.push(await part('start', 'start'));
    }
    const host = await part('host', 'the host alone');
    reports.push(await part('listener', 'over HTTP, our listener'));
    reports.push(await part('server', 'over HTTP, an Eliza server'));
    return rowsOf(linesFor(size), { at: size, reports, host: host.samples });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function builtCommand(say: (line: string) => void): Promise<boolean> {
  try {
    await buildCommands(say);
    return true;
  } catch {
    say('there is no built nudge command: its rows are left out');
    return false;
  }
}

function run(request: PartRequest): Promise<PartReport> {
  return inChild(new URL('./child.ts', import.meta.url), request, {
    name: `the ${request.part} bench at ${request.size}`,
  });
}
