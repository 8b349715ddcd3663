/** The statements of the record store. Each write is one statement, row and vector together. */
import { type SQL, sql } from 'drizzle-orm';
import { sqlList } from '../host/database.js';
import { AppError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Home } from './home.js';
import { type RowDraft, TOMBSTONE_TYPE } from './record-codec.js';
import { audiencesOf, type Reader } from './scope.js';

/** Time of the database in ms: processes follow each other by it. */
export const NOW_MS = sql.raw(`(extract(epoch from clock_timestamp()) * 1000)::bigint`);
/** `created_at` in ms since 1970. */
export const CREATED_MS = sql.raw(`(extract(epoch from memories.created_at) * 1000)::bigint`);

/** A `StoredRow` without its vector. */
export const ROW_COLUMNS = sql`memories.id, ${CREATED_MS} as created_ms,
  memories.content->>'text' as text, memories.metadata`;

/** The same without the text, which is half of a row and which the catalog makes of the data. */
export const DATA_COLUMNS = sql`memories.id, ${CREATED_MS} as created_ms, null::text as text,
  memories.metadata`;

/** The same with the metadata as text, for another thread to parse. */
export const TEXT_COLUMNS = sql`memories.id, ${CREATED_MS} as created_ms, null::text as text,
  memories.metadata::text as metadata`;

/** The stored vector of `memories.id`, for `decodeHalfVector`. Our embedding rows bear its id. */
export const VECTOR_COLUMN = sql.raw(`(select encode(halfvec_send(
  embeddings.dim_384::halfvec(384)), 'base64') from embeddings where embeddings.id = memories.id)`);

/** The name as a literal, so that the planner can match it with the predicate of an index. */
export function typeLiteral(name: string): SQL {
  if (!/^cue_[a-z_]{1,40}$/.test(name)) {
    throw new AppError('INTERNAL', `"${name}" is not the name of a record type`);
  }
  return sql.raw(`'${name}'`);
}

/**
 * Rows of a project, of one type of it: the columns are wrapped as RECORD_INDEXES have them, and the
 * last condition is their predicate word for word. The bare columns would tempt the planner to an
 * index of the host and a sort of everything: PGlite keeps no statistics, so all look alike.
 */
export function ofProject(projectId: Uuid): SQL {
  return sql`(memories.world_id::text) = ${projectId} and starts_with(memories.type, 'cue_')`;
}

export function ofType(projectId: Uuid, typeName: string): SQL {
  return sql`(memories.world_id::text || ' ' || memories.type) = ${`${projectId} ${typeName}`}
    and starts_with(memories.type, 'cue_')`;
}

/**
 * The same for rows that are named by id. `is true` hides the conditions from the planner: without
 * statistics it takes an index of ours for more selective than the primary key and reads them all.
 */
export function namedOf(projectId: Uuid, typeName: string, ids: readonly Uuid[]): SQL {
  return sql`memories.id in (${sqlList(ids)}) and ${hidden(projectId, typeName)}`;
}

function hidden(projectId: Uuid, typeName: string): SQL {
  return sql`(memories.world_id = ${projectId} and memories.type = ${typeLiteral(typeName)}) is true`;
}

/** What the reader may see, as a condition; `null`: everything. */
export function audienceCondition(reader: Reader): SQL | null {
  const audiences = audiencesOf(reader);
  if (audiences === null) return null;
  return sql`memories.metadata->>'audience' in (${sqlList([...audiences])})`;
}

/** Exact place in the order of time, as the database writes it. */
export type Key = {
  at: string;
  id: Uuid;
};

