/**
 * The search table: by what the records of a large project are found on PostgreSQL, where the catalog
 * holds only a part of them. A projection of the rows, filled from their changes some seconds late, which
 * is soon enough: what is new is in every catalog. It may be dropped at any time and is filled again.
 */
import { type SQL, sql } from 'drizzle-orm';
import { type Database, type Executor, rowsOf, sqlList } from '../host/database.js';
import { yieldToLoop } from '../shared/async.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Analyze, SlotFilter } from './catalog/types.js';
import { OVERLAP_MS } from './catalog-follow.js';
import { readForCatalog } from './catalog-sync.js';
import { type StoredRow, TOMBSTONE_TYPE, withoutNul } from './record-codec.js';
import {
  CHANGED_AT,
  changedSince,
  DATA_COLUMNS,
  NOW_MS,
  ofProject,
  timestampOf,
} from './record-sql.js';
import type { RecordType } from './record-type.js';
import { audiencesOf, type Reader } from './scope.js';

export interface SearchTableDeps {
  db: Database;
  projectId: Uuid;
  types: readonly RecordType<unknown>[];
  analyze: Analyze;
  log: Log;
}

/** What is looked for in the table. What fits any part is found. */
export interface TableQuestion {
  type: string;
  reader: Reader;
  /** Created at this time or before it, and not before the other; ms since 1970. */
  untilMs?: number | undefined;
  sinceMs?: number | undefined;
  /** Bits that must all be set; bits of which none may be, for the keys. */
  flagsAll?: number | undefined;
  flagsNone?: number | undefined;
  /**
   * Groups of keys; a record fits a group that it has all keys of. The newest of each are found. A common
   * one is soon found by walking back in time, which would be a walk over all for a rare one.
   */
  keys: readonly { all: readonly string[]; isCommon: boolean }[];
  /** Groups of words with what each is worth; those with the most worth are found. */
  words: readonly { terms: readonly string[]; worth: number }[];
  /** The nearest are found. */
  near: { model: string; vector: Float32Array } | null;
  /** Records found by each part, at most. */
  limit: number;
}

export type FillState =
  | { state: 'filling'; done: number; total: number }
  | { state: 'indexing'; percent: number }
  | { state: 'ready' };

export interface SearchTable {
  /**
   * Takes over what has changed and builds what indexes are missing, unless another process is at it.
   * A crash loses at most one step: each is a transaction with the place it got to.
   */
  fill(signal: AbortSignal, report: (state: FillState) => void): Promise<void>;
  find(question: TableQuestion): Promise<Uuid[]>;
  /** Records without a vector of the model; `null`: `most` or more. */
  withoutVector(type: string, model: string, most: number): Promise<Uuid[] | null>;
  /** Its rows, as far as the planner knows. */
  size(): Promise<number>;
  /** How many the filter lets through. */
  count(type: string, filter: SlotFilter): Promise<number>;
}

/** Raise it when what a row says of a record changes; an older one is then filled anew. */
const FORM = 1;
const ROWS_PER_STEP = 200;
/** How often somebody is told how far the building of an index is. */
const TOLD_MS = 5_000;
/** No index holds a longer key; what is cut off is told apart once the record is in the catalog. */
const LONGEST_TERM = 200;
/** Rows that one group of words may bring together: an index of words knows no order. */
const ROWS_PER_GROUP = 500;
/** Neighbours that an index of vectors visits: `bench -- scale` found as much with 60 as with 200. */
const VISITED = 60;
/** Bytes that building the index of vectors takes per row; without them it goes to disk and takes hours. */
const BUILT_BYTES = 1_600;
const MOST_BUILD_MB = 4_096;

/** In the order of their worth: the table answers without vectors while their index is being built. */
const INDEXES = {
  search_by_time: sql`create index search_by_time on cue.search (project, type, created_at)`,
  search_by_model: sql`create index search_by_model on cue.search (project, type, model)`,
  // At once into the index: who asks would walk over what waits, for each word anew.
  search_by_term: sql`create index search_by_term on cue.search using gin (terms)
    with (fastupdate = off)`,
  search_by_vector: sql`create index search_by_vector on cue.search
    using hnsw (vector halfvec_ip_ops) where vector is not null`,
} as const;

type ChangedRow = StoredRow & { changed_ms: string | number };
type Place = { form: number; changed_ms: string | number; id: Uuid | null; done: number };

