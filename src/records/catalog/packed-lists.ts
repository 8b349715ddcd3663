/**
 * Hundreds of thousands of ascending lists (postings, and the words and keys of each document) in a
 * few pages of bytes. An entry is a number with a few bits of payload. Kept is its distance from the
 * number before, seven bits a byte, and one bit that says whether a byte of payload follows: nearly
 * all entries take one or two bytes. A list is one contiguous block; a block that got too small is
 * given back and serves the next list.
 */
import { int32Column } from './columns.js';

const PAGE_BITS = 16;
const PAGE_BYTES = 1 << PAGE_BITS;
const OFFSET_MASK = PAGE_BYTES - 1;

/** Sizes of blocks: little is wasted, and growing by one size is a factor of about 1.2. */
const SIZES: number[] = [2];
for (let size = 3; size <= PAGE_BYTES / 8; size = Math.ceil(size * 1.2)) SIZES.push(size);
const LARGEST = SIZES.at(-1) ?? 0;

/** Number of the smallest size that holds so many bytes. */
const SIZE_FOR = new Uint8Array(LARGEST + 1);
for (let length = 0, at = 0; length <= LARGEST; length += 1) {
  if (length > (SIZES[at] ?? 0)) at += 1;
  SIZE_FOR[length] = at;
}

/** Bytes a block for `length` of them gets. Beyond the table a block is a page of its own. */
function capacityFor(length: number): number {
  if (length <= LARGEST) return SIZES[SIZE_FOR[length] as number] as number;
  return Math.ceil((length * 1.125) / 1024) * 1024;
}

const EMPTY = new Uint8Array(0);
/** An entry takes at most so many bytes: a distance below 2^27 and its payload. */
const MOST_BYTES = 5;

/** Pages and free blocks, shared by the lists of a shelf. An address is page and offset. */
export class BlockPool {
  readonly pages: Uint8Array[] = [];
  readonly #free: number[][] = SIZES.map(() => []);
  readonly #freePages: number[] = [];
  #current = -1;
  #used = PAGE_BYTES;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Address of a block of `capacity`, which comes from `capacityFor`. */
  allocate(capacity: number): number {
    if (capacity > LARGEST) return this.#addPage(capacity) << PAGE_BITS;
    const reused = this.#free[SIZE_FOR[capacity] as number]?.pop();
    if (reused !== undefined) return reused;
    if (this.#used + capacity > PAGE_BYTES) {
      this.#current = this.#addPage(PAGE_BYTES);
      this.#used = 0;
    }
    const address = (this.#current << PAGE_BITS) | this.#used;
    this.#used += capacity;
    return address;
  }

  release(address: number, capacity: number): void {
    if (capacity <= LARGEST) {
      this.#free[SIZE_FOR[capacity] as number]?.push(address);
      return;
    }
    const page = address >>> PAGE_BITS;
    this.#bytes -= this.pages[page]?.byteLength ?? 0;
    this.pages[page] = EMPTY;
    this.#freePages.push(page);
  }

  #addPage(bytes: number): number {
    const page = this.#freePages.pop() ?? this.pages.length;
    this.pages[page] = new Uint8Array(bytes);
    this.#bytes += bytes;
    return page;
  }
}

/** Numbers kept of a list, side by side: one look into memory finds all of them. */
const ADDRESS = 0;
const USED = 1;
const CAPACITY = 2;
const COUNT = 3;
/** Its largest number + 1. */
const NEXT = 4;
const STRIDE = 5;

/** Numbered lists. One that was never written is empty. */
export class PackedLists {
  readonly bits: number;
  readonly #pool: BlockPool;
  /** The payload most entries have; it takes no byte. */
  readonly #usual: number;
  readonly #table = int32Column();
  #scratch = new Uint8Array(1024);

  constructor(pool: BlockPool, bits: number, usual = 0) {
    this.#pool = pool;
    this.bits = bits;
    this.#usual = usual;
  }

  /** Bytes of the table; the blocks are counted by the pool. */
  get bytes(): number {
    return this.#table.bytes;
  }

  countOf(list: number): number {
    return this.#table.data[list * STRIDE + COUNT] ?? 0;
  }

