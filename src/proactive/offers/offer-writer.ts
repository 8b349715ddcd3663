/**
 * Writes offers behind: a turn never waits for the database. One write at a time; an offer that
 * another process has changed meanwhile is read again and changed from there, so that the first
 * answer stands; a write that fails is tried again, and what is lost in the end is logged.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { NewTypedRecord, RecordStore } from '../../records/index.js';
import { yieldToLoop } from '../../shared/async.js';
import { AppError, isAppError, messageOf } from '../../shared/errors.js';
import type { Uuid } from '../../shared/ids.js';
import type { Log } from '../../shared/log.js';
import {
  type ChangeDetails,
  changeOffer,
  type OfferChange,
  type OfferData,
  type OfferState,
  offerType,
  type StoredOffer,
} from './offer.js';

/** A change that is not written yet. */
export interface Intent {
  to: OfferChange;
  details: ChangeDetails;
  written?: () => void;
  failed?: (error: unknown) => void;
}

/** An offer in memory: as it will be, and what of that is not in the database. */
export interface Held {
  offer: StoredOffer;
  /** Revision in the database; `null`: it is not there yet. */
  revision: number | null;
  /** As it is there. */
  stored: OfferData | null;
  unsaved: Intent[];
  /** Removed: nothing of it may be written any more. */
  gone: boolean;
  /** A write of it was lost: the database does not know what is held. */
  behind: boolean;
}

interface OfferWriterDeps {
  store: RecordStore;
  log: Log;
  /** Waits between the tries, ms. */
  retryMs: readonly number[];
  /** What was held was not what another process had made of it. */
  corrected: (held: Held, from: OfferState) => void;
  /** This process has written it; `before` is how it was in the database, `null` when new. */
  wrote: (offer: StoredOffer, before: OfferData | null) => void;
  /** It is not in the database any more. */
  removed: (held: Held) => void;
}

const ROWS_PER_INSERT = 25;
/** Each time somebody else was faster. */
const MOST_CONFLICTS = 5;
const EVERYBODY = { kind: 'operator' } as const;