export function createSearchTable(deps: SearchTableDeps): SearchTable {
  const { db, projectId, analyze, log } = deps;
  const types = new Map<string, RecordType<unknown>>(
    deps.types.filter(({ index }) => index).map((type) => [type.name, type]),
  );
  let isMade = false;
  /** The first index that is missing, `null`: none is; it is not known before the first look. */
  let missing: keyof typeof INDEXES | null | undefined;
  /** Records of the project when the filling began. */
  let total: number | null = null;
  let canIterate: boolean | null = null;

  async function make(): Promise<void> {
    if (isMade) return;
    await db.execute(sql`create schema if not exists cue`);
    await db.execute(sql`create table if not exists cue.search (
      id uuid primary key references memories (id) on delete cascade,
      project uuid not null, type text not null, audience text not null,
      created_at timestamp not null, model text, vector halfvec(384), terms text[] not null)`);
    await db.execute(sql`create table if not exists cue.search_fill (
      project uuid primary key, form int not null, changed_ms bigint not null, id uuid,
      done bigint not null)`);
    await db.execute(sql`insert into cue.search_fill values (${projectId}, ${FORM}, 0, null, 0)
      on conflict (project) do update set form = ${FORM}, changed_ms = 0, id = null, done = 0
      where search_fill.form < ${FORM}`);
    isMade = true;
  }

  /** The place reached, locked for this transaction; `null`: another process is at it, or a newer one. */
  async function reserve(tx: Executor): Promise<Place | null> {
    const rows = await rowsOf<Place>(
      tx,
      sql`select form, changed_ms, id, done from cue.search_fill
        where project = ${projectId} and form = ${FORM} for update skip locked`,
    );
    return rows[0] ?? null;
  }

  /** Takes over one page of changes. Returns how many rows it read, `null` when somebody else does it. */
  function step(): Promise<number | null> {
    return db.transaction(async (tx) => {
      const place = await reserve(tx as Executor);
      if (place === null) return null;
      const rows = await rowsOf<ChangedRow>(tx as Executor, settledSince(projectId, place));
      const last = rows.at(-1);
      if (last === undefined) return 0;
      const gone: Uuid[] = [];
      const entries = rows.flatMap((row) => {
        const name = row.metadata?.type;
        const type = types.get(String(name));
        const entry = type && entryOf(type, row);
        if (name === TOMBSTONE_TYPE || (type && entry === undefined)) gone.push(row.id);
        return entry ?? [];
      });
      if (entries.length > 0) await tx.execute(takeOver(projectId, entries));
      if (gone.length > 0) {
        await tx.execute(sql`delete from cue.search where id in (${sqlList(gone)})`);
      }
      await tx.execute(sql`update cue.search_fill set changed_ms = ${Number(last.changed_ms)},
        id = ${last.id}, done = done + ${entries.length} where project = ${projectId}`);
      return rows.length;
    });
  }

  function entryOf(type: RecordType<unknown>, row: StoredRow): TableEntry | undefined {
    const read = readForCatalog(type, row);
    if ('damaged' in read) return undefined;
    try {
      const entry = type.index?.(read.data, Number(row.created_ms));
      if (entry === undefined) return undefined;
      const words = entry.fields.flatMap(({ text, isAside }) =>
        isAside ? analyze(text).map(asideTerm) : analyze(text),
      );
      const terms = [...new Set([...entry.keys, ...flagsIn(entry.flags), ...words].map(termOf))];
      return { id: row.id, type: type.name, audience: read.audience, model: read.model, terms };
    } catch (error) {
      log.warn({ id: row.id, reason: messageOf(error) }, 'record not taken into the search table');
      return undefined;
    }
  }

  async function lookForIndexes(): Promise<void> {
    const rows = await rowsOf<{ name: string }>(
      db,
      sql`select indexname as name from pg_indexes where schemaname = 'cue' and tablename = 'search'`,
    );
    const known = new Set(rows.map(({ name }) => name));
    missing = namesOf(INDEXES).find((name) => !known.has(name)) ?? null;
  }

  /**
   * Only the filling writes to the table, so that a plain build holds nobody up; in a transaction, a crash
   * leaves no invalid index.
   */
  async function build(
    name: keyof typeof INDEXES,
    signal: AbortSignal,
    report: (state: FillState) => void,
  ): Promise<void> {
    let cancel = () => {};
    const tell = setInterval(() => {
      progress().then(report, (error: unknown) =>
        log.warn({ reason: messageOf(error) }, 'progress of the index not known'),
      );
    }, TOLD_MS).unref();
    try {
      await db.transaction(async (tx) => {
        if ((await reserve(tx as Executor)) === null) return;
        const [size] = await rowsOf<{ n: string | number; pid: number }>(
          tx as Executor,
          sql`select count(*) as n, pg_backend_pid() as pid from cue.search`,
        );
        // It may take minutes, which nobody who stops the agent waits for.
        cancel = () => {
          db.execute(sql`select pg_cancel_backend(${size?.pid}::int)`).catch(() => {});
        };
        signal.addEventListener('abort', cancel);
        const mb = 64 + Math.ceil((Number(size?.n ?? 0) * BUILT_BYTES) / 2 ** 20);
        await tx.execute(
          sql.raw(`set local maintenance_work_mem = '${Math.min(MOST_BUILD_MB, mb)}MB'`),
        );
        await tx.execute(INDEXES[name]);
      });
      log.info({ projectId, index: name }, 'index of the search table built');
    } finally {
      signal.removeEventListener('abort', cancel);
      clearInterval(tell);
    }
  }

  async function filled(): Promise<FillState> {
    if (total === null) {
      const [rows] = await rowsOf<{ n: string | number }>(
        db,
        sql`select count(*) as n from memories where ${ofProject(projectId)}`,
      );
      total = Number(rows?.n ?? 0);
    }
    const [row] = await rowsOf<{ done: string | number }>(
      db,
      sql`select done from cue.search_fill where project = ${projectId}`,
    );
    return { state: 'filling', done: Number(row?.done ?? 0), total };
  }

  async function progress(): Promise<FillState> {
    const [building] = await rowsOf<{ done: string | number; total: string | number }>(
      db,
      sql`select coalesce(nullif(tuples_done, 0), blocks_done) as done,
          coalesce(nullif(tuples_total, 0), blocks_total) as total
        from pg_stat_progress_create_index where relid = 'cue.search'::regclass`,
    );
    if (building === undefined) return filled();
    const share = Number(building.done) / Math.max(1, Number(building.total));
    return { state: 'indexing', percent: Math.min(99, Math.floor(100 * share)) };
  }

  /** Whether the index goes on looking where a filter leaves too few (pgvector 0.8 and newer). */
  async function iterates(): Promise<boolean> {
    if (canIterate !== null) return canIterate;
    const [row] = await rowsOf<{ version: string }>(
      db,
      sql`select extversion as version from pg_extension where extname = 'vector'`,
    );
    const [major = 0, minor = 0] = (row?.version ?? '').split('.').map(Number);
    canIterate = major > 0 || minor >= 8;
    return canIterate;
  }

  const within = ({ type, reader, untilMs, sinceMs, flagsAll = 0 }: Within): SQL => {
    const audiences = audiencesOf(reader);
    return sql`project = ${projectId} and type = ${type} ${having(flagsIn(flagsAll))}
      ${untilMs === undefined ? sql`` : sql`and created_at <= ${timestampOf(untilMs)}`}
      ${sinceMs === undefined ? sql`` : sql`and created_at >= ${timestampOf(sinceMs)}`}
      ${audiences === null ? sql`` : sql`and audience in (${sqlList([...audiences])})`}`;
  };

  /** Without their index every question would read the whole table. */
  const hasTerms = () => missing === null || missing === 'search_by_vector';

  async function byKeys(question: TableQuestion): Promise<Uuid[]> {
    if (question.keys.length === 0 || !hasTerms()) return [];
    const parts = question.keys.map(({ all, isCommon }) => {
      const fitting = sql`select id, created_at from cue.search
        where ${within(question)} ${having(all)} ${havingNone(flagsIn(question.flagsNone ?? 0))}`;
      // The planner knows no frequency of what is rare; `offset 0` keeps it from walking in time.
      const rows = isCommon
        ? fitting
        : sql`select id, created_at from (${fitting} offset 0) as rare`;
      return sql`(select id from (${rows} order by created_at desc limit ${question.limit}) as newest)`;
    });
    return idsOf(await rowsOf(db, sql.join(parts, sql` union `)));
  }

  async function byWords(question: TableQuestion): Promise<Uuid[]> {
    if (question.words.length === 0 || !hasTerms()) return [];
    const parts = question.words.map(
      ({ terms, worth }) => sql`(select id, ${worth}::float8 as worth from cue.search
        where ${within(question)} ${having(terms)} limit ${ROWS_PER_GROUP})`,
    );
    return idsOf(
      await rowsOf(
        db,
        sql`select id from (${sql.join(parts, sql` union all `)}) as fitting
          group by id order by sum(worth) desc, id limit ${question.limit}`,
      ),
    );
  }

  async function byVector(question: TableQuestion): Promise<Uuid[]> {
    const { near, limit } = question;
    if (near === null || missing !== null) return [];
    const iterative = (await iterates())
      ? sql`set_config('hnsw.iterative_scan', 'relaxed_order', true)`
      : sql`null`;
    // The settings are made before the index is read, and are gone with the statement.
    const nearest = sql`select id from cue.search
      where (select concat(set_config('hnsw.ef_search', ${String(VISITED)}, true), ${iterative})) <> ''
        and ${within(question)}
        and model = ${near.model} and vector is not null
      order by vector <#> ${`[${near.vector.join(',')}]`}::halfvec(384) limit ${limit}`;
    return idsOf(await rowsOf(db, nearest));
  }

  return {
    async fill(signal, report) {
      await make();
      for (;;) {
        signal.throwIfAborted();
        const read = await step();
        if (read === null) {
          // Another process fills it; this one may ask as soon as the index stands.
          if (missing !== null) await lookForIndexes();
          report(missing === null ? { state: 'ready' } : await progress());
          return;
        }
        if (read < ROWS_PER_STEP) break;
        if (missing !== null) report(await filled());
        await yieldToLoop();
      }
      if (missing !== null) {
        await db.execute(sql`analyze cue.search`);
        await lookForIndexes();
      }
      while (missing) {
        signal.throwIfAborted();
        await build(missing, signal, report);
        await lookForIndexes();
      }
      report({ state: 'ready' });
    },

    async find(question) {
      const found = await Promise.all([byKeys(question), byWords(question), byVector(question)]);
      return [...new Set(found.flat())];
    },

    async withoutVector(type, model, most) {
      const parts = [sql`is null`, sql`< ${model}`, sql`> ${model}`].map(
        (other) => sql`(select id from cue.search
          where project = ${projectId} and type = ${type} and model ${other} limit ${most})`,
      );
      const ids = idsOf(await rowsOf(db, sql.join(parts, sql` union all `)));
      return ids.length < most ? ids : null;
    },

    async size() {
      const [row] = await rowsOf<{ n: number }>(
        db,
        sql`select reltuples::float8 as n from pg_class where oid = 'cue.search'::regclass`,
      );
      return Math.max(0, row?.n ?? 0);
    },

    async count(type, { keysAll = [], ...filter }) {
      const [row] = await rowsOf<{ n: string | number }>(
        db,
        sql`select count(*) as n from cue.search
          where ${within({ type, ...filter })} ${having(keysAll)}`,
      );
      return Number(row?.n ?? 0);
    },
  };
}

