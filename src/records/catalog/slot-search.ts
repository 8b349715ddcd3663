/** Searches that rank nothing: by keys and by time, newest first. */
import { createNewest } from './newest.js';
import { intersect, type Postings } from './postings.js';
import type { SlotColumns } from './slot-columns.js';
import { acceptsEvery, acceptsPlain } from './slot-filter.js';
import type { SlotFilter } from './types.js';

const nothing = () => false;
const nowhere = new Int32Array(0);

/** The newest slots, newest first, and how many there are in all. */
export interface Found {
  slots: number[];
  total: number;
}

export class SlotSearch {
  readonly #columns: SlotColumns;
  readonly #keys: Postings;

  constructor(columns: SlotColumns, keys: Postings) {
    this.#columns = columns;
    this.#keys = keys;
  }

  accepts(filter: SlotFilter): (slot: number) => boolean {
    const plain = acceptsPlain(this.#columns, filter);
    if (filter.keysAll === undefined || filter.keysAll.length === 0) return plain;
    const lists = this.#keyLists(filter.keysAll);
    if (lists === null) return nothing;
    const marks = new Uint32Array((this.#columns.length >>> 5) + 1);
    intersect(lists, (slot) => {
      marks[slot >>> 5] = (marks[slot >>> 5] as number) | (1 << (slot & 31));
    });
    return (slot) => ((marks[slot >>> 5] ?? 0) & (1 << (slot & 31))) !== 0 && plain(slot);
  }

  byKeys(keys: readonly string[], filter: SlotFilter, limit: number): Found {
    const all = [...keys, ...(filter.keysAll ?? [])];
    if (all.length === 0) return this.newest(filter, limit);
    const lists = this.#keyLists(all);
    if (lists === null) return { slots: [], total: 0 };
    const [first = nowhere] = lists;
    if (lists.length === 1) {
      return this.#newestOf(first.length, (i) => first[i] as number, filter, limit);
    }
    const found: number[] = [];
    const accepts = acceptsPlain(this.#columns, filter);
    intersect(lists, (slot) => {
      if (accepts(slot)) found.push(slot);
    });
    const newest = createNewest(limit, this.#columns.times.data);
    for (const slot of found) newest.offer(slot);
    return { slots: newest.take(), total: found.length };
  }

  hasKeys(keys: readonly string[], filter: SlotFilter): boolean {
    const lists = this.#keyLists([...keys, ...(filter.keysAll ?? [])]);
    if (lists === null) return false;
    const accepts = acceptsPlain(this.#columns, filter);
    const [first] = lists;
    if (lists.length > 1 || first === undefined) return this.byKeys(keys, filter, 1).total > 0;
    const since = filter.sinceMs ?? Number.NEGATIVE_INFINITY;
    for (let at = first.length - 1; at >= 0; at -= 1) {
      const slot = first[at] as number;
      if ((this.#columns.latest.data[slot] as number) < since) return false;
      if (accepts(slot)) return true;
    }
    return false;
  }

  newest(filter: SlotFilter, limit: number): Found {
    if (filter.keysAll !== undefined && filter.keysAll.length > 0) {
      return this.byKeys([], filter, limit);
    }
    return this.#newestOf(this.#columns.length, (slot) => slot, filter, limit);
  }

  /**
   * The newest of `length` slots, ascending by index. Walks from the end until nothing newer can
   * come, then only counts; and when the filter lets all through, the count is known.
   */
  #newestOf(
    length: number,
    slotAt: (index: number) => number,
    filter: SlotFilter,
    limit: number,
  ): Found {
    const accepts = acceptsPlain(this.#columns, filter);
    const newest = createNewest(limit, this.#columns.times.data);
    const latest = this.#columns.latest.data;
    const since = filter.sinceMs ?? Number.NEGATIVE_INFINITY;
    let total = 0;
    let at = length - 1;
    for (let complete = limit <= 0; at >= 0 && !complete; at -= 1) {
      const slot = slotAt(at);
      if ((latest[slot] as number) < since) break;
      if (!accepts(slot)) continue;
      total += 1;
      newest.offer(slot);
      complete = newest.isFull() && (latest[slot] as number) <= newest.oldest();
    }
    const slots = newest.take();
    if (acceptsEvery(this.#columns, { ...filter, keysAll: [] })) {
      // Postings hold no holes, the slots of the shelf may.
      return { slots, total: Math.min(length, this.#columns.size()) };
    }
    for (; at >= 0; at -= 1) {
      const slot = slotAt(at);
      // This one and all before it are too old.
      if ((latest[slot] as number) < since) break;
      if (accepts(slot)) total += 1;
    }
    return { slots, total };
  }

  /** Postings of every key; `null` when one of them is unknown. */
  #keyLists(keys: readonly string[]): Int32Array[] | null {
    const lists: Int32Array[] = [];
    for (const key of keys) {
      const number = this.#keys.names.numberOf(key);
      if (number === undefined) return null;
      lists.push(this.#keys.postingsOf(number));
    }
    return lists;
  }
}
