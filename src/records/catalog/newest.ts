/** The newest few of many slots: a heap whose root is the oldest of those kept. */

export interface NewestSlots {
  offer(slot: number): void;
  /** Whether the limit is reached; then only later times than `oldest` get in. */
  isFull(): boolean;
  oldest(): number;
  /** Newest first; of equal times the larger slot first. */
  take(): number[];
}

export function createNewest(limit: number, timesOf: Float64Array): NewestSlots {
  const slots: number[] = [];
  const times: number[] = [];

  const older = (a: number, b: number) => {
    const left = times[a] as number;
    const right = times[b] as number;
    return left < right || (left === right && (slots[a] as number) < (slots[b] as number));
  };
  const swap = (a: number, b: number) => {
    [slots[a], slots[b]] = [slots[b] as number, slots[a] as number];
    [times[a], times[b]] = [times[b] as number, times[a] as number];
  };

  function up(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!older(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  }

  function down(): void {
    for (let at = 0; ; ) {
      const left = at * 2 + 1;
      let least = at;
      if (left < slots.length && older(left, least)) least = left;
      if (left + 1 < slots.length && older(left + 1, least)) least = left + 1;
      if (least === at) return;
      swap(at, least);
      at = least;
    }
  }

  return {
    offer(slot) {
      if (limit <= 0) return;
      const time = timesOf[slot] as number;
      if (slots.length < limit) {
        slots.push(slot);
        times.push(time);
        up(slots.length - 1);
        return;
      }
      const oldest = times[0] as number;
      if (time < oldest || (time === oldest && slot < (slots[0] as number))) return;
      slots[0] = slot;
      times[0] = time;
      down();
    },
    isFull: () => slots.length >= limit,
    oldest: () => times[0] ?? Number.NEGATIVE_INFINITY,
    take() {
      const order = [...slots.keys()].sort((a, b) => (older(a, b) ? 1 : -1));
      return order.map((at) => slots[at] as number);
    },
  };
}
