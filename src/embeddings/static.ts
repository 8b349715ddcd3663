/**
 * The built-in static model: a table with a vector for each known word and for hashed pieces of
 * words; a text is the mean of its words. It knows other words for the same thing, needs nothing and
 * takes microseconds. `training/` makes the table.
 */
import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
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
  /** The same, written over another. */
  embedInto(text: string, into: Float32Array): Float32Array;
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
export const UNKNOWN_WEIGHT = 1.9;
/** In `StaticTable.rarities`, and of a word that the table does not have. */
const RAREST = 255;
/** Letters in a piece of a word, its ends marked. */
const PIECES = [3, 4, 5] as const;

/** Vectors of unknown words that are kept: 1 KB each. */
const MOST_PIECED = 8_000;
/** There is room for so many at first; it doubles. */
const FIRST_PIECED = 500;

/** FNV-1a */
const FIRST_HASH = 0x811c9dc5 | 0;
const HASH_FACTOR = 0x01000193;
const LINE_FEED = 10;

const BEYOND_ASCII = /[^\0-\x7f]/;
/** Where lower and upper case meet, and words: of all alphabets; of ASCII it takes far less time. */
const MEETING = /(\p{Ll})(?=\p{Lu})/gu;
const ASCII_MEETING = /([a-z])(?=[A-Z])/g;
const WORD = /[\p{L}\p{N}]+/gu;
const ASCII_WORD = /[a-z0-9]+/g;
/** One word as the table counts it, and nothing else. */
const PLAIN_WORD = /^[a-z0-9]{1,24}$/;

