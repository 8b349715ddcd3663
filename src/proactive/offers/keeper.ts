/**
 * What has to be done to offers from time to time, done when somebody comes by, so that an agent that
 * sleeps costs nothing: expiring, looking at what other processes did, removing what is old.
 */
import { type Clock, DAY_MS, MINUTE_MS } from '../../shared/clock.js';
import { messageOf } from '../../shared/errors.js';
import type { Log } from '../../shared/log.js';
import type { LearnedStore } from './learned-store.js';
import type { OfferBook } from './offer-book-types.js';

export interface Keeper {
  /** Never rejects; most of the time there is nothing to do. */
  look(): Promise<void>;
}

export function createKeeper(deps: {
  book: Pick<OfferBook, 'expire' | 'refresh' | 'prune'>;
  learned: Pick<LearnedStore, 'load'>;
  clock: Clock;
  log: Log;
  /** Other processes write to the same database. */
  shared: boolean;
}): Keeper {
  const { book, learned, clock, log, shared } = deps;
  const last = { expire: 0, prune: 0 };
  const isDue = (what: keyof typeof last, everyMs: number, nowMs: number) => {
    if (Math.abs(nowMs - last[what]) < everyMs) return false;
    last[what] = nowMs;
    return true;
  };
  return {
    async look() {
      const nowMs = clock.now();
      try {
        if (isDue('expire', MINUTE_MS, nowMs)) {
          if (shared) await Promise.all([book.refresh(), learned.load()]);
          book.expire(nowMs);
        }
        if (isDue('prune', DAY_MS, nowMs)) await book.prune(nowMs);
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'old offers could not be tidied');
      }
    },
  };
}
