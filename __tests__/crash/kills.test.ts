/** Sixty deaths: at every step of a dispatch and at any other time, also while recovering. */
import { afterAll, describe, it } from 'vitest';
import { cleanUp } from '../helpers/children.js';
import {
  chance,
  closeStage,
  type Death,
  OCCURRENCES,
  openStage,
  round,
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
  for (const [n, salt] of [11, 22, 33, 44].entries()) {
    it(`deaths ${10 * n + 1} to ${10 * n + 10} (CUE_CRASH_SEED=${seed})`, async () => {
      const stage = await openStage('bare');
      await tenDeaths(stage, STEPS_OF_A_PLATFORM, chance(seed + salt));
      await closeStage(stage);
    });
  }
});

describe('an agent of an Eliza server', () => {
  for (const [n, salt] of [55, 66].entries()) {
    it(`deaths ${10 * n + 41} to ${10 * n + 50} (CUE_CRASH_SEED=${seed})`, async () => {
      const stage = await openStage('server');
      await tenDeaths(stage, STEPS, chance(seed + salt));
      await closeStage(stage);
    });
  }
});
