/**
 * Which slots hold a string (a key or a word): ascending postings per string, and the strings of
 * each slot. A removed document is only counted out of its strings; it is taken out of their postings
 * when somebody reads them, or when it would be more than half of one.
 */
import { int32Column } from './columns.js';
import { Interner } from './interner.js';
import { type BlockPool, PackedLists } from './packed-lists.js';

/**
 * An entry packs a number and `bits` bits of payload. Entries of a slot are (string, payload), those
 * of a posting list are (slot, payload).
 */
export class Postings {
  readonly names = new Interner();
  readonly bits: number;
  readonly bySlot: PackedLists;
  readonly byName: PackedLists;
  /** Documents that hold a string; its postings may have more. */
  readonly #live = int32Column();
  #scratch = new Int32Array(1024);
  /** Whose postings the scratch holds: what is looked up twice is unpacked once. */
  #held = -1;

  /** @param usual the payload most entries have */
  constructor(pool: BlockPool, bits: number, usual = 0) {
    this.bits = bits;
    this.bySlot = new PackedLists(pool, bits, usual);
    this.byName = new PackedLists(pool, bits, usual);
  }

  get bytes(): number {
    return this.names.bytes + this.bySlot.bytes + this.byName.bytes + this.#live.bytes;
  }

  /** Entries of a slot, ascending. */
  entriesOf(slot: number): Int32Array {
    return this.bySlot.read(slot);
  }

  /** Postings of a string's number, slots ascending; valid until the next call. */
  postingsOf(name: number): Int32Array {
    if (this.#held === name) return this.#scratch.subarray(0, this.countOf(name));
    const count = this.byName.countOf(name);
    this.#held = name;
    if (count > this.#scratch.length) this.#scratch = new Int32Array(Math.ceil(count * 1.5));
    const postings = this.byName.read(name, this.#scratch);
    return count === this.countOf(name) ? postings : this.#withoutGone(name, postings);
  }

  /** How many documents hold the string. */
  countOf(name: number): number {
    return this.#live.data[name] ?? 0;
  }

  /** Adds a slot that is larger than all before, with its entries (ascending). */
  add(slot: number, entries: Int32Array): void {
    const { bits, byName } = this;
    const payload = (1 << bits) - 1;
    this.#held = -1;
    this.bySlot.set(slot, entries);
    this.#live.reserve(this.names.size);
    const live = this.#live.data;
    for (let i = 0; i < entries.length; i += 1) {
      const entry = entries[i] as number;
      const name = entry >>> bits;
      live[name] = (live[name] as number) + 1;
      byName.push(name, slot, entry & payload);
    }
  }

  remove(slot: number): void {
    const entries = this.entriesOf(slot);
    this.#held = -1;
    this.bySlot.clear(slot);
    for (const entry of entries) {
      const name = entry >>> this.bits;
      const left = this.countOf(name) - 1;
      this.#live.data[name] = left;
      if (this.byName.countOf(name) > 2 * left) this.postingsOf(name);
    }
  }

  /** Takes what is gone out of all postings. */
  sweep(): void {
    for (let name = 0; name < this.names.size; name += 1) {
      if (this.byName.countOf(name) !== this.countOf(name)) this.postingsOf(name);
    }
  }

  /** Counts anew after the lists were loaded (snapshots). */
  recount(): void {
    this.#held = -1;
    this.#live.reserve(this.names.size);
    for (let name = 0; name < this.names.size; name += 1) {
      this.#live.data[name] = this.byName.countOf(name);
    }
  }

  #withoutGone(name: number, postings: Int32Array): Int32Array {
    let kept = 0;
    for (let i = 0; i < postings.length; i += 1) {
      const posting = postings[i] as number;
      if (this.bySlot.countOf(posting >>> this.bits) === 0) continue;
      postings[kept] = posting;
      kept += 1;
    }
    const left = postings.subarray(0, kept);
    this.byName.set(name, left);
    return left;
  }
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
