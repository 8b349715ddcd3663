/** Vectors on their way into the database and out of it. */
import { AppError } from '../shared/errors.js';

/** Length of every vector of ours (`embeddings.dim_384` of the host). */
export const VECTOR_LENGTH = 384;

/**
 * @throws AppError INVALID_INPUT when it has the wrong length, a number that is not finite, or no
 * direction
 */
export function checkVector(vector: Float32Array): void {
  if (vector.length !== VECTOR_LENGTH) {
    throw new AppError(
      'INVALID_INPUT',
      `a vector has ${VECTOR_LENGTH} numbers, this one ${vector.length}`,
      { length: vector.length },
    );
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!Number.isFinite(squares)) {
    throw new AppError('INVALID_INPUT', 'the vector holds numbers that are not finite');
  }
  if (squares === 0) throw new AppError('INVALID_INPUT', 'the vector is zero: it has no direction');
}

/** pgvector's input text. */
export function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

/** Every half-precision number by its 16 bits: 256 KB, filled when the first vector is read. */
let halves: Float32Array | undefined;

function halfTable(): Float32Array {
  if (halves) return halves;
  const table = new Float32Array(65_536);
  for (let bits = 0; bits < 65_536; bits += 1) {
    const exponent = (bits >> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    let magnitude: number;
    if (exponent === 0) magnitude = fraction * 2 ** -24;
    else if (exponent === 31) magnitude = fraction === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
    else magnitude = (1 + fraction / 1_024) * 2 ** (exponent - 15);
    table[bits] = bits & 0x8000 ? -magnitude : magnitude;
  }
  halves = table;
  return table;
}

/**
 * The vector in pgvector's binary form of a `halfvec`, in base64: two 16-bit words of header, then
 * big-endian half-precision numbers. `null` when it is not a usable vector of ours. Base64 because
 * the driver reads text fast and binary slowly; half precision because the catalog keeps 8 bits.
 */
export function decodeHalfVector(base64: string | null): Float32Array | null {
  if (base64 === null) return null;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== 4 + 2 * VECTOR_LENGTH || bytes.readUInt16BE(0) !== VECTOR_LENGTH)
    return null;
  const table = halfTable();
  const vector = new Float32Array(VECTOR_LENGTH);
  for (let index = 0; index < VECTOR_LENGTH; index += 1) {
    const value = table[bytes.readUInt16BE(4 + 2 * index)] ?? Number.NaN;
    if (!Number.isFinite(value)) return null;
    vector[index] = value;
  }
  return vector;
}
