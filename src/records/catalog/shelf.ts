/** One record type's documents and the searches over them (the contract is in types.ts). */
import { AppError } from '../../shared/errors.js';
import type { Uuid } from '../../shared/ids.js';
import { float64Column, int32Column } from './columns.js';
import { continuityOf } from './continuity.js';
import { IdTable } from './id-table.js';
import { BlockPool } from './int-lists.js';
import { Interner } from './interner.js';
import type { KernelFactory } from './kernel.js';
import { createNewest } from './newest.js';
import { intersect, Postings } from './postings.js';
import { acceptsEvery, acceptsPlain, type FilterColumns } from './slot-filter.js';
import { Timeline } from './timeline.js';
import type { Analyze, CatalogDoc, DenseScores, Hit, Shelf, SlotFilter } from './types.js';
import { checkVector, Vectors } from './vectors.js';
import { type AnalyzedWords, Words } from './words.js';

const HEX_PREFIX = /^[0-9a-f]{1,32}$/i;
const nothing = () => false;
const nowhere = new Int32Array(0);
/** Begins the thread of documents that name none, so that it is no other's by accident. */
const NO_THREAD = '\0';

/** A document with words, keys and audience as numbers: what a snapshot holds of one. */
export interface EncodedDoc {
  timeMs: number;
  flags: number;
  audience: number;
  thread: number;
  keys: Int32Array;
  words: AnalyzedWords;
}

