/**
 * Which folder it is that stands at a path. A watch follows the folder and not its path: another one
 * under the same name is not watched, and nothing says so.
 */
import { stat } from 'node:fs/promises';

/** Changes when one of the paths is another folder than before, comes or goes. Never throws. */
export async function identityOf(folders: readonly string[]): Promise<string> {
  const seen = await Promise.all(
    folders.map(async (folder) => {
      const stats = await stat(folder, { bigint: true }).catch(() => null);
      if (stats === null) return [folder];
      // Systems give the number of a removed folder to the next one that is made.
      return [folder, ...[stats.dev, stats.ino, stats.birthtimeNs].map(String)];
    }),
  );
  return JSON.stringify(seen);
}

/** Changes when the file is written, replaced, comes or goes. Never throws. */
export async function touchOf(file: string): Promise<string> {
  const stats = await stat(file, { bigint: true }).catch(() => null);
  return stats === null ? '' : [stats.dev, stats.ino, stats.mtimeNs, stats.size].join(' ');
}
