/** Numbers and times for people, in their language and zone. */

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const clockTime = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  ...{ weekday: 'short', day: 'numeric', month: 'short' },
  ...{ hour: 'numeric', minute: '2-digit' },
});
const number = new Intl.NumberFormat(undefined);

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** "in 5 min.", "3 days ago". */
export function relativeTime(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1_000);
  if (Math.abs(seconds) < 3) return 'now';
  // 59 minutes and 50 seconds are an hour, not 60 minutes.
  const reaches = ([, length]: (typeof UNITS)[number], at: number) => {
    const smaller = UNITS[at + 1]?.[1] ?? 1;
    const rounded = Math.round(Math.abs(seconds) / smaller) * smaller;
    return Math.max(Math.abs(seconds), rounded) >= length;
  };
  const [unit, size] = UNITS.find(reaches) ?? ['second', 1];
  return relative.format(Math.round(seconds / size), unit);
}

export const exactTime = (atMs: number): string => exact.format(atMs);
export const timeOfDay = (atMs: number): string => clockTime.format(atMs);
export const shortDate = (atMs: number): string => dayAndTime.format(atMs);
export const count = (value: number): string => number.format(value);

/** "1 run", "12 runs". */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A share as "83 %"; a dash where there is none. */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? '–' : `${Math.round(share * 100)} %`;
}

/** "850 ms", "2.4 s", "3 min". */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}
