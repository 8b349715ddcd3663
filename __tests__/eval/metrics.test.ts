import { describe, expect, it } from 'vitest';
import { createBm25, termsOf } from '../../eval/bm25.js';
import { ndcgAt, recallAt, reciprocalRank, scoresOf, timesOf } from '../../eval/metrics.js';

const binary = (...ids: string[]) => new Map(ids.map((id) => [id, 1]));

describe('recall@k', () => {
  it('is the share of the evidence among the first k', () => {
    const ranking = { found: ['a', 'x', 'b', 'y', 'c'], relevant: binary('a', 'b', 'c', 'd') };
    expect(recallAt(1, ranking)).toBe(0.25);
    expect(recallAt(3, ranking)).toBe(0.5);
    expect(recallAt(5, ranking)).toBe(0.75);
    expect(recallAt(50, ranking)).toBe(0.75);
  });

  it('counts an id once, however often it was found', () => {
    expect(recallAt(3, { found: ['a', 'a', 'a'], relevant: binary('a', 'b') })).toBe(0.5);
  });

  it('is 0 where nothing is relevant', () => {
    expect(recallAt(5, { found: ['a'], relevant: new Map() })).toBe(0);
  });
});

describe('reciprocal rank', () => {
  it('is one over the place of the first piece of evidence', () => {
    expect(reciprocalRank({ found: ['x', 'y', 'z', 'b', 'a'], relevant: binary('a', 'b') })).toBe(
      0.25,
    );
    expect(reciprocalRank({ found: ['a'], relevant: binary('a') })).toBe(1);
    expect(reciprocalRank({ found: ['x'], relevant: binary('a') })).toBe(0);
  });
});

describe('nDCG@k', () => {
  it('discounts by the logarithm of the place', () => {
    // 1/log2(3) + 1/log2(5) over 1/log2(2) + 1/log2(3) = (0.63093 + 0.43068) / 1.63093
    const ranking = { found: ['x', 'a', 'y', 'b'], relevant: binary('a', 'b') };
    expect(ndcgAt(10, ranking)).toBeCloseTo(0.65092, 5);
    expect(ndcgAt(3, ranking)).toBeCloseTo(0.38685, 5);
  });

  it('takes gains as they are and compares with the best order of them', () => {
    // 1 + 3/log2(3) over 3 + 1/log2(3) = 2.89279 / 3.63093
    const relevant = new Map([
      ['good', 3],
      ['fair', 1],
    ]);
    expect(ndcgAt(10, { found: ['fair', 'good'], relevant })).toBeCloseTo(0.79671, 5);
    expect(ndcgAt(10, { found: ['good', 'fair'], relevant })).toBe(1);
  });

  it('measures against the best k, not against all the evidence', () => {
    expect(ndcgAt(1, { found: ['a'], relevant: binary('a', 'b', 'c') })).toBe(1);
  });

  it('gives nothing for finding the same again', () => {
    const ranking = { found: ['a', 'a'], relevant: binary('a', 'b') };
    expect(ndcgAt(10, ranking)).toBeCloseTo(1 / 1.63093, 5);
  });
});

describe('scores of a set', () => {
  it('are means over questions, each counting the same', () => {
    const scores = scoresOf([
      { found: ['a', 'x'], relevant: binary('a') },
      { found: ['x', 'c'], relevant: binary('c', 'd', 'e') },
    ]);
    expect(scores).toEqual({
      queries: 2,
      recall: { '1': 0.5, '5': 0.6667, '10': 0.6667, '25': 0.6667, '50': 0.6667 },
      mrr: 0.75,
      // (1 + 0.63093 / 2.13093) / 2
      ndcg10: 0.648,
    });
  });

  it('are zeros for no questions', () => {
    expect(scoresOf([])).toMatchObject({ queries: 0, mrr: 0, ndcg10: 0 });
  });

  it('give the middle and the nearest-rank 95th percentile of times', () => {
    const values = Array.from({ length: 20 }, (_, index) => 20 - index);
    expect(timesOf(values)).toEqual({ median: 10.5, p95: 19 });
    expect(timesOf([])).toEqual({ median: 0, p95: 0 });
  });
});

describe('plain BM25', () => {
  it('reads words without stop words, in lower case, stemmed', () => {
    expect(termsOf('The running of 3 Tests, tested')).toEqual(['run', '3', 'test', 'test']);
  });

  it('ranks rare words above common ones and shorter texts above longer ones', () => {
    const search = createBm25([
      { id: 'long', text: 'redis cache cache holds seats while somebody pays for the ferry' },
      { id: 'short', text: 'redis holds' },
      { id: 'other', text: 'cache of pictures' },
      { id: 'third', text: 'cache of maps' },
    ]);
    expect(search('redis', 10)).toEqual(['short', 'long']);
    expect(search('redis cache', 10)).toEqual(['short', 'long', 'other', 'third']);
    expect(search('redis cache', 1)).toEqual(['short']);
    expect(search('unknown', 10)).toEqual([]);
  });

  it('scores with k1 1.2 and b 0.75', () => {
    // idf of b is ln(1 + 1.5/1.5) = 0.693 and of a ln(1 + 0.5/2.5) = 0.182: two of a weigh
    // 0.182 * 4.4 / 3.2 = 0.251, less than one of b.
    const search = createBm25([
      { id: 'twice', text: 'aa aa' },
      { id: 'once', text: 'aa bb' },
    ]);
    expect(search('aa', 2)).toEqual(['twice', 'once']);
    expect(search('aa bb', 2)).toEqual(['once', 'twice']);
  });
});
