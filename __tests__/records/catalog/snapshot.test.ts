/** A catalog goes into a snapshot and comes out the same; anything damaged is refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryCatalog } from '../../../src/records/catalog/catalog.js';
import { decodeSnapshot, encodeSnapshot } from '../../../src/records/catalog/snapshot.js';
import { SnapshotError, writeFrame } from '../../../src/records/catalog/snapshot-frames.js';
import { derivedId } from '../../../src/shared/ids.js';
import { analyzeWords } from './reference.js';
import {
  docOf,
  emptyCatalog,
  filters,
  idFor,
  keySets,
  MODEL,
  OPERATOR,
  PROJECT,
  queries,
  spreads,
  steps,
  vectorOf,
} from './subject.js';

const deps = { analyze: analyzeWords, project: PROJECT };

async function framesOf(catalog: MemoryCatalog): Promise<Uint8Array[]> {
  const frames: Uint8Array[] = [];
  for await (const frame of encodeSnapshot(catalog)) frames.push(frame);
  return frames;
}
const bytesOf = async (catalog: MemoryCatalog) => Buffer.concat(await framesOf(catalog));

/** Some documents, links and two shelves. */
function sample(): MemoryCatalog {
  const catalog = emptyCatalog();
  const shelf = catalog.shelf('cue_test');
  shelf.setModel(MODEL);
  for (let i = 0; i < 40; i += 1) {
    shelf.put(
      docOf(i, {
        timeMs: 1_000 - i,
        keys: [`k:${i % 3}`, 'lone \ud800 surrogate'],
        audience: i % 4 === 0 ? '-' : 'p',
        fields: [{ text: `word${i % 5} naïve 検索`, weight: 1 + (i % 4), isAside: i % 3 === 0 }],
        vector: i % 2 === 0 ? vectorOf(i) : null,
      }),
    );
  }
  catalog.shelf('cue_empty');
  catalog.links.put({ id: idFor('e'), source: idFor(1), target: idFor(2), type: 'led_to' });
  return catalog;
}

