/**
 * Offers that are made and dismissed before a session begins, so that its agent has learned from them.
 * What they were made of is forgotten again: nothing of it stands in the store of the session.
 */
import type { DetectorName, Proactive } from '../../src/proactive/index.js';
import { MINUTE_MS } from '../../src/shared/clock.js';
import type { ReplayAgent } from './agents.js';

interface Lesson {
  memories: object[];
  ask(proactive: Proactive): ReturnType<Proactive['onIntentStated']>;
}

const failed = { success: false, failure_reason: 'the glue came off' };
const done = { success: true };

/** Of each kind that a probability decides: sure ones, or they would cease with the first few. */
const LESSONS: Partial<Record<DetectorName, (n: number) => Lesson>> = {
  conflictWarning: (n) => ({
    memories: [{ intent: `Polish the brass lens ${n}`, outcome: failed }],
    ask: (proactive) => proactive.onActionPlanned(`polish the brass lens ${n}`),
  }),
  intentMatch: (n) => ({
    memories: [{ intent: `Sort the crate of shells ${n}`, outcome: done }],
    ask: (proactive) => proactive.onIntentStated(`sort the crate of shells ${n}`),
  }),
  patternRecognition: () => ({
    memories: ['north', 'south', 'west'].map((side) => ({
      intent: `Draw the floor plan of the ${side} wing for the fire office`,
      outcome: done,
    })),
    ask: (proactive) =>
      proactive.onTaskStart('Draw the floor plan of the east wing for the fire office'),
  }),
};

export type Dismissed = Partial<Record<DetectorName, number>>;

/** @returns how many came, and were dismissed, of each kind */
export async function dismissOffers(
  { memory, proactive }: ReplayAgent,
  clock: { nowMs: number },
  count: number,
): Promise<Dismissed> {
  const operator = { kind: 'operator' } as const;
  const dismissed: Dismissed = {};
  for (const [kind, lesson] of Object.entries(LESSONS)) {
    for (let n = 1; n <= count; n += 1) {
      const { memories, ask } = lesson(n);
      for (const draft of memories) await memory.store(draft, operator);
      clock.nowMs += 20 * MINUTE_MS;
      const { offers } = await ask(proactive);
      const offer = offers.find((made) => made.kind === kind);
      if (offer) {
        await proactive.dismiss(offer.id, operator);
        dismissed[offer.kind] = (dismissed[offer.kind] ?? 0) + 1;
      }
      await memory.forget({ all: true }, operator);
    }
  }
  return dismissed;
}
