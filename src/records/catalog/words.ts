/** Keyword search of a shelf: BM25 over the words of its documents. */

import { int32Column } from './columns.js';
import type { BlockPool } from './packed-lists.js';
import { Postings } from './postings.js';
import { giveBack, takeRoom, takeZeros } from './score-arrays.js';
import type { Places } from './timeline.js';
import type { Analyze, SearchField, Spread } from './types.js';
import { WordReader } from './word-reader.js';

const K1 = 1.2;
const B = 0.75;
/** How often a word occurs in the text, then how often in what stands aside. */
const TEXT_BITS = 4;
const ASIDE_BITS = 3;
const FREQUENCY_BITS = TEXT_BITS + ASIDE_BITS;
/** Four in five words occur once, and aside. */
const USUAL = 1;
/** Beyond these a repetition adds next to nothing (at k1 = 1.2: 8 % to infinity). */
const MAX_TEXT = (1 << TEXT_BITS) - 1;
const MAX_ASIDE = (1 << ASIDE_BITS) - 1;
/** Weight of a word that stands aside. */
const ASIDE = 0.5;
/** Differences between lengths below this many words say little. */
const SHORT = 25;
const MAX_WEIGHT = 4;
/** A term in more of the documents than this does not spread: it is everywhere anyway. */
const SPREADING_SHARE = 1 / 5;
/** Terms in more of the documents than this say nothing about one of them or about a conversation. */
const COMMON_SHARE = 1 / 10;
/** Repeated more often, a word tells no more about a document. */
const MOST_REPEATED = 3;
/** Added to the length of a text, so that one of two words does not tell most. */
const PADDING = 5;

/** The words of a document as numbers, each with its frequencies, and its lengths in words. */
export interface AnalyzedWords {
  entries: Int32Array;
  length: number;
  /** Of what stands aside. */
  aside: number;
}

/** Lengths of one field of all documents. */
class Lengths {
  readonly column = int32Column();
  #total = 0;

  at(slot: number): number {
    return this.column.data[slot] ?? 0;
  }

  set(slot: number, length: number): void {
    this.column.reserve(slot + 1);
    this.column.data[slot] = length;
    this.#total += length;
  }

  remove(slot: number): void {
    this.#total -= this.at(slot);
  }

  /** Takes the lengths of all slots, holes included. */
  load(lengths: Int32Array, isLive: (slot: number) => boolean): void {
    this.column.load(lengths);
    for (let slot = 0; slot < lengths.length; slot += 1) {
      if (isLive(slot)) this.#total += lengths[slot] as number;
    }
  }

  average(documents: number): number {
    return documents === 0 ? 0 : this.#total / documents;
  }

  /** 1 - b + b · length / average = base + perWord · length; both lengths padded. */
  norms(documents: number): { base: number; perWord: number; lengths: Int32Array } {
    const average = this.average(documents);
    const padding = Math.max(0, SHORT - average);
    const perWord = B / (average + padding);
    return { base: 1 - B + perWord * padding, perWord, lengths: this.column.data };
  }
}

interface Norms {
  text: ReturnType<Lengths['norms']>;
  aside: ReturnType<Lengths['norms']>;
}

export class Words {
  readonly postings: Postings;
  readonly #reader: WordReader;
  readonly #lengths = new Lengths();
  readonly #asides = new Lengths();
  #documents = 0;
  /** How often each word occurs in the document being analyzed, in the text and aside; 0 between. */
  readonly #counts = int32Column();

  constructor(pool: BlockPool, analyze: Analyze) {
    this.postings = new Postings(pool, FREQUENCY_BITS, USUAL);
    this.#reader = new WordReader(analyze, this.postings.names);
  }

  get bytes(): number {
    const lengths = this.#lengths.column.bytes + this.#asides.column.bytes;
    return this.postings.bytes + this.#reader.bytes + lengths;
  }

  /** A word counts the weight of its field (1 to 4, rounded) each time it occurs. */
  analyze(fields: readonly SearchField[]): AnalyzedWords {
    const lengths: [text: number, aside: number] = [0, 0];
    let end = 0;
    // All before the first is counted: a text that is none must leave no counts behind.
    const ends = fields.map(({ text }) => {
      end = this.#reader.read(text, end);
      return end;
    });
    const numbers = this.#reader.numbers.data;
    this.#counts.reserve(2 * this.postings.names.size);
    const counts = this.#counts.data;
    let found = 0;
    let at = 0;
    for (const [index, { weight = 1, isAside }] of fields.entries()) {
      const times = Math.min(MAX_WEIGHT, Math.max(1, Math.round(weight)));
      const field = isAside ? 1 : 0;
      const to = ends[index] as number;
      lengths[field] += times * (to - at);
      for (; at < to; at += 1) {
        const name = numbers[at] as number;
        if (counts[2 * name] === 0 && counts[2 * name + 1] === 0) {
          // In place of one that was counted.
          numbers[found] = name;
          found += 1;
        }
        counts[2 * name + field] = (counts[2 * name + field] as number) + times;
      }
    }
    const entries = numbers.slice(0, found).sort();
    for (let at = 0; at < entries.length; at += 1) {
      const name = entries[at] as number;
      const text = Math.min(MAX_TEXT, counts[2 * name] as number);
      const aside = Math.min(MAX_ASIDE, counts[2 * name + 1] as number);
      entries[at] = (name << FREQUENCY_BITS) | (text << ASIDE_BITS) | aside;
      counts[2 * name] = 0;
      counts[2 * name + 1] = 0;
    }
    return { entries, length: lengths[0], aside: lengths[1] };
  }

