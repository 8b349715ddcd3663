import { expect, it } from 'vitest';
import { addFeedback, fuse } from '../../../src/memory/recall/fusion.js';
import { createCatalog, type Reader } from '../../../src/records/index.js';
import { analyze } from '../../../src/shared/text.js';

const OPERATOR = { reader: { kind: 'operator' } as Reader };
const idOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}` as const;
const byAge = (a: number, b: number) => a < b;

/** The texts in slots 0, 1, 2 …, among eighty others. */
function shelfOf(...texts: string[]) {
  const catalog = createCatalog({ analyze, project: idOf(999) });
  const shelf = catalog.shelf('memory');
  const others = Array.from({ length: 80 }, (_, at) => `stranger${at} speaks of matter${at}`);
  for (const [at, text] of [...texts, ...others].entries()) {
    shelf.put({
      id: idOf(at),
      audience: 'p',
      timeMs: at,
      flags: 0,
      keys: [],
      fields: [{ text }],
      vector: null,
    });
  }
  return shelf;
}

/** Slots by score after the words of the best hits have counted. */
function ordered(shelf: ReturnType<typeof shelfOf>, scores: number[], asked: string) {
  const whole = Array.from({ length: shelf.slots }, (_, slot) => scores[slot] ?? 0);
  const fused = fuse([[{ scores: Float32Array.from(whole) }, 1]]);
  const terms = new Map(analyze(asked).map((term) => [term, 1]));
  addFeedback(fused, shelf, OPERATOR, terms, byAge);
  return [...fused.touched]
    .sort((a, b) => (fused.scores[b] ?? 0) - (fused.scores[a] ?? 0))
    .map((slot) => [slot, Math.round((fused.scores[slot] ?? 0) * 100) / 100]);
}

const shelf = shelfOf(
  'the ferry to Lisbon sank with its anchor',
  'the ferry lost its anchor off Lisbon',
  'a ferry is painted green',
  'an anchor was found off Lisbon by divers',
  'Lisbon anchor',
);

it('what shares words with the best hits comes before what shares fewer', () => {
  const order = ordered(shelf, [1, 0.9, 0.5, 0.45], 'ferry');
  expect(order.map(([slot]) => slot)).toEqual([0, 1, 3, 2]);
});

it('the two best keep their places and their scores', () => {
  const order = ordered(shelf, [1, 0.9, 0.5, 0.89], 'ferry');
  expect(order.slice(0, 3)).toEqual([
    [0, 1],
    [1, 0.9],
    [3, 0.89],
  ]);
});

it('nothing is found that was not found before, and of two hits nothing changes', () => {
  expect(ordered(shelf, [1, 0.9, 0.5], 'ferry').map(([slot]) => slot)).not.toContain(4);
  expect(ordered(shelf, [1, 0.5], 'ferry')).toEqual([
    [0, 1],
    [1, 0.5],
  ]);
});

it('words of the question count no second time, and without others nothing changes', () => {
  const few = shelfOf('ferry', 'ferry', 'ferry');
  expect(ordered(few, [1, 0.9, 0.5], 'ferry')).toEqual([
    [0, 1],
    [1, 0.9],
    [2, 0.5],
  ]);
});

it('the words that tell most are often in the documents and rare elsewhere, aside by halves', () => {
  const one = shelfOf('oak oak oak elm', 'elm fir');
  one.put({
    id: idOf(500),
    audience: 'p',
    timeMs: 500,
    flags: 0,
    keys: [],
    fields: [{ text: 'ash' }, { text: 'yew', isAside: true }],
    vector: null,
  });
  const first = one.telling(new Map([[0, 1]]), new Map(), 9);
  expect([...first.keys()]).toEqual(['oak', 'elm']);
  expect(first.get('oak')).toBe(1);
  expect([...one.telling(new Map([[0, 1]]), new Map([['oak', 1]]), 9)]).toEqual([['elm', 1]]);
  expect([...one.telling(new Map([[82, 1]]), new Map(), 9)]).toEqual([
    ['ash', 1],
    ['yew', 0.5],
  ]);
  expect([...one.telling(new Map([[0, 1]]), new Map(), 1).keys()]).toEqual(['oak']);
});
