/**
 * What the work gives, or `null` when it takes longer than one should wait; a failure in time is the
 * caller's, a late one is nobody's any more. The timer keeps neither the process alive nor, once the
 * work is done, anything in memory.
 */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
    timer.unref();
  });
  try {
    return await Promise.race([work, patience]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** A promise that is settled from outside; nobody need wait for it. */
interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((succeed, fail) => {
    resolve = succeed;
    reject = fail;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/**
 * Gives the event loop one turn. Awaited PGlite queries never leave the microtask queue (measured:
 * 400 of them fired a 1 ms timer 0 times), so every loop over the database calls this between
 * statements.
 */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

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

/** Runs work one after the other in order of arrival; work that fails does not stop the next. */
export type Serial = <T>(work: () => Promise<T> | T) => Promise<T>;

export function serial(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
