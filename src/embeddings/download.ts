/**
 * Fetches the default model once: pinned revision, checksums, resumed where it was cut. A file has
 * its final name only when it is complete and right; what is in the making ends in `.part`.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, DAY_MS } from '../shared/clock.js';
import { lockDirectory } from '../shared/dir-lock.js';
import { AppError, isAppError, messageOf } from '../shared/errors.js';

import { DIMENSION } from './embedder.js';

export interface PinnedModel {
  /** Recorded with each vector. */
  id: string;
  /** Name on the hub. */
  repo: string;
  /** Full commit id: what a name like `main` points to may change. */
  revision: string;
  files: Readonly<Record<ModelFile, { sha256: string; bytes: number }>>;
}

/** Apache-2.0, 384 numbers, 23.7 MB in 8 bits. */
export const MINILM: PinnedModel = {
  id: 'Xenova/all-MiniLM-L6-v2@q8',
  repo: 'Xenova/all-MiniLM-L6-v2',
  revision: '751bff37182d3f1213fa05d7196b954e230abad9',
  files: {
    'config.json': {
      sha256: '7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7',
      bytes: 650,
    },
    'tokenizer.json': {
      sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
      bytes: 711_661,
    },
    'tokenizer_config.json': {
      sha256: '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
      bytes: 366,
    },
    'onnx/model_quantized.onnx': {
      sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      bytes: 22_972_370,
    },
  },
};

export interface DownloadProgress {
  file: ModelFile;
  loadedBytes: number;
  /** Of all files together. */
  totalBytes: number;
}

export interface DownloadDeps {
  model: PinnedModel;
  dataDir: string;
  clock: Clock;
  /** The public hub when absent. */
  hub?: string;
  fetch?: typeof fetch;
  onProgress?: (progress: DownloadProgress) => void;
  signal?: AbortSignal;
  /** How long the server may send nothing, ms. */
  stallMs?: number;
  /** Pauses between the tries of one file, ms. */
  retryDelaysMs?: readonly number[];
}

const DEFAULT_HUB = 'https://huggingface.co';
const STALL_MS = 30_000;
const RETRY_DELAYS_MS = [1_000, 4_000, 15_000];
const PART = '.part';
/** A part nobody went on with for so long is removed. */
const STALE_MS = 7 * DAY_MS;

/** One download per directory in this process; the lock file keeps other processes out. */
const running = new Set<string>();

/** Another try may help: the connection, the server's mood. */
class TransientError extends Error {}

export function modelDirectory(dataDir: string, model: PinnedModel): string {
  return join(dataDir, 'models', ...model.repo.split('/'), model.revision);
}

/** Whether all files are there and right; `null`, or what is wrong. Needs no network. */
export async function problemOfDownload(
  dataDir: string,
  model: PinnedModel,
): Promise<string | null> {
  try {
    await verifyModelFiles(modelDirectory(dataDir, model), model.files);
    return null;
  } catch (error) {
    if (isAppError(error)) return error.message;
    throw error;
  }
}

/**
 * Fetches what is missing and returns the directory. Complete files are not asked for again, cut
 * ones are continued where the server can.
 * @throws AppError UNAVAILABLE: hub not reachable, wrong file, no space, or another download of the
 * same directory is under way (`details.busy`)
 */
export async function downloadModel(deps: DownloadDeps): Promise<string> {
  const directory = modelDirectory(deps.dataDir, deps.model);
  const release = await takeTurn(directory);
  try {
    await mkdir(directory, { recursive: true });
    await removeStaleParts(directory, deps.clock.now());
    const totalBytes = MODEL_FILES.reduce((sum, file) => sum + deps.model.files[file].bytes, 0);
    let before = 0;
    for (const file of MODEL_FILES) {
      const report = (bytes: number) =>
        deps.onProgress?.({ file, loadedBytes: before + bytes, totalBytes });
      await fetchFile(deps, join(directory, file), file, report);
      before += deps.model.files[file].bytes;
      report(0);
    }
    return directory;
  } catch (error) {
    if (isAppError(error)) throw error;
    throw notFetched(deps.model, error);
  } finally {
    release();
  }
}

function notFetched(model: PinnedModel, cause: unknown): AppError {
  const message = `the embedding model ${model.repo} could not be fetched: ${messageOf(cause)}`;
  return new AppError('UNAVAILABLE', message, {}, { cause });
}

