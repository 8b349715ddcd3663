/** A small `/when` index to try, for `npm start -- --example`. */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const EXAMPLE_FLAG = '--example';

const SOURCE = fileURLToPath(new URL('./example', import.meta.url));

/**
 * The index file of the example in the data directory. It is copied there once, so that what is added
 * to it is kept and the repository stays as it is.
 */
export function exampleIndex(dataDir: string): string {
  const folder = join(dataDir, 'example');
  if (!existsSync(folder)) cpSync(SOURCE, folder, { recursive: true });
  return join(folder, 'memory-index.md');
}