  /** The entries, written into `into` (long enough) where it is given. */
  read(list: number, into?: Int32Array): Int32Array {
    const count = this.countOf(list);
    const entries = into === undefined ? new Int32Array(count) : into.subarray(0, count);
    if (count === 0) return entries;
    const row = list * STRIDE;
    const address = this.#table.data[row + ADDRESS] as number;
    const page = this.#pool.pages[address >>> PAGE_BITS] ?? EMPTY;
    const bits = this.bits;
    const usual = this.#usual;
    let at = address & OFFSET_MASK;
    let number = -1;
    for (let index = 0; index < count; index += 1) {
      let byte = page[at] as number;
      at += 1;
      let head = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = page[at] as number;
        at += 1;
        head |= (byte & 127) << shift;
      }
      number += head >>> 1;
      let payload = usual;
      if ((head & 1) === 1) {
        payload = page[at] as number;
        at += 1;
      }
      entries[index] = (number << bits) | payload;
    }
    return entries;
  }

  /** Adds an entry whose number is larger than all before. */
  push(list: number, number: number, payload: number): void {
    const row = list * STRIDE;
    this.#table.reserve(row + STRIDE);
    const table = this.#table.data;
    const used = table[row + USED] as number;
    if (used + MOST_BYTES > (table[row + CAPACITY] as number)) {
      const needed = used + this.#lengthOf(number + 1 - (table[row + NEXT] as number), payload);
      if (needed > (table[row + CAPACITY] as number)) this.#move(row, needed);
    }
    const address = table[row + ADDRESS] as number;
    const page = this.#pool.pages[address >>> PAGE_BITS] ?? EMPTY;
    const from = (address & OFFSET_MASK) + used;
    const to = this.#write(page, from, number + 1 - (table[row + NEXT] as number), payload);
    table[row + USED] = used + to - from;
    table[row + COUNT] = (table[row + COUNT] as number) + 1;
    table[row + NEXT] = number + 1;
  }

  /** Replaces the entries. */
  set(list: number, entries: Int32Array): void {
    this.clear(list);
    if (entries.length === 0) return;
    if (this.#scratch.length < entries.length * MOST_BYTES) {
      this.#scratch = new Uint8Array(entries.length * MOST_BYTES);
    }
    let used = 0;
    let next = 0;
    for (const entry of entries) {
      const number = entry >>> this.bits;
      const payload = entry & ((1 << this.bits) - 1);
      used = this.#write(this.#scratch, used, number + 1 - next, payload);
      next = number + 1;
    }
    this.load(list, this.#scratch.subarray(0, used), entries.length, next);
  }

  /** Empties a list and gives its block back. */
  clear(list: number): void {
    const row = list * STRIDE;
    const table = this.#table.data;
    const capacity = table[row + CAPACITY] ?? 0;
    if (capacity === 0) return;
    this.#pool.release(table[row + ADDRESS] as number, capacity);
    table.fill(0, row, row + STRIDE);
  }

  /** Gives an empty list the bytes of one, as `bytesOf` gave them (snapshots). */
  load(list: number, bytes: Uint8Array, count: number, next: number): void {
    const row = list * STRIDE;
    this.#table.reserve(row + STRIDE);
    this.#move(row, bytes.length);
    const table = this.#table.data;
    const address = table[row + ADDRESS] as number;
    this.#pool.pages[address >>> PAGE_BITS]?.set(bytes, address & OFFSET_MASK);
    table[row + USED] = bytes.length;
    table[row + COUNT] = count;
    table[row + NEXT] = next;
  }

  /** The bytes of a list (a view) and its largest number + 1. */
  bytesOf(list: number): { bytes: Uint8Array; next: number } {
    const row = list * STRIDE;
    const table = this.#table.data;
    const used = table[row + USED] ?? 0;
    const address = table[row + ADDRESS] ?? 0;
    const from = address & OFFSET_MASK;
    const page = used === 0 ? EMPTY : (this.#pool.pages[address >>> PAGE_BITS] ?? EMPTY);
    return { bytes: page.subarray(from, from + used), next: table[row + NEXT] ?? 0 };
  }

  #lengthOf(distance: number, payload: number): number {
    return this.#write(this.#scratch, 0, distance, payload);
  }

  /** Returns the place behind the entry. */
  #write(page: Uint8Array, from: number, distance: number, payload: number): number {
    let at = from;
    const isUsual = payload === this.#usual;
    let head = (distance << 1) | (isUsual ? 0 : 1);
    while (head > 127) {
      page[at] = (head & 127) | 128;
      at += 1;
      head >>>= 7;
    }
    page[at] = head;
    at += 1;
    if (!isUsual) {
      page[at] = payload;
      at += 1;
    }
    return at;
  }

  /** A larger block for the list. */
  #move(row: number, length: number): void {
    const table = this.#table.data;
    const capacity = capacityFor(length);
    const used = table[row + USED] as number;
    const oldAddress = table[row + ADDRESS] as number;
    const oldCapacity = table[row + CAPACITY] as number;
    const address = this.#pool.allocate(capacity);
    if (used > 0) {
      const old = this.#pool.pages[oldAddress >>> PAGE_BITS] ?? EMPTY;
      const from = oldAddress & OFFSET_MASK;
      this.#pool.pages[address >>> PAGE_BITS]?.set(
        old.subarray(from, from + used),
        address & OFFSET_MASK,
      );
    }
    table[row + ADDRESS] = address;
    table[row + CAPACITY] = capacity;
    if (oldCapacity > 0) this.#pool.release(oldAddress, oldCapacity);
  }
}