async function takeTurn(directory: string): Promise<() => void> {
  const busy = (who: string) =>
    new AppError('UNAVAILABLE', `the model is already being fetched by ${who}`, { busy: true });
  if (running.has(directory)) throw busy('this process');
  running.add(directory);
  try {
    const lock = await lockDirectory(directory, null);
    return () => {
      running.delete(directory);
      lock.release();
    };
  } catch (error) {
    running.delete(directory);
    if (isAppError(error) && error.details.pid !== undefined) {
      throw busy(String(error.details.who));
    }
    throw error;
  }
}

async function removeStaleParts(directory: string, nowMs: number): Promise<void> {
  for (const name of await readdir(directory, { recursive: true })) {
    if (!name.endsWith(PART)) continue;
    const path = join(directory, name);
    const known = MODEL_FILES.some((file) => join(directory, file) + PART === path);
    if (!known || nowMs - (await stat(path)).mtimeMs > STALE_MS) await rm(path, { force: true });
  }
}

async function fetchFile(
  deps: DownloadDeps,
  path: string,
  file: ModelFile,
  report: (bytes: number) => void,
): Promise<void> {
  const expected = deps.model.files[file];
  if ((await sizeOf(path)) === expected.bytes && (await sha256Of(path)) === expected.sha256) return;
  await mkdir(dirname(path), { recursive: true });
  const part = path + PART;
  const delays = deps.retryDelaysMs ?? RETRY_DELAYS_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      const continued = await receive(deps, part, file, report);
      await check(part, file, expected, continued);
      await rename(part, path);
      return;
    } catch (error) {
      const delayMs = delays[attempt];
      if (!(error instanceof TransientError) || delayMs === undefined) throw error;
      await sleep(delayMs, undefined, { signal: deps.signal });
    }
  }
}

/**
 * Adds to the part what is missing, or begins anew where the server cannot continue. Returns whether
 * bytes of an earlier try are in it.
 */
async function receive(
  deps: DownloadDeps,
  part: string,
  file: ModelFile,
  report: (bytes: number) => void,
): Promise<boolean> {
  const expected = deps.model.files[file];
  let have = await sizeOf(part);
  if (have > expected.bytes) have = 0;
  if (have === expected.bytes) return true;
  const stall = new AbortController();
  const stallMs = deps.stallMs ?? STALL_MS;
  const watch = setTimeout(() => stall.abort(), stallMs);
  const signal = deps.signal ? AbortSignal.any([deps.signal, stall.signal]) : stall.signal;
  try {
    const response = await (deps.fetch ?? fetch)(urlOf(deps, file), {
      signal,
      headers: have > 0 ? { range: `bytes=${have}-` } : {},
    });
    const body = checkResponse(response, file);
    const resumed =
      response.status === 206 &&
      response.headers.get('content-range')?.startsWith(`bytes ${have}-`) === true;
    if (!resumed) have = 0;
    const out = await open(part, resumed ? 'a' : 'w');
    try {
      for await (const chunk of body) {
        watch.refresh();
        have += chunk.length;
        await out.write(chunk);
        // Not the file that was asked for; the check below throws it away.
        if (have > expected.bytes) break;
        report(have);
      }
      await out.sync();
    } finally {
      await out.close();
    }
    return resumed;
  } catch (error) {
    if (isAppError(error) || error instanceof TransientError) throw error;
    if (deps.signal?.aborted) throw error;
    if (isFromDisk(error)) throw error;
    const reason = stall.signal.aborted
      ? `the hub sent nothing for ${stallMs} ms`
      : reasonOf(error);
    throw new TransientError(reason, { cause: error });
  } finally {
    clearTimeout(watch);
  }
}

function urlOf(deps: DownloadDeps, file: ModelFile): string {
  const hub = (deps.hub ?? DEFAULT_HUB).replace(/\/+$/, '');
  return `${hub}/${deps.model.repo}/resolve/${deps.model.revision}/${file}`;
}

function checkResponse(response: Response, file: ModelFile): ReadableStream<Uint8Array> {
  if (response.ok && response.body) return response.body;
  void response.body?.cancel();
  const message = `the hub answered ${response.status} for ${file}`;
  if (response.status >= 500 || [408, 425, 429].includes(response.status)) {
    throw new TransientError(message);
  }
  throw new AppError('UNAVAILABLE', message, { file, status: response.status });
}

