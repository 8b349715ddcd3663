/** What cooldown and feedback remember of an offer: all of it but its words. */
import { type Clock, DAY_MS } from '../../shared/clock.js';
import type { Uuid } from '../../shared/ids.js';
import type { OfferData } from '../offer-types.js';
import type { StoredOffer } from './offer-record.js';

/** How long what came of an offer has an effect on others. */
export const FEEDBACK_DAYS = 30;

export interface OfferFact
  extends Pick<
    OfferData,
    | 'kind'
    | 'subject'
    | 'state'
    | 'target'
    | 'groupId'
    | 'createdAtMs'
    | 'shownAtMs'
    | 'usedAtMs'
    | 'closedAtMs'
  > {
  id: Uuid;
  /** Memories that it tells of, without those that it only quotes. */
  sourceIds: readonly Uuid[];
}

export function factOf({ id, data }: Pick<StoredOffer, 'id' | 'data'>): OfferFact {
  const { kind, subject, state, target, groupId, createdAtMs } = data;
  const { shownAtMs, usedAtMs, closedAtMs } = data;
  return {
    id,
    kind,
    subject,
    state,
    target,
    groupId,
    createdAtMs,
    shownAtMs,
    usedAtMs,
    closedAtMs,
    sourceIds: data.sources.flatMap(({ id: source, quoted }) => (quoted === true ? [] : [source])),
  };
}

/** When it came to be what it is. */
export function settledAtMs(fact: OfferFact): number {
  const { state, createdAtMs, shownAtMs, usedAtMs, closedAtMs } = fact;
  switch (state) {
    case 'pending':
      return createdAtMs;
    case 'shown':
      return shownAtMs ?? createdAtMs;
    case 'used':
      return Math.max(usedAtMs ?? createdAtMs, closedAtMs ?? 0);
    case 'acknowledged':
    case 'dismissed':
    case 'expired':
      return closedAtMs ?? createdAtMs;
  }
}

/** Those of the last 30 days, the newest 10,000. */
export interface OfferFacts {
  get(id: Uuid): OfferFact | undefined;
  /** Takes the place of what was known of the offer; the oldest has to go where there are too many. */
  put(fact: OfferFact): void;
  delete(id: Uuid): void;
  /** Whether one more fits without another having to go. */
  hasRoom(): boolean;
  /** Of the last 30 days, in the order in which they came to be what they are. */
  recent(): OfferFact[];
  /** From now on the first of `recent` go first. */
  reorder(): void;
  /** Removes those of these memories. */
  forget(sourceIds: ReadonlySet<Uuid>): void;
}

const MOST_FACTS = 10_000;

export function createOfferFacts(clock: Clock): OfferFacts {
  const facts = new Map<Uuid, OfferFact>();
  const recent = (): OfferFact[] =>
    [...facts.values()]
      .filter(({ createdAtMs }) => clock.now() - createdAtMs < FEEDBACK_DAYS * DAY_MS)
      .sort((a, b) => settledAtMs(a) - settledAtMs(b) || a.createdAtMs - b.createdAtMs);
  return {
    get: (id) => facts.get(id),
    put(fact) {
      facts.set(fact.id, fact);
      const [oldest] = facts.keys();
      if (facts.size > MOST_FACTS && oldest !== undefined) facts.delete(oldest);
    },
    delete: (id) => void facts.delete(id),
    hasRoom: () => facts.size < MOST_FACTS,
    recent,
    reorder() {
      const inOrder = recent();
      facts.clear();
      for (const fact of inOrder) facts.set(fact.id, fact);
    },
    forget(sourceIds) {
      for (const [id, fact] of facts) {
        if (fact.sourceIds.some((source) => sourceIds.has(source))) facts.delete(id);
      }
    },
  };
}
