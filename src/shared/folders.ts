/**
 * A folder with those above it, made one by one: where nothing can be made (below `/proc`, say), Node's
 * own `recursive` tries for ever and never comes back.
 */
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** @throws what the system says of the first that cannot be made, or that is no folder */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = [];
  let folder = path;
  while (!isFolder(folder)) {
    missing.push(folder);
    const above = dirname(folder);
    if (above === folder) break;
    folder = above;
  }
  for (const one of missing.reverse()) make(one, mode);
}

function make(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else was faster.
    if (!isFolder(path)) throw error;
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Beside the database, or in the folder where the host keeps its own when there is none. */
const FOLDER = 'cue';
const HOST_FOLDER = '.eliza';

/**
 * @param configured `CUE_DATA_DIR`
 * @param database directory of an embedded database, `memory`, or `null` for a server
 * @returns `kept`: the database outlives the process, so that files derived from it may lie there
 */
export function dataDirectoryOf(
  configured: string | undefined,
  database: string | 'memory' | null,
): { path: string; kept: boolean } {
  const kept = database !== 'memory';
  if (configured) return { path: resolve(configured), kept };
  if (!kept) return { path: resolve(HOST_FOLDER, FOLDER), kept };
  const beside = database === null ? HOST_FOLDER : dirname(resolve(database));
  return { path: join(resolve(beside), FOLDER), kept };
}

/** The absolute path without symbolic links, as far as it exists yet. Blocks. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

/** Whether a path is the folder or lies in it, by their names: compare real ones. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
