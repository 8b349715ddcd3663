/** What the book of offers does (`offer-book.ts`), as the room works with it. */
import type { Reader, RecordStore, Scope } from '../../records/index.js';
import type { Clock } from '../../shared/clock.js';
import type { Ids, Uuid } from '../../shared/ids.js';
import type { Log } from '../../shared/log.js';
import type { OfferData, OfferFilter } from '../offer-types.js';
import type { OfferState, OfferTarget } from '../types.js';
import type { OfferFact } from './offer-fact.js';
import type { ChangeDetails, OfferChange } from './offer-life.js';
import type { StoredOffer } from './offer-record.js';
import type { Audience } from './warning-answers.js';

/** An offer that is about to be made. Every memory whose words it uses is one of its sources. */
export interface NewOffer {
  scope: Scope;
  data: Omit<
    OfferData,
    | 'state'
    | 'shownAtMs'
    | 'shownBy'
    | 'usedAtMs'
    | 'usedHow'
    | 'closedAtMs'
    | 'reason'
    | 'closedBy'
  >;
}

/** All that are given must be equal. */
export interface OpenFilter
  extends Pick<OfferFilter, 'roomId' | 'sessionId' | 'agentId' | 'kind' | 'state'> {
  /** Only offers that are for no conversation. */
  clients?: boolean | undefined;
}

/** An offer as it is now, and what it was before; the same when nothing has changed. */
export interface ChangedOffer {
  offer: StoredOffer;
  from: OfferState;
}

export interface OfferBook {
  /**
   * Reads what was there before: open offers (those whose time is over expire), answered warnings,
   * the offers of the last 30 days. Resolves after the first try and never rejects; a try that failed
   * is repeated in the background, and `problems` says so meanwhile.
   */
  load(): Promise<void>;
  /** In words, what is worse than it should be: not read yet, failed to read, lost writes. */
  problems(): string[];
  /** What other processes did to the offers of the last 25 hours; needed only where there are some. */
  refresh(): Promise<void>;

  /**
   * Pending at once, written behind; secrets are redacted. An offer that quotes a memory which was
   * just forgotten is left out.
   */
  add(offers: readonly NewOffer[]): StoredOffer[];
  /** Pending, shown, and warnings that were used but not answered; newest first, none that is over. */
  open(filter?: OpenFilter, reader?: Reader): StoredOffer[];
  /**
   * Those of them that may still be shown: neither removed nor quoting what was forgotten since they
   * were read. Asked after the last wait before their text is given away.
   */
  remaining(offers: readonly StoredOffer[]): StoredOffer[];
  /** Open and acknowledged offers of the last 24 h that show one of these memories. */
  quoting(sourceIds: Iterable<Uuid>): StoredOffer[];
  /**
   * At once, written behind; `null` when the offer is not held (it ended, or there is none).
   * @throws AppError CONFLICT with `details.state` when it ended otherwise (`offer-life.ts`)
   */
  change(id: Uuid, to: OfferChange, details: ChangeDetails): ChangedOffer | null;
  /**
   * The same for any offer that the reader may read; resolves when it is written, and rejects when
   * another process was faster and it ended otherwise.
   * @throws NotFoundError, AppError CONFLICT with `details.state`
   */
  answer(
    id: string,
    to: OfferChange,
    details: ChangeDetails,
    reader: Reader,
  ): Promise<ChangedOffer>;
  /** By UUID, or at least 8 hex digits of an open one, also behind `offer_`. @throws NotFoundError */
  get(id: string, reader: Reader): Promise<StoredOffer>;
  /**
   * Newest first, 50 when no limit is given; those whose time is over are expired here, whether or
   * not anybody has noted it. @throws AppError INVALID_INPUT for a foreign cursor
   */
  list(
    filter: OfferFilter,
    reader: Reader,
  ): Promise<{ offers: StoredOffer[]; total: number; nextCursor: string | null }>;
  /**
   * Of the last 30 days as far as they are loaded, at most 10,000, in the order in which they came to
   * be what they are: as feedback takes them.
   */
  facts(): OfferFact[];
  /** Everything made since then, newest first, in pages; what is over is expired. */
  since(sinceMs: number): AsyncIterable<StoredOffer[]>;
  /**
   * Revision at which warnings of the memory were answered in the last 90 days by the audience of an
   * offer with this scope; `null`: never. In the project, for another agent than the one that
   * answered: never.
   */
  answeredRevision(sourceId: Uuid, target: OfferTarget, scope: Audience): number | null;

  /** Those held whose time is over; returns how many. For every minute. */
  expire(nowMs: number): number;
  /** Removes what is older than 180 days. For every day. */
  prune(nowMs: number): Promise<number>;
  /**
   * Removes the offers that quote these memories, from memory at once, then from the database;
   * resolves when no word of them is left there. @throws when the database fails
   */
  forgetSources(sourceIds: readonly Uuid[]): Promise<ReadonlySet<Uuid>>;
  /** These sources were set anew: what quotes them from now on is kept. */
  sourcesReturned(sourceIds: readonly Uuid[]): void;
  /** The same for offers that only this person may read, and those made of this person's words. */
  forgetEntity(entityId: Uuid): Promise<ReadonlySet<Uuid>>;

  counts(): { pending: number; shown: number };
  /** Resolves when everything so far is written, or given up and logged. */
  settled(): Promise<void>;
  /** Writes what is not written yet; does not wait for what is being read. */
  stop(): Promise<void>;
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
   * An offer that this process did not know: made before the start, or by another process. With the
   * state it has by then. In the order in which they came to be what they are, at the start at most
   * 10,000 of the last 30 days.
   */
  onFound?: (offer: StoredOffer) => void;
  /**
   * The state of an offer has changed: by a call, because its time was over, or because another
   * process is found to have done so, also where the offer had ended here.
   */
  onChange?: (offer: StoredOffer, from: OfferState) => void;
  /**
   * This process has written an offer; `before` is how it was in the database, `null` for a new one.
   * Of all processes on the database only one is told of a change.
   */
  onWritten?: (offer: StoredOffer, before: OfferData | null) => void;
  /** Offers are gone: whoever still holds their text has to let go of it. */
  onRemoved?: (ids: ReadonlySet<Uuid>) => void;
}
