import { describe, expect, it } from 'vitest';
import {
  createTurnCounter,
  type MeasuredOffer,
  measure,
} from '../../src/proactive/offers/stats.js';
import { DAY_MS } from '../../src/shared/clock.js';

const MONDAY = Date.UTC(2026, 2, 2);
const RANGE = { sinceMs: MONDAY, untilMs: MONDAY + 3 * DAY_MS };

const made = (
  state: MeasuredOffer['state'],
  change: Partial<MeasuredOffer> = {},
): MeasuredOffer => ({
  kind: 'fileTouch',
  state,
  tokens: 10,
  createdAtMs: MONDAY + 1_000,
  shownAtMs: MONDAY + 2_000,
  ...change,
});

describe('what offers were good for', () => {
  it('is null where nothing was shown and nobody took a turn', () => {
    expect(measure([], {}, RANGE)).toEqual({
      ...RANGE,
      turns: 0,
      total: {
        offers: 0,
        shown: 0,
        used: 0,
        acknowledged: 0,
        dismissed: 0,
        expired: 0,
        pending: 0,
        recallRate: null,
        precision: null,
        falseAlarms: 0,
        falseAlarmsPer100Turns: null,
        tokens: 0,
      },
      byKind: {},
      byDay: [],
    });
  });

  it('divides by what was shown, and counts as false what was dismissed or left unused', () => {
    const unseen = { shownAtMs: undefined };
    const offers = [
      made('pending', unseen),
      made('shown'),
      made('used'),
      made('used', unseen),
      made('used'),
      made('acknowledged'),
      made('dismissed'),
      made('expired'),
      // Nobody saw it, so it disturbed nobody.
      made('expired', unseen),
    ];
    expect(measure(offers, { '2026-03-02': 50 }, RANGE).total).toEqual({
      offers: 9,
      shown: 7,
      used: 3,
      acknowledged: 1,
      dismissed: 1,
      expired: 2,
      pending: 1,
      recallRate: 3 / 7,
      precision: 4 / 7,
      falseAlarms: 2,
      falseAlarmsPer100Turns: 4,
      tokens: 70,
    });
  });

  it('tells kinds apart, in the order of their priority, all of them over the same turns', () => {
    const offers = [
      made('dismissed', { kind: 'intentMatch' }),
      made('used'),
      made('acknowledged', { kind: 'conflictWarning' }),
    ];
    const { byKind } = measure(offers, { '2026-03-02': 10 }, RANGE);
    expect(
      Object.entries(byKind).map(([kind, numbers]) => [
        kind,
        numbers.recallRate,
        numbers.precision,
        numbers.falseAlarmsPer100Turns,
      ]),
    ).toEqual([
      ['conflictWarning', 0, 1, 0],
      ['fileTouch', 1, 1, 0],
      ['intentMatch', 0, 0, 10],
    ]);
  });

  it('puts an offer on the day it was made and leaves out what lies outside the range', () => {
    const offers = [
      made('used', { createdAtMs: RANGE.sinceMs }),
      made('dismissed', { createdAtMs: RANGE.untilMs - 1 }),
      made('used', { createdAtMs: RANGE.sinceMs - 1 }),
      made('used', { createdAtMs: RANGE.untilMs }),
    ];
    const turns = { '2026-03-01': 5, '2026-03-03': 7, '2026-03-04': 20, '2026-03-05': 9 };
    const stats = measure(offers, turns, RANGE);
    expect([stats.total.offers, stats.turns]).toEqual([2, 27]);
    expect(
      stats.byDay.map(({ day, turns: turned, offers: count, falseAlarmsPer100Turns }) => [
        day,
        turned,
        count,
        falseAlarmsPer100Turns,
      ]),
    ).toEqual([
      ['2026-03-02', 0, 1, null],
      ['2026-03-03', 7, 0, 0],
      ['2026-03-04', 20, 1, 5],
    ]);
  });

  it('tells the kinds of a day apart', () => {
    const offers = [
      made('used'),
      made('dismissed'),
      made('acknowledged', { kind: 'conflictWarning' }),
      made('used', { createdAtMs: MONDAY + DAY_MS }),
    ];
    const { byDay } = measure(offers, { '2026-03-04': 2 }, RANGE);
    expect(
      byDay.map(({ day, byKind }) => [
        day,
        Object.entries(byKind).map(([kind, one]) => [kind, one.recallRate, one.precision]),
      ]),
    ).toEqual([
      [
        '2026-03-02',
        [
          ['conflictWarning', 0, 1],
          ['fileTouch', 0.5, 0.5],
        ],
      ],
      ['2026-03-03', [['fileTouch', 1, 1]]],
      ['2026-03-04', []],
    ]);
  });
});

describe('the counter of turns', () => {
  function open(stored: Record<string, number>) {
    const state = { stored, nowMs: MONDAY, adds: [] as unknown[], warnings: 0, away: false };
    const counter = createTurnCounter({
      read: async () => ({ ...state.stored }),
      add: async (turns, firstDay) => {
        if (state.away) throw new Error('the database is away');
        state.adds.push([turns, firstDay]);
        for (const [day, more] of Object.entries(turns)) {
          state.stored[day] = (state.stored[day] ?? 0) + more;
        }
      },
      clock: { now: () => state.nowMs },
      log: {
        warn: () => {
          state.warnings += 1;
        },
      },
    });
    return { state, counter };
  }

  it('adds what it counted, by day, to what others count, and drops days older than 200', async () => {
    const { state, counter } = open({ '2026-03-02': 3 });
    counter.count();
    counter.count();
    state.stored = { '2026-03-02': 10 };
    expect(await counter.counts()).toEqual({ '2026-03-02': 12 });
    state.nowMs += DAY_MS;
    counter.count();
    await counter.flush();
    expect(state.stored).toEqual({ '2026-03-02': 12, '2026-03-03': 1 });
    expect(state.adds).toEqual([[{ '2026-03-02': 2, '2026-03-03': 1 }, '2025-08-15']]);
    await counter.flush();
    expect(state.adds.length).toBe(1);
  });

  it('keeps what could not be written for the next time', async () => {
    const { state, counter } = open({ '2026-03-02': 5 });
    counter.count();
    state.away = true;
    await counter.flush();
    expect([state.warnings, await counter.counts()]).toEqual([1, { '2026-03-02': 6 }]);
    counter.count();
    state.away = false;
    await counter.flush();
    expect([state.adds.length, state.stored]).toEqual([1, { '2026-03-02': 7 }]);
  });
});
