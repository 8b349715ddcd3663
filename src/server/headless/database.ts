/** The host's database adapter, opened without anything of an agent. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { IDatabaseAdapter, Plugin, UUID } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../../records/index.js';
import { withoutEnvFiles } from '../../settings.js';
import { SECOND_MS } from '../../shared/clock.js';
import { AppError, codeOf, messageOf } from '../../shared/errors.js';
import type { DatabaseLocation } from '../client.js';
import { clear, type Template } from './template.js';

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

export interface OpenedDatabase {
  adapter: IDatabaseAdapter;
  /** Its directory, where it has just been made there and not from a template. */
  newIn: string | null;
}

/**
 * @param template of a database that has to be made
 * @throws AppError UNAVAILABLE when the database cannot be opened
 */
export async function openDatabase(
  pack: SqlPackage,
  place: DatabaseLocation,
  template: Template | null = null,
): Promise<OpenedDatabase> {
  try {
    const isOther = place.kind !== 'directory' || prepared?.directory !== place.directory;
    if (prepared && isOther) forgetEmbedded();
    if (place.kind !== 'directory') {
      return { adapter: await opened(adapterOn(pack, place, NOBODY)), newIn: null };
    }
    return await openDirectory(pack, place.directory, template);
  } catch (error) {
    forgetEmbedded();
    throw unopened(place, error);
  }
}

async function openDirectory(
  pack: SqlPackage,
  directory: string,
  template: Template | null,
): Promise<OpenedDatabase> {
  const isUnpacked = template?.unpack(directory) ?? false;
  const isNew = !existsSync(join(directory, VERSION_FILE));
  try {
    const adapter = await openPrepared(pack, directory);
    return { adapter, newIn: isNew ? directory : null };
  } catch (error) {
    if (!isUnpacked) throw error;
    forgetEmbedded();
    template?.drop();
    clear(directory);
    return { adapter: await openPrepared(pack, directory), newIn: directory };
  }
}

function openPrepared(pack: SqlPackage, directory: string): Promise<IDatabaseAdapter> {
  prepareDatabase(pack, directory);
  const adapter = prepared?.adapter ?? adapterOn(pack, { kind: 'directory', directory }, NOBODY);
  prepared?.letGo();
  prepared = null;
  return opened(adapter);
}

async function opened(adapter: IDatabaseAdapter): Promise<IDatabaseAdapter> {
  await adapter.init();
  await embeddedClient(adapter)?.waitReady;
  return adapter;
}

/** Another agent's adapter on the same open database. */
export function adapterOn(
  pack: SqlPackage,
  place: DatabaseLocation,
  agentId: UUID,
): IDatabaseAdapter {
  const where =
    place.kind === 'server'
      ? { postgresUrl: place.postgresUrl }
      : { dataDir: place.kind === 'directory' ? place.directory : place.dataDir };
  return withoutEnvFiles(() => pack.createDatabaseAdapter(where, agentId));
}

/**
 * Makes the host's tables where there are none. A database that has them is left to its own Eliza
 * agent: ours may be of another version, and would change it to that.
 * @param template takes a copy of what was made
 */
