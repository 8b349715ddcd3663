/**
 * `npm run eval -- thresholds [--write] [--json] [--model-dir DIRECTORY]`: measures from which cosine
 * on two intents are similar, for each embedder at hand, and with `--write` commits the result to
 * `src/embeddings/calibrated.ts`. Values of models that are not at hand are kept.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CALIBRATED, type Calibration } from '../../src/embeddings/calibrated.js';
import {
  builtInModel,
  createLexicalEmbedder,
  startTransformer,
} from '../../src/embeddings/index.js';
import { type CalibrationReport, calibrate, type IntentSet } from './calibrate.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const FIXTURE = here('../../__tests__/fixtures/models/static-glove-use-384');
const OUTPUT = here('../../src/embeddings/calibrated.ts');

const log = (_fields: Record<string, unknown>, message: string) => console.error(message);

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      write: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      'model-dir': { type: 'string', multiple: true, default: [] },
    },
  });
  const set: IntentSet = JSON.parse(readFileSync(here('intents.json'), 'utf8'));
  const builtIn = builtInModel();
  const reports = [
    await calibrate(createLexicalEmbedder(), set),
    await calibrate(
      { id: builtIn.id, embed: async (texts) => texts.map((text) => builtIn.embed(text)) },
      set,
    ),
  ];
  for (const directory of [FIXTURE, ...values['model-dir']]) {
    const model = await startTransformer({
      directory,
      log: { debug: () => undefined, info: () => undefined, warn: log, error: log },
    });
    try {
      reports.push(await calibrate(model, set));
    } finally {
      await model.stop();
    }
  }
  if (values.write) writeFileSync(OUTPUT, sourceOf(reports));
  console.log(values.json ? JSON.stringify(reports) : tableOf(set, reports));
  return 0;
}

function sourceOf(reports: readonly CalibrationReport[]): string {
  const entries = new Map<string, Calibration>(Object.entries(CALIBRATED));
  for (const { id, candidate, strong } of reports) {
    entries.set(id, { candidate, strong, calibrated: true });
  }
  const lines = [...entries].map(
    ([id, { candidate, strong, calibrated }]) =>
      `  '${id}': { candidate: ${candidate}, strong: ${strong}, calibrated: ${calibrated} },`,
  );
  return `/** Written by \`npm run eval -- thresholds --write\`; not by hand. */

export interface Calibration {
  candidate: number;
  strong: number;
  /** \`false\`: starting values for a model whose weights were not at hand. */
  calibrated: boolean;
}

export const CALIBRATED: Readonly<Record<string, Calibration>> = {
${lines.join('\n')}
};
`;
}

function tableOf(set: IntentSet, reports: readonly CalibrationReport[]): string {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const rows = reports.map((report) =>
    [
      report.id,
      report.candidate.toFixed(2),
      report.strong.toFixed(2),
      percent(report.lightFound.candidate),
      percent(report.lightFound.strong),
      percent(report.hardFound.candidate),
      percent(report.novelAccepted.candidate),
      percent(report.nearMissesSimilar),
      percent(report.nearMissesAfterVeto),
      percent(report.lightVetoed),
    ].join(' | '),
  );
  return [
    `${set.tasks.length} tasks, ${set.light.length} light and ${set.hard.length} hard re-asks, ` +
      `${set.novel.length} novel intents, ${set.nearMisses.length} near misses`,
    '',
    '| model | candidate | strong | light found | light found, strong | hard found | novel accepted ' +
      '| near misses similar | after the veto | light vetoed |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}
