/**
 * Fills the catalog from the database in the background: pages of rows in order of time, a turn of
 * the event loop between statement and indexing, and from slice to slice. An error is tried again
 * from where it happened.
 */
import { sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../host/database.js';
import { yieldToLoop } from '../shared/async.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Catalog, CatalogState } from './catalog/types.js';
import type { CatalogSync } from './catalog-sync.js';
import type { StoredRow } from './record-codec.js';
import { decodeHalfVector } from './record-codec.js';
import { beyond, inOrder, type Key, ofType, ROW_COLUMNS, VECTOR_COLUMN } from './record-sql.js';
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
  /** Reads the stored vectors of the shelf's model once more, after `setModel`. Returns how many. */
  loadVectors(type: RecordType<unknown>, signal: AbortSignal): Promise<number>;
}

/** Rows of several KB each: a statement of so many computes 20 to 50 ms (measured). */
const ROWS_PER_PAGE = 50;
const VECTORS_PER_PAGE = 400;
/** Rows indexed before the event loop has its turn. */
const SLICE = 25;
const RETRY_MS = [250, 1_000, 4_000, 16_000];

type PageRow = StoredRow & Key;
type VectorRow = Key & { vector: string | null };

export function createCatalogLoader(deps: CatalogLoaderDeps): CatalogLoader {
  const { db, projectId, catalog, sync, log, report, wait, retryMs = RETRY_MS } = deps;
  const types = deps.types.filter((type) => type.index || type.edge);
  /** Where each type's reading has got to; `done` when at its end. */
  const places = new Map<string, Key | 'done'>();
  let loaded = 0;

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

  const page = (type: RecordType<unknown>, after: Key | null, oldestFirst: boolean) => {
    const model = type.index ? catalog.shelf(type.name).model : null;
    const vector =
      model === null
        ? sql`null::text as vector`
        : sql`case when
        memories.metadata->>'embeddingModel' = ${model} then ${VECTOR_COLUMN} end as vector`;
    return rowsOf<PageRow>(
      db,
      sql`select ${ROW_COLUMNS}, memories.created_at::text as at, ${vector} from memories
        where ${ofType(projectId, type.name)} ${beyond(after, oldestFirst)}
        ${inOrder(oldestFirst)} limit ${ROWS_PER_PAGE}`,
    );
  };

  async function loadType(type: RecordType<unknown>, signal: AbortSignal): Promise<void> {
    for (;;) {
      const after = places.get(type.name) ?? null;
      if (after === 'done') return;
      const rows = await patiently(signal, () => page(type, after, true));
      for (let start = 0; start < rows.length; start += SLICE) {
        await yieldToLoop();
        signal.throwIfAborted();
        for (const row of rows.slice(start, start + SLICE)) sync.put(type, row);
      }
      loaded += rows.length;
      places.set(type.name, rows.length < ROWS_PER_PAGE ? 'done' : (rows.at(-1) ?? 'done'));
      report({ state: 'loading', loaded, total: null });
      await yieldToLoop();
    }
  }

  return {
    async loadNewest(signal) {
      for (const type of types) {
        signal.throwIfAborted();
        for (const row of await page(type, null, false)) sync.put(type, row);
        await yieldToLoop();
      }
    },

    async load(signal) {
      report({ state: 'loading', loaded, total: null });
      for (const type of types) await loadType(type, signal);
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
