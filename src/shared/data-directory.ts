/** Where what belongs to a database and lies outside of it is kept: models, catalog snapshots. */
import { dirname, join, resolve } from 'node:path';

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
