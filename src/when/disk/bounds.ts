/**
 * Which files are ours to read and write. A folder of notes often comes with a cloned repository, and
 * a link in it can lead anywhere: where a path really leads decides, not how it is spelled.
 */
import { lstatSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { realPath } from '../../shared/dir-lock.js';
import type { Warning, WhenPaths } from '../types.js';

/** `file` of a warning about the index, and about the decisions folder as a whole. */
export const INDEX = 'index';
export const FOLDER = '.';

/** Where something really is, or why it is not ours. */
export type Place = { real: string } | { refused: Warning };

export interface Bounds {
  index: Place;
  decisions: Place;
  /** Whether a real path may be written: below the decisions folder, or beside the index. */
  writable(real: string): boolean;
}

/** Looks at the file system now; a path that does not exist yet is judged by its parents. */
export function boundsOf(paths: WhenPaths): Bounds {
  const roots = paths.roots?.map((root) => realPath(resolve(root)));
  const inRoots = (real: string) => !roots || roots.some((root) => isBelow(real, root));
  const folder = realPath(resolve(paths.decisions));
  const beside = realPath(dirname(resolve(paths.index)));
  const decisions: Place = isBroken(paths.decisions)
    ? refused(FOLDER, 'broken_link', `the folder ${paths.decisions} is a link that leads nowhere`)
    : inRoots(folder)
      ? { real: folder }
      : refused(
          FOLDER,
          'outside',
          `the folder ${paths.decisions} lies outside the allowed folders`,
        );

  const file = realPath(resolve(paths.index));
  const near = isBelow(file, beside) || isBelow(file, folder) || roots !== undefined;
  const index: Place = isBroken(paths.index)
    ? refused(INDEX, 'broken_link', `the index ${paths.index} is a link that leads nowhere`)
    : near && inRoots(file)
      ? { real: file }
      : refused(INDEX, 'outside', `the index ${paths.index} lies outside the allowed folders`);
  return {
    index,
    decisions,
    writable: (real) =>
      inRoots(real) &&
      (isBelow(real, folder) || dirname(real) === beside || ('real' in index && real === file)),
  };
}

/** Whether a real path is the folder or lies in it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A symbolic link whose target does not exist: it may come to be anywhere. */
export function isBroken(path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  return lstatSync(realPath(path), { throwIfNoEntry: false })?.isSymbolicLink() ?? true;
}

function refused(file: string, code: string, message: string): Place {
  return { refused: { file, code, message } };
}
