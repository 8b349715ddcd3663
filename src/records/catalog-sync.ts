/**
 * Brings the catalog in line with rows of the database: after our own writes, while it loads, and
 * when other processes wrote. Rows may arrive late and out of order, so the newest change wins.
 */
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Catalog } from './catalog/types.js';
import type { HeldRecords } from './held-records.js';
import { decodeHalfVector, decodeRecord, type StoredRow } from './record-codec.js';
import type { DamagedRecord, RecordType } from './record-type.js';

/** Ids of rows, by type, that a catalog cannot hold: damaged ones mostly. */
export type RowsOutside = Readonly<Record<string, readonly Uuid[]>>;

export interface CatalogSync {
  /**
   * Adds or replaces the document or edge of the row. A vector of another model than the shelf's
   * does not count. Returns what made a row unreadable; it is logged once.
   */
  put<Data>(type: RecordType<Data>, row: StoredRow): DamagedRecord | null;
  /** A row that a read finds damaged: the catalog holds it no longer. */
  setAside(type: RecordType<unknown>, id: Uuid): void;
  /** The record is gone since `changedAtMs` (database time). */
  remove(type: RecordType<unknown>, id: Uuid, changedAtMs: number): void;
  /** Forgets what was applied: the catalog is another one now, which lacks the rows `outside`. */
  reset(outside?: RowsOutside): void;
  /** Rows by type that were handed in and could not be put into the catalog. */
  outside(): RowsOutside;
  /** Logs what is wrong with a row, of each once. */
  warn(fields: Record<string, unknown>, message: string): void;
  /** Changes remembered. */
  readonly remembered: number;
}

/** Changes remembered, so that an older row that arrives late is known to be older. */
const REMEMBERED = 4_000;
const REMEMBERED_MS = 60_000;
/** Entries looked at with each new one: more than one, so that forgetting outruns remembering. */
const LOOKED_AT = 4;

/** Orders changes of one record: database time, then revision; a removal ends its millisecond. */
interface Stamp {
  atMs: number;
  revision: number;
}

