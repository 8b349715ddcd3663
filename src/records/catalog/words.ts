/** Keyword search of a shelf: BM25 over the words of its documents. */
import { int32Column } from './columns.js';
import type { BlockPool } from './int-lists.js';
import { Postings } from './postings.js';
import type { Places } from './timeline.js';
import type { Analyze, SearchField } from './types.js';

const K1 = 1.2;
const B = 0.75;
const FREQUENCY_BITS = 4;
/** Beyond this a repetition adds next to nothing (at k1 = 1.2: 8 % to infinity). */
const MAX_FREQUENCY = (1 << FREQUENCY_BITS) - 1;
const MAX_WEIGHT = 4;
/** Differences between lengths below this many words say little. */
const SHORT = 25;
/** A term in more of the documents than this does not spread: it is everywhere anyway. */
const SPREADING_SHARE = 1 / 5;

/** The words of a document as numbers, each with its frequency, and its length in words. */
export interface AnalyzedWords {
  entries: Int32Array;
  length: number;
}

export class Words {
  readonly postings: Postings;
  readonly #analyze: Analyze;
  readonly #lengths = int32Column();
  #totalLength = 0;
  #documents = 0;

  constructor(pool: BlockPool, analyze: Analyze) {
    this.postings = new Postings(pool, FREQUENCY_BITS);
    this.#analyze = analyze;
  }

  get bytes(): number {
    return this.postings.bytes + this.#lengths.bytes;
  }

  /** A word counts the weight of its field (1 to 4, rounded) each time it occurs. */
  analyze(fields: readonly SearchField[]): AnalyzedWords {
    const frequencies = new Map<number, number>();
    let length = 0;
    for (const field of fields) {
      const weight = Math.min(MAX_WEIGHT, Math.max(1, Math.round(field.weight)));
      for (const word of this.#analyze(field.text)) {
        const name = this.postings.names.intern(word);
        frequencies.set(name, (frequencies.get(name) ?? 0) + weight);
        length += weight;
      }
    }
    const entries = new Int32Array(frequencies.size);
    let at = 0;
    for (const [name, frequency] of frequencies) {
      entries[at] = (name << FREQUENCY_BITS) | Math.min(MAX_FREQUENCY, frequency);
      at += 1;
    }
    return { entries: entries.sort(), length };
  }

  lengthOf(slot: number): number {
    return this.#lengths.data[slot] ?? 0;
  }

  /** Adds a slot that is larger than all before. */
  add(slot: number, words: AnalyzedWords): void {
    this.postings.add(slot, words.entries);
    this.#lengths.reserve(slot + 1);
    this.#lengths.data[slot] = words.length;
    this.#totalLength += words.length;
    this.#documents += 1;
  }

  remove(slot: number): void {
    this.postings.remove(slot);
    this.#totalLength -= this.lengthOf(slot);
    this.#documents -= 1;
  }

  documentFrequency(term: string): number {
    const name = this.postings.names.numberOf(term);
    return name === undefined ? 0 : this.postings.countOf(name);
  }

  /** Mean length of a document, in words times their weights. */
  get averageLength(): number {
    return this.#documents === 0 ? 0 : this.#totalLength / this.#documents;
  }

  /**
   * Adds to the score of every slot: weight · idf · tf (k1 + 1) / (tf + k1 (1 - b + b · length /
   * average length)) for each term, idf = ln(1 + (N - df + ½) / (df + ½)). Terms of weight ≤ 0 are
   * left out. Both lengths are larger by what the average lacks of `SHORT`.
   */
  score(terms: ReadonlyMap<string, number>, scores: Float32Array): void {
    const norms = this.#norms();
    for (const { postings, factor } of this.#known(terms)) {
      for (let i = 0; i < postings.length; i += 1) {
        const posting = postings[i] as number;
        const slot = posting >>> FREQUENCY_BITS;
        const gain = this.#gain(posting, factor, norms);
        scores[slot] = (scores[slot] as number) + gain;
      }
    }
  }

