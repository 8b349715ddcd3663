/**
 * The catalog: a rebuildable in-memory projection of our records that search and checks run on
 * (DESIGN §3). One shelf per record type; documents of a shelf are numbered by slots, so that scores
 * are plain arrays. It is never a source of truth.
 */
import type { Uuid } from '../../shared/ids.js';
import type { Reader } from '../scope.js';

/** One text of a document; its words count `weight` times (1 to 4; 1 if not given). */
export interface SearchField {
  text: string;
  weight?: number;
  /**
   * It stands beside what the document is about: its words count half, and its length is compared
   * with that of other texts beside, so that a long answer does not hide a short request.
   */
  isAside?: boolean;
}

/** Embeds a text at once. What it makes is kept in the catalog and nowhere else. */
export interface InstantModel {
  readonly id: string;
  /** Numbers in a vector. */
  readonly dimension: number;
  /** Unit vector; zeros for a text it can say nothing about. */
  embed(text: string): Float32Array;
}

export interface CatalogDoc {
  id: Uuid;
  timeMs: number;
  keys: readonly string[];
  flags: number;
  /** From `audienceOf`. */
  audience: string;
  /**
   * Documents of one thread (a session, a conversation) are neighbours in time; absent: the audience.
   */
  thread?: string;
  fields: readonly SearchField[];
  /** Unit vector of the shelf's model, `null` while it has none. */
  vector: Float32Array | null;
  /** What the catalog's instant model embeds for a second vector; absent: there is none. */
  embeddingText?: string;
}

export interface SlotFilter {
  reader: Reader;
  /** Bits that must all be set, and bits of which none may be. */
  flagsAll?: number;
  flagsNone?: number;
  /** Inclusive / exclusive, ms. */
  sinceMs?: number;
  beforeMs?: number;
  /** Keys that must all be present. */
  keysAll?: readonly string[];
}

export interface Hit {
  slot: number;
  id: Uuid;
  score: number;
}

/** Score of each slot (0: no match, filtered out or removed); `touched` lists the slots above 0. */
export interface DenseScores {
  scores: Float32Array;
  touched: Int32Array;
  /** The scores are read no more: the next search may have their room. */
  release(): void;
}

