/**
 * Who waits for whom when much happens at once: turns of people and planned actions have lanes of
 * their own, so that no flood of other events may hold them up. A warning is worth nothing afterwards.
 */
import { type Clock, SECOND_MS } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import type { HappeningSummary } from './offer-types.js';

/** So much at a time: who floods the room with happenings waits, and beyond that is turned away. */
interface Gate {
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

function createGate(limits: { atATime?: number; mostWaiting?: number } = {}): Gate {
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

export interface Lanes extends Omit<Gate, 'pass'> {
  /** `null`: too many wait already, and the work was not begun; the operator is told. */
  pass<T>(type: HappeningSummary['type'], work: () => Promise<T>): Promise<T | null>;
}

/** Told now and then: a line for each would be a flood of its own. */
const TOLD_MS = 10 * SECOND_MS;

export function createLanes({ clock, log }: { clock: Clock; log: Log }): Lanes {
  const turns = createGate();
  const plans = createGate();
  const others = createGate();
  let toldMs = Number.NEGATIVE_INFINITY;
  const dropped = () => turns.dropped() + plans.dropped() + others.dropped();

  function laneOf(type: HappeningSummary['type']): Gate {
    if (type === 'message') return turns;
    return type === 'action_planned' ? plans : others;
  }

  function tell(): void {
    const nowMs = clock.now();
    if (Math.abs(nowMs - toldMs) < TOLD_MS) return;
    toldMs = nowMs;
    log.warn({ dropped: dropped() }, 'too much happens at once: not all of it is looked into');
  }

  return {
    async pass(type, work) {
      const result = await laneOf(type).pass(work);
      if (result === null) tell();
      return result;
    },
    track: others.track,
    dropped,
    async settled() {
      await Promise.all([turns.settled(), plans.settled(), others.settled()]);
    },
  };
}
