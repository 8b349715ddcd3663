/** Scores of a search, slot by slot. */
import type { DenseScores } from './types.js';

/**
 * A fresh array for every search and not one kept by the shelf: two searches are fused after both
 * have run, and a caller may await between them. 400 KB at 100,000 slots, zeroed in 0.03 ms.
 */
export function dense(
  scores: Float32Array,
  accepts: ((slot: number) => boolean) | null,
): DenseScores {
  const touched = new Int32Array(scores.length);
  let count = 0;
  for (let slot = 0; slot < scores.length; slot += 1) {
    if (scores[slot] === 0) continue;
    if (accepts === null || accepts(slot)) {
      touched[count] = slot;
      count += 1;
    } else {
      scores[slot] = 0;
    }
  }
  return { scores, touched: touched.slice(0, count) };
}
