/**
 * The catalog in a file, so that a start reads only what changed since. A cache: whatever is wrong
 * with it, it is removed and the catalog is loaded from the database.
 *
 * First line: name and version of the form, watermark, build, rows left out by type, checksum
 * of the line. The rest is
 * what `encodeSnapshot` writes, which guards itself (project, lengths, checksums, end).
 */
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../host/database.js';
import { yieldToLoop } from '../shared/async.js';
import { HOUR_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { processName } from '../shared/process-life.js';
import type { CatalogDeps, MemoryCatalog } from './catalog/catalog.js';
import { decodeSnapshot, encodeSnapshot } from './catalog/snapshot.js';
import type { Catalog } from './catalog/types.js';
import type { RowsOutside } from './catalog-sync.js';

import { HOME_NAME, HOME_SOURCE } from './home.js';
import { beyond, inOrder, type Key, ofType } from './record-sql.js';
import type { RecordType } from './record-type.js';

/** Removed records are remembered this long; an older snapshot might bring them back. */
export const TOMBSTONE_RETENTION_MS = 24 * HOUR_MS;

export interface Snapshot {
  catalog: MemoryCatalog;
  /** Database time, ms: everything changed up to here is in it, bar the overlap. */
  watermarkMs: number;
  /** Rows by type that it knows of and does not hold, such as damaged ones. */
  outside: RowsOutside;
}

export interface SnapshotFileDeps {
  path: string;
  /**
   * Whatever changes what records look like in a catalog (plugin version, types and versions), and
   * which database they are in.
   */
  build: string;
  log: Log;
}

const FORM = 'cue-catalog-2';
const MAX_HEAD = 65_536;
/** Of each type; with more rows outside, the counts differ at the next start and it loads anew. */
const MAX_OUTSIDE = 200;

/**
 * Writes beside the file, flushes, then puts it in place: a crash leaves the old one or the new one.
 * @param watermarkMs database time before which every change is in the catalog
 * @param outside rows by type that cannot be in it, such as damaged ones
 */
export async function writeSnapshotFile(
  { path, build }: Omit<SnapshotFileDeps, 'log'>,
  catalog: MemoryCatalog,
  watermarkMs: number,
  outside: RowsOutside = {},
): Promise<void> {
  // It has the words of every memory, private ones too: for the owner alone, as the database is.
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${processName()}.tmp`;
  try {
    const file = await open(beside, 'w', 0o600);
    try {
      await file.writeFile(headOf(build, watermarkMs, outside));
      for await (const frame of encodeSnapshot(catalog)) await file.writeFile(frame);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** The snapshot, or `null` when there is none that can be used; then the file is gone. */
export async function readSnapshotFile(
  { path, build, log }: SnapshotFileDeps,
  catalogDeps: CatalogDeps,
  nowMs: number,
): Promise<Snapshot | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      log.warn({ path, reason: messageOf(error) }, 'catalog snapshot not readable');
    }
    return null;
  }
  try {
    const { watermarkMs, outside, end } = readHead(bytes, build);
    if (nowMs - watermarkMs > TOMBSTONE_RETENTION_MS) throw new Error('it is older than a day');
    if (watermarkMs - nowMs > HOUR_MS) throw new Error('it is from the future');
    const catalog = await decodeSnapshot([bytes.subarray(end)], catalogDeps);
    return { catalog, watermarkMs, outside };
  } catch (error) {
    log.info({ path, reason: messageOf(error) }, 'catalog snapshot not usable, removed');
    await rm(path, { force: true });
    return null;
  }
}

function headOf(build: string, watermarkMs: number, outside: RowsOutside): string {
  const left = Object.entries(outside).map(([type, ids]) => [type, ids.slice(0, MAX_OUTSIDE)]);
  const line = JSON.stringify([FORM, watermarkMs, build, left]);
  return `${crc32(line).toString(16).padStart(8, '0')} ${line}\n`;
}

function readHead(
  bytes: Buffer,
  build: string,
): { watermarkMs: number; outside: RowsOutside; end: number } {
  const end = bytes.subarray(0, MAX_HEAD).indexOf('\n') + 1;
  const line = bytes.toString('utf8', 9, Math.max(9, end - 1));
  if (end === 0 || bytes.toString('latin1', 0, 8) !== crc32(line).toString(16).padStart(8, '0')) {
    throw new Error('its head is damaged');
  }
  const [form, watermarkMs, builtBy, outside]: unknown[] = JSON.parse(line);
  if (form !== FORM) throw new Error('it has another form');
  if (builtBy !== build) throw new Error('it is of another version or database');
  if (typeof watermarkMs !== 'number' || !Array.isArray(outside)) {
    throw new Error('its head is damaged');
  }
  return { watermarkMs, outside: Object.fromEntries(outside), end };
}

/**
 * Whether a snapshot of the catalog belongs to the database at hand. Ids of projects are derived, so
 * another database, or an older state of this one, has the same.
 */

/** Rows counted in one statement: some 6 ms, as none of them is sent. */
const ROWS_PER_COUNT = 2_000;

/**
 * What tells this database from others: when its first room of ours was made, to the microsecond.
 * The first one of all agents, since those of one project share its snapshot. `null` before there
 * is one.
 */
export async function databaseIdentity(db: Database): Promise<string | null> {
  const rows = await rowsOf<{ id: string; at: string }>(
    db,
    sql`select id, created_at::text as at from rooms
      where source = ${HOME_SOURCE} and name = ${HOME_NAME}
      order by created_at, id limit 1`,
  );
  const [first] = rows;
  return first ? `${first.id} ${first.at}` : null;
}

interface RowCheck {
  db: Database;
  projectId: Uuid;
  catalog: Catalog;
  types: readonly RecordType<unknown>[];
  /** Rows by type that the catalog cannot hold, such as damaged ones. */
  outside: RowsOutside;
  /** Fewest records of a type that is held in part; `null`: it is held whole. */
  fewest?(type: RecordType<unknown>): number | null;
  signal: AbortSignal;
}

/** Whether the catalog holds as many records of every type as there are rows, bar `outside`. */
export async function holdsEveryRow(check: RowCheck): Promise<boolean> {
  const { catalog, types, outside } = check;
  let edges = 0;
  for (const type of types) {
    if (!type.index && !type.edge) continue;
    const fewest = check.fewest?.(type) ?? null;
    if (fewest !== null) {
      if (catalog.shelf(type.name).size < fewest) return false;
      continue;
    }
    const rows = (await countRows(check, type.name)) - (outside[type.name]?.length ?? 0);
    if (type.edge) edges += rows;
    if (type.index && catalog.shelf(type.name).size !== rows) return false;
  }
  return catalog.links.size === edges;
}

/** Rows of a type, counted in small steps: at once 50,000 of them take 0.4 s. */
async function countRows({ db, projectId, signal }: RowCheck, typeName: string): Promise<number> {
  let count = 0;
  let after: Key | null = null;
  for (;;) {
    signal.throwIfAborted();
    const from: Key | null = after;
    const [last]: (Key & { n: string | number })[] = await rowsOf(
      db,
      sql`select id, at, n from (
          select memories.id, memories.created_at::text as at,
            row_number() over (order by memories.created_at, memories.id) as n
          from memories where ${ofType(projectId, typeName)} ${beyond(from, true)}
          ${inOrder(true)} limit ${ROWS_PER_COUNT}
        ) as page order by n desc limit 1`,
    );
    count += Number(last?.n ?? 0);
    if (last === undefined || Number(last.n) < ROWS_PER_COUNT) return count;
    after = last;
    await yieldToLoop();
  }
}
