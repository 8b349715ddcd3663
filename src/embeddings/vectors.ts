/** Small arithmetic on vectors: what makes any model's output fit the port (unit length, 384). */
import { DIMENSION } from './embedder.js';

/**
 * The vector of an empty text: unit length and near nothing. Never zeros, whose cosine is no number
 * in pgvector.
 */
export function constantVector(): Float32Array {
  const size = 1 / Math.sqrt(DIMENSION);
  return Float32Array.from({ length: DIMENSION }, (_, at) => (at % 2 === 0 ? size : -size));
}

/** The same direction at unit length; `null` for zeros and for anything that is not finite. */
export function toUnit(values: ArrayLike<number>): Float32Array | null {
  let sum = 0;
  for (let at = 0; at < values.length; at++) sum += (values[at] ?? 0) ** 2;
  if (!Number.isFinite(sum) || sum < 1e-24) return null;
  const factor = 1 / Math.sqrt(sum);
  const unit = new Float32Array(values.length);
  for (let at = 0; at < unit.length; at++) unit[at] = (values[at] as number) * factor;
  return unit;
}

/** Cosine of two unit vectors. */
export function cosine(a: Float32Array, b: Float32Array): number {
  const shared = Math.min(a.length, b.length);
  let sum = 0;
  for (let at = 0; at < shared; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/**
 * The same of many to one after the other, all of one length: writes them from `at` on, and up to three
 * zeros behind. Four at a time: one alone waits for each of its sums, and in fours the processor has
 * something to do meanwhile.
 */
export function cosinesWith(
  vectors: readonly Float32Array[],
): (one: Float32Array, into: Float32Array, at: number) => void {
  const length = vectors[0]?.length ?? 0;
  const fours = Math.ceil(vectors.length / 4);
  // The first numbers of four vectors, their second ones, and so on.
  const numbers = new Float64Array(4 * fours * length);
  for (const [place, vector] of vectors.entries()) {
    const from = 4 * length * (place >> 2) + (place & 3);
    for (let i = 0; i < length; i += 1) numbers[from + 4 * i] = vector[i] as number;
  }
  return (one, into, at) => {
    let from = 0;
    for (let four = 0; four < fours; four += 1) {
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let i = 0; i < length; i += 1) {
        const value = one[i] as number;
        a += (numbers[from] as number) * value;
        b += (numbers[from + 1] as number) * value;
        c += (numbers[from + 2] as number) * value;
        d += (numbers[from + 3] as number) * value;
        from += 4;
      }
      const to = at + 4 * four;
      into[to] = a;
      into[to + 1] = b;
      into[to + 2] = c;
      into[to + 3] = d;
    }
  };
}

/** Bits of an integer, well mixed and equal on every machine (the end of MurmurHash3). */
export function mixBits(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Brings vectors of one length to 384 numbers, always in the same way: shorter ones get zeros
 * (cosines unchanged), longer ones are added up into 384 sums with fixed signs, a random projection
 * (cosines kept to about ±0.05). Cutting them off instead would be right for few models only.
 */
export function createProjection(length: number): (values: ArrayLike<number>) => Float32Array {
  if (length <= DIMENSION) {
    return (values) => {
      const out = new Float32Array(DIMENSION);
      for (let at = 0; at < length; at++) out[at] = values[at] ?? 0;
      return out;
    };
  }
  const signs = new Int8Array(length * DIMENSION);
  for (let at = 0; at < signs.length; at++) {
    signs[at] = mixBits(Math.imul(at + 1, 0x9e3779b1)) & 1 ? 1 : -1;
  }
  return (values) => {
    const out = new Float64Array(DIMENSION);
    for (let from = 0, sign = 0; from < length; from++) {
      const value = values[from] ?? 0;
      for (let to = 0; to < DIMENSION; to++)
        out[to] = (out[to] ?? 0) + value * (signs[sign++] ?? 0);
    }
    return Float32Array.from(out);
  };
}
