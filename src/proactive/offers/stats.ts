/**
 * What offers were good for (DESIGN §8): the numbers of a running agent and those of the evaluation come
 * from here. An offer belongs to the day it was made on, whenever it was answered, so that what is
 * divided speaks of the same offers. False alarms are divided by turns, which are counted by day, kept in
 * the database and written seldom, since a turn must not wait for it.
 */
import { type Clock, DAY_MS, SECOND_MS } from '../../shared/clock.js';
import { messageOf } from '../../shared/errors.js';
import type { Log } from '../../shared/log.js';
import { DETECTOR_NAMES, type DetectorName } from '../types.js';
import { type OfferData, type OfferState, wasShown } from './offer.js';

/** Epoch ms; from `sinceMs` on, before `untilMs`. */
interface StatsRange {
  sinceMs: number;
  untilMs: number;
}

/** What is counted of an offer. */
export type MeasuredOffer = Pick<
  OfferData,
  'kind' | 'state' | 'tokens' | 'createdAtMs' | 'shownAtMs'
>;

/** Turns by UTC day: `{ '2026-03-02': 41 }`. */
type TurnCounts = Readonly<Record<string, number>>;

interface Counts extends Record<OfferState, number> {
  offers: number;
  /** Dismissed or expired unused after being shown. */
  falseAlarms: number;
  tokens: number;
}

/** Numbers of one kind of offer, or of all; `shown` counts those that somebody has seen. */
export interface OfferNumbers extends Counts {
  /** used ÷ shown; `null` while nothing was shown. */
  recallRate: number | null;
  /** (used + acknowledged) ÷ shown. */
  precision: number | null;
  /** Per 100 turns; `null` while there were none. */
  falseAlarmsPer100Turns: number | null;
}

export interface OfferStats extends StatsRange {
  turns: number;
  total: OfferNumbers;
  byKind: Partial<Record<DetectorName, OfferNumbers>>;
  /** Oldest first; days in UTC with anything in them. */
  byDay: ({ day: string; turns: number; byKind: OfferStats['byKind'] } & OfferNumbers)[];
}

interface Tally {
  total: Counts;
  kinds: Map<string, Counts>;
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
export function createMeasure(range: StatsRange) {
  const { sinceMs, untilMs } = range;
  const all = noTally();
  const days = new Map<string, Tally>();
  return {
    /** Offers made outside the range are not counted. */
    add(offer: MeasuredOffer): void {
      if (offer.createdAtMs < sinceMs || offer.createdAtMs >= untilMs) return;
      count(all, offer);
      count(entryOf(days, dayOf(offer.createdAtMs), noTally), offer);
    },
    /** @param turns of days that lie in the range, also those that lie in it with a part only */
    result(turns: TurnCounts): OfferStats {
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
function dayOf(ms: number): string {
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
  const states = { pending: 0, shown: 0, used: 0, acknowledged: 0, dismissed: 0, expired: 0 };
  return { offers: 0, ...states, falseAlarms: 0, tokens: 0 };
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

/** Where turns are kept; several processes may add to it. */
export interface TurnStore {
  /** Turns of the project by UTC day. @throws when they cannot be read */
  read(): Promise<Record<string, number>>;
  /**
   * Adds to what is stored, in one step, and drops days before `firstDay`.
   * @throws when nothing was added
   */
  add(turns: Record<string, number>, firstDay: string): Promise<void>;
}

const FLUSH_MS = 10 * SECOND_MS;
/** Some more than the days for which offers are kept. */
const KEPT_DAYS = 200;

export function createTurnCounter({
  read,
  add,
  clock,
  log,
}: TurnStore & { clock: Clock; log: Pick<Log, 'warn'> }) {
  /** Counted here and not written. */
  let unsaved = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  async function save(): Promise<void> {
    if (unsaved.size === 0) return;
    const taken = unsaved;
    unsaved = new Map();
    try {
      await add(Object.fromEntries(taken), dayOf(clock.now() - KEPT_DAYS * DAY_MS));
    } catch (error) {
      for (const [day, turns] of taken) unsaved.set(day, (unsaved.get(day) ?? 0) + turns);
      log.warn({ reason: messageOf(error) }, 'turns could not be counted, tried again later');
    }
  }

  return {
    /** One more turn today; written within 10 s. */
    count(): void {
      const day = dayOf(clock.now());
      unsaved.set(day, (unsaved.get(day) ?? 0) + 1);
      timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
    },
    /** Turns by UTC day, also those not written yet. @throws when they cannot be read */
    async counts(): Promise<Record<string, number>> {
      await writing;
      const sums = await read();
      for (const [day, turns] of unsaved) sums[day] = (sums[day] ?? 0) + turns;
      return sums;
    },
    /** Writes what was counted. Never rejects: what cannot be written is kept for the next time. */
    flush(): Promise<void> {
      clearTimeout(timer);
      timer = undefined;
      writing = writing.then(save);
      return writing;
    },
  };
}
