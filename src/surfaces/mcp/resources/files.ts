/**
 * `file:///…`: files below folders that may be read. Where a path really leads decides, not how it is
 * spelled; whatever may not be read is answered as what does not exist.
 */
import { realpath } from 'node:fs/promises';
import { basename, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../../shared/errors.js';
import { readWhole, textOf } from '../../../shared/read-whole.js';
import { isBelow } from '../../../shared/real-path.js';
import { mimeTypeOf } from './mime-types.js';
import { holdsPrivateKey, isPrivateFile } from './private-files.js';

const MAX_BYTES = 1024 * 1024;
const MAX_URI = 4_096;

export interface ReadFile {
  /** As it was asked for, absolute. */
  path: string;
  content: { mimeType: string } & ({ text: string } | { blob: string });
}

/**
 * The path of a URI; `null` for one of another machine, with a query, with an encoded separator or NUL
 * in it, or that is none. `..` has been taken out.
 */
export function pathOfFileUri(uri: string): string | null {
  if (uri.length > MAX_URI || !/^file:\/\/\/(?![\\/])/i.test(uri)) return null;
  try {
    const url = new URL(uri);
    if (url.host !== '' || url.search !== '' || url.hash !== '') return null;
    const path = fileURLToPath(url);
    // After the dots are gone: two slashes in front name another machine.
    return path.includes('\0') || /^[\\/]{2}/.test(path) ? null : resolve(path);
  } catch {
    return null;
  }
}

/**
 * @param roots absolute; none: nothing may be read
 * @throws AppError NOT_FOUND, the same for whatever may not be read; TOO_LARGE over 1 MB; UNAVAILABLE
 */
export async function readFileBelow(uri: string, roots: readonly string[]): Promise<ReadFile> {
  const path = pathOfFileUri(uri);
  const real = path === null ? null : await realBelow(path, roots);
  if (path === null || real === null) throw notThere(uri);
  const read = await readWhole(real, MAX_BYTES);
  if (read === 'gone') throw notThere(uri);
  if ('refused' in read) {
    const { code, message } = read.refused;
    if (code === 'too_large') throw new AppError('TOO_LARGE', `the file ${message}`, { uri });
    if (code === 'busy') throw new AppError('UNAVAILABLE', `the file ${message}`, { uri });
    throw notThere(uri);
  }
  const text = textOf(read.bytes);
  if (text !== null && holdsPrivateKey(text)) throw notThere(uri);
  const mimeType = mimeTypeOf(path, text !== null);
  const content = text === null ? { blob: read.bytes.toString('base64') } : { text };
  return { path, content: { mimeType, ...content } };
}

/** Where it really lies, if that is below a root, as its name is, and is nobody's secret. */
async function realBelow(path: string, roots: readonly string[]): Promise<string | null> {
  if (isPrivateFile([basename(path)])) return null;
  const folders = await Promise.all(
    roots.map(async (root) => ({ root: resolve(root), real: await realOf(root) })),
  );
  // Nothing is looked up for a name that leads out.
  const isNamed = folders.some(
    ({ root, real }) => isBelow(path, root) || (real !== null && isBelow(path, real)),
  );
  const found = isNamed ? await realOf(path) : null;
  if (found === null) return null;
  const home = folders.find(({ real }) => real !== null && isBelow(found, real))?.real;
  if (home === undefined || home === null) return null;
  return isPrivateFile(relative(home, found).split(sep)) ? null : found;
}

async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    return null;
  }
}

function notThere(uri: string): AppError {
  const message = 'there is no such file below the folders that may be read';
  return new AppError('NOT_FOUND', message, { uri });
}
