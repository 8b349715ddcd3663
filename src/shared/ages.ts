/** How long ago, in the words of the seed: just now, 3h ago, yesterday, 2d ago, 1w ago. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from './clock.js';

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
