/** Whether index and folder can be where somebody has set them to be: what is wrong is said at the start. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isBelow, realPath } from '../shared/real-path.js';
import type { WhenPaths } from './types.js';

/**
 * What is wrong, in words; `null`: nothing. What does not exist yet is no fault, nor is a link that
 * leads elsewhere: files may bring one, and reading refuses it (`boundsOf`).
 */
export function faultOfPaths({
  index,
  decisions,
  roots,
}: WhenPaths): { of: 'index' | 'decisions'; message: string } | null {
  if (isFolder(index) === true) return { of: 'index', message: `${index} is a folder, not a file` };
  if (isFolder(decisions) === false) {
    return { of: 'decisions', message: `${decisions} is a file, not a folder` };
  }
  const isOutside = (path: string) =>
    roots !== undefined && !isWithin(resolve(path), roots) && !isWithin(realPath(path), roots);
  if (isOutside(index)) return { of: 'index', message: outside(index, roots) };
  if (isOutside(decisions)) return { of: 'decisions', message: outside(decisions, roots) };
  return null;
}

function isWithin(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isBelow(path, resolve(root)) || isBelow(path, realPath(root)));
}

function outside(path: string, roots: readonly string[] = []): string {
  return `${path} lies outside the allowed folders (${roots.join(', ')})`;
}

/** `null`: it cannot be said. */
function isFolder(path: string): boolean | null {
  try {
    return statSync(path).isDirectory();
  } catch {
    return null;
  }
}
