/** What has changed in a project since one looked last, whoever did it, in this process or another one. */
import { sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../host/database.js';
import { yieldToLoop } from '../shared/async.js';
import type { Uuid } from '../shared/ids.js';
import { databaseNow, OVERLAP_MS } from './catalog-follow.js';
import { TOMBSTONE_TYPE } from './record-codec.js';
import { CHANGED_AT, CREATED_MS, changedSince } from './record-sql.js';

export interface RecordChange {
  id: Uuid;
  /** Of the record, also of one that is gone. */
  type: string;
  kind: 'stored' | 'updated' | 'removed';
}

export interface ChangeLook {
  /** Since the look before; the first one finds nothing. Each change is told once. */
  look(): Promise<RecordChange[]>;
}

const ROWS_PER_STATEMENT = 500;
/** A record that is older than this and was never changed has got a vector, and says nothing new. */
const NEW_MS = 60_000;

type Row = {
  id: Uuid;
  type: string;
  was: string | null;
  revision: string | null;
  changed_ms: string | number;
  created_ms: string | number;
};

export function createChangeLook(db: Database, projectId: Uuid): ChangeLook {
  let fromMs: number | null = null;
  /** What was told of each record that may be read again, and when that changed. */
  const told = new Map<string, { what: string; changedAtMs: number }>();

  function changeIn(row: Row): RecordChange | null {
    const isRemoved = row.type === TOMBSTONE_TYPE;
    const changedAtMs = Number(row.changed_ms);
    const what = isRemoved ? 'removed' : `revision ${row.revision}`;
    const isTold = told.get(row.id)?.what === what;
    told.set(row.id, { what, changedAtMs });
    if (isTold) return null;
    if (isRemoved) return { id: row.id, type: row.was ?? '', kind: 'removed' };
    const isFirst = row.revision === '1';
    if (isFirst && changedAtMs - Number(row.created_ms) > NEW_MS) return null;
    return { id: row.id, type: row.type, kind: isFirst ? 'stored' : 'updated' };
  }

  return {
    async look() {
      const nowMs = await databaseNow(db);
      const isFirst = fromMs === null;
      const found: RecordChange[] = [];
      let at: { ms: number; id: Uuid | null } = { ms: (fromMs ?? nowMs) - OVERLAP_MS, id: null };
      for (;;) {
        const rows: Row[] = await rowsOf<Row>(db, changed(projectId, at));
        found.push(...rows.flatMap((row) => changeIn(row) ?? []));
        const last = rows.at(-1);
        if (!last || rows.length < ROWS_PER_STATEMENT) break;
        at = { ms: Number(last.changed_ms), id: last.id };
        await yieldToLoop();
      }
      fromMs = nowMs;
      for (const [id, { changedAtMs }] of told) {
        if (changedAtMs < nowMs - 2 * OVERLAP_MS) told.delete(id);
      }
      return isFirst ? [] : found;
    },
  };
}

/** Without texts and vectors. */
function changed(projectId: Uuid, after: { ms: number; id: Uuid | null }) {
  return sql`select memories.id, memories.type, memories.metadata->>'was' as was,
      memories.metadata->>'revision' as revision, ${CHANGED_AT}::bigint as changed_ms,
      ${CREATED_MS} as created_ms
    from memories where ${changedSince(projectId, after)}
    order by ${CHANGED_AT}, memories.id limit ${ROWS_PER_STATEMENT}`;
}
