/** Time as a thing that is handed in. `now()` is epoch milliseconds. */
export interface Clock {
  now(): number;
}

/** The machine's clock; only composition roots choose it. */
export const systemClock: Clock = { now: () => Date.now() };

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Whether it is time again for what is done every so often; a clock that was set back makes it so at once. */
export function isTimeAgain(lastMs: number, nowMs: number, everyMs: number): boolean {
  return nowMs < lastMs || nowMs - lastMs >= everyMs;
}
