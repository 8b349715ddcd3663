/** Offers as the tests of their life, cooldown and numbers need them. */

import {
  OFFER_LIFE_MS,
  type OfferData,
  type OfferOf,
  type OfferSource,
} from '../../src/proactive/offers/offer.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';

export const MEMORY_A = derivedId('offer test', 'memory a');
export const MEMORY_B = derivedId('offer test', 'memory b');

export function sourceOf(id: Uuid, revision = 1): OfferSource {
  return { id, memoryId: `mem_${id.slice(0, 8)}`, revision, score: 0.9, reasons: ['file a.ts'] };
}

export function offerData(change: Partial<OfferData> = {}): OfferData {
  const createdAtMs = change.createdAtMs ?? 0;
  const kind = change.kind ?? 'fileTouch';
  return {
    kind,
    subject: 'src/a.ts',
    text: '[RUM] a.ts has history',
    tokens: 20,
    sources: [sourceOf(MEMORY_A)],
    state: 'pending',
    target: {},
    groupId: derivedId('offer test', 'group'),
    requiresAcknowledgment: kind === 'conflictWarning',
    why: { detector: kind, strength: 0.8, evidence: ['file src/a.ts'], suppressed: [] },
    createdAtMs,
    expiresAtMs: createdAtMs + OFFER_LIFE_MS,
    ...change,
  };
}

/** One that was shown. */
export function offerOf(name: string, change: Partial<OfferData> = {}): OfferOf {
  const id = derivedId('offer test', 'offer', name);
  const groupId = derivedId('offer test', 'group', name);
  return { id, data: offerData({ state: 'shown', groupId, shownAtMs: 0, ...change }) };
}
