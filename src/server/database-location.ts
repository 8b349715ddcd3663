/** Which database a process means: whoever serves another one is no server of its. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { realPath } from '../shared/folders.js';

export type Env = Readonly<Record<string, string | undefined>>;

/** What the host's adapter is opened with. */
export type DatabaseLocation =
  | { kind: 'server'; postgresUrl: string }
  | { kind: 'directory'; directory: string }
  | { kind: 'memory'; dataDir: string };

/** Where the host keeps its database, seen from the folder that it is started in. */
const HOST_DATABASE = join('.eliza', '.elizadb');

const NAME_DIGITS = 16;

/**
 * `POSTGRES_URL`, else `PGLITE_DATA_DIR`, else the database of the Eliza project that the folder lies in.
 * `null`: none in particular.
 * @param cwd absolute
 */
export function configuredDatabase(
  env: Env,
  cwd: string,
  home: string = homedir(),
): DatabaseLocation | null {
  if (env.POSTGRES_URL) return { kind: 'server', postgresUrl: env.POSTGRES_URL };
  if (env.PGLITE_DATA_DIR) return embedded(env.PGLITE_DATA_DIR, cwd, home);
  const directory = projectDatabase(cwd);
  return directory === null ? null : { kind: 'directory', directory };
}

/** For all tools of a person that mean none in particular. Not made here. */
export function personalDatabase(
  home: string = homedir(),
): DatabaseLocation & { kind: 'directory' } {
  return { kind: 'directory', directory: join(home, '.cue', 'db') };
}

/** Whoever means none in particular may be led to its server: it is no project's. */
export function isPersonal(place: DatabaseLocation): boolean {
  return databaseName(place) === databaseName(personalDatabase());
}

/** The same for each spelling of a place: links are followed, passwords left out. Letters and digits. */
export function databaseName(place: DatabaseLocation): string {
  // Loaded where it is needed: a hook has no time for it.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(identityOf(place)).digest('hex').slice(0, NAME_DIGITS);
}

/** For people, without a password. */
export function shownDatabase(place: DatabaseLocation): string {
  if (place.kind === 'directory') return place.directory;
  if (place.kind === 'memory') return place.dataDir;
  const url = urlOf(place.postgresUrl);
  return url === null ? 'of POSTGRES_URL' : `${url.host}${url.pathname}`;
}

function identityOf(place: DatabaseLocation): string {
  switch (place.kind) {
    case 'directory': {
      const real = realPath(resolve(place.directory));
      return `directory ${process.platform === 'win32' ? real.toLowerCase() : real}`;
    }
    case 'memory':
      return `memory ${place.dataDir}`;
    case 'server': {
      const url = urlOf(place.postgresUrl);
      if (url === null) return `server ${place.postgresUrl}`;
      url.password = '';
      url.searchParams.delete('password');
      return `server ${url.href.replace(/^postgresql:/, 'postgres:')}`;
    }
  }
}

function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function embedded(dataDir: string, cwd: string, home: string): DatabaseLocation {
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
