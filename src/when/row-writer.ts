/**
 * Rows follow the library in the background: the newest one that is wanted is written, one after the
 * other, and what failed is tried again until it stands.
 */
import { type Clock, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Log } from '../shared/log.js';
import type { LibraryRecords, SyncResult } from './sync.js';
import type { Library } from './types.js';

/** A sync that succeeded. */
export interface Written extends SyncResult {
  atMs: number;
  tookMs: number;
}

export interface RowWriter {
  want(library: Library): void;
  /** The last sync; `undefined` before the first. */
  last(): Written | undefined;
  /** Why the rows are behind the files, in words. */
  problem(): string | undefined;
  /** Resolves when what is wanted is written; what failed is tried once more, now. */
  settled(): Promise<void>;
  /** Ends after the statement that is running; the next start makes good what is left. */
  stop(): Promise<void>;
}

const RETRY_MS = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS] as const;

export function createRowWriter(deps: {
  rows: LibraryRecords;
  clock: Clock;
  log: Log;
  /** Waits before the tries after the first, ms; the last counts for all that follow. */
  retryMs?: readonly number[] | undefined;
}): RowWriter {
  const { rows, clock, log, retryMs = RETRY_MS } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  let wanted: Library | null = null;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let problem: string | undefined;
  let last: Written | undefined;

  function run(): void {
    clearTimeout(timer);
    if (running !== null || wanted === null || signal.aborted) return;
    running = drain().finally(() => {
      running = null;
      // Write what was asked for in the meantime; after a failure the timer does it.
      if (failures === 0) run();
    });
  }

  async function drain(): Promise<void> {
    while (wanted !== null && !signal.aborted) {
      const library = wanted;
      wanted = null;
      const startedMs = clock.now();
      try {
        const result = await rows.write(library, signal);
        last = { ...result, atMs: clock.now(), tookMs: clock.now() - startedMs };
        failures = 0;
        problem = undefined;
        if (result.added + result.changed + result.removed > 0) {
          log.info({ ...result }, 'when index synced');
        }
      } catch (error) {
        wanted ??= library;
        if (!signal.aborted) failed(error);
        return;
      }
    }
  }

  function failed(error: unknown): void {
    problem = `the rows are behind the files: ${messageOf(error)}`;
    log.error({ error: messageOf(error) }, 'when index not stored');
    timer = setTimeout(run, retryMs[Math.min(failures, retryMs.length - 1)]);
    timer.unref();
    failures += 1;
  }

  return {
    want(library) {
      wanted = library;
      run();
    },
    last: () => last,
    problem: () => problem,
    async settled() {
      await running;
      run();
      await running;
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
