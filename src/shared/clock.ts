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
export function intervalElapsed(lastMs: number, nowMs: number, everyMs: number): boolean {
  return nowMs < lastMs || nowMs - lastMs >= everyMs;
}

const WEEK_MS = 7 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;

/** Pure. A time in the future (a clock was set back) reads as just now. */
export function ageOf(thenMs: number, nowMs: number): string {
  const ms = nowMs - thenMs;
  if (ms < MINUTE_MS) return 'just now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m ago`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)}h ago`;
  if (ms < 2 * DAY_MS) return 'yesterday';
  if (ms < WEEK_MS) return `${Math.floor(ms / DAY_MS)}d ago`;
  if (ms < YEAR_MS) return `${Math.floor(ms / WEEK_MS)}w ago`;
  return `${Math.floor(ms / YEAR_MS)}y ago`;
}

/** A length of time as "1 hour 30 minutes", exact to the second (to the millisecond below one). */
export function formatDuration(ms: number): string {
  const size = Math.abs(ms);
  if (size > 0 && size < SECOND_MS) return counted(Math.round(size), 'millisecond');
  const units: [number, string][] = [
    [Math.floor(size / DAY_MS), 'day'],
    [Math.floor(size / HOUR_MS) % 24, 'hour'],
    [Math.floor(size / MINUTE_MS) % 60, 'minute'],
    [Math.floor(size / SECOND_MS) % 60, 'second'],
  ];
  const words = units.filter(([count]) => count > 0).map(([count, unit]) => counted(count, unit));
  return words.length === 0 ? '0 seconds' : words.join(' ');
}

/** `2 days`, `1 day`. */
export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
