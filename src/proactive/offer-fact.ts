/** What cooldown and feedback remember of an offer: all of it but its words. */
import type { Uuid } from '../shared/ids.js';
import type { StoredOffer } from './offer-record.js';
import type { OfferData } from './offer-types.js';

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
    sourceIds: data.sources.map((source) => source.id),
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
