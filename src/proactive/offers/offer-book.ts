/**
 * The offers of one project. The database is the truth; what is open, what was answered lately and
 * which warnings were answered is held in memory, so that a turn asks and changes it at once, and is
 * written behind. Everything that is read passes a reader; who may read an offer may answer it.
 */
import { canRead, type Reader, type RecordStore } from '../../records/index.js';
import { withTimeout, yieldToLoop } from '../../shared/async.js';
import { type Clock, DAY_MS, HOUR_MS, SECOND_MS } from '../../shared/clock.js';
import { messageOf, NotFoundError, wrongField } from '../../shared/errors.js';
import { type Ids, isUuid, type Uuid } from '../../shared/ids.js';
import type { Log } from '../../shared/log.js';
import { RecencyCache } from '../../shared/recency-cache.js';
import { redactSecrets } from '../../shared/secrets.js';
import type { OfferTarget } from '../types.js';
import {
  asOf,
  type ChangeDetails,
  changeOffer,
  FEEDBACK_DAYS,
  inTime,
  isOpen,
  isUnanswered,
  OFFER_LIFE_MS,
  type OfferChange,
  type OfferData,
  type OfferOf,
  type OfferState,
  offerType,
  type StoredOffer,
  settledAtMs,
} from './offer.js';
import {
  listOffers,
  type OfferFilter,
  type OfferRecord,
  offersSince,
  removeOfEntity,
  removeOlder,
  removeQuoting,
  worthKnowing,
} from './offer-queries.js';
import { createOfferWriter, endedOtherwise, type Held, type Intent } from './offer-writer.js';
import { ANSWER_DAYS, type Audience, createWarningAnswers } from './warning-answers.js';

/** An offer that is about to be made. Every memory whose words it uses is one of its sources. */
export interface NewOffer extends Pick<StoredOffer, 'scope'> {
  data: Omit<OfferData, 'state'>;
}

/** All that are given must be equal. */
interface OpenFilter
  extends Pick<OfferFilter, 'roomId' | 'sessionId' | 'agentId' | 'kind' | 'state'> {
  /** Only offers that are for no conversation. */
  clients?: boolean | undefined;
}

/** An offer as it is now, and what it was before; the same when nothing has changed. */
interface ChangedOffer {
  offer: StoredOffer;
  from: OfferState;
}

export interface OfferBookDeps {
  store: RecordStore;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Waits between the tries of a write that fails, ms. */
  retryMs?: readonly number[];
  /** Waits between the tries of a first read that fails, ms; the last is repeated. */
  reloadMs?: readonly number[];
  /**
   * An offer that this process did not know: made before the start, or by another process. In the order
   * in which they came to be what they are, at the start at most 10,000 of the last 30 days.
   */
  onFound?: (offer: StoredOffer) => void;
  /** The state of an offer has changed: by a call, by time, or because another process changed it. */
  onChange?: (offer: StoredOffer, from: OfferState) => void;
  /**
   * This process has written an offer; `before` is how it was in the database, `null` for a new one.
   * Of all processes on the database only one is told of a change.
   */
  onWritten?: (offer: StoredOffer, before: OfferData | null) => void;
  /** Offers are gone: whoever still holds their text has to let go of it. */
  onRemoved?: (ids: ReadonlySet<Uuid>) => void;
}

/** How long offers are kept for the statistics. */
export const RETENTION_MS = 180 * DAY_MS;

const RETRY_MS = [250, 1_000, 4_000];
const RELOAD_MS = [1_000, 5_000, 30_000, 60_000];
/** Open offers held; beyond, the oldest expire. */
const MOST_HELD = 10_000;
/** Offers whose state is known here, so that what is read of them is no news. */
const MOST_KNOWN = 10_000;
/** Memories that were forgotten and offers that are gone, whatever a look-up still finds of them. */
const MOST_FORGOTTEN = 20_000;
const EVERYBODY: Reader = { kind: 'operator' };
/** Found offers told in one go. */
const TOLD_AT_A_TIME = 250;

export type OfferBook = ReturnType<typeof createOfferBook>;

