/** Whoever serves is killed beside processes that never rest (issue 7). */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchDirectory } from '../agent.js';
import { delay } from '../clockwork.js';
import { type Bridge, startBridge } from './bridge.js';
import type { PartReport, PartRequest, SampleName, Samples } from './protocol.js';
import { servingOf } from './takeovers.js';

const BUSY = 8;
const OTHERS = 2;
/** Until what follows a start has come to rest, ms. */
const REST_MS = 1_000;
/** Until what would take a server's place is loaded, ms. */
const PREPARED_MS = 5_000;
const CALL = { name: 'recall', arguments: { query: 'what was done last' } };

/** As `takeovers`, but each new one is first left alone for a while, as between two kills of a day. */
export async function recoveries({ quick }: PartRequest): Promise<PartReport> {
  const directory = benchDirectory();
  const env = {
    ...process.env,
    ...{ HOME: directory, USERPROFILE: directory, NUDGE_PID_DIR: join(directory, 'pid') },
    ...{ PGLITE_DATA_DIR: join(directory, 'db'), CUE_MCP_TOOLS: 'all' },
  };
  const samples: Samples = {};
  const add = (name: SampleName, value: number): void => {
    samples[name] = [...(samples[name] ?? []), value];
  };
  const others: Bridge[] = [];
  try {
    let serving = await startBridge(env);
    for (let round = quick ? 2 : 20; round > 0; round -= 1) {
      while (others.length < OTHERS) others.push(await prepared(env));
      await delay(REST_MS);
      await recovery(serving, others, add);
      serving = await servingOf(others);
      others.splice(others.indexOf(serving), 1);
    }
    for (const one of [...others, serving]) await one.end();
    return { samples };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A client that lists the tools, as each does. */
async function prepared(env: NodeJS.ProcessEnv): Promise<Bridge> {
  const bridge = await startBridge(env);
  await bridge.ask('tools/list', {});
  await delay(PREPARED_MS);
  return bridge;
}

async function recovery(
  serving: Bridge,
  others: readonly Bridge[],
  add: (name: SampleName, value: number) => void,
): Promise<void> {
  const busy = Array.from({ length: BUSY }, () =>
    spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    await Promise.all(busy.map((one) => once(one, 'spawn')));
    await delay(REST_MS);
    const cpuBefore = cpuOf(others);
    const exit = once(serving.child, 'exit');
    const killedMs = performance.timeOrigin + performance.now();
    serving.child.kill('SIGKILL');
    const answeredMs = await Promise.all(
      others.map(async (other) => {
        await other.ask('tools/call', CALL);
        return performance.timeOrigin + performance.now();
      }),
    );
    add('recovery', Math.max(...answeredMs) - killedMs);
    const cpuAfter = cpuOf(others);
    if (cpuBefore !== null && cpuAfter !== null) add('recovery.cpu', cpuAfter - cpuBefore);
    await exit;
  } finally {
    await Promise.all(busy.map(ended));
  }
}

/** CPU time so far, ms; `null` where the system does not say. */
function cpuOf(bridges: readonly Bridge[]): number | null {
  try {
    return bridges.reduce((sum, { child }) => {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return sum + (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
    }, 0);
  } catch {
    return null;
  }
}

/** Linux counts in hundredths of a second. */
const MS_PER_TICK = 10;

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
