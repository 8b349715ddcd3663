/** The host's database adapter, opened without anything of an agent. */
import type { IDatabaseAdapter, Plugin, UUID } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../records/index.js';
import { withoutEnvFiles } from '../settings.js';
import { unopened } from './failure.js';
import type { Place } from './place.js';

/** What is used of plugin-sql, which comes without usable types. */
export interface SqlPackage {
  default: Plugin;
  createDatabaseAdapter(
    config: { dataDir?: string; postgresUrl?: string },
    agentId: UUID,
  ): IDatabaseAdapter;
  DatabaseMigrationService: new () => {
    initializeWithDatabase(db: unknown): Promise<void>;
    discoverAndRegisterPluginSchemas(plugins: Plugin[]): void;
    runAllPluginMigrations(): Promise<void>;
  };
}

const SINGLETONS = Symbol.for('@elizaos/plugin-sql/global-singletons');
/** For reading which agents there are, before one is chosen. */
const NOBODY = '00000000-0000-0000-0000-000000000000' as UUID;

/** @throws AppError UNAVAILABLE when the database cannot be opened */
export async function openDatabase(pack: SqlPackage, place: Place): Promise<IDatabaseAdapter> {
  const adapter = adapterOn(pack, place, NOBODY);
  try {
    await adapter.init();
    await embeddedClient(adapter)?.waitReady;
    return adapter;
  } catch (error) {
    forgetEmbedded();
    throw unopened(place, error);
  }
}

/** Another agent's adapter on the same open database. */
export function adapterOn(pack: SqlPackage, place: Place, agentId: UUID): IDatabaseAdapter {
  const where =
    place.kind === 'server'
      ? { postgresUrl: place.postgresUrl }
      : { dataDir: place.kind === 'directory' ? place.directory : place.dataDir };
  return withoutEnvFiles(() => pack.createDatabaseAdapter(where, agentId));
}

/**
 * Makes the host's tables where there are none. A database that has them is left to its own Eliza
 * agent: ours may be of another version, and would change it to that.
 */
export async function ensureTables(pack: SqlPackage, adapter: IDatabaseAdapter): Promise<void> {
  if (await hasTables(adapter.db as Database)) return;
  const migrations = new pack.DatabaseMigrationService();
  await migrations.initializeWithDatabase(adapter.db);
  migrations.discoverAndRegisterPluginSchemas([pack.default]);
  await migrations.runAllPluginMigrations();
}

async function hasTables(db: Database): Promise<boolean> {
  const found = await rowsOf(
    db,
    sql`select count(*) as n from pg_tables where schemaname = 'public'
      and tablename in ('agents', 'entities', 'worlds', 'rooms', 'memories', 'embeddings', 'tasks', 'cache')`,
  );
  return Number(found[0]?.n) === 8;
}

/** The host's PGlite behind an adapter; `null`: a database server. */
export function embeddedClient(
  adapter: IDatabaseAdapter,
): (object & { waitReady?: Promise<void> }) | null {
  const db: unknown = adapter.db;
  const client: unknown =
    typeof db === 'object' && db !== null && '$client' in db ? db.$client : null;
  return typeof client === 'object' && client !== null && 'waitReady' in client
    ? (client as object & { waitReady?: Promise<void> })
    : null;
}

/** The host keeps one PGlite per process, also when it is closed: the next start would get that. */
export function forgetEmbedded(): void {
  const held: unknown = Reflect.get(globalThis, SINGLETONS);
  if (typeof held === 'object' && held !== null)
    Reflect.set(held, 'pgLiteClientManager', undefined);
}
