/**
 * Looks at a model directory before anything is loaded from it: the runtime below says no more of a
 * truncated or swapped file than "Protobuf parsing failed".
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from '../shared/errors.js';
import { DIMENSION } from './types.js';

/** What transformers.js reads of a feature-extraction model in 8 bits. */
export const MODEL_FILES = [
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'onnx/model_quantized.onnx',
] as const;
export type ModelFile = (typeof MODEL_FILES)[number];

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
export async function isLfsPointer(path: string): Promise<boolean> {
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
