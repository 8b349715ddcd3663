/**
 * What the best hits say beside the words of the question (pseudo-relevance feedback): what answers a
 * question shares words with the best hits that the question does not say. It changes the order of
 * what was found and finds nothing more. Pure.
 */
import type { Shelf, SlotFilter } from '../../records/index.js';
import { bestOf, type Fused, highest, raise } from './fusion.js';
import { idfOf } from './terms.js';

/** Hits whose words count: at the third half as much as at the first, then a third … */
const HITS = 8;
const HALVED_AFTER = 2;
/** The most telling words of all of them are searched. */
const WORDS = 15;
/** What they count beside the words of the question. */
const WEIGHT = 0.3;
/** So many of the best hits keep their places: their own words prove nothing. */
const KEPT = 2;
/** Share of the score of the last of these up to which others may rise. */
const AT_MOST = 0.98;
/** Words in more of the memories than this say nothing about a hit. */
const COMMON = 0.1;
/** Repeated more often, a word says no more. */
const MOST_REPEATED = 3;
/** Added to the length of a text, so that those of one with two do not decide alone. */
const PADDING = 5;

type FeedbackShelf = Pick<Shelf, 'wordsOf' | 'lengthOf' | 'documentFrequency' | 'size' | 'keyword'>;

/**
 * @param asked the terms of the question
 * @param isFirst decides between equals
 */
export function addFeedback(
  fused: Fused,
  shelf: FeedbackShelf,
  filter: SlotFilter,
  asked: ReadonlyMap<string, number>,
  isFirst: (a: number, b: number) => boolean,
): void {
  const { scores } = fused;
  const hits = bestOf(fused, HITS, isFirst);
  if (hits.length <= KEPT) return;
  const list = shelf.keyword(tellingWords(shelf, scores, hits, asked), filter);
  const scale = WEIGHT / highest(list);
  const kept = hits.slice(0, KEPT);
  const most = AT_MOST * (scores[kept[KEPT - 1] as number] as number);
  for (const slot of list.touched) {
    const had = scores[slot] ?? 0;
    if (had <= 0 || kept.includes(slot)) continue;
    const gained = had + scale * (list.scores[slot] as number);
    raise(fused, slot, Math.min(gained, most));
  }
}

/** The most telling words of the hits that the question does not have, with weights up to 1. */
function tellingWords(
  shelf: FeedbackShelf,
  scores: Float32Array,
  hits: readonly number[],
  asked: ReadonlyMap<string, number>,
): Map<string, number> {
  const best = scores[hits[0] as number] as number;
  const weights = new Map<string, number>();
  for (const [rank, slot] of hits.entries()) {
    const believed = (scores[slot] as number) / best / (1 + rank / HALVED_AFTER);
    const share = believed / Math.sqrt(shelf.lengthOf(slot) + PADDING);
    for (const [word, count] of shelf.wordsOf(slot)) {
      if (asked.has(word) || shelf.documentFrequency(word) >= shelf.size * COMMON) continue;
      const gained = idfOf(shelf, word) * Math.min(MOST_REPEATED, count) * share;
      weights.set(word, (weights.get(word) ?? 0) + gained);
    }
  }
  const telling = [...weights].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, WORDS);
  const most = telling[0]?.[1] ?? 1;
  return new Map(telling.map(([word, weight]) => [word, weight / most]));
}
