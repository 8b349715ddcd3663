/**
 * The offers of one project. The database is the truth; what is open, what was answered lately and
 * which warnings were answered is held in memory, so that a turn asks and changes it at once, and is
 * written behind. Everything that is read passes a reader; who may read an offer may answer it.
 */
import { canRead, type Reader } from '../../records/index.js';
import { yieldToLoop } from '../../shared/async.js';
import { DAY_MS, HOUR_MS } from '../../shared/clock.js';
import { InvalidInputError, messageOf, NotFoundError } from '../../shared/errors.js';
import { isUuid, type Uuid } from '../../shared/ids.js';
import { redactSecrets } from '../../shared/secrets.js';
import type { OfferData } from '../offer-types.js';
import type { OfferState } from '../types.js';
import type { OfferBook, OfferBookDeps, OpenFilter } from './offer-book-types.js';
import { createOfferFacts, FEEDBACK_DAYS, factOf, settledAtMs } from './offer-fact.js';
import {
  asOf,
  type ChangeDetails,
  changeOffer,
  inTime,
  isOpen,
  isUnanswered,
  OFFER_LIFE_MS,
} from './offer-life.js';
import { createOfferLoader } from './offer-loader.js';
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
import { createOfferWriter, endedOtherwise, type Held, type Intent } from './offer-writer.js';
import { ANSWER_DAYS, createWarningAnswers } from './warning-answers.js';

/** What people and agents wrote may hold secrets; names, numbers and ids of ours do not. */
type Written = Pick<OfferData, 'subject' | 'text' | 'sources' | 'why'>;

/** The offer without secrets in any text of it. */
function redactOffer<Data extends Written>(data: Data): Data {
  const { subject, text, sources, why } = data;
  return {
    ...data,
    subject: redacted(subject),
    text: redacted(text),
    sources: sources.map((source) => ({
      ...source,
      reasons: source.reasons.map(redacted),
      ...(source.files === undefined ? {} : { files: source.files.map(redacted) }),
    })),
    why: {
      ...why,
      evidence: why.evidence.map(redacted),
      suppressed: why.suppressed.map((left) => ({ ...left, reason: redacted(left.reason) })),
    },
  };
}

function redactDetails(details: ChangeDetails): ChangeDetails {
  const { reason, how } = details;
  return {
    ...details,
    ...(reason === undefined ? {} : { reason: redacted(reason) }),
    ...(how === undefined ? {} : { how: redacted(how) }),
  };
}

function redacted(text: string): string {
  return redactSecrets(text).text;
}

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
/** Memories that were forgotten and offers that are gone, whatever a look-up still finds of them. */
const MOST_FORGOTTEN = 20_000;
const EVERYBODY: Reader = { kind: 'operator' };
/** Found offers told in one go. */
const TOLD_AT_A_TIME = 250;

