import { describe, expect, it } from 'vitest';
import { builtInModel } from '../../../src/embeddings/index.js';
import {
  answerProbability,
  hitProbability,
  wordSigns,
} from '../../../src/memory/recall/confidence.js';

const shelf = (size: number, ...words: string[]) => ({
  size,
  documentFrequency: (term: string) => (words.includes(term) ? 1 : 0),
});
const terms = (...words: string[]) => new Map(words.map((word) => [word, 1]));
const signsIn = (store: ReturnType<typeof shelf>, phrase = 0) =>
  wordSigns(store, 'the moon of thing', terms('moon', 'thing'), builtInModel(), phrase);

describe('the words of a question', () => {
  it('weigh more when they are rare in the language, and others than those searched weigh nothing', () => {
    const rare = signsIn(shelf(10, 'moon'));
    const common = signsIn(shelf(10, 'thing'));
    expect(rare.known).toBeGreaterThan(common.known);
    expect(rare.known).toBeCloseTo(common.unknown);
    expect(signsIn(shelf(10, 'moon', 'thing')).unknown).toBe(0);
  });

  it('are known to a memory whose phrase has them', () => {
    const { known, unknown } = signsIn(shelf(10), 1);
    expect([known > 1, unknown]).toEqual([true, 0]);
  });
});

describe('the probability of an answer', () => {
  const signs = { known: 1.2, unknown: 0.6, like: 0.5, alike: 0.4, size: Math.log1p(50) };
  const of = (more: Partial<typeof signs>, hasBeside = true) =>
    answerProbability({ ...signs, ...more }, hasBeside, null, 50).probability;

  it('rises with every sign of one, with and without the built-in model', () => {
    for (const hasBeside of [true, false]) {
      expect(of({ known: 2 }, hasBeside)).toBeGreaterThan(of({}, hasBeside));
      expect(of({ like: 1 }, hasBeside)).toBeGreaterThan(of({}, hasBeside));
    }
    expect(of({ alike: 0.7 })).toBeGreaterThan(of({}));
  });

  it('is less where unrelated questions come as near, in a large store above all', () => {
    const among = (usual: number | null, size: number) =>
      answerProbability(signs, true, usual, size).probability;
    expect(among(-0.5, 5_000)).toBeLessThan(among(-1.5, 5_000));
    expect(among(-0.5, 5_000)).toBeLessThan(among(-0.5, 50));
    expect(among(-9, 5_000)).toBe(among(null, 5_000));
  });

  it('is not lowered by the size of a large store', () => {
    expect(signsIn(shelf(1_000_000)).size).toBe(signsIn(shelf(200)).size);
    expect(signsIn(shelf(20)).size).toBeLessThan(signsIn(shelf(200)).size);
  });

  it('is shared out among hits, and none is as sure as a fact', () => {
    const best = { score: 1, runnerUp: 0.3 };
    expect(hitProbability(0.5, best)).toBeLessThan(0.5);
    expect(hitProbability(0.5, { ...best, score: 0.4 })).toBeLessThan(hitProbability(0.5, best));
    expect(hitProbability(0.5, { ...best, runnerUp: 0.9 })).toBeLessThan(hitProbability(0.5, best));
    expect(hitProbability(1, best)).toBeLessThan(0.9);
  });
});