/** Words of a text as the table counts them: accents folded, `parseJson` split, `don't` → do not. */
export function wordsOf(text: string): string[] {
  let spaced = text.slice(0, MAX_CHARACTERS);
  const isBeyond = BEYOND_ASCII.test(spaced);
  if (isBeyond) {
    spaced = spaced
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .replaceAll('’', "'");
  }
  spaced = spaced.replace(isBeyond ? MEETING : ASCII_MEETING, '$1 ').toLowerCase();
  if (spaced.includes("'")) {
    spaced = spaced
      .replace(/\b(?:ca|wo)n't\b/g, (said) => (said === "can't" ? 'can not' : 'will not'))
      .replace(/n't\b/g, ' not')
      .replace(/'(?:s|re|ve|ll|d|m)\b/g, ' ');
  }
  const words = spaced.match(isBeyond ? WORD : ASCII_WORD) ?? [];
  return words.map((word) => word.slice(0, MAX_LETTERS));
}

/** Rows of the pieces of a word, each once, counted from the first row of pieces. */
export function piecesOf(word: string, buckets: number): number[] {
  const marked = `<${word}>`;
  const found: number[] = [];
  for (const size of PIECES) {
    for (let at = 0; at + size <= marked.length; at += 1) {
      const piece = hashOf(marked, at, at + size) % buckets;
      if (!found.includes(piece)) found.push(piece);
    }
  }
  return found;
}

function hashOf(text: string, from: number, to: number): number {
  let hash = FIRST_HASH;
  for (let at = from; at < to; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), HASH_FACTOR);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}

/** A table as a model. */
export function createStaticModel(table: StaticTable): StaticModel {
  return modelOf({
    ...table,
    words: wordTable(Buffer.from(table.words.join('\n')), table.words.length),
  });
}

function modelOf(table: Omit<StaticTable, 'words'> & { words: WordTable }): StaticModel {
  const { id, dimension, words, buckets, scales, rows, rarities } = table;
  const rowOf = words.rowOf;

  function add(sum: Float64Array, row: number, share: number): void {
    const factor = share * (scales[row] as number);
    const from = row * dimension;
    for (let at = 0; at < dimension; at += 1) {
      sum[at] = (sum[at] as number) + factor * (rows[from + at] as number);
    }
  }

  /** Of words that the table does not have, which are names mostly: they come again and again. */
  const pieced = new Map<string, number>();
  let vectors = new Float64Array(0);

  /** Where its vector begins in `vectors`. */
  function pieceVector(word: string): number {
    const known = pieced.get(word);
    if (known !== undefined) return known;
    if (pieced.size >= MOST_PIECED) pieced.clear();
    const from = pieced.size * dimension;
    if (from >= vectors.length) {
      const larger = new Float64Array(Math.max(FIRST_PIECED * dimension, 2 * vectors.length));
      larger.set(vectors);
      vectors = larger;
    }
    sumPieces(vectors, from, piecesOf(word, buckets));
    pieced.set(word, from);
    return from;
  }

  /** Four numbers at a time, so that none goes to memory and comes back for each piece. */
  function sumPieces(into: Float64Array, from: number, pieces: readonly number[]): void {
    const starts = pieces.map((piece) => (words.size + piece) * dimension);
    const factors = pieces.map(
      (piece) => (1 / pieces.length) * (scales[words.size + piece] as number),
    );
    const whole = dimension - (dimension % 4);
    for (let at = 0; at < whole; at += 4) {
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let piece = 0; piece < starts.length; piece += 1) {
        const start = (starts[piece] as number) + at;
        const factor = factors[piece] as number;
        a += factor * (rows[start] as number);
        b += factor * (rows[start + 1] as number);
        c += factor * (rows[start + 2] as number);
        d += factor * (rows[start + 3] as number);
      }
      into[from + at] = a;
      into[from + at + 1] = b;
      into[from + at + 2] = c;
      into[from + at + 3] = d;
    }
    for (let at = whole; at < dimension; at += 1) {
      let sum = 0;
      for (let piece = 0; piece < starts.length; piece += 1) {
        sum += (factors[piece] as number) * (rows[(starts[piece] as number) + at] as number);
      }
      into[from + at] = sum;
    }
  }

  function addPieces(sum: Float64Array, word: string, share: number): void {
    const from = pieceVector(word);
    const known = vectors;
    for (let at = 0; at < dimension; at += 1) {
      sum[at] = (sum[at] as number) + share * (known[from + at] as number);
    }
  }

  /** Of the text that is being embedded. */
  const sum = new Float64Array(dimension);

  function addWord(word: string, share: number): void {
    const row = rowOf(word);
    if (row === undefined) addPieces(sum, word, share);
    else add(sum, row, share);
  }

  function weightOf(word: string): number {
    const row = rowOf(word);
    if (row === undefined) return UNKNOWN_WEIGHT;
    const sum = new Float64Array(dimension);
    add(sum, row, 1);
    return Math.hypot(...sum);
  }

  function rarityOf(word: string): number {
    const row = rowOf(word);
    return (row === undefined ? RAREST : (rarities[row] as number)) / RAREST;
  }

  function embedInto(text: string, into: Float32Array): Float32Array {
    sum.fill(0);
    if (PLAIN_WORD.test(text)) addWord(text, 1);
    else {
      const counts = new Map<string, number>();
      for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
      // A word said nine times counts three times.
      for (const [word, count] of counts) addWord(word, Math.sqrt(count));
    }
    return toUnit(sum, into);
  }

  return {
    id,
    dimension,
    embed: (text) => embedInto(text, new Float32Array(dimension)),
    embedInto,
    knows: (word) => rowOf(word) !== undefined,
    wordWeights: (text) => new Map(wordsOf(text).map((word) => [word, weightOf(word)])),
    rarities: (text) => new Map(wordsOf(text).map((word) => [word, rarityOf(word)])),
  };
}

interface WordTable {
  size: number;
  /** Place of a word in the text. */
  rowOf(word: string): number | undefined;
}

/**
 * Finds words in a text of one a line, as bytes, by their hashes: a quarter of the time, and a tenth of the
 * memory, that it takes to cut it into 30,000 strings and put them in a Map. Blank lines are none.
 * @param most words that there can be; of more only one more is counted
 */
function wordTable(text: Uint8Array, most: number): WordTable {
  const starts = new Int32Array(most + 1);
  const mask = 2 ** Math.ceil(Math.log2(2 * (most + 1))) - 1;
  /** Rows + 1, each in the first free place from that of its hash. */
  const table = new Int32Array(mask + 1);
  const placeOf = (hash: number) => (hash ^ (hash >>> 15)) & mask;
  const { length } = text;
  let size = 0;
  // A short recall of the command line goes through it cold: nothing is read twice.
  for (let start = 0; start < length && size <= most; ) {
    let hash = FIRST_HASH;
    let at = start;
    for (; at < length; at += 1) {
      const byte = text[at] as number;
      if (byte === LINE_FEED) break;
      hash = Math.imul(hash ^ byte, HASH_FACTOR);
    }
    if (at > start) {
      starts[size] = start;
      size += 1;
      let place = placeOf(hash);
      while (table[place] !== 0) place = (place + 1) & mask;
      table[place] = size;
    }
    start = at + 1;
  }

  function isAt(start: number, word: Uint8Array | string): boolean {
    const end = start + word.length;
    if ((text[end] ?? LINE_FEED) !== LINE_FEED) return false;
    for (let at = start; at < end; at += 1) {
      if (text[at] !== codeAt(word, at - start)) return false;
    }
    return true;
  }

  return {
    size,
    rowOf(asked) {
      const word = BEYOND_ASCII.test(asked) ? Buffer.from(asked) : asked;
      let hash = FIRST_HASH;
      for (let at = 0; at < word.length; at += 1) {
        hash = Math.imul(hash ^ codeAt(word, at), HASH_FACTOR);
      }
      for (let place = placeOf(hash); table[place] !== 0; place = (place + 1) & mask) {
        const row = (table[place] as number) - 1;
        if (isAt(starts[row] as number, word)) return row;
      }
      return undefined;
    },
  };
}

/** Of a text in ASCII, or of bytes. */
function codeAt(word: Uint8Array | string, at: number): number {
  return typeof word === 'string' ? word.charCodeAt(at) : (word[at] as number);
}

function toUnit(sum: Float64Array, into: Float32Array): Float32Array {
  let squares = 0;
  for (let at = 0; at < sum.length; at += 1) squares += (sum[at] as number) * (sum[at] as number);
  const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  for (let at = 0; at < sum.length; at += 1) into[at] = (sum[at] as number) * factor;
  return into;
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
  const rarities = readFileSync(join(directory, 'rarities.bin'));
  const text = readFileSync(join(directory, 'words.txt'));
  const words = wordTable(text, rarities.length);
  const bytes = readFileSync(join(directory, 'table.bin'));
  if (rarities.length !== words.size) {
    const lines = String(text)
      .split('\n')
      .filter((line) => line !== '');
    throw wrong(`rarities.bin has ${rarities.length} bytes for ${lines.length} words`);
  }
  const count = words.size + buckets;
  const expected = count * (4 + dimension);
  if (bytes.length !== expected) {
    throw wrong(`table.bin has ${bytes.length} bytes where ${expected} are expected`);
  }
  const scales = floatsLittleEndian(bytes.subarray(0, 4 * count));
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset + 4 * count, count * dimension);
  return modelOf({ id, dimension, words, buckets, scales, rows, rarities });
}

function floatsLittleEndian(bytes: Buffer): Float32Array {
  const own = Buffer.from(new Uint8Array(bytes).buffer);
  if (endianness() === 'BE') own.swap32();
  return new Float32Array(own.buffer);
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
