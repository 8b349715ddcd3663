/** `null`: the work takes longer than a turn should wait; a late failure is nobody's any more. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work, patience]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
