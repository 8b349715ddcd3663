/** `cue when` as a process of its own, from the built files, beside Node doing nothing. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { benchDirectory } from '../agent.js';
import { series } from '../clockwork.js';
import { writeFolder } from './on-disk.js';
import type { PartReport } from './protocol.js';
import { asked, folderOf } from './workload.js';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(REPOSITORY, 'dist', 'surfaces', 'cli', 'bin.js');
const FLAGS = '--no-usage';

const run = promisify(execFile);

/** Of the files that `builtCommand` has brought up to date. */
export async function commandProcess(size: number, quick: boolean): Promise<PartReport> {
  const directory = benchDirectory();
  const folder = folderOf(size);
  writeFolder(folder, directory);
  const { exact } = asked(folder, 'commands');
  const times = { times: quick ? 3 : 20, warmUp: 1, forMs: 60_000 };
  const node = (...args: string[]) => run(process.execPath, args, { cwd: directory });
  try {
    const alone = await series(() => node('--eval', ''), times);
    return {
      samples: {
        'command.start': await series(() => node(BIN, 'when', '--help'), times),
        'command.recall': await series(async () => {
          const { stdout } = await node(BIN, 'when', FLAGS, exact());
          if (!stdout.startsWith('# ')) throw new Error(`cue when printed ${stdout}`);
        }, times),
        'command.validate': await series(() => node(BIN, 'when', 'validate').catch(failed), times),
      },
      beside: { 'command.start': alone, 'command.recall': alone, 'command.validate': alone },
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Generated entries have too few or too many words here and there: exit code 1 is an answer. */
function failed(error: unknown): void {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  if (code !== 1) throw error;
}

/**
 * Builds where the sources are newer.
 * @throws Error when that leaves no command; with type errors elsewhere there is one all the same
 */
export async function builtCommand(say: (line: string) => void): Promise<void> {
  if (isFresh()) return;
  say('build …');
  const compiler = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    await run(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: REPOSITORY });
  } catch (error) {
    if (!isFresh()) throw error;
    say('the sources have type errors; what was built is measured');
  }
}

function isFresh(): boolean {
  return existsSync(BIN) && statSync(BIN).mtimeMs > newestIn(join(REPOSITORY, 'src'));
}

function newestIn(directory: string): number {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return Math.max(...names.map((name) => statSync(join(directory, name)).mtimeMs));
}
