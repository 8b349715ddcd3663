/**
 * Live slots thread by thread (in the order threads appeared), within a thread by time, within one
 * time by insertion. Changes are noted and put in order when somebody asks, so that a bulk load
 * sorts once; a single change costs the next question one walk (about 1 ms for 100,000).
 */
import { MINUTE_MS } from '../../shared/clock.js';
import { type Column, int32Column } from './columns.js';

/** So many new slots are put in one by one; more are merged in one walk over all. */
const FEW = 4;

/** A longer silence ends a conversation (DESIGN §1, Session): what comes after it is no neighbour. */
export const SILENCE_MS = 30 * MINUTE_MS;

/** Columns of the shelf. `audiences` is 0 for holes. */
export interface TimelineColumns {
  times: Column<Float64Array>;
  threads: Column<Int32Array>;
  audiences: Column<Int32Array>;
}

/** The order as arrays, valid until the shelf changes; `length` of each is used. */
export interface Places {
  length: number;
  /** Place → slot. */
  slots: Int32Array;
  /** Place → run: a stretch of one thread without a silence of more than 30 minutes. */
  runs: Int32Array;
  /** Slot → place. */
  places: Int32Array;
}

export class Timeline {
  readonly #columns: TimelineColumns;
  readonly #slots = int32Column();
  readonly #runs = int32Column();
  readonly #places = int32Column();
  #length = 0;
  #threadCount = 0;
  /** Slots that are not at the end of the order, ascending. */
  #late: number[] = [];
  #removed = false;

  constructor(columns: TimelineColumns) {
    this.#columns = columns;
  }

  get bytes(): number {
    return this.#slots.bytes + this.#runs.bytes + this.#places.bytes;
  }

  /** A new slot, larger than all before. */
  add(slot: number): void {
    const thread = this.#columns.threads.data[slot] as number;
    this.#threadCount = Math.max(this.#threadCount, thread + 1);
    this.#places.reserve(slot + 1);
    const last = this.#length - 1;
    if (last >= 0 && this.#isAfter(this.#slots.data[last] as number, slot)) this.#late.push(slot);
    else this.#append(slot);
  }

  /** Some slot has become a hole. */
  remove(): void {
    this.#removed = true;
  }

  places(): Places {
    if (this.#late.length > 0 || this.#removed) this.#settle();
    return {
      length: this.#length,
      slots: this.#slots.data,
      runs: this.#runs.data,
      places: this.#places.data,
    };
  }

  #append(slot: number): void {
    const place = this.#length;
    this.#slots.reserve(place + 1);
    this.#runs.reserve(place + 1);
    this.#slots.data[place] = slot;
    this.#runs.data[place] = this.#runAt(place);
    this.#places.data[slot] = place;
    this.#length = place + 1;
  }

  /** Puts one slot where it belongs; those behind it move up. */
  #insert(slot: number): void {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isAfter(this.#slots.data[middle] as number, slot)) high = middle;
      else low = middle + 1;
    }
    this.#length += 1;
    this.#slots.reserve(this.#length);
    this.#runs.reserve(this.#length);
    const slots = this.#slots.data;
    const places = this.#places.data;
    slots.copyWithin(low + 1, low, this.#length - 1);
    slots[low] = slot;
    for (let place = low; place < this.#length; place += 1) {
      places[slots[place] as number] = place;
      this.#runs.data[place] = this.#runAt(place);
    }
  }

