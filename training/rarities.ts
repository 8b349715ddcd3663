/** How rare each word of the table is in running text, for the weights of the words of a question. */
import type { Corpus } from './vocabulary.js';

/** Kinds that are running text, each of which counts the same; the others are lists of phrases. */
const RUNNING: ReadonlySet<string> = new Set(['commits', 'docs', 'code', 'dialogue', 'glosses']);
/** Shares of texts from which on a word is as common, and below which as rare, as can be told. */
const COMMON = 1 / 2;
const RARE = 1 / 30_000;
const RAREST = 255;

/**
 * By the logarithm of the share of different texts that have the word, in the mean of the kinds.
 * @returns for each of `words`: 0 (in half of the texts) to 255
 */
export function raritiesOf(
  { pool, parts, words: known }: Corpus,
  words: readonly string[],
): Uint8Array {
  const shares = new Float64Array(known.length);
  const running = parts.filter(({ kind }) => RUNNING.has(kind));
  for (const { training, heldBack } of running) {
    const having = new Uint32Array(known.length);
    const seen = new Set<number>();
    for (const { from, count, hash } of [...training, ...heldBack]) {
      for (const side of [0, 1] as const) {
        if (seen.has(hash[side])) continue;
        seen.add(hash[side]);
        const text = pool.subarray(from[side], from[side] + count[side]);
        for (const word of new Set(text)) having[word] = (having[word] as number) + 1;
      }
    }
    for (const [word, count] of having.entries()) {
      shares[word] = (shares[word] as number) + count / seen.size / running.length;
    }
  }
  const numbers = new Map(known.map((word, number) => [word, number]));
  return Uint8Array.from(words, (word) => {
    const share = shares[numbers.get(word) ?? -1] ?? 0;
    const bounded = Math.min(COMMON, Math.max(RARE, share));
    return Math.round((RAREST * Math.log(COMMON / bounded)) / Math.log(COMMON / RARE));
  });
}
