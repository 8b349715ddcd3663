/** `cue when` as a process of its own, from the built files, beside Node doing nothing. */
import { rmSync } from 'node:fs';
import { benchDirectory } from '../agent.js';
import { builtBin, nodeIn } from '../built.js';
import { series } from '../clockwork.js';
import { writeFolder } from './on-disk.js';
import type { PartReport } from './protocol.js';
import { asked, folderOf } from './workload.js';

const BIN = builtBin('cue');
const FLAGS = '--no-usage';

/** Of the files that `buildCommands` has brought up to date. */
export async function commandProcess(size: number, quick: boolean): Promise<PartReport> {
  const directory = benchDirectory();
  const folder = folderOf(size);
  writeFolder(folder, directory);
  const { exact } = asked(folder, 'commands');
  const times = { times: quick ? 3 : 20, warmUp: 1, forMs: 60_000 };
  const node = nodeIn(directory);
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
