/**
 * Trigger tasks in Eliza's `tasks` table. Core's `updateTask` replaces whole objects, succeeds on
 * unknown ids and retries permanent errors for seconds, so every write here is one SQL statement
 * that changes only what it means to change (DESIGN §3).
 */
import { sql } from 'drizzle-orm';
import { type Records, sqlList } from '../../records/index.js';
import { yieldToLoop } from '../../shared/yield.js';
import { isWellFormed } from '../schema.js';
import type { TriggerTaskRow } from '../task-codec.js';
import { textArray } from './conditions.js';
import { createTaskCounts } from './counts.js';
import { createDueTasks } from './due.js';
import { createTaskLists } from './lists.js';
import { COLUMNS, createTaskTable, rowFrom, type StoredRow } from './table.js';
import { createTaskWrites } from './writes.js';

/** Before every id. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

export type TaskStore = ReturnType<typeof createTaskStore>;

/** Triggers whose name or instructions hold what a trigger is called. */
const SEARCHED = 200;

function foldedName(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

export function createTaskStore(records: Records) {
  const table = createTaskTable(records);
  const { read, rowsWhere, inOrder } = table;
  const lists = createTaskLists(table);
  return {
    ...createDueTasks(table),
    ...lists,
    ...createTaskCounts(table),
    ...createTaskWrites(table),

    /** One trigger, by its own id or by that of its task. */
    async byId(triggerOrTaskId: string): Promise<TriggerTaskRow | null> {
      // Behind OFFSET 0 the planner finds the row by its primary key: with the conditions of a trigger in one
      // place it may walk the whole of a partial index that has the id at its end.
      const own = sql`select ${COLUMNS} from
        (select * from tasks where id = ${triggerOrTaskId}::uuid offset 0) tasks where ${table.mine}`;
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
      const { rows } = await lists.list({ text: name.trim() }, { limit: SEARCHED });
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

    /** What a person has made whose clock times are in the zone of the machine, for want of a better. */
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
  };
}
