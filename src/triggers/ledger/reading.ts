/** Reading runs: by id, by trigger, by person. */
import { sql } from 'drizzle-orm';
import { type RecordCursor, rowsOf, sqlList } from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import type { TriggerRun } from '../schema.js';
import { numberIn, OPEN, RUN_TYPE, type RunRow, type RunTable, runIdOf } from './table.js';

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

    /**
     * For triggers whose occurrence `dueAtMs` has a row already: up to when all that have come due since
     * have one, or are counted in one. Rows of a clock that was set back since are left out.
     */
    async claimedUntil(
      due: { triggerId: string; dueAtMs: number }[],
      nowMs: number,
    ): Promise<Map<string, number>> {
      if (due.length === 0) return new Map();
      const list = (values: (string | number)[]) => sqlList(values.map(String));
      const rows = await rowsOf<{ id: string; until_ms: string | number | null }>(
        table.db,
        sql`select asked.id, (select max(least(greatest(${numberIn('scheduledForMs')},
              ${numberIn('missedUntilMs')}), ${nowMs}::numeric)) from memories
            where ${table.mine} and metadata->>'triggerId' = asked.id
              and metadata->>'cause' <> 'manual' and not metadata ? 'setBackByMs'
              and ${numberIn('scheduledForMs')} between asked.due_ms and ${nowMs}) as until_ms
          from unnest(array[${list(due.map((one) => one.triggerId))}]::text[],
            array[${list(due.map((one) => one.dueAtMs))}]::numeric[],
            array[${list(due.map((one) => runIdOf(one.triggerId, one.dueAtMs)))}]::uuid[])
            as asked(id, due_ms, run_id)
          where exists (select 1 from memories where id = asked.run_id and ${table.mine})`,
      );
      return new Map(
        rows.flatMap((row) => (row.until_ms === null ? [] : [[row.id, Number(row.until_ms)]])),
      );
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
