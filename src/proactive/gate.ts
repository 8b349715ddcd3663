/** So much at a time: who floods the room with happenings waits, and beyond that is turned away. */
export interface Gate {
  /** `null`: too many wait already, and the work was not begun. */
  pass<T>(work: () => Promise<T>): Promise<T | null>;
  /** Work outside of it that `settled` waits for. */
  track(work: Promise<unknown>): void;
  /** How many were turned away. */
  dropped(): number;
  settled(): Promise<void>;
}

const AT_A_TIME = 8;
const MOST_WAITING = 200;

export function createGate(limits: { atATime?: number; mostWaiting?: number } = {}): Gate {
  const { atATime = AT_A_TIME, mostWaiting = MOST_WAITING } = limits;
  const waiting: (() => void)[] = [];
  const running = new Set<Promise<unknown>>();
  let busy = 0;
  let turnedAway = 0;

  function track(work: Promise<unknown>): void {
    running.add(work);
    const done = () => running.delete(work);
    work.then(done, done);
  }

  async function passed<T>(work: () => Promise<T>): Promise<T> {
    if (busy >= atATime) await new Promise<void>((resolve) => waiting.push(resolve));
    else busy += 1;
    try {
      return await work();
    } finally {
      // The place is handed on, so that nobody slips in between.
      const next = waiting.shift();
      if (next) next();
      else busy -= 1;
    }
  }

  return {
    async pass(work) {
      if (waiting.length >= mostWaiting) {
        turnedAway += 1;
        return null;
      }
      const result = passed(work);
      track(result);
      return result;
    },
    track,
    dropped: () => turnedAway,
    async settled() {
      while (running.size > 0) await Promise.allSettled([...running]);
    },
  };
}
