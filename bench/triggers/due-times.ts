/** When the triggers of a round come due. */

/** All at one instant, or one after the other within one second. */
export type DueMode = 'same' | 'spread';

/** Time to store them all and let the second begin anywhere between two ticks of the host. */
const LEAD_MS = 2_000;

export function dueTimes(mode: DueMode, count: number, nowMs: number): number[] {
  const firstMs = Math.round(nowMs + LEAD_MS + Math.random() * 1_000);
  return Array.from({ length: count }, (_, index) =>
    mode === 'same' ? firstMs : firstMs + Math.floor((index * 1_000) / count),
  );
}