it('restores what every search finds, whatever happened before', async () => {
  const property = fc.asyncProperty(
    steps,
    filters,
    keySets,
    queries,
    spreads,
    async (history, filter, keys, terms, spread) => {
      const catalog = emptyCatalog();
      const before = catalog.shelf('cue_test');
      before.setModel(MODEL);
      for (const step of history) {
        if ('put' in step) before.put(step.put);
        else if ('remove' in step) before.remove(step.remove);
        else before.setVector(step.setVector, step.vector);
      }
      const after = (await decodeSnapshot([await bytesOf(catalog)], deps)).shelf('cue_test');
      expect([after.size, after.model]).toEqual([before.size, MODEL]);
      expect((after.slots - after.size) * 8).toBeLessThanOrEqual(after.slots);
      const ids = (shelf: typeof before, slots: Iterable<number>) =>
        [...slots].map((slot) => shelf.idOf(slot));
      const seen = (shelf: typeof before) => {
        const scored = (found: { scores: Float32Array; touched: Int32Array }) => [
          ids(shelf, found.touched),
          [...found.touched].map((slot) => found.scores[slot]),
        ];
        const hits = ({ hits: found, total }: ReturnType<typeof shelf.newest>) => [
          found.map(({ id }) => id),
          total,
        ];
        return [
          hits(shelf.newest(filter, 9)),
          hits(shelf.byKeys(keys, filter, 9)),
          scored(shelf.keyword(terms, filter)),
          scored(shelf.nearest(vectorOf(2), filter)),
          shelf.averageLength,
        ];
      };
      expect(seen(after)).toEqual(seen(before));
      // Threads are numbered anew, so only what is within them is the same.
      const spreadOf = (shelf: typeof before) => {
        const { scores, touched } = shelf.keyword(terms, filter, { spread });
        return [...touched].map((slot) => [shelf.idOf(slot), scores[slot]?.toFixed(4)]);
      };
      expect(spreadOf(after)).toEqual(spreadOf(before));
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

it('restores links, other shelves, strings beyond Unicode, and goes on from there', async () => {
  const catalog = await decodeSnapshot([await bytesOf(sample())], deps);
  expect(catalog.status()).toEqual({ state: 'loading', loaded: 0, total: null });
  expect(catalog.links.out(idFor(1)).map(({ target }) => target)).toEqual([idFor(2)]);
  expect(catalog.shelves().map(({ type, model, size }) => [type, model, size])).toEqual([
    ['cue_test', MODEL, 40],
    ['cue_empty', null, 0],
  ]);
  const shelf = catalog.shelf('cue_test');
  expect(shelf.byKeys(['lone \ud800 surrogate'], OPERATOR, 0).total).toBe(40);
  expect(shelf.byKeys(['lone \ufffd surrogate'], OPERATOR, 0).total).toBe(0);
  expect(shelf.documentFrequency('検索')).toBe(40);
  shelf.put(docOf(3, { timeMs: 5_000, keys: ['new'] }));
  shelf.remove(idFor(4));
  expect(shelf.newest(OPERATOR, 1).hits[0]?.id).toBe(idFor(3));
  expect(shelf.documentFrequency('検索')).toBe(38);
  expect(shelf.size).toBe(39);
});

it('leaves strings behind that no document uses any more', async () => {
  const catalog = sample();
  const shelf = catalog.shelf('cue_test');
  for (let i = 0; i < 40; i += 1) if (i % 3 !== 0) shelf.remove(idFor(i));
  const restored = (await decodeSnapshot([await bytesOf(catalog)], deps)).shelf('cue_test');
  expect([shelf.keys.names.size, restored.keys.names.size]).toEqual([4, 2]);
});

it('survives changes while it is written: each shelf is as it was at one moment', async () => {
  const catalog = sample();
  const shelf = catalog.shelf('cue_test');
  for (let i = 0; i < 2_500; i += 1) shelf.put(docOf(`more ${i}`));
  const before = shelf.size;
  const frames: Uint8Array[] = [];
  for await (const frame of encodeSnapshot(catalog)) {
    frames.push(frame);
    if (frames.length === 3) shelf.put(docOf(0, { keys: ['moved'], vector: vectorOf(5) }));
    if (frames.length === 4) shelf.put(docOf('late', { keys: ['moved'] }));
    if (frames.length === 5) shelf.setModel('another');
  }
  const restored = (await decodeSnapshot([Buffer.concat(frames)], deps)).shelf('cue_test');
  expect([restored.size, restored.model]).toEqual([before, MODEL]);
  expect(restored.byKeys(['moved'], OPERATOR, 5).total).toBe(0);
  expect(restored.byKeys(['k:0'], OPERATOR, 99).hits.map(({ id }) => id)).toContain(idFor(0));
  expect(restored.hasVector(restored.slotOf(idFor(2)) as number)).toBe(true);
});

describe('bytes that are refused', () => {
  const refusal = async (bytes: Uint8Array, other: Partial<typeof deps> = {}) =>
    decodeSnapshot([bytes], { ...deps, ...other }).then(
      () => 'accepted',
      (error: unknown) => (error instanceof SnapshotError ? error.details.reason : error),
    );

  it('nothing, another file, another project, another analysis of words', async () => {
    const bytes = await bytesOf(sample());
    expect(await refusal(bytes)).toBe('accepted');
    expect(await refusal(new Uint8Array(0))).toBe('it has no head');
    expect(await refusal(Buffer.from('{"not":"a snapshot", "at":"all"}'))).toBe(
      'it does not look like one',
    );
    expect(await refusal(bytes, { project: derivedId('other') })).toBe('it is of another project');
    expect(await refusal(bytes, { analyze: (text) => [...text] })).toBe(
      'words are analyzed differently now',
    );
  });

  it('a version of tomorrow, and a table that does not fit', async () => {
    const [head = new Uint8Array(0), ...rest] = await framesOf(sample());
    const text = Buffer.from(head).toString();
    const meta = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    const newer = writeFrame({ ...meta, version: 99 });
    expect(await refusal(Buffer.concat([newer, ...rest]))).toBe('its version is 99');
    const other = (name: string) =>
      rest.map((frame) =>
        Buffer.from(frame).includes(`"cue_test","name":"${name}"`)
          ? writeFrame({ kind: 'links' }, Buffer.from('[]      '))
          : frame,
      );
    expect(await refusal(Buffer.concat([head, ...other('words by slot: numbers')]))).toBe(
      '"words by slot: numbers" is missing',
    );
    const shorter = rest.map((frame) =>
      Buffer.from(frame).includes('"cue_test","name":"times"')
        ? writeFrame({ kind: 'part', shelf: 'cue_test', name: 'times', total: 8, from: 0 })
        : frame,
    );
    expect(await refusal(Buffer.concat([head, ...shorter]))).toBe('"times" is of another length');
  });

  it('cut off at any length', async () => {
    const bytes = await bytesOf(sample());
    for (let length = 1; length < bytes.length; length += 97) {
      expect(await refusal(bytes.subarray(0, length))).toBe('it is cut off');
    }
  });

  it('with any byte flipped', async () => {
    const bytes = await bytesOf(sample());
    const flip = fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
      const damaged = Uint8Array.from(bytes);
      damaged[at] = (damaged[at] as number) ^ (1 << bit);
      expect(await refusal(damaged)).toEqual(expect.stringMatching(/^(it|a) /));
    });
    await fc.assert(flip, { numRuns: 150 });
  });
});