export class MemoryShelf implements Shelf {
  readonly type: string;
  readonly ids = new IdTable();
  readonly audiences = new Interner();
  readonly threads = new Interner();
  readonly keys: Postings;
  readonly words: Words;
  readonly vectors: Vectors;
  readonly #pool = new BlockPool();
  readonly #times = float64Column();
  readonly #flags = int32Column();
  /** Number of the audience + 1; 0 for holes, and for slots not yet in use. */
  readonly #audienceOf = int32Column();
  readonly #threadOf = int32Column();
  /** Latest time of this slot and all before it: tells a search for the newest when to stop. */
  readonly #latest = float64Column();
  /** Live documents per audience. */
  readonly #audienceSizes = int32Column();
  readonly #timeline: Timeline;
  readonly #columns: FilterColumns = {
    audiences: this.audiences,
    audienceOf: this.#audienceOf,
    audienceSizes: this.#audienceSizes,
    flags: this.#flags,
    times: this.#times,
    size: () => this.size,
  };
  #continuity: { size: number; value: number } | null = null;
  #slots = 0;
  #model: string | null = null;

  constructor(type: string, deps: { analyze: Analyze; kernel: KernelFactory }) {
    this.type = type;
    this.keys = new Postings(this.#pool, 0);
    this.words = new Words(this.#pool, deps.analyze);
    this.vectors = new Vectors(deps.kernel);
    this.#timeline = new Timeline({
      times: this.#times,
      threads: this.#threadOf,
      audiences: this.#audienceOf,
    });
  }

  get size(): number {
    return this.ids.size;
  }

  get slots(): number {
    return this.#slots;
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
      this.#flags.data[known] = encoded.flags;
      this.#setAudience(known, encoded.audience + 1);
      this.#setVector(known, doc.vector);
      return;
    }
    if (known !== undefined) this.#removeSlot(known);
    const slot = this.append(encoded);
    this.ids.add(slot, doc.id);
    this.#setVector(slot, doc.vector);
  }

  /** Adds a document without its id, which the caller gives to the slot next. */
  append(doc: EncodedDoc): number {
    const slot = this.#slots;
    this.#times.reserve(slot + 1);
    this.#flags.reserve(slot + 1);
    this.#audienceOf.reserve(slot + 1);
    this.#threadOf.reserve(slot + 1);
    this.#latest.reserve(slot + 1);
    this.#times.data[slot] = doc.timeMs;
    this.#flags.data[slot] = doc.flags;
    this.#threadOf.data[slot] = doc.thread;
    const latest = slot === 0 ? doc.timeMs : (this.#latest.data[slot - 1] as number);
    this.#latest.data[slot] = Math.max(latest, doc.timeMs);
    this.#setAudience(slot, doc.audience + 1);
    this.#slots = slot + 1;
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

  /** The same by the four words of the id (snapshots). */
  removeByWords(words: Uint32Array): void {
    const slot = this.ids.slotOfWords(words);
    if (slot !== undefined) this.#removeSlot(slot);
  }

  isLive(slot: number): boolean {
    return (this.#audienceOf.data[slot] ?? 0) !== 0;
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
    return this.#times.data[slot] ?? 0;
  }

  flagsOf(slot: number): number {
    return this.#flags.data[slot] ?? 0;
  }

  audienceNumberOf(slot: number): number {
    return (this.#audienceOf.data[slot] ?? 0) - 1;
  }

  threadNumberOf(slot: number): number {
    return this.#threadOf.data[slot] ?? 0;
  }

  hasVector(slot: number): boolean {
    return this.vectors.has(slot);
  }

  lengthOf(slot: number): number {
    return this.words.lengthOf(slot);
  }

  accepts(filter: SlotFilter): (slot: number) => boolean {
    const plain = acceptsPlain(this.#columns, filter);
    if (filter.keysAll === undefined || filter.keysAll.length === 0) return plain;
    const lists = this.#keyLists(filter.keysAll);
    if (lists === null) return nothing;
    const marks = new Uint32Array((this.#slots >>> 5) + 1);
    intersect(lists, (slot) => {
      marks[slot >>> 5] = (marks[slot >>> 5] as number) | (1 << (slot & 31));
    });
    return (slot) => ((marks[slot >>> 5] ?? 0) & (1 << (slot & 31))) !== 0 && plain(slot);
  }

  idsWithPrefix(hex: string, limit: number): Uuid[] {
    const digits = hex.replaceAll('-', '');
    const found: Uuid[] = [];
    if (!HEX_PREFIX.test(digits)) return found;
    for (const slot of this.ids.withPrefix(digits, this.#slots)) {
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
    const all = [...keys, ...(filter.keysAll ?? [])];
    if (all.length === 0) return this.newest(filter, limit);
    const lists = this.#keyLists(all);
    if (lists === null) return { hits: [], total: 0 };
    const [first = nowhere] = lists;
    if (lists.length === 1) {
      return this.#newestOf(first.length, (i) => first[i] as number, filter, limit);
    }
    const found: number[] = [];
    const accepts = acceptsPlain(this.#columns, filter);
    intersect(lists, (slot) => {
      if (accepts(slot)) found.push(slot);
    });
    const newest = createNewest(limit, this.#times.data);
    for (const slot of found) newest.offer(slot);
    return { hits: newest.take().map((slot) => this.#hit(slot)), total: found.length };
  }

  hasKeys(keys: readonly string[], filter: SlotFilter): boolean {
    const lists = this.#keyLists([...keys, ...(filter.keysAll ?? [])]);
    if (lists === null) return false;
    const accepts = acceptsPlain(this.#columns, filter);
    const [first] = lists;
    if (lists.length > 1 || first === undefined) return this.byKeys(keys, filter, 1).total > 0;
    const since = filter.sinceMs ?? Number.NEGATIVE_INFINITY;
    for (let at = first.length - 1; at >= 0; at -= 1) {
      const slot = first[at] as number;
      if ((this.#latest.data[slot] as number) < since) return false;
      if (accepts(slot)) return true;
    }
    return false;
  }

  newest(filter: SlotFilter, limit: number): { hits: Hit[]; total: number } {
    if (filter.keysAll !== undefined && filter.keysAll.length > 0) {
      return this.byKeys([], filter, limit);
    }
    return this.#newestOf(this.#slots, (slot) => slot, filter, limit);
  }

  documentFrequency(term: string): number {
    return this.words.documentFrequency(term);
  }

  get averageLength(): number {
    return this.words.averageLength;
  }

  keyword(
    terms: ReadonlyMap<string, number>,
    filter: SlotFilter,
    options: { spread?: readonly number[] } = {},
  ): DenseScores {
    const scores = new Float32Array(this.#slots);
    const { spread = [] } = options;
    if (spread.length === 0) {
      this.words.score(terms, scores);
    } else {
      const { reader } = filter;
      const readable = acceptsEvery(this.#columns, { reader }) ? null : this.accepts({ reader });
      this.words.scoreSpread(terms, scores, spread, this.#timeline.places(), readable);
    }
    return dense(scores, acceptsEvery(this.#columns, filter) ? null : this.accepts(filter));
  }

  continuity(): number {
    const { size } = this;
    const known = this.#continuity;
    if (known !== null && Math.abs(size - known.size) * 10 <= known.size) return known.value;
    const value = continuityOf(this.words, this.#timeline.places());
    this.#continuity = { size, value };
    return value;
  }

  nearest(vector: Float32Array, filter: SlotFilter): DenseScores {
    const scores = new Float32Array(this.#slots);
    this.vectors.nearest(vector, scores);
    return dense(scores, acceptsEvery(this.#columns, filter) ? null : this.accepts(filter));
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
      columns:
        this.#times.bytes +
        this.#latest.bytes +
        this.#flags.bytes +
        this.#audienceOf.bytes +
        this.#threadOf.bytes,
      timeline: this.#timeline.bytes,
      keys: this.keys.bytes,
      words: this.words.bytes,
      postings: this.#pool.bytes,
      audiences: this.audiences.bytes + this.#audienceSizes.bytes,
      threads: this.threads.bytes,
      vectors: this.vectors.bytes,
    };
  }

  #hit(slot: number): Hit {
    return { slot, id: this.idOf(slot), score: 1 };
  }

  #setVector(slot: number, vector: Float32Array | null): void {
    if (vector === null || this.#model === null) this.vectors.remove(slot);
    else this.vectors.set(slot, vector);
  }

  #internKeys(keys: readonly string[]): Int32Array {
    const numbers = new Set<number>();
    for (const key of keys) numbers.add(this.keys.names.intern(key));
    return Int32Array.from(numbers).sort();
  }

  #isUnchanged(slot: number, doc: EncodedDoc): boolean {
    return (
      this.timeOf(slot) === doc.timeMs &&
      this.#threadOf.data[slot] === doc.thread &&
      this.words.lengthOf(slot) === doc.words.length &&
      isSame(this.keys.entriesOf(slot), doc.keys) &&
      isSame(this.words.postings.entriesOf(slot), doc.words.entries)
    );
  }

  #removeSlot(slot: number): void {
    this.ids.remove(slot);
    this.keys.remove(slot);
    this.words.remove(slot);
    this.vectors.remove(slot);
    this.#setAudience(slot, 0);
    this.#timeline.remove();
  }

  #setAudience(slot: number, audience: number): void {
    const old = this.#audienceOf.data[slot] as number;
    const sizes = this.#audienceSizes;
    sizes.reserve(Math.max(old, audience) + 1);
    if (old > 0) sizes.data[old] = (sizes.data[old] as number) - 1;
    if (audience > 0) sizes.data[audience] = (sizes.data[audience] as number) + 1;
    this.#audienceOf.data[slot] = audience;
  }

  /**
   * The newest of `length` slots, ascending by index. Walks from the end until nothing newer can
   * come, then only counts; and when the filter lets all through, the count is known.
   */
  #newestOf(
    length: number,
    slotAt: (index: number) => number,
    filter: SlotFilter,
    limit: number,
  ): { hits: Hit[]; total: number } {
    const accepts = acceptsPlain(this.#columns, filter);
    const newest = createNewest(limit, this.#times.data);
    const latest = this.#latest.data;
    const since = filter.sinceMs ?? Number.NEGATIVE_INFINITY;
    let total = 0;
    let at = length - 1;
    for (let complete = limit <= 0; at >= 0 && !complete; at -= 1) {
      const slot = slotAt(at);
      if ((latest[slot] as number) < since) break;
      if (!accepts(slot)) continue;
      total += 1;
      newest.offer(slot);
      complete = newest.isFull() && (latest[slot] as number) <= newest.oldest();
    }
    const hits = newest.take().map((slot) => this.#hit(slot));
    if (acceptsEvery(this.#columns, { ...filter, keysAll: [] })) {
      // Postings hold no holes, the slots of the shelf may.
      return { hits, total: Math.min(length, this.size) };
    }
    for (; at >= 0; at -= 1) {
      const slot = slotAt(at);
      // This one and all before it are too old.
      if ((latest[slot] as number) < since) break;
      if (accepts(slot)) total += 1;
    }
    return { hits, total };
  }

  /** Postings of every key; `null` when one of them is unknown. */
  #keyLists(keys: readonly string[]): Int32Array[] | null {
    const lists: Int32Array[] = [];
    for (const key of keys) {
      const number = this.keys.names.numberOf(key);
      if (number === undefined) return null;
      lists.push(this.keys.postingsOf(number));
    }
    return lists;
  }
}

function isSame(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * A fresh array for every search and not one kept by the shelf: two searches are fused after both
 * have run, and a caller may await between them. 400 KB at 100,000 slots, zeroed in 0.03 ms.
 */
function dense(scores: Float32Array, accepts: ((slot: number) => boolean) | null): DenseScores {
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
