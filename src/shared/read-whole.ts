/** One file, whole or not at all: what changes while it is read is read again. */
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, messageOf } from './errors.js';

const ATTEMPTS = 5;
const PAUSE_MS = 15;
/** A FIFO put there since it was looked at must not hold the open, nor a link lead away. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** Of the moment, not of the file: what was known of it stays true meanwhile. */
const BUSY = new Set(['EMFILE', 'ENFILE', 'EIO', 'EBUSY', 'EAGAIN', 'ENOMEM']);

export interface Refusal {
  /** `busy`: of the moment; `too_large`, `not_a_file`, `unreadable`: of the file. */
  code: string;
  message: string;
}

/** What was read, and the file as it was then. */
export interface WholeFile {
  bytes: Buffer;
  stats: BigIntStats;
}

/** What stands for a file's state; two writes within one tick of the file system's clock share it. */
export function stampOf(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
}

/** Reads a regular file of at most so many bytes. Links are not followed: give the real path. */
export async function readWhole(
  path: string,
  maxBytes: number,
): Promise<WholeFile | { refused: Refusal } | 'gone'> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(PAUSE_MS);
    try {
      const read = await readOnce(path, maxBytes);
      if (read !== 'changed') return read;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return 'gone';
      if (!BUSY.has(code)) {
        return refusal(code === 'ELOOP' ? 'not_a_file' : 'unreadable', messageOf(error));
      }
    }
  }
  return refusal('busy', 'kept changing while it was read');
}

async function readOnce(
  path: string,
  maxBytes: number,
): Promise<WholeFile | { refused: Refusal } | 'changed'> {
  // Before the open: a device may act on being opened.
  const before = await lstat(path, { bigint: true });
  if (!before.isFile()) return refusal('not_a_file', 'is no regular file');
  if (before.size > maxBytes) {
    return refusal('too_large', `is larger than ${maxBytes / 1024 / 1024} MB`);
  }
  const handle = await open(path, READ);
  try {
    const opened = await handle.stat({ bigint: true });
    if (stampOf(opened) !== stampOf(before)) return 'changed';
    const bytes = await readBytes(handle, Number(opened.size));
    const after = await handle.stat({ bigint: true });
    if (bytes === null || stampOf(after) !== stampOf(before)) return 'changed';
    return { bytes, stats: after };
  } finally {
    await handle.close();
  }
}

/** `null`: the file ended before. */
async function readBytes(handle: FileHandle, size: number): Promise<Buffer | null> {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(bytes, at, size - at, at);
    if (bytesRead === 0) return null;
    at += bytesRead;
  }
  return bytes;
}

/** Bytes as text, a byte order mark kept; `null`: they are none in UTF-8. */
export function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function refusal(code: string, message: string): { refused: Refusal } {
  return { refused: { code, message } };
}

/** Whether an error says that the system is short of something, and nothing about the file. */
export function isOfTheMoment(error: unknown): boolean {
  return BUSY.has(codeOf(error));
}
