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
import { isFresh, remember } from './moments.js';
import { clientSessionOf } from './occasions.js';
import type { OfferBook } from './offers/offer-book-types.js';
import type { StoredOffer } from './offers/offer-record.js';
import type { Occasion } from './types.js';

export interface LateStartsDeps {
  book: Pick<OfferBook, 'open'>;
  clock: Clock;
  /** Offers of before a restart are known. */
  loaded: Promise<void>;
  /** How many memories there are. */
  size: () => Promise<number>;
  /** How long a happening waits for it in a small memory, ms, 10 when absent; what takes longer comes with the next one. */
  budgetMs?: number | undefined;
  stillTrue: (offers: readonly StoredOffer[]) => Promise<StoredOffer[]>;
  log: Pick<Log, 'warn'>;
  /** Work that goes on when the answer has been given. */
  track: (work: Promise<void>) => void;
  /** Makes the offer. Resolves to whether it could be looked into. */
  begin: (occasion: Occasion) => Promise<boolean>;
}

export interface LateStarts {
  /** The session is known to have begun, with the one of the client's hooks. */
  began(occasion: Occasion): void;
  /** Begins the session where nobody has. Resolves to what of its start may still be told. */
  ready(occasion: Occasion): Promise<ReadonlySet<Uuid>>;
  /** Those of them that nobody has been told meanwhile: they are to be taken at once. */
  untold(occasion: Occasion, ready: ReadonlySet<Uuid>): StoredOffer[];
}

/** Of the little time that a hook has. */
const BUDGET_MS = 10;
/** So many memories are looked through at once. */
const SMALL = 100;
/** When the answer is on its way: what a larger memory is read for would hold it up. */
const AFTER_MS = 50;

export function createLateStarts(deps: LateStartsDeps): LateStarts {
  const { book, clock, budgetMs = BUDGET_MS } = deps;
  const known = new Map<string, true>();

  function offersOf(sessionId: string): StoredOffer[] {
    return book.open({ sessionId, kind: 'sessionStart' }, { kind: 'agent' });
  }

  function pendingOf(sessionId: string | undefined): StoredOffer[] {
    if (sessionId === undefined) return [];
    return offersOf(sessionId).filter(({ data }) => isFresh(data, clock.now()));
  }

  function note(sessionId: string | undefined): void {
    if (sessionId !== undefined) remember(known, sessionId, true);
  }

  /** What went wrong is tried again with the next happening. Never rejects. */
  async function begin(occasion: Occasion, sessionId: string): Promise<void> {
    try {
      if (await deps.begin(occasion)) return;
    } catch (error) {
      deps.log.warn({ error: messageOf(error) }, 'the start of a session could not be looked into');
    }
    known.delete(sessionId);
  }

  async function beginAfter(occasion: Occasion, sessionId: string): Promise<void> {
    await delay(AFTER_MS);
    await begin(occasion, sessionId);
  }

  return {
    began(occasion) {
      note(occasion.sessionId);
      note(clientSessionOf(occasion));
    },
    async ready(occasion) {
      const { sessionId } = occasion;
      if (sessionId === undefined) return new Set();
      await deps.loaded;
      if (!known.has(sessionId)) {
        note(sessionId);
        if (offersOf(sessionId).length === 0) {
          // What keeps it from being known keeps the start from being looked into, which is said then.
          const isSmall = await deps.size().then(
            (size) => size <= SMALL,
            () => false,
          );
          const begun = isSmall ? begin(occasion, sessionId) : beginAfter(occasion, sessionId);
          deps.track(begun);
          if (isSmall) await withTimeout(begun, budgetMs);
        }
      }
      const holding = await deps.stillTrue(pendingOf(sessionId));
      return new Set(holding.map(({ id }) => id));
    },
    untold: ({ sessionId }, ready) =>
      ready.size === 0 ? [] : pendingOf(sessionId).filter(({ id }) => ready.has(id)),
  };
}
