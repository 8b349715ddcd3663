/**
 * Which slots hold a string (a key or a word): ascending postings per string, and the strings of
 * each slot. Knowing both directions, a removed document is taken out of its postings at once
 * (binary search and a move within the list), so that counts are always exact and nothing has to be
 * swept later.
 */

import { type BlockPool, IntLists } from './int-lists.js';
import { Interner } from './interner.js';

/**
 * An entry packs a number and `bits` bits of payload. Entries of a slot are (string, payload), those
 * of a posting list are (slot, payload).
 */
export class Postings {
  readonly names = new Interner();
  readonly bits: number;
  readonly #bySlot: IntLists;
  readonly #byName: IntLists;

  constructor(pool: BlockPool, bits: number) {
    this.bits = bits;
    this.#bySlot = new IntLists(pool);
    this.#byName = new IntLists(pool);
  }

  get bytes(): number {
    return this.names.bytes + this.#bySlot.bytes + this.#byName.bytes;
  }

  /** Entries of a slot, ascending; a view. */
  entriesOf(slot: number): Int32Array {
    return this.#bySlot.view(slot);
  }

  /** Postings of a string's number, slots ascending; a view. */
  postingsOf(name: number): Int32Array {
    return this.#byName.view(name);
  }

  /** How many documents hold the string. */
  countOf(name: number): number {
    return this.#byName.lengthOf(name);
  }

  reserve(name: number, count: number): void {
    this.#byName.reserve(name, count);
  }

  /** Adds a slot that is larger than all before, with its entries (ascending). */
  add(slot: number, entries: Int32Array): void {
    const { bits } = this;
    const payload = (1 << bits) - 1;
    this.#bySlot.set(slot, entries);
    for (const entry of entries) {
      this.#byName.push(entry >>> bits, (slot << bits) | (entry & payload));
    }
  }

  remove(slot: number): void {
    const { bits } = this;
    for (const entry of this.#bySlot.view(slot)) {
      const name = entry >>> bits;
      const index = searchSlot(this.#byName.view(name), slot, bits);
      if (index >= 0) this.#byName.removeAt(name, index);
    }
    this.#bySlot.clear(slot);
  }
}

/** Index of the slot in postings, or -1. */
function searchSlot(postings: Int32Array, slot: number, bits: number): number {
  let low = 0;
  let high = postings.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = (postings[middle] as number) >>> bits;
    if (found === slot) return middle;
    if (found < slot) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/**
 * Slots that are in all lists (plain slots, ascending), largest slot first. Walks the shortest list;
 * in the others it gallops backwards from where it was.
 */
export function intersect(lists: readonly Int32Array[], visit: (slot: number) => void): void {
  const sorted = [...lists].sort((a, b) => a.length - b.length);
  const [rarest, ...others] = sorted;
  if (rarest === undefined) return;
  const ends = others.map((list) => list.length);
  for (let i = rarest.length - 1; i >= 0; i -= 1) {
    const slot = rarest[i] as number;
    let everywhere = true;
    for (let other = 0; other < others.length && everywhere; other += 1) {
      const list = others[other] as Int32Array;
      const end = endBefore(list, ends[other] as number, slot);
      ends[other] = end;
      everywhere = end > 0 && list[end - 1] === slot;
    }
    if (everywhere) visit(slot);
  }
}

/** The largest end ≤ `end` whose last value is ≤ slot. */
function endBefore(list: Int32Array, end: number, slot: number): number {
  let step = 1;
  let high = end;
  while (high - step >= 0 && (list[high - step] as number) > slot) {
    high -= step;
    step *= 2;
  }
  let low = Math.max(0, high - step);
  // list[low - 1] ≤ slot or low is 0; everything from `high` on is larger.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as number) > slot) high = middle;
    else low = middle + 1;
  }
  return low;
}
