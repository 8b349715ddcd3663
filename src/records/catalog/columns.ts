/** Typed arrays that grow: what a shelf keeps per slot. */

type Numbers = Uint8Array | Int32Array | Uint32Array | Float32Array | Float64Array;

/** Read `data` anew after `reserve`: growing replaces it. */
export class Column<Data extends Numbers> {
  data: Data;
  readonly #make: (length: number) => Data;
  /** Length of `data`: asked of arrays of all kinds, it would be looked up each time. */
  #room: number;

  constructor(make: (length: number) => Data) {
    this.#make = make;
    this.data = make(16);
    this.#room = this.data.length;
  }

  /** Makes room for indexes below `length`; new ones are 0. */
  reserve(length: number): void {
    if (length <= this.#room) return;
    const larger = this.#make(Math.max(length, Math.ceil(this.#room * 1.5)));
    larger.set(this.data);
    this.data = larger;
    this.#room = larger.length;
  }

  /** Takes these values in place of its own. */
  load(values: ArrayLike<number>): void {
    this.reserve(values.length);
    this.data.set(values);
  }

  get bytes(): number {
    return this.data.byteLength;
  }
}

export const uint8Column = () => new Column((length) => new Uint8Array(length));
export const int32Column = () => new Column((length) => new Int32Array(length));
export const uint32Column = () => new Column((length) => new Uint32Array(length));
export const float32Column = () => new Column((length) => new Float32Array(length));
export const float64Column = () => new Column((length) => new Float64Array(length));
