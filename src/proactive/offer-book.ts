/**
 * The offers of one project. The database is the truth; what is open, what was answered lately and
 * which warnings were answered is held in memory, so that a turn asks and changes it at once, and is
 * written behind. Everything that is read passes a reader; who may read an offer may answer it.
 */
import { canRead, type Reader } from '../records/index.js';
import { DAY_MS, HOUR_MS } from '../shared/clock.js';
import { InvalidInputError, messageOf, NotFoundError } from '../shared/errors.js';
import { isUuid, type Uuid } from '../shared/ids.js';
import { yieldToLoop } from '../shared/yield.js';
import { FEEDBACK_DAYS } from './feedback.js';
import type { OfferBook, OfferBookDeps, OpenFilter } from './offer-book-types.js';
import { factOf, type OfferFact, settledAtMs } from './offer-fact.js';
import { changeOffer, isOpen, isUnanswered, OFFER_LIFE_MS } from './offer-life.js';
import {
  listOffers,
  type OfferRecord,
  offersSince,
  removeOfEntity,
  removeOlder,
  removeQuoting,
  worthKnowing,
} from './offer-queries.js';
import { offerType, type StoredOffer } from './offer-record.js';
import { redactDetails, redactOffer } from './offer-redaction.js';
import type { OfferData } from './offer-types.js';
import { createOfferWriter, endedOtherwise, type Held, type Intent } from './offer-writer.js';
import type { OfferState } from './types.js';
import { ANSWER_DAYS, createWarningAnswers } from './warning-answers.js';

export type {
  ChangedOffer,
  NewOffer,
  OfferBook,
  OfferBookDeps,
  OpenFilter,
} from './offer-book-types.js';
export { type StoredOffer, viewOf } from './offer-record.js';

/** How long offers are kept for the statistics. */
export const RETENTION_MS = 180 * DAY_MS;

const RETRY_MS = [250, 1_000, 4_000];
/** Open offers held; beyond, the oldest expire. */
const MOST_HELD = 10_000;
const MOST_FACTS = 10_000;
/** Memories of which nothing may be offered any more, whatever a look-up still finds. */
const MOST_FORGOTTEN = 20_000;
const EVERYBODY: Reader = { kind: 'operator' };

