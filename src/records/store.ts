/**
 * Typed records of one project over the host's `memories` (DESIGN §3). Rows belong to a project by
 * `world_id`, not to an agent: agents may share a project on purpose. After each committed write the
 * catalog is brought in line.
 */
import { sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../host/database.js';
import { yieldToLoop } from '../shared/async.js';
import { AppError, NotFoundError, wrongField } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Catalog } from './catalog/types.js';
import { type CatalogSync, createCatalogSync } from './catalog-sync.js';
import type { HeldRecords } from './held-records.js';
import type { Home } from './home.js';
import {
  checkVector,
  decodeRecord,
  encodeRecord,
  encodeScope,
  encodeVector,
  type RowDraft,
  type StoredRow,
  withoutNul,
} from './record-codec.js';
import {
  insertStatement,
  namedOf,
  purgeStatement,
  removeStatement,
  replaceStatement,
  touchStatement,
  vectorsStatement,
} from './record-sql.js';
import type { NewTypedRecord, OlderRecords, RecordStore, RecordType } from './record-type.js';
import type { Scope } from './scope.js';
import { createStoreReads } from './store-reads.js';

export interface RecordStoreDeps {
  db: Database;
  home: Home;
  projectId: Uuid;
  catalog: Catalog;
  log: Log;
  /** Shared with the loader and the follower where there are some. */
  sync?: CatalogSync;
  /** What lies beyond the catalog's bound; absent: it has none. */
  older?(type: RecordType<unknown>): OlderRecords | null;
  /** Those that `sync` drops. */
  held?: HeldRecords | undefined;
}

/** Rows and characters of one insert: at most, so that none takes 50 ms. */
const ROWS_PER_INSERT = 25;
const CHARACTERS_PER_INSERT = 300_000;
const IDS_PER_STATEMENT = 200;
const PURGED_PER_STATEMENT = 200;

export type PurgeableStore = RecordStore & {
  /** Forgets removals older than this (database time, ms); returns how many. */
  purgeTombstones(olderThanMs: number): Promise<number>;
};

