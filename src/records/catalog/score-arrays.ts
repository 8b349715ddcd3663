/**
 * Arrays with a number for each slot. A search of 200,000 memories fills a dozen of 800 KB each; made anew for
 * every search they let the garbage collector walk the whole heap every fourth time. Whoever is done with one
 * gives it back; one that nobody gives back is collected like any other.
 */

/** Numbers by which room is measured, so that a growing shelf finds room again; less is not kept. */
const UNIT = 4_096;
/** Two searches at once, on a shelf of memories and one of phrases. */
const MOST_KEPT = 24;

const kept: ArrayBuffer[] = [];

/** Room for so many numbers of 4 bytes, with anything in it. */
export function takeRoom(length: number): ArrayBuffer {
  const bytes = 4 * UNIT * Math.ceil(length / UNIT);
  const at = kept.findLastIndex(({ byteLength }) => byteLength === bytes);
  return at < 0 ? new ArrayBuffer(bytes) : (kept.splice(at, 1)[0] as ArrayBuffer);
}

/** So many zeros. */
export function takeZeros(length: number): Float32Array {
  if (length < UNIT) return new Float32Array(length);
  return new Float32Array(takeRoom(length), 0, length).fill(0);
}

/** The array must not be read any more. */
export function giveBack({ buffer }: Float32Array | Int32Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < 4 * UNIT) return;
  if (kept.includes(buffer)) throw new Error('scores were given back twice');
  kept.push(buffer);
  if (kept.length > MOST_KEPT) kept.shift();
}
