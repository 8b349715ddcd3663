/**
 * Chooses what turns texts into vectors (DESIGN §6) and keeps it going: the lexical embedder serves
 * until a better model is ready, and again when that model fails for good; it is then tried again.
 */
import type { Clock } from '../shared/clock.js';
import { AppError, isAppError, messageOf } from '../shared/errors.js';
import type { Log } from '../shared/log.js';
import {
  type DownloadProgress,
  downloadModel,
  MINILM,
  modelDirectory,
  type PinnedModel,
  problemOfDownload,
} from './download.js';
import { DIMENSION, type Embedder, type EmbeddingStatus, type Embeddings } from './embedder.js';
import { createLexicalEmbedder, embedLexical } from './lexical.js';
import { type RuntimeModel, startRuntimeModel } from './runtime-model.js';
import { builtInModel } from './static.js';
import { INSTALL_TRANSFORMERS, startTransformer, type TransformerDeps } from './transformer.js';

import { constantVector } from './vectors.js';

export interface EmbeddingsDeps {
  /** `CUE_EMBEDDINGS`. */
  setting: EmbeddingStatus['setting'];
  /** `CUE_EMBEDDINGS_MODEL_DIR`. */
  modelDir?: string;
  /** `CUE_EMBEDDINGS_DOWNLOAD`. */
  download: boolean;
  dataDir: string;
  clock: Clock;
  log: Log;
  /** The host's provider; needed for `runtime` alone. */
  runtimeModel?: RuntimeModel;
  /** What is downloaded and from where; the pinned MiniLM of the public hub when absent. */
  model?: PinnedModel;
  hub?: string;
  fetch?: typeof fetch;
  downloadTries?: { stallMs?: number; retryDelaysMs?: readonly number[] };
  transformer?: Pick<TransformerDeps, 'workerUrl' | 'loadTimeoutMs' | 'embedTimeoutMs'>;
  /** Pause before a model that failed is tried again, ms; 5 minutes when absent. */
  retryMs?: number;
}

const RETRY_MS = 300_000;
/** Another process is fetching it: look again soon. */
const BUSY_RETRY_MS = 5_000;
/** Failures in a row after which lexical serves: fewer would re-embed everything for a hiccup. */
const MAX_FAILURES = 3;

/** A model that is being used; `stop` frees what it holds. */
interface Served {
  embedder: Embedder;
  reason: string;
  stop(): Promise<void>;
}

/** How to get the model that the settings ask for. */
interface Source {
  id: string;
  start(report: (phase: string, progress?: DownloadProgress) => void): Promise<Served>;
  /** It is configured and local: if it cannot be loaded, the start fails. */
  required: boolean;
}

/**
 * Waits for a configured model directory (0.4 to 1 s); everything else arrives in the background.
 * @throws AppError INVALID_INPUT for a broken model directory, or settings that contradict each other
 */
export async function createEmbeddings(deps: EmbeddingsDeps): Promise<Embeddings> {
  const beside = deps.setting === 'lexical' ? undefined : builtInModel();
  const lexical: Embedder = { ...createLexicalEmbedder(), ...(beside && { beside }) };
  const listeners = new Set<(embedder: Embedder) => void>();
  const source = sourceOf(deps);
  const stopping = new AbortController();
  let better: Served | null = null;
  let servedBefore: string | undefined;
  let facade: Embedder = lexical;
  let preparing: EmbeddingStatus['preparing'];
  let degraded: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let attempt: Promise<void> = Promise.resolve();

  function serve(next: Served | null): void {
    better = next;
    servedBefore = next?.embedder.id ?? servedBefore;
    facade = next ? guarded(next) : lexical;
    for (const listener of listeners) listener(facade);
  }

  /** Counts failures in a row; a model that fails for good is given up until the next try. */
  function guarded(served: Served): Embedder {
    let failures = 0;
    return {
      id: served.embedder.id,
      thresholds: served.embedder.thresholds,
      async embed(texts) {
        try {
          const vectors = await served.embedder.embed(texts);
          failures = 0;
          return vectors;
        } catch (error) {
          failures++;
          if (failures >= MAX_FAILURES && better === served && !stopping.signal.aborted) {
            deps.log.warn({ model: served.embedder.id, error: messageOf(error) }, 'model given up');
            degraded = `${served.embedder.id} failed ${failures} times: ${messageOf(error)}`;
            serve(null);
            void served.stop();
            tryAgain(deps.retryMs ?? RETRY_MS);
          }
          throw error;
        }
      },
    };
  }

  async function prepare(from: Source): Promise<void> {
    preparing = { id: from.id, phase: 'starting', loadedBytes: 0, totalBytes: null };
    try {
      const served = await from.start((phase, progress) => {
        const { loadedBytes, totalBytes } = progress ?? { loadedBytes: 0, totalBytes: null };
        preparing = { id: from.id, phase, loadedBytes, totalBytes };
      });
      if (stopping.signal.aborted) return await served.stop();
      degraded = undefined;
      serve(served);
      deps.log.info({ model: served.embedder.id }, 'embedding model serves');
    } finally {
      preparing = undefined;
    }
  }

  function prepareInBackground(from: Source): void {
    attempt = prepare(from).catch((error: unknown) => {
      if (stopping.signal.aborted) return;
      degraded = `${from.id} is not available: ${messageOf(error)}`;
      deps.log.warn({ model: from.id, error: messageOf(error) }, 'embedding model not available');
      const busy = isAppError(error) && error.details.busy === true;
      tryAgain(Math.min(deps.retryMs ?? RETRY_MS, busy ? BUSY_RETRY_MS : RETRY_MS));
    });
  }

  function tryAgain(delayMs: number): void {
    if (!source) return;
    clearTimeout(timer);
    timer = setTimeout(() => prepareInBackground(source), delayMs);
    timer.unref();
  }

  if (source?.required) {
    try {
      await prepare(source);
    } catch (error) {
      const missing = isAppError(error) && error.details.packageMissing === true;
      if (!missing || deps.setting === 'local') throw error;
      degraded = messageOf(error);
      deps.log.warn({ model: source.id, error: degraded }, 'embedding model not available');
    }
  } else if (source) {
    prepareInBackground(source);
  } else {
    deps.log.info({ model: lexical.id }, `embedding model serves: ${lexicalReason(deps, null)}`);
  }

  function sourceOf(from: EmbeddingsDeps): Source | null {
    if (from.setting === 'lexical') return null;
    if (from.setting === 'runtime') return runtimeSource(from);
    if (from.modelDir) return directorySource(from, from.modelDir);
    if (from.download) return downloadSource(from, () => stopping.signal);
    if (from.setting === 'auto') return null;
    throw new AppError(
      'INVALID_INPUT',
      'CUE_EMBEDDINGS=local needs CUE_EMBEDDINGS_MODEL_DIR (the directory of a model) or ' +
        'CUE_EMBEDDINGS_DOWNLOAD=true (it is fetched once)',
    );
  }

  return {
    ...(beside && { beside }),
    current: () => facade,
    status: () => ({
      setting: deps.setting,
      serving: {
        id: facade.id,
        dimension: DIMENSION,
        reason: better?.reason ?? lexicalReason(deps, source),
      },
      ...(source && better === null && { wanted: servedBefore ?? source.id }),
      ...(preparing && { preparing }),
      ...(degraded !== undefined && { degraded }),
    }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      listeners.clear();
      await attempt;
      await better?.stop();
    },
  };
}

