/**
 * Brings stored records to the serving model: those without a vector and those with another model's.
 * What is left to do is read from the database (`withoutVector`), so a restart goes on where it
 * stopped and nothing is remembered here.
 */
import type { RecordStore, RecordType, StoredRecord } from '../records/index.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { yieldToLoop } from '../shared/yield.js';
import type { Embedder, Embeddings } from './types.js';

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
  embeddings: Pick<Embeddings, 'current' | 'onChange'>;
  log: Log;
  onProgress?: (progress: ReembedProgress) => void;
}

export interface Reembedder {
  /** One pass over all types; calls during a pass share one more pass after it. */
  run(): Promise<ReembedResult>;
  /** Runs a pass now and whenever another model begins to serve. */
  start(): void;
  /** Ends after the batch at hand. */
  stop(): Promise<void>;
}

/** Small, because a batch holds the model's thread and a query waits behind it. */
const BATCH = 16;

export function createReembedder(deps: ReembedderDeps): Reembedder {
  const types = deps.types.filter((type) => type.embeddingText !== undefined);
  let stopped = false;
  let running: Promise<ReembedResult> | null = null;
  let queued: Promise<ReembedResult> | null = null;
  let unlisten: (() => void) | null = null;

  async function pass(): Promise<ReembedResult> {
    const embedder = deps.embeddings.current();
    const result: ReembedResult = { model: embedder.id, done: 0, skipped: 0, ended: 'complete' };
    // First, so that a search never compares with another model's vectors.
    for (const type of types) deps.store.catalog.shelf(type.name).setModel(embedder.id);
    for (const type of types) {
      await passOver(type, embedder, result);
      if (result.ended !== 'complete') break;
    }
    return result;
  }

  async function passOver(
    type: RecordType<unknown>,
    embedder: Embedder,
    result: ReembedResult,
  ): Promise<void> {
    let after: Uuid | undefined;
    for (;;) {
      if (stopped) result.ended = 'stopped';
      else if (deps.embeddings.current().id !== embedder.id) result.ended = 'superseded';
      if (result.ended !== 'complete') return;
      const records = await deps.store.withoutVector(type, embedder.id, BATCH, after);
      if (records.length === 0) return;
      await yieldToLoop();
      try {
        const written = await embedBatch(type, embedder, records);
        result.done += written;
        result.skipped += records.length - written;
      } catch (error) {
        result.ended = 'failed';
        result.reason = messageOf(error);
        deps.log.warn({ model: embedder.id, error: result.reason }, 're-embedding interrupted');
        return;
      }
      deps.onProgress?.({
        model: embedder.id,
        type: type.name,
        done: result.done,
        seen: result.done + result.skipped,
      });
      after = records.at(-1)?.id;
      await yieldToLoop();
    }
  }

  async function embedBatch(
    type: RecordType<unknown>,
    embedder: Embedder,
    records: readonly StoredRecord<unknown>[],
  ): Promise<number> {
    const texts = records.map((record) => type.embeddingText?.(record.data) ?? '');
    const vectors = await embedder.embed(texts);
    const rows = records.flatMap(({ id, revision }, at) => {
      const vector = vectors[at];
      return vector ? [{ id, revision, vector: { model: embedder.id, vector } }] : [];
    });
    return deps.store.setVectors(type, rows);
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

  const runInBackground = () => {
    run().catch((error: unknown) => {
      deps.log.error({ error: messageOf(error) }, 're-embedding failed');
    });
  };

  return {
    run,
    start() {
      unlisten ??= deps.embeddings.onChange(runInBackground);
      runInBackground();
    },
    async stop() {
      stopped = true;
      unlisten?.();
      await Promise.allSettled([running, queued]);
    },
  };
}
