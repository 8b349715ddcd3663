/** Stopwatches: how long something takes, and how long the event loop stood still meanwhile. */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

export interface Series {
  /** Measure at most this often … */
  times: number;
  /** … and stop after this long, but not before three times. */
  forMs?: number;
  /** Not counted: first calls compile statements and fill caches. */
  warmUp?: number;
  /** What a call leaves to do, waited for before the next one. Not counted. */
  after?: () => Promise<unknown>;
}

/** Milliseconds of each call; the event loop gets a turn between two. */
export async function series(
  work: (index: number) => Promise<unknown>,
  { times, forMs = 20_000, warmUp = 2, after }: Series,
): Promise<number[]> {
  const values: number[] = [];
  const stopAt = performance.now() + forMs;
  for (let index = 0; index < times + warmUp; index += 1) {
    const from = performance.now();
    await work(index);
    const took = performance.now() - from;
    if (index >= warmUp) values.push(took);
    await after?.();
    if (values.length >= 3 && performance.now() > stopAt) break;
    await nextTurn();
  }
  return values;
}

/** Gaps between the beats of a 5 ms timer while `work` runs: what a request would have waited. */
export async function loopGaps(work: () => Promise<unknown>): Promise<number[]> {
  const gaps: number[] = [];
  let last = performance.now();
  const beat = () => {
    const now = performance.now();
    gaps.push(now - last);
    last = now;
  };
  const timer = setInterval(beat, 5);
  await work();
  // Work that never let go of the loop ends here without one beat: its gap is the whole of it.
  beat();
  clearInterval(timer);
  return gaps;
}

export { delay, nextTurn };
