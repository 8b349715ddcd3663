/**
 * How words, likeness, neighbours and small signs become one order. Pure: scores in, order out.
 *
 * Fused by scores scaled to their best, not by rank: reciprocal rank fusion was measured on three
 * sets and lost on all of them, because it forgets how far the first hit stands before the rest
 * (docs/recall.md has the numbers).
 */

/** Most a neighbour passes on, and how that fades with distance; in a shelf that talks in threads. */
const NEIGHBOUR = 0.7;
const FADING = 0.75;
const REACH = 5;
/** Continuity from which neighbours count fully. */
const THREADED = 0.04;
/** Texts longer than so many words stand for themselves. */
const SHORT_TEXT = 25;

/** Weight of the vector search beside the keyword search, by how much its model knows. */
export const VECTOR_WEIGHTS: readonly [prefix: string, weight: number][] = [
  ['lexical', 0.15],
  ['static', 0.2],
];
/** Models of sentences; not measured here (no such weights were at hand), chosen between extremes. */
export const DEFAULT_VECTOR_WEIGHT = 0.6;

export const BOOST = {
  /** The question names who says it. */
  speaker: 1.07,
  /** The question asks when, and a time is said. */
  time: 1.15,
  /** What a linked memory gains of the score of the better one. */
  link: 0.3,
  /** Share of the better one's score up to which it may rise by that. */
  linkedAtMost: 0.98,
  /** Per natural logarithm of the length over the mean: of two short turns the longer says more. */
  length: 0.2,
} as const;

/** Words that a turn of a conversation has at least, so that one of two words is no outlier. */
const TURN = 5;

/**
 * What a term passes on to neighbours at distance 1, 2 …: nothing where neighbours talk about
 * different things, which is measured (`continuity`), nor where texts are long.
 */
export function neighbourWeights(continuity: number, averageLength: number): number[] {
  const threaded = Math.min(1, Math.max(0, continuity / THREADED));
  const short = Math.min(1, SHORT_TEXT / Math.max(1, averageLength)) ** 2;
  const first = NEIGHBOUR * threaded * short;
  if (first < 0.02) return [];
  return Array.from({ length: REACH }, (_, distance) => first * FADING ** distance);
}

/**
 * Factor by which a text of so many words counts where texts are short turns of a conversation; 1
 * elsewhere. "Sure!" rarely answers anything; what the hits around it share, it gets too.
 */
export function lengthFactor(
  length: number,
  averageLength: number,
  spread: readonly number[],
): number {
  const threaded = Math.min(1, (spread[0] ?? 0) / NEIGHBOUR);
  return 1 + BOOST.length * threaded * Math.log((TURN + length) / (TURN + averageLength));
}

export function vectorWeight(model: string): number {
  const known = VECTOR_WEIGHTS.find(([prefix]) => model.toLowerCase().includes(prefix));
  return known?.[1] ?? DEFAULT_VECTOR_WEIGHT;
}

/** Adds `weight` times the second, each scaled to its best, over the slots either touched. */
export function fuse(
  keyword: { scores: Float32Array; touched: Iterable<number> },
  vector: { scores: Float32Array; touched: Iterable<number> } | null,
  weight: number,
): Map<number, number> {
  const fused = new Map<number, number>();
  const add = (list: NonNullable<typeof vector>, share: number) => {
    let best = 0;
    for (const slot of list.touched) best = Math.max(best, list.scores[slot] ?? 0);
    if (best <= 0) return;
    for (const slot of list.touched) {
      fused.set(slot, (fused.get(slot) ?? 0) + (share * (list.scores[slot] ?? 0)) / best);
    }
  };
  add(keyword, 1);
  if (vector) add(vector, weight);
  return fused;
}