/** A part that is wrong is removed: continuing it would be wrong again. */
async function check(
  part: string,
  file: ModelFile,
  expected: { sha256: string; bytes: number },
  continued: boolean,
): Promise<void> {
  const size = await sizeOf(part);
  const pointer = size > 0 && (await isLfsPointer(part));
  if (!pointer && size < expected.bytes) {
    throw new TransientError(`the connection ended after ${size} of ${expected.bytes} bytes`);
  }
  if (!pointer && (await sha256Of(part)) === expected.sha256) return;
  await rm(part, { force: true });
  if (continued) throw new TransientError(`the continued ${file} is not the published one`);
  throw new AppError(
    'UNAVAILABLE',
    pointer
      ? `the hub sent a Git LFS pointer instead of ${file}`
      : `${file} came with another checksum than the published model: it was thrown away`,
    { file },
  );
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

function isFromDisk(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}

/** `fetch failed` says nothing; its cause names the host and what happened. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? `${messageOf(error)} (${messageOf(cause)})` : messageOf(error);
}

/**
 * Looks at a model directory before anything is loaded from it: the runtime below says no more of a
 * truncated or swapped file than "Protobuf parsing failed".
 */

/** What transformers.js reads of a feature-extraction model in 8 bits. */
const MODEL_FILES = [
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'onnx/model_quantized.onnx',
] as const;
type ModelFile = (typeof MODEL_FILES)[number];

/** Checksums and sizes of a known model; what is absent is not checked. */
export type ModelChecks = Partial<Record<ModelFile, { sha256: string; bytes?: number }>>;

const LFS_MARK = 'version https://git-lfs';
/** The smallest sentence encoder there is has more; an error page has less. */
const MIN_ONNX_BYTES = 10_000;

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** Whether the file is the three-line stand-in that Git LFS leaves where it fetched nothing. */
async function isLfsPointer(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(LFS_MARK.length);
    await file.read(head, 0, head.length, 0);
    return head.toString('latin1') === LFS_MARK;
  } finally {
    await file.close();
  }
}

/**
 * @throws AppError INVALID_INPUT whose message names the directory, the file, what is wrong with it
 * and what to do; `details` has `directory` and `file`
 */
export async function verifyModelFiles(directory: string, checks: ModelChecks = {}): Promise<void> {
  for (const file of MODEL_FILES) {
    const wrong = await problemOf(join(directory, file), file, checks[file]);
    if (wrong === null) continue;
    throw new AppError(
      'INVALID_INPUT',
      `the embedding model in ${directory} cannot be used: ${file} ${wrong}`,
      { directory, file },
    );
  }
}

async function problemOf(
  path: string,
  file: ModelFile,
  check: ModelChecks[ModelFile],
): Promise<string | null> {
  let size: number;
  try {
    const found = await stat(path);
    if (!found.isFile()) return 'is not a file';
    size = found.size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return 'is missing (copy the whole directory of the model, onnx/ included)';
    }
    return `cannot be read: ${messageOf(error)}`;
  }
  if (size === 0) return 'is empty (copy it again)';
  if (await isLfsPointer(path)) {
    return 'is a Git LFS pointer, not the file itself (run "git lfs pull" where it was cloned)';
  }
  if (check?.bytes !== undefined && size !== check.bytes) {
    return `has ${size} bytes where ${check.bytes} are expected (copy it again)`;
  }
  if (file.endsWith('.onnx') && size < MIN_ONNX_BYTES) {
    return `has only ${size} bytes, it is truncated (copy it again)`;
  }
  const unreadable = file.endsWith('.json') ? await problemOfJson(path, file) : null;
  if (unreadable !== null) return unreadable;
  if (check && (await sha256Of(path)) !== check.sha256) {
    return 'has another checksum than the published model (copy it again)';
  }
  return null;
}

async function problemOfJson(path: string, file: ModelFile): Promise<string | null> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    return `is not JSON, it may be truncated (${messageOf(error)})`;
  }
  if (file !== 'config.json') return null;
  const record = typeof parsed === 'object' && parsed !== null ? parsed : {};
  const size = 'hidden_size' in record ? record.hidden_size : 'dim' in record ? record.dim : null;
  if (size === DIMENSION) return null;
  const found = typeof size === 'number' ? `makes vectors of ${size}` : 'does not say hidden_size';
  return `${found}, ${DIMENSION} numbers are needed (choose a model such as all-MiniLM-L6-v2)`;
}
