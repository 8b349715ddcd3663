import { describe, expect, it } from 'vitest';
import { feedbackOf, spanOf } from '../../src/proactive/learning.js';
import type { OfferData, OfferOf } from '../../src/proactive/offers/offer.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/shared/clock.js';
import { MEMORY_A, MEMORY_B, offerOf } from './offer-fixtures.js';

const NOW = 60 * DAY_MS;
const BASE = 10 * MINUTE_MS;

/** `count` offers that ended so, a minute apart, the last a minute ago. */
function ended(
  state: OfferData['state'],
  count: number,
  change: Partial<OfferData> = {},
): OfferOf[] {
  return Array.from({ length: count }, (_, index) => {
    const atMs = NOW - (count - index) * MINUTE_MS;
    return offerOf(`${state} ${index} ${change.kind ?? ''}`, {
      state,
      createdAtMs: atMs,
      shownAtMs: atMs,
      closedAtMs: atMs,
      ...change,
    });
  });
}

describe('feedback', () => {
  it('makes the cooldown of a memory eight times as long with each dismissal, seven days at most', () => {
    const cooldowns = [0, 1, 2, 3, 4, 9].map((count) =>
      feedbackOf(ended('dismissed', count)).memoryCooldownMs(MEMORY_A, 'fileTouch', BASE, NOW),
    );
    expect(cooldowns.map((ms) => ms / MINUTE_MS)).toEqual([10, 80, 640, 5_120, 10_080, 10_080]);
  });

  it('counts a memory from one minute where memories have no cooldown', () => {
    const feedback = feedbackOf(ended('dismissed', 1));
    expect(feedback.memoryCooldownMs(MEMORY_A, 'fileTouch', 0, NOW)).toBe(8 * MINUTE_MS);
    expect(feedback.memoryCooldownMs(MEMORY_B, 'fileTouch', 0, NOW)).toBe(0);
  });

  it.each(['used', 'acknowledged'] as const)('begins anew when it is %s', (state) => {
    const feedback = feedbackOf(ended('dismissed', 4));
    feedback.note(offerOf('wanted', { state, usedAtMs: NOW, closedAtMs: NOW }));
    expect(feedback.dismissals(MEMORY_A, 'fileTouch', NOW)).toBe(0);
    feedback.note(offerOf('dismissed after it', { state: 'dismissed', closedAtMs: NOW }));
    expect(feedback.dismissals(MEMORY_A, 'fileTouch', NOW)).toBe(1);
  });

  it('reads offers in the order in which they ended, whatever order they come in', () => {
    const [first, second] = ended('dismissed', 2);
    const used = offerOf('used between', {
      state: 'used',
      usedAtMs: NOW - 90 * SECOND_MS,
      createdAtMs: NOW - HOUR_MS,
    });
    const known = [first, used, second].filter((one) => one !== undefined);
    const orders = [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
      [2, 0, 1],
    ].map((order) => feedbackOf(order.flatMap((index) => known[index] ?? [])));
    expect(orders.map((feedback) => feedback.dismissals(MEMORY_A, 'fileTouch', NOW))).toEqual([
      1, 1, 1, 1,
    ]);
  });

  it('holds warnings back only for memories whose warnings were dismissed', () => {
    const warnings = feedbackOf(ended('dismissed', 9, { kind: 'conflictWarning' }));
    expect(warnings.dismissals(MEMORY_A, 'conflictWarning', NOW)).toBe(9);
    expect(warnings.dismissals(MEMORY_A, 'fileTouch', NOW)).toBe(0);
    expect(feedbackOf(ended('dismissed', 9)).dismissals(MEMORY_A, 'conflictWarning', NOW)).toBe(0);
  });

  it('counts an offer once that expired and was dismissed late', () => {
    const feedback = feedbackOf(ended('dismissed', 2));
    const late = offerOf('late', { state: 'expired', closedAtMs: NOW - SECOND_MS });
    const dismissed = offerOf('late', { state: 'dismissed', closedAtMs: NOW });
    feedback.note(late);
    feedback.note(dismissed);
    feedback.note(dismissed);
    expect(feedback.dismissals(MEMORY_A, 'fileTouch', NOW)).toBe(3);
  });

  it('forgets after thirty days, and a memory that is forgotten', () => {
    const feedback = feedbackOf(ended('dismissed', 3));
    const monthLater = NOW - MINUTE_MS + 30 * DAY_MS;
    expect(feedback.dismissals(MEMORY_A, 'fileTouch', monthLater - 1)).toBe(1);
    expect(feedback.dismissals(MEMORY_A, 'fileTouch', monthLater)).toBe(0);
    feedback.forget([MEMORY_A]);
    expect(feedback.dismissals(MEMORY_A, 'fileTouch', NOW)).toBe(0);
  });

  it('says in words what has changed', () => {
    const sources = [
      { id: MEMORY_B, memoryId: 'mem_bbbbbbbb' },
      { id: MEMORY_A, memoryId: 'mem_aaaaaaaa' },
    ];
    const sentence = (offers: OfferOf[]) => feedbackOf(offers).sentence('fileTouch', sources, NOW);
    expect(sentence([])).toBeUndefined();
    expect(sentence(ended('dismissed', 1))).toBe(
      'mem_aaaaaaaa was dismissed once: its cooldown is 8 times as long, at most 7 days',
    );
    expect(sentence(ended('expired', 6))).toBeUndefined();
    expect(sentence(ended('dismissed', 3))).toBe(
      'mem_aaaaaaaa was dismissed 3 times: its cooldown is 512 times as long, at most 7 days',
    );
  });

  it('rounds spans up to the unit a person would use', () => {
    const spans = [1, SECOND_MS, 80_001, 2 * MINUTE_MS, 119 * MINUTE_MS, DAY_MS, 7 * DAY_MS];
    expect(spans.map(spanOf)).toEqual([
      '1 second',
      '1 second',
      '81 seconds',
      '2 minutes',
      '119 minutes',
      '24 hours',
      '7 days',
    ]);
  });
});