type Within = Pick<TableQuestion, 'type' | 'reader' | 'untilMs' | 'sinceMs' | 'flagsAll'>;

interface TableEntry {
  id: Uuid;
  type: string;
  audience: string;
  model: string | null;
  terms: string[];
}

/** A word that stands aside of what the record is about: far more records have it. */
export const asideTerm = (word: string): string => `~${word}`;

function termOf(term: string): string {
  return withoutNul(term.length > LONGEST_TERM ? term.slice(0, LONGEST_TERM) : term);
}

/** `flag:4` for each bit that is set. */
function flagsIn(flags: number): string[] {
  const bits = Array.from({ length: 31 }, (_, at) => 1 << at);
  return bits.filter((bit) => (flags & bit) !== 0).map((bit) => `flag:${bit}`);
}

const namesOf = <Name extends string>(named: Readonly<Record<Name, unknown>>) =>
  Object.keys(named) as Name[];

const idsOf = (rows: { id?: unknown }[]) => rows.map(({ id }) => id as Uuid);

function having(terms: readonly string[]): SQL {
  return terms.length === 0 ? sql`` : sql`and terms @> array[${sqlList(terms.map(termOf))}]`;
}

function havingNone(terms: readonly string[]): SQL {
  return terms.length === 0 ? sql`` : sql`and not terms && array[${sqlList(terms)}]`;
}

