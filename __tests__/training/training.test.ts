import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cosine, loadStaticModel } from '../../src/embeddings/index.js';
import { csvRows } from '../../training/collect.js';
import { noticeOf } from '../../training/notice.js';
import {
  codePairs,
  commandPairs,
  commitPairs,
  documentPairs,
  turnPairs,
  wordNetPairs,
} from '../../training/pairs.js';
import { createRandom } from '../../training/random.js';
import { raritiesOf } from '../../training/rarities.js';
import { readSources } from '../../training/sources.js';
import { idOf, writeTable } from '../../training/table.js';
import { train } from '../../training/train.js';
import { readCorpus } from '../../training/vocabulary.js';

const MODEL = new URL('../../models/static/', import.meta.url);

/** Two ways to say the same, filled with ten things: what the sample is trained on. */
const ACTIONS = [
  ['remove', 'delete'],
  ['repair', 'fix'],
  ['start', 'launch'],
  ['examine', 'inspect'],
];
const THINGS = 'branch server login invoice gallery parser backup calendar tunnel widget'.split(
  ' ',
);

function sampleFile(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'training-')), 'docs.tsv');
  const lines = ACTIONS.flatMap(([one, other]) =>
    THINGS.flatMap((thing) => [`${one} the ${thing}\t${other} that ${thing}`]),
  );
  writeFileSync(path, lines.join('\n'));
  return path;
}

async function trainSample() {
  const files = [{ kind: 'docs', path: sampleFile(), weight: 1 }];
  const options = {
    dimension: 16,
    rows: 40,
    buckets: 64,
    everyday: 0,
    batch: 16,
    steps: 120,
    seed: 3,
    say: () => undefined,
  };
  const corpus = readCorpus(files, createRandom(7));
  const trained = await train(corpus, null, options);
  const directory = mkdtempSync(join(tmpdir(), 'table-'));
  return {
    directory,
    ...writeTable(directory, trained, raritiesOf(corpus, trained.words), options.dimension),
  };
}

describe('training on a tiny sample', () => {
  it('brings words for the same nearer than others, and gives the same table again', async () => {
    const first = await trainSample();
    const again = await trainSample();
    expect(again.id).toBe(first.id);
    const model = loadStaticModel(first.directory);
    const near = (a: string, b: string) => cosine(model.embed(a), model.embed(b));
    for (const [one = '', other = ''] of ACTIONS) {
      for (const [, stranger = ''] of ACTIONS.filter(([action]) => action !== one)) {
        expect(near(one, other)).toBeGreaterThan(near(one, stranger));
      }
    }
  });

  it('says when there is too little to learn from', async () => {
    const corpus = readCorpus([], createRandom(1));
    const options = { dimension: 8, rows: 4, buckets: 4, everyday: 0, batch: 8, steps: 1, seed: 1 };
    await expect(train(corpus, null, { ...options, say: () => undefined })).rejects.toThrow(
      'no kind has 8 pairs',
    );
  });
});

it('how rare a word is goes by the share of different texts that have it, in each kind of text', () => {
  const directory = mkdtempSync(join(tmpdir(), 'training-'));
  const written = (kind: string, lines: readonly string[]) => {
    const path = join(directory, `${kind}.tsv`);
    writeFileSync(path, lines.join('\n'));
    return { kind, path, weight: 1 };
  };
  const corpus = readCorpus(
    [
      // "gate" stands in three pairs but in one text, "lichen" in no running text.
      written('docs', ['the gate\tthe lock', 'the gate\tan oak', 'the gate\ta fir']),
      written('dialogue', ['the end\tthe sea', 'the fog\tthe moor']),
      written('synonyms', ['lichen\tthe moss']),
    ],
    createRandom(1),
  );
  const [the = 0, gate = 0, lichen = 0, absent = 0] = raritiesOf(corpus, [
    'the',
    'gate',
    'lichen',
    'absent',
  ]);
  expect([the, lichen, absent]).toEqual([0, 255, 255]);
  // One of four texts in one of two kinds.
  expect(gate).toBe(Math.round((255 * Math.log(4)) / Math.log(15_000)));
});

