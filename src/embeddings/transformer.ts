/**
 * A transformer model as an embedder: verified files, a thread of its own, small batches, a time
 * limit. A thread that dies is started once more; after that every call says so.
 */
import { basename, join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, messageOf } from '../shared/errors.js';
import type { Log } from '../shared/log.js';
import { workerOf } from '../shared/thread.js';
import { MINILM, type ModelChecks, sha256Of, verifyModelFiles } from './download.js';
import { calibratedThresholds, DIMENSION, type Embedder } from './embedder.js';
import { embedLexical } from './lexical.js';
import { constantVector, cosine, toUnit } from './vectors.js';
import type { WorkerConfig, WorkerReply, WorkerRequest } from './worker.js';

export interface TransformerDeps {
  directory: string;
  checks?: ModelChecks;
  log: Log;
  /** What the thread runs; the room's own worker when absent. */
  workerUrl?: URL;
  loadTimeoutMs?: number;
  /** For one batch of 8 texts. */
  embedTimeoutMs?: number;
}

export interface Transformer extends Embedder {
  stop(): Promise<void>;
}

/**
 * Brings the optional peer. Its install steps are skipped: one of them fetches hundreds of megabytes of CUDA
 * libraries, and nothing here runs on a GPU.
 */
export const INSTALL_TRANSFORMERS = 'npm install --ignore-scripts @huggingface/transformers';

const BATCH = 8;
/** A model reads at most 512 word pieces; splitting a megabyte into them takes seconds. */
const MAX_CHARACTERS = 8_000;
const LOAD_TIMEOUT_MS = 60_000;
const EMBED_TIMEOUT_MS = 30_000;

const unavailable = (message: string, details: Record<string, unknown> = {}) =>
  new AppError('UNAVAILABLE', message, details);

/**
 * Name of the model in a directory: the directory's name and the beginning of the weights' checksum,
 * so that two models in folders of one name never pass for each other. Known weights have their
 * public name wherever they lie.
 */
async function modelId(directory: string): Promise<string> {
  const sha = await sha256Of(join(directory, 'onnx/model_quantized.onnx'));
  if (sha === MINILM.files['onnx/model_quantized.onnx'].sha256) return MINILM.id;
  return `${basename(resolve(directory))}@${sha.slice(0, 8)}`;
}

/**
 * Verifies and loads the model of a directory; 0.4 to 1 s.
 * @throws AppError INVALID_INPUT for broken files or a model that does not answer vectors of 384,
 * UNAVAILABLE when it cannot run here (`details.packageMissing`: the optional peer is absent)
 */
export async function startTransformer(deps: TransformerDeps): Promise<Transformer> {
  await verifyModelFiles(deps.directory, deps.checks);
  const id = await modelId(deps.directory);
  const stopping = new AbortController();
  let thread = await startThread(deps, stopping.signal);
  const unknown = toUnit(await thread.embed([UNKNOWN]));
  let restarted = false;
  let stopped = false;
  let queue: Promise<unknown> = Promise.resolve();

  async function run(texts: readonly string[]): Promise<Float32Array> {
    if (stopped) throw unavailable('the embedding model has been stopped');
    try {
      return await thread.embed(texts);
    } catch (error) {
      if (thread.alive() || restarted || stopped) throw error;
      restarted = true;
      deps.log.warn(
        { model: id, error: messageOf(error) },
        'embedding thread ended, started again',
      );
      thread = await startThread(deps, stopping.signal);
      return await thread.embed(texts);
    }
  }

  return {
    id,
    thresholds: calibratedThresholds(id),
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += BATCH) {
        const batch = texts.slice(from, from + BATCH);
        const turn = queue.then(() => run(batch.map(inputOf)));
        queue = turn.catch(() => undefined);
        const values = await turn;
        for (const [at, text] of batch.entries()) {
          const made = toUnit(values.subarray(at * DIMENSION, (at + 1) * DIMENSION));
          vectors.push(vectorOf(text, made, unknown));
        }
      }
      return vectors;
    },
    async stop() {
      stopped = true;
      // Also ends a thread that is being started again, which nothing else knows of yet.
      stopping.abort();
      await thread.stop();
      await queue;
    },
  };
}

/** An empty input gives NaN; what comes back for it is not used. */
const inputOf = (text: string) => text.slice(0, MAX_CHARACTERS).trim() || '.';

/** A text that no model knows a piece of. */
const UNKNOWN = '\u{1F9FF}';

