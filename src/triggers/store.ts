/**
 * Trigger tasks in Eliza's `tasks` table. Core's `updateTask` replaces whole objects, succeeds on
 * unknown ids and retries permanent errors for seconds, so every write here is one SQL statement
 * that changes only what it means to change (DESIGN §3).
 */
import { type SQL, sql } from 'drizzle-orm';
import {
  type Executor,
  pgliteDirectory,
  type Records,
  rowsOf,
  sqlList,
  tasksTable,
  withoutNul,
} from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import { isWellFormed, type TriggerConfig, type TriggerState } from './schema.js';
import { RESTING_TAG, type TriggerTask, type TriggerTaskRow } from './task-codec.js';
import {
  COLUMNS,
  CREATED,
  createTaskTable,
  ENABLED,
  filterSql,
  INVALID,
  type ListFilter,
  NEWEST_FIRST,
  NEXT_RUN,
  QUEUED,
  RESTING,
  REVISION,
  rowFrom,
  type StoredRow,
  type TaskTable,
  TROUBLED,
  textArray,
  UNQUEUED,
  type Visibility,
  visibleSql,
} from './task-table.js';

/** Before every id. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

export type TaskStore = ReturnType<typeof createTaskStore>;

/** Triggers whose name or instructions hold what a trigger is called. */
const SEARCHED = 200;

function foldedName(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

/** Rows per statement: a larger one would hold the event loop of a PGlite process too long. */
export const TASK_BATCH = 50;

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

/** The fields that a write sets, and those that it removes. */
function divided(write: Record<string, unknown>): {
  kept: Record<string, unknown>;
  removed: string[];
} {
  const isRemoved = ([key, value]: [string, unknown]) => value === null && key !== 'nextRunAtMs';
  const said = Object.entries(write).filter(([, value]) => value !== undefined);
  return {
    kept: Object.fromEntries(said.filter((entry) => !isRemoved(entry))),
    removed: said.filter(isRemoved).map(([key]) => key),
  };
}

/** The trigger as `write` leaves it. */
export function applied<Trigger extends Record<string, unknown>>(
  trigger: Trigger,
  write: Record<string, unknown>,
): Trigger {
  const { kept, removed } = divided(write);
  const after: Record<string, unknown> = { ...trigger, ...kept };
  for (const key of removed) delete after[key];
  return after as Trigger;
}

/** The row with its trigger as `write` leaves it. */
export function rowAfter(row: TriggerTaskRow, write: Record<string, unknown>): TriggerTaskRow {
  const before = row.metadata.trigger;
  const trigger = applied(
    typeof before === 'object' && before !== null ? { ...before } : {},
    write,
  );
  return { ...row, metadata: { ...row.metadata, trigger } };
}

/** What a write sets, column by column. */
function changesOf(write: TaskWrite): SQL {
  return sql`metadata = ${metadataOf(write)}
    ${write.tags ? sql`, tags = ${textArray(write.tags)}` : sql``}
    ${write.description === undefined ? sql`` : sql`, description = ${withoutNul(write.description)}`}`;
}

function metadataOf(write: TaskWrite): SQL {
  const { kept, removed } = divided(write.trigger ?? {});
  let trigger = sql`(metadata->'trigger' || ${JSON.stringify(withoutNul(kept))}::jsonb)`;
  for (const key of removed) trigger = sql`${trigger} - ${key}::text`;
  let metadata = sql`jsonb_set(metadata, '{trigger}', ${trigger})`;
  if (write.schedule) {
    metadata = sql`(${metadata} || ${JSON.stringify(write.schedule)}::jsonb) - 'createdAt'`;
  }
  return metadata;
}

/** Due triggers claimed in one pass. */
export const DUE_BATCH = 500;

/** Place in a list, newest first: the row it comes behind. */
export interface TaskCursor {
  createdAtMs: number;
  id: string;
}

/** Place in a list, soonest first. */
export interface SoonestCursor {
  /** Runs by itself; those that do not (disabled, set aside) come last. */
  runs: boolean;
  nextRunAtMs: number | null;
  id: string;
}

function beforeSql(cursor: TaskCursor): SQL {
  const at = new Date(cursor.createdAtMs).toISOString();
  return sql`(${CREATED}, id) < (${at}::timestamp, ${cursor.id}::uuid)`;
}

/** Rows a search for text reads in one statement: 10,000 at once would hold the loop for 60 ms. */
const SEARCH_WINDOW = 2_000;

/** Every text has to be read: window by window, with a turn of the event loop between. */
async function search(
  { mine, inOrder }: TaskTable,
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
            select id, tags, metadata, created_at from tasks
            where ${mine} and ${last ? beforeSql(last) : sql`true`}
            order by ${NEWEST_FIRST} limit ${SEARCH_WINDOW}) seen) placed
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

