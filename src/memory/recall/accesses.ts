/**
 * Access counts, written a moment after the answers that caused them: an embedded database answers
 * one statement at a time, and the next question must not wait for the count of the last.
 */
import { messageOf } from '../../shared/errors.js';
import type { Uuid } from '../../shared/ids.js';
import { isoOf, type MemoryContext } from '../context.js';
import { workMemoryType } from '../records.js';

const DELAY_MS = 500;

export interface Accesses {
  add(ids: readonly Uuid[]): void;
  /** Writes what is waiting, and resolves when all of it is stored. */
  settled(): Promise<void>;
}

export function countAccesses({
  records,
  clock,
  log,
}: Pick<MemoryContext, 'records' | 'clock' | 'log'>): Accesses {
  let waiting = new Map<Uuid, number>();
  let timer: NodeJS.Timeout | undefined;
  let written: Promise<unknown> = Promise.resolve();

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const counts = waiting;
    waiting = new Map();
    written = written.then(() => write(counts));
  }

  /** Memories that were found equally often share a statement. */
  async function write(counts: ReadonlyMap<Uuid, number>): Promise<void> {
    const last_accessed = isoOf(clock.now());
    for (const count of new Set(counts.values())) {
      const ids = [...counts].flatMap(([id, times]) => (times === count ? [id] : []));
      try {
        await records.touch(workMemoryType, ids, {
          add: { access_count: count },
          set: { last_accessed },
        });
      } catch (error) {
        log.warn({ error: messageOf(error), memories: ids.length }, 'accesses not counted');
      }
    }
  }

  return {
    add(ids) {
      for (const id of ids) waiting.set(id, (waiting.get(id) ?? 0) + 1);
      if (waiting.size === 0 || timer !== undefined) return;
      timer = setTimeout(flush, DELAY_MS);
      timer.unref();
    },
    async settled() {
      flush();
      await written;
    },
  };
}
