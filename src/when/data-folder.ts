import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder that is made here may lie in a repository, which shall not see it. */
export function makeDataFolder(folder: string): void {
  if (mkdirSync(folder, { recursive: true }) === undefined) return;
  writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
}
