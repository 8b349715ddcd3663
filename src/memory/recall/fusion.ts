/**
 * How words, likeness, neighbours and small signs become one order. Pure: scores in, order out.
 *
 * Fused by scores scaled to their best, not by rank: reciprocal rank fusion was measured on three
 * sets and lost on all of them, because it forgets how far the first hit stands before the rest
 * (docs/recall.md has the numbers).
 */
import {
  type DenseScores,
  type Shelf,
  type SlotFilter,
  type Spread,
  scored,
  takeZeros,
} from '../../records/index.js';
import { DAY_MS } from '../../shared/clock.js';

/**
 * Most that is passed on to the neighbour before and to the one after, which answers more often than it
 * asks, and how that fades with distance; in a shelf that talks in threads.
 */
const BEFORE = 0.56;
const AFTER = 0.77;
const FADING = 0.75;
const REACH = 5;
/** Continuity from which neighbours count fully. */
const THREADED = 0.04;
const LEAST_THREADED = 0.03;
/** Texts longer than so many words stand for themselves. */
const SHORT_TEXT = 25;

/** Weight of the vector search beside the keyword search, by how much its model knows. */
export const VECTOR_WEIGHTS: readonly [prefix: string, weight: number][] = [
  ['lexical', 0.15],
  ['static', 0.2],
];
/** Weight of the built-in static model beside words and lexical vectors. */
export const BESIDE_WEIGHT = 0.2;
/** Models of sentences; not measured here (no such weights were at hand), chosen between extremes. */
export const DEFAULT_VECTOR_WEIGHT = 0.6;

/** A vector tells about as many words of a text; of longer ones it knows only the beginning. */
const EMBEDDED_WORDS = 100;
/** Share of what words pass on to neighbours that likeness passes on, and how far. */
const LIKENESS_PASSED = 0.25;
const LIKENESS_REACH = 2;
/** A text that has each term more than once reaches so much of the score of having each once. */
const WHOLE = 1.32;

export const BOOST = {
  /** The question names who says it. */
  speaker: 1.15,
  /** The question asks when, and a time is said. */
  time: 1.15,
  /** Added for a memory of the time that the question names; around it less and less. */
  named: 0.6,
  /** What a linked memory gains of the score of the better one. */
  link: 0.3,
  /** Share of the better one's score up to which it may rise by that. */
  linkedAtMost: 0.98,
  /** Per natural logarithm of the length over the mean: of two short turns the longer says more. */
  length: 0.3,
} as const;

/** Words that a turn of a conversation has at least, so that one of two words is no outlier. */
const TURN = 5;

/** How much a shelf talks in threads of short texts, 0 to 1, so little is 0; `continuity` is measured. */
export function threadedness(continuity: number, averageLength: number): number {
  const threaded = Math.min(1, Math.max(0, continuity / THREADED));
  const short = Math.min(1, SHORT_TEXT / Math.max(1, averageLength)) ** 2;
  return threaded * short < LEAST_THREADED ? 0 : threaded * short;
}

/** What a term passes on to neighbours; `null` where they talk about different things, or in long texts. */
export function neighbourWeights(threaded: number): Spread | null {
  if (threaded === 0) return null;
  const fading = (first: number) =>
    Array.from({ length: REACH }, (_, distance) => first * threaded * FADING ** distance);
  return { before: fading(BEFORE), after: fading(AFTER) };
}

/**
 * Factor by which a text of so many words counts where texts are short turns of a conversation; 1
 * elsewhere. "Sure!" rarely answers anything; what the hits around it share, it gets too.
 */
export function lengthFactor(length: number, averageLength: number, threaded: number): number {
  return 1 + BOOST.length * threaded ** 2 * Math.log((TURN + length) / (TURN + averageLength));
}

/** Things are told, and noted, some days before or after they are. */
const DAYS_AROUND_MS = 2 * DAY_MS;

/** Factor by which a memory of that time counts where the question names a time. */
export function timeFactor(timeMs: number, named: { sinceMs: number; beforeMs: number }): number {
  const awayMs = Math.max(0, named.sinceMs - timeMs, timeMs - named.beforeMs);
  return 1 + BOOST.named * Math.exp(-awayMs / DAYS_AROUND_MS);
}

