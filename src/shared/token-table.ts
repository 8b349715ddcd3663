/**
 * The tokens of o200k_base by their bytes. As gpt-tokenizer holds them they are two hundred thousand strings, which
 * take half a second and 60 MB to load; here they are one file and a table of 4 MB.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliDecompressSync } from 'node:zlib';

export interface TokenTable {
  /** What of `bytes` lies from `start` to before `end`; `-1`: it is no token. */
  rankOf(bytes: Uint8Array, start: number, end: number): number;
}

/** By rank; bytes that are no text stand as numbers. */
type Tokens = readonly (string | readonly number[])[];

/** Twice as many as there are tokens, and a power of two. */
const SLOTS = 1 << 19;
const COUNT_BYTES = 4;

/** In the order of their ranks: the number of tokens, the length of each in a byte, then all of their bytes. */
export function packedTokens(tokens: Tokens): Buffer {
  // A rank that nothing has is a token without bytes, which no text has.
  const all = Array.from(tokens, (token = []) => Buffer.from(token as string));
  const count = Buffer.alloc(COUNT_BYTES);
  count.writeUInt32LE(all.length);
  return Buffer.concat([count, Buffer.from(all.map(({ length }) => length)), ...all]);
}

/** From sources there is no packed file: the package is read instead. */
function readTokens(): Buffer {
  if (!import.meta.url.endsWith('.ts')) {
    return brotliDecompressSync(readFileSync(new URL('./o200k.br', import.meta.url)));
  }
  const load = createRequire(import.meta.url);
  return packedTokens((load('gpt-tokenizer/bpeRanks/o200k_base') as { default: Tokens }).default);
}

export function loadTokens(): TokenTable {
  const packed = readTokens();
  const count = packed.readUInt32LE();
  const lengths = packed.subarray(COUNT_BYTES, COUNT_BYTES + count);
  const slots = new Int32Array(SLOTS).fill(-1);
  const from = new Uint32Array(count);
  let at = COUNT_BYTES + count;
  for (const [rank, length] of lengths.entries()) {
    let slot = hashOf(packed, at, at + length);
    while ((slots[slot] as number) >= 0) slot = (slot + 1) % SLOTS;
    slots[slot] = rank;
    from[rank] = at;
    at += length;
  }

  function isToken(rank: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (lengths[rank] !== end - start) return false;
    const own = from[rank] as number;
    for (let at = start; at < end; at += 1) {
      if (packed[own + at - start] !== bytes[at]) return false;
    }
    return true;
  }

  return {
    rankOf(bytes, start, end) {
      for (let slot = hashOf(bytes, start, end); ; slot = (slot + 1) % SLOTS) {
        const rank = slots[slot] as number;
        if (rank < 0 || isToken(rank, bytes, start, end)) return rank;
      }
    },
  };
}

/** FNV-1a, folded to the number of slots. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1)
    hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return (hash ^ (hash >>> 19)) & (SLOTS - 1);
}
