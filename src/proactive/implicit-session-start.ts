/**
 * The start of a session that nobody told of. A client that tells of it often finds no server yet, because
 * it starts one itself a moment later: what it does first is the start, too.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '../shared/async.js';
import type { Clock } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { RecencyCache } from '../shared/recency-cache.js';
import { isFresh, type StoredOffer } from './offers/offer.js';
import type { OfferBook } from './offers/offer-book.js';
import type { EventContext } from './types.js';

/** Of the little time that a hook has. */
const BUDGET_MS = 10;
/** So many memories are looked through at once. */
const SMALL = 100;
/** When the answer is on its way: what a larger memory is read for would hold it up. */
const AFTER_MS = 50;
const MOST_SESSIONS = 10_000;

export function createImplicitSessionStart(deps: {
  book: Pick<OfferBook, 'open'>;
  clock: Clock;
  /** Offers of before a restart are known. */
  loaded: Promise<void>;
  /** How many memories there are. */
  size: () => Promise<number>;
  /** How long an event waits for it in a small memory, ms, 10 when absent; what takes longer comes with the next one. */
  budgetMs?: number | undefined;
  revalidated: (offers: readonly StoredOffer[]) => Promise<StoredOffer[]>;
  log: Pick<Log, 'warn'>;
  /** Work that goes on when the answer has been given. */
  track: (work: Promise<void>) => void;
  /** Makes the offer. Resolves to whether it could be looked into. */
  begin: (eventContext: EventContext) => Promise<boolean>;
}) {
  const { book, clock, budgetMs = BUDGET_MS } = deps;
  const known = new RecencyCache<string, true>(MOST_SESSIONS);

  function offersOf(sessionId: string): StoredOffer[] {
    return book.open({ sessionId, kind: 'sessionStart' }, { kind: 'agent' });
  }

  function pendingOf(sessionId: string | undefined): StoredOffer[] {
    if (sessionId === undefined) return [];
    return offersOf(sessionId).filter(({ data }) => isFresh(data, clock.now()));
  }

  /** What went wrong is tried again with the next event. Never rejects. */
  async function begin(
    eventContext: EventContext,
    sessionId: string,
    afterMs: number,
  ): Promise<void> {
    try {
      if (afterMs > 0) await delay(afterMs);
      if (await deps.begin(eventContext)) return;
    } catch (error) {
      deps.log.warn({ error: messageOf(error) }, 'the start of a session could not be looked into');
    }
    known.delete(sessionId);
  }

  return {
    /** The session is known to have begun, with the one of the client's hooks. */
    began({ sessionId, caller }: EventContext): void {
      const ofHooks = caller?.kind === 'agent' ? caller.clientSession : undefined;
      for (const id of [sessionId, ofHooks]) if (id !== undefined) known.set(id, true);
    },
    /** Begins the session where nobody has. Resolves to what of its start may still be told. */
    async ready(eventContext: EventContext): Promise<ReadonlySet<Uuid>> {
      const { sessionId } = eventContext;
      if (sessionId === undefined) return new Set();
      await deps.loaded;
      if (!known.has(sessionId)) {
        known.set(sessionId, true);
        if (offersOf(sessionId).length === 0) {
          // What keeps it from being known keeps the start from being looked into, which is said then.
          const isSmall = await deps.size().then(
            (size) => size <= SMALL,
            () => false,
          );
          const begun = begin(eventContext, sessionId, isSmall ? 0 : AFTER_MS);
          deps.track(begun);
          if (isSmall) await withTimeout(begun, budgetMs);
        }
      }
      const holding = await deps.revalidated(pendingOf(sessionId));
      return new Set(holding.map(({ id }) => id));
    },
    /** Those of them that nobody has been told meanwhile: they are to be taken at once. */
    untold: ({ sessionId }: EventContext, ready: ReadonlySet<Uuid>): StoredOffer[] =>
      ready.size === 0 ? [] : pendingOf(sessionId).filter(({ id }) => ready.has(id)),
  };
}
