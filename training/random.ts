/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** 0 to below 1. */
  next(): number;
  shuffle(list: unknown[]): void;
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    shuffle(list) {
      for (let at = list.length - 1; at > 0; at -= 1) {
        const other = Math.floor(next() * (at + 1));
        [list[at], list[other]] = [list[other], list[at]];
      }
    },
  };
}
