/** `nudge get` as a process of its own, from the built files, asking the listener. */
import { rmSync } from 'node:fs';
import { benchDirectory } from '../agent.js';
import { builtBin, nodeIn } from '../built.js';
import { series } from '../clockwork.js';
import type { PartReport, PartRequest } from './protocol.js';
import { asked } from './workload.js';

const BIN = builtBin('nudge');

/** Of the files that `buildCommands` has brought up to date. */
export async function commandProcess(
  port: number,
  { size, quick }: PartRequest,
): Promise<Required<Pick<PartReport, 'samples' | 'beside'>>> {
  const directory = benchDirectory();
  const node = nodeIn(directory);
  const ask = asked(size, 'commands');
  const times = { times: quick ? 3 : 20, warmUp: 1, forMs: 60_000 };
  const get = async () => {
    const { component, key } = ask.everywhere();
    const { stdout } = await node(BIN, 'get', component, key, '--port', String(port), '--json');
    if (!stdout.includes('"hint"')) throw new Error(`nudge get printed ${stdout}`);
  };
  try {
    const alone = await series(() => node('--eval', '0'), times);
    return {
      samples: {
        'command.start': await series(() => node(BIN, '--help'), times),
        'command.get': await series(get, times),
      },
      beside: { 'command.start': alone, 'command.get': alone },
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
