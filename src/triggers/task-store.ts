/**
 * Trigger tasks in Eliza's `tasks` table. Core's `updateTask` replaces whole objects, succeeds on
 * unknown ids and retries permanent errors for seconds, so every write here is one SQL statement
 * that changes only what it means to change (DESIGN §3).
 */
import { type SQL, sql } from 'drizzle-orm';
import {
  type Database,
  type Executor,
  type IndexSpec,
  inIndexOrder,
  pgliteDirectory,
  type Records,
  rowsOf,
  tasksTable,
  withoutNul,
} from '../records/index.js';
import { yieldToLoop } from '../shared/yield.js';
import {
  INVALID_TAG,
  PAUSED_ON_REQUEST,
  RESTING_TAG,
  TRIGGER_TASK_NAME,
  type TriggerTask,
  type TriggerTaskRow,
} from './task-codec.js';

/** Rows per statement: a larger one would hold the event loop of a PGlite process too long. */
export const TASK_BATCH = 50;
/** Due triggers claimed in one pass. */
export const DUE_BATCH = 500;

/** A number in JSON, or null: a damaged value must not break an index or a query. */
const NEXT_RUN = sql.raw(
  `(case when jsonb_typeof(metadata->'trigger'->'nextRunAtMs') = 'number' then (metadata->'trigger'->>'nextRunAtMs')::numeric end)`,
);

/** The conversation a trigger belongs to: where it was asked for, else where its answers go. */
const HOME_ROOM = sql.raw(
  `coalesce(metadata->'trigger'->>'originRoomId', metadata->'trigger'->'deliverTo'->>'roomId')`,
);

/** To the millisecond, as a cursor carries it, and immutable, as an index wants it. */
const CREATED = sql.raw(`date_trunc('milliseconds', created_at at time zone 'UTC')`);

const HOT = sql.raw(`(tags @> array['queue']::text[])`);
const RESTS = sql.raw(`tags @> array['${RESTING_TAG}']::text[]`);
const INVALID = sql.raw(`(tags @> array['${INVALID_TAG}']::text[])`);
/** Waits far from its time; enabled, else it would not carry the tag. */
const RESTING = sql`(${RESTS} and not ${INVALID})`;
/** The same for a walk in another order, said so that the planner does not think of that index. */
const RESTING_UNINDEXED = sql.raw(
  `(array_position(tags, '${RESTING_TAG}') is not null and array_position(tags, '${INVALID_TAG}') is null)`,
);
/** Neither of the two: disabled, set aside, or without a time. Few, and found by themselves. */
const COLD = sql`(not ${HOT} and (${INVALID} or not ${RESTS}))`;

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
    statement: sql`create index if not exists cue_tasks_queue on tasks (agent_id) where ${HOT}`,
  },
  {
    name: 'cue_tasks_resting',
    statement: sql`create index if not exists cue_tasks_resting on tasks (agent_id, ${NEXT_RUN}, id)
      where name = 'TRIGGER_DISPATCH' and ${RESTING}`,
  },
  {
    name: 'cue_tasks_cold',
    statement: sql`create index if not exists cue_tasks_cold on tasks (agent_id, ${NEXT_RUN}, id)
      where name = 'TRIGGER_DISPATCH' and ${COLD}`,
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
  state?: 'active' | 'resting' | 'disabled' | 'paused' | 'invalid';
  text?: string;
}

export type TaskStore = ReturnType<typeof createTaskStore>;

const COLUMNS = sql.raw(
  'id, tags, metadata, floor(extract(epoch from created_at) * 1000) as created_ms',
);
const NEWEST_FIRST = sql`${CREATED} desc, id desc`;

type StoredRow = {
  id: string;
  tags: string[] | null;
  metadata: Record<string, unknown> | null;
  created_ms: string | number;
};

function rowFrom(row: StoredRow): TriggerTaskRow {
  return {
    id: row.id,
    tags: row.tags ?? [],
    metadata: row.metadata ?? {},
    createdAtMs: Number(row.created_ms),
  };
}

/** Place in a list, newest first. */
export interface TaskCursor {
  createdAtMs: number;
  id: string;
}

function beforeSql(cursor: TaskCursor): SQL {
  const at = new Date(cursor.createdAtMs).toISOString();
  return sql`(${CREATED}, id) < (${at}::timestamp, ${cursor.id}::uuid)`;
}

/** Rows a search for text reads in one statement: 10,000 at once would hold the loop for 60 ms. */
const SEARCH_WINDOW = 2_000;

