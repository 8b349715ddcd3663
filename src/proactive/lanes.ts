/**
 * Who waits for whom when much happens at once: turns of people and planned actions have lanes of
 * their own, so that no flood of other events may hold them up. A warning is worth nothing afterwards.
 */
import { type Clock, SECOND_MS } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import { createGate, type Gate } from './gate.js';
import type { HappeningSummary } from './offer-types.js';

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
