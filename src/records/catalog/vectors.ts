/**
 * The vectors of a shelf as int8 rows without holes: 384 bytes each, scanned exactly. Against
 * full precision recall@10 is .97 (STORAGE.md §1b), at a quarter of the memory and of the time.
 */
import { AppError } from '../../shared/errors.js';
import { float32Column, int32Column } from './columns.js';
import { DOTS_AT_ONCE, type KernelFactory, type VectorKernel } from './kernel.js';

/** Numbers in every vector of ours. */
export const VECTOR_LENGTH = 384;

/** Largest magnitude of a quantized number; never -128 (kernel.wat says why). */
const MAX = 127;

/**
 * Writes a vector as int8, scaled so that its largest number is ±127. Returns one over the length of
 * what was written: the dot product of two rows times both is their cosine, 1 for equal rows.
 * A zero vector gives 0.
 */
export function quantize(vector: Float32Array, into: Int8Array, at = 0): number {
  let largest = 0;
  for (let i = 0; i < vector.length; i += 1) {
    const magnitude = Math.abs(vector[i] as number);
    if (magnitude > largest) largest = magnitude;
  }
  const factor = largest > 0 ? MAX / largest : 0;
  let squares = 0;
  for (let i = 0; i < vector.length; i += 1) {
    const value = Math.round((vector[i] as number) * factor);
    into[at + i] = value;
    squares += value * value;
  }
  return squares > 0 ? 1 / Math.sqrt(squares) : 0;
}

/** @throws AppError INVALID_INPUT for a wrong length or a number that is not finite */
export function checkVector(vector: Float32Array, length = VECTOR_LENGTH): void {
  if (vector.length !== length) {
    throw new AppError('INVALID_INPUT', `a vector has ${length} numbers, not ${vector.length}`);
  }
  // Without a branch for each: this took longer than everything else in a put.
  let zero = 0;
  for (let i = 0; i < vector.length; i += 1) zero += (vector[i] as number) * 0;
  if (zero !== 0) {
    throw new AppError('INVALID_INPUT', 'a vector holds a number that is not finite');
  }
}

export class Vectors {
  readonly #factory: KernelFactory;
  /** Made with the first vector: many shelves have none. */
  #kernel: VectorKernel | null = null;
  #count = 0;
  /** Row + 1 of a slot, 0: none. And back. */
  readonly #rowOf = int32Column();
  readonly #slotOf = int32Column();
  readonly #scales = float32Column();
  readonly #query: Int8Array;
  /** The last question, and its cosines to the first `count` rows, by slot. They stand while rows are only added. */
  #last: { query: Int8Array; scores: Float32Array; count: number } | null = null;
  /** Room for those cosines, used again. */
  #kept = new Float32Array(0);
  /** Numbers in every vector here. */
  readonly length: number;

  constructor(factory: KernelFactory, length = VECTOR_LENGTH) {
    this.#factory = factory;
    this.length = length;
    this.#query = new Int8Array(Math.ceil(length / 16) * 16);
  }

  /** Bytes of a row. */
  get stride(): number {
    return this.#query.length;
  }

  /** Bytes in use; a kernel reserves more, which is not resident before it is written. */
  get bytes(): number {
    const tables = this.#rowOf.bytes + this.#slotOf.bytes + this.#scales.bytes;
    return tables + this.#count * (this.#kernel?.stride ?? 0);
  }

