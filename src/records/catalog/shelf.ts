/** One record type's documents and the searches over them (the contract is in types.ts). */
import { AppError } from '../../shared/errors.js';
import type { Uuid } from '../../shared/ids.js';
import { IdTable } from './id-table.js';
import { Interner } from './interner.js';
import type { KernelFactory } from './kernel.js';
import { BlockPool } from './packed-lists.js';
import { Postings } from './postings.js';
import { giveBack, takeRoom, takeZeros } from './score-arrays.js';
import { acceptsEvery, SlotColumns, type SlotRow } from './slot-columns.js';
import { type Found, SlotSearch } from './slot-search.js';
import { Timeline } from './timeline.js';
import type {
  Analyze,
  CatalogDoc,
  DenseScores,
  Hit,
  InstantModel,
  Shelf,
  SlotFilter,
  Spread,
} from './types.js';
import { checkVector, Vectors } from './vectors.js';
import { type AnalyzedWords, threadCoherence, Words } from './words.js';

/** Scores of all that the filter lets through; which slots have one is looked for when somebody asks. */
export function scored(scores: Float32Array): DenseScores {
  let touched: Int32Array | null = null;
  return {
    scores,
    get touched() {
      touched ??= touchedOf(scores);
      return touched;
    },
    set touched(slots) {
      touched = slots;
    },
    release() {
      giveBack(scores);
      if (touched !== null) giveBack(touched);
    },
  };
}

function touchedOf(scores: Float32Array): Int32Array {
  const touched = new Int32Array(takeRoom(scores.length), 0, scores.length);
  let count = 0;
  // Without a branch, which is guessed wrong for every other slot: the bits of a score are above 0, too.
  const bits = new Int32Array(scores.buffer, scores.byteOffset, scores.length);
  for (let slot = 0; slot < bits.length; slot += 1) {
    touched[count] = slot;
    count -= -(bits[slot] as number) >> 31;
  }
  return touched.subarray(0, count);
}

const HEX_PREFIX = /^[0-9a-f]{1,32}$/i;
/** Begins the thread of documents that name none, so that it is no other's by accident. */
const NO_THREAD = '\0';

/** A document with words, keys and audience as numbers: what a snapshot holds of one. */
export interface EncodedDoc extends SlotRow {
  keys: Int32Array;
  words: AnalyzedWords;
}

export interface ShelfDeps {
  analyze: Analyze;
  kernel: KernelFactory;
  instant?: InstantModel;
}

export class MemoryShelf implements Shelf {
  readonly type: string;
  readonly ids = new IdTable();
  readonly audiences = new Interner();
  readonly threads = new Interner();
  readonly keys: Postings;
  readonly words: Words;
  readonly vectors: Vectors;
  /** Of the instant model. */
  readonly seconds: Vectors;
  readonly #instant: InstantModel | null;
  readonly #pool = new BlockPool();
  readonly columns = new SlotColumns(this.audiences, () => this.size);
  readonly #search: SlotSearch;
  readonly #timeline: Timeline;
  #continuity: { size: number; value: number } | null = null;
  #model: string | null = null;

