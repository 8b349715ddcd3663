/** The commands of the package as they are built, beside Node with nothing to do. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));

const run = promisify(execFile);

export const builtBin = (name: 'cue' | 'nudge'): string =>
  join(REPOSITORY, 'dist', 'bin', `${name}.js`);

/** Runs Node in the directory. @throws Error with `code` when it does not end with 0 */
export function nodeIn(directory: string, env = process.env) {
  return (...args: string[]) => run(process.execPath, args, { cwd: directory, env });
}

/** Builds where the sources have changed. @throws Error when that leaves no commands */
export async function buildCommands(say: (line: string) => void): Promise<void> {
  say('build …');
  await run(process.execPath, [join(REPOSITORY, 'scripts', 'build.mjs')], { cwd: REPOSITORY });
}
