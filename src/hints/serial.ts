/** Runs work one after the other, in the order it came in; what fails does not hold up the next. */
export type Serial = <T>(work: () => Promise<T> | T) => Promise<T>;

export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
