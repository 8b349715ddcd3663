/** Thirty deaths, sixty in a storm: at every step of a dispatch and at any other time, also while recovering. */
import { afterAll, describe, expect, it } from 'vitest';
import { cleanUp, until } from '../helpers/children.js';
import {
  chance,
  closeStage,
  type Death,
  deathOf,
  inStorm,
  isIdle,
  OCCURRENCES,
  openStage,
  restart,
  round,
  runsOf,
  type Stage,
  seedOfRun,
} from '../helpers/crash-stage.js';

const seed = seedOfRun();
process.stdout.write(`CUE_CRASH_SEED=${seed} repeats these deaths\n`);

afterAll(cleanUp);

const STEPS = ['claimed', 'injected', 'answered', 'delivered', 'recorded'] as const;
/** After its send handler has sent, and before that is recorded, nobody can know: see `held`. */
const STEPS_OF_A_PLATFORM = STEPS.filter((step) => step !== 'delivered');

/** Ten deaths: seven at a step of a random occurrence, one at any time, one that takes two. */
async function tenDeaths(
  stage: Stage,
  steps: readonly (typeof STEPS)[number][],
  below: (limit: number) => number,
): Promise<void> {
  for (let n = 0; n < 7; n += 1) {
    const step = steps[n % steps.length] ?? 'claimed';
    await round(stage, { step, count: 1 + below(OCCURRENCES) });
  }
  await round(stage, { afterMs: below(5_000) });
  const last: Death = { step: steps[below(steps.length)] ?? 'claimed', count: 1 + below(3) };
  await round(stage, last, { alsoDieAfterMs: [1_500 + below(4_000)] });
}

describe('an agent on its own database', () => {
  for (const [n, salt] of [11, 22, 33, 44].slice(0, inStorm(2)).entries()) {
    it(`deaths ${10 * n + 1} to ${10 * n + 10} (CUE_CRASH_SEED=${seed})`, async () => {
      const stage = await openStage('bare');
      await tenDeaths(stage, STEPS_OF_A_PLATFORM, chance(seed + salt));
      await closeStage(stage);
    });
  }
});

it('six deaths count against the runs whose turn it was, not against those behind them in the room', async () => {
  const stage = await openStage('bare');
  const { roomId, entityId } = await stage.agent.call('chat', 'neighbours');
  await stage.agent.call('arm', { step: 'injected' });
  const made = await stage.agent.call(
    'createMany',
    Array.from({ length: 4 }, (_, n) => ({
      instructions: `neighbour ${n}`,
      displayName: `neighbour ${n}`,
      schedule: { triggerType: 'once', inMs: 1_000 },
      originRoomId: roomId,
      creatorEntityId: entityId,
    })),
  );
  for (let death = 1; death <= 5; death += 1) {
    await deathOf(stage, `death ${death}`);
    await restart(stage, { die: { step: 'injected' } });
  }
  await deathOf(stage, 'the last death');
  await restart(stage);
  await stage.agent.ready;
  await until('all are over', async () => (isIdle(await stage.agent.call('health')) ? true : null));
  const runs = await Promise.all(
    made.created.map(async ({ triggerId }) => (await runsOf(stage, triggerId)).at(-1)),
  );
  // Which of them comes first is chance; each death is counted once.
  const deaths = runs.map((run) => run?.takeovers ?? 0);
  expect(deaths.reduce((sum, n) => sum + n, 0)).toBe(6);
  expect(runs.map((run) => run?.status)).toEqual(
    deaths.map((n) => (n === 6 ? 'failed' : 'success')),
  );
  await stage.agent.kill();
});

describe('an agent of an Eliza server', () => {
  for (const [n, salt] of [55, 66].slice(0, inStorm(1)).entries()) {
    it(`deaths ${10 * n + 41} to ${10 * n + 50} (CUE_CRASH_SEED=${seed})`, async () => {
      const stage = await openStage('server');
      await tenDeaths(stage, STEPS, chance(seed + salt));
      await closeStage(stage);
    });
  }
});
