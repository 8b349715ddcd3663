/**
 * What the work gives, or `null` when it takes longer than one should wait; a failure in time is the
 * caller's, a late one is nobody's any more. The timer keeps neither the process alive nor, once the
 * work is done, anything in memory.
 */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | null> {
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
