/**
 * Catches up with what others changed: rows carry the database's time of their last change, removed
 * ones included, and a pass reads all changes since shortly before the pass before.
 */
import { sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../host/database.js';
import { yieldToLoop } from '../shared/async.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { CatalogSync } from './catalog-sync.js';
import { type StoredRow, TOMBSTONE_TYPE } from './record-codec.js';
import { CHANGED_AT, changedSince, NOW_MS, ROW_COLUMNS, VECTOR_COLUMN } from './record-sql.js';
import type { RecordType } from './record-type.js';

export interface CatalogFollowerDeps {
  db: Database;
  projectId: Uuid;
  sync: CatalogSync;
  types: readonly RecordType<unknown>[];
  log: Log;
}

export interface CatalogFollower {
  /** Database time in ms up to which everything was seen; `null` before the first pass. */
  watermark(): number | null;
  /** Applies what changed since (database time, ms). Returns how many rows were read. */
  catchUp(sinceMs: number): Promise<number>;
  /** A pass from the watermark on. Concurrent calls share one pass. */
  pass(): Promise<number>;
  /** A pass every so often; a failing one is logged and made up for by the next. */
  start(intervalMs: number): void;
  /** No further pass; resolves when the running one has ended. */
  stop(): Promise<void>;
}

/** A change may be committed this long after the time it bears. */
export const OVERLAP_MS = 10_000;
const ROWS_PER_STATEMENT = 100;

/** Time of the database, ms. */
export async function databaseNow(db: Database): Promise<number> {
  const rows = await rowsOf<{ now: string | number }>(db, sql`select ${NOW_MS} as now`);
  return Number(rows[0]?.now);
}

export function createCatalogFollower(deps: CatalogFollowerDeps): CatalogFollower {
  const { db, projectId, sync, log } = deps;
  const types = new Map<unknown, RecordType<unknown>>(deps.types.map((type) => [type.name, type]));
  let watermark: number | null = null;
  let running: Promise<number> | null = null;
  let timer: NodeJS.Timeout | undefined;

  function apply(row: StoredRow): void {
    const { type: name, was, changedAtMs } = row.metadata ?? {};
    const type = types.get(name === TOMBSTONE_TYPE ? was : name);
    if (!type) return;
    if (name === TOMBSTONE_TYPE) sync.remove(type, row.id, Number(changedAtMs));
    else sync.put(type, row);
  }

  async function catchUp(sinceMs: number): Promise<number> {
    const nowMs = await databaseNow(db);
    let fromMs = sinceMs - OVERLAP_MS;
    let afterId: Uuid | null = null;
    let read = 0;
    for (;;) {
      const rows: StoredRow[] = await rowsOf<StoredRow>(db, changes(projectId, fromMs, afterId));
      for (const row of rows) apply(row);
      read += rows.length;
      const last = rows.at(-1);
      if (!last || rows.length < ROWS_PER_STATEMENT) break;
      fromMs = Number(last.metadata?.changedAtMs);
      afterId = last.id;
      await yieldToLoop();
    }
    watermark = Math.max(watermark ?? nowMs, nowMs);
    return read;
  }

  const pass = (): Promise<number> => {
    running ??= (async () => catchUp(watermark ?? (await databaseNow(db))))().finally(() => {
      running = null;
    });
    return running;
  };

  return {
    watermark: () => watermark,
    catchUp,
    pass,
    start(intervalMs) {
      timer ??= setInterval(() => {
        pass().catch((error: unknown) => {
          log.warn({ reason: messageOf(error) }, 'following other processes failed');
        });
      }, intervalMs).unref();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await running?.catch(() => 0);
    },
  };
}

/** Rows of any type of ours that changed, oldest change first. */
export function changes(projectId: Uuid, fromMs: number, afterId: Uuid | null) {
  return sql`select ${ROW_COLUMNS}, ${VECTOR_COLUMN} as vector from memories
    where ${changedSince(projectId, { ms: fromMs, id: afterId })}
    order by ${CHANGED_AT}, memories.id limit ${ROWS_PER_STATEMENT}`;
}
