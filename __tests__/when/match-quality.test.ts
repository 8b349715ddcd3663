/** What `npm run eval -- when` measures on the set of the repository, held to what was reached. */
import { beforeAll, describe, expect, it } from 'vitest';
import { readDataset } from '../../eval/when/dataset.js';
import { evaluate, type WhenEvaluation } from '../../eval/when/measure.js';

let result: WhenEvaluation;
beforeAll(async () => {
  result = await evaluate(readDataset());
});

const ours = () => result.ours;

describe('paraphrases, without a model', () => {
  it('are found no less often than reached, and more often than by plain BM25', () => {
    expect(ours().recall['1']).toBeGreaterThanOrEqual(0.755);
    expect(ours().recall['5']).toBeGreaterThanOrEqual(0.86);
    expect(ours().recall['10']).toBeGreaterThanOrEqual(0.91);
    expect(ours().mrr).toBeGreaterThan(result.bm25.mrr + 0.02);
  });

  it('that share a word with the entry or its section are nearly always among the first five', () => {
    expect(ours().byKind.light?.recall['1']).toBeGreaterThanOrEqual(0.98);
    expect(ours().byKind.light?.recall['5']).toBe(1);
    expect(ours().byKind.medium?.recall['1']).toBeGreaterThanOrEqual(0.85);
    expect(ours().byKind.medium?.recall['5']).toBeGreaterThanOrEqual(0.975);
  });

  it('that share hardly a word are among the first ten more often than not', () => {
    expect(ours().byKind.hard?.recall['10']).toBeGreaterThanOrEqual(0.55);
  });
});

describe('confidence', () => {
  it('gives right answers and refuses questions that nothing is about', () => {
    // A larger part of the first answers is right than of plain BM25, and the new ones are less sure.
    expect(ours().floor.rightGiven).toBeGreaterThanOrEqual(0.87);
    expect(ours().floor.unrelatedRefused).toBeGreaterThanOrEqual(0.91);
  });

  it('means about the share of right answers', () => {
    for (const { answers, meanConfidence, right } of ours().calibration) {
      if (answers >= 20) expect(Math.abs(meanConfidence - right)).toBeLessThan(0.2);
    }
  });

  it('of an unasked offer is high enough that nearly all offers are right', () => {
    expect(ours().offers?.precision).toBeGreaterThanOrEqual(0.9);
    expect(ours().offers?.recall).toBeGreaterThanOrEqual(0.5);
  });
});
