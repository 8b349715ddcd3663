/**
 * Brings stored records to the serving model: those without a vector and those with another model's.
 * What is left to do is read from the database (`withoutVector`), so a restart goes on where it
 * stopped and nothing is remembered here.
 */
import type { RecordStore, RecordType, StoredRecord } from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import { AppError, messageOf } from '../shared/errors.js';
import type { Log } from '../shared/log.js';
import { DIMENSION, type Embedder, type Embeddings, isOf } from './embedder.js';
import { toUnit } from './vectors.js';

export interface ReembedProgress {
  model: string;
  /** Record type that is being worked on. */
  type: string;
  /** Records given a vector in this pass. */
  done: number;
  /** Records met that need one; more may follow. */
  seen: number;
}

/** How a pass ended. `skipped` records changed meanwhile or could not be embedded: the next pass. */
export interface ReembedResult {
  model: string;
  done: number;
  skipped: number;
  /** `superseded`: another model began to serve; `failed`: the model did not answer. */
  ended: 'complete' | 'stopped' | 'superseded' | 'failed';
  reason?: string;
}

export interface ReembedderDeps {
  store: Pick<RecordStore, 'catalog' | 'withoutVector' | 'setVectors'>;
  /** Those that have a text to embed are taken. */
  types: readonly RecordType<unknown>[];
  embeddings: Pick<Embeddings, 'current' | 'onChange' | 'status'>;
  log: Log;
  onProgress?: (progress: ReembedProgress) => void;
  /** Pauses before what was left over is tried again, ms; the last one repeats. */
  retryMs?: readonly number[];
}

export interface Reembedder {
  /** One pass over all types; calls during a pass share one more pass after it. */
  run(): Promise<ReembedResult>;
  /** Runs a pass now, whenever another model begins to serve, and again for what was left over. */
  start(): void;
  /** In words while records wait for a vector of the serving model: only words find them. */
  waiting(): string | undefined;
  /** Ends after the batch at hand. */
  stop(): Promise<void>;
}

/** Small, because a batch holds the model's thread and a query waits behind it. */
const BATCH = 16;
/** Texts in a row that fail alone: then it is the model. */
const MODEL_FAILURES = 3;
const RETRY_MS = [5_000, 30_000, 120_000];

