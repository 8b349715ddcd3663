import { useSyncExternalStore } from 'react';
import { exactTime, relativeTime } from '../format.js';

/** One clock for the whole page. */
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const watchers = new Set<() => void>();

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const told of watchers) told();
  }, 1_000);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time now, in steps of a second. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => nowMs);
}

/** A relative time, with the exact one on hover. */
export function Time({ at }: { at: number | string }) {
  const atMs = typeof at === 'string' ? Date.parse(at) : at;
  // The text, not the clock, is what is watched: it changes less often.
  const text = useSyncExternalStore(watch, () => relativeTime(atMs, nowMs));
  return (
    <time dateTime={new Date(atMs).toISOString()} title={exactTime(atMs)}>
      {text}
    </time>
  );
}
