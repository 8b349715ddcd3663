/** A promise that is settled from outside; nobody need wait for it. */
export interface Deferred<T> {
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
