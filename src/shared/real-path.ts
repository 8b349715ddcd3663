/** Where a path really leads, whatever links are on the way. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';

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
