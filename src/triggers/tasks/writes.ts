/**
 * Writes on tasks: one statement each that changes only what it means to change, where it matters by
 * compare-and-set on the revision.
 */
import { type SQL, sql } from 'drizzle-orm';
import {
  type Executor,
  pgliteDirectory,
  rowsOf,
  sqlList,
  tasksTable,
  withoutNul,
} from '../../records/index.js';
import { yieldToLoop } from '../../shared/yield.js';
import type { TriggerTask, TriggerTaskRow } from '../task-codec.js';
import { REVISION, textArray } from './conditions.js';
import { rowFrom, type StoredRow, type TaskTable } from './table.js';

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

/** The trigger as `write` leaves it. */
export function applied<Trigger extends Record<string, unknown>>(
  trigger: Trigger,
  write: Record<string, unknown>,
): Trigger {
  const after: Record<string, unknown> = { ...trigger };
  for (const [key, value] of Object.entries(write)) {
    if (value === null && key !== 'nextRunAtMs') delete after[key];
    else if (value !== undefined) after[key] = value;
  }
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

export function createTaskWrites(table: TaskTable) {
  const { db, mine } = table;
  const { agentId, roomId, worldId } = table.home;

  return {
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

    /** The task as it is now, which nobody else changes before the transaction ends. */
    async lock(id: string, executor: Executor): Promise<TriggerTaskRow | null> {
      const statement = sql`${table.rowsWhere(sql`id = ${id}::uuid`)} for update`;
      const [row] = await rowsOf<StoredRow>(executor, statement);
      return row ? rowFrom(row) : null;
    },

    /** Applies the writes one statement after the other, with a turn of the event loop between. */
    async write(writes: TaskWrite[], executor: Executor = db): Promise<void> {
      for (const [index, write] of writes.entries()) {
        if (index > 0 && index % 10 === 0) await yieldToLoop();
        await executor.execute(sql`update tasks set ${changesOf(write)}
          where id = ${write.id} and agent_id = ${agentId}
          ${write.seenRevision === undefined ? sql`` : sql`and ${REVISION} = ${write.seenRevision}`}`);
      }
    },

    /** Merges fields into at most TASK_BATCH triggers, in one statement. */
    async merge(writes: { id: string; trigger: Record<string, unknown> }[]): Promise<void> {
      if (writes.length === 0) return;
      const ids = textArray(writes.map((one) => one.id));
      const fields = textArray(writes.map((one) => JSON.stringify(withoutNul(one.trigger))));
      await db.execute(sql`update tasks
        set metadata = jsonb_set(metadata, '{trigger}', metadata->'trigger' || given.fields::jsonb)
        from unnest(${ids}, ${fields}) as given(id, fields)
        where tasks.id = given.id::uuid and ${mine}`);
    },

    /**
     * One edit by compare-and-set on the revision. `false`: somebody else edited in between, or the
     * task is gone.
     */
    async edit(write: TaskWrite, seenRevision: number): Promise<boolean> {
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
      const rows = await rowsOf(
        db,
        sql`delete from tasks where ${mine} and id = ${id} and ${asSeen} returning id`,
      );
      return rows.length > 0;
    },

    /**
     * What autovacuum does on a server and nobody does on PGlite: dead rows of hot tasks would make
     * the host's tick slower day by day, and counts have to look up every row. 10 to 100 ms.
     */
    async tidy(): Promise<void> {
      if (pgliteDirectory(db) !== null) await db.execute(sql`vacuum tasks`);
    },
  };
}

/** What a write sets, column by column. */
function changesOf(write: TaskWrite): SQL {
  return sql`metadata = ${metadataOf(write)}
    ${write.tags ? sql`, tags = ${textArray(write.tags)}` : sql``}
    ${write.description === undefined ? sql`` : sql`, description = ${withoutNul(write.description)}`}`;
}

function metadataOf(write: TaskWrite): SQL {
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
}
