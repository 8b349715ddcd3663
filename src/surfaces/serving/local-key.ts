/**
 * The proof of being a process of the same person on this machine: random, and written only where nobody
 * else can read it (the PID file). Whoever sends it lets the server read the files that its client may.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Ids, randomIds } from '../../shared/ids.js';

/** In what a client sends. */
export const LOCAL_KEY_HEADER = 'x-cue-local';

let key: string | undefined;

/** Of this process, for as long as it lives. */
export function localKey(ids: Ids = randomIds): string {
  key ??= ids.next();
  return key;
}

/** In a time that tells nothing of the key. */
export function isLocalKey(given: string | undefined): boolean {
  if (given === undefined || key === undefined) return false;
  return timingSafeEqual(digest(given), digest(key));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
