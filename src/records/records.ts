/**
 * The one way into Eliza's `memories` table: typed records, inserted once, changed by
 * compare-and-set, listed with a total order. Metadata is the record; `content.text` is what a
 * person reads. Statements are small; callers loop with `yieldToLoop` between them.
 */
import { and, desc, eq, gt, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import { type Database, type Executor, inIndexOrder, rowsOf, sqlList } from '../host/database.js';
import type { Uuid } from '../shared/ids.js';
import type { Home } from './home.js';
import { withoutNul } from './record-codec.js';
import { memoriesTable } from './tables.js';

/** A record as stored: `data` is the metadata object, without the host's columns. */
export interface RecordRow<Data> {
  id: Uuid;
  type: string;
  text: string;
  createdAtMs: number;
  data: Data;
}

export interface NewRecord {
  id: Uuid;
  text: string;
  createdAtMs: number;
  data: Record<string, unknown>;
}

/** Place in a list: the rows strictly after (createdAtMs, id) in the order of the list. */
export interface RecordCursor {
  createdAtMs: number;
  id: Uuid;
}

export interface Records {
  readonly db: Database;
  readonly home: Home;
  /** Inserts the rows whose id is new; returns the ids that were inserted (the others existed). */
  insertOnce(type: string, rows: NewRecord[], db?: Executor): Promise<Set<Uuid>>;
  /**
   * Merges `patch` into the record if `condition` holds for the stored metadata, in one statement.
   * A `null` in the patch removes the key. Returns the new data, or `null` when the row is missing
   * or the condition failed: the caller then re-reads.
   */
  compareAndSet(
    type: string,
    id: Uuid,
    condition: SQL,
    patch: Record<string, unknown>,
    options?: { text?: string; db?: Executor },
  ): Promise<Record<string, unknown> | null>;
  get(type: string, ids: Uuid[]): Promise<RecordRow<Record<string, unknown>>[]>;
  /**
   * Newest first by (createdAt, id), or oldest first; `limit` is required. `walk`: nearly every row fits, so walk an
   * index that has the order instead of collecting them all.
   */
  list(
    type: string,
    options: {
      where?: SQL;
      limit: number;
      after?: RecordCursor;
      oldestFirst?: boolean;
      walk?: boolean;
    },
  ): Promise<RecordRow<Record<string, unknown>>[]>;
  count(type: string, where?: SQL): Promise<number>;
  delete(type: string, ids: Uuid[], db?: Executor): Promise<number>;
  transaction<T>(work: (tx: Executor) => Promise<T>): Promise<T>;
}

/** Text of a metadata field in SQL: `metadata->>'key'`. */
export function field(key: string): SQL {
  return sql`${memoriesTable.metadata}->>${sql.raw(`'${key.replaceAll("'", "''")}'`)}`;
}

export function createRecords({ db, home }: { db: Database; home: Home }): Records {
  const ofType = (type: string) =>
    and(eq(memoriesTable.type, type), eq(memoriesTable.agentId, home.agentId));

  return {
    db,
    home,

    async insertOnce(type, rows, executor = db) {
      if (rows.length === 0) return new Set();
      const inserted = await executor
        .insert(memoriesTable)
        .values(
          rows.map((row) => ({
            id: row.id,
            type,
            createdAt: new Date(row.createdAtMs),
            content: { text: withoutNul(row.text) },
            entityId: home.entityId,
            agentId: home.agentId,
            roomId: home.roomId,
            worldId: home.worldId,
            unique: true,
            metadata: { ...withoutNul(row.data), type },
          })),
        )
        .onConflictDoNothing()
        .returning({ id: memoriesTable.id });
      return new Set(inserted.map((row) => row.id as Uuid));
    },

    async compareAndSet(type, id, condition, patch, options = {}) {
      const kept = Object.fromEntries(
        Object.entries(patch).filter(([, value]) => value !== null && value !== undefined),
      );
      const removed = Object.keys(patch).filter((key) => patch[key] === null);
      const merged = sql`(${memoriesTable.metadata} || ${JSON.stringify(withoutNul(kept))}::jsonb)`;
      const next = removed.reduce((value, key) => sql`${value} - ${key}::text`, merged);
      const changed = await (options.db ?? db)
        .update(memoriesTable)
        .set({
          metadata: sql`${next}`,
          ...(options.text === undefined ? {} : { content: { text: withoutNul(options.text) } }),
        })
        .where(and(ofType(type), eq(memoriesTable.id, id), condition))
        .returning({ metadata: memoriesTable.metadata });
      return changed[0]?.metadata ?? null;
    },

    async get(type, ids) {
      if (ids.length === 0) return [];
      const rows = await db
        .select()
        .from(memoriesTable)
        .where(and(ofType(type), inArray(memoriesTable.id, ids)));
      return rows.map(recordOf);
    },

    async list(type, { where, limit, after, oldestFirst, walk }) {
      const createdAt = memoriesTable.createdAt;
      const order = oldestFirst
        ? [createdAt, memoriesTable.id]
        : [desc(createdAt), desc(memoriesTable.id)];
      const beyond = oldestFirst ? gt : lt;
      const cursor = after
        ? or(
            beyond(createdAt, new Date(after.createdAtMs)),
            and(eq(createdAt, new Date(after.createdAtMs)), beyond(memoriesTable.id, after.id)),
          )
        : undefined;
      const query = (executor: Executor) =>
        executor
          .select()
          .from(memoriesTable)
          .where(and(ofType(type), where, cursor))
          .orderBy(...order)
          .limit(limit);
      const rows = await (walk ? inIndexOrder(db, query) : query(db));
      return rows.map(recordOf);
    },

    async count(type, where) {
      const rows = await rowsOf<{ n: string | number }>(
        db,
        sql`select count(*) as n from ${memoriesTable} where ${and(ofType(type), where)}`,
      );
      return Number(rows[0]?.n ?? 0);
    },

    async delete(type, ids, executor = db) {
      if (ids.length === 0) return 0;
      const gone = await executor
        .delete(memoriesTable)
        .where(and(ofType(type), inArray(memoriesTable.id, ids)))
        .returning({ id: memoriesTable.id });
      return gone.length;
    },

    transaction(work) {
      return db.transaction((tx) => work(tx as Executor));
    },
  };
}

function recordOf(row: typeof memoriesTable.$inferSelect): RecordRow<Record<string, unknown>> {
  return {
    id: row.id as Uuid,
    type: row.type,
    text: row.content.text,
    createdAtMs: row.createdAt.getTime(),
    data: row.metadata,
  };
}

/** One partial index on a table of the host, made at start while the table is still small. */
export interface IndexSpec {
  name: string;
  statement: SQL;
}

/** Creates the indexes that are missing; they survive the host's migrations (DESIGN §3). */
export async function ensureIndexes(db: Database, indexes: IndexSpec[]): Promise<void> {
  const found = await rowsOf<{ name: string }>(
    db,
    sql`select relname as name from pg_class where relkind = 'i' and pg_table_is_visible(oid)
      and relname in (${sqlList(indexes.map(({ name }) => name))})`,
  );
  const known = new Set(found.map(({ name }) => name));
  for (const { name, statement } of indexes) if (!known.has(name)) await db.execute(statement);
}

/**
 * Partial indexes on the host's `memories` for typed records. Made at start while the table is
 * small. Every statement of ours repeats their predicate word for word (`ofProject`, `ofType`), so
 * the planner can use them for any type, also one that a later version adds.
 */
export const RECORD_INDEXES: IndexSpec[] = [
  {
    // Lists and scans in order of time, counts.
    name: 'cue_records_by_time',
    statement: sql`create index if not exists cue_records_by_time on memories
      ((world_id::text || ' ' || type), created_at, id) where starts_with(type, 'cue_')`,
  },
  {
    // The same for readers who do not see everything: one range per audience.
    name: 'cue_records_by_audience',
    statement: sql`create index if not exists cue_records_by_audience on memories
      ((world_id::text || ' ' || type), (metadata->>'audience'), created_at, id)
      where starts_with(type, 'cue_')`,
  },
  {
    // What changed since. As JSON: a damaged value must not make the host's write fail on a cast.
    name: 'cue_records_by_change',
    statement: sql`create index if not exists cue_records_by_change on memories
      ((world_id::text), (metadata->'changedAtMs'), id) where starts_with(type, 'cue_')`,
  },
  {
    name: 'cue_tombstones',
    statement: sql`create index if not exists cue_tombstones on memories
      ((world_id::text), (metadata->'changedAtMs')) where type = 'cue_tombstone'`,
  },
];
