/**
 * `file:///…`: files below folders that may be read. Where a path really leads decides, not how it is
 * spelled; whatever may not be read is answered as what does not exist.
 */
import type { BigIntStats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { resolve, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../../shared/errors.js';
import { type Refusal, readWhole, textOf, type WholeFile } from '../../../shared/read-whole.js';
import { isBelow } from '../../../shared/real-path.js';
import { mimeTypeOf } from './mime-types.js';
import { holdsPrivateKey, isPrivateFile } from './private-files.js';

const MAX_BYTES = 1024 * 1024;
const MAX_URI = 4_096;
const ATTEMPTS = 3;

export interface ReadFile {
  /** As it was asked for, absolute. */
  path: string;
  content: { mimeType: string } & ({ text: string } | { blob: string });
}

/**
 * The path of a URI (RFC 8089: `file:/…` and `file://localhost/…` are `file:///…`); `null` for one of
 * another machine, with a query, with an encoded separator or NUL in it, or that is none. `..` and a slash
 * at the end have been taken out.
 * @param windows whether paths have drives
 */
export function pathOfFileUri(uri: string, windows = process.platform === 'win32'): string | null {
  if (uri.length > MAX_URI || !/^file:(?:\/\/(?:localhost)?)?\/(?![\\/])/i.test(uri)) return null;
  try {
    const url = new URL(uri);
    if (url.host !== '' || url.search !== '' || url.hash !== '') return null;
    const path = fileURLToPath(url, { windows });
    // After the dots are gone: two slashes in front name another machine.
    if (path.includes('\0') || /^[\\/]{2}/.test(path)) return null;
    // Clients write a drive as they like.
    return windows
      ? win32.resolve(path).replace(/^[a-z]:/, (drive) => drive.toUpperCase())
      : resolve(path);
  } catch {
    return null;
  }
}

/** Below which folders files may be read, and below which of those they may not; absolute. */
interface Readable {
  /** None: nothing may be read. */
  roots: readonly string[];
  privateFolders: readonly string[];
}

/**
 * @throws AppError NOT_FOUND, the same for whatever may not be read; TOO_LARGE over 1 MB; UNAVAILABLE
 */
export async function readFileBelow(uri: string, readable: Readable): Promise<ReadFile> {
  const path = pathOfFileUri(uri);
  const read = path === null ? 'gone' : await readOnWay(path, readable);
  if (path === null || read === 'gone') throw notThere(uri);
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

/** What came between the look and the open, a link or another file, is looked at in its turn. */
async function readOnWay(
  path: string,
  readable: Readable,
): Promise<WholeFile | { refused: Refusal } | 'gone'> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const real = await realBelow(path, readable);
    if (real === null) return 'gone';
    const read = await readWhole(real, MAX_BYTES);
    if (!(read !== 'gone' && 'bytes' in read) || (await isStillAt(real, read.stats))) return read;
  }
  return { refused: { code: 'busy', message: 'kept changing while it was read' } };
}

/** Where it really lies, if that is below a root, as its name is, and is nobody's secret. */
async function realBelow(
  path: string,
  { roots, privateFolders }: Readable,
): Promise<string | null> {
  if (isPrivateFile(path)) return null;
  const folders = await Promise.all(
    roots.map(async (root) => ({ root: resolve(root), real: await realOf(root) })),
  );
  // Nothing is looked up for a name that leads out.
  const isNamed = folders.some(
    ({ root, real }) => isBelow(path, root) || (real !== null && isBelow(path, real)),
  );
  const found = isNamed ? await realOf(path) : null;
  if (found === null) return null;
  const isBelowRoot = folders.some(({ real }) => real !== null && isBelow(found, real));
  if (!isBelowRoot || isPrivateFile(found)) return null;
  const hidden = await Promise.all(privateFolders.map(realOf));
  return hidden.some((folder) => folder !== null && isBelow(found, folder)) ? null : found;
}

/**
 * Whether what was read lies where it was looked for, by no link: a folder on the way may have become one
 * between the look and the open. Hard links cannot be told from the file itself.
 */
export async function isStillAt(
  real: string,
  { dev, ino }: Pick<BigIntStats, 'dev' | 'ino'>,
): Promise<boolean> {
  if ((await realOf(real)) !== real) return false;
  const now = await lstat(real, { bigint: true }).catch(() => null);
  return now !== null && now.dev === dev && now.ino === ino;
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
