import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInModel, cosine } from '../../src/embeddings/index.js';
import {
  createStaticModel,
  loadStaticModel,
  piecesOf,
  type StaticTable,
  wordsOf,
} from '../../src/embeddings/static.js';

const WORDS = ['fix', 'repair', 'login', 'not'];
const BUCKETS = 64;
/** fix and repair point one way, login and not two others; pieces follow their number. */
const ROWS = [
  [127, 0, 0, 0],
  [120, 40, 0, 0],
  [0, 0, 127, 0],
  [0, 0, 0, 127],
  ...Array.from({ length: BUCKETS }, (_, at) => [at, 64 - at, (at * 7) % 64, 1]),
];
const TABLE: StaticTable = {
  id: 'static-test',
  dimension: 4,
  words: WORDS,
  buckets: BUCKETS,
  scales: Float32Array.from(ROWS, () => 0.01),
  rows: Int8Array.from(ROWS.flat()),
  rarities: Uint8Array.of(51, 102, 153, 0),
};
const model = createStaticModel(TABLE);
const near = (a: string, b: string) => cosine(model.embed(a), model.embed(b));

function written(change: (directory: string) => void = () => undefined): string {
  const directory = mkdtempSync(join(tmpdir(), 'static-'));
  const { id, dimension, buckets } = TABLE;
  writeFileSync(join(directory, 'model.json'), JSON.stringify({ id, dimension, buckets }));
  writeFileSync(join(directory, 'words.txt'), `${WORDS.join('\n')}\n`);
  const scales = Buffer.alloc(4 * ROWS.length);
  TABLE.scales.forEach((scale, row) => {
    scales.writeFloatLE(scale, 4 * row);
  });
  const table = Buffer.concat([scales, Buffer.from(TABLE.rows.buffer)]);
  writeFileSync(join(directory, 'table.bin'), table);
  writeFileSync(join(directory, 'rarities.bin'), TABLE.rarities);
  change(directory);
  return directory;
}

describe('words of the static model', () => {
  it.each([
    ['parseJson5 in FILE.ts', ['parse', 'json5', 'in', 'file', 'ts']],
    [
      "It's broken: can't log in, won't start, doesn’t stop",
      'it broken can not log in will not start does not stop'.split(' '),
    ],
    ['Café über', ['cafe', 'uber']],
    ['тест 東京', ['тест', '東京']],
    ['!?', []],
  ])('of %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('knows the pieces of a word, each once, within the table', () => {
    const pieces = piecesOf('aaaa', 8192);
    expect(pieces).toEqual([...new Set(pieces)]);
    expect(pieces).toEqual(expect.arrayContaining(piecesOf('aaa', 8192).slice(0, 1)));
    for (const piece of pieces) expect(piece).toBeLessThan(8192);
  });
});

describe('a static model', () => {
  it('finds other words for the same thing, and an unknown word by its pieces', () => {
    expect(near('fix login', 'repair the login')).toBeGreaterThan(near('fix login', 'not'));
    expect(near('frobnicate', 'frobnicate')).toBeCloseTo(1, 5);
    expect(near('Fix login', 'login fix')).toBeCloseTo(1, 5);
  });

  it('gives any text a unit vector, and zeros to one without a word', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const length = Math.hypot(...model.embed(text));
        if (wordsOf(text).length === 0) expect(length).toBe(0);
        else expect(length).toBeCloseTo(1, 5);
      }),
    );
  });

  it('cuts ASCII the same beside other characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 100 }), (text) => {
        expect(wordsOf(`${text} —`)).toEqual(wordsOf(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it('knows every word of its list by its place there, and no other', () => {
    const list = readFileSync('models/static/words.txt', 'utf8').split('\n').filter(Boolean);
    const spelled = builtInModel();
    const unknown = list.filter((word) => !spelled.knows(word));
    expect(unknown).toEqual([]);
    const known = new Set(list);
    for (const word of list) {
      for (const other of [`${word}x`, word.slice(1), `${word}\n`, `ä${word}`]) {
        if (!known.has(other) && spelled.knows(other)) unknown.push(other);
      }
    }
    expect(unknown).toEqual([]);
    const rare = createStaticModel({ ...TABLE, words: ['å', 'ähnlich'] });
    expect([rare.knows('å'), rare.knows('ähnlich'), rare.knows('a'), rare.knows('')]).toEqual([
      ...[true, true, false, false],
    ]);
  });

  it('says how much each word of a text weighs, and most of words that it does not have', () => {
    const weights = builtInModel().wordWeights('The window, the frobnicator');
    expect([...weights.keys()]).toEqual(['the', 'window', 'frobnicator']);
    const [the = 0, window = 0, unknown = 0] = weights.values();
    expect([0 < the, the < window, window < unknown, unknown < 2]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('says how rare each word of a text is in the language', () => {
    expect([...model.rarities('Fix login, not frobnicate')]).toEqual([
      ['fix', 0.2],
      ['login', 0.6],
      ['not', 0],
      ['frobnicate', 1],
    ]);
    const [the = 1, boundary = 1, cornea = 1] = builtInModel()
      .rarities('the boundary, cornea')
      .values();
    expect([the < 0.1, 0.3 < boundary, boundary < cornea]).toEqual([true, true, true]);
  });

  it('comes from files as it was written to them', () => {
    const loaded = loadStaticModel(written());
    expect(loaded).toMatchObject({ id: 'static-test', dimension: 4 });
    expect(loaded.embed('repair the Login')).toEqual(model.embed('repair the Login'));
    expect(loaded.rarities('repair it')).toEqual(model.rarities('repair it'));
  });

  it('says what is wrong with files that do not fit', () => {
    const cut = written((directory) => writeFileSync(join(directory, 'table.bin'), 'cut'));
    expect(() => loadStaticModel(cut)).toThrow(
      `table.bin has 3 bytes where ${ROWS.length * 8} are expected`,
    );
    const few = written((directory) => writeFileSync(join(directory, 'rarities.bin'), 'few'));
    expect(() => loadStaticModel(few)).toThrow('rarities.bin has 3 bytes for 4 words');
    const nameless = written((directory) => writeFileSync(join(directory, 'model.json'), '{}'));
    expect(() => loadStaticModel(nameless)).toThrow('does not say id, dimension and buckets');
  });
});
