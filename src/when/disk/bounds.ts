/**
 * Which files are ours to read and write. A folder of notes often comes with a cloned repository, and
 * a link in it can lead anywhere: where a path really leads decides, not how it is spelled.
 */
import { lstatSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isBelow, realPath } from '../../shared/folders.js';
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

/**
 * Looks at the file system now; a path that does not exist yet is judged by its parents. Where roots
 * are given they decide. Else a link is followed out only when a person named the very path that it
 * stands on; what was found or put together must really lie where it seems to.
 */
export function boundsOf(paths: WhenPaths): Bounds {
  const isNamed = (what: Named) => paths.named?.includes(what) ?? false;
  const beside = realPath(dirname(resolve(paths.index)));
  const within = paths.within === undefined ? beside : realPath(resolve(paths.within));
  const roots = paths.roots?.map((root) => realPath(resolve(root)));
  // Who named the index has named the folder that it lies in.
  const home = roots ?? (isNamed('index') ? [within, beside] : [within]);
  const isOurs = (real: string, what: Named) =>
    (roots === undefined && isNamed(what)) || home.some((folder) => isBelow(real, folder));

  function placeOf(what: Named, file: string, shown: string): Place {
    const path = paths[what];
    if (isBroken(path)) {
      return refused(file, 'broken_link', `the ${shown} ${path} is a link that leads nowhere`);
    }
    const real = realPath(resolve(path));
    if (isOurs(real, what)) return { real };
    const where =
      roots === undefined
        ? `leads out of ${home.join(' and ')}: name it (--${what}, CUE_WHEN_${what.toUpperCase()}) if it may`
        : 'lies outside the allowed folders';
    return refused(file, 'outside', `the ${shown} ${path} ${where}`);
  }

  const index = placeOf('index', INDEX, 'index');
  const decisions = placeOf('decisions', FOLDER, 'folder');
  return {
    index,
    decisions,
    writable: (real) =>
      ('real' in decisions && isBelow(real, decisions.real)) ||
      ('real' in index &&
        (real === index.real || (dirname(real) === beside && isOurs(real, 'index')))),
  };
}

type Named = 'index' | 'decisions';

/** A symbolic link whose target does not exist: it may come to be anywhere. */
export function isBroken(path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  return lstatSync(realPath(path), { throwIfNoEntry: false })?.isSymbolicLink() ?? true;
}

function refused(file: string, code: string, message: string): Place {
  return { refused: { file, code, message } };
}
