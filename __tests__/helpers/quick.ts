/** Texts that would take a bad pattern minutes. How fast anything is, `npm run bench` measures. */
import { expect } from 'vitest';

const TRIES = 5;

/**
 * Fails when none of five tries stays under `limitMs`: a busy machine is slow for a moment, what
 * explodes is slow each time. The limit is many times what an idle machine takes.
 */
export function expectQuick(limitMs: number, work: () => unknown): void {
  const times: number[] = [];
  do {
    const start = performance.now();
    work();
    times.push(performance.now() - start);
  } while (times.length < TRIES && Math.min(...times) >= limitMs);
  expect(Math.min(...times), `ms, best of ${times.length}`).toBeLessThan(limitMs);
}