export function createOfferBook(deps: OfferBookDeps): OfferBook {
  const { store, clock, ids, log } = deps;
  const held = new Map<Uuid, Held>();
  const facts = createOfferFacts(clock);
  const answers = createWarningAnswers();
  const forgotten = new Set<Uuid>();
  const removedIds = new Set<Uuid>();
  const loader = createOfferLoader({ read, log, waitsMs: deps.reloadMs });
  let stopped = false;

  const writer = createOfferWriter({
    store,
    log,
    retryMs: deps.retryMs ?? RETRY_MS,
    corrected: (entry, from) => noted(entry, from),
    wrote: (offer, before) => tell(() => deps.onWritten?.(offer, before)),
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
    answers.note(offer);
    facts.put(factOf(offer));
  }

  /** Its state is another than it was: keeps what is to be kept and tells. */
  function noted(entry: Held, from: OfferState): void {
    const { offer } = entry;
    if (entry.gone) return;
    if (isHeld(offer.data) && offer.data.expiresAtMs > clock.now()) held.set(offer.id, entry);
    else held.delete(offer.id);
    remember(offer);
    tell(() => deps.onChange?.(offer, from));
  }

  function drop(id: Uuid): void {
    const entry = held.get(id);
    if (entry) entry.gone = true;
    held.delete(id);
    facts.delete(id);
    removedIds.add(id);
    dropOldest(removedIds, MOST_FORGOTTEN);
  }

  /** It is gone, or quotes what was forgotten, whatever a look-up still finds of it. */
  function isRemoved({ id, data }: Pick<StoredOffer, 'id' | 'data'>): boolean {
    return removedIds.has(id) || data.sources.some((one) => forgotten.has(one.id));
  }

  /** Changes what is held and writes it, but tells nobody. @throws AppError CONFLICT */
  function alter(entry: Held, intent: Intent): 'changed' | 'rewritten' | 'same' {
    const details = redactDetails(intent.details);
    const { result, data } = changeOffer(entry.offer.data, intent.to, details);
    if (result === 'conflict') throw endedOtherwise(data);
    if (result === 'same' && !entry.behind) return 'same';
    entry.offer = { ...entry.offer, data };
    entry.unsaved.push({ ...intent, details });
    writer.write(entry);
    return result === 'same' ? 'rewritten' : 'changed';
  }

  /** @throws AppError CONFLICT */
  function apply(entry: Held, intent: Intent): 'changed' | 'rewritten' | 'same' {
    const from = entry.offer.data.state;
    const result = alter(entry, intent);
    if (result === 'changed') noted(entry, from);
    return result;
  }

  /**
   * Takes over what the database knows; `null`: it is gone, or quotes what was forgotten.
   * @param news takes what has to be told; `null`: too old or too many to be remembered
   */
  function adopt(record: OfferRecord, nowMs: number, news: News[] | null): Held | null {
    const { id, scope, revision } = record;
    if (isRemoved(record)) return null;
    // What waits to be written finds out by itself.
    const waiting = writer.pendingOf(id);
    if (waiting) return waiting;
    const known = held.get(id);
    if (known && known.revision !== null && revision <= known.revision) return known;
    const from = known?.offer.data.state ?? facts.get(id)?.state ?? null;
    const data = inTime(record.data, nowMs);
    const entry: Held = known ?? heldAs({ id, scope, data }, revision);
    entry.offer = { id, scope, data };
    entry.revision = revision;
    entry.stored = record.data;
    const isOver = data.expiresAtMs <= nowMs;
    if (isOver && isUnanswered(data)) {
      alter(entry, { to: 'expired', details: { atMs: data.expiresAtMs } });
    }
    const { offer } = entry;
    if (isHeld(offer.data) && !isOver) held.set(id, entry);
    else held.delete(id);
    if (news === null && from === null) {
      answers.note(offer);
    } else {
      remember(offer);
      if (from !== offer.data.state) news?.push({ entry, offer, from });
    }
    return entry;
  }

  async function tellNews(news: readonly News[]): Promise<void> {
    for (const [index, { entry, offer, from }] of newsInOrder(news).entries()) {
      if (index > 0 && index % TOLD_AT_A_TIME === 0) await yieldToLoop();
      if (entry.gone) continue;
      if (from === null) tell(() => deps.onFound?.(entry.offer));
      // What was changed again since was told when that happened.
      else if (entry.offer === offer) tell(() => deps.onChange?.(offer, from));
    }
  }

  async function read(isStopped: () => boolean): Promise<boolean> {
    const news: News[] = [];
    const nowMs = clock.now();
    const recentMs = nowMs - FEEDBACK_DAYS * DAY_MS;
    const sinceMs = nowMs - ANSWER_DAYS * DAY_MS;
    try {
      for await (const page of offersSince(store, sinceMs, worthKnowing(recentMs))) {
        if (isStopped()) return false;
        for (const record of page) {
          const isRemembered = record.createdAtMs >= recentMs && facts.hasRoom();
          adopt(record, nowMs, isRemembered ? news : null);
        }
      }
      // The newest were read first, and the first are the first to go.
      facts.reorder();
      return true;
    } finally {
      // Also what was read before it failed: the next try knows it.
      if (!isStopped()) await tellNews(news);
    }
  }

  /** Readable, from the database; what could not be written there yet, from memory. */
  async function find(id: string, reader: Reader): Promise<Held> {
    const readable = current().filter(({ scope }) => canRead(reader, scope));
    const uuid = uuidOf(id, readable);
    await writer.settled();
    const [record] = await store.get(offerType, [uuid], reader);
    const news: News[] = [];
    const known = record ? adopt(record, clock.now(), news) : held.get(uuid);
    await tellNews(news);
    // Not in the database: it could not be written there, or somebody has removed it.
    const isThere = record !== undefined || known?.revision === null;
    if (known && isThere && canRead(reader, known.offer.scope)) return known;
    throw new NotFoundError('offer', id);
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
    // What is over is not among those that are read, and not gone for that.
    expire(clock.now());
    await writer.settled();
    const nowMs = clock.now();
    const before = [...held.values()].filter(({ revision }) => revision !== null);
    const news: News[] = [];
    const seen = new Set<Uuid>();
    for await (const page of offersSince(store, nowMs - OFFER_LIFE_MS - HOUR_MS)) {
      if (stopped) return;
      for (const record of page) {
        seen.add(record.id);
        adopt(record, nowMs, news);
      }
    }
    const missing = before
      .map(({ offer }) => offer.id)
      .filter((id) => !seen.has(id) && held.has(id) && writer.pendingOf(id) === undefined);
    tellRemoved(missing);
    await tellNews(news);
  }

  /** Returns whether its time was over. */
  function expireOne(entry: Held, nowMs: number): boolean {
    const { id, data } = entry.offer;
    const timed = inTime(data, nowMs);
    if (timed !== data) {
      entry.offer = { ...entry.offer, data: timed };
      remember(entry.offer);
    }
    if (timed.expiresAtMs > nowMs) return false;
    held.delete(id);
    apply(entry, { to: 'expired', details: { atMs: timed.expiresAtMs } });
    return true;
  }

  function expire(nowMs: number): number {
    return [...held.values()].filter((entry) => expireOne(entry, nowMs)).length;
  }

  /** What is held now, and not over. */
  function current(): StoredOffer[] {
    expire(clock.now());
    return [...held.values()].map(({ offer }) => offer);
  }

  return {
    load: () => loader.load(),
    problems: () => [loader.problem(), writer.lost()].filter((problem) => problem !== null),
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
      current()
        .filter(({ scope, data }) => isOpen(data) && fits(filter, data) && canRead(reader, scope))
        .sort((a, b) => b.data.createdAtMs - a.data.createdAtMs || (a.id < b.id ? 1 : -1)),

    remaining: (offers) => offers.filter((offer) => !isRemoved(offer)),

    quoting(sourceIds) {
      const wanted = new Set(sourceIds);
      return current().filter(({ data }) => data.sources.some(({ id }) => wanted.has(id)));
    },

    change(id, to, details) {
      const entry = held.get(id);
      if (!entry || expireOne(entry, clock.now())) return null;
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
      const nowMs = clock.now();
      expire(nowMs);
      await writer.settled();
      const { records, ...page } = await listOffers(store, filter, reader, nowMs);
      const there = records.filter((record) => !isRemoved(record));
      return { offers: there.map((record) => offerAsOf(record, nowMs)), ...page };
    },

    facts: () => facts.recent(),

    async *since(sinceMs) {
      const nowMs = clock.now();
      expire(nowMs);
      await writer.settled();
      for await (const page of offersSince(store, sinceMs)) {
        yield page.map((record) => offerAsOf(record, nowMs));
      }
    },

    answeredRevision: (sourceId, target, scope) =>
      answers.revision(sourceId, target, scope, clock.now()),

    expire,
    prune: (nowMs) => writer.alone(() => removeOlder(store, nowMs - RETENTION_MS)),

    async forgetSources(sourceIds) {
      const wanted = new Set(sourceIds);
      for (const id of wanted) forgotten.add(id);
      dropOldest(forgotten, MOST_FORGOTTEN);
      answers.forget(sourceIds);
      const here = forgetHeld(({ data }) => data.sources.some(({ id }) => wanted.has(id)));
      facts.forget(wanted);
      // What is being written is written by then, and found.
      const removed = await writer.alone(() => removeQuoting(store, sourceIds));
      tellRemoved(removed);
      return new Set([...here, ...removed]);
    },

    sourcesReturned(sourceIds) {
      for (const id of sourceIds) forgotten.delete(id);
    },

    async forgetEntity(entityId) {
      const here = forgetHeld(
        ({ scope, data }) => scope.entityId === entityId || data.speakerId === entityId,
      );
      const removed = await writer.alone(() => removeOfEntity(store, entityId));
      tellRemoved(removed);
      return new Set([...here, ...removed]);
    },

    counts() {
      const states = current().map(({ data }) => data.state);
      return {
        pending: states.filter((state) => state === 'pending').length,
        shown: states.filter((state) => state === 'shown').length,
      };
    },

    settled: () => writer.settled(),
    async stop() {
      stopped = true;
      await loader.stop();
      await yieldToLoop();
      await writer.stop();
    },
  };
}

/** What was read of an offer and is news here; `from` is `null` when it was not known at all. */
interface News {
  entry: Held;
  /** As it was read. */
  offer: StoredOffer;
  from: OfferState | null;
}

/** In the order in which they came to be what they are, as feedback takes them. */
function newsInOrder(news: readonly News[]): News[] {
  return news
    .map((one) => ({ one, atMs: settledAtMs(factOf(one.offer)) }))
    .sort((a, b) => a.atMs - b.atMs || a.one.offer.data.createdAtMs - b.one.offer.data.createdAtMs)
    .map(({ one }) => one);
}

function heldAs(offer: StoredOffer, revision: number | null): Held {
  const stored = revision === null ? null : offer.data;
  return { offer, revision, stored, unsaved: [], gone: false, behind: false };
}

/** As it is at that time, whether or not it was noted in the database that its own is over. */
function offerAsOf({ id, scope, data }: OfferRecord, nowMs: number): StoredOffer {
  return { id, scope, data: asOf(data, nowMs) };
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

/**
 * The UUID that is written, or that of the one among the offers whose id begins with these digits, at least
 * eight, with or without `offer_` in front. @throws NotFoundError, InvalidInputError for digits that mean several
 */
function uuidOf(id: string, offers: readonly StoredOffer[]): Uuid {
  const text = id.trim().toLowerCase();
  if (isUuid(text)) return text;
  const digits = /^(?:offer_)?([0-9a-f]{8}[0-9a-f-]{0,27})$/.exec(text)?.[1]?.replaceAll('-', '');
  const [first, ...others] =
    digits === undefined
      ? []
      : offers.filter((offer) => offer.id.replaceAll('-', '').startsWith(digits));
  if (!first) throw new NotFoundError('offer', id);
  if (others.length === 0) return first.id;
  throw new InvalidInputError([{ field: 'id', message: 'means several offers: give all of it' }]);
}

/** Leaves the newest `most`. */
function dropOldest(ids: Set<Uuid>, most: number): void {
  for (const id of ids) {
    if (ids.size <= most) return;
    ids.delete(id);
  }
}
