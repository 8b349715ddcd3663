import { createHash, randomUUID } from 'node:crypto';
import type { Uuid } from './uuid.js';

export { isUuid, type Uuid } from './uuid.js';

/** Chance as a thing that is handed in. */
export interface Ids {
  next(): Uuid;
}

export const randomIds: Ids = { next: () => randomUUID() };

/** Namespace of every derived id of this plugin (RFC 9562 §5.5, name-based SHA-1). */
const CUE_NAMESPACE = '6f1d9c0e-6f0a-5d52-9a55-c0e000000001';
const NAMESPACE_BYTES = Buffer.from(CUE_NAMESPACE.replaceAll('-', ''), 'hex');

/**
 * A version 5 UUID derived from the parts: the same parts give the same id on every machine, so a
 * repeated write meets itself. Parts are length-prefixed: ["a","bc"] and ["ab","c"] differ.
 */
export function derivedId(...parts: (string | number)[]): Uuid {
  const name = parts.map((part) => `${String(part).length}:${part}`).join('|');
  const bytes = createHash('sha1').update(NAMESPACE_BYTES).update(name).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
