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
  const loadDataDir = new Blob([readFileSync(join(folder, 'db.tar'))]);
  usePglite(
    new PGlite({ dataDir: 'memory://', loadDataDir, extensions: { vector, fuzzystrmatch } }),
  );
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
