/** `cue mcp` as a client starts it: from the start of the process to its answer to `initialize`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { benchDirectory } from '../agent.js';
import { builtBin, nodeIn } from '../built.js';
import { series } from '../clockwork.js';
import type { PartReport, PartRequest } from './protocol.js';

const BIN = builtBin('cue');
const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  },
});

/** On a database that is there already, but has nothing in it. */
export async function starts({ quick }: PartRequest): Promise<PartReport> {
  const directory = benchDirectory();
  const env = {
    ...process.env,
    ...{ HOME: directory, USERPROFILE: directory, NUDGE_PID_DIR: join(directory, 'pid') },
    PGLITE_DATA_DIR: join(directory, 'db'),
  };
  const start = () => answered(env);
  const times = { warmUp: 1, forMs: 120_000 };
  try {
    const node = nodeIn(directory);
    const alone = await series(() => node('--eval', '0'), { ...times, times: quick ? 3 : 10 });
    const primary: number[] = [];
    // The first one makes the database.
    for (let round = 0; round <= (quick ? 1 : 5); round += 1) {
      const { child, tookMs } = await start();
      if (round > 0) primary.push(tookMs);
      await ended(child);
    }
    const serving = await start();
    const proxy: number[] = [];
    for (let round = 0; round <= (quick ? 2 : 10); round += 1) {
      const { child, tookMs } = await start();
      if (round > 0) proxy.push(tookMs);
      await ended(child);
    }
    await ended(serving.child);
    return { samples: { primary, proxy }, beside: { primary: alone, proxy: alone } };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function answered(env: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; tookMs: number }> {
  const from = performance.now();
  const child = spawn(process.execPath, [BIN, 'mcp'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.write(`${INITIALIZE}\n`);
  const lines = createInterface({ input: child.stdout });
  const gone = new AbortController();
  const [line] = await Promise.race([
    once(lines, 'line', { signal: gone.signal }),
    once(child, 'exit', { signal: gone.signal }).then(() => ['it has ended']),
  ]);
  const tookMs = performance.now() - from;
  gone.abort();
  if (!String(line).includes('"serverInfo"')) throw new Error(`cue mcp answered ${line}`);
  return { child, tookMs };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.stdin?.end();
  await exit;
}
