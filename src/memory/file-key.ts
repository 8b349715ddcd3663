/** The key by which the memories about a file are looked up. Pure. */
import type { Shelf, SlotFilter } from '../records/index.js';
import { isInEveryFolder, pathKeys } from '../shared/paths.js';
import { keyOf } from './records.js';

/**
 * The key of the memories whose path ends in this one; where there are none, of those whose whole
 * path this one ends in: `/home/me/app/src/auth.ts` finds what was noted of `src/auth.ts`.
 * `undefined` when the text is no path, or no memory of the filter knows it.
 */
export function fileKey(shelf: Shelf, path: string, filter: SlotFilter): string | undefined {
  const ends = pathKeys(path);
  const [longest] = ends;
  if (longest === undefined) return undefined;
  const isKnown = (key: string) => shelf.hasKeys([key], filter);
  // `sub/Makefile` is not the Makefile of the root.
  const whole = ends.filter((end) => end.includes('/') || !isInEveryFolder(end));
  const key = keyOf.file(longest);
  return isKnown(key) ? key : whole.map(keyOf.path).find(isKnown);
}