export function createOfferWriter(deps: OfferWriterDeps) {
  const { store, log, retryMs } = deps;
  const dirty = new Set<Held>();
  const busy = new Set<Held>();
  const jobs: (() => Promise<void>)[] = [];
  let running: Promise<void> | null = null;
  const losses = { count: 0, last: '' };
  const stopping = new AbortController();

  function wake(): void {
    running ??= drain().finally(() => {
      running = null;
      if (jobs.length > 0 || dirty.size > 0) wake();
    });
  }

  async function settled(): Promise<void> {
    // What comes in meanwhile belongs to it.
    for (let current = running; current !== null; current = running) await current;
  }

  async function drain(): Promise<void> {
    for (;;) {
      // First of all: what is made in one go is written in one statement.
      await yieldToLoop();
      const job = jobs.shift();
      if (job) {
        await job();
        continue;
      }
      const fresh = [...dirty].filter(({ revision }) => revision === null);
      const batch = fresh.slice(0, ROWS_PER_INSERT);
      const [next] = batch.length > 0 ? batch : dirty;
      if (!next) return;
      const taken = batch.length > 0 ? batch : [next];
      for (const held of taken) {
        dirty.delete(held);
        busy.add(held);
      }
      await (batch.length > 0 ? insert(batch) : replace(next));
      for (const held of taken) busy.delete(held);
    }
  }

  async function insert(batch: readonly Held[], waitsMs = retryMs): Promise<void> {
    const taken = batch.map((held) => ({
      held,
      offer: held.offer,
      record: recordOf(held.offer),
      intents: held.unsaved.splice(0),
    }));
    const living = () => taken.filter(({ held }) => !held.gone);
    try {
      const inserted = await retried(
        async () =>
          store.insert(
            offerType,
            living().map(({ record }) => record),
          ),
        waitsMs,
      );
      for (const { held, offer, intents } of taken) {
        held.revision = 1;
        held.stored = offer.data;
        if (inserted.has(offer.id)) deps.wrote(offer, null);
        held.behind = false;
        // There already: a try that seemed to fail had written it, perhaps as it was then.
        if (!inserted.has(held.offer.id) && !held.gone) dirty.add(held);
        for (const { written } of intents) written?.();
      }
    } catch (error) {
      if (batch.length > 1) {
        // One that cannot be written must not take the others along.
        for (const { held, intents } of taken) {
          held.unsaved.unshift(...intents);
          await yieldToLoop();
          await insert([held], []);
        }
        return;
      }
      for (const { held, intents } of taken) giveUp(held, intents, error);
    }
  }

  async function replace(held: Held): Promise<void> {
    const intents = held.unsaved.splice(0);
    try {
      await retried(() => compareAndSet(held, intents), retryMs);
      held.behind = false;
      for (const { written } of intents) written?.();
    } catch (error) {
      giveUp(held, intents, error);
    }
  }

  /** Intents that somebody else's answer rules out are failed and taken out. */
  async function compareAndSet(held: Held, intents: Intent[]): Promise<void> {
    const { id } = held.offer;
    for (let attempt = 1; !held.gone && held.revision !== null; attempt += 1) {
      try {
        const { offer } = held;
        const { revision } = await store.replace(offerType, id, held.revision, {
          data: offer.data,
        });
        deps.wrote(offer, held.stored);
        held.revision = revision;
        held.stored = offer.data;
        return;
      } catch (error) {
        if (isAppError(error) && error.code === 'NOT_FOUND') return vanished(held);
        const lostRace = isAppError(error) && error.code === 'CONFLICT';
        if (!lostRace || attempt === MOST_CONFLICTS) throw error;
      }
      await yieldToLoop();
      const [stored] = await store.get(offerType, [id], EVERYBODY);
      if (!stored) return vanished(held);
      intents.push(...held.unsaved.splice(0));
      const from = held.offer.data.state;
      const merged = merge(stored.data, intents);
      held.revision = stored.revision;
      held.stored = stored.data;
      held.offer = { ...held.offer, scope: stored.scope, data: merged };
      if (merged.state !== from) deps.corrected(held, from);
      if (merged === stored.data) return;
      await yieldToLoop();
    }
  }

  function merge(stored: OfferData, intents: Intent[]): OfferData {
    let data = stored;
    for (const intent of intents.splice(0)) {
      const changed = changeOffer(data, intent.to, intent.details);
      data = changed.data;
      if (changed.result === 'conflict') intent.failed?.(endedOtherwise(stored));
      else intents.push(intent);
    }
    return data;
  }

  function vanished(held: Held): void {
    held.gone = true;
    deps.removed(held);
  }

  function giveUp(held: Held, intents: readonly Intent[], error: unknown): void {
    held.behind = true;
    for (const { failed } of intents) failed?.(error);
    losses.count += 1;
    losses.last = messageOf(error);
    const { id, data } = held.offer;
    log.error(
      { offerId: id, kind: data.kind, state: data.state, reason: messageOf(error) },
      held.revision === null ? 'an offer could not be stored' : 'a change of an offer was lost',
    );
  }

  async function retried<T>(work: () => Promise<T>, waitsMs: readonly number[]): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        const waitMs = waitsMs[attempt];
        // What is wrong with an input is wrong the next time, too.
        const hopeless = isAppError(error) && error.code === 'INVALID_INPUT';
        if (waitMs === undefined || hopeless) throw error;
        log.warn({ attempt: attempt + 1, reason: messageOf(error) }, 'offers not written, again');
        // A stop ends the wait.
        await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  }

  return {
    /** Writes what is new or changed of it. */
    write(held: Held): void {
      dirty.add(held);
      wake();
    },
    /** Runs alone, between writes. */
    alone<T>(work: () => Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        jobs.push(() => work().then(resolve, reject));
        wake();
      });
    },
    /** What was given up since start, in words; `null`: nothing. */
    lost: (): string | null =>
      losses.count === 0
        ? null
        : `${losses.count} changes of offers could not be stored, the last: ${losses.last}`,
    /** What waits to be written or is being written. */
    pending: (): Held[] => [...dirty, ...busy],
    /** The offer of this id, when anything of it waits to be written or is being written. */
    pendingOf(id: Uuid): Held | undefined {
      for (const waiting of [dirty, busy]) {
        for (const held of waiting) if (held.offer.id === id) return held;
      }
      return undefined;
    },
    /** Resolves when everything so far is written or lost. */
    settled,
    /** The same, without waiting between the tries. */
    stop(): Promise<void> {
      stopping.abort();
      return settled();
    },
  };
}

/** @returns the error of a change that came too late: the offer ended otherwise */
export function endedOtherwise({ state }: Pick<OfferData, 'state'>): AppError {
  return new AppError('CONFLICT', `the offer was ${state} before`, { state });
}

function recordOf({ id, scope, data }: StoredOffer): NewTypedRecord<OfferData> {
  return { id, scope, data, createdAtMs: data.createdAtMs };
}