  /**
   * The same, and what a term gives to a document it also gives, times `spread[d - 1]`, to those d
   * places away in its run; of what one term gives it, a document takes the largest. Only
   * documents that `readable` accepts (`null`: all) give: a hidden one must not show through its neighbours.
   * Works in places and not in slots, so that neighbours are next to each other in memory.
   */
  scoreSpread(
    terms: ReadonlyMap<string, number>,
    scores: Float32Array,
    spread: readonly number[],
    order: Places,
    readable: ((slot: number) => boolean) | null,
  ): void {
    const norms = this.#norms();
    const { length, runs, places, slots } = order;
    const sums = new Float32Array(length);
    const best = new Float32Array(length);
    const given = new Int32Array(length);
    let count = 0;
    const give = (place: number, part: number) => {
      const had = best[place] as number;
      if (part <= had) return;
      if (had === 0) {
        given[count] = place;
        count += 1;
      }
      best[place] = part;
    };
    for (const { postings, factor } of this.#known(terms)) {
      const reach = postings.length > this.#documents * SPREADING_SHARE ? 0 : spread.length;
      count = 0;
      for (let i = 0; i < postings.length; i += 1) {
        const posting = postings[i] as number;
        const slot = posting >>> FREQUENCY_BITS;
        if (readable !== null && !readable(slot)) continue;
        const gain = this.#gain(posting, factor, norms);
        const place = places[slot] as number;
        if (reach === 0) {
          sums[place] = (sums[place] as number) + gain;
          continue;
        }
        const run = runs[place] as number;
        const first = Math.max(0, place - reach);
        const last = Math.min(length - 1, place + reach);
        give(place, gain);
        for (let near = place - 1; near >= first && runs[near] === run; near -= 1) {
          give(near, gain * (spread[place - near - 1] as number));
        }
        for (let near = place + 1; near <= last && runs[near] === run; near += 1) {
          give(near, gain * (spread[near - place - 1] as number));
        }
      }
      for (let i = 0; i < count; i += 1) {
        const place = given[i] as number;
        sums[place] = (sums[place] as number) + (best[place] as number);
        best[place] = 0;
      }
    }
    for (let place = 0; place < length; place += 1) {
      scores[slots[place] as number] = sums[place] as number;
    }
  }

  /** Those of the terms that some document holds, with weight · idf · (k1 + 1). */
  #known(terms: ReadonlyMap<string, number>): { postings: Int32Array; factor: number }[] {
    const known: { postings: Int32Array; factor: number }[] = [];
    for (const [term, weight] of terms) {
      const name = this.postings.names.numberOf(term);
      if (name === undefined || !(weight > 0)) continue;
      const postings = this.postings.postingsOf(name);
      known.push({ postings, factor: weight * this.idf(postings.length) * (K1 + 1) });
    }
    return known;
  }

  /** What a document of nothing but these terms, each often enough, would come near to. */
  best(terms: ReadonlyMap<string, number>): number {
    let sum = 0;
    for (const [term, weight] of terms) sum += weight * this.idf(this.documentFrequency(term));
    return sum * (K1 + 1);
  }

  idf(df: number): number {
    return Math.log(1 + (this.#documents - df + 0.5) / (df + 0.5));
  }

  /** k1 (1 - b + b · length / average) = base + perWord · length. */
  #norms(): { base: number; perWord: number } {
    const padding = Math.max(0, SHORT - this.averageLength);
    const perWord = (K1 * B) / (this.averageLength + padding);
    return { base: K1 * (1 - B) + perWord * padding, perWord };
  }

  #gain(posting: number, factor: number, norms: { base: number; perWord: number }): number {
    const tf = posting & MAX_FREQUENCY;
    const length = this.#lengths.data[posting >>> FREQUENCY_BITS] as number;
    return (factor * tf) / (tf + norms.base + norms.perWord * length);
  }
}