export async function ensureTables(
  pack: SqlPackage,
  { adapter, newIn }: OpenedDatabase,
  template: Template | null = null,
): Promise<void> {
  const db = adapter.db as Database;
  if (await hasTables(db)) return;
  const migrations = new pack.DatabaseMigrationService();
  await migrations.initializeWithDatabase(adapter.db);
  migrations.discoverAndRegisterPluginSchemas([pack.default]);
  await migrations.runAllPluginMigrations();
  if (newIn === null || template === null) return;
  // All that was written is in its files then.
  await db.execute(sql`checkpoint`);
  template.pack(newIn);
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

/**
 * An embedded database on its way to being open, held where it is about to read its directory: all that takes
 * long and touches nothing of the directory is done by then, so that whoever waits for the directory has it
 * behind them.
 */
export interface HeldDatabase {
  /** Lets it read, and write. */
  letGo(): void;
}

/** The parts of PGlite 0.3 that are used. */
interface Client {
  waitReady: Promise<void>;
  fs?: { initialSyncFs(): Promise<void> };
  Module?: { HEAPU8?: Uint8Array };
}

/**
 * Arguments that PGlite gives PostgreSQL, as they stand in memory, and ours of the same length:
 *
 * - Asked to sync its files, it opens each file of the directory twice after a kill, which is a third of such a
 *   start; and no sync reaches the system, since the file system behind it has none.
 * - All of its buffers are written at the start, which is another fifth of it; the system keeps what is read.
 */
const ARGUMENTS = [
  ['fsync=on\0', 'fsync=no\0'],
  ['shared_buffers=128MB\0', 'shared_buffers= 16MB\0'],
] as const;

/** @param client the host's PGlite, just made: what it opens it begins with in a later turn */
export function hold(client: object): HeldDatabase {
  const held = client as Client;
  let letGo = (): void => {};
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  Object.defineProperty(held, 'fs', {
    configurable: true,
    set(fs: NonNullable<Client['fs']>) {
      Object.defineProperty(held, 'fs', { value: fs, writable: true, configurable: true });
      const first = fs.initialSyncFs.bind(fs);
      fs.initialSyncFs = async () => {
        await free;
        adjust(held);
        await first();
      };
    },
  });
  // Whoever opens it hears of it then.
  held.waitReady.catch(() => {});
  return { letGo };
}

function adjust({ Module }: Client): void {
  if (!Module?.HEAPU8) return;
  const { buffer } = Module.HEAPU8;
  const memory = Buffer.from(buffer);
  for (const [theirs, ours] of ARGUMENTS) {
    const at = memory.indexOf(theirs, 0, 'latin1');
    if (at >= 0) memory.write(ours, at, 'latin1');
  }
}

/** Written since the last checkpoint: as much as one file of the log holds. */
const ENOUGH_BYTES = 16 * 1_024 * 1_024;
const LOOK_MS = 2 * SECOND_MS;
/** Nobody has asked the database for that long: a checkpoint takes some 30 ms. */
const QUIET_MS = 200;
/** A database that is never quiet gets its checkpoint all the same. */
const MOST_PUT_OFF = 5;

/** The part of PGlite 0.3 that is used: every statement passes here. */
interface Client {
  execProtocolRawSync(message: Uint8Array): Uint8Array;
}

export interface LogSize {
  /** No statement of this is under way any more when it resolves. */
  stop(): Promise<void>;
}

/** @param client the host's PGlite behind `db` */
export function keepLogShort(client: object, db: Database): LogSize {
  const embedded = client as Client;
  const execute = embedded.execProtocolRawSync.bind(embedded);
  let usedAtMs = 0;
  let isUsed = true;
  embedded.execProtocolRawSync = (message) => {
    usedAtMs = performance.now();
    isUsed = true;
    return execute(message);
  };
  let putOff = 0;
  let look: Promise<void> | null = null;

  async function checkpointWhenDue(): Promise<void> {
    const [row] = await rowsOf(
      db,
      sql`select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()`,
    );
    if (Number(row?.bytes) >= ENOUGH_BYTES) await db.execute(sql`checkpoint`);
    // These were our own statements.
    isUsed = false;
  }

  const timer = setInterval(() => {
    if (look || !isUsed) return;
    putOff += 1;
    if (performance.now() - usedAtMs < QUIET_MS && putOff <= MOST_PUT_OFF) return;
    putOff = 0;
    look = checkpointWhenDue()
      // A database that was taken over, or fails, says so to whoever asks it for something.
      .catch(() => undefined)
      .finally(() => {
        look = null;
      });
  }, LOOK_MS);
  timer.unref();

  return {
    async stop() {
      clearInterval(timer);
      await look;
    },
  };
}

/** Of the query builder: the statement that was under way, which tells nobody what is wrong. */
const STATEMENT = /^Failed query:/;
/** What stands in front of the host in an address. */
const CREDENTIALS = /(\b[a-z][a-z\d+.-]*:\/\/)[^\s/@]*(?::[^\s@]*)?@/gi;
/** In each database that PGlite has made. */
const VERSION_FILE = 'PG_VERSION';
const NAME_ANOTHER = 'name another one with PGLITE_DATA_DIR';

/** What is wrong with an embedded database that does not open. */
export function unopened(place: DatabaseLocation, cause: unknown): AppError {
  const raw = causeWords(cause, place);
  const where = place.kind === 'directory' ? ` in ${place.directory}` : '';
  const why = place.kind === 'directory' && isExit(cause) ? exitWords(place.directory) : raw;
  const message = `the database${where} cannot be opened: ${why}`;
  return new AppError('UNAVAILABLE', message, { reason: raw }, { cause });
}

/** The embedded database says only that it has ended. */
function exitWords(directory: string): string {
  return existsSync(join(directory, VERSION_FILE))
    ? 'it is damaged, of another version, or its disk is full: take a copy that is whole, or ' +
        NAME_ANOTHER
    : `the folder holds no database of PGlite, but something else: ${NAME_ANOTHER}, or an empty folder`;
}

function isExit(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && Reflect.get(cause, 'name') === 'ExitStatus';
}

/** The error, and what it comes from in the end; without password and credentials of the place. */
export function causeWords(error: unknown, place: DatabaseLocation): string {
  const outer = messageOf(error);
  const inner = innermost(error);
  return withoutCredentials(joined(outer, inner), place);
}

function joined(outer: string, inner: string): string {
  if (STATEMENT.test(outer) && inner !== outer) return `its database failed: ${inner}`;
  return outer.includes(inner) ? outer : `${outer}: ${inner}`;
}

function innermost(error: unknown): string {
  let last = error;
  // No longer than a circle could be.
  for (let depth = 0; depth < 10; depth += 1) {
    if (!(last instanceof Error) || !(last.cause instanceof Error)) break;
    last = last.cause;
  }
  // Of a host with several addresses each has failed.
  if (last instanceof AggregateError && last.errors.length > 0) {
    return [...new Set(last.errors.map(innermost))].join(', ');
  }
  if (last instanceof Error && last.message === '') return codeOf(last) || last.name;
  return messageOf(last);
}

function withoutCredentials(text: string, place: DatabaseLocation): string {
  const shown = text.replace(CREDENTIALS, '$1');
  return place.kind === 'server' ? withoutPassword(shown, place.postgresUrl) : shown;
}

/** As a word of its own: one of a letter would take the text apart. */
function withoutPassword(text: string, url: string): string {
  const written = URL.canParse(url) ? new URL(url).password : '';
  const spellings = new Set([written, decoded(written)]);
  spellings.delete('');
  return [...spellings].reduce((left, word) => {
    const quoted = word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return left.replace(
      new RegExp(`(?<![\\p{L}\\p{N}_])${quoted}(?![\\p{L}\\p{N}_])`, 'gu'),
      '***',
    );
  }, text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
