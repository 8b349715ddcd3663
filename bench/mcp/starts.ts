/** From the start of `cue mcp` to its first answers, and from the end of one to the answer of another. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchDirectory } from '../agent.js';
import { nodeIn } from '../built.js';
import { series } from '../clockwork.js';
import { startBridge } from './bridge.js';
import type { PartReport, PartRequest, Samples } from './protocol.js';
import { takeovers } from './takeovers.js';

type StartRow = 'primary' | 'primary.recall' | 'proxy' | 'proxy.recall';

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
    const samples: Required<Pick<Samples, StartRow>> = {
      ...{ primary: [], 'primary.recall': [], proxy: [], 'proxy.recall': [] },
    };
    const measure = async (role: 'primary' | 'proxy', rounds: number): Promise<void> => {
      // The first one makes the database, or warms up.
      for (let round = 0; round <= rounds; round += 1) {
        const { greetedMs, recalledMs, end } = await start();
        if (round > 0) {
          samples[role].push(greetedMs);
          samples[`${role}.recall`].push(recalledMs);
        }
        await end();
      }
    };
    await measure('primary', quick ? 1 : 5);
    const serving = await start();
    await measure('proxy', quick ? 2 : 10);
    await serving.end();
    const takeover = await takeovers(env, quick ? 2 : 6);
    return { samples: { ...samples, takeover }, beside: { primary: alone, proxy: alone } };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