it('texts of one group count as the same and are held back together', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'training-')), 'statements.tsv');
  const rows = Array.from({ length: 40 }, (_, group) => [
    `red ${group}\tblue ${group}\t${group}`,
    `blue ${group}\tgreen ${group}\t${group}`,
  ]);
  writeFileSync(path, rows.flat().join('\n'));
  const { parts } = readCorpus([{ kind: 'statements', path, weight: 1 }], createRandom(1));
  const groupsOf = (pairs: { hash: readonly number[] }[] = []) =>
    new Set(pairs.flatMap(({ hash }) => hash));
  expect(groupsOf(parts[0]?.heldBack)).toEqual(new Set([0, 20]));
  expect(parts[0]?.training).toHaveLength(76);
  expect(groupsOf(parts[0]?.training).has(20)).toBe(false);
});

describe('pairs', () => {
  it('of a commit are its subject and what follows, without what tools write', () => {
    const body =
      'Bodies were read twice, which doubled the time of each request.\n\nSigned-off-by: A: B';
    expect(commitPairs([['Read request bodies once (#12)', body]])).toEqual([
      [
        'Read request bodies once',
        'Bodies were read twice, which doubled the time of each request.',
      ],
    ]);
    expect(commitPairs([['Merge branch main', body]])).toEqual([]);
  });

  it('of a document are heading and section', () => {
    const text =
      '# Backups\n\nIntro of a few words only here.\n\n## Restore a backup\n\n' +
      'Stop the [server](x.md) first, then run `restore` with the file.\n\n```\ncode\n```\n';
    expect(documentPairs({ path: 'a.md', text })).toContainEqual([
      'Restore a backup',
      'Stop the server first, then run restore with the file.',
    ]);
  });

  it('of the other kinds', () => {
    const page = '- List all open ports:\n\n`ss -l {{port}}`\n';
    expect(commandPairs({ path: 'p.md', text: page })).toEqual([
      ['List all open ports', 'ss -l   port  '],
    ]);
    const code = '// Closes the file and frees what it held.\nfunc Close(file *File) error {\n';
    expect(codePairs({ path: 'a.go', text: code })).toEqual([
      ['Closes the file and frees what it held.', 'func Close(file *File) error {'],
    ]);
    expect(
      turnPairs(['I like old trains a lot.', 'Me too, the red ones best.', 'Ok.']),
    ).toHaveLength(1);
    const line = '00001 00 v 02 end 0 finish 0 000 | bring to a close; "end the talk"';
    expect(wordNetPairs(line)).toEqual({
      synonyms: [['end', 'finish']],
      glosses: [
        ['end the talk', 'bring to a close end'],
        ['end, finish', 'bring to a close'],
      ],
    });
    expect(csvRows('a,"b ""c"", d"\r\ne,f\n')).toEqual([
      ['a', 'b "c", d'],
      ['e', 'f'],
    ]);
  });
});

describe('the table that comes with the package', () => {
  const read = (name: string) => readFileSync(new URL(name, MODEL));

  it('is named by its numbers and has at most 8 MB', () => {
    const { id } = JSON.parse(read('model.json').toString('utf8'));
    const [table, words] = [read('table.bin'), read('words.txt')];
    expect(id).toBe(idOf(words.toString('utf8'), table));
    expect(table.length + words.length).toBeLessThanOrEqual(8_000_000);
  });

  it('names every source with commit and a licence that permits', () => {
    const sources = readSources();
    expect(read('NOTICE').toString('utf8')).toBe(noticeOf(sources));
    for (const { commit, licence } of sources) {
      expect(commit).toMatch(/^[0-9a-f]{40}$/);
      expect(licence).toMatch(
        /^(?:MIT|Apache-2\.0|MIT OR Apache-2\.0|BSD-[23]-Clause|CC-BY-4\.0|CC0-1\.0|curl)$/,
      );
    }
  });
});
