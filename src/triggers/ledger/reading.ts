/** Reading runs: by id, by trigger, by person. */
import { sql } from 'drizzle-orm';
import type { RecordCursor } from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import type { TriggerRun } from '../schema.js';
import { OPEN, RUN_TYPE, type RunRow, type RunTable } from './table.js';

export function createRunReading(table: RunTable) {
  const { records } = table;
  return {
    /** `null`: there is none, or it is damaged. */
    async get(triggerRunId: string): Promise<TriggerRun | null> {
      const [row] = await records.get(RUN_TYPE, [triggerRunId as Uuid]);
      return row ? table.parse(row.data) : null;
    },

    /** Those of them that there are. */
    async getMany(ids: string[]): Promise<TriggerRun[]> {
      const rows = await records.get(RUN_TYPE, ids as Uuid[]);
      return rows.flatMap((row) => table.parse(row.data) ?? []);
    },

    /** Newest first; `total` is the number of rows kept, not of runs ever made. */
    async list(
      triggerId: string,
      options: { limit: number; after?: RecordCursor },
    ): Promise<{ rows: RunRow[]; total: number }> {
      const where = sql`metadata->>'triggerId' = ${triggerId}`;
      const rows = await table.newestWhere(where, options.limit, options.after);
      return { rows, total: await records.count(RUN_TYPE, where) };
    },

    /** The newest runs of a person or of a room, of whatever trigger. */
    recent(of: { creatorEntityId: string; homeRoomId?: string }, limit: number): Promise<RunRow[]> {
      const own = sql`metadata->>'creatorEntityId' = ${of.creatorEntityId}`;
      return table.newestWhere(
        of.homeRoomId === undefined
          ? own
          : sql`(${own} or metadata->>'homeRoomId' = ${of.homeRoomId})`,
        limit,
      );
    },

    /** The occurrences of a trigger that have not ended. */
    openRunsOf(triggerId: string): Promise<RunRow[]> {
      return table.newestWhere(sql`${OPEN} and metadata->>'triggerId' = ${triggerId}`, 1_000);
    },

    /** The newest runs that have ended success or failed, whatever their trigger. */
    async newestEnded(limit: number): Promise<RunRow[]> {
      const rows = await records.list(RUN_TYPE, {
        where: sql`metadata->>'open' = 'false' and metadata->>'status' in ('success', 'failed')`,
        limit,
        walk: true,
      });
      return table.rowsIn(rows);
    },
  };
}