/** Changes that are surely committed, oldest first, without vectors. */
function settledSince(projectId: Uuid, { changed_ms, id }: Place): SQL {
  return sql`select ${DATA_COLUMNS}, ${CHANGED_AT}::bigint as changed_ms
    from memories where ${changedSince(projectId, { ms: Number(changed_ms), id })}
      and ${CHANGED_AT} < to_jsonb(${NOW_MS} - ${OVERLAP_MS}::bigint)
    order by ${CHANGED_AT}, memories.id limit ${ROWS_PER_STEP}`;
}

/** The vector goes from table to table. */
function takeOver(projectId: Uuid, entries: readonly TableEntry[]): SQL {
  return sql`
    insert into cue.search (id, project, type, audience, created_at, model, vector, terms)
    select entry.id, ${projectId}::uuid, entry.type, entry.audience, memories.created_at, entry.model,
      (select dim_384::halfvec(384) from embeddings where embeddings.id = entry.id),
      array(select jsonb_array_elements_text(entry.terms))
    from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
      as entry(id uuid, type text, audience text, model text, terms jsonb)
    join memories on memories.id = entry.id
    on conflict (id) do update set project = excluded.project, type = excluded.type,
      audience = excluded.audience, created_at = excluded.created_at, model = excluded.model,
      vector = excluded.vector, terms = excluded.terms`;
}
