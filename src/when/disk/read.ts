/** Index and decision files as they stand on the disk now. */

import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, SECOND_MS, systemClock } from '../../shared/clock.js';
import { codeOf, messageOf } from '../../shared/errors.js';
import { isBelow } from '../../shared/folders.js';
import {
  isOfTheMoment,
  type Refusal,
  readWhole,
  stampOf,
  textOf,
} from '../../shared/read-whole.js';
import type { DiskState, Warning, WhenPaths } from '../types.js';
import { boundsOf, FOLDER, INDEX } from './bounds.js';

const AT_ONCE = 16;
/** All files together, in characters. */
const MAX_TOTAL = 64 * 1024 * 1024;
/** Coarsest clock of a file system: within it, two writes may leave the same time. */
const CLOCK_STEP_MS = 2 * SECOND_MS;

export interface FolderReader {
  read(): Promise<DiskState>;
  /**
   * What the last read knows of each file, by its real path; `null`: some file was changed so lately that
   * its stamp may stand for two contents.
   */
  known(): ReadonlyMap<string, KnownFile> | null;
}

/** A file as it was read. */
export interface KnownFile {
  /** `stampOf` */
  stamp: string;
  text: string;
}

/**
 * Reads again and again: files that nobody touched since are not opened anew. What is refused or
 * cannot be read is a warning (`no_index`, `no_folder`, `outside`, `too_large`, `not_text`, …), and
 * the rest is read all the same.
 * @param before what an earlier reader knew
 */
export function createFolderReader(
  paths: WhenPaths,
  clock: Clock = systemClock,
  before: ReadonlyMap<string, KnownFile> = new Map(),
): FolderReader {
  let known = before;
  let isSettled = true;

  async function readKnown(
    real: string,
    next: Map<string, KnownFile>,
  ): Promise<FileRead | KnownFile> {
    const last = known.get(real);
    if (last !== undefined) {
      const stats = await lstat(real, { bigint: true }).catch(() => null);
      if (stats !== null && stampOf(stats) === last.stamp) {
        next.set(real, last);
        return last;
      }
    }
    const startedMs = clock.now();
    const read = await readText(real);
    if (typeof read === 'object' && 'text' in read) {
      const { stamp, text, changedMs } = read;
      if (changedMs < startedMs - CLOCK_STEP_MS) next.set(real, { stamp, text });
      else isSettled = false;
    }
    return read;
  }

  return {
    known: () => (isSettled ? known : null),
    async read() {
      isSettled = true;
      const next = new Map<string, KnownFile>();
      const bounds = boundsOf(paths);
      const warnings: Warning[] = [];
      const texts = new Map<string, string>();

      let index: DiskState['index'] = null;
      if ('refused' in bounds.index) warnings.push(bounds.index.refused);
      else {
        const read = await readKnown(bounds.index.real, next);
        if (read === 'gone') {
          const message = `there is no index ${paths.index}`;
          warnings.push({ file: INDEX, code: 'no_index', message });
        } else if ('refused' in read) {
          const message = `the index ${paths.index} ${read.refused.message}`;
          warnings.push({ file: INDEX, code: read.refused.code, message });
        } else index = { path: paths.index, text: read.text };
      }

      let found: FoundFile[] = [];
      if ('refused' in bounds.decisions) warnings.push(bounds.decisions.refused);
      else {
        const walked = await findDecisionFiles(bounds.decisions.real);
        const indexAt = 'real' in bounds.index ? bounds.index.real : null;
        found = walked.files.filter(({ real }) => real !== indexAt);
        warnings.push(...walked.warnings);
      }
      let left = MAX_TOTAL;
      await forEachOf(found, async ({ path, real }) => {
        if (left <= 0) return;
        const read = await readKnown(real, next);
        if (read === 'gone') return;
        if ('refused' in read) {
          const { code, message } = read.refused;
          warnings.push({ file: path, code, message: `${path} ${message}` });
          return;
        }
        left -= read.text.length;
        texts.set(path, read.text);
      });
      if (left <= 0) {
        const message = `the decision files are larger than ${MAX_TOTAL / 1024 / 1024} MB together: not all were read`;
        warnings.push({ file: FOLDER, code: 'too_large', message });
      }
      known = next;
      const files = found.flatMap(({ path }) => {
        const text = texts.get(path);
        return text === undefined ? [] : [{ path, text }];
      });
      return { index, files, warnings: warnings.sort(byFile) };
    },
  };
}

