/** The host's database adapter, opened without anything of an agent. */
import { setFlagsFromString } from 'node:v8';
import type { IDatabaseAdapter, Plugin, UUID } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../records/index.js';
import { withoutEnvFiles } from '../settings.js';
import { unopened } from './failure.js';
import { type HeldDatabase, hold } from './held.js';
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

/**
 * By default V8 optimizes a function of the embedded database once it has run through 1.8 million bytes of code,
 * which thousands do while it opens: that took three fifths of the CPU time of a start. A function that goes on
 * being used is still optimized.
 */
const OPTIMIZE_LATER = '--wasm-tiering-budget=1800000000';

/** The one of this process that is not open yet. */
let prepared: (HeldDatabase & { directory: string; adapter: IDatabaseAdapter }) | null = null;

/**
 * Loads an embedded database and holds it before it reads its directory, so that opening it takes half as long.
 * Nothing where this process has one already; what goes wrong is said when it is opened.
 */
export function prepareDatabase(pack: SqlPackage, directory: string): void {
  if (singletons()?.pgLiteClientManager) return;
  setFlagsFromString(OPTIMIZE_LATER);
  const adapter = adapterOn(pack, { kind: 'directory', directory }, NOBODY);
  const client = embeddedClient(adapter);
  if (client) prepared = { ...hold(client), directory, adapter };
}

/** @throws AppError UNAVAILABLE when the database cannot be opened */
export async function openDatabase(pack: SqlPackage, place: Place): Promise<IDatabaseAdapter> {
  try {
    const isOther = place.kind !== 'directory' || prepared?.directory !== place.directory;
    if (prepared && isOther) forgetEmbedded();
    if (place.kind === 'directory') prepareDatabase(pack, place.directory);
    const adapter = prepared?.adapter ?? adapterOn(pack, place, NOBODY);
    prepared?.letGo();
    prepared = null;
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
  prepared = null;
  const held = singletons();
  if (held) held.pgLiteClientManager = undefined;
}

function singletons(): { pgLiteClientManager?: unknown } | null {
  const held: unknown = Reflect.get(globalThis, SINGLETONS);
  return typeof held === 'object' ? held : null;
}
