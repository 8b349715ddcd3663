/** What a ranking is worth. Pure. */
import { median, percentile } from '../bench/stats.js';

/** What answers a question: id → gain, above 0. Binary judgements have gain 1. */
export type Relevant = ReadonlyMap<string, number>;

/** One question with what was found for it, best first. */
export interface Ranking {
  found: readonly string[];
  relevant: Relevant;
}

/** Places at which recall is told. */
export const CUTS = [1, 5, 10, 25, 50] as const;
export type Cut = `${(typeof CUTS)[number]}`;

export interface Scores {
  queries: number;
  recall: Record<Cut, number>;
  mrr: number;
  ndcg10: number;
}

export interface Times {
  median: number;
  p95: number;
}

/**
 * Share of the evidence among the first `k`: |found ∩ evidence| / |evidence|. With two pieces of
 * evidence and k = 1 it is therefore 0.5 at most.
 */
export function recallAt(k: number, { found, relevant }: Ranking): number {
  if (relevant.size === 0) return 0;
  const first = new Set(found.slice(0, k));
  let hits = 0;
  for (const id of relevant.keys()) if (first.has(id)) hits++;
  return hits / relevant.size;
}

/** 1 / place of the first piece of evidence; 0 when none was found. */
export function reciprocalRank({ found, relevant }: Ranking): number {
  const place = found.findIndex((id) => relevant.has(id));
  return place === -1 ? 0 : 1 / (place + 1);
}

/**
 * Discounted gain of the first `k` over that of the best order there is: gain / log2(place + 1),
 * gains taken as they are. An id that comes twice counts where it comes first.
 */
export function ndcgAt(k: number, { found, relevant }: Ranking): number {
  const seen = new Set<string>();
  const gains = found.slice(0, k).map((id) => {
    if (seen.has(id)) return 0;
    seen.add(id);
    return relevant.get(id) ?? 0;
  });
  const best = [...relevant.values()].sort((a, b) => b - a).slice(0, k);
  const ideal = discounted(best);
  return ideal === 0 ? 0 : discounted(gains) / ideal;
}

/** Means over questions, each counting the same, rounded to four places. */
export function scoresOf(rankings: readonly Ranking[]): Scores {
  const mean = (score: (ranking: Ranking) => number) =>
    rounded(sum(rankings.map(score)) / Math.max(1, rankings.length), 4);
  const at = (k: number) => mean((ranking) => recallAt(k, ranking));
  return {
    queries: rankings.length,
    recall: { '1': at(1), '5': at(5), '10': at(10), '25': at(25), '50': at(50) },
    mrr: mean(reciprocalRank),
    ndcg10: mean((ranking) => ndcgAt(10, ranking)),
  };
}

/** In the unit of the values; zeros when nothing was timed. */
export function timesOf(values: readonly number[]): Times {
  if (values.length === 0) return { median: 0, p95: 0 };
  const all = [...values];
  return { median: rounded(median(all), 3), p95: rounded(percentile(all, 0.95), 3) };
}

function discounted(gains: readonly number[]): number {
  return sum(gains.map((gain, index) => gain / Math.log2(index + 2)));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function rounded(value: number, places: number): number {
  const scale = 10 ** places;
  return Math.round(value * scale) / scale;
}
