/**
 * The thread a transformer model runs in: `session.run` blocks its thread for up to half a second
 * (measured), which must not be the agent's. Imports nothing of ours, so that it starts alone.
 */
import { parentPort, workerData } from 'node:worker_threads';

export interface WorkerConfig {
  /** Absolute path of a verified model directory. */
  directory: string;
}

export interface WorkerRequest {
  id: number;
  texts: readonly string[];
}

export type WorkerReply =
  | { kind: 'ready'; dimension: number }
  | { kind: 'failed'; reason: string; packageMissing: boolean }
  /** All vectors in one array, one after the other; not yet checked. */
  | { kind: 'vectors'; id: number; values: Float32Array }
  | { kind: 'error'; id: number; reason: string };

const PACKAGE = '@huggingface/transformers';

type Extract = (texts: string[]) => Promise<{ dims: number[]; values: Float32Array }>;

async function load(directory: string): Promise<Extract> {
  const { env, LogLevel, pipeline } = await import('@huggingface/transformers');
  // Of this thread alone: the object is not shared with the agent's.
  env.allowLocalModels = true;
  env.allowRemoteModels = false;
  env.logLevel = LogLevel.ERROR;
  const extractor = await pipeline('feature-extraction', directory, {
    // On the CPU the default is fp32, which is four times the size.
    dtype: 'q8',
    device: 'cpu',
    session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
  });
  return async (texts) => {
    const output = await extractor(texts, { pooling: 'mean', normalize: true });
    const { data } = output;
    if (!(data instanceof Float32Array)) throw new Error('the model answered no float32');
    return { dims: output.dims, values: new Float32Array(data) };
  };
}

function isPackageMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : null;
  const missing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  return missing && error.message.includes(PACKAGE);
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function serve(port: NonNullable<typeof parentPort>, config: WorkerConfig): Promise<void> {
  const reply = (message: WorkerReply, move: ArrayBuffer[] = []) => port.postMessage(message, move);
  let extract: Extract;
  try {
    extract = await load(config.directory);
    const probe = await extract(['add a test for the login form']);
    if (!probe.values.every(Number.isFinite)) throw new Error('it answers no finite numbers');
    reply({ kind: 'ready', dimension: probe.dims[1] ?? 0 });
  } catch (error) {
    reply({ kind: 'failed', reason: reasonOf(error), packageMissing: isPackageMissing(error) });
    port.close();
    return;
  }
  port.on('message', async ({ id, texts }: WorkerRequest) => {
    try {
      const { values } = await extract([...texts]);
      reply({ kind: 'vectors', id, values }, [values.buffer as ArrayBuffer]);
    } catch (error) {
      reply({ kind: 'error', id, reason: reasonOf(error) });
    }
  });
}

if (parentPort) await serve(parentPort, workerData as WorkerConfig);
