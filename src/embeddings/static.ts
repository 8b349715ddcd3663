/**
 * The built-in static model: a table with a vector for each known word and for hashed pieces of
 * words; a text is the mean of its words. It knows other words for the same thing, needs nothing and
 * takes microseconds. `training/` makes the table.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../shared/errors.js';

/** What can embed a text at once, without waiting. */
export interface StaticModel {
  /** Recorded with each vector; another table has another id. */
  readonly id: string;
  /** Numbers in a vector. */
  readonly dimension: number;
  /** Unit vector of a text; zeros for a text without a word. */
  embed(text: string): Float32Array;
  /** Whether the table has a vector for this word, in lower case, as a whole. */
  knows(word: string): boolean;
  /** The words of a text, each with how much it moves the vector: rare words weigh more, 0 to 2. */
  wordWeights(text: string): Map<string, number>;
  /** The words of a text, each with how rare it is in the language: 0 everywhere, 1 almost nowhere. */
  rarities(text: string): Map<string, number>;
}

/** The numbers of a table: rows of words in the order of `words`, then rows of hashed pieces. */
export interface StaticTable {
  id: string;
  dimension: number;
  words: readonly string[];
  /** How many rows of pieces there are. */
  buckets: number;
  /** Of each row: its numbers times this. */
  scales: Float32Array;
  rows: Int8Array;
  /** Of each word, how rare it is: 0 to 255. */
  rarities: Uint8Array;
}

/** What comes later in a text is not looked at; it would no longer move the direction. */
const MAX_CHARACTERS = 16_000;
const MAX_LETTERS = 24;
/** Weight of a word that the table does not have. */
const UNKNOWN_WEIGHT = 1.9;
/** In `StaticTable.rarities`, and of a word that the table does not have. */
const RAREST = 255;
/** Letters in a piece of a word, its ends marked. */
const PIECES = [3, 4, 5] as const;

const BEYOND_ASCII = /[^ -~\s]/;

/** Words of a text as the table counts them: accents folded, `parseJson` split, `don't` → do not. */
export function wordsOf(text: string): string[] {
  let spaced = text.slice(0, MAX_CHARACTERS);
  if (BEYOND_ASCII.test(spaced)) {
    spaced = spaced
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .replaceAll('’', "'");
  }
  spaced = spaced.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ').toLowerCase();
  if (spaced.includes("'")) {
    spaced = spaced
      .replace(/\b(?:ca|wo)n't\b/g, (said) => (said === "can't" ? 'can not' : 'will not'))
      .replace(/n't\b/g, ' not')
      .replace(/'(?:s|re|ve|ll|d|m)\b/g, ' ');
  }
  const words = spaced.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => word.slice(0, MAX_LETTERS));
}

/** Rows of the pieces of a word, each once, counted from the first row of pieces. */
export function piecesOf(word: string, buckets: number): number[] {
  const marked = `<${word}>`;
  const found = new Set<number>();
  for (const size of PIECES) {
    for (let at = 0; at + size <= marked.length; at += 1) {
      found.add(hashOf(marked, at, at + size) % buckets);
    }
  }
  return [...found];
}

function hashOf(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}

/** A table as a model. */
export function createStaticModel(table: StaticTable): StaticModel {
  const { id, dimension, words, buckets, scales, rows, rarities } = table;
  const rowOf = new Map(words.map((word, row) => [word, row]));

  function add(sum: Float64Array, row: number, share: number): void {
    const factor = share * (scales[row] as number);
    const from = row * dimension;
    for (let at = 0; at < dimension; at += 1) {
      sum[at] = (sum[at] as number) + factor * (rows[from + at] as number);
    }
  }

  function weightOf(word: string): number {
    const row = rowOf.get(word);
    if (row === undefined) return UNKNOWN_WEIGHT;
    const sum = new Float64Array(dimension);
    add(sum, row, 1);
    return Math.hypot(...sum);
  }

  function rarityOf(word: string): number {
    const row = rowOf.get(word);
    return (row === undefined ? RAREST : (rarities[row] as number)) / RAREST;
  }

  return {
    id,
    dimension,
    embed(text) {
      const counts = new Map<string, number>();
      for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
      const sum = new Float64Array(dimension);
      for (const [word, count] of counts) {
        // A word said nine times counts three times.
        const weight = Math.sqrt(count);
        const row = rowOf.get(word);
        if (row !== undefined) {
          add(sum, row, weight);
          continue;
        }
        const pieces = piecesOf(word, buckets);
        for (const piece of pieces) add(sum, words.length + piece, weight / pieces.length);
      }
      return unit(sum);
    },
    knows: (word) => rowOf.has(word),
    wordWeights: (text) => new Map(wordsOf(text).map((word) => [word, weightOf(word)])),
    rarities: (text) => new Map(wordsOf(text).map((word) => [word, rarityOf(word)])),
  };
}

function unit(sum: Float64Array): Float32Array {
  let squares = 0;
  for (const value of sum) squares += value * value;
  const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  const scaled = new Float32Array(sum.length);
  for (let at = 0; at < sum.length; at += 1) scaled[at] = (sum[at] as number) * factor;
  return scaled;
}

/**
 * Reads a table: `model.json` (id, dimension, buckets), `words.txt` (one a line), `table.bin` (a
 * float32 scale for each row, then the rows as int8; little endian) and `rarities.bin` (a byte for
 * each word). Some milliseconds.
 * @throws AppError INVALID_INPUT when the files do not fit each other
 */
export function loadStaticModel(directory: string): StaticModel {
  const wrong = (what: string) =>
    new AppError('INVALID_INPUT', `the static model in ${directory} cannot be used: ${what}`);
  const { id, dimension, buckets } = headOf(readFileSync(join(directory, 'model.json'), 'utf8'));
  if (id === '' || dimension < 1 || buckets < 1) {
    throw wrong('model.json does not say id, dimension and buckets');
  }
  const words = readFileSync(join(directory, 'words.txt'), 'utf8').split('\n').filter(Boolean);
  const bytes = readFileSync(join(directory, 'table.bin'));
  const count = words.length + buckets;
  const expected = count * (4 + dimension);
  if (bytes.length !== expected) {
    throw wrong(`table.bin has ${bytes.length} bytes where ${expected} are expected`);
  }
  const rarities = readFileSync(join(directory, 'rarities.bin'));
  if (rarities.length !== words.length) {
    throw wrong(`rarities.bin has ${rarities.length} bytes for ${words.length} words`);
  }
  const scales = new Float32Array(count);
  for (let row = 0; row < count; row += 1) scales[row] = bytes.readFloatLE(4 * row);
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset + 4 * count, count * dimension);
  return createStaticModel({ id, dimension, words, buckets, scales, rows, rarities });
}

/** The table that comes with the package, read when it is first asked for. */
export function builtInModel(): StaticModel {
  builtIn ??= loadStaticModel(fileURLToPath(new URL('../../models/static', import.meta.url)));
  return builtIn;
}

let builtIn: StaticModel | undefined;

function headOf(json: string): { id: string; dimension: number; buckets: number } {
  const head: unknown = JSON.parse(json);
  const record = typeof head === 'object' && head !== null ? head : {};
  const number = (value: unknown) => (Number.isInteger(value) ? (value as number) : 0);
  return {
    id: 'id' in record && typeof record.id === 'string' ? record.id : '',
    dimension: number('dimension' in record ? record.dimension : 0),
    buckets: number('buckets' in record ? record.buckets : 0),
  };
}
