/** Texts that the user hands in. */
import { readFile, stat } from 'node:fs/promises';
import { AppError } from '../../shared/errors.js';
import { badInput } from './exit-codes.js';
import { utf8 } from './print.js';

const MAX_FILE_BYTES = 2_000_000;

/**
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
  if (found?.isDirectory()) throw badInput(`${shown} is a folder, not a file`, { path });
  // Opening a pipe or a device could wait forever.
  if (!found?.isFile()) throw badInput(`there is no file ${shown}`, { path });
  if (found.size > maxBytes) {
    throw new AppError('TOO_LARGE', `${shown} has more than ${maxBytes / 1_000_000} MB`);
  }
  return utf8(await readFile(path), shown);
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
