/** Documents, vectors and catalogs for the tests of this folder. */
import fc from 'fast-check';
import { createCatalog } from '../../../src/records/catalog/catalog.js';
import type { KernelFactory } from '../../../src/records/catalog/kernel.js';
import type { CatalogDoc, SlotFilter, Spread } from '../../../src/records/catalog/types.js';
import type { Reader } from '../../../src/records/scope.js';
import { derivedId } from '../../../src/shared/ids.js';
import { analyzeWords } from './reference.js';

/** The same cases in every run; another seed is worth a try after a change. */

export const PROJECT = derivedId('project');
export const MODEL = 'test-model';
export const idFor = (name: string | number) => derivedId('doc', name);
export const ANN = derivedId('ann');
export const ROOM = derivedId('room');

export const emptyCatalog = (kernel?: KernelFactory) =>
  createCatalog({ analyze: analyzeWords, project: PROJECT, ...(kernel && { kernel }) });

export function emptyShelf(kernel?: KernelFactory) {
  const shelf = emptyCatalog(kernel).shelf('cue_test');
  shelf.setModel(MODEL);
  return shelf;
}

/** A unit vector that depends on the seed alone. */
export function vectorOf(seed: number): Float32Array {
  const vector = new Float32Array(384);
  let state = (seed + 1) * 2654435761;
  for (let i = 0; i < vector.length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    vector[i] = state / 2 ** 31 - 1;
  }
  const length = Math.sqrt(vector.reduce((total, value) => total + value * value, 0));
  return vector.map((value) => value / length);
}

export const docOf = (name: string | number, change: Partial<CatalogDoc> = {}): CatalogDoc => ({
  id: idFor(name),
  timeMs: 1_000,
  keys: [],
  flags: 0,
  audience: 'p',
  fields: [],
  vector: null,
  ...change,
});

export const OPERATOR: SlotFilter = { reader: { kind: 'operator' } };

const AUDIENCES = ['p', 'p', `u:${ANN}`, `r:${ROOM}`, '-'];
const WORDS = ['add', 'drop', 'index', 'cache', 'jwt', 'token', 'retry'];
const KEYS = ['file:a.ts', 'file:b.ts', 'tag:x', 'tag:y'];

const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((words) => words.join(' '));

/** Documents that often share ids, times, words and threads. */
export const docs: fc.Arbitrary<CatalogDoc> = fc
  .record({
    id: fc.integer({ min: 0, max: 14 }).map(idFor),
    timeMs: fc.constantFrom(-5, 0, 1, 2, 3, 1_800_002, 1_700_000_000_000),
    keys: fc.array(fc.constantFrom(...KEYS), { maxLength: 4 }),
    flags: fc.integer({ min: 0, max: 7 }),
    audience: fc.constantFrom(...AUDIENCES),
    thread: fc.constantFrom(undefined, 's1', 's2'),
    fields: fc.array(
      fc.record({ text, weight: fc.integer({ min: 1, max: 4 }), isAside: fc.boolean() }),
      { maxLength: 2 },
    ),
    vector: fc.option(fc.integer({ min: 0, max: 5 }).map(vectorOf)),
  })
  .map(({ thread, ...rest }) => (thread === undefined ? rest : { ...rest, thread }));

const reader: fc.Arbitrary<Reader> = fc.constantFrom<Reader>(
  { kind: 'operator' },
  { kind: 'agent' },
  { kind: 'entity', entityId: ANN },
  { kind: 'entity', entityId: ANN, roomId: ROOM },
);

export const filters: fc.Arbitrary<SlotFilter> = fc.record(
  {
    reader,
    flagsAll: fc.integer({ min: 0, max: 3 }),
    flagsNone: fc.constantFrom(0, 4),
    sinceMs: fc.constantFrom(0, 2),
    beforeMs: fc.constantFrom(3, 1_700_000_000_000),
    keysAll: fc.array(fc.constantFrom(...KEYS), { maxLength: 2 }),
  },
  { requiredKeys: ['reader'] },
);

export const keySets = fc.array(fc.constantFrom(...KEYS, 'tag:unknown'), { maxLength: 3 });
export const queries = fc
  .dictionary(fc.constantFrom(...WORDS, 'unheard'), fc.constantFrom(1, 0.5, 2))
  .map((terms) => new Map(Object.entries(terms)));
export const spreads = fc.constantFrom<Spread | null>(
  null,
  { before: [0.5], after: [0.5] },
  { before: [0.3, 0.2], after: [0.6, 0.4, 0.2, 0.1] },
);

/** What happens to a shelf. */
export const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ put: docs }) },
    { weight: 1, arbitrary: fc.record({ remove: fc.integer({ min: 0, max: 14 }).map(idFor) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        setVector: fc.integer({ min: 0, max: 14 }).map(idFor),
        vector: fc.option(fc.integer({ min: 0, max: 5 }).map(vectorOf)),
      }),
    },
  ),
  { minLength: 1, maxLength: 60 },
);
