/**
 * What offers were good for (DESIGN §8). Pure; the numbers of a running agent and those of the
 * evaluation come from here. An offer belongs to the day it was made on, whenever it was answered,
 * so that what is divided speaks of the same offers.
 */
import { DAY_MS } from '../../shared/clock.js';
import type { OfferData, OfferNumbers, OfferStats } from '../offer-types.js';
import { DETECTOR_NAMES } from '../types.js';
import { wasShown } from './offer-life.js';

/** Epoch ms; from `sinceMs` on, before `untilMs`. */
export interface StatsRange {
  sinceMs: number;
  untilMs: number;
}

/** What is counted of an offer. */
export type MeasuredOffer = Pick<
  OfferData,
  'kind' | 'state' | 'tokens' | 'createdAtMs' | 'shownAtMs'
>;

/** Turns by UTC day: `{ '2026-03-02': 41 }`. */
export type TurnCounts = Readonly<Record<string, number>>;

interface Counts {
  offers: number;
  shown: number;
  used: number;
  acknowledged: number;
  dismissed: number;
  expired: number;
  pending: number;
  falseAlarms: number;
  tokens: number;
}

interface Tally {
  total: Counts;
  kinds: Map<string, Counts>;
}

export interface Measure {
  /** Offers made outside the range are not counted. */
  add(offer: MeasuredOffer): void;
  /** @param turns of days that lie in the range, also those that lie in it with a part only */
  result(turns: TurnCounts): OfferStats;
}

export function measure(
  offers: Iterable<MeasuredOffer>,
  turns: TurnCounts,
  range: StatsRange,
): OfferStats {
  const made = createMeasure(range);
  for (const offer of offers) made.add(offer);
  return made.result(turns);
}

/** The same for offers that come in pages. */
export function createMeasure(range: StatsRange): Measure {
  const { sinceMs, untilMs } = range;
  const all = noTally();
  const days = new Map<string, Tally>();
  return {
    add(offer) {
      if (offer.createdAtMs < sinceMs || offer.createdAtMs >= untilMs) return;
      count(all, offer);
      count(entryOf(days, dayOf(offer.createdAtMs), noTally), offer);
    },
    result(turns) {
      const turnsOf = new Map(
        Object.entries(turns).filter(([day, turned]) => turned > 0 && overlaps(day, range)),
      );
      const allTurns = [...turnsOf.values()].reduce((sum, turned) => sum + turned, 0);
      const named = [...new Set([...days.keys(), ...turnsOf.keys()])].sort();
      return {
        sinceMs,
        untilMs,
        turns: allTurns,
        total: numbersOf(all.total, allTurns),
        byKind: byKindOf(all, allTurns),
        byDay: named.map((day) => {
          const turned = turnsOf.get(day) ?? 0;
          const tally = days.get(day) ?? noTally();
          const byKind = byKindOf(tally, turned);
          return { day, turns: turned, ...numbersOf(tally.total, turned), byKind };
        }),
      };
    },
  };
}

/** UTC, `2026-03-02`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function overlaps(day: string, { sinceMs, untilMs }: StatsRange): boolean {
  const startMs = Date.parse(`${day}T00:00:00Z`);
  return startMs < untilMs && startMs + DAY_MS > sinceMs;
}

function entryOf<T>(entries: Map<string, T>, key: string, none: () => T): T {
  const entry = entries.get(key) ?? none();
  entries.set(key, entry);
  return entry;
}

function count({ total, kinds }: Tally, offer: MeasuredOffer): void {
  const isShown = wasShown(offer);
  for (const counts of [total, entryOf(kinds, offer.kind, noCounts)]) {
    const { state, tokens } = offer;
    counts.offers += 1;
    if (state !== 'shown') counts[state] += 1;
    if (!isShown) continue;
    counts.shown += 1;
    counts.tokens += tokens;
    if (state === 'dismissed' || state === 'expired') counts.falseAlarms += 1;
  }
}

function noTally(): Tally {
  return { total: noCounts(), kinds: new Map() };
}

function noCounts(): Counts {
  return {
    offers: 0,
    shown: 0,
    used: 0,
    acknowledged: 0,
    dismissed: 0,
    expired: 0,
    pending: 0,
    falseAlarms: 0,
    tokens: 0,
  };
}

function byKindOf({ kinds }: Tally, turns: number): OfferStats['byKind'] {
  return Object.fromEntries(
    DETECTOR_NAMES.flatMap((name) => {
      const counts = kinds.get(name);
      return counts ? [[name, numbersOf(counts, turns)]] : [];
    }),
  );
}

function numbersOf(counts: Counts, turns: number): OfferNumbers {
  const { shown, used, acknowledged, falseAlarms } = counts;
  return {
    ...counts,
    recallRate: shown === 0 ? null : used / shown,
    precision: shown === 0 ? null : (used + acknowledged) / shown,
    falseAlarmsPer100Turns: turns === 0 ? null : (falseAlarms / turns) * 100,
  };
}
