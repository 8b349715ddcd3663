/**
 * What was learned about kinds of offers, as one record of the agent in its project
 * (`cue_offer_learned`): read at the start, held in memory, written behind. It holds counts and no word
 * of any offer, so it outlives what is forgotten; a reset empties it.
 */
import { z } from 'zod';
import {
  projectScope,
  type RecordStore,
  type RecordType,
  type StoredRecord,
} from '../../records/index.js';
import type { Clock } from '../../shared/clock.js';
import { isAppError, messageOf } from '../../shared/errors.js';
import { derivedId, type Uuid } from '../../shared/ids.js';
import type { Log } from '../../shared/log.js';
import {
  type Bar,
  barOf,
  becauseOf,
  intervalOf,
  type Learned,
  type LearnedFrom,
  learn,
  shiftOf,
} from '../learned.js';
import type { LearnedNumbers, OfferData } from '../offer-types.js';
import { DETECTOR_NAMES, type DetectorName } from '../types.js';
import { factOf, settledAtMs } from './offer-fact.js';
import type { StoredOffer } from './offer-record.js';

const kindSchema = z.looseObject({
  balance: z.number(),
  atMs: z.number(),
  sinceMs: z.number(),
  used: z.number(),
  acknowledged: z.number(),
  dismissed: z.number(),
  expired: z.number(),
});

interface LearnedData {
  kinds: Learned;
}

export const learnedType: RecordType<LearnedData> = {
  name: 'cue_offer_learned',
  version: 1,
  schema: z.looseObject({ kinds: z.record(z.string(), kindSchema) }),
  upgrades: {},
  text: ({ kinds }) => `Learned from offers: ${Object.keys(kinds).join(', ') || 'nothing'}`,
};

export interface LearnedStore {
  /** Never rejects; until it has succeeded what is noted waits. */
  load(): Promise<void>;
  /** What became of an offer, by whoever wrote it to the database; the others read it here. */
  note(offer: StoredOffer, before: OfferData | null): void;
  bar(kind: DetectorName, setting: number): Bar;
  intervalMs(kind: DetectorName): number;
  because(kind: DetectorName): string | null;
  numbers(): LearnedNumbers;
  /** Of one kind, else of all. @throws when the database fails: it is stored with what is learned next */
  reset(kind?: DetectorName): Promise<void>;
  settled(): Promise<void>;
}

export interface LearnedStoreDeps {
  store: RecordStore;
  agentId: Uuid;
  clock: Clock;
  log: Log;
}

type Step = (learned: Learned) => Learned;

/** Each time another process was faster. */
const MOST_CONFLICTS = 5;
const EVERYBODY = { kind: 'operator' } as const;

export function createLearnedStore({ store, agentId, clock, log }: LearnedStoreDeps): LearnedStore {
  const { projectId } = store;
  const id = derivedId('offer learned', projectId, agentId);
  const scope = projectScope(projectId, agentId);
  let stored: StoredRecord<LearnedData> | null = null;
  /** With what is not written yet. */
  let learned: Learned = {};
  let unwritten: Step[] = [];
  let writing: Promise<void> = Promise.resolve();

  async function read(): Promise<void> {
    [stored = null] = await store.get(learnedType, [id], EVERYBODY);
    learned = unwritten.reduce((known, step) => step(known), stored?.data.kinds ?? {});
  }

  /** @throws when the database fails: what was to be written waits for the next time */
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

  /** One write at a time; what is noted in one go is written in one statement. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = writing.then(work);
    writing = done.catch((error: unknown) => {
      log.warn({ reason: messageOf(error) }, 'what was learned from offers is not stored yet');
    });
    return done;
  }

  function take(step: Step): Promise<void> {
    learned = step(learned);
    unwritten.push(step);
    return inTurn(write);
  }

  const load = () => inTurn(read).catch(() => {});

  return {
    load,
    note(offer, before) {
      const { kind } = offer.data;
      const state = learnedFrom(offer.data);
      const from = before && learnedFrom(before);
      if (state === null || state === from) return;
      const atMs = settledAtMs(factOf(offer));
      take((known) => learn(known, { kind, state, from, atMs })).catch(() => {});
    },
    bar: (kind, setting) => barOf(learned, kind, setting, clock.now()),
    intervalMs: (kind) => intervalOf(learned, kind, clock.now()),
    because: (kind) => becauseOf(learned, kind, clock.now()),
    numbers() {
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
    reset: (kind) =>
      take((known) => {
        if (kind === undefined) return {};
        const { [kind]: _gone, ...others } = known;
        return others;
      }),
    settled: () => writing,
  };
}

class Overtaken extends Error {
  override message = 'another process has written what was learned and it cannot be read';
}

/** Only what was seen teaches anything, and not what ended because its memory changed. */
function learnedFrom({
  state,
  shownAtMs,
  reason,
}: Pick<OfferData, 'state' | 'shownAtMs' | 'reason'>): LearnedFrom | null {
  if (state === 'pending' || state === 'shown') return null;
  if (state === 'expired' && (shownAtMs === undefined || reason !== undefined)) return null;
  return state;
}
