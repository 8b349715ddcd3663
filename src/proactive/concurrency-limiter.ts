/**
 * Who waits for whom when much happens at once: turns of people and planned actions have queues of
 * their own, so that no flood of other events may hold them up. A warning is worth nothing afterwards.
 */
import { type Clock, SECOND_MS } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import type { EventSummary } from './types.js';

const AT_A_TIME = 8;
const MOST_WAITING = 200;
/** Told now and then: a line for each would be a flood of its own. */
const TOLD_MS = 10 * SECOND_MS;

/** So much at a time; who floods it waits, and beyond that is turned away. */
class Queue {
  private readonly waiting: (() => void)[] = [];
  private busy = 0;

  isFull(): boolean {
    return this.waiting.length >= MOST_WAITING;
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.busy >= AT_A_TIME) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.busy += 1;
    try {
      return await work();
    } finally {
      // The capacity is handed on, so that nobody slips in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.busy -= 1;
    }
  }
}

export function createConcurrencyLimiter({ clock, log }: { clock: Clock; log: Log }) {
  const [messages, plans, others] = [new Queue(), new Queue(), new Queue()];
  const running = new Set<Promise<unknown>>();
  let dropped = 0;
  let toldMs = Number.NEGATIVE_INFINITY;

  function queueOf(type: EventSummary['type']): Queue {
    if (type === 'message') return messages;
    return type === 'action_planned' ? plans : others;
  }

  function track(work: Promise<unknown>): void {
    running.add(work);
    const done = () => running.delete(work);
    work.then(done, done);
  }

  return {
    /** `null`: too many wait already, and the work was not begun; the operator is told. */
    async pass<T>(type: EventSummary['type'], work: () => Promise<T>): Promise<T | null> {
      const queue = queueOf(type);
      if (!queue.isFull()) {
        const result = queue.pass(work);
        track(result);
        return result;
      }
      dropped += 1;
      const nowMs = clock.now();
      if (Math.abs(nowMs - toldMs) >= TOLD_MS) {
        toldMs = nowMs;
        log.warn({ dropped }, 'too much happens at once: not all of it is looked into');
      }
      return null;
    },
    /** Work outside of it that `settled` waits for. */
    track,
    /** How many were turned away. */
    dropped: (): number => dropped,
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.allSettled([...running]);
    },
  };
}
