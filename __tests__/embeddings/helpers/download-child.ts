/** A process that downloads the small model from the hub in its arguments; the parent kills it. */
import { downloadModel } from '../../../src/embeddings/index.js';
import { systemClock } from '../../../src/shared/clock.js';
import { SMALL_MODEL } from './hub.js';

const [hub = '', dataDir = ''] = process.argv.slice(2);
await downloadModel({
  model: SMALL_MODEL,
  dataDir,
  hub,
  clock: systemClock,
  onProgress: ({ loadedBytes }) => process.send?.({ loadedBytes }),
});