export function createOfferBook(deps: OfferBookDeps): OfferBook {
  const { store, clock, ids, log } = deps;
  const held = new Map<Uuid, Held>();
  const facts = new Map<Uuid, OfferFact>();
  const answers = createWarningAnswers();
  const forgotten = new Set<Uuid>();
  let loading: Promise<void> | null = null;
  let unread: string | null = 'offers of before are being read';
  let isLoaded = false;
  let stopped = false;

  const writer = createOfferWriter({
    store,
    log,
    retryMs: deps.retryMs ?? RETRY_MS,
    corrected: (entry, from) => noted(entry, from),
    removed: (entry) => {
      drop(entry.offer.id);
      tell(() => deps.onRemoved?.(new Set([entry.offer.id])));
    },
  });

  /** Who listens must not harm the book. */
  function tell(work: () => void): void {
    try {
      work();
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'a listener of offers failed');
    }
  }

  function remember(offer: StoredOffer): void {
    answers.note(offer.data);
    facts.set(offer.id, factOf(offer));
    const [oldest] = facts.keys();
    if (facts.size > MOST_FACTS && oldest !== undefined) facts.delete(oldest);
  }

  const recentFacts = (): OfferFact[] =>
    [...facts.values()]
      .filter(({ createdAtMs }) => clock.now() - createdAtMs < FEEDBACK_DAYS * DAY_MS)
      .sort((a, b) => settledAtMs(a) - settledAtMs(b) || a.createdAtMs - b.createdAtMs);

  /** Its state is another than it was: keeps what is to be kept and tells. */
  function noted(entry: Held, from: OfferState): void {
    const { offer } = entry;
    if (entry.gone) return;
    if (isHeld(offer.data)) held.set(offer.id, entry);
    else held.delete(offer.id);
    remember(offer);
    tell(() => deps.onChange?.(offer, from));
  }

  function drop(id: Uuid): void {
    const entry = held.get(id);
    if (entry) entry.gone = true;
    held.delete(id);
    facts.delete(id);
  }

  /** @throws AppError CONFLICT */
  function apply(entry: Held, intent: Intent): 'changed' | 'same' {
    const { data } = entry.offer;
    const details = redactDetails(intent.details);
    const changed = changeOffer(data, intent.to, details);
    if (changed.result === 'conflict') throw endedOtherwise(data);
    if (changed.result === 'same' && !entry.behind) return 'same';
    entry.offer = { ...entry.offer, data: changed.data };
    entry.unsaved.push({ ...intent, details });
    if (changed.result === 'changed') noted(entry, data.state);
    writer.write(entry);
    return 'changed';
  }

  /** Takes over what the database knows; `null`: it quotes what was forgotten. */
  function adopt({ id, scope, data, revision }: OfferRecord, nowMs: number): Held | null {
    if (data.sources.some((source) => forgotten.has(source.id))) return null;
    const known = held.get(id);
    // What waits to be written finds out by itself.
    if (known && (writer.isBusy(known) || known.revision === revision)) return known;
    const from = known?.offer.data.state ?? data.state;
    const entry: Held = known ?? heldAs({ id, scope, data }, revision);
    entry.offer = { id, scope, data };
    entry.revision = revision;
    if (from !== data.state) noted(entry, from);
    else if (known || facts.has(id) || facts.size < MOST_FACTS) remember(entry.offer);
    else answers.note(data);
    if (isUnanswered(data) && data.expiresAtMs <= nowMs) {
      apply(entry, { to: 'expired', details: { atMs: data.expiresAtMs } });
    } else if (isHeld(data) && data.expiresAtMs > nowMs) {
      held.set(id, entry);
    }
    return entry;
  }

  async function read(): Promise<void> {
    try {
      const nowMs = clock.now();
      const recentMs = nowMs - FEEDBACK_DAYS * DAY_MS;
      const sinceMs = nowMs - ANSWER_DAYS * DAY_MS;
      for await (const page of offersSince(store, sinceMs, worthKnowing(recentMs))) {
        if (stopped) return;
        for (const record of page) adopt(record, nowMs);
      }
      // The newest were read first, and the first are the first to go.
      const inOrder = recentFacts();
      facts.clear();
      for (const fact of inOrder) facts.set(fact.id, fact);
      unread = null;
      isLoaded = true;
    } catch (error) {
      unread = `offers of before could not be read: ${messageOf(error)}`;
      log.error({ reason: messageOf(error) }, 'offers of before could not be read');
    }
  }

  /** Readable, from the database; what could not be written there yet, from memory. */
  async function find(id: string, reader: Reader): Promise<Held> {
    const uuid = idOf(id, reader);
    await writer.settled();
    const [record] = await store.get(offerType, [uuid], reader);
    const known = record ? adopt(record, clock.now()) : held.get(uuid);
    // Not in the database: it could not be written there, or somebody has removed it.
    const isThere = record !== undefined || known?.revision === null;
    if (known && isThere && canRead(reader, known.offer.scope)) return known;
    throw new NotFoundError('offer', id);
  }

  /** @throws NotFoundError, InvalidInputError for digits that mean several */
  function idOf(id: string, reader: Reader): Uuid {
    const text = id.trim().toLowerCase();
    if (isUuid(text)) return text;
    const digits = /^offer_([0-9a-f]{8,32})$/.exec(text)?.[1];
    if (digits === undefined) throw new NotFoundError('offer', id);
    const [first, ...others] = [...held.values()].filter(
      ({ offer }) =>
        offer.id.replaceAll('-', '').startsWith(digits) && canRead(reader, offer.scope),
    );
    if (!first) throw new NotFoundError('offer', id);
    if (others.length === 0) return first.offer.id;
    throw new InvalidInputError([{ field: 'id', message: 'means several offers: give all of it' }]);
  }

  /** Also those that ended and are not written yet: they must not be. Returns their ids. */
  function forgetHeld(isMeant: (offer: StoredOffer) => boolean): Uuid[] {
    const known = new Set([...held.values(), ...writer.pending()]);
    const gone = [...known].filter(({ offer }) => isMeant(offer));
    for (const entry of gone) entry.gone = true;
    const removed = gone.map(({ offer }) => offer.id);
    tellRemoved(removed);
    return removed;
  }

  function tellRemoved(removed: readonly Uuid[]): void {
    for (const id of removed) drop(id);
    if (removed.length > 0) tell(() => deps.onRemoved?.(new Set(removed)));
  }

  /** Other processes answer and remove offers, too. */
  async function refresh(): Promise<void> {
    await writer.settled();
    const nowMs = clock.now();
    const before = [...held.values()];
    const seen = new Set<Uuid>();
    for await (const page of offersSince(store, nowMs - OFFER_LIFE_MS - HOUR_MS)) {
      for (const record of page) {
        seen.add(record.id);
        adopt(record, nowMs);
      }
    }
    const missing = before.filter(
      (entry) => !seen.has(entry.offer.id) && entry.revision !== null && !writer.isBusy(entry),
    );
    tellRemoved(missing.map(({ offer }) => offer.id));
  }

  function expire(nowMs: number): number {
    const over = [...held.values()].filter(({ offer }) => offer.data.expiresAtMs <= nowMs);
    for (const entry of over) {
      held.delete(entry.offer.id);
      apply(entry, { to: 'expired', details: { atMs: nowMs } });
    }
    return over.length;
  }

  return {
    load() {
      loading ??= read().finally(() => {
        if (!isLoaded) loading = null;
      });
      return loading;
    },
    problems: () => [unread, writer.lost()].filter((problem) => problem !== null),
    refresh,

    add(offers) {
      const made = offers
        .filter(({ data }) => !data.sources.some(({ id }) => forgotten.has(id)))
        .map(({ scope, data }): StoredOffer => {
          return { id: ids.next(), scope, data: { ...redactOffer(data), state: 'pending' } };
        });
      for (const offer of made) {
        const entry = heldAs(offer, null);
        held.set(offer.id, entry);
        remember(offer);
        writer.write(entry);
      }
      for (const entry of [...held.values()].slice(0, Math.max(0, held.size - MOST_HELD))) {
        held.delete(entry.offer.id);
        apply(entry, { to: 'expired', details: { atMs: clock.now() } });
      }
      return made;
    },

    open: (filter = {}, reader = EVERYBODY) =>
      offersOf(held.values())
        .filter(({ scope, data }) => isOpen(data) && fits(filter, data) && canRead(reader, scope))
        .sort((a, b) => b.data.createdAtMs - a.data.createdAtMs || (a.id < b.id ? 1 : -1)),

    quoting(sourceIds) {
      const wanted = new Set(sourceIds);
      return offersOf(held.values()).filter(({ data }) =>
        data.sources.some(({ id }) => wanted.has(id)),
      );
    },

    change(id, to, details) {
      const entry = held.get(id);
      if (!entry) return null;
      const from = entry.offer.data.state;
      apply(entry, { to, details });
      return { offer: entry.offer, from };
    },

    async answer(id, to, details, reader) {
      const entry = await find(id, reader);
      const from = entry.offer.data.state;
      await new Promise<void>((resolve, reject) => {
        // A conflict is thrown before anything is promised.
        const result = apply(entry, { to, details, written: resolve, failed: reject });
        if (result === 'same') resolve();
      });
      return { offer: entry.offer, from };
    },

    get: async (id, reader) => (await find(id, reader)).offer,

    async list(filter, reader) {
      await writer.settled();
      const { records, ...page } = await listOffers(store, filter, reader);
      return { offers: records.map(offerOf), ...page };
    },

    facts: recentFacts,

    async *since(sinceMs) {
      await writer.settled();
      for await (const page of offersSince(store, sinceMs)) yield page.map(offerOf);
    },

    answeredRevision: (sourceId, target = {}) => answers.revision(sourceId, target, clock.now()),

    expire,
    prune: (nowMs) => writer.alone(() => removeOlder(store, nowMs - RETENTION_MS)),

    async forgetSources(sourceIds) {
      const wanted = new Set(sourceIds);
      for (const id of wanted) forgotten.add(id);
      for (const id of forgotten) {
        if (forgotten.size <= MOST_FORGOTTEN) break;
        forgotten.delete(id);
      }
      answers.forget(sourceIds);
      const here = forgetHeld(({ data }) => data.sources.some(({ id }) => wanted.has(id)));
      for (const [id, fact] of facts) {
        if (fact.sourceIds.some((source) => wanted.has(source))) facts.delete(id);
      }
      // What is being written is written by then, and found.
      const removed = await writer.alone(() => removeQuoting(store, sourceIds));
      tellRemoved(removed);
      return new Set([...here, ...removed]);
    },

    async forgetEntity(entityId) {
      const here = forgetHeld(({ scope }) => scope.entityId === entityId);
      const removed = await writer.alone(() => removeOfEntity(store, entityId));
      tellRemoved(removed);
      return new Set([...here, ...removed]);
    },

    counts() {
      const states = offersOf(held.values()).map(({ data }) => data.state);
      return {
        pending: states.filter((state) => state === 'pending').length,
        shown: states.filter((state) => state === 'shown').length,
      };
    },

    settled: () => writer.settled(),
    async stop() {
      stopped = true;
      await loading;
      await yieldToLoop();
      await writer.stop();
    },
  };
}

function heldAs(offer: StoredOffer, revision: number | null): Held {
  return { offer, revision, unsaved: [], gone: false, behind: false };
}

function offerOf({ id, scope, data }: OfferRecord): StoredOffer {
  return { id, scope, data };
}

function offersOf(entries: Iterable<Held>): StoredOffer[] {
  return [...entries].map(({ offer }) => offer);
}

/** Something may still come of it: an answer, or the use of what was acknowledged. */
function isHeld(data: OfferData): boolean {
  return isOpen(data) || data.state === 'acknowledged';
}

function fits(filter: OpenFilter, data: OfferData): boolean {
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
