/**
 * What counts as the use of an offer: its memory (or entry) was recalled or linked by who was shown it,
 * cited in the agent's answer, or it was acted upon, which means that work on one of its files began
 * after it was shown. The file that an offer about a file is about is no sign: it was touched before.
 */
import type { MemoryUse } from '../../memory/index.js';
import type { Uuid } from '../../shared/ids.js';
import { pathKeys } from '../../shared/paths.js';
import { isInView, placeKey } from '../occasions.js';
import type { OfferTarget } from '../types.js';
import type { OfferBook } from './offer-book-types.js';
import type { OfferChange } from './offer-life.js';

export interface Uses {
  /** Memories were recalled or linked. */
  ofMemories(use: MemoryUse): void;
  /** The agent has named memories in what it said in a conversation. */
  ofCitations(roomId: Uuid, memoryIds: readonly string[]): void;
  /** Work on these files was seen. */
  ofFiles(target: OfferTarget, files: readonly string[]): void;
}

export function createUses(deps: {
  book: Pick<OfferBook, 'open' | 'quoting'>;
  isShowing: (offerId: Uuid) => boolean;
  change: (id: Uuid, to: OfferChange, how: string) => unknown;
}): Uses {
  const { book, isShowing, change } = deps;
  return {
    ofMemories({ how, ids, caller }) {
      for (const { id, scope, data } of book.quoting(ids)) {
        if (!isInView({ scope, target: data.target }, caller)) continue;
        // What waits is not what made anybody look.
        if (data.state === 'pending' && !isShowing(id)) continue;
        change(id, 'shown', 'turn');
        change(id, 'used', how);
      }
    },
    ofCitations(roomId, memoryIds) {
      const cited = new Set(memoryIds);
      if (cited.size === 0) return;
      for (const { id, data } of book.open({ roomId })) {
        const isCited = data.sources.some(({ memoryId }) => cited.has(memoryId));
        if (isCited && data.state !== 'pending') change(id, 'used', 'cited');
      }
    },
    ofFiles(target, files) {
      const touched = new Set(files.flatMap((file) => pathKeys(file)));
      if (touched.size === 0) return;
      const place = placeKey(target);
      for (const { id, data } of book.open()) {
        if (data.state !== 'shown' || placeKey(data.target) !== place) continue;
        if (data.kind === 'fileTouch' || data.kind === 'conflictWarning') continue;
        const isFile = (path: string) => touched.has(pathKeys(path)[0] ?? '');
        if (data.sources.some(({ files: of = [] }) => of.some(isFile))) {
          change(id, 'used', 'acted upon');
        }
      }
    },
  };
}
