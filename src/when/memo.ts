/** What was worked out for a text, for as long as that text is around. */
export interface Memo<V> {
  get(text: string): V | undefined;
  set(text: string, value: V): void;
  /**
   * Forgets what is no longer around, when that may be as much as what is: mostly there is nothing
   * to do. @param count of the texts that are around, roughly
   */
  tidy(count: number, around: () => Iterable<string>): void;
}

/** Fewer are not worth looking through. */
const FEW = 200;

export function createMemo<V>(): Memo<V> {
  let known = new Map<string, V>();
  return {
    get: (text) => known.get(text),
    set(text, value) {
      known.set(text, value);
    },
    tidy(count, around) {
      if (known.size <= 2 * count + FEW) return;
      const kept = new Map<string, V>();
      for (const text of around()) {
        const value = known.get(text);
        if (value !== undefined) kept.set(text, value);
      }
      known = kept;
    },
  };
}
