import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

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
