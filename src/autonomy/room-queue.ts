/**
 * One run at a time per room, a bounded number of rooms at once. Two `handleMessage` calls in one
 * room silently lose the first answer (ELIZA_GUIDE §0.6), so a lane stays taken until the host has
 * really ended the run, even if our caller stopped waiting for it.
 */
import { yieldToLoop } from '../shared/yield.js';

export interface RoomQueue {
  /**
   * Runs `job` when the lane of `roomId` is free. The lane is held until `hold` settles (returned
   * by the job next to its value); the value is handed back at once.
   */
  run<T>(roomId: string, job: () => Promise<{ value: T; hold?: Promise<unknown> }>): Promise<T>;
  /** Rooms with a job running or waiting. */
  busyRooms(): number;
  /** Resolves when every lane is free. */
  idle(): Promise<void>;
}

export function createRoomQueue({ maxConcurrent }: { maxConcurrent: number }): RoomQueue {
  const lanes = new Map<string, Promise<void>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  async function takeSlot(): Promise<void> {
    if (running < maxConcurrent) {
      running += 1;
      return;
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function freeSlot(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return {
    run(roomId, job) {
      const previous = lanes.get(roomId) ?? Promise.resolve();
      let release = () => {};
      const lane = new Promise<void>((resolve) => {
        release = resolve;
      });
      lanes.set(roomId, lane);
      const work = async () => {
        await previous;
        await takeSlot();
        // With an instant model on PGlite a turn never leaves the microtask queue: without this, 50
        // turns in a row would hold timers, HTTP and the host's tick for seconds.
        await yieldToLoop();
        let hold: Promise<unknown> | undefined;
        try {
          const outcome = await job();
          hold = outcome.hold;
          return outcome.value;
        } finally {
          freeSlot();
          const free = () => {
            if (lanes.get(roomId) === lane) lanes.delete(roomId);
            release();
          };
          if (hold) hold.then(free, free);
          else free();
        }
      };
      return work();
    },
    busyRooms: () => lanes.size,
    async idle() {
      while (lanes.size > 0) await Promise.all(lanes.values());
    },
  };
}