export function vectorWeight(model: string): number {
  const known = VECTOR_WEIGHTS.find(([prefix]) => model.toLowerCase().includes(prefix));
  return known?.[1] ?? DEFAULT_VECTOR_WEIGHT;
}

/** How much the vectors count where what a memory is about has so many words on average. */
export function vectorShare(averageLength: number): number {
  return Math.min(1, EMBEDDED_WORDS / Math.max(1, averageLength));
}

/**
 * How much likeness counts, 1 to 2: the less of a question the words of the best memory cover, the
 * less they say about the order.
 * @param best score by words of the best memory
 * @param most score by words of a text that has every term once
 */
export function vectorFactor(best: number, most: number): number {
  return 2 - Math.min(1, best / (WHOLE * most));
}

/** What likeness passes on to near neighbours, where words pass on `spread`. */
export function likenessShares({ before, after }: Spread): Spread {
  const some = (shares: readonly number[]) =>
    shares.slice(0, LIKENESS_REACH).map((share) => share * LIKENESS_PASSED);
  return { before: some(before), after: some(after) };
}

/** Score of each slot; `touched` lists those above 0, in memory that has room for all slots. */
export type Fused = DenseScores;

type Scored = { scores: Float32Array; touched?: ArrayLike<number> };

/** All scores of a list. To walk over them is faster than from one that is touched to the next. */
type Scores = Pick<DenseScores, 'scores'>;

/** The sum of lists, each scaled to its best and times its weight. */
export function fuse(lists: readonly [list: Scores | null, weight: number][]): Fused {
  const size = Math.max(0, ...lists.map(([list]) => list?.scores.length ?? 0));
  const scores = takeZeros(size);
  for (const [list, weight] of lists) if (list) add(scores, list, weight);
  return scored(scores);
}

/** The best score of a list; 0 of none. */
export function highest(list: Scores | null): number {
  if (list === null) return 0;
  const { scores } = list;
  let best = 0;
  for (let slot = 0; slot < scores.length; slot += 1) {
    best = Math.max(best, scores[slot] as number);
  }
  return best;
}

function add(sums: Float32Array, list: Scores, share: number): void {
  const best = highest(list);
  if (best <= 0) return;
  const scale = share / best;
  const { scores } = list;
  for (let slot = 0; slot < scores.length; slot += 1) {
    sums[slot] = (sums[slot] as number) + scale * (scores[slot] as number);
  }
}

/** The mean of fewer is pulled to 0 by as many unlike ones: of a single memory it would be its own score. */
const UNLIKE = 20;

/**
 * What likeness is above its mean, beside words: any two texts are somewhat alike. Where they share no
 * word, only what is at least `floor` counts.
 */
export function aboveMean({ scores }: Scores, words: Scores, floor: number): DenseScores {
  const above = takeZeros(scores.length);
  // The bits of numbers above 0 order as they do, and choose without a branch, which is guessed wrong for
  // every other slot.
  const [given, shared, kept] = [bitsOf(scores), bitsOf(words.scores), bitsOf(above)];
  const [least = 0] = bitsOf(Float32Array.of(floor));
  let count = 0;
  for (let slot = 0; slot < given.length; slot += 1) {
    const bits = given[slot] as number;
    count -= -bits >> 31;
    kept[slot] = bits & (~((bits - least) >> 31) | (-(shared[slot] as number) >> 31));
  }
  let sum = 0;
  for (let slot = 0; slot < above.length; slot += 1) sum += above[slot] as number;
  const mean = sum / (count + UNLIKE);
  for (let slot = 0; slot < above.length; slot += 1) {
    const over = (above[slot] as number) - mean;
    // The same as `Math.max(0, over)`, without a branch.
    above[slot] = (over + Math.abs(over)) / 2;
  }
  return scored(above);
}

const bitsOf = ({ buffer, byteOffset, length }: Float32Array) =>
  new Int32Array(buffer, byteOffset, length);

