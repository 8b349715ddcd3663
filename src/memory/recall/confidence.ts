/**
 * How sure a hit of the search by words and likeness is, and below what it is no answer. One formula and
 * one floor for every surface. Pure.
 */
import type { Shelf } from '../../records/index.js';

/**
 * Hits below are returned only when they are asked for (`min_confidence`). Measured with
 * `npm run eval -- recall golden conversations` on the lexical and the static model: the highest value
 * that costs no more than a hundredth of recall@5.
 */
export const FLOOR = 0.2;

/** Below every fact. */
const MOST_CONFIDENT = 0.89;
/** What the words of a question are worth beside the likeness of its vector. */
const WORDS = 0.6;
/** What the best hit says of the question as a whole, beside what the hit itself says. */
const BEST = 0.7;

/** What a memory knows of the words of a question. */
export interface KnownTerms {
  /** Of its terms that any memory has, 0 to 1: an unrelated question has few. */
  share: number;
  /** Score of a text that has every one of them. */
  score: number;
  /** The same, with those that no memory has. */
  all: number;
}

export function knownTerms(shelf: Shelf, terms: Iterable<string>): KnownTerms {
  let all = 0;
  let known = 0;
  let score = 0;
  let unknown = 0;
  for (const term of terms) {
    all += 1;
    const found = shelf.documentFrequency(term);
    const rarity = Math.log(1 + (shelf.size - found + 0.5) / (found + 0.5));
    if (found === 0) {
      unknown += rarity;
      continue;
    }
    known += 1;
    score += rarity;
  }
  const most = Math.max(score, 1e-6);
  return { share: known / Math.max(all, 1), score: most, all: most + unknown };
}

/**
 * How well a hit fits by itself.
 * @param words share of the known words of the question that it has, 0 to 1
 * @param likeness of its vector to that of the question, by what the model calls alike, 0 to 1
 */
export function fitOf(
  words: number,
  likeness: number,
  { share }: Pick<KnownTerms, 'share'>,
): number {
  return WORDS * share * (0.5 + 0.5 * words) + (1 - WORDS) * likeness;
}

/** A hit is believed more where another one answers the question well. */
export function confidenceOf(fit: number, bestFit: number): number {
  const sure = BEST * bestFit + (1 - BEST) * fit;
  return Math.round(Math.min(MOST_CONFIDENT, sure) * 100) / 100;
}
