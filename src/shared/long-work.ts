/** What may take long tells how far it is, and ends early when nobody waits any more. */
export interface LongWork {
  /** Looked at between two batches; each operation says what it leaves behind. */
  signal?: AbortSignal | undefined;
  /** `done` rises from 0; the last call of work that came to its end has `done` = `total`. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}
