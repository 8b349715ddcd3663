/** From the start of `cue mcp` to its answer to `initialize`, and from the end of one to the answer of another. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchDirectory } from '../agent.js';
import { nodeIn } from '../built.js';
import { series } from '../clockwork.js';
import { startBridge } from './bridge.js';
import type { PartReport, PartRequest } from './protocol.js';
import { takeovers } from './takeovers.js';

/** On a database that is there already, but has nothing in it. */
export async function starts({ quick }: PartRequest): Promise<PartReport> {
  const directory = benchDirectory();
  const env = {
    ...process.env,
    ...{ HOME: directory, USERPROFILE: directory, NUDGE_PID_DIR: join(directory, 'pid') },
    PGLITE_DATA_DIR: join(directory, 'db'),
  };
  const start = () => startBridge(env);
  const times = { warmUp: 1, forMs: 120_000 };
  try {
    const node = nodeIn(directory);
    const alone = await series(() => node('--eval', '0'), { ...times, times: quick ? 3 : 10 });
    const primary: number[] = [];
    // The first one makes the database.
    for (let round = 0; round <= (quick ? 1 : 5); round += 1) {
      const { tookMs, end } = await start();
      if (round > 0) primary.push(tookMs);
      await end();
    }
    const serving = await start();
    const proxy: number[] = [];
    for (let round = 0; round <= (quick ? 2 : 10); round += 1) {
      const { tookMs, end } = await start();
      if (round > 0) proxy.push(tookMs);
      await end();
    }
    await serving.end();
    const takeover = await takeovers(env, quick ? 2 : 6);
    return { samples: { primary, proxy, takeover }, beside: { primary: alone, proxy: alone } };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
