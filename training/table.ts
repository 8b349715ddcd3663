/** Writes a trained table as the files that `loadStaticModel` reads. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UNKNOWN_WEIGHT } from '../src/embeddings/static.js';
import { noticeOf } from './notice.js';
import { readSources } from './sources.js';
import type { Trained } from './train.js';

const NAME = 'cue-static';

/** Name of the numbers: other numbers, another name. */
export function idOf(words: string, table: Buffer): string {
  const sha = createHash('sha256').update(words).update(table).digest('hex');
  return `${NAME}@${sha.slice(0, 8)}`;
}

/** Nine in ten words that have a row weigh less than a word without one. */
const WEIGHTY = 0.9;

/**
 * By what all rows are multiplied. Directions do not change by it; the weights of words (`wordWeights`) mean the
 * same after each training.
 */
function unitOf({ words, values }: Pick<Trained, 'words' | 'values'>, dimension: number): number {
  const weights = words
    .map((_, row) => Math.hypot(...values.subarray(row * dimension, (row + 1) * dimension)))
    .sort((a, b) => a - b);
  return UNKNOWN_WEIGHT / (weights[Math.floor(WEIGHTY * (weights.length - 1))] || 1);
}

/**
 * Rounds every row to int8.
 * @param rarities of each word, 0 to 255
 */
export function writeTable(
  directory: string,
  { words, values }: Pick<Trained, 'words' | 'values'>,
  rarities: Uint8Array,
  dimension: number,
): { id: string; bytes: number } {
  const count = values.length / dimension;
  const table = Buffer.alloc(count * (4 + dimension));
  const unit = unitOf({ words, values }, dimension);
  for (let row = 0; row < count; row += 1) {
    let most = 0;
    for (let at = 0; at < dimension; at += 1) {
      most = Math.max(most, Math.abs(values[row * dimension + at] ?? 0));
    }
    const scale = Math.fround(most / 127) || 1e-9;
    table.writeFloatLE(unit * scale, 4 * row);
    for (let at = 0; at < dimension; at += 1) {
      const value = Math.round((values[row * dimension + at] ?? 0) / scale);
      table.writeInt8(Math.max(-127, Math.min(127, value)), 4 * count + row * dimension + at);
    }
  }
  const list = `${words.join('\n')}\n`;
  const id = idOf(list, table);
  const head = { id, dimension, buckets: count - words.length };
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'table.bin'), table);
  writeFileSync(join(directory, 'words.txt'), list);
  writeRarities(directory, rarities);
  writeFileSync(join(directory, 'model.json'), `${JSON.stringify(head, null, 2)}\n`);
  writeFileSync(join(directory, 'NOTICE'), noticeOf(readSources()));
  return { id, bytes: table.length + Buffer.byteLength(list) + rarities.length };
}

export function writeRarities(directory: string, rarities: Uint8Array): void {
  writeFileSync(join(directory, 'rarities.bin'), rarities);
}
