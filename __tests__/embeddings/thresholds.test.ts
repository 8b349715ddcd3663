import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { calibrate } from '../../eval/thresholds/calibrate.js';
import { CALIBRATED } from '../../src/embeddings/calibrated.js';
import {
  calibratedThresholds,
  createLexicalEmbedder,
  isCalibrated,
} from '../../src/embeddings/index.js';

const set = JSON.parse(
  readFileSync(new URL('../../eval/thresholds/intents.json', import.meta.url), 'utf8'),
);

it('commits what the calibration of the lexical embedder gives, at most 2 % of unrelated intents', async () => {
  const report = await calibrate(createLexicalEmbedder(), set);
  const { candidate, strong } = report;
  expect(calibratedThresholds('lexical-v1')).toEqual({ candidate, strong });
  expect(report.novelAccepted.candidate).toBeLessThanOrEqual(0.02);
  expect(report.lightVetoed).toBe(0);
  expect(report.nearMissesAfterVeto).toBe(0);
});

it('documents the thresholds that are used', () => {
  const documentation = readFileSync(new URL('../../docs/embeddings.md', import.meta.url), 'utf8');
  const rows = [...documentation.matchAll(/^\| `(\S+)` \| ([\d.]+) \| ([\d.]+) \| (yes|no)/gm)];
  const documented = Object.fromEntries(
    rows.map(([, id, candidate, strong, measured]) => [
      id,
      { candidate: Number(candidate), strong: Number(strong), calibrated: measured === 'yes' },
    ]),
  );
  expect(documented).toEqual(CALIBRATED);
});

it('is cautious about a model it does not know', () => {
  expect(calibratedThresholds('other@q8')).toEqual({ candidate: 0.6, strong: 0.75 });
  expect([isCalibrated('other@q8'), isCalibrated('Xenova/all-MiniLM-L6-v2@q8')]).toEqual([
    false,
    false,
  ]);
});
