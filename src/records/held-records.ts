/**
 * Records that were read lately, as they were read. One is held until the catalog hears of a change of it:
 * what is held is as old as the catalog. Counters that are touched are not kept up.
 */
import type { Uuid } from '../shared/ids.js';
import { RecencyCache } from '../shared/recency-cache.js';
import type { StoredRecord } from './record-type.js';

/** About 10 KB each; longer ones are not held. */
const MOST = 1_500;
const LONGEST_TEXT = 20_000;

interface Held {
  record: StoredRecord<unknown>;
  readAtMs: number;
}

export type HeldRecords = ReturnType<typeof createHeldRecords>;

export function createHeldRecords() {
  const held = new RecencyCache<string, Held>(MOST);
  let changes = 0;
  const keyOf = (type: string, id: Uuid) => `${type} ${id}`;

  function drop(type: string, id: Uuid): void {
    changes += 1;
    held.delete(keyOf(type, id));
  }

  return {
    drop,
    clear(): void {
      changes += 1;
      held.clear();
    },
    /** One that was read at most so long ago. */
    find(type: string, id: Uuid, withinMs: number): StoredRecord<unknown> | undefined {
      const key = keyOf(type, id);
      const found = held.get(key);
      if (found === undefined || performance.now() - found.readAtMs > withinMs) return undefined;
      held.set(key, found);
      return found.record;
    },
    /**
     * To be called before records are read, and its answer with what was read. Where the catalog has heard
     * of a change meanwhile, of whatever record, they may be older than it and are not held.
     */
    reading() {
      const before = changes;
      const readAtMs = performance.now();
      return (type: string, id: Uuid, record: StoredRecord<unknown> | null): void => {
        const isLong = record !== null && record.text.length > LONGEST_TEXT;
        if (record === null || isLong || changes !== before) held.delete(keyOf(type, id));
        else held.set(keyOf(type, id), { record, readAtMs });
      };
    },
  };
}
