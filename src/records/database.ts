import { type SQL, sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { AppError } from '../shared/errors.js';

/** The drizzle handle of the host: PGlite or node-postgres, the same for us. */
export type Database = PgDatabase<PgQueryResultHKT, Record<string, never>>;

/** A drizzle database or an open transaction on one. */
export type Executor = Pick<Database, 'execute' | 'select' | 'insert' | 'update' | 'delete'>;

/**
 * The host's drizzle handle, checked once at the border: `runtime.db` is typed `unknown`, and it
 * throws before plugin-sql registered its adapter (ELIZA_GUIDE §2).
 * @throws AppError UNAVAILABLE when there is no SQL database behind the runtime.
 */
export function databaseOf(runtime: { db?: unknown }): Database {
  const db = runtime.db;
  if (typeof db === 'object' && db !== null && 'execute' in db && 'transaction' in db) {
    return db as Database;
  }
  throw new AppError('UNAVAILABLE', 'the agent has no SQL database: add @elizaos/plugin-sql');
}

/**
 * Vectors are read as `halfvec`, which pgvector has since 0.7.
 * @throws AppError UNAVAILABLE when the database lacks it
 */
export async function requireHalfvec(db: Executor): Promise<void> {
  const rows = await rowsOf<{ known: boolean }>(
    db,
    sql`select to_regtype('halfvec') is not null as known`,
  );
  if (rows[0]?.known) return;
  throw new AppError(
    'UNAVAILABLE',
    'pgvector 0.7 or newer is needed (ALTER EXTENSION vector UPDATE)',
  );
}

/** The rows of a raw statement. Both drivers answer `{ rows }`; timestamps come as strings. */
export async function rowsOf<Row extends Record<string, unknown>>(
  db: Executor,
  statement: SQL,
): Promise<Row[]> {
  const result: unknown = await db.execute(statement);
  if (typeof result === 'object' && result !== null && 'rows' in result) {
    return (result as { rows: Row[] }).rows;
  }
  throw new AppError('INTERNAL', 'the database driver answered without rows');
}

/**
 * Runs a query that wants the first rows in the order of an index. Without statistics (PGlite never
 * gathers any) the planner expects few rows and would rather sort, which means reading all of them
 * (measured at 50,000: 200 ms instead of 2), so it may not.
 */
export function inIndexOrder<T>(db: Database, work: (tx: Executor) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`set local enable_sort = off`);
    return work(tx as Executor);
  });
}

/** Directory of an embedded PGlite database, `null` for a database server, `memory` for neither. */
export function pgliteDirectory(db: Database): string | 'memory' | null {
  const client: unknown = '$client' in db ? db.$client : undefined;
  if (typeof client !== 'object' || client === null || !('dataDir' in client)) return null;
  const dir = client.dataDir;
  if (typeof dir !== 'string' || dir === '' || dir.startsWith('memory://')) return 'memory';
  return dir.replace(/^file:\/\//, '');
}
