/** One configuration file of a client: read whole, and replaced whole, with a copy of how it was. */
import { chmod, lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError, codeOf, messageOf } from '../../../shared/errors.js';
import { realPath } from '../../../shared/folders.js';
import { processName } from '../../../shared/process-life.js';
import { readWhole, textOf } from '../../../shared/read-whole.js';
import { badInput } from '../io.js';

export interface ConfigFile {
  /** Where it really is, whatever links are on the way. */
  path: string;
  /** Without a byte order mark; `null`: there is none yet. */
  text: string | null;
  hasMark: boolean;
  /** Permissions; of a new one the usual ones. */
  mode?: number;
}

/** Claude Code keeps what it remembers of projects in the file of the user's servers. */
const MAX_BYTES = 64 * 1024 * 1024;
const MARK = '\ufeff';
/** In front of the number of a copy. */
const BACKUP = '.cue-backup-';
const ANYONE_WRITES = 0o222;
const MOST_BACKUPS = 10_000;

/** @throws AppError INVALID_INPUT for what is no text file that may be read */
export async function readConfig(asked: string): Promise<ConfigFile> {
  const path = realPath(asked);
  const read = await readWhole(path, MAX_BYTES);
  if (read === 'gone') return { path, text: null, hasMark: false };
  if ('refused' in read) {
    // What people meet in place of a file.
    const found = await lstat(path).catch(() => null);
    const odd = found?.isDirectory()
      ? 'is a folder, no file'
      : found?.isSymbolicLink() && 'is a link that leads nowhere';
    throw badInput(`${asked} ${odd || read.refused.message}`, { path: asked });
  }
  const text = textOf(read.bytes);
  if (text === null) throw badInput(`${asked} is not UTF-8 text`, { path: asked });
  const hasMark = text.startsWith(MARK);
  const mode = Number(read.stats.mode & 0o777n);
  return { path, text: hasMark ? text.slice(1) : text, hasMark, mode };
}

/** @throws AppError PERMISSION_DENIED for what somebody has protected, though its folder may be written */
export function checkWritable({ mode }: ConfigFile, shown: string): void {
  if (mode === undefined || (mode & ANYONE_WRITES) !== 0) return;
  const message = `${shown} is write-protected, so nothing was written: make it writable (chmod u+w), then try again`;
  throw new AppError('PERMISSION_DENIED', message, { path: shown });
}

/** A copy that an earlier installation has left. */
export interface Backup {
  path: string;
  /** Without a byte order mark. */
  text: string;
}

/** Copies beside the file, the latest first; what cannot be read is none. */
export async function backupsOf({ path }: ConfigFile): Promise<Backup[]> {
  const names = await readdir(dirname(path)).catch(() => []);
  const prefix = `${basename(path)}${BACKUP}`;
  const numbers = names
    .filter(
      (name) => name.startsWith(prefix) && /^[1-9][0-9]{0,4}$/.test(name.slice(prefix.length)),
    )
    .map((name) => Number(name.slice(prefix.length)));
  const backups: Backup[] = [];
  for (const number of numbers.sort((a, b) => b - a)) {
    const backup = `${path}${BACKUP}${number}`;
    const read = await readConfig(backup).catch(() => null);
    if (read !== null && read.text !== null) backups.push({ path: backup, text: read.text });
  }
  return backups;
}

/** @throws AppError CONFLICT when somebody else has changed it since it was read, UNAVAILABLE */
export async function deleteConfig(file: ConfigFile): Promise<void> {
  await checkUntouched(file);
  try {
    await rm(file.path);
  } catch (error) {
    throw notWritten(file.path, error);
  }
}

/** What an installation is back from is of no use any more. Never throws. */
export async function dropBackup({ path }: Backup): Promise<void> {
  await rm(path, { force: true }).catch(() => {});
}

/**
 * As a whole or not at all. What was there lies beside it afterwards.
 * @param privately a new file is for this user alone
 * @param isKept whether a copy of what was there is made
 * @returns the backup; `null` for a new file
 * @throws AppError CONFLICT when somebody else has changed it since it was read, UNAVAILABLE
 */
export async function replaceConfig(
  file: ConfigFile,
  text: string,
  { privately = false, isKept = true }: { privately?: boolean; isKept?: boolean } = {},
): Promise<string | null> {
  const { path, hasMark } = file;
  const mark = hasMark ? MARK : '';
  const mode = file.mode ?? (privately ? 0o600 : undefined);
  const draft = join(dirname(path), `.${basename(path)}.${processName()}.cue-tmp`);
  try {
    await mkdir(dirname(path), { recursive: true });
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.writeFile(mark + text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // In spite of the umask.
    if (file.mode !== undefined) await chmod(draft, file.mode);
    const isNew = file.text === null;
    const backup = isNew || !isKept ? null : await keep(path, mark + file.text, file.mode);
    // As late as can be: the client may write it at any time.
    await checkUntouched(file);
    await rename(draft, path);
    return backup;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    if (error instanceof AppError) throw error;
    throw notWritten(path, error);
  }
}

function notWritten(path: string, cause: unknown): AppError {
  const message = `${path} could not be written: ${messageOf(cause)}`;
  return new AppError('UNAVAILABLE', message, { path }, { cause });
}

/** The first name that is free. */
async function keep(path: string, text: string, mode: number | undefined): Promise<string> {
  for (let count = 1; count <= MOST_BACKUPS; count += 1) {
    const backup = `${path}${BACKUP}${count}`;
    try {
      await writeFile(backup, text, { flag: 'wx', mode });
      return backup;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  throw new AppError('LIMIT_REACHED', `${path} has ${MOST_BACKUPS} backups: remove some`, { path });
}

async function checkUntouched({ path, text }: ConfigFile): Promise<void> {
  const now = await readConfig(path);
  if (now.text === text) return;
  const message = `${path} has been changed meanwhile: nothing was written, try again`;
  throw new AppError('CONFLICT', message, { path });
}