const BEFORE_ALL = { at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
const AFTER_ALL = { at: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** The rows after a place (`null`: all), in the given direction. */
export function beyond(after: Key | null, oldestFirst: boolean): SQL {
  // Without a place to begin at, the planner reads and sorts all rows of a large project (measured
  // at 50,000: 0.9 s); with one it walks the index, and this one lies before the first.
  const { at, id } = after ?? (oldestFirst ? BEFORE_ALL : AFTER_ALL);
  return sql`and (memories.created_at, memories.id) ${sql.raw(oldestFirst ? '>' : '<')}
    (${at}::timestamp, ${id}::uuid)`;
}

export function inOrder(oldestFirst: boolean): SQL {
  const direction = sql.raw(oldestFirst ? 'asc' : 'desc');
  return sql`order by memories.created_at ${direction}, memories.id ${direction}`;
}

/** Time of the last change of a row. As JSON, as it is indexed. */
export const CHANGED_AT = sql.raw(`(memories.metadata->'changedAtMs')`);

/** Rows of any type of a project that changed since (database time, ms; after that of the id, if any). */
export function changedSince(projectId: Uuid, { ms, id }: { ms: number; id: Uuid | null }): SQL {
  const from = sql`to_jsonb(${Math.trunc(ms)}::bigint)`;
  const after =
    id === null
      ? sql`${CHANGED_AT} >= ${from}`
      : sql`(${CHANGED_AT}, memories.id) > (${from}, ${id}::uuid)`;
  return sql`${ofProject(projectId)} and ${after} and jsonb_typeof(${CHANGED_AT}) = 'number'`;
}

/** A time of ours as `timestamp` without zone, exact to the millisecond. */
export function timestampOf(ms: SQL | number): SQL {
  return sql`(timestamp '1970-01-01' + ${ms}::bigint * interval '1 millisecond')`;
}

/**
 * Inserts what is new or was removed before; returns ids, change times and revisions of those. After a
 * removal revisions go on: who knew the row before must not take this one for it.
 */
export function insertStatement(args: {
  typeName: string;
  projectId: Uuid;
  home: Home;
  rows: readonly RowDraft[];
}): SQL {
  const { home, projectId, rows } = args;
  return sql`
    with input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r(id uuid, created_ms bigint, text text, metadata jsonb, vector text)
    ), written as (
      insert into memories
        (id, type, created_at, content, entity_id, agent_id, room_id, world_id, "unique", metadata)
      select id, ${typeLiteral(args.typeName)}, ${timestampOf(sql`created_ms`)},
        jsonb_build_object('text', text), ${home.entityId}::uuid, ${home.agentId}::uuid,
        ${home.roomId}::uuid, ${projectId}::uuid, true,
        metadata || jsonb_build_object('changedAtMs', ${NOW_MS})
      from input
      on conflict (id) do update set
        type = excluded.type, created_at = excluded.created_at, content = excluded.content,
        entity_id = excluded.entity_id, agent_id = excluded.agent_id, room_id = excluded.room_id,
        metadata = excluded.metadata || jsonb_build_object(
          'revision', coalesce((memories.metadata->>'revision')::int, 0) + 1)
      where memories.type = ${typeLiteral(TOMBSTONE_TYPE)}
        and memories.world_id = excluded.world_id
      returning id, metadata->'changedAtMs' as changed_at_ms, metadata->'revision' as revision
    ), vectors as (
      insert into embeddings (id, memory_id, created_at, dim_384)
      select id, id, now(), vector::vector from input join written using (id)
      where vector is not null
      on conflict (id) do update set dim_384 = excluded.dim_384
    )
    select id, changed_at_ms, revision from written`;
}

/** Merges `metadata` into the envelope if the revision is as expected; returns a `StoredRow`. */
export function replaceStatement(args: {
  typeName: string;
  projectId: Uuid;
  id: Uuid;
  revision: number;
  text: string;
  metadata: Record<string, unknown>;
  /** Fields of the data that stay as they are stored. */
  keep: readonly string[];
  /** pgvector text; `null` drops the stored vector; `undefined` keeps it. */
  vector: string | null | undefined;
}): SQL {
  const { vector } = args;
  const vectors =
    vector === undefined
      ? sql``
      : vector === null
        ? sql`, vectors as (
            delete from embeddings where id in (select id from changed)
          )`
        : sql`, vectors as (${upsertVectors(sql`select id, ${vector}::text as vector from changed`)})`;
  return sql`
    with changed as (
      update memories set
        content = jsonb_build_object('text', ${args.text}::text),
        metadata = metadata || ${keeping(args.metadata, args.keep)} || jsonb_build_object(
          'revision', ${args.revision + 1}::int, 'changedAtMs', ${NOW_MS})
      where ${namedOf(args.projectId, args.typeName, [args.id])}
        and metadata->'revision' = to_jsonb(${args.revision}::int)
      returning id, created_at, content, metadata
    )${vectors}
    select ${ROW_COLUMNS}, ${VECTOR_COLUMN} as vector from changed as memories`;
}

/** The envelope, with those fields of its data as they are stored. */
function keeping(metadata: Record<string, unknown>, keep: readonly string[]): SQL {
  const sent = sql`${JSON.stringify(metadata)}::jsonb`;
  if (keep.length === 0) return sent;
  const kept = keep.map((key) => sql`${key}::text, metadata->'data'->${key}::text`);
  return sql`jsonb_set(${sent}, '{data}', ${sent}->'data' ||
    jsonb_strip_nulls(jsonb_build_object(${sql.join(kept, sql`, `)})))`;
}

/** Writes vectors of rows at their revision; returns the ids written with their change time. */
export function vectorsStatement(args: {
  typeName: string;
  projectId: Uuid;
  rows: readonly { id: Uuid; revision: number; model: string; vector: string }[];
}): SQL {
  return sql`
    with input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(args.rows)}::jsonb)
        as r(id uuid, revision int, model text, vector text)
    ), changed as (
      update memories set metadata = metadata || jsonb_build_object(
        'embeddingModel', input.model, 'changedAtMs', ${NOW_MS})
      from input
      where memories.id = input.id and ${hidden(args.projectId, args.typeName)}
        and memories.metadata->'revision' = to_jsonb(input.revision)
      returning memories.id
    ), vectors as (
      ${upsertVectors(sql`select id, vector from input join changed using (id)`)}
    )
    select id from changed`;
}

function upsertVectors(rows: SQL): SQL {
  return sql`
    insert into embeddings (id, memory_id, created_at, dim_384)
    select id, id, now(), vector::vector from (${rows}) as given
    on conflict (id) do update set dim_384 = excluded.dim_384`;
}

/**
 * Turns rows into tombstones without text, data or vector; returns their ids and change times. With
 * `revisions`, only those that are at theirs.
 */
export function removeStatement(args: {
  typeName: string;
  projectId: Uuid;
  ids: readonly Uuid[];
  revisions?: ReadonlyMap<Uuid, number> | undefined;
}): SQL {
  const { ids, revisions } = args;
  const known = Object.fromEntries(ids.map((id) => [id, revisions?.get(id) ?? 0]));
  const unchanged = revisions
    ? sql`and metadata->'revision' = ${JSON.stringify(known)}::jsonb->(memories.id::text)`
    : sql``;
  return sql`
    with gone as (
      update memories set type = ${typeLiteral(TOMBSTONE_TYPE)},
        content = '{"text": ""}'::jsonb,
        metadata = jsonb_build_object(
          'type', ${TOMBSTONE_TYPE}::text, 'was', ${args.typeName}::text,
          'projectId', ${args.projectId}::text, 'revision', metadata->'revision',
          'changedAtMs', ${NOW_MS})
      where ${namedOf(args.projectId, args.typeName, ids)} ${unchanged}
      returning id, metadata->'changedAtMs' as changed_at_ms
    ), vectors as (
      delete from embeddings where id in (select id from gone)
    )
    select id, changed_at_ms from gone`;
}

/** Removes for good what was removed before; returns the ids. */
export function purgeStatement(projectId: Uuid, olderThanMs: number, limit: number): SQL {
  return sql`
    delete from memories where id in (
      select id from memories
      where (world_id::text) = ${projectId} and type = ${typeLiteral(TOMBSTONE_TYPE)}
        and metadata->'changedAtMs' < to_jsonb(${Math.trunc(olderThanMs)}::bigint)
      limit ${limit}
    ) returning id`;
}

/** Adds to and sets fields of the data without a new revision. */
export function touchStatement(args: {
  typeName: string;
  projectId: Uuid;
  ids: readonly Uuid[];
  add: Record<string, number>;
  set: Record<string, string | number>;
}): SQL {
  const sums = Object.entries(args.add).map(
    ([key, amount]) => sql`${key}::text, coalesce(
      case when jsonb_typeof(metadata->'data'->${key}::text) = 'number'
        then (metadata->'data'->>${key}::text)::numeric end, 0) + ${amount}::numeric`,
  );
  const added =
    sums.length === 0 ? sql`'{}'::jsonb` : sql`jsonb_build_object(${sql.join(sums, sql`, `)})`;
  return sql`
    update memories set metadata = jsonb_set(metadata, '{data}',
      (metadata->'data') || ${JSON.stringify(args.set)}::jsonb || ${added})
    where ${namedOf(args.projectId, args.typeName, args.ids)}
      and jsonb_typeof(metadata->'data') = 'object'`;
}
