/** Waits for the work, at most so long; a failure is told where the work is begun. */
export async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([work, patience]);
  } catch {
    // Not swallowed: whoever began it hears of it.
  } finally {
    clearTimeout(timer);
  }
}