function lexicalReason(deps: EmbeddingsDeps, source: Source | null): string {
  if (deps.setting === 'lexical') return 'CUE_EMBEDDINGS=lexical';
  if (source === null) {
    return (
      `with the built-in ${builtInModel().id} beside it; a sentence model finds more ` +
      `(${INSTALL_TRANSFORMERS}, then CUE_EMBEDDINGS_DOWNLOAD=true fetches one)`
    );
  }
  return `serves until ${source.id} is ready`;
}

function directorySource(deps: EmbeddingsDeps, directory: string): Source {
  return {
    id: directory,
    required: true,
    async start(report) {
      report('loading');
      const embedder = await startTransformer({ ...deps.transformer, directory, log: deps.log });
      return { embedder, reason: `CUE_EMBEDDINGS_MODEL_DIR=${directory}`, stop: embedder.stop };
    },
  };
}

function downloadSource(deps: EmbeddingsDeps, signal: () => AbortSignal): Source {
  const model = deps.model ?? MINILM;
  const directory = modelDirectory(deps.dataDir, model);
  return {
    id: model.id,
    required: false,
    async start(report) {
      report('checking');
      if ((await problemOfDownload(deps.dataDir, model)) !== null) {
        await downloadModel({
          ...deps.downloadTries,
          model,
          dataDir: deps.dataDir,
          clock: deps.clock,
          ...(deps.hub !== undefined && { hub: deps.hub }),
          ...(deps.fetch && { fetch: deps.fetch }),
          signal: signal(),
          onProgress: (progress) => report('downloading', progress),
        });
      }
      report('loading');
      const started = await startTransformer({ ...deps.transformer, directory, log: deps.log });
      // Two names for one model would embed everything twice.
      const embedder = { ...started, id: model.id };
      return { embedder, reason: `downloaded to ${directory}`, stop: started.stop };
    },
  };
}

function runtimeSource(deps: EmbeddingsDeps): Source {
  const model = deps.runtimeModel;
  if (!model) throw new AppError('INVALID_INPUT', 'CUE_EMBEDDINGS=runtime: the host has no models');
  return {
    id: `runtime:${model.name}`,
    required: false,
    async start(report) {
      report('asking');
      const embedder = await startRuntimeModel(model);
      return { embedder, reason: 'CUE_EMBEDDINGS=runtime', stop: async () => undefined };
    },
  };
}

/** Below the 0 that a plugin has when it does not say. */
export const HOST_HANDLER_PRIORITY = -100;

/**
 * Answers null, text and `{ text }`. The start-up probe (nothing, or an empty text) gets a constant
 * unit vector of 384 without any model. With `CUE_EMBEDDINGS=runtime` the chain asks the host, which
 * may ask this handler: it then answers lexically instead of asking the chain for ever.
 */
export function createHostHandler(
  embeddings: () => Pick<Embeddings, 'current' | 'status'>,
): (params: unknown) => Promise<number[]> {
  return async (params) => {
    const text = textOf(params);
    if (text.trim() === '') return Array.from(constantVector());
    const chain = embeddings();
    if (chain.status().setting === 'runtime') return Array.from(embedLexical(text));
    const [vector] = await chain.current().embed([text]);
    return Array.from(vector ?? constantVector());
  };
}

function textOf(params: unknown): string {
  if (typeof params === 'string') return params;
  if (typeof params !== 'object' || params === null || !('text' in params)) return '';
  return typeof params.text === 'string' ? params.text : '';
}
