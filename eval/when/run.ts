/** `npm run eval -- when`: how often `/when` finds the section that other words mean (docs/when.md). */
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/shared/errors.js';
import { type Half, readDataset, type WhenDataset } from './dataset.js';
import { evaluate } from './measure.js';
import { evaluateSizes } from './sizes.js';
import { tableOf } from './table.js';

const USAGE = [
  'npm run eval -- when [--dataset DIR] [--half tune|held] [--json]',
  '--dataset  a directory with index.md, decisions/, pairs.json and, if wanted, unrelated.json, sentences.json, off-topic.json',
  '--half     the half of the questions that values were chosen on, or the other',
].join('\n');

interface WhenArguments {
  dataset: string | undefined;
  half: Half | undefined;
  json: boolean;
}

export async function run(argv: string[]): Promise<number> {
  let options: WhenArguments;
  let dataset: WhenDataset;
  try {
    options = readArguments(argv);
    dataset = readDataset(options.dataset, options.half);
  } catch (error) {
    console.error(`${messageOf(error)}\n${USAGE}`);
    return 2;
  }
  const result = await evaluate(dataset);
  if (dataset.offTopic.questions.length > 0) result.ours.sizes = await evaluateSizes(dataset);
  console.log(options.json ? JSON.stringify(result, null, 2) : tableOf(result));
  return 0;
}

/** @throws Error with what is wrong, for the person at the keyboard. */
function readArguments(argv: string[]): WhenArguments {
  const { values } = parseArgs({
    args: argv,
    options: {
      dataset: { type: 'string' },
      half: { type: 'string' },
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
    json: values.json ?? false,
  };
}