/**
 * What a model makes of a text it knows no word of (NaN, or the vector of any unknown word) would make
 * all such texts equal. They get their lexical vector: near the same text and nothing else. (A
 * model that answers NaN to everything has failed at the start.)
 */
function vectorOf(
  text: string,
  made: Float32Array | null,
  unknown: Float32Array | null,
): Float32Array {
  if (text.trim() === '') return constantVector();
  if (made === null || (unknown !== null && cosine(made, unknown) > SAME))
    return embedLexical(text);
  return made;
}

const SAME = 0.9999;

interface Thread {
  embed(texts: readonly string[]): Promise<Float32Array>;
  alive(): boolean;
  stop(): Promise<void>;
}

interface Waiting {
  count: number;
  resolve(values: Float32Array): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

async function startThread(deps: TransformerDeps, signal: AbortSignal): Promise<Thread> {
  const config: WorkerConfig = { directory: resolve(deps.directory) };
  const worker = deps.workerUrl
    ? new Worker(deps.workerUrl, { workerData: config })
    : workerOf('embeddings/worker', config);
  const waiting = new Map<number, Waiting>();
  let alive = true;
  let lastId = 0;

  const end = (reason: string) => {
    alive = false;
    for (const one of waiting.values()) {
      clearTimeout(one.timer);
      one.reject(unavailable(reason));
    }
    waiting.clear();
  };

  const kill = async (reason: string) => {
    end(reason);
    await worker.terminate();
  };

  await new Promise<void>((loaded, failed) => {
    const timeoutMs = deps.loadTimeoutMs ?? LOAD_TIMEOUT_MS;
    const timer = setTimeout(() => {
      failed(unavailable(`the embedding model did not load within ${timeoutMs} ms`));
      void kill('not loaded');
    }, timeoutMs);
    const fail = (error: AppError) => {
      clearTimeout(timer);
      failed(error);
      void kill(error.message);
    };
    const stop = () => fail(unavailable('the embedding model has been stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    worker.on('error', (error) => {
      fail(unavailable(`the embedding thread failed: ${messageOf(error)}`));
    });
    worker.on('exit', (code) => fail(unavailable(`the embedding thread ended with code ${code}`)));
    worker.on('message', (reply: WorkerReply) => {
      switch (reply.kind) {
        case 'ready': {
          clearTimeout(timer);
          // From here on it does not keep the process alive; a waiting call's timer does.
          worker.unref();
          if (reply.dimension === DIMENSION) return loaded();
          const made = `makes vectors of ${reply.dimension}, ${DIMENSION} numbers are needed`;
          return fail(new AppError('INVALID_INPUT', `the model in ${deps.directory} ${made}`));
        }
        case 'failed':
          return fail(loadError(deps.directory, reply));
        case 'vectors':
        case 'error':
          return settle(waiting, reply);
      }
    });
  });

  return {
    alive: () => alive,
    stop: () => kill('the embedding model has been stopped'),
    embed(texts) {
      if (!alive) return Promise.reject(unavailable('the embedding thread has ended'));
      return new Promise((resolve, reject) => {
        const timeoutMs = deps.embedTimeoutMs ?? EMBED_TIMEOUT_MS;
        const id = ++lastId;
        const timer = setTimeout(() => {
          void kill(`the embedding model did not answer within ${timeoutMs} ms`);
        }, timeoutMs);
        waiting.set(id, { count: texts.length, resolve, reject, timer });
        const request: WorkerRequest = { id, texts };
        worker.postMessage(request);
      });
    },
  };
}

function settle(
  waiting: Map<number, Waiting>,
  reply: Extract<WorkerReply, { kind: 'vectors' | 'error' }>,
): void {
  const one = waiting.get(reply.id);
  if (!one) return;
  waiting.delete(reply.id);
  clearTimeout(one.timer);
  if (reply.kind === 'error') {
    one.reject(unavailable(`the embedding model failed: ${reply.reason}`));
  } else if (reply.values.length !== one.count * DIMENSION) {
    one.reject(unavailable(`the embedding model answered ${reply.values.length} numbers`));
  } else {
    one.resolve(reply.values);
  }
}

function loadError(directory: string, reply: Extract<WorkerReply, { kind: 'failed' }>): AppError {
  if (reply.packageMissing) {
    return unavailable(`@huggingface/transformers is not installed: ${INSTALL_TRANSFORMERS}`, {
      packageMissing: true,
    });
  }
  return new AppError(
    'INVALID_INPUT',
    `the embedding model in ${directory} does not load: ${reply.reason} (copy it again)`,
    { directory },
  );
}
