/** Of work that is told of, at most so many steps are. */
const STEPS = 50;

/** What may take long tells how far it is, and ends early when nobody waits any more. */
export interface LongWork {
  /** Looked at between two batches; each operation says what it leaves behind. */
  signal?: AbortSignal | undefined;
  /** `done` rises from 0; the last call of work that came to its end has `done` = `total`. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Passes on the first call, the last, and of those between what is 2 % of the whole further. */
export function inSteps(onProgress: LongWork['onProgress']): NonNullable<LongWork['onProgress']> {
  let told = Number.NEGATIVE_INFINITY;
  return (done, total) => {
    const isDue = done >= total ? told < done : done - told >= total / STEPS;
    if (!isDue) return;
    told = done;
    onProgress?.(done, total);
  };
}
