/**
 * A trigger's row in Eliza's `tasks` table, in SQL: its columns, its time, its state, its place in a list,
 * its indexes. Indexes and queries are made of the same words, so that the planner knows them again.
 */
import { type SQL, sql } from 'drizzle-orm';
import {
  type Database,
  type IndexSpec,
  inIndexOrder,
  type Records,
  rowsOf,
  sqlList,
} from '../records/index.js';
import type { TriggerState } from './schema.js';
import {
  INVALID_TAG,
  PAUSED_ON_REQUEST,
  RESTING_TAG,
  TRIGGER_TASK_NAME,
  type TriggerTaskRow,
} from './task-codec.js';

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

export const QUEUED = sql.raw(`(tags @> array['queue']::text[])`);
export const RESTS = sql.raw(`tags @> array['${RESTING_TAG}']::text[]`);
export const INVALID = sql.raw(`(tags @> array['${INVALID_TAG}']::text[])`);
/** Waits far from its time; enabled, else it would not carry the tag. */
export const RESTING = sql`(${RESTS} and not ${INVALID})`;
/** The same condition, written so that the planner does not use its index in a walk of another order. */
export const RESTING_UNINDEXED = sql.raw(
  `(array_position(tags, '${RESTING_TAG}') is not null and array_position(tags, '${INVALID_TAG}') is null)`,
);
/** Neither queued nor resting: disabled, set aside, or without a next time. An index holds these few. */
export const UNQUEUED = sql`(not ${QUEUED} and (${INVALID} or not ${RESTS}))`;

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

/**
 * PGlite never runs ANALYZE, so the planner takes every equality for equally selective, and an index
 * that begins with `agent_id` ties with the right one although it holds the whole table (measured at
 * 10,000: 1.3 s for 50 keys instead of 3 ms). So only the small ones begin with it; the keys are
 * unique across agents anyway. Queries repeat the conditions as the indexes have them.
 */
export const TASK_INDEXES: IndexSpec[] = [
  {
    name: 'cue_tasks_tags',
    statement: sql`create index if not exists cue_tasks_tags on tasks using gin (tags)`,
  },
  {
    // What the host's tick reads: small, and unlike GIN it forgets dead entries without a VACUUM.
    name: 'cue_tasks_queue',
    statement: sql`create index if not exists cue_tasks_queue on tasks (agent_id) where ${QUEUED}`,
  },
  {
    name: 'cue_tasks_resting',
    statement: sql`create index if not exists cue_tasks_resting on tasks (agent_id, ${NEXT_RUN}, id)
      where name = 'TRIGGER_DISPATCH' and ${RESTING}`,
  },
  {
    name: 'cue_tasks_cold',
    statement: sql`create index if not exists cue_tasks_cold on tasks (agent_id, ${NEXT_RUN}, id)
      where name = 'TRIGGER_DISPATCH' and ${UNQUEUED}`,
  },
  {
    name: 'cue_tasks_trigger',
    statement: sql`create index if not exists cue_tasks_trigger on tasks
      ((metadata->'trigger'->>'triggerId')) where name = 'TRIGGER_DISPATCH'`,
  },
  {
    name: 'cue_tasks_dedupe',
    statement: sql`create index if not exists cue_tasks_dedupe on tasks
      ((metadata->'trigger'->>'dedupeKey')) where name = 'TRIGGER_DISPATCH'`,
  },
  {
    name: 'cue_tasks_creator',
    statement: sql`create index if not exists cue_tasks_creator on tasks
      ((metadata->'trigger'->>'creatorEntityId')) where name = 'TRIGGER_DISPATCH'`,
  },
  {
    name: 'cue_tasks_parent',
    statement: sql`create index if not exists cue_tasks_parent on tasks
      ((metadata->'trigger'->>'parentTriggerId'))
      where name = 'TRIGGER_DISPATCH' and metadata->'trigger'->>'parentTriggerId' is not null`,
  },
  {
    name: 'cue_tasks_home_room',
    statement: sql`create index if not exists cue_tasks_home_room on tasks
      ((${HOME_ROOM})) where name = 'TRIGGER_DISPATCH'`,
  },
  {
    name: 'cue_tasks_created',
    statement: sql`create index if not exists cue_tasks_created on tasks
      (${CREATED} desc, id desc) where name = 'TRIGGER_DISPATCH'`,
  },
];

export const COLUMNS = sql.raw(
  'id, tags, metadata, floor(extract(epoch from created_at) * 1000) as created_ms',
);

/** A row as the driver hands it over. */
export type StoredRow = {
  id: string;
  tags: string[] | null;
  metadata: Record<string, unknown> | null;
  created_ms: string | number;
};