/** Sets a score that only grows; what had none is touched by it. */
export function raise(fused: Fused, slot: number, score: number): void {
  const { scores, touched } = fused;
  const had = scores[slot];
  // What was stored after the search began has no place in it.
  if (had === undefined || score <= had) return;
  if (had === 0) {
    fused.touched = new Int32Array(touched.buffer, touched.byteOffset, touched.length + 1);
    fused.touched[touched.length] = slot;
  }
  scores[slot] = score;
}

/**
 * The `limit` best slots of those that are touched, or without these of all with a score, best first;
 * `isFirst` decides between equals. Selects instead of sorting: a common word touches half of all
 * memories, and five are wanted.
 */
export function bestOf(
  { scores, touched }: Scored,
  limit: number,
  isFirst: (a: number, b: number) => boolean,
): number[] {
  const best: number[] = [];
  const isBefore = (a: number, b: number) => {
    const difference = (scores[a] as number) - (scores[b] as number);
    return difference > 0 || (difference === 0 && isFirst(a, b));
  };
  /** Nearly all are below the last of the best: they are passed over by one comparison. */
  let least = touched ? Number.NEGATIVE_INFINITY : Number.MIN_VALUE;
  const count = touched?.length ?? scores.length;
  for (let at = 0; at < count; at += 1) {
    const slot = touched ? (touched[at] as number) : at;
    if ((scores[slot] as number) < least) continue;
    const last = best[limit - 1];
    if (last !== undefined && !isBefore(slot, last)) continue;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(best[middle] as number, slot)) low = middle + 1;
      else high = middle;
    }
    best.splice(low, 0, slot);
    if (best.length > limit) best.pop();
    if (best.length === limit) least = scores[best[limit - 1] as number] ?? least;
  }
  return best;
}

/** Hits whose words count: at the third half as much as at the first, then a third … */
const FEEDBACK_HITS = 8;
const FEEDBACK_HALVED_AFTER = 2;
/** The most telling words of all of them are searched. */
const FEEDBACK_WORDS = 15;
/** What they count beside the words of the question. */
const FEEDBACK_WEIGHT = 0.3;
/** So many of the best hits keep their places: their own words prove nothing. */
const FEEDBACK_KEPT = 2;
/** Share of the score of the last of these up to which others may rise. */
const FEEDBACK_AT_MOST = 0.98;

/**
 * What the best hits say beside the words of the question (pseudo-relevance feedback): what answers a
 * question shares words with the best hits that the question does not say. It changes the order of
 * what was found and finds nothing more.
 * @param asked the terms of the question
 * @param isFirst decides between equals
 */
export function addFeedback(
  fused: Fused,
  shelf: Pick<Shelf, 'telling' | 'keyword'>,
  filter: SlotFilter,
  asked: ReadonlyMap<string, number>,
  isFirst: (a: number, b: number) => boolean,
): void {
  const { scores } = fused;
  const hits = bestOf(fused, FEEDBACK_HITS, isFirst);
  if (hits.length <= FEEDBACK_KEPT) return;
  const best = scores[hits[0] as number] as number;
  const shares = new Map(
    hits.map((slot, rank) => [
      slot,
      (scores[slot] as number) / best / (1 + rank / FEEDBACK_HALVED_AFTER),
    ]),
  );
  const list = shelf.keyword(shelf.telling(shares, asked, FEEDBACK_WORDS), filter);
  const scale = FEEDBACK_WEIGHT / highest(list);
  const kept = hits
    .slice(0, FEEDBACK_KEPT)
    .map((slot) => ({ slot, score: scores[slot] as number }));
  const most = FEEDBACK_AT_MOST * (kept[FEEDBACK_KEPT - 1]?.score ?? 0);
  const { touched, scores: gains } = list;
  for (let at = 0; at < touched.length; at += 1) {
    const slot = touched[at] as number;
    const had = scores[slot] as number;
    if (had > 0)
      scores[slot] = Math.max(had, Math.min(had + scale * (gains[slot] as number), most));
  }
  for (const { slot, score } of kept) scores[slot] = score;
  list.release();
}