export function createTaskStore(records: Records) {
  const db: Database = records.db;
  const { agentId, roomId, worldId } = records.home;
  const mine = sql`name = ${TRIGGER_TASK_NAME} and agent_id = ${agentId}`;

  const rowsWhere = (where: SQL): SQL =>
    sql`select ${COLUMNS} from tasks where ${mine} and ${where}`;

  async function read(statement: SQL): Promise<TriggerTaskRow[]> {
    return (await rowsOf<StoredRow>(db, statement)).map(rowFrom);
  }

  /** Rows in the order of an index. */
  function inOrder<Row extends Record<string, unknown>>(statement: SQL): Promise<Row[]> {
    return inIndexOrder(db, (tx) => rowsOf<Row>(tx, statement));
  }

  async function countOf(statement: SQL): Promise<number> {
    const [row] = await rowsOf<{ n: string | number }>(db, statement);
    return Number(row?.n ?? 0);
  }

  function select(where: SQL, tail: SQL): Promise<TriggerTaskRow[]> {
    return read(sql`${rowsWhere(where)} ${tail}`);
  }

  /** All that do not rest, by the two indexes that hold nothing else. */
  const awake = (columns: SQL): SQL =>
    sql`select ${columns} from tasks where ${mine} and ${HOT} and not ${RESTING}
      union all select ${columns} from tasks where ${mine} and ${COLD}`;

  /** Every text has to be read: window by window, with a turn of the event loop between. */
  async function search(
    filter: ListFilter,
    page: { limit: number; after?: TaskCursor },
  ): Promise<{ rows: TriggerTaskRow[]; total: number }> {
    const hit = filterSql(filter);
    const inPage = page.after ? beforeSql(page.after) : sql`true`;
    const rows: TriggerTaskRow[] = [];
    let total = 0;
    let last: TaskCursor | undefined;
    do {
      const found = await inOrder<StoredRow & { hit: boolean; in_page: boolean; place: number }>(
        sql`select ${COLUMNS}, place, ${hit} as hit, ${inPage} as in_page from (
            select *, row_number() over (order by ${NEWEST_FIRST})::int as place from (
              ${rowsOfWindow(last)}) seen) placed
          where ${hit} or place = ${SEARCH_WINDOW}`,
      );
      found.sort((a, b) => a.place - b.place);
      const hits = found.filter((row) => row.hit);
      total += hits.length;
      for (const row of hits) {
        if (row.in_page && rows.length < page.limit) rows.push(rowFrom(row));
      }
      const end = found.at(-1);
      last = end?.place === SEARCH_WINDOW ? rowFrom(end) : undefined;
      await yieldToLoop();
    } while (last);
    return { rows, total };
  }

  const rowsOfWindow = (after: TaskCursor | undefined): SQL =>
    sql`select id, tags, metadata, created_at from tasks
      where ${mine} and ${after ? beforeSql(after) : sql`true`}
      order by ${NEWEST_FIRST} limit ${SEARCH_WINDOW}`;

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
        ids.length === 0
          ? sql`false`
          : sql`id in (${sql.join(
              ids.map((id) => sql`${id}`),
              sql`, `,
            )})`;
      return select(
        sql`${HOT} and tags @> array['trigger']::text[]
          and (${NEXT_RUN} <= ${nowMs} or ${named})`,
        sql`order by ${NEXT_RUN}, id limit ${DUE_BATCH}`,
      );
    },

    async byId(triggerOrTaskId: string): Promise<TriggerTaskRow | null> {
      const rows = await read(sql`${rowsWhere(sql`id = ${triggerOrTaskId}::uuid`)} union all
        ${rowsWhere(sql`metadata->'trigger'->>'triggerId' = ${triggerOrTaskId}`)} limit 1`);
      return rows[0] ?? null;
    },

    async byDedupeKeys(keys: string[]): Promise<Map<string, TriggerTaskRow>> {
      if (keys.length === 0) return new Map();
      // One look-up each: for a list of keys the planner would rather read the whole table.
      const rows = await read(sql`select found.* from unnest(${textArray(keys)}) as wanted(key),
        lateral (${rowsWhere(sql`metadata->'trigger'->>'dedupeKey' = wanted.key`)} limit 1) found`);
      return new Map(
        rows.map((row) => {
          const trigger = row.metadata.trigger as Record<string, unknown>;
          return [String(trigger.dedupeKey), row];
        }),
      );
    },

    /** Inserts at most TASK_BATCH tasks whose id is new; returns the ids that were inserted. */
    async insert(tasks: TriggerTask[], executor: Executor = db): Promise<Set<string>> {
      if (tasks.length === 0) return new Set();
      const rows = await executor
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
          ${write.tags ? sql`, tags = ${textArray(write.tags)}` : sql``}
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
          ${write.tags ? sql`, tags = ${textArray(write.tags)}` : sql``}
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
      await db.execute(sql`update tasks set tags = ${without} || ${textArray(tags.add)}
        where agent_id = ${agentId} and id in (${sql.join(
          ids.map((id) => sql`${id}`),
          sql`, `,
        )})`);
    },

    /** Gives `queue` back to resting triggers that come due before `beforeMs`, in one statement. */
    async promote(beforeMs: number, nowMs: number): Promise<number> {
      const rows = await rowsOf(
        db,
        sql`update tasks set
            tags = array_prepend('queue', array_remove(tags, ${RESTING_TAG})),
            metadata = metadata || jsonb_build_object('updatedAt', ${nowMs}::bigint,
              'updateInterval', greatest(0, ${NEXT_RUN} - ${nowMs}))
          where id in (select id from tasks where ${mine} and ${RESTING}
            and ${NEXT_RUN} <= ${beforeMs}
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
          and id in (${sql.join(
            ids.map((id) => sql`${id}`),
            sql`, `,
          )}) returning id`,
      );
      return rows.length;
    },

    /** Newest first; `after` is the last row of the page before. */
    async list(
      filter: ListFilter,
      page: { limit: number; after?: TaskCursor },
    ): Promise<{ rows: TriggerTaskRow[]; total: number }> {
      const narrow = filter.visibleTo !== undefined || filter.creatorEntityId !== undefined;
      if (!narrow && filter.text) return search(filter, page);
      const where = filterSql(filter);
      const before = page.after ? beforeSql(page.after) : sql`true`;
      const tail = sql`order by ${NEWEST_FIRST} limit ${page.limit}`;
      if (filter.state !== undefined && filter.state !== 'resting') {
        const found = sql`from (${awake(sql`*`)}) tasks where ${where}`;
        return {
          rows: await read(sql`select ${COLUMNS} ${found} and ${before} ${tail}`),
          total: await countOf(sql`select count(*) as n ${found}`),
        };
      }
      const statement = sql`${rowsWhere(sql`${where} and ${before}`)} ${tail}`;
      const others = filter.state === undefined ? awake(sql`id`) : sql`select 1 where false`;
      return {
        rows: narrow ? await read(statement) : (await inOrder<StoredRow>(statement)).map(rowFrom),
        total: await countOf(
          narrow
            ? sql`select count(*) as n from tasks where ${mine} and ${where}`
            : sql`select (select count(*) from tasks where ${mine} and ${RESTING})
                + (select count(*) from (${others}) others) as n`,
        ),
      };
    },

    /**
     * The first `each` of two kinds, those in trouble and the others, soonest first. It stands in
     * every prompt, so it reads branch by branch: of an OR the planner of a PGlite, which has no
     * statistics, uses no index (10,000 triggers: 9 ms instead of 0.2).
     */
    async glance(
      visible: Visibility | null,
      each: number,
    ): Promise<{ row: TriggerTaskRow; troubled: boolean; total: number }[]> {
      const branches = visible === null ? [sql`true`] : visibleSql(visible);
      const seen = branches.map(
        (branch) => sql`select id, tags, metadata from tasks
        where ${mine} and ${branch}`,
      );
      const rows = await rowsOf<{
        id: string;
        tags: string[] | null;
        metadata: Record<string, unknown> | null;
        troubled: boolean;
        total: string | number;
      }>(
        db,
        sql`select id, tags, metadata, troubled, total from (
            select id, tags, metadata, troubled, count(*) over () as total,
              row_number() over (partition by troubled
                order by ${NEXT_RUN} is null, not ${ENABLED}, ${NEXT_RUN}, id) as place
            from (select distinct on (id) id, tags, metadata, (${TROUBLED}) as troubled
              from (${sql.join(seen, sql` union all `)}) found order by id) seen
          ) placed where place <= ${each} order by troubled desc, place`,
      );
      return rows.map((row) => ({
        row: { id: row.id, tags: row.tags ?? [], metadata: row.metadata ?? {}, createdAtMs: 0 },
        troubled: row.troubled,
        total: Number(row.total),
      }));
    },

    /** Enabled triggers, of one creator or of the agent. */
    async countEnabled(
      creator?: string,
      kind: 'creatorEntityId' | 'creatorAgentId' = 'creatorEntityId',
    ): Promise<number> {
      const rows = await rowsOf<{ n: string | number }>(
        db,
        creator === undefined
          ? sql`select (select count(*) from tasks where ${mine} and ${RESTING})
              + (select count(*) from (${awake(sql`metadata`)}) awake where ${ENABLED}) as n`
          : sql`select count(*) as n from tasks where ${mine} and ${ENABLED}
              and metadata->'trigger'->>${sql.raw(`'${kind}'`)} = ${creator}`,
      );
      return Number(rows[0]?.n ?? 0);
    },

    /**
     * What autovacuum does on a server and nobody does on PGlite: dead rows of hot tasks would make
     * the host's tick slower day by day, and counts have to look up every row. 10 to 100 ms.
     */
    async tidy(): Promise<void> {
      if (pgliteDirectory(db) !== null) await db.execute(sql`vacuum tasks`);
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
            (select count(*) from tasks where ${mine} and ${RESTING}) as resting,
            (select min(${NEXT_RUN}) from tasks where ${mine} and ${RESTING}) as oldest_resting,
            count(*) filter (where not ${INVALID} and ${ENABLED}) as active,
            count(*) filter (where not ${INVALID} and not ${ENABLED}
              and not (metadata->'trigger' ? 'pausedReason')) as disabled,
            count(*) filter (where not ${INVALID} and not ${ENABLED}
              and metadata->'trigger' ? 'pausedReason') as paused,
            count(*) filter (where ${INVALID}) as invalid,
            min(${NEXT_RUN}) filter (where not ${INVALID} and ${ENABLED}) as oldest
          from (${awake(sql`tags, metadata`)}) awake`,
      );
      const n = (key: string) => Number(row?.[key] ?? 0);
      const times = [row?.oldest, row?.oldest_resting].flatMap((at) =>
        at === null || at === undefined ? [] : [Number(at)],
      );
      const oldest = times.length === 0 ? null : Math.min(...times);
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
      const lost = sql`${NEXT_RUN} is null and not ${INVALID} and ${ENABLED}`;
      return read(sql`${rowsWhere(sql`${RESTING} and ${lost}`)} and not ${HOT} union all
        ${rowsWhere(sql`${COLD} and ${lost}`)} order by id limit ${limit}`);
    },

    /**
     * Enabled triggers that are out of the queue with a time in line: claimed, and then the host
     * wrote the old time back. `ids` narrows it to those the host has just called.
     */
    strays(limit: number, ids?: string[]): Promise<TriggerTaskRow[]> {
      if (ids?.length === 0) return Promise.resolve([]);
      const named = ids
        ? sql`id in (${sql.join(
            ids.map((id) => sql`${id}`),
            sql`, `,
          )})`
        : sql`true`;
      return select(
        sql`${COLD} and ${named} and ${NEXT_RUN} is not null and not ${INVALID} and ${ENABLED}`,
        sql`order by id limit ${limit}`,
      );
    },

    invalid(limit = 20): Promise<TriggerTaskRow[]> {
      return select(sql`${COLD} and ${INVALID}`, sql`order by id limit ${limit}`);
    },

    /** Every trigger, in pages by id; for export and for re-alignment after a clock jump. */
    async *all(): AsyncGenerator<TriggerTaskRow[]> {
      let after = '00000000-0000-0000-0000-000000000000';
      for (;;) {
        const page = sql`${rowsWhere(sql`id > ${after}::uuid`)} order by id limit 200`;
        const rows = (await inOrder<StoredRow>(page)).map(rowFrom);
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

/** Something a person should know about: it failed last time, or it was stopped by us. */
const TROUBLED = sql.raw(`tags @> array['${INVALID_TAG}']::text[]
  or coalesce(metadata->'trigger'->>'lastStatus', '') = 'failed'
  or coalesce(metadata->'trigger'->>'pausedReason', '${PAUSED_ON_REQUEST}') <> '${PAUSED_ON_REQUEST}'`);

function textArray(tags: string[]): SQL {
  if (tags.length === 0) return sql`array[]::text[]`;
  return sql`array[${sql.join(
    tags.map((tag) => sql`${tag}`),
    sql`, `,
  )}]::text[]`;
}

function filterSql(filter: ListFilter): SQL {
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
  switch (filter.state) {
    case 'active':
      parts.push(sql`not ${INVALID} and ${ENABLED} and not ${RESTS}`);
      break;
    case 'resting':
      parts.push(RESTING_UNINDEXED);
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

/** The reasons for which a trigger may be seen; one is enough. Each has its own index. */
function visibleSql(visible: Visibility): SQL[] {
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
