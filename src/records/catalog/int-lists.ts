/**
 * Hundreds of thousands of short lists of integers (postings, and the words and keys of each
 * document) in a few pages: a typed array per list would cost more than what is in it. A list is
 * one contiguous block; a block that got too small is given back and serves the next list.
 */

const PAGE_BITS = 14;
const PAGE_INTS = 1 << PAGE_BITS;
const OFFSET_MASK = PAGE_INTS - 1;

/** Two sizes per octave: little is wasted, and growing by one size is a factor of 1.3 to 1.5. */
const SIZES: number[] = [1, 2];
for (let size = 3; size <= PAGE_INTS / 8; ) {
  SIZES.push(size);
  size = SIZES.length % 2 === 1 ? (size * 4) / 3 : (size * 3) / 2;
}
const LARGEST = SIZES.at(-1) ?? 0;

/** Number of the smallest size that holds so many integers. */
const SIZE_FOR = new Uint8Array(LARGEST + 1);
for (let length = 0, at = 0; length <= LARGEST; length += 1) {
  if (length > (SIZES[at] ?? 0)) at += 1;
  SIZE_FOR[length] = at;
}

/** Integers a block for `length` of them gets. Beyond the table a block is a page of its own. */
function capacityFor(length: number): number {
  if (length <= LARGEST) return SIZES[SIZE_FOR[length] as number] as number;
  return Math.ceil((length * 1.25) / 1024) * 1024;
}

const EMPTY = new Int32Array(0);

/** Pages and free blocks, shared by the lists of a shelf. An address is page and offset. */
export class BlockPool {
  readonly pages: Int32Array[] = [];
  readonly #free: number[][] = SIZES.map(() => []);
  readonly #freePages: number[] = [];
  #current = -1;
  #used = PAGE_INTS;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Address of a block of `capacity`, which comes from `capacityFor`. */
  allocate(capacity: number): number {
    if (capacity > LARGEST) return this.#addPage(capacity) << PAGE_BITS;
    const reused = this.#free[SIZE_FOR[capacity] as number]?.pop();
    if (reused !== undefined) return reused;
    if (this.#used + capacity > PAGE_INTS) {
      this.#current = this.#addPage(PAGE_INTS);
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

  #addPage(ints: number): number {
    const page = this.#freePages.pop() ?? this.pages.length;
    this.pages[page] = new Int32Array(ints);
    this.#bytes += ints * Int32Array.BYTES_PER_ELEMENT;
    return page;
  }
}

/** Numbered lists of integers. A list that was never written is empty. */
export class IntLists {
  readonly #pool: BlockPool;
  readonly #address = int32Column();
  readonly #length = int32Column();
  readonly #capacity = int32Column();

  constructor(pool: BlockPool) {
    this.#pool = pool;
  }

  /** Bytes of the table; the blocks are counted by the pool. */
  get bytes(): number {
    return this.#address.bytes + this.#length.bytes + this.#capacity.bytes;
  }

  lengthOf(list: number): number {
    return this.#length.data[list] ?? 0;
  }

  /** The page of a list; its values begin at `offsetOf`. Valid until a list changes. */
  pageOf(list: number): Int32Array {
    return this.#pool.pages[(this.#address.data[list] as number) >>> PAGE_BITS] ?? EMPTY;
  }

  offsetOf(list: number): number {
    return (this.#address.data[list] as number) & OFFSET_MASK;
  }

  /** A view of the values, valid until a list changes. */
  view(list: number): Int32Array {
    const length = this.lengthOf(list);
    if (length === 0) return EMPTY;
    const from = this.offsetOf(list);
    return this.pageOf(list).subarray(from, from + length);
  }

  push(list: number, value: number): void {
    const length = this.lengthOf(list);
    this.reserve(list, length + 1);
    this.pageOf(list)[this.offsetOf(list) + length] = value;
    this.#length.data[list] = length + 1;
  }

  /** Replaces the values. */
  set(list: number, values: Int32Array): void {
    if (this.lengthOf(list) > 0) this.clear(list);
    if (values.length === 0) return;
    this.reserve(list, values.length);
    this.pageOf(list).set(values, this.offsetOf(list));
    this.#length.data[list] = values.length;
  }

  /** Takes out the value at an index; those after it move up. */
  removeAt(list: number, index: number): void {
    const length = this.lengthOf(list);
    if (length === 1) {
      this.clear(list);
      return;
    }
    const page = this.pageOf(list);
    const from = this.offsetOf(list);
    page.copyWithin(from + index, from + index + 1, from + length);
    this.#length.data[list] = length - 1;
    if (length - 1 < (this.#capacity.data[list] as number) / 3) this.#move(list, length - 1);
  }

  /** Empties a list and gives its block back. */
  clear(list: number): void {
    const capacity = this.#capacity.data[list] ?? 0;
    if (capacity === 0) return;
    this.#pool.release(this.#address.data[list] as number, capacity);
    this.#length.data[list] = 0;
    this.#capacity.data[list] = 0;
  }

  /** Makes room for so many values. */
  reserve(list: number, length: number): void {
    if (list >= this.#length.data.length) {
      this.#address.reserve(list + 1);
      this.#length.reserve(list + 1);
      this.#capacity.reserve(list + 1);
    }
    if (length > (this.#capacity.data[list] as number)) this.#move(list, length);
  }

  #move(list: number, length: number): void {
    const capacity = capacityFor(length);
    const oldAddress = this.#address.data[list] as number;
    const oldCapacity = this.#capacity.data[list] as number;
    const values = this.view(list);
    const address = this.#pool.allocate(capacity);
    this.#pool.pages[address >>> PAGE_BITS]?.set(values, address & OFFSET_MASK);
    this.#address.data[list] = address;
    this.#capacity.data[list] = capacity;
    if (oldCapacity > 0) this.#pool.release(oldAddress, oldCapacity);
  }
}

/** Typed arrays that grow: what a shelf keeps per slot. */

type Numbers = Int32Array | Uint32Array | Float32Array | Float64Array;

/** Read `data` anew after `reserve`: growing replaces it. */
export class Column<Data extends Numbers> {
  data: Data;
  readonly #make: (length: number) => Data;

  constructor(make: (length: number) => Data) {
    this.#make = make;
    this.data = make(16);
  }

  /** Makes room for indexes below `length`; new ones are 0. */
  reserve(length: number): void {
    if (length <= this.data.length) return;
    const larger = this.#make(Math.max(length, Math.ceil(this.data.length * 1.5)));
    larger.set(this.data);
    this.data = larger;
  }

  get bytes(): number {
    return this.data.byteLength;
  }
}

export const int32Column = () => new Column((length) => new Int32Array(length));
export const float32Column = () => new Column((length) => new Float32Array(length));
export const float64Column = () => new Column((length) => new Float64Array(length));
