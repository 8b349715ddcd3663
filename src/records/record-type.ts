/** What a typed record is, and the one interface through which rooms read and write them. */
import type { SQL } from 'drizzle-orm';
import type { z } from 'zod';
import type { Uuid } from '../shared/ids.js';
import type { Catalog, LinkEdge, SearchField, SlotFilter } from './catalog/types.js';
import type { Reader, Scope } from './scope.js';

/** What search and checks see of a record. */
export interface IndexEntry {
  /** Time the thing happened, ms; it orders the timeline. */
  timeMs: number;
  /** Exact lookup keys, e.g. `file:src/auth.ts`, `tag:jwt`; made by the owning room. */
  keys: readonly string[];
  /** Bit field of the owning room (success, failure …). */
  flags: number;
  fields: readonly SearchField[];
  /** Records of one thread (a session) are neighbours in time; absent: those of one audience. */
  thread?: string;
}

export interface RecordType<Data> {
  name: `cue_${string}`;
  /** Current schema version, from 1. */
  version: number;
  /** Parses the data of the current version. Loose: fields of a newer writer survive. */
  schema: z.ZodType<Data>;
  /** `upgrades[n]` turns data of version n into data of version n + 1. */
  upgrades: Readonly<Record<number, (data: Record<string, unknown>) => Record<string, unknown>>>;
  /** `content.text`: what a person reads in the host's own memory viewer. */
  text(data: Data): string;
  /** Absent: the type is not in the catalog. */
  index?(data: Data, createdAtMs: number): IndexEntry;
  /** Text that is embedded; absent: the type has no vectors. */
  embeddingText?(data: Data): string;
  /** Present: records of the type are edges between documents (`catalog.links`). */
  edge?(data: Data): Omit<LinkEdge, 'id'>;
}

export interface StoredRecord<Data> {
  id: Uuid;
  text: string;
  createdAtMs: number;
  /** Counts changes of the data, from 1; what compare-and-set compares. */
  revision: number;
  scope: Scope;
  data: Data;
  /** Id of the model that made the stored vector, `null` when there is none. */
  embeddingModel: string | null;
}

/** A vector and the model that made it. Unit length, 384 numbers, all finite. */
export interface ModelVector {
  model: string;
  vector: Float32Array;
}

export interface NewTypedRecord<Data> {
  id: Uuid;
  createdAtMs: number;
  scope: Scope;
  data: Data;
  vector?: ModelVector | null;
}

export interface RecordPage {
  limit: number;
  /** Opaque, from `nextCursor` of the page before. */
  cursor?: string;
}

/** What could not be read, so that one damaged row never hides the others. */
export interface DamagedRecord {
  id: Uuid;
  reason: string;
}

/** What may be older than what the catalog holds. */
export interface OlderQuestion {
  reader: Reader;
  sinceMs?: number | undefined;
  beforeMs?: number | undefined;
  /** Bits that must all be set; bits of which none may be, for the keys. */
  flagsAll?: number | undefined;
  flagsNone?: number | undefined;
  /** Groups of keys; a record fits a group that it has all keys of. An empty group: the newest. */
  keys?: readonly (readonly string[])[];
  /** Analyzed words with their weights. */
  terms?: ReadonlyMap<string, number>;
  vector?: Float32Array | null;
  /** Records brought by each of keys, words and vector, at most. */
  limit: number;
}

/** The records of one type that lie beyond the catalog's bound. */
export interface OlderRecords {
  /**
   * Puts into the catalog what could answer and is not in it; returns their ids.
   * @throws the error of the database
   */
  bring(question: OlderQuestion): Promise<Uuid[]>;
  /** The same for records that are named. */
  bringNamed(ids: readonly Uuid[]): Promise<Uuid[]>;
  /** How many records the filter lets through, in the catalog or beyond. */
  count(filter: SlotFilter): Promise<number>;
  /** Those without a vector of the model; `null`: not known, or many. */
  withoutVector(model: string): Promise<Uuid[] | null>;
  /** Why some of them cannot be found yet; `null`: all can. */
  lacking(): string | null;
}

/** What there is of a store within a transaction. */
export type TransactionStore = Pick<RecordStore, 'insert' | 'get' | 'replace' | 'remove'>;

