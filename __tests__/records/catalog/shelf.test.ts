/** Every search of a shelf gives what the naive reference gives, after any history. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scored } from '../../../src/records/catalog/shelf.js';
import type { DenseScores, Shelf } from '../../../src/records/catalog/types.js';
import { createReference } from './reference.js';
import {
  docOf,
  emptyCatalog,
  emptyShelf,
  filters,
  idFor,
  keySets,
  OPERATOR,
  queries,
  spreads,
  steps,
  vectorOf,
} from './subject.js';

type Steps = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

function play(history: Steps) {
  const shelf = emptyShelf();
  const reference = createReference();
  for (const step of history) {
    if ('put' in step) {
      shelf.put(step.put);
      reference.put(step.put);
    } else if ('remove' in step) {
      expect(shelf.remove(step.remove)).toBe(reference.remove(step.remove));
    } else {
      shelf.setVector(step.setVector, step.vector);
      reference.setVector(step.setVector, step.vector);
    }
  }
  return { shelf, reference };
}

const slot = (shelf: Shelf, id: string) => shelf.slotOf(id as never) as number;

function expectScores(
  shelf: Shelf,
  found: DenseScores,
  wanted: Map<string, number>,
  digits: number,
) {
  expect(found.scores).toHaveLength(shelf.slots);
  expect([...found.touched]).toEqual(
    [...found.scores.keys()].filter((at) => (found.scores[at] as number) > 0),
  );
  const ids = [...found.touched].map((at) => shelf.idOf(at));
  expect(ids.sort()).toEqual([...wanted.keys()].sort());
  for (const [id, score] of wanted) {
    expect(found.scores[slot(shelf, id)]).toBeCloseTo(score, digits);
  }
}

const property = (name: string, check: Parameters<typeof run>[0]) => it(name, () => run(check));
function run(check: (played: ReturnType<typeof play>, draw: fc.GeneratorValue) => void) {
  fc.assert(
    fc.property(steps, fc.gen(), (history, draw) => check(play(history), draw)),
    { numRuns: 120 },
  );
}

describe('compared with the naive reference', () => {
  property(
    'knows the same documents with their times, flags and vectors',
    ({ shelf, reference }) => {
      const live = reference.live();
      expect(shelf.size).toBe(live.length);
      const slots = live.map((doc) => slot(shelf, doc.id));
      expect(slots).toEqual([...slots].sort((a, b) => a - b));
      for (const doc of live) {
        const at = slot(shelf, doc.id);
        expect(shelf.idOf(at)).toBe(doc.id);
        expect([shelf.timeOf(at), shelf.flagsOf(at)]).toEqual([doc.timeMs, doc.flags]);
        expect(shelf.hasVector(at)).toBe(doc.vector !== null);
      }
    },
  );

  property('accepts exactly the slots that pass the filter', ({ shelf, reference }, draw) => {
    const filter = draw(() => filters);
    const accepts = shelf.accepts(filter);
    const accepted = Array.from({ length: shelf.slots + 3 }, (_, at) => at).filter(accepts);
    expect(accepted.map((at) => shelf.idOf(at))).toEqual(
      reference.accepted(filter).map(({ id }) => id),
    );
  });

  property('finds by keys the newest first and counts all', ({ shelf, reference }, draw) => {
    const [keys, filter] = [draw(() => keySets), draw(() => filters)];
    const limit = draw(() => fc.integer({ min: 0, max: 6 }));
    const wanted = reference.newest(keys, filter).map(({ id }) => id);
    const found = shelf.byKeys(keys, filter, limit);
    expect(found.hits.map(({ id }) => id)).toEqual(wanted.slice(0, limit));
    expect(found.hits.map((hit) => hit.slot)).toEqual(found.hits.map(({ id }) => slot(shelf, id)));
    expect(found.total).toBe(wanted.length);
    expect(shelf.hasKeys(keys, filter)).toBe(wanted.length > 0);
  });

  property('lists the newest and counts all', ({ shelf, reference }, draw) => {
    const filter = draw(() => filters);
    const limit = draw(() => fc.integer({ min: 0, max: 6 }));
    const wanted = reference.newest([], filter).map(({ id }) => id);
    const found = shelf.newest(filter, limit);
    expect(found.hits.map(({ id }) => id)).toEqual(wanted.slice(0, limit));
    expect(found.total).toBe(wanted.length);
  });

  property(
    'scores keywords as BM25 does, with and without spreading',
    ({ shelf, reference }, draw) => {
      const [terms, filter] = [draw(() => queries), draw(() => filters)];
      const spread = draw(() => spreads);
      expectScores(
        shelf,
        shelf.keyword(terms, filter, { spread }),
        reference.keyword(terms, filter, spread),
        4,
      );
      expect(shelf.averageLength).toBeCloseTo(reference.averageLength(), 9);
      expect(shelf.averageText).toBeCloseTo(reference.averageText(), 9);
      for (const term of terms.keys()) {
        expect(shelf.documentFrequency(term)).toBe(reference.documentFrequency(term));
      }
    },
  );

  property(
    'measures the cosine to each vector within one per cent',
    ({ shelf, reference }, draw) => {
      const filter = draw(() => filters);
      const vector = draw(() => fc.integer({ min: 0, max: 5 }).map(vectorOf));
      const { scores } = shelf.nearest(vector, filter);
      const exact = reference.nearest(vector, filter);
      for (const doc of reference.live()) {
        const found = scores[slot(shelf, doc.id)] as number;
        expect(Math.abs(found - (exact.get(doc.id) ?? 0))).toBeLessThan(0.01);
        if (doc.vector === null) expect(found).toBe(0);
      }
    },
  );

  property('orders places by thread, time and insertion', ({ shelf, reference }) => {
    const order = reference.inPlaces().map(({ id }) => slot(shelf, id));
    expect(order.map((_, place) => shelf.slotAt(place))).toEqual(order);
    expect(order.map((at) => shelf.placeOf(at))).toEqual([...order.keys()]);
    expect([shelf.slotAt(-1), shelf.slotAt(order.length)]).toEqual([undefined, undefined]);
  });

  property('estimates continuity by its definition while the shelf is small', (played) => {
    expect(played.shelf.continuity()).toBeCloseTo(played.reference.continuity(), 9);
  });

  property('finds ids by their first digits', ({ shelf, reference }, draw) => {
    const digits = draw(() => fc.constantFrom(0, 1, 7, 8, 12, 32));
    const id = draw(() => fc.integer({ min: 0, max: 14 }).map(idFor));
    const prefix = id.replaceAll('-', '').slice(0, digits);
    const wanted = reference.live().filter((doc) => doc.id.replaceAll('-', '').startsWith(prefix));
    expect(shelf.idsWithPrefix(prefix, 100)).toEqual(
      digits === 0 ? [] : wanted.map((doc) => doc.id),
    );
  });
});

describe('a document that is put again', () => {
  it('keeps its slot while only flags, audience and vector change', () => {
    const shelf = emptyShelf();
    const doc = docOf('a', { keys: ['k', 'l'], thread: 't', fields: [{ text: 'x y', weight: 2 }] });
    shelf.put(doc);
    shelf.put(docOf('b'));
    shelf.put({ ...doc, keys: ['l', 'k', 'k'], flags: 5, audience: '-', vector: vectorOf(1) });
    const at = slot(shelf, doc.id);
    expect([at, shelf.slots, shelf.flagsOf(at), shelf.hasVector(at)]).toEqual([0, 2, 5, true]);
    expect(shelf.accepts({ reader: { kind: 'agent' } })(at)).toBe(false);
    shelf.put(doc);
    expect(shelf.hasVector(at)).toBe(false);
  });

  it.each([
    ['time', { timeMs: 2_000 }],
    ['keys', { keys: ['k'] }],
    ['thread', { thread: 'u' }],
    ['words', { fields: [{ text: 'x z', weight: 2 }] }],
    ['weight of a field', { fields: [{ text: 'x y', weight: 3 }] }],
    ['field of a word', { fields: [{ text: 'x y', weight: 2, isAside: true }] }],
  ])('moves to a new slot when its %s changes', (_, change) => {
    const shelf = emptyShelf();
    const doc = docOf('a', { keys: ['k', 'l'], thread: 't', fields: [{ text: 'x y', weight: 2 }] });
    shelf.put(doc);
    shelf.put({ ...doc, ...change });
    expect([slot(shelf, doc.id), shelf.slots, shelf.size]).toEqual([1, 2, 1]);
    expect([shelf.placeOf(0), shelf.placeOf(1)]).toEqual([-1, 0]);
  });
});

describe('vectors', () => {
  it('are not kept before a model is set, and dropped when another one is', () => {
    const shelf = emptyCatalog().shelf('cue_test');
    shelf.put(docOf('a', { vector: vectorOf(1) }));
    expect([shelf.model, shelf.hasVector(0)]).toEqual([null, false]);
    shelf.setModel('one');
    shelf.setVector(idFor('a'), vectorOf(1));
    shelf.setModel('one');
    expect(shelf.hasVector(0)).toBe(true);
    shelf.setModel('two');
    expect([shelf.model, shelf.hasVector(0)]).toEqual(['two', false]);
    expect([...shelf.nearest(vectorOf(1), OPERATOR).touched]).toEqual([]);
  });

  it('answer a question that is asked again by what they are by then', () => {
    const shelf = emptyShelf();
    const scores = () => {
      const found = shelf.nearest(vectorOf(3), OPERATOR).scores;
      return [...found].map((score) => Math.round(score * 1_000));
    };
    shelf.put(docOf('a', { vector: vectorOf(3) }));
    shelf.put(docOf('b', { vector: vectorOf(1) }));
    const [same, other] = scores();
    expect([scores(), same]).toEqual([[1_000, other], 1_000]);
    shelf.prepare(vectorOf(3));
    shelf.put(docOf('c', { vector: vectorOf(3) }));
    expect(scores()).toEqual([1_000, other, 1_000]);
    shelf.setVector(idFor('a'), vectorOf(1));
    expect(scores()).toEqual([other, other, 1_000]);
    shelf.remove(idFor('b'));
    expect(scores()).toEqual([other, 0, 1_000]);
    shelf.setVector(idFor('c'), null);
    expect(scores()).toEqual([other, 0, 0]);
  });

  it('are 1 to themselves and 0 where the cosine is negative', () => {
    const shelf = emptyShelf();
    shelf.put(docOf('same', { vector: vectorOf(3) }));
    shelf.put(docOf('opposite', { vector: vectorOf(3).map((value) => -value) }));
    const { scores, touched } = shelf.nearest(vectorOf(3), OPERATOR);
    expect(scores[0]).toBeCloseTo(1, 6);
    expect([scores[1], ...touched]).toEqual([0, 0]);
  });

  it.each([
    ['too short', new Float32Array(383)],
    ['not a number', vectorOf(1).fill(Number.NaN, 7, 8)],
    ['infinite', vectorOf(1).fill(Number.POSITIVE_INFINITY, 7, 8)],
  ])('are refused when %s, and nothing changes', (_, vector) => {
    const shelf = emptyShelf();
    const refused = expect.objectContaining({ code: 'INVALID_INPUT' });
    expect(() => shelf.put(docOf('a', { vector }))).toThrow(refused);
    expect([shelf.size, shelf.slots]).toEqual([0, 0]);
    expect(() => shelf.nearest(vector, OPERATOR)).toThrow(refused);
  });
});

it('refuses an id that is none and a time that is no number', () => {
  const shelf = emptyShelf();
  const refused = expect.objectContaining({ code: 'INVALID_INPUT' });
  expect(() => shelf.put({ ...docOf('a'), id: 'a-b-c-d-e' })).toThrow(refused);
  expect(() => shelf.put(docOf('a', { timeMs: Number.NaN }))).toThrow(refused);
  expect(shelf.size).toBe(0);
});

it('gives every search arrays of its own', () => {
  const shelf = emptyShelf();
  shelf.put(docOf('a', { fields: [{ text: 'one', weight: 1 }] }));
  shelf.put(docOf('b', { fields: [{ text: 'two', weight: 1 }] }));
  const first = shelf.keyword(new Map([['one', 1]]), OPERATOR);
  shelf.keyword(new Map([['two', 1]]), OPERATOR);
  expect([...first.touched]).toEqual([0]);
});

it('does not let an unreadable neighbour show through spreading', () => {
  const shelf = emptyShelf();
  const thread = 't';
  shelf.put(docOf('open', { timeMs: 1, thread, fields: [{ text: 'plain', weight: 1 }] }));
  shelf.put(
    docOf('hidden', { timeMs: 2, thread, audience: '-', fields: [{ text: 'secret', weight: 1 }] }),
  );
  for (let i = 0; i < 9; i += 1) shelf.put(docOf(i, { timeMs: i + 9, thread: 'other' }));
  const terms = new Map([['secret', 1]]);
  const search = (filter: typeof OPERATOR) => [
    ...shelf.keyword(terms, filter, { spread: { before: [0.5], after: [0.5] } }).touched,
  ];
  expect(search({ reader: { kind: 'agent' } })).toEqual([]);
  expect(search(OPERATOR)).toEqual([0, 1]);
});

it('passes scores on to neighbours in their run, to nobody hidden', () => {
  const shelf = emptyShelf();
  const said = (name: string, timeMs: number, thread = 't', audience = 'p') =>
    shelf.put(docOf(name, { timeMs, thread, audience }));
  said('far', 1);
  said('near', 2);
  said('hit', 3);
  said('hidden', 4, 't', '-');
  said('elsewhere', 5, 'u');
  said('later', 4 + 31 * 60_000);
  const scores = new Float32Array(shelf.slots);
  scores[2] = 1;
  const shares = { before: [0.5, 0.25], after: [0.75] };
  const passed = (filter: typeof OPERATOR) => [
    ...shelf.withNeighbours(scored(scores), shares, filter).scores,
  ];
  expect(passed(OPERATOR)).toEqual([0.25, 0.5, 1, 0.75, 0, 0]);
  expect(passed({ reader: { kind: 'agent' } })).toEqual([0.25, 0.5, 1, 0, 0, 0]);
});

it('sees more continuity in a conversation than in the same lines shuffled', () => {
  const lines = Array.from({ length: 200 }, (_, i) => `topic${i >> 3} line${i}`);
  const shelfOf = (order: readonly number[]) => {
    const shelf = emptyShelf();
    for (const [timeMs, line] of order.entries()) {
      const fields = [{ text: lines[line] as string, weight: 1 }];
      shelf.put(docOf(line, { timeMs, fields }));
    }
    return shelf.continuity();
  };
  const inOrder = [...lines.keys()];
  expect(shelfOf(inOrder)).toBeGreaterThan(0.3);
  expect(shelfOf(inOrder.map((i) => (i * 73) % 200))).toBeLessThan(0.02);
});

it('keeps 20,000 documents put in falling order of time searchable and small', () => {
  const shelf = emptyShelf();
  const n = 20_000;
  for (let i = 0; i < n; i += 1) {
    const fields = [{ text: `word${i % 977} all`, weight: 1 }];
    shelf.put(docOf(i, { timeMs: n - i, keys: [`k:${i % 50}`, 'every'], fields, vector: null }));
  }
  expect(shelf.newest(OPERATOR, 2).hits.map(({ slot: at }) => at)).toEqual([0, 1]);
  expect(shelf.slotAt(0)).toBe(n - 1);
  expect(shelf.byKeys(['every', 'k:7'], OPERATOR, 1)).toEqual({
    hits: [{ slot: 7, id: idFor(7), score: 1 }],
    total: n / 50,
  });
  for (let i = 0; i < n; i += 1) if (i % 100 !== 0) shelf.remove(idFor(i));
  expect([shelf.size, shelf.slots, shelf.documentFrequency('all')]).toEqual([n / 100, n, n / 100]);
  expect(shelf.byKeys(['every'], OPERATOR, 0).total).toBe(n / 100);
  expect(shelf.slotAt(0)).toBe(n - 100);
});
