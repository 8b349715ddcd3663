/**
 * Brings the catalog in line with rows of the database: after our own writes, while it loads, and
 * when other processes wrote. Rows may arrive late and out of order, so the newest change wins.
 */
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Catalog } from './catalog/types.js';
import { decodeRecord, type StoredRow } from './record-codec.js';
import type { DamagedRecord, RecordType } from './record-type.js';
import { decodeHalfVector } from './vector-codec.js';

export interface CatalogSync {
  /**
   * Adds or replaces the document or edge of the row. A vector of another model than the shelf's
   * does not count. Returns what made a row unreadable; it is logged once.
   */
  put<Data>(type: RecordType<Data>, row: StoredRow): DamagedRecord | null;
  /** The record is gone since `changedAtMs` (database time). */
  remove(type: RecordType<unknown>, id: Uuid, changedAtMs: number): void;
  /** Forgets what was applied: the catalog is another one now. */
  reset(): void;
}

/** Changes remembered, so that an older row that arrives late is known to be older. */
const REMEMBERED = 4_000;
const REMEMBERED_MS = 60_000;

/** Orders changes of one record: database time, then revision; a removal ends its millisecond. */
interface Stamp {
  atMs: number;
  revision: number;
}

export function createCatalogSync(deps: { catalog: Catalog; log: Log }): CatalogSync {
  const { catalog, log } = deps;
  const stamps = new Map<Uuid, Stamp>();
  const logged = new Set<Uuid>();
  let newestMs = 0;

  /** Whether the change is news; if so it is remembered. */
  function isNews(id: Uuid, stamp: Stamp): boolean {
    const known = stamps.get(id);
    if (known && !isAfter(stamp, known)) return false;
    stamps.delete(id);
    stamps.set(id, stamp);
    if (stamp.atMs > newestMs) newestMs = stamp.atMs;
    // Entries stand in the order they came; the oldest go once nothing that late can arrive.
    for (const [oldId, old] of stamps) {
      if (stamps.size <= REMEMBERED || old.atMs > newestMs - REMEMBERED_MS) break;
      stamps.delete(oldId);
    }
    return true;
  }

  return {
    put(type, row) {
      const found = readForCatalog(type, row);
      if ('damaged' in found) {
        if (!logged.has(row.id)) {
          logged.add(row.id);
          log.warn({ ...found.damaged, type: type.name }, 'damaged record');
        }
        return found.damaged;
      }
      if (!isNews(row.id, found.stamp)) return null;
      const { data, model, audience } = found;
      try {
        if (type.edge) catalog.links.put({ id: row.id, ...type.edge(data) });
        if (!type.index) return null;
        const shelf = catalog.shelf(type.name);
        const entry = type.index(data, Number(row.created_ms));
        const comparable = model !== null && model === shelf.model;
        const vector = comparable ? vectorOf(row.vector ?? null) : null;
        shelf.put({ id: row.id, audience, vector, ...entry });
      } catch (error) {
        const reason = messageOf(error);
        log.warn({ id: row.id, type: type.name, reason }, 'record not indexed');
        return { id: row.id, reason };
      }
      return null;
    },

    remove(type, id, changedAtMs) {
      if (!isNews(id, { atMs: changedAtMs, revision: Number.POSITIVE_INFINITY })) return;
      if (type.edge) catalog.links.remove(id);
      if (type.index) catalog.shelf(type.name).remove(id);
    },

    reset() {
      stamps.clear();
      newestMs = 0;
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
function readForCatalog<Data>(type: RecordType<Data>, row: StoredRow): ForCatalog<Data> {
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