  /** Run of a place whose slot and whose place before are known. */
  #runAt(place: number): number {
    if (place === 0) return 0;
    const run = this.#runs.data[place - 1] as number;
    const { threads, times } = this.#columns;
    const before = this.#slots.data[place - 1] as number;
    const slot = this.#slots.data[place] as number;
    const goesOn =
      threads.data[before] === threads.data[slot] &&
      (times.data[slot] as number) - (times.data[before] as number) <= SILENCE_MS;
    return goesOn ? run : run + 1;
  }

  #isAfter(a: number, b: number): boolean {
    const threads = this.#columns.threads.data;
    const times = this.#columns.times.data;
    const thread = (threads[a] as number) - (threads[b] as number);
    if (thread !== 0) return thread > 0;
    const time = (times[a] as number) - (times[b] as number);
    return time > 0 || (time === 0 && a > b);
  }

  #settle(): void {
    if (!this.#removed && this.#late.length <= FEW) {
      for (const slot of this.#late) this.#insert(slot);
      this.#late = [];
      return;
    }
    const audiences = this.#columns.audiences.data;
    const late = sortSlots(
      Int32Array.from(this.#late.filter((slot) => audiences[slot] !== 0)),
      this.#columns.times.data,
      this.#columns.threads.data,
      this.#threadCount,
    );
    const old = this.#slots.data.slice(0, this.#length);
    this.#length = 0;
    let next = 0;
    for (const slot of old) {
      if (audiences[slot] === 0) continue;
      while (next < late.length && this.#isAfter(slot, late[next] as number)) {
        this.#append(late[next] as number);
        next += 1;
      }
      this.#append(slot);
    }
    for (; next < late.length; next += 1) this.#append(late[next] as number);
    this.#late = [];
    this.#removed = false;
  }
}

/** Sorting slots by (thread, time, slot), fast enough for a bulk load in any order. */

const DIGIT_BITS = 16;
const DIGITS = 1 << DIGIT_BITS;
/** Below this a comparison sort is faster than counting 65,536 digits. */
const FEW_TO_SORT = 256;

/**
 * Slots (ascending) by thread, then time, then slot. 100,000 take some 10 ms, a tenth of what a
 * comparison function takes.
 */
export function sortSlots(
  slots: Int32Array,
  times: Float64Array,
  threads: Int32Array,
  threadCount: number,
): Int32Array {
  if (slots.length < FEW_TO_SORT) {
    return slots.slice().sort((a, b) => {
      const thread = (threads[a] as number) - (threads[b] as number);
      return thread || (times[a] as number) - (times[b] as number) || a - b;
    });
  }
  const byTime = sortByTime(slots, times);
  const threadOf = (i: number) => threads[byTime[i] as number] as number;
  return countingSort(byTime, threadOf, new Int32Array(byTime.length), threadCount);
}

/** Radix sort over the bits of doubles, which order like integers once negative ones are flipped. */
function sortByTime(slots: Int32Array, times: Float64Array): Int32Array {
  const bits = new Uint32Array(slots.length * 2);
  const doubles = new Float64Array(bits.buffer);
  // Adding 0 turns -0 into 0: they are the same moment.
  for (let i = 0; i < slots.length; i += 1) doubles[i] = (times[slots[i] as number] as number) + 0;
  for (let i = 0; i < bits.length; i += 2) {
    const high = bits[i + 1] as number;
    if (high >= 0x80000000) {
      bits[i] = ~(bits[i] as number);
      bits[i + 1] = ~high;
    } else {
      bits[i + 1] = high | 0x80000000;
    }
  }
  let from = Int32Array.from(slots.keys());
  let to = new Int32Array(slots.length);
  for (let pass = 0; pass < 4; pass += 1) {
    const word = pass >> 1;
    const shift = (pass & 1) * DIGIT_BITS;
    const source = from;
    const digit = (i: number) =>
      ((bits[(source[i] as number) * 2 + word] as number) >>> shift) & (DIGITS - 1);
    countingSort(source, digit, to, DIGITS);
    [from, to] = [to, source];
  }
  for (let i = 0; i < from.length; i += 1) to[i] = slots[from[i] as number] as number;
  return to;
}

/** Values stably ordered by the class of their index, written into `to`. */
function countingSort(
  values: Int32Array,
  classOf: (index: number) => number,
  to: Int32Array<ArrayBuffer>,
  classes: number,
): Int32Array<ArrayBuffer> {
  const starts = new Int32Array(classes + 1);
  for (let i = 0; i < values.length; i += 1) {
    const next = classOf(i) + 1;
    starts[next] = (starts[next] as number) + 1;
  }
  for (let i = 0; i < classes; i += 1) {
    starts[i + 1] = (starts[i + 1] as number) + (starts[i] as number);
  }
  for (let i = 0; i < values.length; i += 1) {
    const own = classOf(i);
    const at = starts[own] as number;
    to[at] = values[i] as number;
    starts[own] = at + 1;
  }
  return to;
}