  /** Lengths of the first slots, then what of them stands aside (snapshots). */
  lengths(slots: number): Int32Array {
    const both = new Int32Array(2 * slots);
    for (let slot = 0; slot < slots; slot += 1) {
      both[slot] = this.#lengths.at(slot);
      both[slots + slot] = this.#asides.at(slot);
    }
    return both;
  }

  /** Takes what `lengths` gave; the postings are loaded apart. */
  load(both: Int32Array, isLive: (slot: number) => boolean): void {
    const slots = both.length / 2;
    this.#lengths.load(both.subarray(0, slots), isLive);
    this.#asides.load(both.subarray(slots), isLive);
    for (let slot = 0; slot < slots; slot += 1) if (isLive(slot)) this.#documents += 1;
  }

  lengthOf(slot: number): number {
    return this.#lengths.at(slot) + this.#asides.at(slot);
  }

  asideOf(slot: number): number {
    return this.#asides.at(slot);
  }

  /**
   * The `limit` words that tell most about some documents, by idf · frequency · share / √length summed
   * over them; what stands aside counts half. Words in a tenth of all documents tell nothing.
   * @param shares of each slot
   * @returns weights up to 1
   */
  telling(
    shares: ReadonlyMap<number, number>,
    leftOut: ReadonlyMap<string, unknown>,
    limit: number,
  ): Map<string, number> {
    const { names } = this.postings;
    const common = this.#documents * COMMON_SHARE;
    const weights = new Map<number, number>();
    for (const [slot, share] of shares) {
      const factor = share / Math.sqrt(this.lengthOf(slot) + PADDING);
      for (const entry of this.postings.entriesOf(slot)) {
        const name = entry >>> FREQUENCY_BITS;
        const df = this.postings.countOf(name);
        if (df >= common) continue;
        const count = ((entry >>> ASIDE_BITS) & MAX_TEXT) + ASIDE * (entry & MAX_ASIDE);
        const gained = this.idf(df) * Math.min(MOST_REPEATED, count) * factor;
        weights.set(name, (weights.get(name) ?? 0) + gained);
      }
    }
    for (const word of leftOut.keys()) weights.delete(names.numberOf(word) ?? -1);
    const told: [name: number, weight: number][] = [];
    for (const [name, weight] of weights) {
      if (told.length === limit && weight <= (told[limit - 1]?.[1] ?? 0)) continue;
      let at = told.length;
      while (at > 0 && weight > (told[at - 1]?.[1] ?? 0)) at -= 1;
      told.splice(at, 0, [name, weight]);
      if (told.length > limit) told.pop();
    }
    const most = told[0]?.[1] ?? 1;
    return new Map(told.map(([name, weight]) => [names.textOf(name), weight / most]));
  }

  /** Adds a slot that is larger than all before. */
  add(slot: number, words: AnalyzedWords): void {
    this.postings.add(slot, words.entries);
    this.#lengths.set(slot, words.length);
    this.#asides.set(slot, words.aside);
    this.#documents += 1;
  }

  remove(slot: number): void {
    this.postings.remove(slot);
    this.#lengths.remove(slot);
    this.#asides.remove(slot);
    this.#documents -= 1;
  }

  documentFrequency(term: string): number {
    const name = this.postings.names.numberOf(term);
    return name === undefined ? 0 : this.postings.countOf(name);
  }

  /** Mean length of a document, in words times their weights. */
  get averageLength(): number {
    return this.#lengths.average(this.#documents) + this.#asides.average(this.#documents);
  }

  /** The same without what stands aside. */
  get averageText(): number {
    return this.#lengths.average(this.#documents);
  }

  /**
   * Adds to the score of every slot: weight · idf · tf (k1 + 1) / (tf + k1) for each term, where tf
   * sums the frequencies in the text and, times ½, aside, each over 1 - b + b · length / average
   * length; idf = ln(1 + (N - df + ½) / (df + ½)). Terms of weight ≤ 0 are left out. Both lengths
   * are larger by what the average lacks of `SHORT`.
   * @param from slots before it get no score
   */
  score(terms: ReadonlyMap<string, number>, scores: Float32Array, from = 0): void {
    const norms = this.#norms();
    for (const { postings, factor } of this.#known(terms)) {
      for (let i = postings.length - 1; i >= 0; i -= 1) {
        const posting = postings[i] as number;
        const slot = posting >>> FREQUENCY_BITS;
        if (slot < from) break;
        scores[slot] = (scores[slot] as number) + gainOf(posting, factor, norms);
      }
    }
  }

