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
import { HOUR_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Log } from '../shared/log.js';
import { processName } from '../shared/process-life.js';
import type { CatalogDeps, MemoryCatalog } from './catalog/catalog.js';
import { decodeSnapshot, encodeSnapshot } from './catalog/snapshot.js';
import type { RowsOutside } from './catalog-sync.js';

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
    // A copy, because numbers in it are read in place and must be aligned.
    const catalog = await decodeSnapshot(new Uint8Array(bytes.subarray(end)), catalogDeps);
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
