/** Where the `/when` index of a project is, when nobody says so. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isBelow, isFolder, realPath } from '../shared/folders.js';
import type { WhenPaths } from './types.js';

/** Below a directory of the project, in this order. */
export const INDEX_PLACES: readonly string[] = [
  join('agents', 'memory-index.md'),
  'memory-index.md',
  join('.cue', 'memory-index.md'),
];
/** A headless server follows `INDEX_PLACES` of its project, others look only where the setting says. */
export const NO_INDEX =
  'there is no /when index: remember makes one (agents/memory-index.md) in the project of a headless server; any other agent needs CUE_WHEN_INDEX';
/** Of the decision files: a folder beside the index. */
export const DECISIONS = 'decisions';

/**
 * The first of `INDEX_PLACES` in a directory or one above it, up to the one with `.git`; outside of a
 * repository only in the directory itself, since what lies above may be anybody's.
 * @param from absolute
 */
export function foundIndex(from: string): string | null {
  const top = repositoryOf(from) ?? from;
  for (const directory of upwards(from)) {
    const found = INDEX_PLACES.map((place) => join(directory, place)).find(isFile);
    if (found) return found;
    if (directory === top) return null;
  }
  return null;
}

/** The same with its decision files; what nobody named is held within the repository. */
export function foundPaths(from: string): WhenPaths | null {
  const index = foundIndex(from);
  return index === null ? null : pathsOf(index, from);
}

/** Where the first entry of a directory makes an index, in the first of `INDEX_PLACES`. */
export function freshPaths(from: string): WhenPaths {
  return pathsOf(join(from, 'agents', 'memory-index.md'), from);
}

function pathsOf(index: string, from: string): WhenPaths {
  const decisions = join(dirname(index), DECISIONS);
  return { index, decisions, named: [], within: repositoryOf(from) ?? from };
}

/** The nearest directory with `.git`, from there upwards. */
export function repositoryOf(directory: string): string | null {
  for (const one of upwards(directory)) if (existsSync(join(one, '.git'))) return one;
  return null;
}

function* upwards(directory: string): Generator<string> {
  yield directory;
  const above = dirname(directory);
  if (above !== directory) yield* upwards(above);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * What is wrong, in words; `null`: nothing. What does not exist yet is no fault, nor is a link that
 * leads elsewhere: files may bring one, and reading refuses it (`boundsOf`).
 */
export function faultOfPaths({
  index,
  decisions,
  roots,
}: WhenPaths): { of: 'index' | 'decisions'; message: string } | null {
  if (existsSync(index) && isFolder(index))
    return { of: 'index', message: `${index} is a folder, not a file` };
  if (existsSync(decisions) && !isFolder(decisions)) {
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
