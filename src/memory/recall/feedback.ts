/**
 * What the best hits say beside the words of the question (pseudo-relevance feedback): what answers a
 * question shares words with the best hits that the question does not say. It changes the order of
 * what was found and finds nothing more. Pure.
 */
import type { Shelf, SlotFilter } from '../../records/index.js';
import { bestOf, type Fused, highest } from './fusion.js';

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
/**
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
  const hits = bestOf(fused, HITS, isFirst);
  if (hits.length <= KEPT) return;
  const best = scores[hits[0] as number] as number;
  const shares = new Map(
    hits.map((slot, rank) => [slot, (scores[slot] as number) / best / (1 + rank / HALVED_AFTER)]),
  );
  const list = shelf.keyword(shelf.telling(shares, asked, WORDS), filter);
  const scale = WEIGHT / highest(list);
  const kept = hits.slice(0, KEPT);
  const most = AT_MOST * (scores[kept[KEPT - 1] as number] as number);
  for (const slot of list.touched) {
    const had = scores[slot] ?? 0;
    if (had <= 0 || kept.includes(slot)) continue;
    const gained = had + scale * (list.scores[slot] as number);
    scores[slot] = Math.max(had, Math.min(gained, most));
  }
}
