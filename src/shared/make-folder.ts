/**
 * A folder with those above it, made one by one: where nothing can be made (below `/proc`, say), Node's
 * own `recursive` tries for ever and never comes back.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** @throws what the system says of the first that cannot be made, or that is no folder */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = [];
  let folder = path;
  while (!isFolder(folder)) {
    missing.push(folder);
    const above = dirname(folder);
    if (above === folder) break;
    folder = above;
  }
  for (const one of missing.reverse()) make(one, mode);
}

function make(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Somebody else was faster.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
