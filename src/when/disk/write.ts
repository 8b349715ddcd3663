/** Several files changed as one: all of them, or none. */
import { chmod, chown, lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isRunning } from '../../shared/dir-lock.js';
import { AppError, messageOf } from '../../shared/errors.js';
import { codeOf, stampOf } from '../../shared/read-whole.js';
import { realPath } from '../../shared/real-path.js';
import { hashOf } from '../decisions.js';
import type { WhenPaths } from '../types.js';
import { boundsOf, isBroken } from './bounds.js';
import { exclusively, foldersBetween } from './lock.js';
import { readText, type TextRead } from './read-file.js';

export interface FileChange {
  /** Absolute; below the decisions folder, or beside the index. */
  path: string;
  text: string;
  /** SHA-256 (hex) of the text that is replaced; `null`: there must be no such file. */
  expected: string | null;
}

/** `staged`: all new texts lie beside their files; `renamed`: one more of them took its place. */
export type WriteStep = 'staged' | 'renamed';

export interface WriteDeps {
  paths: WhenPaths;
  /** Called as the writing goes on; a test ends the process here. */
  onStep?: ((step: WriteStep, path: string) => void) | undefined;
}

interface Staged {
  change: FileChange;
  real: string;
  before: TextRead | null;
  temp: string;
}

/** Names of what a crash leaves behind: hidden from readers, and known as ours. */
const TEMP = /^\..+\.(\d+)-\d+\.cue-tmp$/;
/** Those of this process that are in use: its number may be that of one that died. */
const mine = new Set<string>();
let lastTemp = 0;

/**
 * Replaces or makes the files under the lock of the index. Throws AppError CONFLICT naming the file
 * when one is not what was expected, PERMISSION_DENIED for a path that is not ours, UNAVAILABLE when
 * the disk refuses; then everything is as it was. A process that dies in between leaves a beginning
 * of the list changed, each file whole: order the changes so that this does no harm.
 */
export function writeTogether(changes: readonly FileChange[], deps: WriteDeps): Promise<void> {
  return exclusively(deps.paths, () => replaceAll(changes, deps));
}

async function replaceAll(changes: readonly FileChange[], deps: WriteDeps): Promise<void> {
  const staged: Staged[] = [];
  const made: string[] = [];
  const renamed: Staged[] = [];
  try {
    for (const { change, real } of placesOf(changes, deps.paths)) {
      const before = await expectedText(change, real);
      if (before?.text === change.text) continue;
      staged.push({ change, real, before, temp: tempNameOf(real) });
    }
    for (const folder of new Set(staged.map(({ real }) => dirname(real)))) {
      const first = await mkdir(folder, { recursive: true });
      if (first === undefined) await removeLeftovers(folder);
      else made.push(...foldersBetween(first, folder));
    }
    for (const { change, before, temp } of staged) await writeTemp(temp, change.text, before);
    deps.onStep?.('staged', '');
    for (const file of staged) {
      await checkUntouched(file);
      await rename(file.temp, file.real);
      renamed.push(file);
      deps.onStep?.('renamed', file.change.path);
    }
    for (const folder of new Set(staged.map(({ real }) => dirname(real)))) await syncFolder(folder);
  } catch (error) {
    await undo(staged, renamed, made, error);
    if (error instanceof AppError) throw error;
    throw notWritten(error);
  } finally {
    for (const { temp } of staged) mine.delete(temp);
  }
}

function placesOf(
  changes: readonly FileChange[],
  paths: WhenPaths,
): { change: FileChange; real: string }[] {
  const bounds = boundsOf(paths);
  const seen = new Set<string>();
  return changes.map((change) => {
    const real = realPath(resolve(change.path));
    if (isBroken(change.path) || !bounds.writable(real)) {
      const message = `${change.path} lies outside the decisions folder and may not be written`;
      throw new AppError('PERMISSION_DENIED', message, { path: change.path });
    }
    if (seen.has(real)) {
      const message = `${change.path} is to be written twice at once`;
      throw new AppError('INVALID_INPUT', message, { path: change.path });
    }
    seen.add(real);
    return { change, real };
  });
}

/** What stands there; `null`: nothing, as expected. */
async function expectedText(
  { path, expected }: FileChange,
  real: string,
): Promise<TextRead | null> {
  const read = await readText(real);
  if (read === 'gone') {
    if (expected === null) return null;
    throw conflict(path, 'is no longer there');
  }
  if ('refused' in read) throw conflict(path, read.refused.message);
  if (expected === null) throw conflict(path, 'is there already');
  if (hashOf(read.text) !== expected) throw conflict(path, 'has been changed meanwhile');
  return read;
}

/** Once more right before the rename: an editor asks nobody for a lock. */
async function checkUntouched({ change, real, before }: Staged): Promise<void> {
  const stats = await lstat(real, { bigint: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if ((stats === null ? null : stampOf(stats)) !== (before?.stamp ?? null)) {
    throw conflict(change.path, 'has been changed meanwhile');
  }
}

function conflict(path: string, why: string): AppError {
  return new AppError('CONFLICT', `${path} ${why}: nothing was written`, { path });
}

function notWritten(cause: unknown): AppError {
  const message = `the files could not be written: ${messageOf(cause)}`;
  return new AppError('UNAVAILABLE', message, {}, { cause });
}

function tempNameOf(real: string): string {
  lastTemp += 1;
  const temp = join(dirname(real), `.${basename(real)}.${process.pid}-${lastTemp}.cue-tmp`);
  mine.add(temp);
  return temp;
}

async function writeTemp(temp: string, text: string, like: TextRead | null): Promise<void> {
  const handle = await open(temp, 'wx', like?.mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (like === null) return;
  if (process.getuid?.() === 0) await chown(temp, like.uid, like.gid);
  // After the owner, which takes some bits away, and in spite of the umask.
  await chmod(temp, like.mode);
}

/** Puts back what was replaced; what cannot be put back is said in the error that is thrown. */
async function undo(
  staged: readonly Staged[],
  renamed: readonly Staged[],
  made: readonly string[],
  cause: unknown,
): Promise<void> {
  const lost: string[] = [];
  for (const { change, real, before, temp } of [...renamed].reverse()) {
    try {
      if (before === null) await rm(real);
      else {
        await writeTemp(temp, before.text, before);
        await rename(temp, real);
      }
    } catch (error) {
      lost.push(`${change.path} (${messageOf(error)})`);
    }
  }
  for (const { temp } of staged) await rm(temp, { force: true }).catch(() => {});
  // Only what was made here; a folder that has got files since stays.
  for (const folder of made) await rmdir(folder).catch(() => {});
  if (lost.length === 0) return;
  const message = `writing failed (${messageOf(cause)}), and these could not be put back: ${lost.join(', ')}`;
  throw new AppError('INTERNAL', message, {}, { cause });
}

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(TEMP.exec(name)?.[1]);
    const path = join(folder, name);
    if (Number.isNaN(pid) || mine.has(path) || (pid !== process.pid && isRunning(pid))) continue;
    await rm(path, { force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // Not every system can: then the rename lasts as soon as the system gets to it.
  }
}
