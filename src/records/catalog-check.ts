/**
 * Whether a snapshot of the catalog belongs to the database at hand. Ids of projects are derived, so
 * another database, or an older state of this one, has the same.
 */
import { sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../host/database.js';
import type { Uuid } from '../shared/ids.js';
import { yieldToLoop } from '../shared/yield.js';
import type { Catalog } from './catalog/types.js';
import type { RowsOutside } from './catalog-sync.js';
import { HOME_NAME, HOME_SOURCE } from './home.js';
import { beyond, inOrder, type Key, ofType } from './record-sql.js';
import type { RecordType } from './record-type.js';

/** Rows counted in one statement; only their index entries and keys are read. */
const ROWS_PER_COUNT = 500;

/**
 * What tells this database from others: when its first room of ours was made, to the microsecond.
 * The first one of all agents, since those of one project share its snapshot. `null` before there
 * is one.
 */
export async function databaseIdentity(db: Database): Promise<string | null> {
  const rows = await rowsOf<{ id: string; at: string }>(
    db,
    sql`select id, created_at::text as at from rooms
      where source = ${HOME_SOURCE} and name = ${HOME_NAME}
      order by created_at, id limit 1`,
  );
  const [first] = rows;
  return first ? `${first.id} ${first.at}` : null;
}

export interface RowCheck {
  db: Database;
  projectId: Uuid;
  catalog: Catalog;
  types: readonly RecordType<unknown>[];
  /** Rows by type that the catalog cannot hold, such as damaged ones. */
  outside: RowsOutside;
  signal: AbortSignal;
}

/** Whether the catalog holds as many records of every type as there are rows, bar `outside`. */
export async function holdsEveryRow(check: RowCheck): Promise<boolean> {
  const { catalog, types, outside } = check;
  let edges = 0;
  for (const type of types) {
    if (!type.index && !type.edge) continue;
    const rows = (await countRows(check, type.name)) - (outside[type.name]?.length ?? 0);
    if (type.edge) edges += rows;
    if (type.index && catalog.shelf(type.name).size !== rows) return false;
  }
  return catalog.links.size === edges;
}

/** Rows of a type, counted in small steps: at once 50,000 of them take 0.4 s. */
async function countRows({ db, projectId, signal }: RowCheck, typeName: string): Promise<number> {
  let count = 0;
  let after: Key | null = null;
  for (;;) {
    signal.throwIfAborted();
    const from: Key | null = after;
    const rows: Key[] = await rowsOf<Key & Record<string, unknown>>(
      db,
      sql`select memories.id, memories.created_at::text as at from memories
        where ${ofType(projectId, typeName)} ${beyond(from, true)}
        ${inOrder(true)} limit ${ROWS_PER_COUNT}`,
    );
    count += rows.length;
    after = rows.at(-1) ?? null;
    if (after === null || rows.length < ROWS_PER_COUNT) return count;
    await yieldToLoop();
  }
}
