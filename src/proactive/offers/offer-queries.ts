/**
 * Offers in the database. Every loop is the store's, which gives the event loop a turn between
 * statements. A scan from the newest on ends at a bound by letting the first older row through.
 */
import { and, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import {
  memoriesTable,
  type Reader,
  type RecordStore,
  type StoredRecord,
} from '../../records/index.js';
import { yieldToLoop } from '../../shared/async.js';
import type { Uuid } from '../../shared/ids.js';
import type { DetectorName, OfferTarget } from '../types.js';
import { isUnanswered, type OfferData, type OfferState, offerType } from './offer.js';

export interface OfferFilter extends OfferTarget {
  state?: OfferState | undefined;
  kind?: DetectorName | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
  /** Marks the pending ones of the page that are for no conversation as shown. */
  deliver?: boolean | undefined;
}

export type OfferRecord = StoredRecord<OfferData>;

const EVERYBODY: Reader = { kind: 'operator' };
const DEFAULT_LIMIT = 50;
const ROWS_PER_REMOVAL = 50;
/** Ids that one pass looks for; each statement carries all of them. */
const IDS_PER_PASS = 2_000;
const CHUNK = 100;

/**
 * Newest first; `total` counts all that fit. What was over before `nowMs` counts as expired, also
 * where nobody has noted it. @throws AppError INVALID_INPUT for a foreign cursor
 */
export function listOffers(
  store: RecordStore,
  filter: OfferFilter,
  reader: Reader,
  nowMs: number,
): Promise<{ records: OfferRecord[]; total: number; nextCursor: string | null }> {
  const { state, kind, roomId, sessionId, agentId, limit = DEFAULT_LIMIT, cursor } = filter;
  const where = and(
    state === undefined ? undefined : isIn(state, nowMs),
    kind === undefined ? undefined : eq(dataText('kind'), kind),
    roomId === undefined ? undefined : eq(targetText('roomId'), roomId),
    sessionId === undefined ? undefined : eq(targetText('sessionId'), sessionId),
    agentId === undefined ? undefined : eq(targetText('agentId'), agentId),
  );
  return store.list(offerType, reader, {
    limit,
    ...(where === undefined ? {} : { where }),
    ...(cursor === undefined ? {} : { cursor }),
  });
}

/** Made since then and fitting, newest first, in pages. */
export async function* offersSince(
  store: RecordStore,
  sinceMs: number,
  fits?: SQL,
): AsyncGenerator<OfferRecord[]> {
  const isOlder = lt(memoriesTable.createdAt, new Date(sinceMs));
  const options = fits === undefined ? {} : { where: or(isOlder, fits) ?? isOlder };
  for await (const page of store.scan(offerType, EVERYBODY, {
    ...options,
    chunk: CHUNK,
    newestFirst: true,
  })) {
    const recent = page.filter(({ createdAtMs }) => createdAtMs >= sinceMs);
    if (recent.length > 0) yield recent;
    if (recent.length < page.length) return;
  }
}

/** What a start has to know: recent ones, open ones, and warnings. */
export function worthKnowing(recentMs: number): SQL | undefined {
  return or(
    gte(memoriesTable.createdAt, new Date(recentMs)),
    inArray(dataText('state'), ['pending', 'shown']),
    eq(dataText('kind'), 'conflictWarning'),
  );
}

/** Removes the offers that quote one of these memories. Returns their ids. */
export async function removeQuoting(
  store: RecordStore,
  sourceIds: readonly Uuid[],
): Promise<Uuid[]> {
  const removed: Uuid[] = [];
  for (let start = 0; start < sourceIds.length; start += IDS_PER_PASS) {
    const wanted = JSON.stringify(sourceIds.slice(start, start + IDS_PER_PASS));
    // A subquery is hashed once per statement; a list would be gone through for every row.
    const quotes = sql`exists (
      select 1 from jsonb_path_query(${memoriesTable.metadata}->'data', 'lax $.sources[*].id') as source(id)
      where source.id #>> '{}' in (select jsonb_array_elements_text(${wanted}::jsonb)))`;
    removed.push(...(await removeFitting(store, quotes)));
  }
  return removed;
}

/** Removes the offers that only this person may read, or whose words they are made of. */
export function removeOfEntity(store: RecordStore, entityId: Uuid): Promise<Uuid[]> {
  const scopeEntity = sql`${memoriesTable.metadata}->'scope'->>'entityId'`;
  const speaker = sql`${memoriesTable.metadata}->'data'->>'speakerId'`;
  return removeFitting(store, sql`(${scopeEntity} = ${entityId} or ${speaker} = ${entityId})`);
}

/** Removes what was made before. Returns how many. */
export async function removeOlder(store: RecordStore, beforeMs: number): Promise<number> {
  let removed = 0;
  for await (const page of store.scan(offerType, EVERYBODY, { chunk: ROWS_PER_REMOVAL })) {
    const old = page.filter(({ createdAtMs }) => createdAtMs < beforeMs);
    if (old.length > 0) removed += await store.remove(offerType, idsOf(old));
    if (old.length < page.length) break;
    await yieldToLoop();
  }
  return removed;
}

async function removeFitting(store: RecordStore, where: SQL): Promise<Uuid[]> {
  const found: Uuid[] = [];
  for await (const page of store.scan(offerType, EVERYBODY, {
    where,
    chunk: CHUNK,
    // What cannot be read any more may still hold the words.
    onDamaged: ({ id }) => found.push(id),
  })) {
    found.push(...idsOf(page));
  }
  for (let start = 0; start < found.length; start += ROWS_PER_REMOVAL) {
    await yieldToLoop();
    await store.remove(offerType, found.slice(start, start + ROWS_PER_REMOVAL));
  }
  return found;
}

function idsOf(records: readonly OfferRecord[]): Uuid[] {
  return records.map(({ id }) => id);
}

function isIn(state: OfferState, nowMs: number): SQL | undefined {
  const inState = eq(dataText('state'), state);
  // Compared as JSON: what is no number in a damaged row must not fail the others.
  const expiresAt = sql`${memoriesTable.metadata}->'data'->'expiresAtMs'`;
  const isOver = sql`coalesce((${expiresAt}) <= to_jsonb(${nowMs}::bigint), false)`;
  const unanswered = inArray(dataText('state'), ['pending', 'shown']);
  if (state === 'expired') return or(inState, and(unanswered, isOver));
  return isUnanswered({ state }) ? and(inState, sql`not ${isOver}`) : inState;
}

function dataText(key: 'state' | 'kind'): SQL {
  return sql`(${memoriesTable.metadata}->'data'->>${sql.raw(`'${key}'`)})`;
}

function targetText(key: 'roomId' | 'sessionId' | 'agentId'): SQL {
  return sql`(${memoriesTable.metadata}->'data'->'target'->>${sql.raw(`'${key}'`)})`;
}
