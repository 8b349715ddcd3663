/** The commands of the package as they are built, beside Node with nothing to do. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));

const run = promisify(execFile);

export const builtBin = (name: 'cue' | 'nudge'): string =>
  join(REPOSITORY, 'dist', 'bin', `${name}.js`);

/** Runs Node in the directory. @throws Error with `code` when it does not end with 0 */
export function nodeIn(directory: string) {
  return (...args: string[]) => run(process.execPath, args, { cwd: directory });
}

/**
 * Builds where the sources are newer.
 * @throws Error when that leaves no command; with type errors elsewhere there is one all the same
 */
export async function buildFor(name: 'cue' | 'nudge', say: (line: string) => void): Promise<void> {
  if (isFresh(name)) return;
  say('build …');
  const compiler = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    await run(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: REPOSITORY });
  } catch (error) {
    if (!isFresh(name)) throw error;
    say('the sources have type errors; what was built is measured');
  }
}

function isFresh(name: 'cue' | 'nudge'): boolean {
  const bin = builtBin(name);
  return existsSync(bin) && statSync(bin).mtimeMs > newestIn(join(REPOSITORY, 'src'));
}

function newestIn(directory: string): number {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return Math.max(...names.map((name) => statSync(join(directory, name)).mtimeMs));
}
