/**
 * Trigger tasks in Eliza's `tasks` table. Core's `updateTask` replaces whole objects, succeeds on
 * unknown ids and retries permanent errors for seconds, so every write here is one SQL statement
 * that changes only what it means to change (DESIGN §3).
 */
import { sql } from 'drizzle-orm';
import type { Records } from '../../records/index.js';
import { yieldToLoop } from '../../shared/yield.js';
import type { TriggerTaskRow } from '../task-codec.js';
import { textArray } from './conditions.js';
import { createTaskCounts } from './counts.js';
import { createDueTasks } from './due.js';
import { createTaskLists } from './lists.js';
import { createTaskTable, rowFrom, type StoredRow } from './table.js';
import { createTaskWrites } from './writes.js';

export type TaskStore = ReturnType<typeof createTaskStore>;

export function createTaskStore(records: Records) {
  const table = createTaskTable(records);
  const { read, rowsWhere, inOrder } = table;
  return {
    ...createDueTasks(table),
    ...createTaskLists(table),
    ...createTaskCounts(table),
    ...createTaskWrites(table),

    /** One trigger, by its own id or by that of its task. */
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
