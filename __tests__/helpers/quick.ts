/** Texts that would take a bad pattern minutes. How fast anything is, `npm run bench` measures. */
import { expect } from 'vitest';

const TRIES = 5;

/** What the processor has spent on `work`: a busy machine takes longer, and does not compute more. */
export function computedMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Fails when none of five tries stays under `limitMs`: other work of the process may fall into one,
 * what explodes is slow each time. The limit is many times what an idle machine takes.
 */
export function expectQuick(limitMs: number, work: () => unknown): void {
  const times: number[] = [];
  do {
    times.push(computedMs(work));
  } while (times.length < TRIES && Math.min(...times) >= limitMs);
  expect(Math.min(...times), `ms, best of ${times.length}`).toBeLessThan(limitMs);
}