export function createOfferBook(deps: OfferBookDeps) {
  const { store, clock, ids, log, reloadMs = RELOAD_MS } = deps;
  const held = new Map<Uuid, Held>();
  const states = new RecencyCache<Uuid, OfferState>(MOST_KNOWN);
  const answers = createWarningAnswers();
  const forgotten = new RecencyCache<Uuid, true>(MOST_FORGOTTEN);
  const removedIds = new RecencyCache<Uuid, true>(MOST_FORGOTTEN);
  let loading: Promise<void> | null = null;
  let loadProblem: string | null = 'offers of before are being read';
  let reloadTimer: NodeJS.Timeout | undefined;
  let failedLoads = 0;
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
    states.set(offer.id, offer.data.state);
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
    states.delete(id);
    removedIds.set(id, true);
  }

  /** It is gone, or quotes what was forgotten, whatever a look-up still finds of it. */
  function isRemoved({ id, data }: OfferOf): boolean {
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
    const from = known?.offer.data.state ?? states.get(id) ?? null;
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

  /** Reads what was there before; `false`: it was stopped. */
  async function read(): Promise<boolean> {
    const news: News[] = [];
    const nowMs = clock.now();
    const recentMs = nowMs - FEEDBACK_DAYS * DAY_MS;
    const sinceMs = nowMs - ANSWER_DAYS * DAY_MS;
    try {
      for await (const page of offersSince(store, sinceMs, worthKnowing(recentMs))) {
        if (stopped) return false;
        for (const record of page) {
          const isRemembered = record.createdAtMs >= recentMs && states.size < MOST_KNOWN;
          adopt(record, nowMs, isRemembered ? news : null);
        }
      }
      // The newest were read first, and the first are the first to go.
      for (const [id, state] of [...states].reverse()) states.set(id, state);
      return true;
    } finally {
      // Also what was read before it failed: the next try knows it.
      if (!stopped) await tellNews(news);
    }
  }

  async function attemptLoad(): Promise<void> {
    try {
      if (await read()) loadProblem = null;
    } catch (error) {
      loadProblem = `offers of before could not be read: ${messageOf(error)}`;
      log.error({ reason: messageOf(error) }, 'offers of before could not be read');
    }
    if (loadProblem === null || stopped) return;
    loading = null;
    const waitMs = reloadMs[Math.min(failedLoads, reloadMs.length - 1)] ?? 0;
    failedLoads += 1;
    reloadTimer = setTimeout(() => void load(), waitMs);
    reloadTimer.unref();
  }

  function load(): Promise<void> {
    clearTimeout(reloadTimer);
    if (!stopped) loading ??= attemptLoad();
    return loading ?? Promise.resolve();
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

  /**
   * Removes offers, from memory at once, then from the database. Also those that ended and are not
   * written yet: they must not be.
   */
  async function forget(
    isMeant: (offer: StoredOffer) => boolean,
    remove: () => Promise<Uuid[]>,
  ): Promise<ReadonlySet<Uuid>> {
    const known = new Set([...held.values(), ...writer.pending()]);
    const gone = [...known].filter(({ offer }) => isMeant(offer));
    for (const entry of gone) entry.gone = true;
    const here = gone.map(({ offer }) => offer.id);
    tellRemoved(here);
    // What is being written is written by then, and found.
    const removed = await writer.alone(remove);
    tellRemoved(removed);
    return new Set([...here, ...removed]);
  }

  function tellRemoved(removed: readonly Uuid[]): void {
    for (const id of removed) drop(id);
    if (removed.length > 0) tell(() => deps.onRemoved?.(new Set(removed)));
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

  /** Ends those held whose time is over; returns how many. For every minute. */
  function expire(nowMs: number): number {
    return [...held.values()].filter((entry) => expireOne(entry, nowMs)).length;
  }

  /** What is held now, and not over. */
  function current(): StoredOffer[] {
    expire(clock.now());
    return [...held.values()].map(({ offer }) => offer);
  }

  return {
    /**
     * Reads what was there before: open offers (those whose time is over expire), answered warnings,
     * the offers of the last 30 days. Resolves after the first try and never rejects; a try that failed
     * is repeated in the background, since a database that is away for a moment must not leave the
     * agent without its offers.
     */
    load,
    /** In words, what is worse than it should be: not read yet, failed to read, lost writes. */
    problems: () => [loadProblem, writer.lost()].filter((problem) => problem !== null),

    /** Reads what other processes did to the offers of the last 25 hours: answered or removed them. */
    async refresh(): Promise<void> {
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
    },

    /**
     * Pending at once, written behind; secrets are redacted. An offer that quotes a memory which was
     * just forgotten is left out.
     */
    add(offers: readonly NewOffer[]): StoredOffer[] {
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

    /** Pending, shown, and warnings that were used but not answered; newest first, none that is over. */
    open: (filter: OpenFilter = {}, reader: Reader = EVERYBODY): StoredOffer[] =>
      current()
        .filter(({ scope, data }) => isOpen(data) && fits(filter, data) && canRead(reader, scope))
        .sort((a, b) => b.data.createdAtMs - a.data.createdAtMs || (a.id < b.id ? 1 : -1)),

    /**
     * Those of them that may still be shown: neither removed nor quoting what was forgotten since they
     * were read. Asked after the last wait before their text is given away.
     */
    remaining: (offers: readonly StoredOffer[]): StoredOffer[] =>
      offers.filter((offer) => !isRemoved(offer)),

    /** Open and acknowledged offers of the last 24 h that show one of these memories. */
    quoting(sourceIds: Iterable<Uuid>): StoredOffer[] {
      const wanted = new Set(sourceIds);
      return current().filter(({ data }) => data.sources.some(({ id }) => wanted.has(id)));
    },

    /**
     * At once, written behind; `null` when the offer is not held (it ended, or there is none).
     * @throws AppError CONFLICT with `details.state` when it ended otherwise (`offer.ts`)
     */
    change(id: Uuid, to: OfferChange, details: ChangeDetails): ChangedOffer | null {
      const entry = held.get(id);
      if (!entry || expireOne(entry, clock.now())) return null;
      const from = entry.offer.data.state;
      apply(entry, { to, details });
      return { offer: entry.offer, from };
    },

    /**
     * The same for any offer that the reader may read; resolves when it is written, and rejects when
     * another process was faster and it ended otherwise.
     * @throws NotFoundError, AppError CONFLICT with `details.state`
     */
    async answer(
      id: string,
      to: OfferChange,
      details: ChangeDetails,
      reader: Reader,
    ): Promise<ChangedOffer> {
      const entry = await find(id, reader);
      const from = entry.offer.data.state;
      await new Promise<void>((resolve, reject) => {
        // A conflict is thrown before anything is promised.
        const result = apply(entry, { to, details, written: resolve, failed: reject });
        if (result === 'same') resolve();
      });
      return { offer: entry.offer, from };
    },

    /** By UUID, or at least 8 hex digits of an open one, also behind `offer_`. @throws NotFoundError */
    get: async (id: string, reader: Reader): Promise<StoredOffer> => (await find(id, reader)).offer,

    /**
     * Newest first, 50 when no limit is given; those whose time is over are expired here, whether or
     * not anybody has noted it. @throws AppError INVALID_INPUT for a foreign cursor
     */
    async list(
      filter: OfferFilter,
      reader: Reader,
    ): Promise<{ offers: StoredOffer[]; total: number; nextCursor: string | null }> {
      const nowMs = clock.now();
      expire(nowMs);
      await writer.settled();
      const { records, ...page } = await listOffers(store, filter, reader, nowMs);
      const there = records.filter((record) => !isRemoved(record));
      return { offers: there.map((record) => offerAsOf(record, nowMs)), ...page };
    },

    /** Everything made since then, newest first, in pages; what is over is expired. */
    async *since(sinceMs: number): AsyncIterable<StoredOffer[]> {
      const nowMs = clock.now();
      expire(nowMs);
      await writer.settled();
      for await (const page of offersSince(store, sinceMs)) {
        yield page.map((record) => offerAsOf(record, nowMs));
      }
    },

    /** See `WarningAnswers.revision`. */
    answeredRevision: (sourceId: Uuid, target: OfferTarget, scope: Audience): number | null =>
      answers.revision(sourceId, target, scope, clock.now()),

    expire,
    /** Removes what is older than 180 days; returns how many. For every day. */
    prune: (nowMs: number): Promise<number> =>
      writer.alone(() => removeOlder(store, nowMs - RETENTION_MS)),

    /**
     * Removes the offers that quote these memories; resolves when no word of them is left in the
     * database. @throws when the database fails
     */
    async forgetSources(sourceIds: readonly Uuid[]): Promise<ReadonlySet<Uuid>> {
      const wanted = new Set(sourceIds);
      for (const id of wanted) forgotten.set(id, true);
      answers.forget(sourceIds);
      return forget(
        ({ data }) => data.sources.some(({ id }) => wanted.has(id)),
        () => removeQuoting(store, sourceIds),
      );
    },

    /** These sources were set anew: what quotes them from now on is kept. */
    sourcesReturned(sourceIds: readonly Uuid[]): void {
      for (const id of sourceIds) forgotten.delete(id);
    },

    /** The same for offers that only this person may read, and those made of this person's words. */
    forgetEntity: (entityId: Uuid): Promise<ReadonlySet<Uuid>> =>
      forget(
        ({ scope, data }) => scope.entityId === entityId || data.speakerId === entityId,
        () => removeOfEntity(store, entityId),
      ),

    counts(): { pending: number; shown: number } {
      const all = current().map(({ data }) => data.state);
      const count = (state: OfferState) => all.filter((one) => one === state).length;
      return { pending: count('pending'), shown: count('shown') };
    },

    /** Resolves when everything so far is written, or given up and logged. */
    settled: (): Promise<void> => writer.settled(),
    /** Writes what is not written yet; waits a second at most for what is being read. */
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(reloadTimer);
      if (loading !== null) await withTimeout(loading, SECOND_MS);
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
    .map((one) => ({ one, data: one.offer.data, atMs: settledAtMs(one.offer.data) }))
    .sort((a, b) => a.atMs - b.atMs || a.data.createdAtMs - b.data.createdAtMs)
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

function fits(filter: OpenFilter, { target, kind, state }: OfferData): boolean {
  const is = <Value>(wanted: Value | undefined, value: Value) =>
    wanted === undefined || wanted === value;
  return (
    is(filter.roomId, target.roomId) &&
    is(filter.sessionId, target.sessionId) &&
    is(filter.agentId, target.agentId) &&
    is(filter.kind, kind) &&
    is(filter.state, state) &&
    !(filter.clients === true && target.roomId !== undefined)
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
  throw wrongField('id', 'means several offers: give all of it');
}

const redacted = (text: string): string => redactSecrets(text).text;

/** What people and agents wrote may hold secrets; names, numbers and ids of ours do not. */
function redactOffer(data: NewOffer['data']): NewOffer['data'] {
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