export function createRecordStore(deps: RecordStoreDeps): PurgeableStore {
  const { db, home, projectId, catalog, log } = deps;
  const sync = deps.sync ?? createCatalogSync({ catalog, log });
  const older = deps.older ?? (() => null);
  const { readable, ...reads } = createStoreReads({
    db,
    projectId,
    log,
    counted: (type, reader) =>
      type.index && catalog.status().state === 'ready' && older(type) === null
        ? catalog.shelf(type.name).newest({ reader }, 0).total
        : null,
    async lacking(type, model) {
      if (!type.index || catalog.status().state !== 'ready') return null;
      const shelf = catalog.shelf(type.name);
      if (shelf.model !== model) return null;
      const beyond = await older(type)?.withoutVector(model);
      return beyond === null ? null : [...(beyond ?? []), ...shelf.withoutVector()];
    },
    aside: (typeName) => new Set(sync.outside()[typeName] ?? []),
    setAside: (type, id) => sync.setAside(type, id),
    held: deps.held,
  });

  /** Statements in turn with a macrotask between them; nothing before the first. */
  async function inTurn<T>(parts: Iterable<T>, work: (part: T) => Promise<void>): Promise<void> {
    let first = true;
    for (const part of parts) {
      if (!first) await yieldToLoop();
      first = false;
      await work(part);
    }
  }

  function ownScope(scope: Scope): void {
    if (scope.projectId === projectId) return;
    throw wrongField('scope.projectId', 'is not the project of this store');
  }

  async function revisionOf(typeName: string, id: Uuid): Promise<unknown> {
    const rows = await rowsOf<{ revision: unknown }>(
      db,
      sql`select metadata->'revision' as revision from memories
        where ${namedOf(projectId, typeName, [id])}`,
    );
    const [row] = rows;
    if (!row) throw new NotFoundError(typeName.replace(/^cue_/, '').replaceAll('_', ' '), id);
    return row.revision;
  }

  return {
    projectId,
    catalog,
    ...reads,
    older,
    setAside: (type) => sync.outside()[type.name] ?? [],

    async insert(type, records, options = {}) {
      const inserted = new Set<Uuid>();
      // All of them are checked before the first is written.
      for (const record of records) {
        ownScope(record.scope);
        if (record.vector) checkVector(record.vector.vector);
      }
      let done = 0;
      await inTurn(batches(type, records), async (batch) => {
        options.signal?.throwIfAborted();
        const written = await rowsOf<{ id: Uuid; changed_at_ms: number; revision: number }>(
          db,
          insertStatement({
            typeName: type.name,
            projectId,
            home,
            rows: batch.map(({ draft }) => draft),
          }),
        );
        await yieldToLoop();
        const rows = new Map(written.map((row) => [row.id, row]));
        for (const { draft, record, taken } of batch) {
          done += taken;
          const row = rows.get(draft.id);
          if (row === undefined) continue;
          const [changedAtMs, revision] = [Number(row.changed_at_ms), Number(row.revision)];
          inserted.add(draft.id);
          options.onInserted?.(draft.id, revision);
          sync.put(type, {
            ...draft,
            metadata: { ...draft.metadata, changedAtMs, revision },
            vector: record.vector?.vector ?? null,
          });
        }
        options.onProgress?.(done);
      });
      return inserted;
    },

    async replace(type, id, revision, change) {
      if (change.scope) ownScope(change.scope);
      const { vector } = change;
      const metadata = {
        version: type.version,
        ...(change.scope ? encodeScope(change.scope) : {}),
        ...(vector === undefined ? {} : { embeddingModel: vector?.model ?? null }),
        data: withoutNul(change.data),
      };
      const rows = await rowsOf<StoredRow>(
        db,
        replaceStatement({
          typeName: type.name,
          projectId,
          id,
          revision,
          text: withoutNul(type.text(change.data)),
          metadata,
          keep: change.keep ?? [],
          vector: vector === undefined ? undefined : encodeVector(vector?.vector),
        }),
      );
      const [row] = rows;
      if (!row) {
        const current = await revisionOf(type.name, id);
        throw new AppError('CONFLICT', 'somebody else changed it meanwhile', {
          revision: current,
        });
      }
      sync.put(type, vector === undefined ? row : { ...row, vector: vector?.vector ?? null });
      const decoded = decodeRecord(type, row);
      if (decoded.damaged) throw new AppError('INTERNAL', decoded.damaged.reason, { id });
      return decoded.record;
    },

    async remove(type, ids, { revisions } = {}) {
      let removed = 0;
      await inTurn(slices([...new Set(ids)], IDS_PER_STATEMENT), async (part) => {
        const rows = await rowsOf<{ id: Uuid; changed_at_ms: number }>(
          db,
          removeStatement({ typeName: type.name, projectId, ids: part, revisions }),
        );
        for (const row of rows) sync.remove(type, row.id, Number(row.changed_at_ms));
        removed += rows.length;
      });
      return removed;
    },

    async atomically(work) {
      const changes: (() => void)[] = [];
      const later: CatalogSync = {
        ...sync,
        put(type, row) {
          changes.push(() => sync.put(type, row));
          return null;
        },
        remove(...gone) {
          changes.push(() => sync.remove(...gone));
        },
      };
      const result = await db.transaction((tx) =>
        work(createRecordStore({ ...deps, db: tx, sync: later, held: undefined })),
      );
      await inTurn(slices(changes, IDS_PER_STATEMENT), async (part) => {
        for (const change of part) change();
      });
      return result;
    },

    async touch(type, ids, change) {
      const { add = {}, set = {} } = change;
      await inTurn(slices([...new Set(ids)].sort(), IDS_PER_STATEMENT), async (part) => {
        await db.execute(
          touchStatement({
            typeName: type.name,
            projectId,
            ids: part,
            add,
            set: withoutNul(set),
          }),
        );
      });
    },

    async setVectors(type, rows) {
      const drafts = rows.map(({ id, revision, vector }) => ({
        id,
        revision,
        model: vector.model,
        vector: encodeVector(vector.vector) ?? '',
      }));
      const given = new Map(rows.map((row) => [row.id, row.vector]));
      let written = 0;
      await inTurn(slices(drafts, ROWS_PER_INSERT), async (part) => {
        const changed = await rowsOf<{ id: Uuid }>(
          db,
          vectorsStatement({ typeName: type.name, projectId, rows: part }),
        );
        written += changed.length;
        if (!type.index) return;
        const shelf = catalog.shelf(type.name);
        for (const { id } of changed) {
          const vector = given.get(id);
          if (vector && vector.model === shelf.model) shelf.setVector(id, vector.vector);
        }
      });
      return written;
    },

    async purgeTombstones(olderThanMs) {
      let purged = 0;
      for (;;) {
        const rows = await rowsOf<{ id: Uuid }>(
          db,
          purgeStatement(projectId, olderThanMs, PURGED_PER_STATEMENT),
        );
        purged += rows.length;
        if (rows.length < PURGED_PER_STATEMENT) return purged;
        await yieldToLoop();
      }
    },
  };
}

interface BatchRow<Data> {
  draft: RowDraft;
  record: NewTypedRecord<Data>;
  /** Records of the input this one stands for: one, and those of the same id right after. */
  taken: number;
}

/** Rows encoded batch by batch; a repeated id counts once, its first record wins. */
function* batches<Data>(
  type: RecordType<Data>,
  records: readonly NewTypedRecord<Data>[],
): Generator<BatchRow<Data>[]> {
  const seen = new Set<Uuid>();
  let batch: BatchRow<Data>[] = [];
  let characters = 0;
  for (const record of records) {
    const before = batch.at(-1);
    if (seen.has(record.id) && before) {
      before.taken += 1;
      continue;
    }
    seen.add(record.id);
    const draft = encodeRecord(type, record);
    const size = JSON.stringify(draft).length;
    if (
      batch.length >= ROWS_PER_INSERT ||
      (batch.length > 0 && characters + size > CHARACTERS_PER_INSERT)
    ) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push({ draft, record, taken: 1 });
    characters += size;
  }
  if (batch.length > 0) yield batch;
}

function* slices<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
