/**
 * `npm run embeddings -- status|download|reembed [--data-dir DIRECTORY] [--hub URL]`: what the agent
 * of this directory embeds with. Exit codes: 0 done, 1 not available or not done, 2 wrong usage, 130
 * interrupted.
 */
import { parseArgs } from 'node:util';
import {
  downloadModel,
  isCalibrated,
  LEXICAL_ID,
  MINILM,
  modelDirectory,
  problemOfDownload,
} from '../src/embeddings/index.js';
import { systemClock } from '../src/shared/clock.js';
import { lockDirectory } from '../src/shared/dir-lock.js';
import { isAppError, messageOf } from '../src/shared/errors.js';
import { hasDatabase, openChain, type Place, placeOf } from './embeddings/place.js';
import { createProgress } from './embeddings/progress.js';
import { INTERRUPTED, reembed } from './embeddings/reembed.js';

const USAGE = `usage: npm run embeddings -- status|download|reembed [--data-dir DIRECTORY] [--hub URL]
  status    what is configured, whether it works, and which models the records are embedded with
  download  fetches ${MINILM.id}
  reembed   embeds all records with the configured model; the agent must not be running
  --data-dir  directory of the embedded database; PGLITE_DATA_DIR, else .cue/db when absent`;

const COMMANDS = { status, download, reembed: reembedAll };
const progress = createProgress();
const interruption = new AbortController();

async function download({ dataDir, hub }: Place): Promise<number> {
  await downloadModel({
    model: MINILM,
    dataDir,
    clock: systemClock,
    signal: interruption.signal,
    ...(hub !== undefined && { hub }),
    onProgress: ({ file, loadedBytes, totalBytes }) => progress.show(loadedBytes, totalBytes, file),
  });
  progress.end();
  console.log(`${MINILM.id} is ready in ${modelDirectory(dataDir, MINILM)}`);
  return 0;
}

async function status(place: Place): Promise<number> {
  const { settings, modelDir, dataDir } = place;
  const problem = await problemOfDownload(dataDir, MINILM);
  row('CUE_EMBEDDINGS', settings.CUE_EMBEDDINGS);
  row('CUE_EMBEDDINGS_MODEL_DIR', modelDir ?? 'not set');
  row('CUE_EMBEDDINGS_DOWNLOAD', String(settings.CUE_EMBEDDINGS_DOWNLOAD));
  row('downloaded', problem === null ? modelDirectory(dataDir, MINILM) : 'no');
  const code = await serving(place, problem);
  row('database', hasDatabase(place) ? place.database : `none in ${place.database}`);
  if (hasDatabase(place)) await countRecords(place);
  return code;
}

async function countRecords(place: Place): Promise<void> {
  try {
    await withDatabase(place, async (database) => {
      for (const { projectId, model, records } of await database.counts()) {
        row(`  project ${projectId.slice(0, 8)}`, `${records} records by ${model ?? 'no model'}`);
      }
      return 0;
    });
  } catch (error) {
    // The agent is running: what is configured can be said all the same.
    if (!isAppError(error)) throw error;
    row('  records', `not counted: ${error.message}`);
  }
}

/** Says which model would serve the agent; 1 when it is not the configured one. */
async function serving(place: Place, downloadProblem: string | null): Promise<number> {
  const { settings, modelDir } = place;
  if (settings.CUE_EMBEDDINGS === 'runtime') {
    row('serving', 'the TEXT_EMBEDDING model of the agent; only the agent can ask it');
    return 0;
  }
  const downloads =
    settings.CUE_EMBEDDINGS !== 'lexical' &&
    modelDir === undefined &&
    settings.CUE_EMBEDDINGS_DOWNLOAD;
  // The status fetches nothing.
  if (downloads && downloadProblem !== null) {
    row('serving', `${LEXICAL_ID} until ${MINILM.id} is downloaded: ${downloadProblem}`);
    return 1;
  }
  const chain = await openChain(place, interruption.signal, () => undefined);
  const { serving: model, degraded } = chain.status();
  await chain.stop();
  row('serving', `${model.id}: ${model.reason}`);
  const { candidate, strong } = chain.current().thresholds;
  const how = isCalibrated(model.id) ? 'calibrated' : 'not calibrated';
  row('similar from', `${candidate}, nearly the same from ${strong} (${how})`);
  if (degraded !== undefined) row('degraded', degraded);
  return degraded === undefined ? 0 : 1;
}

async function reembedAll(place: Place): Promise<number> {
  if (place.settings.CUE_EMBEDDINGS === 'runtime') {
    console.error('CUE_EMBEDDINGS=runtime: only the agent can ask its model; it does when it runs');
    return 1;
  }
  if (!hasDatabase(place)) {
    console.error(`there is no database in ${place.database}`);
    return 1;
  }
  return withDatabase(place, async (database) => {
    const chain = await openChain(place, interruption.signal, (preparing) => {
      const { id, phase, loadedBytes, totalBytes } = preparing;
      if (totalBytes !== null) progress.show(loadedBytes, totalBytes, `${phase} ${id}`);
    });
    progress.end();
    try {
      const { degraded } = chain.status();
      if (interruption.signal.aborted) return INTERRUPTED;
      if (degraded === undefined) {
        return await reembed(database, chain, progress, interruption.signal);
      }
      console.error(degraded);
      return 1;
    } finally {
      await chain.stop();
    }
  });
}

type Work = Parameters<typeof reembed>[0];

async function withDatabase(place: Place, work: (database: Work) => Promise<number>) {
  const lock = await lockDirectory(place.database, null);
  try {
    const { openAgentDatabase } = await import('./embeddings/database.js');
    const database = await openAgentDatabase(place.database);
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  } finally {
    lock.release();
  }
}

const row = (name: string, value: string) => console.log(`${name.padEnd(26)}${value}`);

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { 'data-dir': { type: 'string' }, hub: { type: 'string' } },
  });
  const [name, ...more] = positionals;
  const command = Object.entries(COMMANDS).find(([known]) => known === name)?.[1];
  if (command === undefined || more.length > 0) {
    console.error(USAGE);
    return 2;
  }
  return command(placeOf(values['data-dir'], values.hub));
}

// Before the host is loaded, which reads them once: it logs much, and reports errors to its makers.
process.env.LOG_LEVEL ||= 'fatal';
process.env.SENTRY_DSN ||= 'http://x@127.0.0.1:9/1';
process.once('SIGINT', () => interruption.abort());
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  progress.end();
  console.error(messageOf(error));
  process.exitCode = interruption.signal.aborted ? INTERRUPTED : isUsage(error) ? 2 : 1;
}

function isUsage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && `${error.code}`.startsWith('ERR_PARSE_ARGS');
}