/** Reads once. Never throws for what stands on the disk. */
export function readFolder(paths: WhenPaths): Promise<DiskState> {
  return createFolderReader(paths).read();
}

/** The index first, then by path. */
function byFile(a: Warning, b: Warning): number {
  if (a.file === b.file) return 0;
  if (a.file === INDEX || b.file === INDEX) return a.file === INDEX ? -1 : 1;
  return a.file < b.file ? -1 : 1;
}

async function forEachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let at = 0;
  const worker = async () => {
    for (let item = items[at++]; item !== undefined; item = items[at++]) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

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

/** Finds the decision files below a folder: what is there by name, before anything is opened. */

export const MAX_FILES = 2_000;
/** Names looked at, and folders in folders: somebody pointed us at a whole disk. */
const MAX_NAMES = 50_000;
const MAX_DEPTH = 32;
const DECISION_FILE = /\.md$/i;

interface FoundFile {
  /** Below the folder, POSIX. */
  path: string;
  real: string;
}

interface Found {
  /** By path, in code unit order; at most 2,000. */
  files: FoundFile[];
  warnings: Warning[];
}

/** Whether the reader ever looks at a path below the folder (POSIX): no dots, no `node_modules`. */
export function isDecisionPath(path: string): boolean {
  return DECISION_FILE.test(path) && !path.split('/').some(isSkipped);
}

function isSkipped(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** All `*.md` below a folder given by its real path; links that lead out of it are refused. */
async function findDecisionFiles(root: string): Promise<Found> {
  const files: FoundFile[] = [];
  const warnings: Warning[] = [];
  const open: { path: string; depth: number }[] = [{ path: '', depth: 0 }];
  let names = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = await namesIn(root, folder.path, warnings);
    names += entries.length;
    if (names > MAX_NAMES) {
      warnings.push({
        file: FOLDER,
        code: 'too_many_files',
        message: `there are more than ${MAX_NAMES} files and folders: the rest was not looked at`,
      });
      break;
    }
    for (const entry of entries) {
      if (isSkipped(entry.name)) continue;
      const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
      if (entry.isSymbolicLink()) {
        const real = await followLink(root, path, warnings);
        if (real !== null) files.push({ path, real });
      } else if (entry.isDirectory()) {
        if (folder.depth < MAX_DEPTH) open.push({ path, depth: folder.depth + 1 });
        else warnings.push({ file: path, code: 'too_deep', message: `${path} lies too deep` });
      } else if (DECISION_FILE.test(entry.name)) {
        files.push({ path, real: join(root, path) });
      }
    }
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  if (files.length > MAX_FILES) {
    warnings.push({
      file: FOLDER,
      code: 'too_many_files',
      message: `of ${files.length} decision files only the first ${MAX_FILES} are read`,
    });
  }
  return { files: files.slice(0, MAX_FILES), warnings };
}

async function namesIn(root: string, path: string, warnings: Warning[]): Promise<Dirent[]> {
  try {
    return await readdir(join(root, path), { withFileTypes: true });
  } catch (error) {
    const isRoot = path === '';
    const gone = codeOf(error) === 'ENOENT';
    if (gone && !isRoot) return [];
    warnings.push({
      file: isRoot ? FOLDER : path,
      code: gone ? 'no_folder' : isOfTheMoment(error) ? 'busy' : 'unreadable',
      message: gone ? 'there is no decisions folder' : messageOf(error),
    });
    return [];
  }
}

/** The real path of a link to a file in the folder; else `null`, with a warning where one helps. */
async function followLink(root: string, path: string, warnings: Warning[]): Promise<string | null> {
  const warn = (code: string, message: string) => {
    warnings.push({ file: path, code, message: `${path} ${message}` });
    return null;
  };
  const isFile = DECISION_FILE.test(path);
  try {
    const real = await realpath(join(root, path));
    const isFolder = (await stat(real)).isDirectory();
    if (!isFile && !isFolder) return null;
    if (!isBelow(real, root)) return warn('outside', 'is a link that leads out of the folder');
    // Its files are read under their own names; a link to a parent would have no end.
    if (isFolder) return warn('linked_folder', 'is a link to a folder, which is not followed');
    return real;
  } catch (error) {
    if (!isFile) return null;
    if (isOfTheMoment(error)) return warn('busy', messageOf(error));
    return warn('broken_link', 'is a link that leads nowhere');
  }
}
