/** Which triggers the dispatcher must look at: due, coming due, lost, set aside. */
import { sql } from 'drizzle-orm';
import { rowsOf, sqlList } from '../../records/index.js';
import { RESTING_TAG, type TriggerTaskRow } from '../task-codec.js';
import { COLD, ENABLED, HOT, INVALID, NEXT_RUN, RESTING } from './conditions.js';
import type { TaskTable } from './table.js';

/** Due triggers claimed in one pass. */
export const DUE_BATCH = 500;

export function createDueTasks(table: TaskTable) {
  const { db, mine } = table;
  return {
    /** Tasks whose time has come and those named, as they stand in the table now. */
    dueOrNamed(nowMs: number, ids: string[]): Promise<TriggerTaskRow[]> {
      const named = ids.length === 0 ? sql`false` : sql`id in (${sqlList(ids)})`;
      return table.select(
        sql`${HOT} and tags @> array['trigger']::text[]
          and (${NEXT_RUN} <= ${nowMs} or ${named})`,
        sql`order by ${NEXT_RUN}, id limit ${DUE_BATCH}`,
      );
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

    /** Enabled triggers that nothing would ever come back to: no time left in line. */
    unplaced(limit = 50): Promise<TriggerTaskRow[]> {
      const lost = sql`${NEXT_RUN} is null and not ${INVALID} and ${ENABLED}`;
      return table.read(sql`${table.rowsWhere(sql`${RESTING} and ${lost}`)} and not ${HOT} union all
        ${table.rowsWhere(sql`${COLD} and ${lost}`)} order by id limit ${limit}`);
    },

    /**
     * Enabled triggers that are out of the queue with a time in line: claimed, and then the host
     * wrote the old time back. `ids` narrows it to those the host has just called.
     */
    strays(limit: number, ids?: string[]): Promise<TriggerTaskRow[]> {
      if (ids?.length === 0) return Promise.resolve([]);
      const named = ids ? sql`id in (${sqlList(ids)})` : sql`true`;
      return table.select(
        sql`${COLD} and ${named} and ${NEXT_RUN} is not null and not ${INVALID} and ${ENABLED}`,
        sql`order by id limit ${limit}`,
      );
    },

    /** Those that were set aside because they cannot be read. */
    invalid(limit = 20): Promise<TriggerTaskRow[]> {
      return table.select(sql`${COLD} and ${INVALID}`, sql`order by id limit ${limit}`);
    },
  };
}
