/** Vectors of the instant model: made by the catalog, kept in it and in its snapshot. */
import { describe, expect, it } from 'vitest';
import { createCatalog, type MemoryCatalog } from '../../../src/records/catalog/catalog.js';
import { decodeSnapshot, encodeSnapshot } from '../../../src/records/catalog/snapshot.js';
import type { InstantModel, SlotFilter } from '../../../src/records/catalog/types.js';
import { analyzeWords } from './reference.js';
import { ANN, docOf, emptyShelf, idFor, OPERATOR, PROJECT } from './subject.js';

/** Counts a, b and c of a text; nothing of them: zeros. */
const COUNTS: InstantModel = {
  id: 'counts',
  dimension: 3,
  embed(text) {
    const counts = ['a', 'b', 'c'].map((letter) => text.split(letter).length - 1);
    const length = Math.hypot(...counts) || 1;
    return Float32Array.from(counts, (count) => count / length);
  },
};
const deps = { analyze: analyzeWords, project: PROJECT, instant: COUNTS };

function filled(): MemoryCatalog {
  const catalog = createCatalog(deps);
  const shelf = catalog.shelf('cue_test');
  shelf.put(docOf(1, { embeddingText: 'aab' }));
  shelf.put(docOf(2, { embeddingText: 'ccc' }));
  shelf.put(docOf(3, { embeddingText: 'xyz' }));
  shelf.put(docOf(4));
  return catalog;
}

function found(catalog: MemoryCatalog, text: string): [name: string, score: number][] {
  const shelf = catalog.shelf('cue_test');
  const scores = shelf.alike(text, OPERATOR);
  return [...(scores?.touched ?? [])].map((slot) => [
    shelf.idOf(slot),
    Math.round(100 * (scores?.scores[slot] ?? 0)) / 100,
  ]);
}

async function bytesOf(catalog: MemoryCatalog): Promise<Buffer> {
  const frames: Uint8Array[] = [];
  for await (const frame of encodeSnapshot(catalog)) frames.push(frame);
  return Buffer.concat(frames);
}

describe('second vectors', () => {
  it('are compared with a text, whatever the other vectors are of', () => {
    expect(found(filled(), 'a')).toEqual([[idFor(1), 0.89]]);
    expect(found(filled(), 'acc')).toEqual([
      [idFor(1), 0.4],
      [idFor(2), 0.89],
    ]);
    expect(found(filled(), 'nothing of it')).toEqual([]);
  });

  it('follow the document', () => {
    const catalog = filled();
    const shelf = catalog.shelf('cue_test');
    shelf.put(docOf(1, { embeddingText: 'bbb' }));
    shelf.put(docOf(2, { embeddingText: 'xyz' }));
    expect(found(catalog, 'abc')).toEqual([[idFor(1), 0.58]]);
    shelf.remove(idFor(1));
    expect(found(catalog, 'abc')).toEqual([]);
  });

  it('say which others are nearest to one, of those that may be seen', () => {
    const catalog = createCatalog(deps);
    const shelf = catalog.shelf('cue_test');
    const texts = ['aab', 'aa', 'ab', 'ccc', 'aac', 'xyz'];
    for (const [at, embeddingText] of texts.entries()) {
      shelf.put(docOf(at + 1, { embeddingText, audience: at === 1 ? `u:${ANN}` : 'p' }));
    }
    const beside = (at: number, filter: SlotFilter, most: number, least: number) =>
      shelf
        .beside(shelf.slotOf(idFor(at)) ?? -1, filter, most, least)
        .map((slot) => texts.findIndex((_, index) => shelf.idOf(slot) === idFor(index + 1)) + 1);
    expect(beside(1, OPERATOR, 2, 0.3)).toEqual([3, 2]);
    expect(beside(1, OPERATOR, 9, 0.85)).toEqual([3, 2]);
    expect(beside(1, OPERATOR, 9, 0.1)).toEqual([3, 2, 5]);
    expect(beside(1, { reader: { kind: 'agent' } }, 9, 0.1)).toEqual([3, 5]);
    // It has no vector.
    expect(beside(6, OPERATOR, 9, 0)).toEqual([]);
    shelf.remove(idFor(3));
    expect(beside(1, OPERATOR, 2, 0.3)).toEqual([2, 5]);
  });

  it('are none without an instant model', () => {
    expect(emptyShelf().beside(0, OPERATOR, 3, 0)).toEqual([]);
    expect(emptyShelf().alike('a', OPERATOR)).toBeNull();
  });

  it('come out of a snapshot, which is refused for another model', async () => {
    const bytes = await bytesOf(filled());
    expect(found(await decodeSnapshot([bytes], deps), 'acc')).toEqual(found(filled(), 'acc'));
    const other = { ...COUNTS, id: 'other' };
    await expect(decodeSnapshot([bytes], { ...deps, instant: other })).rejects.toThrow(
      'its second vectors are of another model',
    );
    const { instant, ...none } = deps;
    expect(instant).toBe(COUNTS);
    await expect(decodeSnapshot([bytes], none)).rejects.toThrow('of another model');
  });
});
