/**
 * An empty database with the host's tables, packed into one file of the user's cache: to unpack it takes a
 * twentieth of the processor time that it takes to make one. It is never needed: where there is none, or anything
 * is wrong with it, a database is made anew, and packed.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { endianness } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { fieldOf, parsedJson } from '../../shared/json.js';
import { packageVersion } from '../../shared/package-version.js';
import { type Env, replaceOwnFile } from '../client.js';

export interface Template {
  /**
   * Fills the folder of a database that is to be made. Nobody else may use it meanwhile.
   * @returns `false`: there is no template, and the folder is as empty as before
   */
  unpack(directory: string): boolean;
  /** Keeps a copy of a database at rest, in place of an earlier one. */
  pack(directory: string): void;
  /** Of no use: no database opens with it. */
  drop(): void;
}

/** Changes with the form of the file. */
const FORM = 'cue-empty-database-1';
const NAME = 'empty-database';
/** In each database that PGlite has made. */
const MADE = 'PG_VERSION';
/** In a folder that is being filled: who was killed over it has left nothing that counts. */
const FILLING = '.cue-filling';
const PERMISSIONS = 0o777;

type Entry = [path: string, mode: number];

/** Files with the same bytes, of which a new database has many, share their place. */
type FileEntry = [...Entry, at: number, length: number];

interface Contents {
  folders: Entry[];
  files: FileEntry[];
}

/** `null`: the environment names no folder for it. @param versions `versionsOf`, where it is asked for */
export function templateIn(env: Env, versions: () => string = versionsOf): Template | null {
  const cache = cacheOf(env, process.platform);
  if (cache === null) return null;
  const path = join(cache, 'cue', NAME);
  return {
    unpack(directory) {
      if (!isToBeMade(directory)) return false;
      try {
        const packed = readPacked(path, versions());
        if (packed === null) return false;
        write(packed, directory);
        return true;
      } catch {
        // Damaged, or the disk is full: whoever makes the database says what is wrong.
        clear(directory);
        return false;
      }
    },
    pack(directory) {
      try {
        const bytes = packed(directory, versions());
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        // In one step: another start finds what was there, or this.
        replaceOwnFile(path, bytes);
      } catch {
        // It costs the next database the time that this one has cost.
      }
    },
    drop: () => rmSync(path, { force: true }),
  };
}

export function cacheOf(env: Env, platform: NodeJS.Platform): string | null {
  if (platform === 'win32') return env.LOCALAPPDATA || null;
  if (platform === 'darwin') return env.HOME ? join(env.HOME, 'Library', 'Caches') : null;
  return env.XDG_CACHE_HOME || (env.HOME ? join(env.HOME, '.cache') : null);
}

/** What decides how an empty database looks: the host's packages, in any folder, and ours. */
function versionsOf(): string {
  const host = fileURLToPath(import.meta.resolve('@elizaos/plugin-sql'));
  const database = createRequire(host).resolve('@electric-sql/pglite');
  // The size tells where one was changed in place.
  const stamps = [host, database].map((file) => `${versionAbove(file)} ${statSync(file).size}`);
  return [packageVersion(), endianness(), ...stamps].join(', ');
}

function versionAbove(path: string): string {
  const folder = dirname(path);
  const manifest = join(folder, 'package.json');
  const version = existsSync(manifest) ? fieldOf(parsedJson(read(manifest)), 'version') : undefined;
  if (typeof version === 'string' || folder === path) return String(version);
  return versionAbove(folder);
}

const read = (path: string) => readFileSync(path, 'utf8');

/** Clears away what was left half filled. */
function isToBeMade(directory: string): boolean {
  if (existsSync(join(directory, FILLING))) clear(directory);
  return !existsSync(directory) || readdirSync(directory).length === 0;
}

/** What has been unpacked, so that a database can be made in its place. */
export function clear(directory: string): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    // Last, so that it stays half filled until nothing is left.
    if (name !== FILLING) rmSync(join(directory, name), { recursive: true, force: true });
  }
  rmSync(join(directory, FILLING), { force: true });
}

function packed(directory: string, versions: string): Buffer {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const contents: Contents = { folders: [entryOf(directory, directory)], files: [] };
  const bodies = new Map<string, [at: number, bytes: Buffer]>();
  let end = 0;
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) contents.folders.push(entryOf(directory, path));
    if (!entry.isFile()) continue;
    const bytes = readFileSync(path);
    const key = createHash('sha256').update(bytes).digest('base64');
    const known = bodies.get(key) ?? [end, bytes];
    if (!bodies.has(key)) end += bytes.length;
    bodies.set(key, known);
    contents.files.push([...entryOf(directory, path), known[0], bytes.length]);
  }
  const all = [json(contents), ...[...bodies.values()].map(([, bytes]) => bytes)];
  const body = deflateRawSync(Buffer.concat(all), { level: constants.Z_BEST_SPEED });
  const head = [FORM, versions, crc32(body), json(contents).length];
  return Buffer.concat([json(head), Buffer.from('\n'), body]);
}

function entryOf(directory: string, path: string): Entry {
  const name = relative(directory, path).replaceAll(sep, '/');
  return [name, statSync(path).mode & PERMISSIONS];
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

interface Packed extends Contents {
  bytes: Buffer;
}

/** `null`: there is none of these versions. @throws what is wrong with it */
function readPacked(path: string, versions: string): Packed | null {
  if (!existsSync(path)) return null;
  const file = readFileSync(path);
  const lineEnd = file.indexOf('\n');
  const head: unknown = JSON.parse(file.toString('utf8', 0, lineEnd));
  const [form, madeBy, sum, length] = Array.isArray(head) ? head : [];
  const body = file.subarray(lineEnd + 1);
  if (form !== FORM || madeBy !== versions || crc32(body) !== sum) return null;
  const all = inflateRawSync(body);
  const contents: Contents = JSON.parse(all.toString('utf8', 0, length));
  return { ...contents, bytes: all.subarray(length) };
}

function write({ folders, files, bytes }: Packed, directory: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, FILLING), '');
  for (const [path, mode] of folders) {
    mkdirSync(join(directory, path), { recursive: true });
    chmodSync(join(directory, path), mode);
  }
  for (const [path, mode, at, length] of files) {
    writeFileSync(join(directory, path), bytes.subarray(at, at + length), { mode });
  }
  if (!existsSync(join(directory, MADE))) throw new Error('it holds no database');
  rmSync(join(directory, FILLING));
}
