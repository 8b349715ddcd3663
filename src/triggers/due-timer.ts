/** One timer for the soonest due instant, so that nothing waits for the host's next tick. */
import type { Clock } from '../shared/clock.js';

/** After it the clock is asked again: it may have jumped, or the machine slept. */
const LONGEST_WAIT_MS = 30_000;

export interface DueTimer {
  /** Something is due then (epoch ms); of several the soonest counts. What is due already is left to the tick. */
  at(dueMs: number | null): void;
  /** @param onDue called once for each instant that has come */
  start(onDue: () => void): void;
  stop(): void;
}

/** Goes by the clock that is handed in. Keeps no process alive. */
export function createDueTimer(clock: Clock): DueTimer {
  let onDue: (() => void) | null = null;
  let soonestMs = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  /** Doubled while the clock stands still, so that it is never asked in a loop. */
  let leastMs = 1;

  function wait(): void {
    clearTimeout(timer);
    if (onDue === null || soonestMs === Number.POSITIVE_INFINITY) return;
    const beforeMs = clock.now();
    const waitMs = Math.min(Math.max(soonestMs - beforeMs, leastMs), LONGEST_WAIT_MS);
    timer = setTimeout(() => {
      leastMs = clock.now() === beforeMs ? 2 * leastMs : 1;
      if (clock.now() < soonestMs) return wait();
      soonestMs = Number.POSITIVE_INFINITY;
      onDue?.();
    }, waitMs).unref();
  }

  return {
    at(dueMs) {
      if (dueMs === null || dueMs >= soonestMs || dueMs <= clock.now()) return;
      soonestMs = dueMs;
      wait();
    },
    start(work) {
      onDue = work;
      wait();
    },
    stop() {
      onDue = null;
      clearTimeout(timer);
    },
  };
}