  /**
   * The same, and what a term gives to a document it also gives, times `spread`, to those near it in
   * its run; of what one term gives it, a document takes the largest. Only
   * documents that `readable` accepts (`null`: all) give: a hidden one must not show through its neighbours.
   * Works in places and not in slots, so that neighbours are next to each other in memory.
   */
  scoreSpread(
    terms: ReadonlyMap<string, number>,
    scores: Float32Array,
    { before, after }: Spread,
    order: Places,
    readable: ((slot: number) => boolean) | null,
  ): void {
    const norms = this.#norms();
    const { length, runs, places, slots } = order;
    const sums = takeZeros(length);
    const best = takeZeros(length);
    const given = new Int32Array(takeRoom(length), 0, length);
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
      const isCommon = postings.length > this.#documents * SPREADING_SHARE;
      count = 0;
      for (let i = 0; i < postings.length; i += 1) {
        const posting = postings[i] as number;
        const slot = posting >>> FREQUENCY_BITS;
        if (readable !== null && !readable(slot)) continue;
        const gain = gainOf(posting, factor, norms);
        const place = places[slot] as number;
        if (isCommon) {
          sums[place] = (sums[place] as number) + gain;
          continue;
        }
        const run = runs[place] as number;
        const first = Math.max(0, place - before.length);
        const last = Math.min(length - 1, place + after.length);
        give(place, gain);
        for (let near = place - 1; near >= first && runs[near] === run; near -= 1) {
          give(near, gain * (before[place - near - 1] as number));
        }
        for (let near = place + 1; near <= last && runs[near] === run; near += 1) {
          give(near, gain * (after[near - place - 1] as number));
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
    for (const each of [sums, best, given]) giveBack(each);
  }

  /** Those of the terms that some document holds, one at a time, with weight · idf · (k1 + 1). */
  *#known(
    terms: ReadonlyMap<string, number>,
  ): Generator<{ postings: Int32Array; factor: number }, void> {
    for (const [term, weight] of terms) {
      const name = this.postings.names.numberOf(term);
      if (name === undefined || !(weight > 0)) continue;
      const postings = this.postings.postingsOf(name);
      yield { postings, factor: weight * this.idf(postings.length) * (K1 + 1) };
    }
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

  #norms(): Norms {
    return {
      text: this.#lengths.norms(this.#documents),
      aside: this.#asides.norms(this.#documents),
    };
  }
}

/** What one term gives to one document. */
function gainOf(posting: number, factor: number, { text, aside }: Norms): number {
  const slot = posting >>> FREQUENCY_BITS;
  const inText = (posting >>> ASIDE_BITS) & MAX_TEXT;
  const beside = posting & MAX_ASIDE;
  let tf = inText / (text.base + text.perWord * (text.lengths[slot] as number));
  if (beside > 0) {
    tf += (ASIDE * beside) / (aside.base + aside.perWord * (aside.lengths[slot] as number));
  }
  return (factor * tf) / (tf + K1);
}

/** Places on either side that count as neighbours. */
const REACH = 2;
/** Documents looked at, and words of each: 1 to 2 ms however large the shelf is. */
const SAMPLE_DOCUMENTS = 512;
const SAMPLE_WORDS = 64;

/** How much neighbours in a thread talk about the same (the definition is in types.ts). */
export function threadCoherence(words: Words, order: Places): number {
  const { postings } = words;
  const documents = order.length;
  const common = documents * COMMON_SHARE;
  let weight = 0;
  let excess = 0;
  for (const place of evenly(documents, SAMPLE_DOCUMENTS)) {
    const entries = postings.entriesOf(order.slots[place] as number);
    const near = neighbours(order, place).map((slot) => postings.entriesOf(slot));
    for (const at of evenly(entries.length, SAMPLE_WORDS)) {
      const name = (entries[at] as number) >>> postings.bits;
      const df = postings.countOf(name);
      if (df > common) continue;
      const idf = words.idf(df);
      const again = near.some((other) => holds(other, name, postings.bits));
      const chance = 1 - (1 - (df - 1) / (documents - 1)) ** near.length;
      weight += idf;
      excess += idf * ((again ? 1 : 0) - chance);
    }
  }
  return weight === 0 ? 0 : excess / weight;
}

/** Slots at most REACH places away in the same run. */
function neighbours(order: Places, place: number): number[] {
  const found: number[] = [];
  for (let near = place - REACH; near <= place + REACH; near += 1) {
    if (near === place || near < 0 || near >= order.length) continue;
    if (order.runs[near] === order.runs[place]) found.push(order.slots[near] as number);
  }
  return found;
}

/** Indexes below `length`, all or `most` of them at equal distances. */
function* evenly(length: number, most: number): Generator<number> {
  const count = Math.min(length, most);
  for (let i = 0; i < count; i += 1) yield Math.floor((i * length) / count);
}

/** Whether entries (ascending, name in the upper bits) hold the name. */
function holds(entries: Int32Array, name: number, bits: number): boolean {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] as number) >>> bits < name) low = middle + 1;
    else high = middle;
  }
  return low < entries.length && (entries[low] as number) >>> bits === name;
}
