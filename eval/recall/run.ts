/** `npm run eval -- recall`: how often recall finds what answers a question (docs/recall.md). */
import { messageOf } from '../../src/shared/errors.js';
import { bootAgent } from './agent.js';
import { type RecallArguments, readArguments, USAGE } from './arguments.js';
import { type Dataset, joined } from './dataset.js';
import { type Chain, startChain } from './embedders.js';
import { loadFile, loadSet } from './load.js';
import { evaluate, limited, type RecallEvaluation } from './measure.js';
import { tableOf } from './table.js';

/** Progress goes to stderr, so that stdout is the result alone. */
const say = (line: string) => console.error(line);

/** With `--dataset` the JSON is one evaluation, else a list of them. */
export async function run(argv: string[]): Promise<number> {
  let options: RecallArguments;
  let datasets: Dataset[];
  let chain: Chain;
  try {
    options = readArguments(argv);
    datasets = datasetsOf(options);
    chain = await startChain(options.embedders, options.modelDir, say);
  } catch (error) {
    console.error(`${messageOf(error)}\n${USAGE}`);
    return 2;
  }
  const agent = await bootAgent();
  try {
    const results: RecallEvaluation[] = [];
    for (const dataset of datasets) {
      const long = options.join === undefined ? dataset : joined(dataset, options.join);
      const set = limited(long, options.limit);
      const result = await evaluate(agent, set, chain.embedders, { parts: options.parts, say });
      results.push(result);
      if (!options.json) console.log(`${tableOf(result)}\n`);
    }
    if (options.json) {
      const [only] = results;
      console.log(JSON.stringify(options.dataset === undefined ? results : only, null, 2));
    }
    return 0;
  } finally {
    await agent.stop();
    await chain.stop();
  }
}

function datasetsOf({ dataset, sets, dataDir }: RecallArguments): Dataset[] {
  if (dataset !== undefined) return [loadFile(dataset)];
  const options = { say, ...(dataDir === undefined ? {} : { dataDir }) };
  return sets.flatMap((name) => loadSet(name, options) ?? []);
}
