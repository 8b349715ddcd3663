/** What the book of offers holds in memory: small rules without a state of their own. */
import { InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { isUuid, type Uuid } from '../../shared/ids.js';
import type { OfferData } from '../offer-types.js';
import type { OfferState } from '../types.js';
import type { OpenFilter } from './offer-book-types.js';
import { factOf, settledAtMs } from './offer-fact.js';
import { asOf, isOpen } from './offer-life.js';
import type { OfferRecord } from './offer-queries.js';
import type { StoredOffer } from './offer-record.js';
import type { Held } from './offer-writer.js';

/** What was read of an offer and is news here; `from` is `null` when it was not known at all. */
export interface News {
  entry: Held;
  /** As it was read. */
  offer: StoredOffer;
  from: OfferState | null;
}

/** In the order in which they came to be what they are, as feedback takes them. */
export function newsInOrder(news: readonly News[]): News[] {
  return news
    .map((one) => ({ one, atMs: settledAtMs(factOf(one.offer)) }))
    .sort((a, b) => a.atMs - b.atMs || a.one.offer.data.createdAtMs - b.one.offer.data.createdAtMs)
    .map(({ one }) => one);
}

export function heldAs(offer: StoredOffer, revision: number | null): Held {
  const stored = revision === null ? null : offer.data;
  return { offer, revision, stored, unsaved: [], gone: false, behind: false };
}

/** As it is at that time, whether or not it was noted in the database that its own is over. */
export function offerAsOf({ id, scope, data }: OfferRecord, nowMs: number): StoredOffer {
  return { id, scope, data: asOf(data, nowMs) };
}

/** Something may still come of it: an answer, or the use of what was acknowledged. */
export function isHeld(data: OfferData): boolean {
  return isOpen(data) || data.state === 'acknowledged';
}

export function fits(filter: OpenFilter, data: OfferData): boolean {
  const { roomId, sessionId, agentId, kind, state, clients } = filter;
  const { target } = data;
  return (
    (roomId === undefined || target.roomId === roomId) &&
    (sessionId === undefined || target.sessionId === sessionId) &&
    (agentId === undefined || target.agentId === agentId) &&
    (kind === undefined || data.kind === kind) &&
    (state === undefined || data.state === state) &&
    !(clients === true && target.roomId !== undefined)
  );
}

/**
 * The UUID that is written, or that of the one among the offers whose id begins with the digits of
 * `offer_…`. @throws NotFoundError, InvalidInputError for digits that mean several
 */
export function uuidOf(id: string, offers: readonly StoredOffer[]): Uuid {
  const text = id.trim().toLowerCase();
  if (isUuid(text)) return text;
  const digits = /^offer_([0-9a-f]{8,32})$/.exec(text)?.[1];
  const [first, ...others] =
    digits === undefined
      ? []
      : offers.filter((offer) => offer.id.replaceAll('-', '').startsWith(digits));
  if (!first) throw new NotFoundError('offer', id);
  if (others.length === 0) return first.id;
  throw new InvalidInputError([{ field: 'id', message: 'means several offers: give all of it' }]);
}

/** Leaves the newest `most`. */
export function dropOldest(ids: Set<Uuid>, most: number): void {
  for (const id of ids) {
    if (ids.size <= most) return;
    ids.delete(id);
  }
}
