/** What the rooms tell whose records are sources of offers: of their use, and of their end. */
import type { MemoryObserver } from '../memory/index.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Decisions } from './decisions.js';
import type { Feedback } from './feedback.js';
import type { OfferBook } from './offers/offer-book-types.js';
import type { StoredOffer } from './offers/offer-record.js';
import type { Uses } from './offers/uses.js';

export interface SourceObserver extends MemoryObserver {
  /** Sources that were forgotten are there again under the same id. */
  returned(ids: readonly Uuid[]): void;
}

export const NOBODY: SourceObserver = {
  used: () => {},
  changed: () => {},
  forgetting: async () => {},
  returned: () => {},
};

export interface SourceObserverDeps {
  book: Pick<OfferBook, 'quoting' | 'forgetSources' | 'forgetEntity' | 'sourcesReturned'>;
  feedback: Pick<Feedback, 'forget'>;
  decisions: Pick<Decisions, 'forget'>;
  uses: Pick<Uses, 'ofMemories'>;
  /** Offers of before the start are known. */
  loaded: Promise<void>;
  /** What these quote is not what it was: those that do not hold any more are to end. */
  changed: (offers: readonly StoredOffer[]) => void;
  enabled: () => boolean;
  log: Log;
}

export function createSourceObserver(deps: SourceObserverDeps): SourceObserver {
  const { book, feedback, decisions, uses, loaded, enabled, log } = deps;
  return {
    used(use) {
      try {
        if (enabled()) uses.ofMemories(use);
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'a use could not be noted');
      }
    },
    changed(ids) {
      const offers = book.quoting(ids);
      if (offers.length > 0) deps.changed(offers);
    },
    async forgetting(ids, entityId) {
      await loaded;
      feedback.forget(ids);
      if (ids.length > 0) await book.forgetSources(ids);
      if (entityId !== undefined) await book.forgetEntity(entityId);
      decisions.forget(ids, entityId);
    },
    returned: (ids) => book.sourcesReturned(ids),
  };
}