export function createReembedder(deps: ReembedderDeps): Reembedder {
  const { embeddings, log, store, retryMs = RETRY_MS } = deps;
  const types = deps.types.filter((type) => type.embeddingText !== undefined);
  let stopped = false;
  let waiting = false;
  let running: Promise<ReembedResult> | null = null;
  let queued: Promise<ReembedResult> | null = null;
  let unlisten: (() => void) | null = null;
  let retry: NodeJS.Timeout | undefined;
  let retries = 0;

  async function pass(): Promise<ReembedResult> {
    const embedder = embeddings.current();
    const result: ReembedResult = { model: embedder.id, done: 0, skipped: 0, ended: 'complete' };
    // First, so that a search never compares with another model's vectors.
    for (const type of types) store.catalog.shelf(type.name).setModel(embedder.id);
    for (const type of types) {
      await passOver(type, embedder, result);
      if (result.ended !== 'complete') break;
    }
    // Another model may have come while the last rows were looked for: its records do wait.
    if (embeddings.current().id !== embedder.id && result.ended === 'complete') {
      result.ended = 'superseded';
    }
    if (result.ended === 'complete') waiting = result.skipped > 0;
    return result;
  }

  async function passOver(
    type: RecordType<unknown>,
    embedder: Embedder,
    result: ReembedResult,
  ): Promise<void> {
    for await (const found of store.withoutVector(type, embedder.id, BATCH)) {
      if (stopped) result.ended = 'stopped';
      else if (embeddings.current().id !== embedder.id) result.ended = 'superseded';
      if (result.ended !== 'complete') return;
      // A stand-in must not destroy what the model it stands in for has made.
      const { wanted } = embeddings.status();
      const records = found.filter(
        ({ embeddingModel }) =>
          wanted === undefined || embeddingModel === null || !isOf(wanted, embeddingModel),
      );
      if (records.length === 0) continue;
      waiting = true;
      try {
        const written = await embedBatch(type, embedder, records);
        result.done += written;
        result.skipped += records.length - written;
      } catch (error) {
        result.ended = 'failed';
        result.reason = messageOf(error);
        log.warn({ model: embedder.id, error: result.reason }, 're-embedding interrupted');
        return;
      }
      deps.onProgress?.({
        model: embedder.id,
        type: type.name,
        done: result.done,
        seen: result.done + result.skipped,
      });
      await yieldToLoop();
    }
  }

  async function embedBatch(
    type: RecordType<unknown>,
    embedder: Embedder,
    records: readonly StoredRecord<unknown>[],
  ): Promise<number> {
    const texts = records.map((record) => type.embeddingText?.(record.data) ?? '');
    const vectors = await vectorsOf(embedder, texts);
    const rows = records.flatMap(({ id, revision }, at) => {
      const vector = vectors[at];
      return vector ? [{ id, revision, vector: { model: embedder.id, vector } }] : [];
    });
    const lacking = records.length - rows.length;
    if (lacking > 0) log.warn({ model: embedder.id, lacking }, 'records without a usable vector');
    return store.setVectors(type, rows);
  }

  /** Tells a text that a model cannot take from a model that is down: the others must not wait. */
  async function vectorsOf(embedder: Embedder, texts: readonly string[]): Promise<Answer[]> {
    try {
      return (await embedder.embed(texts)).map(usable);
    } catch (error) {
      if (texts.length === 1) throw error;
    }
    const answers: Answer[] = [];
    let failures = 0;
    for (const text of texts) {
      try {
        const [vector] = await embedder.embed([text]);
        answers.push(usable(vector));
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures >= MODEL_FAILURES) throw error;
        answers.push(null);
      }
    }
    if (answers.every((answer) => answer === null)) throw noAnswer(embedder);
    return answers;
  }

  function run(): Promise<ReembedResult> {
    if (running !== null) {
      queued ??= running.then(() => {
        queued = null;
        return run();
      });
      return queued;
    }
    running = pass().finally(() => {
      running = null;
    });
    return running;
  }

  function runInBackground(): void {
    run().then(
      ({ ended, skipped }) => {
        if (ended === 'failed' || (ended === 'complete' && skipped > 0)) tryAgain();
        else if (ended === 'complete') retries = 0;
      },
      (error: unknown) => {
        log.error({ error: messageOf(error) }, 're-embedding failed');
        tryAgain();
      },
    );
  }

  function tryAgain(): void {
    if (stopped) return;
    clearTimeout(retry);
    retry = setTimeout(runInBackground, retryMs[Math.min(retries, retryMs.length - 1)]);
    retry.unref();
    retries += 1;
  }

  return {
    run,
    start() {
      if (stopped) return;
      unlisten ??= embeddings.onChange(() => {
        waiting = true;
        runInBackground();
      });
      runInBackground();
    },
    waiting() {
      if (!waiting) return undefined;
      return `some records have no vector of ${embeddings.current().id} yet; only words find them`;
    },
    async stop() {
      stopped = true;
      unlisten?.();
      clearTimeout(retry);
      await Promise.allSettled([running, queued]);
    },
  };
}

type Answer = Float32Array | null;

function usable(vector: Float32Array | undefined): Answer {
  return vector?.length === DIMENSION && toUnit(vector) !== null ? vector : null;
}

const noAnswer = ({ id }: Embedder) =>
  new AppError('UNAVAILABLE', `${id} answered no usable vector for any text of a batch`);

/** The same embeddings, whose status also says that records wait to be embedded. */
export function withWaiting(
  embeddings: Embeddings,
  reembedder: Pick<Reembedder, 'waiting'>,
): Embeddings {
  return {
    ...embeddings,
    status() {
      const status = embeddings.status();
      const notes = [status.degraded, reembedder.waiting()].filter((note) => note !== undefined);
      return { ...status, ...(notes.length > 0 && { degraded: notes.join('; ') }) };
    },
  };
}
