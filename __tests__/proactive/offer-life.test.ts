import { describe, expect, it } from 'vitest';
import {
  asOf,
  changeOffer,
  inTime,
  isAnswered,
  isStandingWarning,
  LATE_ANSWER_MS,
  OFFER_LIFE_MS,
  OFFER_STATES,
  type OfferChange,
  type OfferData,
  type OfferState,
  wasShown,
} from '../../src/proactive/offers/offer.js';
import { offerData } from './offer-fixtures.js';

const NOW = 10_000;
const CHANGES: OfferChange[] = ['shown', 'used', 'acknowledged', 'dismissed', 'expired'];

/** An offer that has come into this state the ordinary way. */
function inState(state: OfferState, kind: OfferData['kind'] = 'fileTouch'): OfferData {
  let data = offerData({ kind });
  if (state === 'pending') return data;
  for (const to of state === 'shown' ? [state] : (['shown', state] as const)) {
    data = changeOffer(data, to, { atMs: 5_000, how: to === 'used' ? 'recalled' : 'turn' }).data;
  }
  return data;
}

const change = (data: OfferData, to: OfferChange, atMs = NOW) =>
  changeOffer(data, to, { atMs, by: 'somebody', reason: 'because' });

describe('the life of an offer', () => {
  it('follows the table of states', () => {
    const table = OFFER_STATES.map((from) => [
      from,
      ...CHANGES.map((to) => {
        const { result, data } = change(inState(from), to);
        return result === 'changed' ? data.state : result;
      }),
    ]);
    expect(table).toEqual([
      ['pending', 'shown', 'used', 'acknowledged', 'dismissed', 'expired'],
      ['shown', 'same', 'used', 'acknowledged', 'dismissed', 'expired'],
      ['used', 'same', 'same', 'used', 'used', 'same'],
      ['acknowledged', 'same', 'used', 'same', 'conflict', 'same'],
      ['dismissed', 'same', 'conflict', 'conflict', 'same', 'same'],
      ['expired', 'same', 'used', 'acknowledged', 'dismissed', 'same'],
    ]);
  });

  it('takes an answer for seven days after it expired, not later', () => {
    const expired = inState('expired');
    const results = CHANGES.slice(1, 4).map((to) => [
      change(expired, to, 5_000 + LATE_ANSWER_MS).result,
      change(expired, to, 5_001 + LATE_ANSWER_MS).result,
    ]);
    expect(results).toEqual([
      ['changed', 'conflict'],
      ['changed', 'conflict'],
      ['changed', 'conflict'],
    ]);
  });

  it('keeps when it was first shown and how, and counts a use or an answer as a showing', () => {
    const again = change(inState('shown'), 'used').data;
    expect([again.shownAtMs, again.shownBy, again.usedAtMs]).toEqual([5_000, 'turn', NOW]);
    const unseen = change(inState('pending'), 'dismissed').data;
    expect([unseen.shownAtMs, unseen.shownBy]).toEqual([NOW, undefined]);
    expect(OFFER_STATES.filter((state) => wasShown(offerData({ state })))).toEqual([
      'shown',
      'used',
      'acknowledged',
      'dismissed',
    ]);
  });

  it('keeps the acknowledgment of a warning that is used before or after it', () => {
    const before = change(inState('used', 'conflictWarning'), 'acknowledged').data;
    const after = change(inState('acknowledged', 'conflictWarning'), 'used').data;
    expect([before.state, before.closedAtMs, before.reason, isAnswered(before)]).toEqual([
      'used',
      NOW,
      'because',
      true,
    ]);
    expect([after.state, after.closedAtMs, isAnswered(after)]).toEqual(['used', 5_000, true]);
  });

  it('does not take the time at which it expired for an answer when it is used after all', () => {
    const late = change(inState('expired', 'conflictWarning'), 'used').data;
    expect([late.state, late.closedAtMs, isAnswered(late)]).toEqual(['used', undefined, false]);
  });

  it('lets a warning stand until it is answered, also when it was used', () => {
    const standing = OFFER_STATES.filter((state) =>
      isStandingWarning(inState(state, 'conflictWarning')),
    );
    expect(standing).toEqual(['pending', 'shown', 'used']);
    expect(isStandingWarning(change(inState('used', 'conflictWarning'), 'dismissed').data)).toBe(
      false,
    );
    expect(isStandingWarning(inState('shown'))).toBe(false);
  });

  it('is over for whoever reads it at the end of its time, unless something came of it', () => {
    const states = (atMs: number) =>
      OFFER_STATES.map((state) => asOf(offerData({ state }), atMs).state);
    expect(states(OFFER_LIFE_MS - 1)).toEqual([...OFFER_STATES]);
    expect(states(OFFER_LIFE_MS)).toEqual([
      'expired',
      'expired',
      'used',
      'acknowledged',
      'dismissed',
      'expired',
    ]);
    expect(asOf(offerData(), OFFER_LIFE_MS + NOW).closedAtMs).toBe(OFFER_LIFE_MS);
  });

  it('is as old as now when a clock that was wrong has made it later', () => {
    const early = offerData({ createdAtMs: 2 * NOW, shownAtMs: 3 * NOW });
    expect(inTime(early, NOW)).toEqual(offerData({ createdAtMs: NOW, shownAtMs: NOW }));
    expect(asOf(early, NOW).state).toBe('pending');
    expect(inTime(early, 2 * NOW)).toBe(early);
  });

  it('keeps why it ended early, until a late answer or use takes the place of that', () => {
    const ended = changeOffer(inState('shown'), 'expired', { atMs: NOW, how: 'superseded' }).data;
    const late = (to: OfferChange) => changeOffer(ended, to, { atMs: NOW + 1 }).data;
    expect([ended.state, ended.reason]).toEqual(['expired', 'superseded']);
    expect([late('acknowledged').reason, late('used').reason]).toEqual([undefined, undefined]);
    expect(change(change(ended, 'acknowledged').data, 'used').data.reason).toBe('because');
  });
});
