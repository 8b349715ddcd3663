/**
 * What becomes of offers decides which come again (docs/proactive.md). A *memory* that is not wanted is
 * offered less: `feedbackOf`, made from the offers of the last 30 days, so that it survives a restart. A
 * *kind* of offer that is not wanted is proposed from a higher probability on, or less often: one balance
 * per kind, which what was not wanted raises and what was wanted lowers. It is kept as one record of the
 * agent in its project (`cue_offer_learned`), read at the start, held in memory, written behind. The
 * record holds counts and no word of any offer, so it outlives what is forgotten; a reset empties it.
 */
import { z } from 'zod';
import {
  projectScope,
  type RecordStore,
  type RecordType,
  type StoredRecord,
} from '../records/index.js';
import { serial } from '../shared/async.js';
import { type Clock, DAY_MS, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { isAppError, messageOf } from '../shared/errors.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { RecencyCache } from '../shared/recency-cache.js';
import { SURE } from './gate/decide.js';
import {
  FEEDBACK_DAYS,
  type OfferData,
  type OfferOf,
  type OfferState,
  settledAtMs,
  toldIn,
} from './offers/offer.js';
import { DETECTOR_NAMES, type DetectorName } from './types.js';

const REMEMBERED_MS = FEEDBACK_DAYS * DAY_MS;
const MEMORY_FACTOR = 8;
const MOST_MEMORY_COOLDOWN_MS = 7 * DAY_MS;
/** More of them change nothing: the cap is reached before. */
const KEPT_PER_MEMORY = 12;
const MOST_MEMORIES = 10_000;

/** What is known of a memory, in whatever order it was heard of. */
interface MemoryFeedback {
  /** When they were dismissed since it was last wanted, by the offer's id. */
  dismissed: RecencyCache<Uuid, number>;
  /** When it was last used or acknowledged, ms. */
  wantedMs: number;
}

export type Feedback = ReturnType<typeof feedbackOf>;

/**
 * A memory that was dismissed d times since it was last used or acknowledged: its cooldown is 8^d
 * times as long (counted from at least one minute), at most 7 days. Dismissed warnings count for
 * warnings only, other offers for other offers: who does not want to hear of a file may still want
 * to be warned.
 */
export function feedbackOf(offers: Iterable<OfferOf>) {
  const memories = new RecencyCache<string, MemoryFeedback>(MOST_MEMORIES);

  /** The row of the key, which is the last to go by that. */
  function rowOf(key: string): MemoryFeedback {
    const row = memories.get(key) ?? { dismissed: new RecencyCache(KEPT_PER_MEMORY), wantedMs: 0 };
    memories.set(key, row);
    return row;
  }

  const feedback = {
    /** What has come of an offer, in whatever order; the same again changes nothing. */
    note({ id, data }: OfferOf): void {
      const { kind, state } = data;
      const isWanted = state === 'used' || state === 'acknowledged';
      if (!isWanted && state !== 'dismissed') return;
      const atMs = settledAtMs(data);
      for (const sourceId of toldIn(data)) {
        const row = rowOf(memoryKey(sourceId, kind));
        if (!isWanted) {
          if (atMs >= row.wantedMs) row.dismissed.set(id, atMs);
          continue;
        }
        row.wantedMs = Math.max(row.wantedMs, atMs);
        for (const [other, dismissedMs] of row.dismissed) {
          if (dismissedMs <= atMs) row.dismissed.delete(other);
        }
      }
    },

    /** How often the memory was dismissed since it was last wanted. */
    dismissals(sourceId: Uuid, kind: DetectorName, nowMs: number): number {
      const times = memories.get(memoryKey(sourceId, kind))?.dismissed.values() ?? [];
      // A clock that was set back makes nothing older than it is.
      return [...times].filter((atMs) => nowMs - atMs < REMEMBERED_MS).length;
    },

    /** The cooldown of a memory, ms, given its ordinary one. */
    memoryCooldownMs(sourceId: Uuid, kind: DetectorName, baseMs: number, nowMs: number): number {
      const times = feedback.dismissals(sourceId, kind, nowMs);
      if (times === 0) return baseMs;
      const longerMs = Math.max(baseMs, MINUTE_MS) * MEMORY_FACTOR ** times;
      return Math.max(baseMs, Math.min(MOST_MEMORY_COOLDOWN_MS, longerMs));
    },

    /** For `why`: "mem_1f2e3d4c was dismissed once: its cooldown is 8 times as long, at most 7 days". */
    sentence(
      kind: DetectorName,
      sources: readonly { id: Uuid; memoryId: string }[],
      nowMs: number,
    ): string | undefined {
      const parts = sources.flatMap(({ id, memoryId }) => {
        const times = feedback.dismissals(id, kind, nowMs);
        if (times === 0) return [];
        const often = times === 1 ? 'once' : `${times} times`;
        const longer = `${MEMORY_FACTOR ** times} times as long, at most 7 days`;
        return [`${memoryId} was dismissed ${often}: its cooldown is ${longer}`];
      });
      return parts.length === 0 ? undefined : parts.join('; ');
    },

    /** Forgotten memories. */
    forget(sourceIds: readonly Uuid[]): void {
      for (const sourceId of sourceIds) {
        memories.delete(memoryKey(sourceId, 'conflictWarning'));
        memories.delete(memoryKey(sourceId, 'fileTouch'));
      }
    },
  };

  for (const offer of offers) feedback.note(offer);
  return feedback;
}

function memoryKey(sourceId: Uuid, kind: DetectorName): string {
  return `${kind === 'conflictWarning' ? 'warning' : 'offer'} ${sourceId}`;
}

/** "80 seconds", "10 minutes", "24 hours": rounded up to the largest unit that is at least two. */
export function spanOf(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.ceil(ms / DAY_MS)} days`;
  if (ms >= 120 * MINUTE_MS) return `${Math.ceil(ms / (60 * MINUTE_MS))} hours`;
  if (ms >= 2 * MINUTE_MS) return `${Math.ceil(ms / MINUTE_MS)} minutes`;
  const seconds = Math.max(1, Math.ceil(ms / SECOND_MS));
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

export type LearnedFrom = Extract<OfferState, 'used' | 'acknowledged' | 'dismissed' | 'expired'>;

/** What became of an offer. */
interface LearnedOutcome {
  kind: DetectorName;
  state: LearnedFrom;
  /** What had become of it before; `null`: nothing yet. */
  from: LearnedFrom | null;
  atMs: number;
}

/** Of one kind, as it is stored. */
const kindSchema = z.looseObject({
  /** Above 0: not wanted. As it was at `atMs`. */
  balance: z.number(),
  atMs: z.number(),
  /** When the counts begin. */
  sinceMs: z.number(),
  used: z.number(),
  acknowledged: z.number(),
  dismissed: z.number(),
  expired: z.number(),
});
type LearnedKind = z.output<typeof kindSchema>;
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

const learnedType: RecordType<{ kinds: Learned }> = {
  name: 'cue_offer_learned',
  version: 1,
  schema: z.looseObject({ kinds: z.record(z.string(), kindSchema) }),
  upgrades: {},
  text: ({ kinds }) => `Learned from offers: ${Object.keys(kinds).join(', ') || 'nothing'}`,
};

/** What was learned about a kind of offer since its counts began, and what that does. */
export type LearnedNumbers = Partial<
  Record<
    DetectorName,
    Record<LearnedFrom, number> & {
      sinceMs: number;
      /** Log-odds by which the threshold is higher than set; below 0: lower. */
      shift: number;
      /** Of kinds without a threshold: time between two of them in one conversation; 0: any. */
      intervalMs: number;
      /** What that comes from, in words; `null`: it is offered as set. */
      because: string | null;
    }
  >
>;

type Step = (learned: Learned) => Learned;

/** Each time another process was faster. */
const MOST_CONFLICTS = 5;
const EVERYBODY = { kind: 'operator' } as const;

export type LearnedStore = ReturnType<typeof createLearnedStore>;

export function createLearnedStore({
  store,
  agentId,
  clock,
  log,
}: {
  store: RecordStore;
  agentId: Uuid;
  clock: Clock;
  log: Log;
}) {
  const { projectId } = store;
  const id = derivedId('offer learned', projectId, agentId);
  const scope = projectScope(projectId, agentId);
  const inTurn = serial();
  let stored: StoredRecord<{ kinds: Learned }> | null = null;
  /** With what is not written yet. */
  let learned: Learned = {};
  let unwritten: Step[] = [];

  async function read(): Promise<void> {
    [stored = null] = await store.get(learnedType, [id], EVERYBODY);
    learned = unwritten.reduce((known, step) => step(known), stored?.data.kinds ?? {});
  }

  /** What is noted in one go is written in one statement. @throws when the database fails */
  async function write(): Promise<void> {
    for (let attempt = 1; unwritten.length > 0; attempt += 1) {
      const count = unwritten.length;
      const data = { ...stored?.data, kinds: learned };
      try {
        if (stored) {
          stored = await store.replace(learnedType, id, stored.revision, { data });
        } else {
          const row = { id, scope, data, createdAtMs: clock.now() };
          if ((await store.insert(learnedType, [row])).size === 0) throw new Overtaken();
        }
        unwritten = unwritten.slice(count);
        if (stored === null) await read();
      } catch (error) {
        const overtaken =
          error instanceof Overtaken ||
          (isAppError(error) && (error.code === 'CONFLICT' || error.code === 'NOT_FOUND'));
        if (!overtaken || attempt === MOST_CONFLICTS) throw error;
        await read();
      }
    }
  }

  /** One at a time; what was to be written when it fails waits for the next time. */
  function reported(work: () => Promise<void>): Promise<void> {
    const done = inTurn(work);
    done.catch((error: unknown) => {
      log.warn({ reason: messageOf(error) }, 'what was learned from offers is not stored yet');
    });
    return done;
  }

  function take(step: Step): Promise<void> {
    learned = step(learned);
    unwritten.push(step);
    return reported(write);
  }

  return {
    /** Never rejects; until it has succeeded what is noted waits. */
    load: (): Promise<void> => reported(read).catch(() => {}),
    /** What became of an offer, by whoever wrote it to the database; the others read it here. */
    note({ data }: OfferOf, before: OfferData | null): void {
      const { kind } = data;
      const state = learnedFrom(data);
      const from = before && learnedFrom(before);
      if (state === null || state === from) return;
      const atMs = settledAtMs(data);
      take((known) => learn(known, { kind, state, from, atMs })).catch(() => {});
    },
    bar: (kind: DetectorName, setting: number): Bar => barOf(learned, kind, setting, clock.now()),
    intervalMs: (kind: DetectorName): number => intervalOf(learned, kind, clock.now()),
    because: (kind: DetectorName): string | null => becauseOf(learned, kind, clock.now()),
    numbers(): LearnedNumbers {
      const nowMs = clock.now();
      return Object.fromEntries(
        DETECTOR_NAMES.flatMap((kind) => {
          const known = learned[kind];
          if (!known) return [];
          const { sinceMs, used, acknowledged, dismissed, expired } = known;
          const numbers = {
            ...{ sinceMs, used, acknowledged, dismissed, expired },
            shift: Math.round(shiftOf(learned, kind, nowMs) * 100) / 100,
            intervalMs: intervalOf(learned, kind, nowMs),
            because: becauseOf(learned, kind, nowMs),
          };
          return [[kind, numbers]];
        }),
      );
    },
    /** Of one kind, else of all. @throws when the database fails: it is stored with what is learned next */
    reset: (kind?: DetectorName): Promise<void> =>
      take((known) => {
        if (kind === undefined) return {};
        const { [kind]: _gone, ...others } = known;
        return others;
      }),
    settled: (): Promise<void> => inTurn(() => undefined),
  };
}

class Overtaken extends Error {
  override message = 'another process has written what was learned and it cannot be read';
}

/** Only what was seen teaches anything, and not what ended because its memory changed. */
function learnedFrom({ state, shownAtMs, reason }: OfferData): LearnedFrom | null {
  if (state === 'pending' || state === 'shown') return null;
  if (state === 'expired' && (shownAtMs === undefined || reason !== undefined)) return null;
  return state;
}
