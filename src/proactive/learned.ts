/**
 * What an agent has learned about each kind of offer from what became of them (docs/proactive.md): one
 * balance per kind, which what was not wanted raises and what was wanted lowers. A kind that a
 * probability decides has its threshold moved by it, within bounds; another one comes less often. The
 * weights of the gate stay. Pure.
 */
import { DAY_MS, MINUTE_MS } from '../shared/clock.js';
import { spanOf } from './feedback.js';
import { SURE } from './gate/decide.js';
import type { DetectorName, OfferState } from './types.js';

export type LearnedFrom = Extract<OfferState, 'used' | 'acknowledged' | 'dismissed' | 'expired'>;

/** What became of an offer. */
export interface LearnedOutcome {
  kind: DetectorName;
  state: LearnedFrom;
  /** What had become of it before; `null`: nothing yet. */
  from: LearnedFrom | null;
  atMs: number;
}

/** Of one kind, as it is stored. */
export interface LearnedKind extends Record<LearnedFrom, number> {
  /** Above 0: not wanted. As it was at `atMs`. */
  balance: number;
  atMs: number;
  /** When the counts begin. */
  sinceMs: number;
}

export type Learned = Readonly<Partial<Record<DetectorName, LearnedKind>>>;

/** From which probability on a kind is proposed, and why not from the one that is set. */
export interface Bar {
  least: number;
  /** "shown less because 10 offers of this kind were dismissed"; `null`: it is as set. */
  because: string | null;
}

const HALF_LIFE_MS = 14 * DAY_MS;
/** More changes nothing, so that a few that are wanted are enough to come back. */
const MOST_BALANCE = 11;
/** An offer that was read and led to nothing says little, and all of them together not much more. */
const EXPIRED = 0.1;
const MOST_BY_EXPIRED = 2;

interface Bounds {
  /** Log-odds by which the threshold rises and falls at most. */
  rises: number;
  falls: number;
  /** Where a rise ends, unless the setting is above it: what is surer is always proposed. */
  most: number;
}

/** Of ten dismissals or uses in a row. */
const FULL = 10;
const BOUNDS: Partial<Record<DetectorName, Bounds>> = {
  conflictWarning: { rises: 0.5, falls: 0.3, most: SURE },
  intentMatch: { rises: 3, falls: 0.3, most: 0.95 },
  patternRecognition: { rises: 1.5, falls: 0.3, most: 0.9 },
};

const INTERVAL_FROM = 3;
const INTERVAL_MS = 5 * MINUTE_MS;
const MOST_INTERVAL_MS = DAY_MS;

/** What is known with this outcome; what speaks against the balance so far halves it first. */
export function learn(learned: Learned, { kind, state, from, atMs }: LearnedOutcome): Learned {
  const known = learned[kind] ?? {
    ...{ balance: 0, atMs, sinceMs: atMs },
    ...{ used: 0, acknowledged: 0, dismissed: 0, expired: 0 },
  };
  if (state === from) return learned;
  const balance = balanceAt(known, atMs);
  const wanted = (one: LearnedFrom | null) => one === 'used' || one === 'acknowledged';
  const moved = (): number => {
    if (wanted(state)) return wanted(from) ? balance : (balance > 0 ? balance / 2 : balance) - 1;
    if (state === 'dismissed') return (balance < 0 ? balance / 2 : balance) + 1;
    return Math.max(balance, Math.min(MOST_BY_EXPIRED, balance + EXPIRED));
  };
  const counts = { ...known, [state]: known[state] + 1 };
  if (from !== null) counts[from] = Math.max(0, known[from] - 1);
  return {
    ...learned,
    [kind]: {
      ...counts,
      balance: Math.max(-MOST_BALANCE, Math.min(MOST_BALANCE, moved())),
      atMs: Math.max(atMs, known.atMs),
    },
  };
}

/** A clock that was set back makes nothing newer than it is. */
function balanceAt({ balance, atMs }: LearnedKind, nowMs: number): number {
  return balance * 0.5 ** (Math.max(0, nowMs - atMs) / HALF_LIFE_MS);
}

/** The balance in whole dismissals; below 0: in uses. */
function timesOf(learned: Learned, kind: DetectorName, nowMs: number): number {
  const known = learned[kind];
  return known ? Math.round(balanceAt(known, nowMs)) : 0;
}

/** Log-odds by which the threshold of the kind is moved; 0 for a kind without one. */
export function shiftOf(learned: Learned, kind: DetectorName, nowMs: number): number {
  const bounds = BOUNDS[kind];
  if (!bounds) return 0;
  const part = Math.max(-1, Math.min(1, timesOf(learned, kind, nowMs) / FULL));
  return part * (part > 0 ? bounds.rises : bounds.falls);
}

/** @param setting the threshold as it is set, or comes with the weights */
export function barOf(learned: Learned, kind: DetectorName, setting: number, nowMs: number): Bar {
  const shift = shiftOf(learned, kind, nowMs);
  if (shift === 0) return { least: setting, because: null };
  const odds = (setting / (1 - setting)) * Math.exp(shift);
  const moved = setting >= 1 ? setting : odds / (1 + odds);
  const most = Math.max(setting, BOUNDS[kind]?.most ?? 1);
  return { least: Math.min(moved, most), because: becauseOf(learned, kind, nowMs) };
}

/** Time between two offers of a kind in one conversation, ms; 0: nothing holds it back. */
export function intervalOf(learned: Learned, kind: DetectorName, nowMs: number): number {
  const times = timesOf(learned, kind, nowMs);
  if (BOUNDS[kind] || times < INTERVAL_FROM) return 0;
  return Math.min(MOST_INTERVAL_MS, INTERVAL_MS * 2 ** (times - 2));
}

/** In words, what has moved it; `null`: it is not moved. */
export function becauseOf(learned: Learned, kind: DetectorName, nowMs: number): string | null {
  const known = learned[kind];
  const intervalMs = intervalOf(learned, kind, nowMs);
  const shift = shiftOf(learned, kind, nowMs);
  if (!known || (shift === 0 && intervalMs === 0)) return null;
  const { dismissed, expired, used, acknowledged } = known;
  const were = (count: number, what: string) =>
    `${count} ${count === 1 ? 'offer of this kind was' : 'offers of this kind were'} ${what}`;
  if (shift < 0) return `shown more because ${were(used + acknowledged, 'of use')}`;
  const unwanted = dismissed > 0 ? were(dismissed, 'dismissed') : were(expired, 'left unused');
  const rate = intervalMs === 0 ? '' : `: at most one in ${spanOf(intervalMs)}`;
  return `shown less because ${unwanted}${rate}`;
}
