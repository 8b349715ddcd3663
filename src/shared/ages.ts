/** Lengths of time in words: how long ago in those of the seed (3h ago), durations in full (1 hour 30 minutes). */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './clock.js';

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
