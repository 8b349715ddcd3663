/** Speaks the worker's protocol and does what its texts say; a worker of ours cannot be made to. */
import { existsSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

const once = `${workerData.directory}.died`;
if (basename(workerData.directory).startsWith('silent')) setInterval(() => {}, 1_000);
else parentPort.postMessage({ kind: 'ready', dimension: 384 });

parentPort.on('message', ({ id, texts }) => {
  const [text] = texts;
  if (text === 'die') process.exit(3);
  if (text === 'die once' && !existsSync(once)) {
    writeFileSync(once, '');
    process.exit(3);
  }
  if (text === 'hang') return;
  if (text === 'fail') return parentPort.postMessage({ kind: 'error', id, reason: 'no memory' });
  if (text === 'short') {
    return parentPort.postMessage({ kind: 'vectors', id, values: new Float32Array(5) });
  }
  const values = new Float32Array(texts.length * 384).fill(0.5);
  if (text === '\u{1F9FF}') values.fill(-1);
  if (text === 'nan') values.fill(Number.NaN);
  parentPort.postMessage({ kind: 'vectors', id, values });
});
