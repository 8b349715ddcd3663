/** Texts that the user hands in. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AppError, messageOf } from '../../shared/errors.js';
import { badInput, type Io } from './io.js';
import { utf8 } from './real-io.js';

const MAX_FILE_BYTES = 2_000_000;
/** In the place of a file. */
export const STANDARD_INPUT = '-';

/** A file as it was named, or standard input. @throws AppError as `readTextFile` */
export async function readInput(
  file: string,
  io: Pick<Io, 'cwd' | 'stdin'>,
  maxBytes?: number,
  maxStdinBytes = maxBytes,
): Promise<string> {
  return file === STANDARD_INPUT
    ? io.stdin(maxStdinBytes)
    : readTextFile(resolve(io.cwd, file), file, maxBytes);
}

/**
 * A file, or what comes through a pipe or a device (`/dev/stdin`, `<(…)`): then it waits for its end.
 * @param path absolute
 * @param shown as the user wrote it
 * @throws AppError INVALID_INPUT when there is no such file or it is not UTF-8, TOO_LARGE
 */
export async function readTextFile(
  path: string,
  shown: string,
  maxBytes = MAX_FILE_BYTES,
): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw badInput(`there is no file ${shown}`, { path });
  const [odd] = [
    ...(found.isDirectory() ? ['a folder'] : []),
    ...(found.isSocket() ? ['a socket'] : []),
    ...(found.isBlockDevice() ? ['a disk'] : []),
  ];
  if (odd !== undefined) throw badInput(`${shown} is ${odd}, not a file`, { path });
  if (found.size > maxBytes) throw tooLarge(shown, maxBytes);
  return utf8(await allOf(path, shown, maxBytes), shown);
}

/** Of a pipe nobody knows how much will come. */
async function allOf(path: string, shown: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > maxBytes) throw tooLarge(shown, maxBytes);
      chunks.push(part);
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const message = `${shown} cannot be read: ${messageOf(cause)}`;
    const failure = new AppError('INVALID_INPUT', message, { path }, { cause });
    throw failure;
  }
  return Buffer.concat(chunks);
}

function tooLarge(shown: string, maxBytes: number): AppError {
  return new AppError('TOO_LARGE', `${shown} has more than ${maxBytes / 1_000_000} MB`);
}

/** @throws AppError INVALID_INPUT naming `what`; the text, which may be a secret, is not repeated */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the cause: its words repeat the text.
    return refuse(`${what} is not valid JSON`);
  }
}

function refuse(message: string): never {
  throw badInput(message);
}
