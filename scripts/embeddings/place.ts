/** What the agent of this directory is configured to embed with, and where its database lies. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createEmbeddings, type Embeddings } from '../../src/embeddings/index.js';
import { parseSettings, type Settings } from '../../src/settings.js';
import { systemClock } from '../../src/shared/clock.js';
import { dataDirectoryOf } from '../../src/shared/folders.js';
import type { Log } from '../../src/shared/log.js';

export interface Place {
  settings: Settings;
  /** PGlite directory; there may be nothing in it. */
  database: string;
  /** Where downloaded models lie. */
  dataDir: string;
  /** `CUE_EMBEDDINGS_MODEL_DIR`, absolute. */
  modelDir: string | undefined;
  hub: string | undefined;
}

/** @throws Error naming a wrong setting */
export function placeOf(dataDir: string | undefined, hub: string | undefined): Place {
  // As the host does; what is set already wins.
  if (existsSync('.env')) process.loadEnvFile('.env');
  const settings = parseSettings((key) => process.env[key]);
  const given = dataDir ?? process.env.PGLITE_DATA_DIR;
  // As `npm start` does.
  const database = resolve(given || join(settings.CUE_DATA_DIR || '.cue', 'db'));
  const { CUE_EMBEDDINGS_MODEL_DIR: modelDir } = settings;
  return {
    settings,
    database,
    dataDir: dataDirectoryOf(settings.CUE_DATA_DIR, database).path,
    modelDir: modelDir ? resolve(modelDir) : undefined,
    hub,
  };
}

export const hasDatabase = ({ database }: Place): boolean =>
  existsSync(join(database, 'PG_VERSION'));

const LOOK_MS = 50;

/**
 * The configured chain, once it is known whether its model serves.
 * @throws AppError for a broken model directory, or settings that contradict each other
 */
export async function openChain(
  place: Place,
  signal: AbortSignal,
  onPreparing: (preparing: NonNullable<ReturnType<Embeddings['status']>['preparing']>) => void,
): Promise<Embeddings> {
  const { settings, dataDir, modelDir, hub } = place;
  const embeddings = await createEmbeddings({
    setting: settings.CUE_EMBEDDINGS,
    ...(modelDir !== undefined && { modelDir }),
    download: settings.CUE_EMBEDDINGS_DOWNLOAD,
    dataDir,
    clock: systemClock,
    log: SILENT,
    ...(hub !== undefined && { hub }),
  });
  for (;;) {
    const { preparing } = embeddings.status();
    if (preparing === undefined || signal.aborted) return embeddings;
    onPreparing(preparing);
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}

/** What matters is in the status, which is printed. */
export const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
