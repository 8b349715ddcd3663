/** What is open in a conversation, for whoever may read it. */
import { type Caller, readerOf } from '../memory/index.js';
import { canRead } from '../records/index.js';
import type { Uuid } from '../shared/ids.js';
import type { Proactive } from './core-types.js';
import type { Offer } from './offer-types.js';
import type { OfferBook } from './offers/offer-book-types.js';
import { type StoredOffer, viewOf } from './offers/offer-record.js';
import type { StillStanding } from './still-standing.js';

export interface RoomOffersDeps {
  book: Pick<OfferBook, 'open' | 'remaining'>;
  /** Offers of before the start are known. */
  loaded: Promise<void>;
  stillStanding: StillStanding;
}

/** Newest first. */
export function createRoomOffers({
  book,
  loaded,
  stillStanding,
}: RoomOffersDeps): Pick<Proactive, 'openWarnings' | 'openOffers'> {
  async function inRoom(
    roomId: Uuid,
    caller: Caller,
    fits: (offer: StoredOffer) => boolean,
  ): Promise<Offer[]> {
    await loaded;
    const reader = readerOf(caller);
    const open = book
      .open({ roomId })
      .filter((offer) => fits(offer) && canRead(reader, offer.scope))
      .sort((a, b) => b.data.createdAtMs - a.data.createdAtMs);
    return book.remaining(await stillStanding(open, reader)).map(viewOf);
  }

  return {
    openWarnings: (roomId, caller) =>
      inRoom(roomId, caller, ({ data }) => data.kind === 'conflictWarning'),
    openOffers: (roomId, caller) => inRoom(roomId, caller, () => true),
  };
}
