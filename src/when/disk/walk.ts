/** Finds the decision files below a folder: what is there by name, before anything is opened. */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, messageOf } from '../../shared/errors.js';
import { isOfTheMoment } from '../../shared/read-whole.js';
import { isBelow } from '../../shared/real-path.js';
import type { Warning } from '../types.js';
import { FOLDER } from './bounds.js';

export const MAX_FILES = 2_000;
/** Names looked at, and folders in folders: somebody pointed us at a whole disk. */
const MAX_NAMES = 50_000;
const MAX_DEPTH = 32;
const DECISION_FILE = /\.md$/i;

export interface FoundFile {
  /** Below the folder, POSIX. */
  path: string;
  real: string;
}

export interface Found {
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
export async function findDecisionFiles(root: string): Promise<Found> {
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
