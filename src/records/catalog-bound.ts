/**
 * Keeps the catalog of a large project within its bound: it holds the newest records and, of the older
 * ones, those that were asked for last. What else could answer a question is found by the search table,
 * read, and put into the catalog first, so that all are ranked together.
 */
import { sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../host/database.js';
import { yieldToLoop } from '../shared/async.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Analyze, Catalog } from './catalog/types.js';
import type { CatalogSync } from './catalog-sync.js';
import type { StoredRow } from './record-codec.js';
import {
  beyond,
  CREATED_MS,
  DATA_COLUMNS,
  inOrder,
  type Key,
  namedOf,
  ofType,
  VECTOR_COLUMN,
} from './record-sql.js';
import type { OlderQuestion, OlderRecords, RecordType } from './record-type.js';
import { asideTerm, createSearchTable, type FillState } from './search-table.js';

export interface CatalogBound {
  /** `null` while the catalog holds every record of the type. */
  older(type: RecordType<unknown>): OlderRecords | null;
  /** The last record of the type that does not fit in: those after it are to be loaded. */
  lastBeyond(type: RecordType<unknown>): Promise<Key | null>;
  /**
   * Fills the search table and lets go of what is over the bound, where it is needed. Never throws: what
   * failed is logged, told by `lacking`, and tried again by the next pass.
   */
  pass(signal: AbortSignal): Promise<void>;
}

export interface CatalogBoundDeps {
  db: Database;
  projectId: Uuid;
  catalog: Catalog;
  sync: CatalogSync;
  types: readonly RecordType<unknown>[];
  analyze: Analyze;
  log: Log;
  /** Records of a type that the catalog holds, at most (`CUE_CATALOG_MAX`). */
  most: number;
}

/** Share of the bound that is kept for older records asked for last, and by which it may be exceeded. */
const SHARE = 20;
/** Of so many of the newest that have a key, words decide which come first. */
const REORDERED = 200;
/** So many without a vector of the model: it is another one now, and all rows are looked through. */
const MOST_LACKING = 1_000;
/** What was brought in is let go of when there is so much more of it than that share. */
const GROWN = 1.25;
/** One in so many records has a key that is common. */
const COMMON = 300;
const REMOVED_PER_TURN = 100;
/** Rows that the words of a question may touch in the search table, for each record that is wanted. */
const ROWS_TOUCHED = 8;
/** What stands aside counts half, as in the catalog. */
const ASIDE = 0.5;
/** The rarest words of a question, of which each two are looked for, too. */
const PAIRED = 8;

export function createCatalogBound(deps: CatalogBoundDeps): CatalogBound {
  const { db, projectId, catalog, sync, log, most } = deps;
  const table = createSearchTable(deps);
  /** By type, up to when records may lie beyond the catalog; absent: it holds all of them. */
  const floors = new Map<string, number>();
  /** By type, the older records that were brought in, the last ones at the end. */
  const brought = new Map<string, Set<Uuid>>();
  let rows = 0;
  /** Why the search table could not be filled at the last pass. */
  let failure: string | null = null;
  let state: FillState = { state: 'filling', done: 0, total: 0 };

  function broughtOf(typeName: string): Set<Uuid> {
    const known = brought.get(typeName) ?? new Set<Uuid>();
    brought.set(typeName, known);
    return known;
  }

  async function put(type: RecordType<unknown>, ids: readonly Uuid[]): Promise<Uuid[]> {
    const shelf = catalog.shelf(type.name);
    const recent = broughtOf(type.name);
    for (const id of ids) if (recent.delete(id)) recent.add(id);
    const lacking = ids.filter((id) => shelf.slotOf(id) === undefined);
    if (lacking.length === 0) return [];
    const found = await rowsOf<StoredRow>(
      db,
      sql`select ${DATA_COLUMNS}, ${VECTOR_COLUMN} as vector from memories
        where ${namedOf(projectId, type.name, lacking)}`,
    );
    for (const row of found) if (sync.put(type, row) === null) recent.add(row.id);
    return found.map(({ id }) => id);
  }

  /** Whether so many records have the keys that the newest of them are soon found. */
  function isCommon(
    type: RecordType<unknown>,
    keys: readonly string[],
    flagsAll: number | undefined,
  ): boolean {
    const shelf = catalog.shelf(type.name);
    const { total } = shelf.byKeys(
      keys,
      { reader: { kind: 'operator' }, flagsAll: flagsAll ?? 0 },
      0,
    );
    return keys.length === 0 || total * COMMON >= shelf.size;
  }

  /** Whether enough that fit are newer than anything the catalog may lack: the newest are asked for. */
  function holdsNewest(
    type: RecordType<unknown>,
    keys: readonly string[],
    floorMs: number,
    { reader, terms, limit, ...asked }: OlderQuestion,
  ): boolean {
    const filter = {
      ...{ reader, flagsAll: asked.flagsAll ?? 0, flagsNone: asked.flagsNone ?? 0 },
      sinceMs: Math.max(floorMs + 1, asked.sinceMs ?? 0),
      beforeMs: asked.beforeMs ?? Number.POSITIVE_INFINITY,
    };
    const { total } = catalog.shelf(type.name).byKeys(keys, filter, 0);
    return total >= Math.max(limit, terms === undefined ? 0 : REORDERED);
  }

  /**
   * The words worth asking the table for: the rare ones of what records are about and of what stands
   * aside, alone and in pairs. What is common among the newest is so among the older ones, too.
   */
  function wordsOf(
    type: RecordType<unknown>,
    terms: ReadonlyMap<string, number>,
    limit: number,
  ): Words[] {
    const mostRows = ROWS_TOUCHED * limit;
    const shelf = catalog.shelf(type.name);
    const share = (word: string) => (shelf.documentFrequency(word) + 0.5) / (shelf.size + 1);
    const words = [...terms].map(([word, weight]) => ({
      terms: [word],
      worth: weight * Math.log(1 + 1 / share(word)),
      touched: share(word) * rows,
    }));
    // Of the words of a record so many are what it is about.
    const about = Math.min(1, shelf.averageText / Math.max(1, shelf.averageLength));
    return [
      ...rarest(
        words.map((word) => ({ ...word, touched: about * word.touched })),
        rows,
        mostRows,
      ),
      ...rarest(
        words.map(({ worth, touched, terms: word }) => ({
          ...{ worth: worth * ASIDE, touched },
          terms: word.map(asideTerm),
        })),
        rows,
        mostRows,
      ),
    ];
  }

  /** Compares what is held while the database searches. */
  async function prepare(type: RecordType<unknown>, vector: Float32Array): Promise<void> {
    await yieldToLoop();
    catalog.shelf(type.name).prepare(vector);
  }

  /** Lets go of the oldest that nobody has asked for, down to the bound. */
  async function shrink(type: RecordType<unknown>): Promise<void> {
    const shelf = catalog.shelf(type.name);
    const kept = broughtOf(type.name);
    // Many at once: what is gone is taken out of the postings by the next who reads them.
    if (kept.size * SHARE > most * GROWN) {
      for (const id of kept) {
        if (kept.size * SHARE <= most) break;
        kept.delete(id);
        shelf.remove(id);
      }
    }
    const over = shelf.size - kept.size - most;
    if (over * SHARE <= most) return;
    const isLive = shelf.accepts({ reader: { kind: 'operator' } });
    const slots: number[] = [];
    for (let slot = 0; slot < shelf.slots; slot += 1) {
      if (isLive(slot) && !kept.has(shelf.idOf(slot))) slots.push(slot);
    }
    const times = Float64Array.from(slots, (slot) => shelf.timeOf(slot)).sort();
    const oldestKept = times[times.length - most] ?? Number.NEGATIVE_INFINITY;
    const older = slots.filter((slot) => shelf.timeOf(slot) < oldestKept);
    const ids = older.map((slot) => shelf.idOf(slot));
    // Before the first is gone: from now on they may have to be looked for.
    floors.set(type.name, Math.max(floors.get(type.name) ?? 0, oldestKept));
    for (let start = 0; start < ids.length; start += REMOVED_PER_TURN) {
      for (const id of ids.slice(start, start + REMOVED_PER_TURN)) {
        if (!kept.has(id)) catalog.shelf(type.name).remove(id);
      }
      await yieldToLoop();
    }
    log.debug({ projectId, type: type.name, released: ids.length }, 'catalog within its bound');
  }

  return {
    older(type) {
      const floorMs = floors.get(type.name);
      if (floorMs === undefined) return null;
      return {
        async bring(question) {
          const { beforeMs, keys = [], terms, vector, ...asked } = question;
          const untilMs = beforeMs === undefined ? floorMs : Math.min(floorMs, beforeMs);
          if (asked.sinceMs !== undefined && asked.sinceMs > untilMs) return [];
          const { model } = catalog.shelf(type.name);
          const near = vector && model !== null ? { model, vector } : null;
          const words = terms === undefined ? [] : wordsOf(type, terms, asked.limit);
          const groups = keys
            .filter((all) => !holdsNewest(type, all, floorMs, question))
            .map((all) => ({ all, isCommon: isCommon(type, all, asked.flagsAll) }));
          const parts = { keys: groups, words, near };
          const [found] = await Promise.all([
            table.find({ ...asked, type: type.name, untilMs, ...parts }),
            near && prepare(type, near.vector),
          ]);
          return put(type, found);
        },
        bringNamed: (ids) => put(type, ids),
        count: (filter) => table.count(type.name, filter),
        withoutVector: async (model) =>
          state.state === 'ready' ? table.withoutVector(type.name, model, MOST_LACKING) : null,
        lacking() {
          if (failure !== null) return `older memories may not be found: ${failure}`;
          if (state.state === 'ready') return null;
          return state.state === 'indexing'
            ? `the index of older memories is being built (${state.percent} %): some are not found yet`
            : `older memories are being indexed (${state.done} of ${state.total}): some are not found yet`;
        },
      };
    },

    async lastBeyond(type) {
      const [key] = await rowsOf<Key & { created_ms: string | number }>(
        db,
        sql`select memories.id, memories.created_at::text as at,
            ${CREATED_MS} as created_ms
          from memories where ${ofType(projectId, type.name)} ${beyond(null, false)}
          ${inOrder(false)}
          offset ${most} limit 1`,
      );
      if (key === undefined) return null;
      floors.set(type.name, Number(key.created_ms));
      return key;
    },

    async pass(signal) {
      const over = deps.types.filter(
        (type) => type.index && (floors.has(type.name) || catalog.shelf(type.name).size > most),
      );
      if (over.length === 0) return;
      try {
        await table.fill(signal, (next) => {
          state = next;
        });
        rows = await table.size();
        failure = null;
        // What is not in the table yet must stay in the catalog.
        if (state.state === 'ready') for (const type of over) await shrink(type);
      } catch (error) {
        const reason = messageOf(error);
        // It is tried again every few seconds: said once.
        if (!signal.aborted && reason !== failure) {
          log.error({ projectId, reason }, 'search table not filled');
        }
        failure = reason;
      }
    },
  };
}

interface Words {
  terms: string[];
  worth: number;
  /** Rows that have them. */
  touched: number;
}

/** The rarest, and each two of them, as far as they touch few rows together. */
function rarest(words: readonly Words[], rows: number, mostRows: number): Words[] {
  const rare = [...words].sort(byTouched).slice(0, PAIRED);
  const pairs = rare.flatMap((one, at) =>
    rare.slice(at + 1).map((other) => ({
      terms: [...one.terms, ...other.terms],
      worth: one.worth + other.worth,
      touched: (one.touched * other.touched) / Math.max(1, rows),
    })),
  );
  return [...few(rare, mostRows), ...few(pairs.sort(byTouched), mostRows)];
}

const byTouched = (one: Words, other: Words) => one.touched - other.touched;

function few(sorted: readonly Words[], mostRows: number): Words[] {
  let touched = 0;
  return sorted.filter((word) => {
    touched += word.touched;
    return touched <= mostRows;
  });
}
