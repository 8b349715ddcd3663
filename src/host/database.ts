import { EventEmitter } from 'node:events';
import { type SQL, sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { AppError, messageOf } from '../shared/errors.js';

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
    surviveLostConnections(db);
    return discreet(db as Database);
  }
  throw new AppError('UNAVAILABLE', 'the agent has no SQL database: add @elizaos/plugin-sql');
}

const survived = new WeakSet<EventEmitter>();

/**
 * A connection that is lost while a transaction waits for its next statement is an `error` event of its
 * client, which the pool hears only of idle clients: unheard, it ends the process. Nothing is hidden by
 * hearing it: the next statement of that client fails with the same reason.
 */
function surviveLostConnections(db: object): void {
  const pool: unknown = '$client' in db ? db.$client : undefined;
  if (!(pool instanceof EventEmitter) || survived.has(pool)) return;
  survived.add(pool);
  pool.on('acquire', (client: EventEmitter) => {
    if (survived.has(client)) return;
    survived.add(client);
    client.on('error', () => {});
  });
}

/** The parts of drizzle's session that every statement of a handle goes through. */
interface Session {
  prepareQuery(...sent: unknown[]): { execute(...sent: unknown[]): Promise<unknown> };
  transaction(work: (tx: Executor) => Promise<unknown>, config?: unknown): Promise<unknown>;
}

/** What is known of the storage behind a handle, by its session and by the handles made of it. */
const storage = new WeakMap<object, { full: boolean }>();

/** Why nothing can be stored at the moment, for health; `null`: the last write went through. */
export function storageProblem(db: object): string | null {
  return storage.get(db)?.full === true ? DISK_FULL : null;
}

const DISK_FULL =
  'the disk of the database is full: nothing can be stored until there is space on it again';
/** PostgreSQL's `disk_full`, and the operating system's own. */
const FULL_CODES: ReadonlySet<unknown> = new Set(['53100', 'ENOSPC']);
const WRITE = /^\s*(?:insert|update|delete|with)\b/i;

/**
 * The same handle, whose errors say what the database says. Drizzle's own say the statement with all
 * its parameters, which are what people stored, and would stand in logs.
 */
function discreet<Handle extends Executor>(handle: Handle, known?: { full: boolean }): Handle {
  const session: unknown = 'session' in handle ? handle.session : undefined;
  if (!isSession(session)) return handle;
  const state = known ?? storage.get(session) ?? { full: false };
  storage.set(session, state);
  const told = (error: unknown): never => {
    if (!isDiskFull(error)) return rethrow(error);
    state.full = true;
    throw new AppError('UNAVAILABLE', DISK_FULL);
  };
  const quiet: Session = Object.assign(Object.create(session), {
    prepareQuery(...sent: unknown[]) {
      const prepared = session.prepareQuery(...sent);
      const execute = prepared.execute.bind(prepared);
      prepared.execute = async (...values) => {
        const result = await execute(...values).catch(told);
        if (state.full && isWrite(sent[0])) state.full = false;
        return result;
      };
      return prepared;
    },
    transaction: (work: (tx: Executor) => Promise<unknown>, config?: unknown) =>
      session.transaction((tx) => work(discreet(tx, state)), config).catch(told),
  });
  const made: Handle = Object.create(handle, { session: { value: quiet } });
  storage.set(made, state);
  return made;
}

function isWrite(query: unknown): boolean {
  return (
    typeof query === 'object' && query !== null && 'sql' in query && WRITE.test(String(query.sql))
  );
}

function isDiskFull(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('code' in one && FULL_CODES.has(one.code)) return true;
    if (/no space left on device/i.test(one.message)) return true;
  }
  return false;
}

function isSession(session: unknown): session is Session {
  return typeof session === 'object' && session !== null && 'prepareQuery' in session;
}

/** Without a cause: drivers keep the parameters, too. */
function rethrow(error: unknown): never {
  if (!(error instanceof Error && 'params' in error)) throw error;
  throw new Error(messageOf(error));
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
