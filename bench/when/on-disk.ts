/** The generated folder as files. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WhenPaths } from '../../src/when/types.js';
import type { Folder } from './workload.js';

/** Where `cue when` looks for it, too, when it runs in the directory. */
export function writeFolder({ index, files }: Folder, directory: string): WhenPaths {
  const paths = {
    index: join(directory, 'memory-index.md'),
    decisions: join(directory, 'decisions'),
  };
  mkdirSync(paths.decisions);
  for (const { path, text } of files) writeFileSync(join(paths.decisions, path), text);
  writeFileSync(paths.index, index);
  return paths;
}
