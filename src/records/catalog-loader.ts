/**
 * Fills the catalog from the database in the background: pages of rows in order of time, a turn of
 * the event loop between statement and indexing, and from slice to slice. An error is tried again
 * from where it happened.
 */
import { type SQL, sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../host/database.js';
import { yieldToLoop } from '../shared/async.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Catalog, CatalogState } from './catalog/types.js';
import type { CatalogSync } from './catalog-sync.js';
import type { IndexThread, TextRow } from './catalog-thread.js';
import type { StoredRow } from './record-codec.js';
import { decodeHalfVector } from './record-codec.js';
import {
  beyond,
  DATA_COLUMNS,
  inOrder,
  type Key,
  ofType,
  TEXT_COLUMNS,
  VECTOR_COLUMN,
} from './record-sql.js';
import type { RecordType } from './record-type.js';

export interface CatalogLoaderDeps {
  db: Database;
  projectId: Uuid;
  catalog: Catalog;
  sync: CatalogSync;
  /** Types with `index` or `edge`; others are left out. */
  types: readonly RecordType<unknown>[];
  log: Log;
  /** Told after every page. */
  report(state: CatalogState): void;
  /** The last record that is not to be loaded, where there are more than the catalog may hold. */
  lastBeyond?(type: RecordType<unknown>): Promise<Key | null>;
  /** Waits between the tries of one page, ms; after the last the load fails. */
  retryMs?: readonly number[];
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export interface CatalogLoader {
  /**
   * The newest rows of each type first, one statement each: what is asked for right after a start
   * is mostly recent. `load` reads them once more, which changes nothing.
   */
  loadNewest(signal: AbortSignal): Promise<void>;
  /**
   * Loads what is not loaded yet; called again after a failure, it goes on where it stopped.
   * @throws the last error of the database when no further try is left, or the reason of the abort
   */
  load(signal: AbortSignal): Promise<void>;
  /**
   * Hands every record to the thread, from the first on.
   * @throws the same, or that the thread has failed
   */
  loadInto(thread: IndexThread, signal: AbortSignal): Promise<void>;
  /** Whether some type has more records. */
  hasMoreThan(count: number, signal: AbortSignal): Promise<boolean>;
  /** Reads the stored vectors of the shelf's model once more, after `setModel`. Returns how many. */
  loadVectors(type: RecordType<unknown>, signal: AbortSignal): Promise<number>;
}

/** Rows of a first statement, and of any: rows may have 60 KB, and no statement may take 50 ms. */
const FIRST_PAGE = 50;
const PAGE = { least: 10, most: 400 };
/** Milliseconds a statement should compute. It costs 1.5 ms besides its rows (measured). */
const PAGE_MS = 15;
const VECTORS_PER_PAGE = 400;
/** So long rows are indexed before the event loop has its turn: the first ones take ten times as long as later ones. */
const SLICE_MS = 8;
const RETRY_MS = [250, 1_000, 4_000, 16_000];

type VectorRow = Key & { vector: string | null };

interface Load<Row> {
  /** Where each type's reading has got to; `done` when at its end. */
  places: Map<string, Key | 'done'>;
  loaded: number;
  columns: SQL;
  put(type: RecordType<unknown>, rows: (Row & Key)[], signal: AbortSignal): Promise<void>;
}

export function createCatalogLoader(deps: CatalogLoaderDeps): CatalogLoader {
  const { db, projectId, catalog, sync, log, report, wait, retryMs = RETRY_MS } = deps;
  const types = deps.types.filter((type) => type.index || type.edge);
  const own: Load<StoredRow> = {
    places: new Map(),
    loaded: 0,
    columns: DATA_COLUMNS,
    async put(type, rows, signal) {
      let untilMs = 0;
      for (const row of rows) {
        if (performance.now() >= untilMs) {
          await yieldToLoop();
          signal.throwIfAborted();
          untilMs = performance.now() + SLICE_MS;
        }
        sync.put(type, row);
      }
    },
  };
  let rowsPerPage = FIRST_PAGE;

  /**
   * The next page has more rows after one that was computed fast, and fewer after a slow one. By what
   * was computed and not by the clock: on a busy machine small pages would only take longer.
   */
  function adapt(computedMs: number): void {
    const fitting = (rowsPerPage * PAGE_MS) / Math.max(1, computedMs);
    const next = Math.round(Math.min(2 * rowsPerPage, fitting));
    rowsPerPage = Math.max(PAGE.least, Math.min(PAGE.most, next));
  }

  async function patiently<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        const waitMs = retryMs[attempt];
        if (waitMs === undefined) throw error;
        log.warn({ reason: messageOf(error), waitMs }, 'catalog page failed, trying again');
        await wait(waitMs, signal);
      }
    }
  }

  const page = <Row extends Record<string, unknown>>(
    type: RecordType<unknown>,
    columns: SQL,
    after: Key | null,
    { oldestFirst, limit }: { oldestFirst: boolean; limit: number },
  ) => {
    const model = type.index ? catalog.shelf(type.name).model : null;
    const vector =
      model === null
        ? sql`null::text as vector`
        : sql`case when
        memories.metadata->>'embeddingModel' = ${model} then ${VECTOR_COLUMN} end as vector`;
    return rowsOf<Row & Key>(
      db,
      sql`select ${columns}, memories.created_at::text as at, ${vector} from memories
        where ${ofType(projectId, type.name)} ${beyond(after, oldestFirst)}
        ${inOrder(oldestFirst)} limit ${limit}`,
    );
  };

  async function loadType<Row extends Record<string, unknown>>(
    type: RecordType<unknown>,
    load: Load<Row>,
    signal: AbortSignal,
  ): Promise<void> {
    const { places } = load;
    if (type.index && !places.has(type.name)) {
      const last = await patiently(signal, async () => deps.lastBeyond?.(type) ?? null);
      if (last !== null) places.set(type.name, last);
    }
    for (;;) {
      const after = places.get(type.name) ?? null;
      if (after === 'done') return;
      const limit = rowsPerPage;
      const before = process.cpuUsage();
      const from = performance.now();
      const rows = await patiently(signal, () =>
        page<Row>(type, load.columns, after, { oldestFirst: true, limit }),
      );
      const { user, system } = process.cpuUsage(before);
      // Other threads of this process compute, too.
      adapt(Math.min((user + system) / 1_000, performance.now() - from));
      await load.put(type, rows, signal);
      load.loaded += rows.length;
      places.set(type.name, rows.length < limit ? 'done' : (rows.at(-1) ?? 'done'));
      report({ state: 'loading', loaded: load.loaded, total: null });
      await yieldToLoop();
    }
  }

  async function loadAll<Row extends Record<string, unknown>>(
    load: Load<Row>,
    signal: AbortSignal,
  ): Promise<void> {
    report({ state: 'loading', loaded: load.loaded, total: null });
    for (const type of types) await loadType(type, load, signal);
  }

  return {
    async loadNewest(signal) {
      for (const type of types) {
        signal.throwIfAborted();
        const newest = await page<StoredRow>(type, DATA_COLUMNS, null, {
          oldestFirst: false,
          limit: FIRST_PAGE,
        });
        await own.put(type, newest, signal);
      }
    },

    load: (signal) => loadAll(own, signal),

    loadInto(thread, signal) {
      const put = (type: RecordType<unknown>, rows: TextRow[]) => thread.put(type.name, rows);
      return loadAll({ places: new Map(), loaded: 0, columns: TEXT_COLUMNS, put }, signal);
    },

    async hasMoreThan(count, signal) {
      for (const { name } of types) {
        const next = await patiently(signal, () =>
          rowsOf(
            db,
            sql`select 1 from memories where ${ofType(projectId, name)} ${beyond(null, true)}
              ${inOrder(true)} offset ${count} limit 1`,
          ),
        );
        if (next.length > 0) return true;
      }
      return false;
    },

    async loadVectors(type, signal) {
      const { model } = catalog.shelf(type.name);
      let set = 0;
      let after: Key | null = null;
      for (;;) {
        const from: Key | null = after;
        const rows: VectorRow[] = await patiently(signal, () =>
          rowsOf<VectorRow>(
            db,
            sql`select memories.id, memories.created_at::text as at,
                case when memories.metadata->>'embeddingModel' = ${model}
                  then ${VECTOR_COLUMN} end as vector
              from memories where ${ofType(projectId, type.name)} ${beyond(from, true)}
              ${inOrder(true)} limit ${VECTORS_PER_PAGE}`,
          ),
        );
        // Asked for anew: another model may serve by now, then these are nobody's.
        const shelf = catalog.shelf(type.name);
        if (shelf.model !== model) return set;
        for (const row of rows) {
          const slot = shelf.slotOf(row.id);
          const vector = decodeHalfVector(row.vector);
          if (slot === undefined || vector === null || shelf.hasVector(slot)) continue;
          shelf.setVector(row.id, vector);
          set += 1;
        }
        after = rows.at(-1) ?? null;
        if (after === null || rows.length < VECTORS_PER_PAGE) return set;
        await yieldToLoop();
      }
    },
  };
}