/** Triggers per state; `oldestDueLagMs`: how long the longest overdue one has waited. */
export type Census = Record<TriggerState | 'oldestDueLagMs', number>;

export function createTaskStore(records: Records) {
  const table = createTaskTable(records);
  const { db, mine, notResting, countOf, inOrder, read, rowsWhere } = table;
  const { agentId, roomId, worldId } = records.home;
  let changes = 0;

  /** Newest first; `after` is the last row of the page before. */
  async function list(
    filter: ListFilter,
    page: { limit: number; after?: TaskCursor },
  ): Promise<{ rows: TriggerTaskRow[]; total: number }> {
    const narrow = filter.visibleTo !== undefined || filter.creatorEntityId !== undefined;
    if (!narrow && filter.text) return await search(table, filter, page);
    const where = filterSql(filter);
    const before = page.after ? beforeSql(page.after) : sql`true`;
    const tail = sql`order by ${NEWEST_FIRST} limit ${page.limit}`;
    if (filter.state !== undefined && filter.state !== 'resting') {
      const found = sql`from (${notResting(sql`*`)}) tasks where ${where}`;
      return {
        rows: await read(sql`select ${COLUMNS} ${found} and ${before} ${tail}`),
        total: await countOf(sql`select count(*) as n ${found}`),
      };
    }
    const statement = sql`${rowsWhere(sql`${where} and ${before}`)} ${tail}`;
    const others = filter.state === undefined ? notResting(sql`id`) : sql`select 1 where false`;
    return {
      rows: narrow ? await read(statement) : (await inOrder<StoredRow>(statement)).map(rowFrom),
      total: await countOf(
        narrow
          ? sql`select count(*) as n from tasks where ${mine} and ${where}`
          : sql`select (select count(*) from tasks where ${mine} and ${RESTING})
              + (select count(*) from (${others}) others) as n`,
      ),
    };
  }

  return {
    list,

    /** Whether other processes write to the table, too. */
    isShared: pgliteDirectory(db) === null,

    /** How often something was written from here. */
    changes: () => changes,

    /** One trigger, by its own id or by that of its task. */
    async byId(triggerOrTaskId: string): Promise<TriggerTaskRow | null> {
      // Behind OFFSET 0 the planner finds the row by its primary key: with the conditions of a trigger in one
      // place it may walk the whole of a partial index that has the id at its end.
      const own = sql`select ${COLUMNS} from
        (select * from tasks where id = ${triggerOrTaskId}::uuid offset 0) tasks where ${mine}`;
      const rows = await read(sql`${own} union all
        ${rowsWhere(sql`metadata->'trigger'->>'triggerId' = ${triggerOrTaskId}`)} limit 1`);
      return rows[0] ?? null;
    },

    /** Those whose id begins with these hex digits; their hyphens stand where a UUID has them. */
    byIdPrefix: (prefix: string, limit: number): Promise<TriggerTaskRow[]> =>
      read(
        sql`${rowsWhere(sql`metadata->'trigger'->>'triggerId' >= ${prefix}
        and metadata->'trigger'->>'triggerId' < ${`${prefix}g`}`)} limit ${limit}`,
      ),

    /** Those of exactly this name, but for case and spaces; newest first. */
    async byName(name: string, limit: number): Promise<TriggerTaskRow[]> {
      const wanted = foldedName(name);
      // PostgreSQL takes neither NUL nor half a character.
      if (wanted === '' || wanted.includes('\0') || !isWellFormed(wanted)) return [];
      // Lists search by a part of the name, in windows that do not hold the event loop.
      const { rows } = await list({ text: name.trim() }, { limit: SEARCHED });
      const called = rows.filter(({ metadata }) => {
        const { displayName = '' } = Object(metadata.trigger);
        return foldedName(String(displayName)) === wanted;
      });
      return called.slice(0, limit);
    },

    /** Those of the tasks that there are. */
    async byTaskIds(ids: string[]): Promise<TriggerTaskRow[]> {
      return ids.length === 0 ? [] : await read(rowsWhere(sql`id in (${sqlList(ids)})`));
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

    /** The triggers of a person whose clock times were read in the zone of the machine, because no better one was known. */
    ofHostZone(creatorEntityId: string): Promise<TriggerTaskRow[]> {
      return read(
        rowsWhere(sql`metadata->'trigger'->>'creatorEntityId' = ${creatorEntityId}
        and metadata->'trigger'->>'timezoneSource' = 'host'`),
      );
    },

    /** Triggers whose dedupe key does not begin so, in pages by id. */
    async *ofOtherForm(form: string, limit: number): AsyncGenerator<TriggerTaskRow[]> {
      const other = sql`metadata->'trigger' ? 'dedupeKey'
        and not starts_with(metadata->'trigger'->>'dedupeKey', ${form})`;
      let after = NO_ID;
      for (;;) {
        const page = sql`${rowsWhere(sql`${other} and id > ${after}::uuid`)} order by id limit ${limit}`;
        const rows = await read(page);
        if (rows.length === 0) return;
        yield rows;
        after = rows.at(-1)?.id ?? after;
      }
    },

    /** Every trigger, in pages by id; for export and for re-alignment after a clock jump. */
    async *all(): AsyncGenerator<TriggerTaskRow[]> {
      let after = NO_ID;
      for (;;) {
        const page = sql`${rowsWhere(sql`id > ${after}::uuid`)} order by id limit 200`;
        const rows = (await inOrder<StoredRow>(page)).map(rowFrom);
        if (rows.length === 0) return;
        yield rows;
        after = rows.at(-1)?.id ?? after;
        await yieldToLoop();
      }
    },

    /** The oldest transaction that may still write: what it writes counts as later than now. */
    async oldestTransaction(): Promise<string> {
      const [row] = await rowsOf<{ id: string }>(
        db,
        sql`select pg_snapshot_xmin(pg_current_snapshot())::xid::text as id`,
      );
      return row?.id ?? '0';
    },

    /** Every task of a trigger, with its trigger's id and the transaction that wrote it last. */
    async writers(): Promise<Map<string, { id: string; writer: string }>> {
      const rows = await rowsOf<{ id: string; trigger_id: string | null; writer: string }>(
        db,
        sql`select id, metadata->'trigger'->>'triggerId' as trigger_id, xmin::text as writer
          from tasks where ${mine}`,
      );
      return new Map(
        rows.map((row) => [row.id, { id: row.trigger_id ?? row.id, writer: row.writer }]),
      );
    },

    /** Rows that this transaction or a later one wrote, and how many triggers there are. */
    async writtenSince(
      transaction: string,
    ): Promise<{ rows: { row: TriggerTaskRow; writer: string }[]; count: number }> {
      const later = sql`age(xmin) <= age(${transaction}::text::xid)`;
      const [numbers] = await rowsOf<{ all: string | number; later: string | number }>(
        db,
        sql`select count(*) as all, count(*) filter (where ${later}) as later
          from tasks where ${mine}`,
      );
      const count = Number(numbers?.all ?? 0);
      if (Number(numbers?.later ?? 0) === 0) return { rows: [], count };
      const rows = await rowsOf<StoredRow & { writer: string }>(
        db,
        sql`select ${COLUMNS}, xmin::text as writer from tasks where ${mine} and ${later}`,
      );
      return { rows: rows.map((row) => ({ row: rowFrom(row), writer: row.writer })), count };
    },

    /** Tasks whose time has come and those named, as they stand in the table now. */
    dueOrNamed(nowMs: number, ids: string[]): Promise<TriggerTaskRow[]> {
      const named = ids.length === 0 ? sql`false` : sql`id in (${sqlList(ids)})`;
      return table.select(
        sql`${QUEUED} and tags @> array['trigger']::text[]
          and (${NEXT_RUN} <= ${nowMs} or ${named})`,
        sql`order by ${NEXT_RUN}, id limit ${DUE_BATCH}`,
      );
    },

    /** When the next queued trigger is due after `nowMs`; `null`: none is. */
    async nextDue(nowMs: number): Promise<number | null> {
      const [row] = await rowsOf<{ due: string | number | null }>(
        db,
        sql`select min(${NEXT_RUN}) as due from tasks where ${mine} and ${QUEUED}
          and tags @> array['trigger']::text[] and ${NEXT_RUN} > ${nowMs}`,
      );
      return row?.due == null ? null : Number(row.due);
    },

    /** Gives `queue` back to resting triggers that come due before `beforeMs`, in one statement. */
    async promote(beforeMs: number, nowMs: number): Promise<number> {
      changes += 1;
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

    /** Enabled triggers without a next time: nothing else would look at them again. */
    unscheduledTasks(limit = 50): Promise<TriggerTaskRow[]> {
      const lost = sql`${NEXT_RUN} is null and not ${INVALID} and ${ENABLED}`;
      return read(sql`${rowsWhere(sql`${RESTING} and ${lost}`)} and not ${QUEUED} union all
        ${rowsWhere(sql`${UNQUEUED} and ${lost}`)} order by id limit ${limit}`);
    },

    /**
     * Enabled triggers that are out of the queue with a time in line: claimed, and then the host
     * wrote the old time back. `ids` narrows it to those the host has just called.
     */
    desyncedTasks(limit: number, ids?: string[]): Promise<TriggerTaskRow[]> {
      if (ids?.length === 0) return Promise.resolve([]);
      const named = ids ? sql`id in (${sqlList(ids)})` : sql`true`;
      return table.select(
        sql`${UNQUEUED} and ${named} and ${NEXT_RUN} is not null and not ${INVALID} and ${ENABLED}`,
        sql`order by id limit ${limit}`,
      );
    },

    /** Triggers set aside because they cannot be read. */
    invalid(limit = 20): Promise<TriggerTaskRow[]> {
      return table.select(sql`${UNQUEUED} and ${INVALID}`, sql`order by id limit ${limit}`);
    },

    /**
     * Soonest first, those that do not run by themselves last. Branch by branch, so that each is read in the
     * order of its index.
     */
    async soonest(
      filter: ListFilter,
      page: { limit: number; after?: SoonestCursor },
    ): Promise<{ rows: TriggerTaskRow[]; total: number }> {
      const where = filterSql(filter);
      const { after } = page;
      const branch = (which: SQL, runs: boolean, time: SQL): SQL => {
        const isPast = after?.runs === false && runs;
        const behind =
          after === undefined || (after.runs && !runs)
            ? sql`true`
            : sql`(${time}, id) > (${after.nextRunAtMs ?? 0}::numeric, ${after.id}::uuid)`;
        return sql`(select ${COLUMNS}, ${runs}::boolean as runs, ${time} as time from tasks
          where ${mine} and ${which} and ${where} and ${isPast ? sql`false` : behind}
          order by ${time}, id limit ${page.limit})`;
      };
      const waits = sql`(${QUEUED} and not ${INVALID})`;
      const branches = [
        branch(sql`${waits} and not ${RESTING}`, true, sql`coalesce(${NEXT_RUN}, 0)`),
        branch(RESTING, true, NEXT_RUN),
        branch(sql`not ${waits} and not ${RESTING}`, false, sql`0::numeric`),
      ];
      const found = await inOrder<StoredRow & { runs: boolean; time: string | null }>(
        sql`select * from (${sql.join(branches, sql` union all `)}) found
          order by runs desc, time, id limit ${page.limit}`,
      );
      const total = await countOf(sql`select count(*) as n from tasks where ${mine} and ${where}`);
      return { rows: found.map(rowFrom), total };
    },

    /**
     * The first `each` of two kinds, those in trouble and the others, soonest first. It stands in
     * every prompt, so it reads branch by branch: of an OR the planner of a PGlite, which has no
     * statistics, uses no index (10,000 triggers: 9 ms instead of 0.2).
     */
    async promptSummary(
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

    /** Enabled triggers: of the agent, or of the creator that one field of theirs names. */
    countEnabled(
      creator?: Pick<TriggerConfig, 'creatorEntityId' | 'creatorAgentId' | 'creatorIsGuest'>,
    ): Promise<number> {
      const [field, value] = Object.entries(creator ?? {})[0] ?? [];
      return countOf(
        field === undefined
          ? sql`select (select count(*) from tasks where ${mine} and ${RESTING})
              + (select count(*) from (${notResting(sql`metadata`)}) notResting where ${ENABLED}) as n`
          : sql`select count(*) as n from tasks where ${mine} and ${ENABLED}
              and metadata->'trigger'->>${sql.raw(`'${field}'`)} = ${String(value)}`,
      );
    },

    /** Triggers that another one has asked for. */
    countChildren(parentTriggerId: string): Promise<number> {
      return countOf(
        sql`select count(*) as n from tasks where ${mine}
          and metadata->'trigger'->>'parentTriggerId' = ${parentTriggerId}`,
      );
    },

    /** Rows per state and the time of the longest overdue one, for health. */
    async census(nowMs: number): Promise<Census> {
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
          from (${notResting(sql`tags, metadata`)}) notResting`,
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

    /** Inserts at most TASK_BATCH tasks whose id is new; returns the ids that were inserted. */
    async insert(tasks: TriggerTask[], executor: Executor = db): Promise<Set<string>> {
      if (tasks.length === 0) return new Set();
      changes += 1;
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

    /** The task as it is now, locked until the transaction ends. */
    async lock(id: string, executor: Executor): Promise<TriggerTaskRow | null> {
      const statement = sql`${rowsWhere(sql`id = ${id}::uuid`)} for update`;
      const [row] = await rowsOf<StoredRow>(executor, statement);
      return row ? rowFrom(row) : null;
    },

    /** Applies the writes one statement after the other, with a turn of the event loop between. */
    async write(writes: TaskWrite[], executor: Executor = db): Promise<void> {
      for (const [index, write] of writes.entries()) {
        if (index > 0 && index % 10 === 0) await yieldToLoop();
        changes += 1;
        await executor.execute(sql`update tasks set ${changesOf(write)}
          where id = ${write.id} and agent_id = ${agentId}
          ${write.seenRevision === undefined ? sql`` : sql`and ${REVISION} = ${write.seenRevision}`}`);
      }
    },

    /** Merges fields into at most TASK_BATCH triggers, in one statement. */
    async merge(writes: { id: string; trigger: Record<string, unknown> }[]): Promise<void> {
      if (writes.length === 0) return;
      changes += 1;
      const ids = textArray(writes.map((one) => one.id));
      const fields = textArray(writes.map((one) => JSON.stringify(withoutNul(one.trigger))));
      await db.execute(sql`update tasks
        set metadata = jsonb_set(metadata, '{trigger}', metadata->'trigger' || given.fields::jsonb)
        from unnest(${ids}, ${fields}) as given(id, fields)
        where tasks.id = given.id::uuid and ${mine}`);
    },

    /**
     * One edit by compare-and-set on the revision. `false`: another edit came in between, or the
     * task is gone.
     */
    async edit(write: TaskWrite, seenRevision: number): Promise<boolean> {
      changes += 1;
      const rows = await rowsOf(
        db,
        sql`update tasks set ${changesOf(write)}
          where id = ${write.id} and ${mine}
            and ${REVISION} = ${seenRevision}
          returning id`,
      );
      return rows.length > 0;
    },

    /** Replaces the tags only. */
    async retag(ids: string[], tags: { add: string[]; remove: string[] }): Promise<void> {
      if (ids.length === 0) return;
      changes += 1;
      const without = tags.remove.reduce(
        (value, tag) => sql`array_remove(${value}, ${tag})`,
        sql`tags`,
      );
      await db.execute(sql`update tasks set tags = ${without} || ${textArray(tags.add)}
        where agent_id = ${agentId} and id in (${sqlList(ids)})`);
    },

    /** Deletes it, with `seenRevision` only while it still has that. `false`: it stays, or was gone. */
    async remove(id: string, seenRevision?: number): Promise<boolean> {
      const asSeen = seenRevision === undefined ? sql`true` : sql`${REVISION} = ${seenRevision}`;
      changes += 1;
      const rows = await rowsOf(
        db,
        sql`delete from tasks where ${mine} and id = ${id} and ${asSeen} returning id`,
      );
      return rows.length > 0;
    },

    /**
     * Vacuums on PGlite, which has no autovacuum: dead rows of queued tasks would make
     * the host's tick slower day by day, and counts have to look up every row. 10 to 100 ms.
     */
    async tidy(): Promise<void> {
      if (pgliteDirectory(db) !== null) await db.execute(sql`vacuum tasks`);
    },
  };
}
