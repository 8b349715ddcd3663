/**
 * `npm run bench -- processes`: what each of our processes takes of the processor and of memory (issue 18
 * point 3), Node with nothing to do beside it. CPU time: a machine on which an agent waits is a busy one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Uuid } from '../../src/shared/ids.js';
import { benchDirectory } from '../agent.js';
import { buildCommands, builtBin, nodeIn } from '../built.js';
import { delay } from '../clockwork.js';
import { startBridge } from '../mcp/bridge.js';
import { fileOf } from '../memory/questions.js';
import { draftAt, lineAt } from '../memory/workload.js';
import { median, type Row, rowOf, type SuiteOptions } from '../stats.js';
import { writeFolder } from '../when/on-disk.js';
import { asked, folderOf } from '../when/workload.js';
import { LINES, type Name } from './lines.js';

const SIZES = [5_000];
const QUICK_SIZES = [200];
const ENTRIES = 400;
const TELL = fileURLToPath(new URL('./tell-cpu.cjs', import.meta.url));
/** Stamps of files are believed two seconds after their last change. */
const SETTLED_MS = 2_500;

type Samples = Record<Name, number[]>;

export async function processRows({ quick, say, ...options }: SuiteOptions): Promise<Row[]> {
  const rows: Row[] = [];
  await buildCommands(say);
  for (const size of options.sizes ?? (quick ? QUICK_SIZES : SIZES)) {
    const directory = benchDirectory();
    try {
      const { samples, alone } = await measured(directory, size, { quick, say });
      for (const { name, isOver, ...line } of LINES) {
        const ours = samples[name].map((value) => (isOver ? value - median(alone) : value));
        const beside = line.unit === 'MB' || isOver ? {} : { beside: alone };
        rows.push(rowOf({ ...line, id: `processes.${name}`, at: size, ours, ...beside }));
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  return rows;
}

async function measured(
  directory: string,
  size: number,
  { quick, say }: Pick<SuiteOptions, 'quick' | 'say'>,
): Promise<{ samples: Samples; alone: number[] }> {
  const times = quick ? 3 : 30;
  const env = {
    ...process.env,
    ...{ HOME: directory, USERPROFILE: directory, NUDGE_PID_DIR: join(directory, 'pid') },
    ...{ PGLITE_DATA_DIR: join(directory, 'db'), CLAUDE_PROJECT_DIR: join(directory, 'project') },
    ...{ CUE_HOOK_BUDGET_MS: '10000' },
  };
  const samples = Object.fromEntries(LINES.map(({ name }) => [name, []])) as unknown as Samples;

  say(`${size} memories: filled …`);
  const first = await startBridge(env);
  await fill(directory, size, env);
  await first.end();

  say(`${size} memories: cue mcp …`);
  for (let round = 0; round <= (quick ? 1 : 7); round += 1) {
    const { used, end } = await startBridge(env, true);
    await end();
    const [greeted, recalled] = [used[0], used.at(-1)];
    // The first one warms up.
    if (round === 0 || !greeted || !recalled) continue;
    samples['mcp.initialize'].push(greeted.cpuMs);
    samples['mcp.recall'].push(recalled.cpuMs - greeted.cpuMs);
    samples['mcp.resident'].push(recalled.residentMb);
  }

  say(`${ENTRIES} entries: commands …`);
  const project = join(directory, 'project');
  mkdirSync(project);
  writeFolder(folderOf(ENTRIES), project);
  await delay(SETTLED_MS);
  const serving = await startBridge(env);
  try {
    return await commandsIn(project, size, { env, times, samples });
  } finally {
    await serving.end();
  }
}

interface Measuring {
  env: NodeJS.ProcessEnv;
  times: number;
  samples: Samples;
}

/** Of the commands that ask whoever serves, or the files of the project; beside them Node alone. */
async function commandsIn(
  project: string,
  size: number,
  { env, times, samples }: Measuring,
): Promise<{ samples: Samples; alone: number[] }> {
  const alone: number[] = [];
  const cpuOf = cpuIn(project, env);
  const ask = asked(folderOf(ENTRIES), 'commands');
  const cue = builtBin('cue');
  const nudge = builtBin('nudge');
  await nodeIn(project, env)(nudge, 'set', 'api', 'port', '8080', '--ttl', 'P1D');
  const reading = (at: number) => ({
    ...{ session_id: `file ${at}`, cwd: project, hook_event_name: 'PreToolUse', tool_name: 'Read' },
    tool_input: { file_path: join(project, fileOf(draftAt(size - 1 - at))) },
  });
  for (let round = 0; round <= times; round += 1) {
    const took = {
      alone: await cpuOf(['--eval', '0']),
      hook: await cpuOf([cue, 'hook'], JSON.stringify(reading(round))),
      'nudge.get': await cpuOf([nudge, 'get', 'api', 'port', '--json']),
      'when.exact': await cpuOf([cue, 'when', '--no-usage', ask.exact()]),
      'when.content': await cpuOf([cue, 'when', '--no-usage', ask.hybrid()]),
    };
    // The first ones warm up, and keep the index.
    if (round === 0) continue;
    alone.push(took.alone);
    for (const name of ['hook', 'nudge.get', 'when.exact', 'when.content'] as const) {
      samples[name].push(took[name]);
    }
  }
  return { samples, alone };
}

/** By the command that people use, from the agent that serves. */
async function fill(directory: string, size: number, env: NodeJS.ProcessEnv): Promise<void> {
  const run = nodeIn(directory, env);
  const { stdout } = await run(builtBin('cue'), 'status', '--json');
  const { server } = JSON.parse(stdout) as { server: { agent_id: Uuid } };
  const path = join(directory, 'memories.jsonl');
  const lines = Array.from({ length: size }, (_, at) => lineAt(at, size, server.agent_id));
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  await run(builtBin('cue'), 'import', path);
  for (;;) {
    const { stdout: told } = await run(builtBin('cue'), 'status');
    // Vectors are made in the background.
    if (!told.includes('some records have no vector')) return;
    await delay(500);
  }
}

/** CPU time of Node with these arguments, ms. @throws Error where it does not end with 0 */
function cpuIn(cwd: string, env: NodeJS.ProcessEnv) {
  return async (args: readonly string[], stdin = ''): Promise<number> => {
    const child = spawn(process.execPath, ['--require', TELL, ...args], {
      ...{ cwd, env, stdio: ['pipe', 'pipe', 2, 'pipe'] },
    });
    let cpu = '';
    child.stdout?.resume();
    child.stdio[3]?.on('data', (text) => {
      cpu += text;
    });
    child.stdin?.end(stdin);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
    return Number(cpu);
  };
}
