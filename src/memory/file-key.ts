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
  return fileKeys(path).find((key) => shelf.hasKeys([key], filter));
}

/** Every key that {@link fileKey} looks for, the best first. */
export function fileKeys(path: string): string[] {
  const ends = pathKeys(path);
  const [longest] = ends;
  if (longest === undefined) return [];
  // `sub/Makefile` is not the Makefile of the root.
  const whole = ends.filter((end) => end.includes('/') || !isInEveryFolder(end));
  return [keyOf.file(longest), ...whole.map(keyOf.path)];
}