export interface Shelf {
  readonly type: string;
  /** Live documents. */
  readonly size: number;
  /** Slots in use, holes of removed documents included; slots are below this. */
  readonly slots: number;
  /** Model of the vectors kept here. Another model's vectors are never compared. */
  readonly model: string | null;
  /** Sets the model; vectors of another one are dropped. Before it is set no vector is kept. */
  setModel(model: string): void;
  /**
   * Adds or replaces. A document whose words, keys, thread and time are unchanged keeps its slot.
   * @throws AppError INVALID_INPUT for an id, time or vector that is none
   */
  put(doc: CatalogDoc): void;
  setVector(id: Uuid, vector: Float32Array | null): void;
  remove(id: Uuid): boolean;
  slotOf(id: Uuid): number | undefined;
  idOf(slot: number): Uuid;
  /** The first eight hex digits of its id as a number. */
  prefixOf(slot: number): number;
  timeOf(slot: number): number;
  flagsOf(slot: number): number;
  /** The thread that the document names, if any. */
  threadOf(slot: number): string | undefined;
  hasVector(slot: number): boolean;
  /** Documents that have none, oldest first. */
  withoutVector(): Uuid[];
  /** Terms of the document, weighted by field. */
  lengthOf(slot: number): number;
  /**
   * The `limit` terms that tell most about some documents, with weights up to 1: often in them, rare
   * elsewhere.
   * @param shares how much each slot counts
   */
  telling(
    shares: ReadonlyMap<number, number>,
    leftOut: ReadonlyMap<string, unknown>,
    limit: number,
  ): Map<string, number>;
  /** A test of slots for this filter, cheap to build and to call; `keysAll` as of now. */
  accepts(filter: SlotFilter): (slot: number) => boolean;
  /** Full ids that begin with the hex digits (dashes ignored), at most `limit`. */
  idsWithPrefix(hex: string, limit: number): Uuid[];
  /** Documents that have every key, newest first; `total` counts all of them. */
  byKeys(
    keys: readonly string[],
    filter: SlotFilter,
    limit: number,
  ): { hits: Hit[]; total: number };
  /** Whether any document has every key (at least one is given): cheaper than `byKeys`. */
  hasKeys(keys: readonly string[], filter: SlotFilter): boolean;
  /** Newest first. */
  newest(filter: SlotFilter, limit: number): { hits: Hit[]; total: number };
  /** How many live documents hold the term. */
  documentFrequency(term: string): number;
  /** Mean number of terms of a live document. */
  readonly averageLength: number;
  /** The same without what stands aside. */
  readonly averageText: number;
  /**
   * BM25F over already analyzed terms, each with its weight; k1 1.2, b 0.75; two fields, the text
   * and what stands aside of it with weight ½. Lengths below 25 words say little about a short text,
   * so what the average length of a field lacks of 25 is added to all of them.
   * With `spread`, what a term gives to a document it also gives, times its share, to the readable
   * documents near it in the same thread, up to a silence of more than 30 minutes; per term a document
   * takes the largest of what it is given, so that neighbours complement but never pile up. Terms in
   * more than a fifth of the documents do not spread.
   */
  keyword(
    terms: ReadonlyMap<string, number>,
    filter: SlotFilter,
    options?: { spread?: Spread | null },
  ): DenseScores;
  /**
   * How much neighbours in a thread talk about the same: the idf-weighted share of term occurrences
   * (of terms in at most a tenth of the documents) whose term occurs again within two places, above
   * what chance gives. About 0 for unrelated documents, 0.04 to 0.1 for conversations. Estimated on a
   * bounded sample, computed again when the shelf has grown or shrunk by a tenth.
   */
  continuity(): number;
  /** Compares with what is here while something else is waited for: `nearest` then compares the rest. */
  prepare(vector: Float32Array): void;
  /** Cosine to each vector, from int8; negative ones are 0. */
  nearest(vector: Float32Array, filter: SlotFilter): DenseScores;
  /**
   * Cosine of the text to each second vector, from int8; negative ones are 0. `null` where the catalog
   * has no instant model.
   */
  alike(text: string, filter: SlotFilter): DenseScores | null;
  /**
   * Others whose second vectors are nearest to that of a slot, best first.
   * @param most at most so many
   * @param least cosine
   */
  beside(slot: number, filter: SlotFilter, most: number, least: number): number[];
  /**
   * What a score adds to the neighbours in its run that the filter lets through: itself times their
   * share. Only the given scores give, so nothing hidden shows.
   */
  withNeighbours(list: DenseScores, shares: Spread, filter: SlotFilter): DenseScores;
  /** Place of a slot in the order of (thread, time, insertion), -1 for a hole, and back. */
  placeOf(slot: number): number;
  slotAt(place: number): number | undefined;
  /** Bytes held, by part. */
  memory(): Record<string, number>;
}

/** What of a score is passed on to those one, two … places before and after in the same run. */
export interface Spread {
  before: readonly number[];
  after: readonly number[];
}

export interface LinkEdge {
  id: Uuid;
  source: Uuid;
  target: Uuid;
  type: string;
}

/** Typed edges between documents, walked from both ends. */
export interface LinkGraph {
  readonly size: number;
  put(edge: LinkEdge): void;
  remove(id: Uuid): boolean;
  /** Edges that start (`out`) or end (`in`) at the document. */
  out(id: Uuid): readonly LinkEdge[];
  in(id: Uuid): readonly LinkEdge[];
}

export type CatalogState =
  | { state: 'loading'; loaded: number; total: number | null }
  | { state: 'ready'; fromSnapshot: boolean; tookMs: number }
  | { state: 'failed'; reason: string };

export interface Catalog {
  readonly links: LinkGraph;
  /** Made when first asked for. */
  shelf(type: string): Shelf;
  status(): CatalogState;
  /** Resolves when it is ready or failed. */
  loaded(): Promise<CatalogState>;
}

/**
 * Words of a text as the catalog indexes them (`shared/text`). Each stretch between blanks is by itself,
 * and so is each word in a stretch of ASCII: letters and digits, `_` and `'`.
 */
export type Analyze = (text: string) => string[];
