/**
 * Reading typed records. What an index answers is one statement; everything else (conditions on the
 * data, order by a field) walks the rows in small statements with a turn of the loop between them,
 * because one statement over 50,000 records would hold the process for a second.
 */
import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type Database, rowsOf } from '../host/database.js';
import { yieldToLoop } from '../shared/async.js';
import { newestPlace, readCursor, writeCursor } from '../shared/cursor.js';
import { AppError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { HeldRecords } from './held-records.js';
import { decodeRecord, type StoredRow } from './record-codec.js';
import {
  audienceCondition,
  beyond,
  CREATED_MS,
  inOrder,
  type Key,
  namedOf,
  ofType,
  ROW_COLUMNS,
  timestampOf,
} from './record-sql.js';
import type {
  DamagedRecord,
  RecordPage,
  RecordStore,
  RecordType,
  StoredRecord,
} from './record-type.js';
import { audiencesOf, canRead, type Reader } from './scope.js';

/** Keys walked in one statement, and whole rows of one. */
const WALK = 100;
const CHUNK = 200;
const IDS_PER_STATEMENT = 200;

/** A place in the order: largest `value` first where there is one, then newest, then the id. */
interface Place {
  value: number | null;
  createdAtMs: number;
  id: Uuid;
}

/** What a cursor of this order holds. */
const placeIn = (orderBy: string | undefined) =>
  newestPlace.extend({ value: z.number().nullable(), orderBy: z.literal(orderBy ?? null) });

interface ReadDeps {
  db: Database;
  projectId: Uuid;
  log: Log;
  /**
   * How many the reader may see, when that is known without the database: counting 50,000 rows
   * there takes a statement of 0.4 s.
   */
  counted(type: RecordType<unknown>, reader: Reader): number | null;
  /** Records without a vector of the model, if that is known without reading every row; `null`: it is not. */
  lacking(type: RecordType<unknown>, model: string): Promise<Uuid[] | null>;
  /** Damaged rows of a type that are known. */
  aside(typeName: string): ReadonlySet<Uuid>;
  /** Told of each row that is found to be damaged. */
  setAside(type: RecordType<unknown>, id: Uuid): void;
  /** Absent: every record is read. */
  held?: HeldRecords | undefined;
}

export type StoreReads = Pick<RecordStore, 'get' | 'list' | 'count' | 'scan' | 'withoutVector'> & {
  /** Reads a row the reader may see; a damaged one is logged once and `null`. */
  readable<Data>(
    type: RecordType<Data>,
    row: StoredRow,
    reader: Reader,
    onDamaged?: (damaged: DamagedRecord) => void,
  ): StoredRecord<Data> | null;
};

export function createStoreReads(deps: ReadDeps): StoreReads {
  const { db, projectId, log, counted, aside, held } = deps;
  const logged = new Set<Uuid>();

  const readable: StoreReads['readable'] = (type, row, reader, onDamaged) => {
    const decoded = decodeRecord(type, row);
    if (decoded.damaged) {
      if (!logged.has(row.id)) {
        logged.add(row.id);
        log.warn({ ...decoded.damaged, type: type.name }, 'damaged record');
      }
      deps.setAside(type, row.id);
      onDamaged?.(decoded.damaged);
      return null;
    }
    // SQL filtered already; a row whose audience and scope disagree stays closed.
    return canRead(reader, decoded.record.scope) ? decoded.record : null;
  };

  async function rowsById(typeName: string, ids: readonly Uuid[]): Promise<Map<Uuid, StoredRow>> {
    const found = new Map<Uuid, StoredRow>();
    for (let start = 0; start < ids.length; start += IDS_PER_STATEMENT) {
      if (start > 0) await yieldToLoop();
      const rows = await rowsOf<StoredRow>(
        db,
        sql`select ${ROW_COLUMNS} from memories
          where ${namedOf(projectId, typeName, ids.slice(start, start + IDS_PER_STATEMENT))}`,
      );
      for (const row of rows) found.set(row.id, row);
    }
    return found;
  }

  async function recordsById<Data>(
    type: RecordType<Data>,
    ids: readonly Uuid[],
    reader: Reader,
    heldMs = 0,
  ): Promise<StoredRecord<Data>[]> {
    const known = new Map<Uuid, StoredRecord<Data>>();
    for (const id of heldMs > 0 ? ids : []) {
      const found = held?.find(type.name, id, heldMs);
      // Under a type's name only records of it are held.
      if (found !== undefined) known.set(id, found as StoredRecord<Data>);
    }
    const hold = type.index && held?.reading();
    const rows = await rowsById(
      type.name,
      ids.filter((id) => !known.has(id)),
    );
    return ids.flatMap((id) => {
      const found = known.get(id);
      if (found !== undefined) return canRead(reader, found.scope) ? [found] : [];
      const row = rows.get(id);
      const record = row && readable(type, row, reader);
      hold?.(type.name, id, record ?? null);
      return record ? [record] : [];
    });
  }

  /** The newest rows of one audience (`null`: all), in the order of an index. */
  const newestOf = (
    typeName: string,
    audience: string | null,
    after: Place | null,
    limit: number,
  ) =>
    sql`(select memories.id, memories.created_at from memories
      where ${ofType(projectId, typeName)}
        ${audience === null ? sql`` : sql`and memories.metadata->>'audience' = ${audience}`}
        ${
          after === null
            ? beyond(null, false)
            : sql`and (memories.created_at, memories.id) <
          (${timestampOf(after.createdAtMs)}, ${after.id}::uuid)`
        }
      order by memories.created_at desc, memories.id desc limit ${limit})`;

  async function newestPlaces(
    typeName: string,
    reader: Reader,
    after: Place | null,
    limit: number,
  ): Promise<Place[]> {
    const audiences = audiencesOf(reader);
    const parts = (audiences === null ? [null] : [...audiences]).map((audience) =>
      newestOf(typeName, audience, after, limit),
    );
    const rows = await rowsOf<{ id: Uuid; created_ms: string | number }>(
      db,
      sql`select id, (extract(epoch from created_at) * 1000)::bigint as created_ms
        from (${sql.join(parts, sql` union all `)}) as newest
        order by created_at desc, id desc limit ${limit}`,
    );
    return rows.map(({ id, created_ms }) => ({
      id,
      createdAtMs: Number(created_ms),
      value: null,
    }));
  }

  /**
   * Places of the rows that fit, in order of time. Rows that do not fit are read too, so a statement
   * looks at a page of rows, however few of them fit; a turn of the loop between statements.
   */
  async function* walk(
    typeName: string,
    fits: SQL,
    options: { orderBy?: string; oldestFirst?: boolean } = {},
  ): AsyncGenerator<Place[]> {
    const { orderBy, oldestFirst = false } = options;
    // One look into the metadata per row: each unpacks all of it.
    const value =
      orderBy === undefined ? sql`null::jsonb` : sql`memories.metadata->'data'->${orderBy}::text`;
    let after: Key | null = null;
    for (;;) {
      const rows: WalkedRow[] = await rowsOf<WalkedRow>(
        db,
        sql`select memories.id, memories.created_at::text as at, ${CREATED_MS} as created_ms,
            ${value} as value, coalesce(${fits}, false) as fits
          from memories where ${ofType(projectId, typeName)} ${beyond(after, oldestFirst)}
          ${inOrder(oldestFirst)} limit ${WALK}`,
      );
      const places = rows.flatMap((row) => (row.fits ? [placeOf(row)] : []));
      if (places.length > 0) yield places;
      after = rows.at(-1) ?? null;
      if (after === null || rows.length < WALK) return;
      await yieldToLoop();
    }
  }

  async function count(type: RecordType<unknown>, reader: Reader, where?: SQL): Promise<number> {
    let total = 0;
    if (where) {
      for await (const places of walk(type.name, fitting(reader, where))) total += places.length;
      return total;
    }
    const known = counted(type, reader);
    if (known !== null) return known;
    // One range of the index per audience.
    const parts = [...(audiencesOf(reader) ?? [null])].map(
      (audience) => sql`(select count(*) as n from memories where ${ofType(projectId, type.name)}
        ${audience === null ? sql`` : sql`and memories.metadata->>'audience' = ${audience}`})`,
    );
    const rows = await rowsOf<{ n: string | number }>(
      db,
      sql`select sum(n) as n from (${sql.join(parts, sql` union all `)}) as counts`,
    );
    return Number(rows[0]?.n ?? 0);
  }

  async function list<Data>(
    type: RecordType<Data>,
    reader: Reader,
    query: RecordPage & { where?: SQL; orderBy?: string },
  ): Promise<{ records: StoredRecord<Data>[]; total: number; nextCursor: string | null }> {
    // Damaged rows take no place of a page.
    const known = new Set(aside(type.name));
    const whole = (place: Place) => !known.has(place.id);
    const { limit, where, orderBy } = query;
    if (orderBy !== undefined && !/^[a-z][a-z0-9_]{0,62}$/i.test(orderBy)) {
      throw new AppError('INVALID_INPUT', `"${orderBy}" is not a field to sort by`);
    }
    const after = query.cursor === undefined ? null : readCursor(query.cursor, placeIn(orderBy));
    let places: Place[];
    let total: number;
    if (where === undefined && orderBy === undefined) {
      places = await newestPlaces(type.name, reader, after, limit + 1 + known.size);
      total = await count(type, reader);
    } else {
      const top = createTop(limit + 1, after);
      total = 0;
      for await (const all of walk(type.name, fitting(reader, where), { orderBy })) {
        const page = all.filter(whole);
        total += page.length;
        top.add(page);
      }
      places = top.places();
    }
    places = places.filter(whole);
    const page = places.slice(0, limit);
    const last = page.at(-1);
    const ids = page.map(({ id }) => id);
    const records = await recordsById(type, ids, reader);
    const isNews = records.length < ids.length && ids.some((id) => aside(type.name).has(id));
    if (isNews) return list(type, reader, query);
    return {
      records,
      total,
      nextCursor:
        last && places.length > limit ? writeCursor({ ...last, orderBy: orderBy ?? null }) : null,
    };
  }

  return {
    readable,
    count,
    list,

    get: recordsById,

    async *scan(type, reader, options = {}) {
      const chunk = options.chunk ?? CHUNK;
      const fits = fitting(reader, options.where);
      const oldestFirst = options.newestFirst !== true;
      const direction = sql.raw(oldestFirst ? 'asc' : 'desc');
      let after: Key | null = null;
      for (;;) {
        const rows: ScannedRow[] = await rowsOf<ScannedRow>(
          db,
          sql`select id, at, created_ms, fits, case when fits then text end as text,
              case when fits then metadata end as metadata
            from (select ${ROW_COLUMNS}, memories.created_at, memories.created_at::text as at,
                coalesce(${fits}, false) as fits
              from memories where ${ofType(projectId, type.name)} ${beyond(after, oldestFirst)}
              ${inOrder(oldestFirst)} limit ${chunk}) as page
            order by created_at ${direction}, id ${direction}`,
        );
        const records = rows.flatMap((row) => {
          const record = row.fits ? readable(type, row, reader, options.onDamaged) : null;
          return record ? [record] : [];
        });
        if (records.length > 0) yield records;
        after = rows.at(-1) ?? null;
        if (after === null || rows.length < chunk) return;
        await yieldToLoop();
      }
    },

    async *withoutVector(type, model, chunk) {
      const fits = sql`memories.metadata->>'embeddingModel' is distinct from ${model}`;
      const known = await deps.lacking(type, model);
      const pages = known
        ? [known.map((id) => ({ id }))]
        : walk(type.name, fits, { oldestFirst: true });
      for await (const page of pages) {
        for (let start = 0; start < page.length; start += chunk) {
          const ids = page.slice(start, start + chunk).map(({ id }) => id);
          const records = (await recordsById(type, ids, OPERATOR)).filter(
            ({ embeddingModel }) => embeddingModel !== model,
          );
          if (records.length > 0) yield records;
          await yieldToLoop();
        }
      }
    },
  };
}

type WalkedRow = Key & {
  created_ms: string | number;
  value: unknown;
  fits: boolean;
};

type ScannedRow = Key & StoredRow & { fits: boolean };

const OPERATOR: Reader = { kind: 'operator' };

function placeOf(row: WalkedRow): Place {
  return {
    id: row.id,
    createdAtMs: Number(row.created_ms),
    value: typeof row.value === 'number' ? row.value : null,
  };
}

/** What the reader may see and the caller asked for. */
function fitting(reader: Reader, where: SQL | undefined): SQL {
  return sql`(${audienceCondition(reader) ?? sql`true`}) and (${where ?? sql`true`})`;
}

/** Keeps the first places after `after`, in order. */
function createTop(size: number, after: Place | null) {
  let best: Place[] = [];
  return {
    add(places: readonly Place[]): void {
      for (const place of places) {
        if (after === null || compare(after, place) < 0) best.push(place);
      }
      best = best.sort(compare).slice(0, size);
    },
    places: (): Place[] => best,
  };
}

/** Records without a number in the field come last. */
function compare(one: Place, other: Place): number {
  const byValue =
    (other.value ?? Number.NEGATIVE_INFINITY) - (one.value ?? Number.NEGATIVE_INFINITY);
  if (byValue !== 0 && !Number.isNaN(byValue)) return byValue;
  if (one.createdAtMs !== other.createdAtMs) return other.createdAtMs - one.createdAtMs;
  return one.id < other.id ? 1 : one.id > other.id ? -1 : 0;
}
