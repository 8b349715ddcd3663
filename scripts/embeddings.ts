/**
 * `npm run embeddings -- status|download [--data-dir DIRECTORY] [--hub URL]`: the default model on
 * disk. Exit codes: 0 done, 1 not there or not fetched, 2 wrong usage.
 */
import { parseArgs } from 'node:util';
import {
  downloadModel,
  MINILM,
  modelDirectory,
  problemOfDownload,
} from '../src/embeddings/index.js';
import { systemClock } from '../src/shared/clock.js';
import { messageOf } from '../src/shared/errors.js';

const USAGE = 'usage: npm run embeddings -- status|download [--data-dir DIRECTORY] [--hub URL]';

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { 'data-dir': { type: 'string', default: '.cue' }, hub: { type: 'string' } },
  });
  const dataDir = values['data-dir'];
  const [command, ...more] = positionals;
  if (more.length > 0 || (command !== 'status' && command !== 'download')) {
    console.error(USAGE);
    return 2;
  }
  if (command === 'download') {
    let shown = -1;
    await downloadModel({
      model: MINILM,
      dataDir,
      clock: systemClock,
      ...(values.hub !== undefined && { hub: values.hub }),
      onProgress({ file, loadedBytes, totalBytes }) {
        const percent = Math.floor((100 * loadedBytes) / totalBytes);
        if (percent === shown || (!process.stderr.isTTY && percent < shown + 10)) return;
        shown = percent;
        const bar = `[${'#'.repeat(percent / 5).padEnd(20)}] ${percent} % ${file}`;
        process.stderr.write(process.stderr.isTTY ? `\r${bar.padEnd(60)}` : `${bar}\n`);
      },
    });
    if (process.stderr.isTTY) process.stderr.write('\n');
  }
  const problem = await problemOfDownload(dataDir, MINILM);
  console.log(problem ?? `${MINILM.id} is ready in ${modelDirectory(dataDir, MINILM)}`);
  return problem === null ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = error instanceof TypeError ? 2 : 1;
}