/**
 * Typed records of one project. Every read passes the reader; what the reader may not see is absent.
 * After each committed write the catalog is brought in line, so a search right after sees it.
 */
export interface RecordStore {
  readonly projectId: Uuid;
  readonly catalog: Catalog;
  /** Records that the catalog does not hold; `null` while it holds all of the type. */
  older(type: RecordType<unknown>): OlderRecords | null;
  /**
   * Inserts what is new (row and vector in one statement, at most 50 rows each, a turn of the event
   * loop between statements). Returns the ids inserted; the others existed.
   */
  insert<Data>(
    type: RecordType<Data>,
    records: readonly NewTypedRecord<Data>[],
    options?: {
      onProgress?: (done: number) => void;
      /** The revision is 1, or higher where a record of the id was removed before. */
      onInserted?: (id: Uuid, revision: number) => void;
      signal?: AbortSignal;
    },
  ): Promise<Set<Uuid>>;
  /**
   * In the order of `ids`; missing, damaged and unreadable ones are absent. Records of the catalog that
   * were read at most `heldMs` ago, and of whose change it has not heard since, are not read again; all
   * are when it is absent.
   */
  get<Data>(
    type: RecordType<Data>,
    ids: readonly Uuid[],
    reader: Reader,
    heldMs?: number,
  ): Promise<StoredRecord<Data>[]>;
  /**
   * Replaces the data if the stored revision still is `revision`: one statement.
   * `vector: null` drops the vector (it is embedded again in the background); absent keeps it.
   * `keep`: fields of the data that stay as they are stored, such as those that `touch` changes.
   * @throws AppError CONFLICT with `details.revision` (the current one), NOT_FOUND
   */
  replace<Data>(
    type: RecordType<Data>,
    id: Uuid,
    revision: number,
    change: {
      data: Data;
      scope?: Scope;
      vector?: ModelVector | null;
      keep?: readonly string[];
    },
  ): Promise<StoredRecord<Data>>;
  /** Newest first by (createdAt, id), or by a numeric field of the data, largest first. */
  list<Data>(
    type: RecordType<Data>,
    reader: Reader,
    query: RecordPage & { where?: SQL; orderBy?: string },
  ): Promise<{ records: StoredRecord<Data>[]; total: number; nextCursor: string | null }>;
  count<Data>(type: RecordType<Data>, reader: Reader, where?: SQL): Promise<number>;
  /** Damaged rows of a type as far as they were read: neither found, listed nor counted. */
  setAside(type: RecordType<unknown>): readonly Uuid[];
  /**
   * Every readable record in chunks, oldest first or `newestFirst`, with a turn of the loop between
   * them. Who stops at a bound and wants the latest asks for the newest first.
   */
  scan<Data>(
    type: RecordType<Data>,
    reader: Reader,
    options?: {
      where?: SQL;
      chunk?: number;
      newestFirst?: boolean;
      onDamaged?: (damaged: DamagedRecord) => void;
    },
  ): AsyncIterable<StoredRecord<Data>[]>;
  /**
   * Leaves a tombstone, so that other processes and snapshots learn of it. With `revisions`, only what
   * still is at its revision goes. Returns how many.
   */
  remove<Data>(
    type: RecordType<Data>,
    ids: readonly Uuid[],
    options?: { revisions?: ReadonlyMap<Uuid, number> },
  ): Promise<number>;
  /**
   * All that `work` writes with the store it is given, or nothing, also when the process is killed: one
   * transaction, and only that store may be used in it. The catalog is brought in line after the commit.
   */
  atomically<T>(work: (store: TransactionStore) => Promise<T>): Promise<T>;
  /** Numbers added to and fields set on the data without a new revision (access counts). */
  touch<Data>(
    type: RecordType<Data>,
    ids: readonly Uuid[],
    change: { add?: Record<string, number>; set?: Record<string, string | number> },
  ): Promise<void>;
  /** Writes vectors of records whose revision is unchanged; returns how many were written. */
  setVectors(
    type: RecordType<unknown>,
    rows: readonly { id: Uuid; revision: number; vector: ModelVector }[],
  ): Promise<number>;
  /** Records without a vector of `model`, oldest first, in chunks: what is to be embedded (again). */
  withoutVector<Data>(
    type: RecordType<Data>,
    model: string,
    chunk: number,
  ): AsyncIterable<StoredRecord<Data>[]>;
}