export function createCatalogSync(deps: {
  catalog: Catalog;
  log: Pick<Log, 'warn'>;
  /** What is changed is held no longer. */
  held?: HeldRecords;
}): CatalogSync {
  const { catalog, log, held } = deps;
  const stamps = new Map<Uuid, Stamp>();
  let place = stamps.entries();
  const logged = new Set<unknown>();
  const outside = new Map<string, Set<Uuid>>();
  let newestMs = 0;

  /**
   * Whether the change is news; if so it is remembered. What is known already is news to a catalog that
   * has let go of the record since.
   */
  function isNews(id: Uuid, stamp: Stamp, isHeld = true): boolean {
    const known = stamps.get(id);
    if (known && (isHeld ? !isAfter(stamp, known) : isAfter(known, stamp))) return false;
    stamps.delete(id);
    stamps.set(id, stamp);
    if (stamp.atMs > newestMs) newestMs = stamp.atMs;
    forgetSome();
    return true;
  }

  /**
   * Changes go once nothing as late can arrive. They stand in the order they came, which need not be
   * that of their times (the newest records are loaded first), so it goes round all of them, a few
   * at a time.
   */
  function forgetSome(): void {
    for (let looked = 0; looked < LOOKED_AT && stamps.size > REMEMBERED; looked += 1) {
      const next = place.next();
      if (next.done) {
        place = stamps.entries();
        continue;
      }
      const [id, { atMs }] = next.value;
      if (atMs <= newestMs - REMEMBERED_MS) stamps.delete(id);
    }
  }

  function setOutside(type: string, id: Uuid, isOutside: boolean): void {
    const ids = outside.get(type) ?? new Set();
    if (isOutside) outside.set(type, ids.add(id));
    else ids.delete(id);
  }

  function warn(fields: Record<string, unknown>, message: string): void {
    if (logged.has(fields.id)) return;
    logged.add(fields.id);
    log.warn(fields, message);
  }

  return {
    warn,
    put(type, row) {
      held?.drop(type.name, row.id);
      const found = readForCatalog(type, row);
      if ('damaged' in found) {
        setOutside(type.name, row.id, true);
        warn({ ...found.damaged, type: type.name }, 'damaged record');
        return found.damaged;
      }
      const isHeld = !type.index || catalog.shelf(type.name).slotOf(row.id) !== undefined;
      if (!isNews(row.id, found.stamp, isHeld)) return null;
      const { data, model, audience } = found;
      try {
        const edge = type.edge?.(data);
        if (edge) catalog.links.put({ id: row.id, ...edge });
        // A graph has no edge from a record to itself.
        setOutside(type.name, row.id, edge !== undefined && edge.source === edge.target);
        if (!type.index) return null;
        const shelf = catalog.shelf(type.name);
        const entry = type.index(data, Number(row.created_ms));
        const comparable = model !== null && model === shelf.model;
        const vector = comparable ? vectorOf(row.vector ?? null) : null;
        const embeddingText = type.embeddingText?.(data);
        shelf.put({
          id: row.id,
          audience,
          vector,
          ...(embeddingText !== undefined && { embeddingText }),
          ...entry,
        });
      } catch (error) {
        const reason = messageOf(error);
        setOutside(type.name, row.id, true);
        warn({ id: row.id, type: type.name, reason }, 'record not indexed');
        return { id: row.id, reason };
      }
      return null;
    },

    setAside(type, id) {
      held?.drop(type.name, id);
      setOutside(type.name, id, true);
      if (type.edge) catalog.links.remove(id);
      if (type.index) catalog.shelf(type.name).remove(id);
    },

    remove(type, id, changedAtMs) {
      held?.drop(type.name, id);
      if (!isNews(id, { atMs: changedAtMs, revision: Number.POSITIVE_INFINITY })) return;
      setOutside(type.name, id, false);
      if (type.edge) catalog.links.remove(id);
      if (type.index) catalog.shelf(type.name).remove(id);
    },

    reset(rows = {}) {
      held?.clear();
      stamps.clear();
      place = stamps.entries();
      outside.clear();
      for (const [type, ids] of Object.entries(rows)) outside.set(type, new Set(ids));
      newestMs = 0;
    },

    outside: () => Object.fromEntries([...outside].map(([type, ids]) => [type, [...ids]])),

    get remembered() {
      return stamps.size;
    },
  };
}

function vectorOf(stored: string | Float32Array | null): Float32Array | null {
  return stored instanceof Float32Array ? stored : decodeHalfVector(stored);
}

function isAfter(one: Stamp, other: Stamp): boolean {
  return one.atMs > other.atMs || (one.atMs === other.atMs && one.revision > other.revision);
}

type ForCatalog<Data> =
  | { data: Data; audience: string; model: string | null; stamp: Stamp }
  | { damaged: DamagedRecord };

/**
 * Data of the current version was checked when it was written and is taken as it is: parsing 50,000
 * memories would cost seconds at every start. What is not as expected there shows in `index`.
 */
export function readForCatalog<Data>(type: RecordType<Data>, row: StoredRow): ForCatalog<Data> {
  const { metadata } = row;
  const { audience, embeddingModel, revision, changedAtMs } = metadata ?? {};
  if (
    metadata?.version === type.version &&
    typeof metadata.data === 'object' &&
    metadata.data !== null &&
    typeof audience === 'string' &&
    typeof revision === 'number' &&
    typeof changedAtMs === 'number'
  ) {
    return {
      data: metadata.data as Data,
      audience,
      model: typeof embeddingModel === 'string' ? embeddingModel : null,
      stamp: { atMs: changedAtMs, revision },
    };
  }
  const decoded = decodeRecord(type, row);
  if (decoded.damaged) return { damaged: decoded.damaged };
  const { record } = decoded;
  return {
    data: record.data,
    // As SQL sees it: a row without the word is for operators only.
    audience: typeof audience === 'string' ? audience : '-',
    model: record.embeddingModel,
    stamp: { atMs: decoded.changedAtMs, revision: record.revision },
  };
}