  constructor(type: string, deps: ShelfDeps) {
    this.type = type;
    this.keys = new Postings(this.#pool, 0);
    this.words = new Words(this.#pool, deps.analyze);
    this.vectors = new Vectors(deps.kernel);
    this.#instant = deps.instant ?? null;
    this.seconds = new Vectors(deps.kernel, this.#instant?.dimension);
    this.#search = new SlotSearch(this.columns, this.keys);
    const { times, threadOf, audienceOf } = this.columns;
    this.#timeline = new Timeline({ times, threads: threadOf, audiences: audienceOf });
  }

  get size(): number {
    return this.ids.size;
  }

  get slots(): number {
    return this.columns.length;
  }

  get model(): string | null {
    return this.#model;
  }

  setModel(model: string): void {
    if (model === this.#model) return;
    this.#model = model;
    this.vectors.clear();
  }

  put(doc: CatalogDoc): void {
    if (!Number.isFinite(doc.timeMs)) {
      throw new AppError('INVALID_INPUT', 'the time of a document must be a finite number');
    }
    if (!this.ids.isId(doc.id)) {
      throw new AppError('INVALID_INPUT', `"${doc.id}" is not a UUID`);
    }
    if (doc.vector !== null) checkVector(doc.vector);
    const encoded: EncodedDoc = {
      timeMs: doc.timeMs,
      flags: doc.flags | 0,
      audience: this.audiences.intern(doc.audience),
      thread: this.threads.intern(doc.thread ?? `${NO_THREAD}${doc.audience}`),
      keys: this.#internKeys(doc.keys),
      words: this.words.analyze(doc.fields),
    };
    const known = this.ids.slotOf(doc.id);
    if (known !== undefined && this.#isUnchanged(known, encoded)) {
      this.columns.flags.data[known] = encoded.flags;
      this.columns.setAudience(known, encoded.audience);
      this.#setVector(known, doc.vector);
      this.#setSecond(known, doc.embeddingText);
      return;
    }
    if (known !== undefined) this.#removeSlot(known);
    const slot = this.append(encoded);
    this.ids.add(slot, doc.id);
    this.#setVector(slot, doc.vector);
    this.#setSecond(slot, doc.embeddingText);
  }

  /** Adds a document without its id, which the caller gives to the slot next. */
  append(doc: EncodedDoc): number {
    const slot = this.columns.append(doc);
    this.keys.add(slot, doc.keys);
    this.words.add(slot, doc.words);
    this.#timeline.add(slot);
    return slot;
  }

  setVector(id: Uuid, vector: Float32Array | null): void {
    const slot = this.ids.slotOf(id);
    if (slot !== undefined) this.#setVector(slot, vector);
  }

  remove(id: Uuid): boolean {
    const slot = this.ids.slotOf(id);
    if (slot === undefined) return false;
    this.#removeSlot(slot);
    return true;
  }

  /** Puts all documents into the order of time, after they were loaded at once (snapshots). */
  placeAll(): void {
    for (let slot = 0; slot < this.slots; slot += 1)
      if (this.isLive(slot)) this.#timeline.add(slot);
  }

  isLive(slot: number): boolean {
    return this.columns.isLive(slot);
  }

  slotOf(id: Uuid): number | undefined {
    return this.ids.slotOf(id);
  }

  idOf(slot: number): Uuid {
    return this.ids.idOf(slot);
  }

  prefixOf(slot: number): number {
    return this.ids.prefixOf(slot);
  }

  timeOf(slot: number): number {
    return this.columns.times.data[slot] ?? 0;
  }

  flagsOf(slot: number): number {
    return this.columns.flags.data[slot] ?? 0;
  }

  audienceNumberOf(slot: number): number {
    return (this.columns.audienceOf.data[slot] ?? 0) - 1;
  }

  threadNumberOf(slot: number): number {
    return this.columns.threadOf.data[slot] ?? 0;
  }

  threadOf(slot: number): string | undefined {
    const thread = this.threads.textOf(this.threadNumberOf(slot));
    return thread.startsWith(NO_THREAD) ? undefined : thread;
  }

  hasVector(slot: number): boolean {
    return this.vectors.has(slot);
  }

  withoutVector(): Uuid[] {
    const slots: number[] = [];
    for (let slot = 0; slot < this.slots; slot += 1) {
      if (this.isLive(slot) && !this.hasVector(slot)) slots.push(slot);
    }
    slots.sort((a, b) => this.timeOf(a) - this.timeOf(b));
    return slots.map((slot) => this.idOf(slot));
  }

  lengthOf(slot: number): number {
    return this.words.lengthOf(slot);
  }

  telling(...asked: Parameters<Shelf['telling']>): Map<string, number> {
    return this.words.telling(...asked);
  }

  accepts(filter: SlotFilter): (slot: number) => boolean {
    return this.#search.accepts(filter);
  }

  idsWithPrefix(hex: string, limit: number): Uuid[] {
    const digits = hex.replaceAll('-', '');
    const found: Uuid[] = [];
    if (!HEX_PREFIX.test(digits)) return found;
    for (const slot of this.ids.withPrefix(digits, this.columns.length)) {
      if (found.length >= limit) break;
      if (this.isLive(slot)) found.push(this.idOf(slot));
    }
    return found;
  }

  byKeys(
    keys: readonly string[],
    filter: SlotFilter,
    limit: number,
  ): { hits: Hit[]; total: number } {
    return this.#hits(this.#search.byKeys(keys, filter, limit));
  }

  hasKeys(keys: readonly string[], filter: SlotFilter): boolean {
    return this.#search.hasKeys(keys, filter);
  }

  newest(filter: SlotFilter, limit: number): { hits: Hit[]; total: number } {
    return this.#hits(this.#search.newest(filter, limit));
  }

  documentFrequency(term: string): number {
    return this.words.documentFrequency(term);
  }

  get averageLength(): number {
    return this.words.averageLength;
  }

  get averageText(): number {
    return this.words.averageText;
  }

  keyword(
    terms: ReadonlyMap<string, number>,
    filter: SlotFilter,
    { spread = null }: { spread?: Spread | null } = {},
  ): DenseScores {
    const scores = this.#noScores();
    if (spread === null) {
      this.words.score(terms, scores, this.columns.firstSince(filter.sinceMs ?? -Infinity));
    } else {
      const { reader } = filter;
      const readable = acceptsEvery(this.columns, { reader }) ? null : this.accepts({ reader });
      this.words.scoreSpread(terms, scores, spread, this.#timeline.places(), readable);
    }
    return this.#dense(scores, filter);
  }

  continuity(): number {
    const { size } = this;
    const known = this.#continuity;
    if (known !== null && Math.abs(size - known.size) * 10 <= known.size) return known.value;
    const value = threadCoherence(this.words, this.#timeline.places());
    this.#continuity = { size, value };
    return value;
  }

  prepare(vector: Float32Array): void {
    const scores = this.#noScores();
    this.vectors.nearest(vector, scores);
    giveBack(scores);
  }

  nearest(vector: Float32Array, filter: SlotFilter): DenseScores {
    const scores = this.#noScores();
    this.vectors.nearest(vector, scores);
    return this.#dense(scores, filter);
  }

  alike(text: string, filter: SlotFilter): DenseScores | null {
    if (this.#instant === null) return null;
    const scores = this.#noScores();
    this.seconds.nearest(this.#instant.embed(text), scores);
    return this.#dense(scores, filter);
  }

  beside(slot: number, filter: SlotFilter, most: number, least: number): number[] {
    return this.seconds.beside(slot, this.accepts(filter), most, least);
  }

  withNeighbours(
    { scores, touched }: DenseScores,
    shares: Spread,
    filter: SlotFilter,
  ): DenseScores {
    const { length, slots, runs, places } = this.#timeline.places();
    const given = takeZeros(length);
    for (const slot of touched) given[places[slot] as number] = scores[slot] as number;
    const sums = takeZeros(length);
    sums.set(given);
    for (let at = 0; at < Math.max(shares.before.length, shares.after.length); at += 1) {
      const [back, on] = [shares.before[at] ?? 0, shares.after[at] ?? 0];
      for (let before = 0, after = at + 1; after < length; before += 1, after += 1) {
        if (runs[before] !== runs[after]) continue;
        sums[after] = (sums[after] as number) + on * (given[before] as number);
        sums[before] = (sums[before] as number) + back * (given[after] as number);
      }
    }
    const summed = takeZeros(scores.length);
    for (let place = 0; place < length; place += 1) {
      summed[slots[place] as number] = sums[place] as number;
    }
    giveBack(given);
    giveBack(sums);
    return this.#dense(summed, filter);
  }

  placeOf(slot: number): number {
    return this.isLive(slot) ? (this.#timeline.places().places[slot] as number) : -1;
  }

  slotAt(place: number): number | undefined {
    const { length, slots } = this.#timeline.places();
    return place >= 0 && place < length ? slots[place] : undefined;
  }

  memory(): Record<string, number> {
    return {
      ids: this.ids.bytes,
      columns: this.columns.bytes,
      timeline: this.#timeline.bytes,
      keys: this.keys.bytes,
      words: this.words.bytes,
      postings: this.#pool.bytes,
      audiences: this.audiences.bytes + this.columns.audienceSizes.bytes,
      threads: this.threads.bytes,
      vectors: this.vectors.bytes,
      secondVectors: this.seconds.bytes,
    };
  }

  /** For one search, and not kept by the shelf: two are fused after both have run, and a caller may await between them. */
  #noScores(): Float32Array {
    return takeZeros(this.columns.length);
  }

  #dense(scores: Float32Array, filter: SlotFilter): DenseScores {
    this.#search.clearOthers(filter, scores);
    return scored(scores);
  }

  #hits({ slots, total }: Found): { hits: Hit[]; total: number } {
    return { hits: slots.map((slot) => ({ slot, id: this.idOf(slot), score: 1 })), total };
  }

  #setVector(slot: number, vector: Float32Array | null): void {
    if (vector === null || this.#model === null) this.vectors.remove(slot);
    else this.vectors.set(slot, vector);
  }

  #setSecond(slot: number, text: string | undefined): void {
    const vector = text === undefined ? undefined : this.#instant?.embed(text);
    if (vector?.some((value) => value !== 0)) this.seconds.set(slot, vector);
    else this.seconds.remove(slot);
  }

  #internKeys(keys: readonly string[]): Int32Array {
    const numbers = new Set<number>();
    for (const key of keys) numbers.add(this.keys.names.intern(key));
    return Int32Array.from(numbers).sort();
  }

  #isUnchanged(slot: number, doc: EncodedDoc): boolean {
    return (
      this.timeOf(slot) === doc.timeMs &&
      this.columns.threadOf.data[slot] === doc.thread &&
      this.words.lengthOf(slot) === doc.words.length + doc.words.aside &&
      this.words.asideOf(slot) === doc.words.aside &&
      isSame(this.keys.entriesOf(slot), doc.keys) &&
      isSame(this.words.postings.entriesOf(slot), doc.words.entries)
    );
  }

  #removeSlot(slot: number): void {
    this.ids.remove(slot);
    this.keys.remove(slot);
    this.words.remove(slot);
    this.vectors.remove(slot);
    this.seconds.remove(slot);
    this.columns.setAudience(slot, null);
    this.#timeline.remove();
  }
}

function isSame(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
