/**
 * Trigger tasks in Eliza's `tasks` table. Core's `updateTask` replaces whole objects, succeeds on
 * unknown ids and retries permanent errors for seconds, so every write here is one SQL statement
 * that changes only what it means to change (DESIGN §3).
 */
import { type SQL, sql } from 'drizzle-orm';
import {
  type Database,
  type IndexSpec,
  rowsOf,
  type Records,
  tasksTable,
  withoutNul,
} from '../records/index.js';
import { yieldToLoop } from '../shared/yield.js';
import {
  INVALID_TAG,
  RESTING_TAG,
  TRIGGER_TASK_NAME,
  type TriggerTask,
  type TriggerTaskRow,
} from './task-codec.js';

/** Rows per statement: a larger one would hold the event loop of a PGlite process too long. */
export const TASK_BATCH = 50;

/** A number in JSON, or null: a damaged value must not break an index or a query. */
const NEXT_RUN = sql.raw(
  `(case when jsonb_typeof(metadata->'trigger'->'nextRunAtMs') = 'number' then (metadata->'trigger'->>'nextRunAtMs')::numeric end)`,
);

export const TASK_INDEXES: IndexSpec[] = [
  {
    name: 'cue_tasks_tags',
    statement: sql`create index if not exists cue_tasks_tags on tasks using gin (tags)`,
  },
  {
    name: 'cue_tasks_resting',
    statement: sql`create index if not exists cue_tasks_resting on tasks (agent_id, ${NEXT_RUN}, id)
      where name = 'TRIGGER_DISPATCH' and not ('queue' = any(tags))`,
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
    name: 'cue_tasks_created',
    statement: sql`create index if not exists cue_tasks_created on tasks
      (agent_id, created_at desc, id desc) where name = 'TRIGGER_DISPATCH'`,
  },
];

/** What to write on a task after a dispatch or an edit. Absent parts stay as they are. */
export interface TaskWrite {
  id: string;
  /** Merged into `metadata.trigger`; `null` values remove a key, except `nextRunAtMs`. */
  trigger?: Record<string, unknown>;
  /** Merged into `metadata` beside the trigger. */
  schedule?: { updatedAt: number; updateInterval: number };
  tags?: string[];
  description?: string;
  /** Write only while the trigger still has this revision: an edit made meanwhile wins. */
  seenRevision?: number;
}

export interface ListFilter {
  creatorEntityId?: string;
  /** Together with `creatorEntityId`: also what was made in this room. */
  originRoomId?: string;
  state?: 'active' | 'resting' | 'disabled' | 'paused' | 'invalid';
  text?: string;
}

export type TaskStore = ReturnType<typeof createTaskStore>;

