/** Imports of work memories that die at ten random moments. */
import { afterAll, describe, it } from 'vitest';
import { cleanUp } from '../helpers/children.js';
import { chance, seedOfRun } from '../helpers/crash-stage.js';
import { surviveKills } from '../helpers/memory-kills.js';

const seed = seedOfRun();
const below = chance(seed + 3);
process.stdout.write(`CUE_CRASH_SEED=${seed} repeats these imports\n`);

afterAll(cleanUp);

describe('an import of 800 memories', () => {
  it(`is whole after ten kills (CUE_CRASH_SEED=${seed})`, async () => {
    const kills = Array.from({ length: 10 }, () => below(1_500));
    await surviveKills(seed, 800, kills);
  });
});
