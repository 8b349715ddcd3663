/** Searches that rank nothing: by keys and by time, newest first. */

import { intersect, type Postings } from './postings.js';
import type { SlotColumns } from './slot-columns.js';
import { acceptsEvery, acceptsPlain, clearOthers, countPlain } from './slot-columns.js';
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

  /** Takes the scores of all slots that the filter does not let through. */
  clearOthers(filter: SlotFilter, scores: Float32Array): void {
    if (acceptsEvery(this.#columns, filter)) return;
    if (filter.keysAll === undefined || filter.keysAll.length === 0) {
      clearOthers(this.#columns, filter, scores);
      return;
    }
    const accepts = this.accepts(filter);
    for (let slot = 0; slot < scores.length; slot += 1) {
      if (scores[slot] !== 0 && !accepts(slot)) scores[slot] = 0;
    }
  }

  byKeys(keys: readonly string[], filter: SlotFilter, limit: number): Found {
    const all = [...keys, ...(filter.keysAll ?? [])];
    if (all.length === 0) return this.newest(filter, limit);
    const lists = this.#keyLists(all);
    if (lists === null) return { slots: [], total: 0 };
    const [first = nowhere] = lists;
    if (lists.length === 1) {
      return this.#newestOf(first.length, first, filter, limit);
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
    return this.#newestOf(this.#columns.length, null, filter, limit);
  }

  /**
   * The newest of `length` slots, ascending by index (`null`: all). Walks from the end until nothing newer can
   * come, then only counts; and when the filter lets all through, the count is known.
   */
  #newestOf(length: number, slots: Int32Array | null, filter: SlotFilter, limit: number): Found {
    const accepts = acceptsPlain(this.#columns, filter);
    const newest = createNewest(limit, this.#columns.times.data);
    const latest = this.#columns.latest.data;
    const since = filter.sinceMs ?? Number.NEGATIVE_INFINITY;
    let total = 0;
    let at = length - 1;
    for (let complete = limit <= 0; at >= 0 && !complete; at -= 1) {
      const slot = slots === null ? at : (slots[at] as number);
      if ((latest[slot] as number) < since) break;
      if (!accepts(slot)) continue;
      total += 1;
      newest.offer(slot);
      complete = newest.isFull() && (latest[slot] as number) <= newest.oldest();
    }
    const found = newest.take();
    if (acceptsEvery(this.#columns, { ...filter, keysAll: [] })) {
      // Postings hold no holes, the slots of the shelf may.
      return { slots: found, total: Math.min(length, this.#columns.size()) };
    }
    // Those before are too old.
    let from = 0;
    for (let end = at + 1; from < end; ) {
      const middle = (from + end) >>> 1;
      const slot = slots === null ? middle : (slots[middle] as number);
      if ((latest[slot] as number) < since) from = middle + 1;
      else end = middle;
    }
    return { slots: found, total: total + countPlain(this.#columns, filter, slots, from, at + 1) };
  }

  /** Postings of every key; `null` when one of them is unknown. */
  #keyLists(keys: readonly string[]): Int32Array[] | null {
    const lists: Int32Array[] = [];
    for (const key of keys) {
      const number = this.#keys.names.numberOf(key);
      if (number === undefined) return null;
      const postings = this.#keys.postingsOf(number);
      lists.push(keys.length === 1 ? postings : postings.slice());
    }
    return lists;
  }
}

/** The newest few of many slots: a heap whose root is the oldest of those kept. */

interface NewestSlots {
  offer(slot: number): void;
  /** Whether the limit is reached; then only later times than `oldest` get in. */
  isFull(): boolean;
  oldest(): number;
  /** Newest first; of equal times the larger slot first. */
  take(): number[];
}

function createNewest(limit: number, timesOf: Float64Array): NewestSlots {
  const slots: number[] = [];
  const times: number[] = [];

  const older = (a: number, b: number) => {
    const left = times[a] as number;
    const right = times[b] as number;
    return left < right || (left === right && (slots[a] as number) < (slots[b] as number));
  };
  const swap = (a: number, b: number) => {
    [slots[a], slots[b]] = [slots[b] as number, slots[a] as number];
    [times[a], times[b]] = [times[b] as number, times[a] as number];
  };

  function up(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!older(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  }

  function down(): void {
    for (let at = 0; ; ) {
      const left = at * 2 + 1;
      let least = at;
      if (left < slots.length && older(left, least)) least = left;
      if (left + 1 < slots.length && older(left + 1, least)) least = left + 1;
      if (least === at) return;
      swap(at, least);
      at = least;
    }
  }

  return {
    offer(slot) {
      if (limit <= 0) return;
      const time = timesOf[slot] as number;
      if (slots.length < limit) {
        slots.push(slot);
        times.push(time);
        up(slots.length - 1);
        return;
      }
      const oldest = times[0] as number;
      if (time < oldest || (time === oldest && slot < (slots[0] as number))) return;
      slots[0] = slot;
      times[0] = time;
      down();
    },
    isFull: () => slots.length >= limit,
    oldest: () => times[0] ?? Number.NEGATIVE_INFINITY,
    take() {
      const order = [...slots.keys()].sort((a, b) => (older(a, b) ? 1 : -1));
      return order.map((at) => slots[at] as number);
    },
  };
}