export function createTaskStore(records: Records) {
  const db: Database = records.db;
  const { agentId, roomId, worldId } = records.home;
  const mine = sql`name = ${TRIGGER_TASK_NAME} and agent_id = ${agentId}`;

  async function select(where: SQL, tail: SQL = sql``): Promise<TriggerTaskRow[]> {
    const rows = await rowsOf<{
      id: string;
      tags: string[] | null;
      metadata: Record<string, unknown> | null;
      created_ms: string | number;
    }>(
      db,
      sql`select id, tags, metadata,
          floor(extract(epoch from created_at) * 1000) as created_ms
        from tasks where ${mine} and ${where} ${tail}`,
    );
    return rows.map((row) => ({
      id: row.id,
      tags: row.tags ?? [],
      metadata: row.metadata ?? {},
      createdAtMs: Number(row.created_ms),
    }));
  }

  const writeSql = (write: TaskWrite): SQL => {
    const kept: Record<string, unknown> = {};
    const removed: string[] = [];
    for (const [key, value] of Object.entries(write.trigger ?? {})) {
      if (value === null && key !== 'nextRunAtMs') removed.push(key);
      else if (value !== undefined) kept[key] = value;
    }
    let trigger = sql`(metadata->'trigger' || ${JSON.stringify(withoutNul(kept))}::jsonb)`;
    for (const key of removed) trigger = sql`${trigger} - ${key}::text`;
    let metadata = sql`jsonb_set(metadata, '{trigger}', ${trigger})`;
    if (write.schedule) {
      metadata = sql`(${metadata} || ${JSON.stringify(write.schedule)}::jsonb) - 'createdAt'`;
    }
    return metadata;
  };

  return {
    /** Tasks whose time has come and those named, as they stand in the table now. */
    dueOrNamed(nowMs: number, ids: string[]): Promise<TriggerTaskRow[]> {
      const named =
        ids.length === 0 ? sql`false` : sql`id in (${sql.join(ids.map((id) => sql`${id}`), sql`, `)})`;
      return select(
        sql`tags @> array['queue', 'trigger']::text[] and (${NEXT_RUN} <= ${nowMs} or ${named})`,
        sql`order by ${NEXT_RUN}, id limit 500`,
      );
    },

    async byId(triggerOrTaskId: string): Promise<TriggerTaskRow | null> {
      const rows = await select(
        sql`(metadata->'trigger'->>'triggerId' = ${triggerOrTaskId} or id = ${triggerOrTaskId}::uuid)`,
        sql`limit 1`,
      );
      return rows[0] ?? null;
    },

    async byDedupeKeys(keys: string[]): Promise<Map<string, TriggerTaskRow>> {
      if (keys.length === 0) return new Map();
      const rows = await select(
        sql`metadata->'trigger'->>'dedupeKey' in (${sql.join(keys.map((key) => sql`${key}`), sql`, `)})`,
      );
      return new Map(
        rows.map((row) => {
          const trigger = row.metadata.trigger as Record<string, unknown>;
          return [String(trigger.dedupeKey), row];
        }),
      );
    },

    /** Inserts at most TASK_BATCH tasks whose id is new; returns the ids that were inserted. */
    async insert(tasks: TriggerTask[]): Promise<Set<string>> {
      if (tasks.length === 0) return new Set();
      const rows = await db
        .insert(tasksTable)
        .values(
          tasks.map((task) => ({
            id: task.id,
            name: task.name,
            description: withoutNul(task.description),
            roomId,
            worldId,
            agentId,
            tags: task.tags,
            metadata: withoutNul(task.metadata),
          })),
        )
        .onConflictDoNothing()
        .returning({ id: tasksTable.id });
      return new Set(rows.map((row) => row.id));
    },

    /** Applies the writes one statement after the other, with a turn of the event loop between. */
    async write(writes: TaskWrite[]): Promise<void> {
      for (const [index, write] of writes.entries()) {
        if (index > 0 && index % 10 === 0) await yieldToLoop();
        await db.execute(sql`update tasks set metadata = ${writeSql(write)}
          ${write.tags ? sql`, tags = ${tagArray(write.tags)}` : sql``}
          ${write.description === undefined ? sql`` : sql`, description = ${withoutNul(write.description)}`}
          where id = ${write.id} and agent_id = ${agentId}
          ${write.seenRevision === undefined ? sql`` : sql`and ${REVISION} = ${write.seenRevision}`}`);
      }
    },

    /**
     * One edit by compare-and-set on the revision. `false`: somebody else edited in between, or the
     * task is gone.
     */
    async edit(write: TaskWrite, seenRevision: number): Promise<boolean> {
      const rows = await rowsOf(
        db,
        sql`update tasks set metadata = ${writeSql(write)}
          ${write.tags ? sql`, tags = ${tagArray(write.tags)}` : sql``}
          ${write.description === undefined ? sql`` : sql`, description = ${withoutNul(write.description)}`}
          where id = ${write.id} and ${mine}
            and ${REVISION} = ${seenRevision}
          returning id`,
      );
      return rows.length > 0;
    },

    /** Replaces the tags only. */
    async retag(ids: string[], tags: { add: string[]; remove: string[] }): Promise<void> {
      if (ids.length === 0) return;
      const without = tags.remove.reduce(
        (value, tag) => sql`array_remove(${value}, ${tag})`,
        sql`tags`,
      );
      await db.execute(sql`update tasks set tags = ${without} || ${tagArray(tags.add)}
        where agent_id = ${agentId} and id in (${sql.join(ids.map((id) => sql`${id}`), sql`, `)})`);
    },

    /** Gives `queue` back to resting triggers that come due before `beforeMs`, in one statement. */
    async promote(beforeMs: number, nowMs: number): Promise<number> {
      const rows = await rowsOf(
        db,
        sql`update tasks set
            tags = array_prepend('queue', array_remove(tags, ${RESTING_TAG})),
            metadata = metadata || jsonb_build_object('updatedAt', ${nowMs}::bigint,
              'updateInterval', greatest(0, ${NEXT_RUN} - ${nowMs}))
          where id in (select id from tasks where ${mine} and not ('queue' = any(tags))
            and tags @> array[${RESTING_TAG}]::text[] and ${NEXT_RUN} <= ${beforeMs}
            order by ${NEXT_RUN}, id limit 200)
          returning id`,
      );
      return rows.length;
    },

    async remove(ids: string[]): Promise<number> {
      if (ids.length === 0) return 0;
      const rows = await rowsOf(
        db,
        sql`delete from tasks where ${mine}
          and id in (${sql.join(ids.map((id) => sql`${id}`), sql`, `)}) returning id`,
      );
      return rows.length;
    },

    /** Newest first; `after` is the last row of the page before. */
    async list(
      filter: ListFilter,
      page: { limit: number; after?: { createdAtMs: number; id: string } },
    ): Promise<{ rows: TriggerTaskRow[]; total: number }> {
      const where = filterSql(filter);
      const cursor = page.after
        ? sql`and (floor(extract(epoch from created_at) * 1000), id)
            < (${page.after.createdAtMs}::numeric, ${page.after.id}::uuid)`
        : sql``;
      const rows = await select(
        sql`${where} ${cursor}`,
        sql`order by floor(extract(epoch from created_at) * 1000) desc, id desc limit ${page.limit}`,
      );
      const counted = await rowsOf<{ n: string | number }>(
        db,
        sql`select count(*) as n from tasks where ${mine} and ${where}`,
      );
      return { rows, total: Number(counted[0]?.n ?? 0) };
    },

    /** Enabled triggers, of one creator or of the agent. */
    async countEnabled(creatorEntityId?: string): Promise<number> {
      const creator =
        creatorEntityId === undefined
          ? sql`true`
          : sql`metadata->'trigger'->>'creatorEntityId' = ${creatorEntityId}`;
      const rows = await rowsOf<{ n: string | number }>(
        db,
        sql`select count(*) as n from tasks where ${mine} and ${creator}
          and metadata->'trigger'->>'enabled' = 'true'`,
      );
      return Number(rows[0]?.n ?? 0);
    },

    async countChildren(parentTriggerId: string): Promise<number> {
      const rows = await rowsOf<{ n: string | number }>(
        db,
        sql`select count(*) as n from tasks where ${mine}
          and metadata->'trigger'->>'parentTriggerId' = ${parentTriggerId}`,
      );
      return Number(rows[0]?.n ?? 0);
    },

    /** Rows per state and the time of the longest overdue one, for health. */
    async census(nowMs: number): Promise<{
      active: number;
      resting: number;
      disabled: number;
      paused: number;
      invalid: number;
      oldestDueLagMs: number;
    }> {
      const [row] = await rowsOf<Record<string, string | number | null>>(
        db,
        sql`select
            count(*) filter (where not ${INVALID} and ${ENABLED} and not ${RESTS}) as active,
            count(*) filter (where not ${INVALID} and ${ENABLED} and ${RESTS}) as resting,
            count(*) filter (where not ${INVALID} and not ${ENABLED}
              and not (metadata->'trigger' ? 'pausedReason')) as disabled,
            count(*) filter (where not ${INVALID} and not ${ENABLED}
              and metadata->'trigger' ? 'pausedReason') as paused,
            count(*) filter (where ${INVALID}) as invalid,
            min(${NEXT_RUN}) filter (where not ${INVALID} and ${ENABLED}) as oldest
          from tasks where ${mine}`,
      );
      const n = (key: string) => Number(row?.[key] ?? 0);
      const oldest = row?.oldest === null || row?.oldest === undefined ? null : Number(row.oldest);
      return {
        active: n('active'),
        resting: n('resting'),
        disabled: n('disabled'),
        paused: n('paused'),
        invalid: n('invalid'),
        oldestDueLagMs: oldest === null ? 0 : Math.max(0, nowMs - oldest),
      };
    },

    /** Enabled triggers that nothing would ever come back to: no time left in line. */
    unplaced(limit = 50): Promise<TriggerTaskRow[]> {
      return select(
        sql`${NEXT_RUN} is null and not ('queue' = any(tags)) and not ${INVALID} and ${ENABLED}`,
        sql`order by id limit ${limit}`,
      );
    },

    invalid(limit = 20): Promise<TriggerTaskRow[]> {
      return select(sql`tags @> array[${INVALID_TAG}]::text[]`, sql`order by id limit ${limit}`);
    },

    /** Every trigger, in pages by id; for export and for re-alignment after a clock jump. */
    async *all(): AsyncGenerator<TriggerTaskRow[]> {
      let after = '00000000-0000-0000-0000-000000000000';
      for (;;) {
        const rows = await select(sql`id > ${after}::uuid`, sql`order by id limit 200`);
        if (rows.length === 0) return;
        yield rows;
        after = rows.at(-1)?.id ?? after;
        await yieldToLoop();
      }
    },
  };
}

