/** `npm run bench -- <suite>`: measures, prints a table, or with `--json` only the numbers. */
import { cpus, totalmem } from 'node:os';
import { readArguments, USAGE } from './arguments.js';
import { hintRows } from './hints/suite.js';
import { mcpRows } from './mcp/suite.js';
import { memoryRows } from './memory/suite.js';
import { panelRows } from './panel/suite.js';
import { proactiveRows } from './proactive/suite.js';
import { processRows } from './processes/suite.js';
import { scaleRows } from './scale/suite.js';
import {
  type BenchResult,
  type Machine,
  type Row,
  type SuiteOptions,
  sideBySide,
} from './stats.js';
import { tableOf } from './table.js';
import { triggerRows } from './triggers/suite.js';
import { whenRows } from './when/suite.js';

const SUITES: Record<string, (options: SuiteOptions) => Promise<Row[]>> = {
  triggers: triggerRows,
  memory: memoryRows,
  proactive: proactiveRows,
  when: whenRows,
  hints: hintRows,
  mcp: mcpRows,
  panel: panelRows,
  processes: processRows,
  scale: scaleRows,
};

function machine(): Machine {
  const [first] = cpus();
  return {
    cpu: first?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
  };
}

/** The host is imported only here, and prints nothing: stdout is for the result. */
async function besidePostgres(rows: Row[], again: () => Promise<Row[]>): Promise<Row[]> {
  process.env.LOG_LEVEL = 'fatal';
  const { onPostgres } = await import('./postgres.js');
  return sideBySide(rows, await onPostgres(again));
}

async function main(): Promise<number> {
  let options: ReturnType<typeof readArguments>;
  try {
    options = readArguments(process.argv.slice(2), Object.keys(SUITES));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    return 2;
  }
  const suite = SUITES[options.suite];
  if (!suite) return 2;
  const say = (line: string) => console.error(line);
  const onPglite = await suite({ ...options, say });
  const rows = options.postgres
    ? await besidePostgres(onPglite, () => suite({ ...options, catalog: [], say }))
    : onPglite;
  const result: BenchResult = { rows, machine: machine() };
  if (!options.json) console.log(`${tableOf(result)}\n`);
  console.log(JSON.stringify(result, null, options.json ? 2 : 0));
  return 0;
}

process.exitCode = await main();
