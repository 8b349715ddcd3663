/**
 * What is asked of a trigger's row, in SQL: its time, its state, its place in a list. The indexes are
 * made of the same words, so that the planner knows them again.
 */
import { type SQL, sql } from 'drizzle-orm';
import { sqlList } from '../../records/index.js';
import { INVALID_TAG, PAUSED_ON_REQUEST, RESTING_TAG } from '../task-codec.js';

/** A number in JSON, or null: a damaged value must not break an index or a query. */
export const NEXT_RUN = sql.raw(
  `(case when jsonb_typeof(metadata->'trigger'->'nextRunAtMs') = 'number' then (metadata->'trigger'->>'nextRunAtMs')::numeric end)`,
);

/** The conversation a trigger belongs to: where it was asked for, else where its answers go. */
export const HOME_ROOM = sql.raw(
  `coalesce(metadata->'trigger'->>'originRoomId', metadata->'trigger'->'deliverTo'->>'roomId')`,
);

/** To the millisecond, as a cursor carries it, and immutable, as an index wants it. */
export const CREATED = sql.raw(`date_trunc('milliseconds', created_at at time zone 'UTC')`);

export const HOT = sql.raw(`(tags @> array['queue']::text[])`);
export const RESTS = sql.raw(`tags @> array['${RESTING_TAG}']::text[]`);
export const INVALID = sql.raw(`(tags @> array['${INVALID_TAG}']::text[])`);
/** Waits far from its time; enabled, else it would not carry the tag. */
export const RESTING = sql`(${RESTS} and not ${INVALID})`;
/** The same for a walk in another order, said so that the planner does not think of that index. */
export const RESTING_UNINDEXED = sql.raw(
  `(array_position(tags, '${RESTING_TAG}') is not null and array_position(tags, '${INVALID_TAG}') is null)`,
);
/** Neither of the two: disabled, set aside, or without a time. Few, and found by themselves. */
export const COLD = sql`(not ${HOT} and (${INVALID} or not ${RESTS}))`;

export const REVISION = sql.raw(`coalesce((metadata->'trigger'->>'revision')::int, 0)`);
export const ENABLED = sql.raw(`coalesce(metadata->'trigger'->>'enabled', '') = 'true'`);

/** Something a person should know about: it failed last time, or it was stopped by us. */
export const TROUBLED = sql.raw(`tags @> array['${INVALID_TAG}']::text[]
  or coalesce(metadata->'trigger'->>'lastStatus', '') = 'failed'
  or coalesce(metadata->'trigger'->>'pausedReason', '${PAUSED_ON_REQUEST}') <> '${PAUSED_ON_REQUEST}'`);

/** Newest first, as `cue_tasks_created` has it. */
export const NEWEST_FIRST = sql`${CREATED} desc, id desc`;

/** A text array of PostgreSQL; possibly empty. */
export function textArray(texts: string[]): SQL {
  return texts.length === 0 ? sql`array[]::text[]` : sql`array[${sqlList(texts)}]::text[]`;
}