const REVISION = sql.raw(`coalesce((metadata->'trigger'->>'revision')::int, 0)`);
const ENABLED = sql.raw(`coalesce(metadata->'trigger'->>'enabled', '') = 'true'`);
const RESTS = sql.raw(`tags @> array['${RESTING_TAG}']::text[]`);
const INVALID = sql.raw(`(tags @> array['${INVALID_TAG}']::text[])`);

function tagArray(tags: string[]): SQL {
  if (tags.length === 0) return sql`array[]::text[]`;
  return sql`array[${sql.join(
    tags.map((tag) => sql`${tag}`),
    sql`, `,
  )}]::text[]`;
}

function filterSql(filter: ListFilter): SQL {
  const parts: SQL[] = [sql`true`];
  if (filter.creatorEntityId !== undefined) {
    const own = sql`metadata->'trigger'->>'creatorEntityId' = ${filter.creatorEntityId}`;
    parts.push(
      filter.originRoomId === undefined
        ? own
        : sql`(${own} or metadata->'trigger'->>'originRoomId' = ${filter.originRoomId})`,
    );
  }
  if (filter.text !== undefined && filter.text !== '') {
    const pattern = `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`;
    parts.push(sql`(metadata->'trigger'->>'displayName' ilike ${pattern}
      or metadata->'trigger'->>'instructions' ilike ${pattern})`);
  }
  switch (filter.state) {
    case 'active':
      parts.push(sql`not ${INVALID} and ${ENABLED} and not ${RESTS}`);
      break;
    case 'resting':
      parts.push(sql`not ${INVALID} and ${ENABLED} and ${RESTS}`);
      break;
    case 'disabled':
      parts.push(
        sql`not ${INVALID} and not ${ENABLED} and not (metadata->'trigger' ? 'pausedReason')`,
      );
      break;
    case 'paused':
      parts.push(sql`not ${INVALID} and not ${ENABLED} and metadata->'trigger' ? 'pausedReason'`);
      break;
    case 'invalid':
      parts.push(INVALID);
      break;
    case undefined:
      break;
  }
  return sql.join(parts, sql` and `);
}
