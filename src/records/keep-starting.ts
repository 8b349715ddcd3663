import type { CatalogState } from './catalog/types.js';
import { waitFor } from './wait.js';

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * 60_000;

/**
 * Starts until it succeeds: a database that is away for a moment must not leave the catalog failed
 * for the life of the process. Waits 5 s after the first failure, then twice as long each time, at
 * most 5 min. Never throws: resolves with `ready`, or with what was last when the signal aborts.
 */
export async function keepStarting(
  project: { start(): Promise<CatalogState> },
  signal: AbortSignal,
  wait: (ms: number, signal: AbortSignal) => Promise<void> = waitFor,
): Promise<CatalogState> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const state = await project.start();
    if (state.state !== 'failed' || signal.aborted) return state;
    try {
      await wait(waitMs, signal);
    } catch {
      return state;
    }
  }
}
