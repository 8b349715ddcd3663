/** The parts a catalog is made of: links, status, lists, strings, order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdTable } from '../../../src/records/catalog/id-table.js';
import { Interner } from '../../../src/records/catalog/interner.js';
import { createLinkGraph } from '../../../src/records/catalog/links.js';
import { BlockPool, PackedLists } from '../../../src/records/catalog/packed-lists.js';
import { sortSlots } from '../../../src/records/catalog/timeline.js';
import type { LinkEdge } from '../../../src/records/catalog/types.js';
import { WordReader } from '../../../src/records/catalog/word-reader.js';
import { analyze } from '../../../src/shared/text.js';
import { docOf, emptyCatalog, idFor, MODEL, vectorOf } from './subject.js';

describe('links', () => {
  const edge = (id: string, source: string, target: string): LinkEdge => ({
    id: idFor(id),
    source: idFor(source),
    target: idFor(target),
    type: 'led_to',
  });
  const ids = (edges: readonly LinkEdge[]) => edges.map(({ id }) => id);

  it('are found from both ends, in cycles too', () => {
    const graph = createLinkGraph();
    graph.put(edge('ab', 'a', 'b'));
    graph.put(edge('ba', 'b', 'a'));
    graph.put(edge('ac', 'a', 'c'));
    expect(graph.size).toBe(3);
    expect(ids(graph.out(idFor('a')))).toEqual([idFor('ab'), idFor('ac')]);
    expect(ids(graph.in(idFor('a')))).toEqual([idFor('ba')]);
    expect(graph.out(idFor('nobody'))).toEqual([]);
  });

  it('are replaced under their id, also by one that leads elsewhere', () => {
    const graph = createLinkGraph();
    graph.put(edge('x', 'a', 'b'));
    graph.put(edge('x', 'a', 'b'));
    graph.put(edge('x', 'c', 'd'));
    expect([graph.size, graph.out(idFor('a')), graph.in(idFor('b'))]).toEqual([1, [], []]);
    expect(ids(graph.out(idFor('c')))).toEqual([idFor('x')]);
  });

  it('from a document to itself are ignored', () => {
    const graph = createLinkGraph();
    graph.put(edge('x', 'a', 'a'));
    expect([graph.size, graph.out(idFor('a')), graph.in(idFor('a'))]).toEqual([0, [], []]);
  });

  it('can be removed once, and a walk over them survives it', () => {
    const graph = createLinkGraph();
    for (const id of ['x', 'y', 'z']) graph.put(edge(id, 'a', id));
    const walked: string[] = [];
    for (const { id } of graph.out(idFor('a'))) {
      walked.push(id);
      expect(graph.remove(id)).toBe(true);
    }
    expect(walked).toEqual(['x', 'y', 'z'].map(idFor));
    expect([graph.size, graph.remove(idFor('x')), graph.in(idFor('x'))]).toEqual([0, false, []]);
  });
});

describe('the catalog', () => {
  it('makes a shelf when first asked for and then gives the same', () => {
    const catalog = emptyCatalog();
    expect(catalog.shelves()).toEqual([]);
    expect(catalog.shelf('cue_a')).toBe(catalog.shelf('cue_a'));
    expect(catalog.shelf('cue_b').type).toBe('cue_b');
    expect(catalog.shelves()).toHaveLength(2);
  });

  it('tells those who wait when it is ready, and those who come later', async () => {
    const catalog = emptyCatalog();
    const early = catalog.loaded();
    catalog.report({ state: 'loading', loaded: 5, total: 10 });
    expect(catalog.status()).toEqual({ state: 'loading', loaded: 5, total: 10 });
    const failed = { state: 'failed', reason: 'no database' } as const;
    catalog.report(failed);
    expect(await early).toEqual(failed);
    expect(await catalog.loaded()).toEqual(failed);
    const ready = { state: 'ready', fromSnapshot: false, tookMs: 3 } as const;
    catalog.report(ready);
    expect(await catalog.loaded()).toEqual(ready);
  });

  it('counts the bytes of its parts', () => {
    const catalog = emptyCatalog();
    const shelf = catalog.shelf('cue_a');
    shelf.setModel(MODEL);
    expect(catalog.memory()).toEqual(shelf.memory());
    const empty = catalog.memory().vectors as number;
    for (let i = 0; i < 10; i += 1) shelf.put(docOf(i, { vector: vectorOf(i) }));
    expect((catalog.memory().vectors as number) - empty).toBe(10 * 384);
  });
});

it('keeps lists apart through growing, replacing and reuse', () => {
  const list = fc.integer({ min: 0, max: 5 });
  const entry = fc.tuple(fc.nat(2 ** 24), fc.nat(127));
  const action = fc.oneof(
    fc.record({ push: list, count: fc.integer({ min: 1, max: 3_000 }), payload: fc.nat(127) }),
    fc.record({ clear: list }),
    fc.record({ set: list, values: fc.array(entry, { maxLength: 40 }) }),
    fc.record({ copy: list, to: list }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const lists = new PackedLists(new BlockPool(), 7, 1);
      const plain: number[][] = Array.from({ length: 6 }, () => []);
      for (const act of actions) {
        if ('push' in act) {
          const values = plain[act.push] as number[];
          const from = values.length === 0 ? 0 : ((values.at(-1) as number) >>> 7) + 1;
          for (let i = 0; i < act.count; i += 1) {
            lists.push(act.push, from + 3 * i, act.payload);
            values.push(((from + 3 * i) << 7) | act.payload);
          }
        } else if ('clear' in act) {
          lists.clear(act.clear);
          plain[act.clear] = [];
        } else if ('copy' in act) {
          if (act.copy === act.to) continue;
          const { bytes, next } = lists.bytesOf(act.copy);
          const own = bytes.slice();
          lists.clear(act.to);
          lists.load(act.to, own, lists.countOf(act.copy), next);
          plain[act.to] = [...(plain[act.copy] as number[])];
        } else {
          const byNumber = new Map(act.values);
          const numbers = [...byNumber.keys()].sort((a, b) => a - b);
          const values = numbers.map((one) => (one << 7) | (byNumber.get(one) as number));
          lists.set(act.set, Int32Array.from(values));
          plain[act.set] = values;
        }
      }
      for (const [number, values] of plain.entries()) {
        expect(lists.countOf(number)).toBe(values.length);
        expect(lists.read(number)).toEqual(Int32Array.from(values));
      }
    }),
    { numRuns: 100 },
  );
});

it('does not grow when the same lists come and go', () => {
  const pool = new BlockPool();
  const lists = new PackedLists(pool, 0);
  const values = Int32Array.from({ length: 3_000 }, (_, i) => i);
  let first = 0;
  for (let round = 0; round < 50; round += 1) {
    for (let list = 0; list < 100; list += 1) lists.set(list, values.subarray(0, list * 30));
    if (round === 0) first = pool.bytes;
    for (let list = 0; list < 100; list += 1) lists.clear(list);
  }
  expect(pool.bytes).toBeLessThanOrEqual(first);
});

it('interns any string once, unpaired surrogates included', () => {
  const names = new Interner();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const number = names.intern(text);
      expect([names.intern(text), names.numberOf(text), names.textOf(number)]).toEqual([
        number,
        number,
        text,
      ]);
    }),
  );
  expect(names.intern('\ud800')).not.toBe(names.intern('\ufffd'));
});

it('finds slots by id in either case, also after many came and went', () => {
  const ids = new IdTable();
  for (let i = 0; i < 5_000; i += 1) {
    expect(ids.add(i, idFor(i))).toBe(true);
    if (i >= 100) ids.remove(i - 100);
  }
  expect(ids.size).toBe(100);
  for (let i = 4_800; i < 5_000; i += 1) {
    expect(ids.slotOf(idFor(i))).toBe(i < 4_900 ? undefined : i);
  }
  expect(ids.slotOf(idFor(4_999).toUpperCase())).toBe(4_999);
  expect([ids.slotOf('nonsense'), ids.add(1, 'nonsense')]).toEqual([undefined, false]);
});

it('sorts many slots as a comparison would, negative and equal times included', () => {
  const time = fc.oneof(
    fc.constantFrom(0, -0, 5, 1_700_000_000_000, -3.5),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const entries = fc.array(fc.record({ time, thread: fc.nat(3) }), {
    minLength: 300,
    maxLength: 600,
  });
  fc.assert(
    fc.property(entries, (all) => {
      const times = Float64Array.from(all, (entry) => entry.time);
      const threads = Int32Array.from(all, (entry) => entry.thread);
      const slots = Int32Array.from(all.keys());
      const wanted = [...slots].sort(
        (a, b) =>
          (threads[a] as number) - (threads[b] as number) ||
          (times[a] as number) - (times[b] as number) ||
          a - b,
      );
      expect([...sortSlots(slots, times, threads, 4)]).toEqual(wanted);
    }),
    { numRuns: 20 },
  );
});

describe('the words of a text, read as numbers', () => {
  const read = (reader: WordReader, texts: readonly string[]) => {
    let end = 0;
    for (const text of texts) end = reader.read(text, end);
    return [...reader.numbers.data.subarray(0, end)];
  };
  const piece = fc.oneof(
    fc.constantFrom(' ', '\n', '-', '_', "'", '/', '—', '\u0301', '\u0338', '’', '<', '\u00a0'),
    fc.constantFrom(
      'add',
      'Indexes',
      'parseHTTPHeader',
      'the',
      '42',
      'naïve',
      'ﬁle',
      '検索',
      '한',
      '\ud800',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  const texts = fc.array(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    { maxLength: 4 },
  );

  it('are those of the analysis, and get their numbers in its order', () => {
    const [names, expected] = [new Interner(), new Interner()];
    const reader = new WordReader(analyze, names);
    fc.assert(
      fc.property(texts, (some) => {
        const numbers = some.flatMap((text) => analyze(text).map((term) => expected.intern(term)));
        expect(read(reader, some)).toEqual(numbers);
      }),
      { numRuns: 2_000 },
    );
    expect(names.texts(0, names.size)).toEqual(expected.texts(0, expected.size));
  });

  it('are so however many there are, and however long', () => {
    const [names, expected] = [new Interner(), new Interner()];
    const reader = new WordReader(analyze, names);
    const long = `${'x'.repeat(39)} ${'y'.repeat(40)} ${'z'.repeat(41)}`;
    for (const round of [1, 2]) {
      for (let from = 0; from < 40_000; from += 500) {
        const words = Array.from({ length: 500 }, (_, at) => `word${from + at} aB${at}`).join(' ');
        const text = `${words} ${long} ${round}`;
        const numbers = analyze(text).map((term) => expected.intern(term));
        expect(read(reader, [text])).toEqual(numbers);
      }
    }
    expect(names.size).toBe(expected.size);
  });

  it('are none of what is no text', () => {
    const reader = new WordReader(analyze, new Interner());
    for (const value of [undefined, null, 5, {}]) {
      expect(() => reader.read(value as unknown as string, 0)).toThrow(TypeError);
    }
  });
});
