import { expect, it } from 'vitest';
import { giveBack, takeRoom, takeZeros } from '../../../src/records/catalog/score-arrays.js';
import { docOf, emptyShelf, OPERATOR, vectorOf } from './subject.js';

const SLOTS = 5_000;

it('gives the room of what was given back to the next one, as zeros', () => {
  const first = takeZeros(SLOTS).fill(7);
  giveBack(first);
  const next = takeZeros(SLOTS + 1);
  expect(next.buffer).toBe(first.buffer);
  expect(next.every((value) => value === 0)).toBe(true);
  expect(takeZeros(SLOTS).buffer).not.toBe(next.buffer);
});

it('never has one room for two, and says who gives one back twice', () => {
  const rooms = Array.from({ length: 100 }, () => takeRoom(SLOTS));
  for (const room of rooms) giveBack(new Float32Array(room));
  const taken = Array.from({ length: 100 }, () => takeRoom(SLOTS));
  expect(new Set(taken).size).toBe(100);
  const [one] = taken as [ArrayBuffer];
  giveBack(new Int32Array(one));
  expect(() => giveBack(new Int32Array(one))).toThrow('given back twice');
});

it('searches the same in used room, and leaves what is still read alone', () => {
  const shelf = emptyShelf();
  for (let i = 0; i < SLOTS; i += 1) {
    shelf.put(docOf(i, { vector: vectorOf(i), fields: [{ text: `word${i % 7} all` }] }));
  }
  const search = (at: number) => [
    shelf.nearest(vectorOf(at), OPERATOR),
    shelf.keyword(new Map([[`word${at % 7}`, 1]]), OPERATOR),
  ];
  const plain = (lists: ReturnType<typeof search>) =>
    lists.map(({ scores, touched }) => [[...scores], [...touched]]);
  const expected = [1, 2, 3].map((at) => plain(search(at)));
  const kept = search(1);
  for (const at of [2, 3, 2, 3]) {
    const lists = search(at);
    expect(plain(lists)).toEqual(expected[at - 1]);
    for (const list of lists) list.release();
  }
  expect(plain(kept)).toEqual(expected[0]);
});