export function rowFrom(row: StoredRow): TriggerTaskRow {
  return {
    id: row.id,
    tags: row.tags ?? [],
    metadata: row.metadata ?? {},
    createdAtMs: Number(row.created_ms),
  };
}

export type TaskTable = ReturnType<typeof createTaskTable>;

export function createTaskTable(records: Records) {
  const db: Database = records.db;
  const { agentId } = records.home;
  /** The condition that a row is a trigger of this agent. */
  const mine = sql`name = ${TRIGGER_TASK_NAME} and agent_id = ${agentId}`;

  const rowsWhere = (where: SQL): SQL =>
    sql`select ${COLUMNS} from tasks where ${mine} and ${where}`;

  async function read(statement: SQL): Promise<TriggerTaskRow[]> {
    return (await rowsOf<StoredRow>(db, statement)).map(rowFrom);
  }

  return {
    db,
    home: records.home,
    mine,
    /** The statement that reads such rows; to be completed. */
    rowsWhere,
    read,

    select(where: SQL, tail: SQL): Promise<TriggerTaskRow[]> {
      return read(sql`${rowsWhere(where)} ${tail}`);
    },

    /** Rows in the order of an index. */
    inOrder<Row extends Record<string, unknown>>(statement: SQL): Promise<Row[]> {
      return inIndexOrder(db, (tx) => rowsOf<Row>(tx, statement));
    },

    /** The `n` of the statement's only row. */
    async countOf(statement: SQL): Promise<number> {
      const [row] = await rowsOf<{ n: string | number }>(db, statement);
      return Number(row?.n ?? 0);
    },

    /** All triggers that do not rest, by the two indexes that hold nothing else. */
    notResting: (columns: SQL): SQL =>
      sql`select ${columns} from tasks where ${mine} and ${QUEUED} and not ${RESTING}
      union all select ${columns} from tasks where ${mine} and ${UNQUEUED}`,
  };
}

/** What one entity may see: its own triggers, and those that belong to the room it speaks in. */
export interface PersonVisibility {
  creatorEntityId: string;
  homeRoomId?: string;
  /** Also those of every other room of that room's world: for its owner and admins. */
  wholeWorld?: boolean;
}

/** `projectOnly`: what belongs to no person and no conversation. */
export type Visibility = (PersonVisibility & { projectOnly?: never }) | { projectOnly: true };

export interface ListFilter {
  /** Absent: everything of the agent. */
  visibleTo?: Visibility;
  creatorEntityId?: string;
  state?: TriggerState;
  text?: string;
}

const PAUSED = sql`metadata->'trigger' ? 'pausedReason'`;
const IN_STATE: Readonly<Record<TriggerState, SQL>> = {
  active: sql`not ${INVALID} and ${ENABLED} and not ${RESTS}`,
  resting: RESTING_UNINDEXED,
  disabled: sql`not ${INVALID} and not ${ENABLED} and not (${PAUSED})`,
  paused: sql`not ${INVALID} and not ${ENABLED} and ${PAUSED}`,
  invalid: INVALID,
};

/** The filter as one condition. */
export function filterSql(filter: ListFilter): SQL {
  const parts: SQL[] = [sql`true`];
  if (filter.creatorEntityId !== undefined) {
    parts.push(sql`metadata->'trigger'->>'creatorEntityId' = ${filter.creatorEntityId}`);
  }
  if (filter.visibleTo !== undefined)
    parts.push(sql`(${sql.join(visibleSql(filter.visibleTo), sql` or `)})`);
  if (filter.text !== undefined && filter.text !== '') {
    const pattern = `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`;
    parts.push(sql`(metadata->'trigger'->>'displayName' ilike ${pattern}
      or metadata->'trigger'->>'instructions' ilike ${pattern})`);
  }
  if (filter.state !== undefined) parts.push(IN_STATE[filter.state]);
  return sql.join(parts, sql` and `);
}

/** The reasons for which a trigger may be seen; one is enough. Each has its own index. */
export function visibleSql(visible: Visibility): SQL[] {
  if (visible.projectOnly) {
    return [
      sql`(not ${INVALID} and metadata->'trigger'->>'creatorEntityId' is null and ${HOME_ROOM} is null)`,
    ];
  }
  const { creatorEntityId, homeRoomId, wholeWorld } = visible;
  const own = sql`metadata->'trigger'->>'creatorEntityId' = ${creatorEntityId}`;
  if (homeRoomId === undefined) return [own];
  const here = sql`${HOME_ROOM} = ${homeRoomId}`;
  if (!wholeWorld) return [own, here];
  const inWorld = sql`${HOME_ROOM} in (select other.id::text from rooms other
    join rooms here on here.world_id = other.world_id where here.id = ${homeRoomId}::uuid)`;
  return [own, here, inWorld];
}
