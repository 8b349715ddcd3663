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
    return discreet(db as Database);
  }
  throw new AppError('UNAVAILABLE', 'the agent has no SQL database: add @elizaos/plugin-sql');
}

/** The parts of drizzle's session that every statement of a handle goes through. */
interface Session {
  prepareQuery(...sent: unknown[]): { execute(...sent: unknown[]): Promise<unknown> };
  transaction(work: (tx: Executor) => Promise<unknown>, config?: unknown): Promise<unknown>;
}

/**
 * The same handle, whose errors say what the database says. Drizzle's own say the statement with all
 * its parameters, which are what people stored, and would stand in logs.
 */
function discreet<Handle extends Executor>(handle: Handle): Handle {
  const session: unknown = 'session' in handle ? handle.session : undefined;
  if (!isSession(session)) return handle;
  const quiet: Session = Object.assign(Object.create(session), {
    prepareQuery(...sent: unknown[]) {
      const prepared = session.prepareQuery(...sent);
      const execute = prepared.execute.bind(prepared);
      prepared.execute = (...values) => execute(...values).catch(rethrow);
      return prepared;
    },
    transaction: (work: (tx: Executor) => Promise<unknown>, config?: unknown) =>
      session.transaction((tx) => work(discreet(tx)), config).catch(rethrow),
  });
  return Object.create(handle, { session: { value: quiet } });
}

function isSession(session: unknown): session is Session {
  return typeof session === 'object' && session !== null && 'prepareQuery' in session;
}

/** Without a cause: drivers keep the parameters, too, and quote at the end what they could not read. */
function rethrow(error: unknown): never {
  if (!(error instanceof Error && 'params' in error)) throw error;
  const { cause } = error;
  // A driver's own error may come as it is; several in one, as of a refused connection, say nothing.
  const said = cause instanceof Error ? cause : error;
  const reason = said.message || ('code' in said ? String(said.code) : said.name);
  throw new Error(`Failed query: ${reason.replace(/: ".*$/s, '')}`);
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

/** The values with commas between, for `in (…)` and `array[…]`; not empty. */
export function sqlList(values: readonly string[]): SQL {
  return sql.join(
    values.map((value) => sql`${value}`),
    sql`, `,
  );
}
