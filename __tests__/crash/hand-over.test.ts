/** Many hand-overs from a headless agent that is writing to an Eliza server, and sudden deaths after them. */
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { cleanUp, newDirectory } from '../helpers/children.js';
import { chance, inStorm, seedOfRun } from '../helpers/crash-stage.js';
import { expectSound, handOver, headlessOn, keysIn } from '../helpers/hand-over.js';
import { endHeadlessProcesses } from '../helpers/headless.js';

const seed = seedOfRun();
const below = chance(seed + 61);
process.stdout.write(`CUE_CRASH_SEED=${seed} repeats these hand-overs\n`);

const ROUNDS = inStorm(5);

afterAll(async () => {
  await endHeadlessProcesses();
  await cleanUp();
});

it(`nothing that was acknowledged is lost in ${ROUNDS} hand-overs (seed ${seed})`, async () => {
  const dataDir = join(newDirectory(), 'db');
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const headless = await headlessOn(dataDir);
    const handed = await handOver(headless, dataDir, {
      delayMs: below(400),
      name: `round-${round}`,
      kind: 'server',
    });
    const { agent } = handed;
    acknowledged.push(...handed.acknowledged);
    const ask = (statement: string) => agent.call('rows', statement);
    const keys = new Set(await keysIn(ask));
    expect(acknowledged.filter((key) => !keys.has(key))).toEqual([]);
    if (below(2) === 0) await ask('checkpoint');
    // The headless process ends before or after the server, politely or not.
    if (below(2) === 0) headless.signal(below(2) === 0 ? 'SIGKILL' : 'SIGTERM');
    await (below(3) === 0 ? agent.call('exit') : agent.kill('SIGKILL'));
    await agent.ended;
    headless.signal('SIGKILL');
    await headless.ended;
  }
  const last = await headlessOn(dataDir);
  const keys = new Set(await keysIn(last.rows));
  expect(acknowledged.filter((key) => !keys.has(key))).toEqual([]);
  await expectSound(last.rows);
});
