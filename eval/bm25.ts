/**
 * Plain BM25 (k1 1.2, b 0.75), the floor that retrieval of ours is measured against. It shares no
 * code with the plugin on purpose: a fault in our tokenizer must not lower its own bar.
 */
import { stemmer } from 'stemmer';

const K1 = 1.2;
const B = 0.75;

export interface Bm25Doc {
  id: string;
  text: string;
}

/** Documents with at least one word of the query, best first; equal ones in the order given. */
export type Bm25 = (query: string, limit: number) => string[];

export function createBm25(docs: readonly Bm25Doc[]): Bm25 {
  const lengths: number[] = [];
  const postings = new Map<string, Map<number, number>>();
  for (const [index, { text }] of docs.entries()) {
    const terms = termsOf(text);
    lengths.push(terms.length);
    for (const term of terms) {
      const counts = postings.get(term) ?? new Map<number, number>();
      counts.set(index, (counts.get(index) ?? 0) + 1);
      postings.set(term, counts);
    }
  }
  const average = lengths.reduce((total, length) => total + length, 0) / Math.max(1, docs.length);

  return (query, limit) => {
    const scores = new Map<number, number>();
    for (const term of termsOf(query)) {
      const counts = postings.get(term);
      if (!counts) continue;
      const idf = Math.log(1 + (docs.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [index, count] of counts) {
        const norm = K1 * (1 - B + (B * (lengths[index] ?? 0)) / average);
        const gain = (idf * count * (K1 + 1)) / (count + norm);
        scores.set(index, (scores.get(index) ?? 0) + gain);
      }
    }
    return [...scores]
      .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
      .slice(0, limit)
      .flatMap(([index]) => docs[index]?.id ?? []);
  };
}

const STOP_WORDS = new Set(
  (
    'a an the of in on to for and or is are was were be by with as at from that this these those ' +
    'which what who when where how it its not has have had can do does did'
  ).split(' '),
);

/** Runs of letters and digits, lower case, without stop words, stemmed as Porter does. */
export function termsOf(text: string): string[] {
  return [...text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)].flatMap(([word]) =>
    STOP_WORDS.has(word) ? [] : [stemmer(word)],
  );
}
