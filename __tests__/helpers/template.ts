/**
 * An empty database with the host's schema in it, made once a run and copied wherever a test begins
 * with a fresh one: `initdb` and the host's migrations are most of a boot.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { fuzzystrmatch } from '@electric-sql/pglite/contrib/fuzzystrmatch';
import { vector } from '@electric-sql/pglite/vector';
import { stringToUuid } from '@elizaos/core';
import sqlPlugin, { createDatabaseAdapter, DatabaseMigrationService } from '@elizaos/plugin-sql';
import { forgetPglite, usePglite } from './pglite.js';

type Adapter = ReturnType<typeof createDatabaseAdapter>;

/**
 * To be called before the host opens `dataDir` (absent: a database in memory). One that has files in
 * it stays as it is.
 */
export async function fromTemplate(dataDir?: string): Promise<void> {
  const isNew = dataDir === undefined || (!dataDir.includes('://') && isEmpty(dataDir));
  const folder = isNew ? await template() : null;
  if (folder === null) return;
  if (dataDir !== undefined) {
    cpSync(join(folder, 'db'), dataDir, { recursive: true });
    return;
  }
  usePglite(await emptied(folder));
}

/**
 * The database in memory of this worker and who has it. To open one takes longer than most tests, so the
 * next one gets it emptied; two at a time have one each.
 */
let kept: { client: PGlite; lent: PGlite | null } | null = null;

async function emptied(folder: string): Promise<PGlite> {
  if (kept !== null && kept.lent?.closed === true) {
    for (const statement of EMPTY) await kept.client.exec(statement);
  } else {
    const loadDataDir = new Blob([readFileSync(join(folder, 'db.tar'))]);
    const extensions = { vector, fuzzystrmatch };
    kept = {
      client: new PGlite({ dataDir: 'memory://', loadDataDir, extensions }),
      lent: null,
    };
  }
  kept.lent = lend(kept.client);
  return kept.lent;
}

/** What tests write goes; the schema, and the indexes of the plugin, stay. */
const EMPTY = [
  'rollback',
  'discard all',
  // As PGlite sets it when it opens.
  'set search_path to public',
  'drop schema if exists cue cascade',
  `do $$ begin execute (
    select 'truncate ' || string_agg(format('%I.%I', schemaname, tablename), ', ') || ' cascade'
    from pg_tables where schemaname = 'public'
  ); end $$`,
];

/** The database until it is closed: what an agent still asks after its end must not reach the next one. */
function lend(client: PGlite): PGlite {
  let isClosed = false;
  return new Proxy(client, {
    get(target, name) {
      if (name === 'closed') return isClosed;
      if (name === 'close') {
        return async () => {
          isClosed = true;
        };
      }
      if (isClosed && name !== 'then') throw new Error('PGlite is closed');
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    // `forgetPglite` lets go what is not its own here.
    set: () => true,
  });
}

/** What the host does to a database before an agent starts on it. */
export async function migrate(adapter: Adapter): Promise<void> {
  const migrations = new DatabaseMigrationService();
  await migrations.initializeWithDatabase(adapter.db);
  migrations.discoverAndRegisterPluginSchemas([sqlPlugin]);
  await migrations.runAllPluginMigrations();
}

/** `null`: there is none, or another process is making it; then a database is made the long way. */
async function template(): Promise<string | null> {
  const run = process.env.CUE_TEST_TEMPLATE;
  if (run === undefined || !existsSync(run)) return null;
  const folder = join(run, 'made');
  if (existsSync(folder)) return folder;
  const making = join(run, 'making');
  try {
    mkdirSync(making);
  } catch {
    return null;
  }
  const adapter = createDatabaseAdapter({ dataDir: join(making, 'db') }, stringToUuid('template'));
  await adapter.init();
  await migrate(adapter);
  const client = (await adapter.getConnection()) as PGlite;
  const tar = await client.dumpDataDir('none');
  await writeFile(join(making, 'db.tar'), Buffer.from(await tar.arrayBuffer()));
  await adapter.close();
  forgetPglite();
  renameSync(making, folder);
  return folder;
}

function isEmpty(directory: string): boolean {
  return !existsSync(directory) || readdirSync(directory).length === 0;
}
