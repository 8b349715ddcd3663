/** Where the memory lies that a headless agent serves. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../shared/make-folder.js';

export type Env = Readonly<Record<string, string | undefined>>;

/** What the host's adapter is opened with. */
export type Place =
  | { kind: 'server'; postgresUrl: string }
  | { kind: 'directory'; directory: string }
  | { kind: 'memory'; dataDir: string };

/** Where the host keeps its database, seen from the folder that it is started in. */
const HOST_DATABASE = join('.eliza', '.elizadb');

/**
 * `POSTGRES_URL`, else `PGLITE_DATA_DIR`, else the database of the Eliza project that the folder lies
 * in, else one for all of a person's tools. The last one's folder is made, for its owner alone.
 */
export function placeOf(env: Env, cwd: string, home: string = homedir()): Place {
  if (env.POSTGRES_URL) return { kind: 'server', postgresUrl: env.POSTGRES_URL };
  if (env.PGLITE_DATA_DIR) return embedded(env.PGLITE_DATA_DIR, cwd, home);
  return { kind: 'directory', directory: projectDatabase(cwd) ?? personalDatabase(home) };
}

function embedded(dataDir: string, cwd: string, home: string): Place {
  const path = dataDir.replace(/^file:\/\//, '');
  if (path.includes('://')) return { kind: 'memory', dataDir };
  return { kind: 'directory', directory: resolve(cwd, path.replace(/^~(?=$|[\\/])/, home)) };
}

function projectDatabase(from: string): string | null {
  const here = resolve(from);
  const database = join(here, HOST_DATABASE);
  if (existsSync(database)) return database;
  const above = dirname(here);
  return above === here ? null : projectDatabase(above);
}

function personalDatabase(home: string): string {
  const folder = join(home, '.cue');
  const database = join(folder, 'db');
  for (const made of [folder, database]) makeFolder(made, 0o700);
  return database;
}
