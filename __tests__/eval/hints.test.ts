/** Offers of hints as the evaluation judges them: a turn is right, wrong or open. */
import { describe, expect, it } from 'vitest';
import {
  baseline,
  type HintProject,
  measureOffers,
  offererBy,
  readProjects,
} from '../../eval/hints/offers/measure.js';

const PROJECT: HintProject = {
  project: 'a mill',
  hints: [
    { id: 'h1', component: 'mill', key: 'build', value: 'make mill', tags: [] },
    { id: 'h2', component: 'mill', key: 'test', value: 'make check', tags: [] },
  ],
  turns: [
    { kind: 'message', text: 'Build mill', want: ['h1'], may: [], level: 'near' },
    { kind: 'message', text: 'The wind is fine today', want: [], may: [], level: 'none' },
    { kind: 'action_completed', text: 'build mill', want: [], may: [], level: 'tempting' },
  ],
};

describe('the evaluation of offered hints', () => {
  it('asks the real detector, which is silent about what went well', async () => {
    expect(await offererBy()(PROJECT)).toEqual([['h1'], [], []]);
    expect(await baseline(PROJECT)).toEqual([['h1'], [], []]);
  });

  it('counts what is right, wrong and missed, and nothing for what may come', async () => {
    const [first] = PROJECT.turns;
    if (!first) throw new Error('no turn');
    const project = {
      ...PROJECT,
      turns: [first, { ...first, want: ['h2'] }, { ...first, want: ['h2'], may: ['h1'] }],
    };
    const rates = await measureOffers([project], offererBy());
    expect(rates).toMatchObject({ turns: 3, wanted: 3, right: 1, wrong: 1, precision: 0.5 });
    expect(rates.recall).toBeCloseTo(1 / 3);
    expect(rates.falseAlarmsPer100).toBeCloseTo(100 / 3);
    expect(rates.levels.near).toEqual({ turns: 3, wanted: 3, right: 1, wrong: 1 });
  });

  it('names only hints that the project has', () => {
    for (const { hints, turns } of readProjects()) {
      const ids = new Set(hints.map(({ id }) => id));
      for (const { want, may } of turns) {
        expect([...want, ...may].filter((id) => !ids.has(id))).toEqual([]);
      }
    }
  });
});