  has(slot: number): boolean {
    return (this.#rowOf.data[slot] ?? 0) > 0;
  }

  /** @throws AppError INVALID_INPUT for a vector that cannot be compared */
  set(slot: number, vector: Float32Array): void {
    checkVector(vector, this.length);
    const { kernel, row } = this.#rowFor(slot);
    this.#scales.data[row] = quantize(vector, kernel.rows, row * kernel.stride);
  }

  /** Gives a slot the vector that a slot of other vectors has, if it has one. */
  copyRow(slot: number, other: Vectors, otherSlot: number): void {
    const from = (other.#rowOf.data[otherSlot] ?? 0) - 1;
    if (from < 0 || other.#kernel === null) return;
    const { kernel, row } = this.#rowFor(slot);
    const { stride } = kernel;
    const values = other.#kernel.rows.subarray(from * stride, (from + 1) * stride);
    kernel.rows.set(values, row * stride);
    this.#scales.data[row] = other.#scales.data[from] as number;
  }

  /** Views of all rows, valid until the next change (snapshots). */
  all(): { slots: Int32Array; scales: Float32Array; rows: Int8Array } {
    return {
      slots: this.#slotOf.data.subarray(0, this.#count),
      scales: this.#scales.data.subarray(0, this.#count),
      rows: this.#kernel?.rows.subarray(0, this.#count * this.stride) ?? new Int8Array(0),
    };
  }

  /** Takes what `all` gave, where there is none yet. */
  load({ slots, scales, rows }: ReturnType<Vectors['all']>): void {
    if (slots.length === 0) return;
    this.#kernel ??= this.#factory(this.length);
    this.#kernel.reserve(slots.length);
    this.#kernel.rows.set(rows);
    this.#slotOf.load(slots);
    this.#scales.load(scales);
    this.#count = slots.length;
    for (let row = 0; row < slots.length; row += 1) {
      const slot = slots[row] as number;
      this.#rowOf.reserve(slot + 1);
      this.#rowOf.data[slot] = row + 1;
    }
  }

  /** The last row moves into the gap, so that a scan reads nothing in vain. */
  remove(slot: number): void {
    const row = (this.#rowOf.data[slot] ?? 0) - 1;
    if (row < 0 || this.#kernel === null) return;
    this.#last = null;
    const last = this.#count - 1;
    if (row !== last) {
      const { rows, stride } = this.#kernel;
      rows.copyWithin(row * stride, last * stride, (last + 1) * stride);
      const moved = this.#slotOf.data[last] as number;
      this.#scales.data[row] = this.#scales.data[last] as number;
      this.#slotOf.data[row] = moved;
      this.#rowOf.data[moved] = row + 1;
    }
    this.#rowOf.data[slot] = 0;
    this.#count = last;
  }

  clear(): void {
    this.#rowOf.data.fill(0);
    this.#count = 0;
    this.#kernel = null;
    this.#last = null;
  }

  /**
   * Writes the cosine to every slot that has a vector into `scores` where it is above 0. Asked again, only
   * rows that are new are compared.
   * @throws AppError INVALID_INPUT for a vector that cannot be compared
   */
  nearest(vector: Float32Array, scores: Float32Array): void {
    checkVector(vector, this.length);
    const kernel = this.#kernel;
    if (kernel === null) return;
    const scale = quantize(vector, this.#query);
    const known = this.#last?.query.every((value, at) => value === this.#query[at])
      ? this.#last
      : { query: this.#query.slice(), scores: new Float32Array(0), count: 0 };
    scores.set(known.scores);
    const slots = this.#slotOf.data;
    const scales = this.#scales.data;
    for (let from = known.count; from < this.#count; from += DOTS_AT_ONCE) {
      const count = Math.min(DOTS_AT_ONCE, this.#count - from);
      const dots = kernel.dots(this.#query, from, count);
      for (let i = 0; i < count; i += 1) {
        const dot = dots[i] as number;
        // Below 0 it is 0, without a branch, which is guessed wrong for every other row.
        const above = dot & ~(dot >> 31);
        const slot = slots[from + i] as number;
        scores[slot] = Math.min(1, above * scale * (scales[from + i] as number));
      }
    }
    const kept = scores.length === this.#kept.length ? this.#kept : scores.slice();
    kept.set(scores);
    this.#kept = kept;
    this.#last = { ...known, scores: kept, count: this.#count };
  }

  /** The `most` slots nearest to one, best first, of those that are accepted and have at least that cosine. */
  beside(slot: number, accepts: (slot: number) => boolean, most: number, least: number): number[] {
    const own = (this.#rowOf.data[slot] ?? 0) - 1;
    const kernel = this.#kernel;
    if (own < 0 || kernel === null) return [];
    const query = kernel.rows.slice(own * kernel.stride, (own + 1) * kernel.stride);
    const scale = this.#scales.data[own] as number;
    const found: { slot: number; score: number }[] = [];
    let bar = least;
    for (let from = 0; from < this.#count; from += DOTS_AT_ONCE) {
      const count = Math.min(DOTS_AT_ONCE, this.#count - from);
      const dots = kernel.dots(query, from, count);
      for (let i = 0; i < count; i += 1) {
        const score = (dots[i] as number) * scale * (this.#scales.data[from + i] as number);
        if (score < bar) continue;
        const other = this.#slotOf.data[from + i] as number;
        if (other === slot || !accepts(other)) continue;
        const place = found.findIndex((one) => one.score < score);
        found.splice(place < 0 ? found.length : place, 0, { slot: other, score });
        if (found.length > most) found.pop();
        if (found.length === most) bar = Math.max(least, found[most - 1]?.score ?? least);
      }
    }
    return found.map((one) => one.slot);
  }

  #rowFor(slot: number): { kernel: VectorKernel; row: number } {
    const kernel = this.#kernel ?? this.#factory(this.length);
    this.#kernel = kernel;
    this.#rowOf.reserve(slot + 1);
    const known = this.#rowOf.data[slot] as number;
    if (known > 0) {
      this.#last = null;
      return { kernel, row: known - 1 };
    }
    const row = this.#count;
    kernel.reserve(row + 1);
    this.#slotOf.reserve(row + 1);
    this.#scales.reserve(row + 1);
    this.#slotOf.data[row] = slot;
    this.#rowOf.data[slot] = row + 1;
    this.#count = row + 1;
    return { kernel, row };
  }
}
