/** One file of notes as text. */
import { type Refusal, readWhole, stampOf, textOf } from '../../shared/read-whole.js';

/** Larger files are no notes that people write. Bytes. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;

export interface TextRead {
  text: string;
  /** The same as long as nobody touches the file. */
  stamp: string;
  /** Last change of content or attributes, by the file system's clock; epoch ms. */
  changedMs: number;
  mode: number;
  uid: number;
  gid: number;
}

/** Also refused as `not_text`. */
export type FileRead = TextRead | { refused: Refusal } | 'gone';

/**
 * Reads a regular file of valid UTF-8; a byte order mark is kept. Links are not followed: give the
 * real path.
 */
export async function readText(path: string): Promise<FileRead> {
  const read = await readWhole(path, MAX_FILE_BYTES);
  if (read === 'gone' || 'refused' in read) return read;
  const { bytes, stats } = read;
  const text = textOf(bytes);
  if (text === null) return { refused: { code: 'not_text', message: 'is not text in UTF-8' } };
  return {
    text,
    stamp: stampOf(stats),
    changedMs: Math.max(Number(stats.mtimeMs), Number(stats.ctimeMs)),
    mode: Number(stats.mode) & 0o7777,
    uid: Number(stats.uid),
    gid: Number(stats.gid),
  };
}
