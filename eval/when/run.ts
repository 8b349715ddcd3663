/** `npm run eval -- when`: how often `/when` finds the section that other words mean (docs/when.md). */
import { parseArgs } from 'node:util';
import { joint, LEXICAL_ID } from '../../src/embeddings/index.js';
import { messageOf } from '../../src/shared/errors.js';
import { type Chain, startChain } from '../recall/embedders.js';
import { type Half, readDataset, type WhenDataset } from './dataset.js';
import { evaluate } from './measure.js';
import { evaluateSizes } from './sizes.js';
import { tableOf } from './table.js';

const USAGE = [
  'npm run eval -- when [--dataset DIR] [--half tune|held] [--embedder ID]... [--model-dir DIR] [--json]',
  '--dataset  a directory with index.md, decisions/, pairs.json and, if wanted, unrelated.json, sentences.json, off-topic.json',
  '--half     the half of the questions that values were chosen on, or the other',
].join('\n');

interface WhenArguments {
  dataset: string | undefined;
  half: Half | undefined;
  embedders: string[];
  modelDir: string | undefined;
  json: boolean;
}

export async function run(argv: string[]): Promise<number> {
  let options: WhenArguments;
  let dataset: WhenDataset;
  let chain: Chain;
  try {
    options = readArguments(argv);
    dataset = readDataset(options.dataset, options.half);
    // Progress goes to stderr, so that stdout is the result alone.
    chain = await startChain(options.embedders, options.modelDir, (line) => console.error(line));
  } catch (error) {
    console.error(`${messageOf(error)}\n${USAGE}`);
    return 2;
  }
  try {
    const embedders = chain.embedders.map((embedder) =>
      joint(embedder.beside ? { ...embedder, id: LEXICAL_ID } : embedder),
    );
    const result = await evaluate(dataset, embedders);
    if (dataset.offTopic.questions.length > 0) {
      for (const [at, embedder] of embedders.entries()) {
        const measured = result.embedders[at];
        if (measured) measured.sizes = await evaluateSizes(dataset, embedder);
      }
    }
    console.log(options.json ? JSON.stringify(result, null, 2) : tableOf(result));
    return 0;
  } finally {
    await chain.stop();
  }
}

/** @throws Error with what is wrong, for the person at the keyboard. */
function readArguments(argv: string[]): WhenArguments {
  const { values } = parseArgs({
    args: argv,
    options: {
      dataset: { type: 'string' },
      half: { type: 'string' },
      embedder: { type: 'string', multiple: true },
      'model-dir': { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const { half } = values;
  if (half !== undefined && half !== 'tune' && half !== 'held') {
    throw new Error('--half is tune or held');
  }
  return {
    dataset: values.dataset,
    half,
    embedders: values.embedder ?? [],
    modelDir: values['model-dir'],
    json: values.json ?? false,
  };
}
