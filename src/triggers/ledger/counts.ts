/** How many runs: per trigger over its whole life, per hour for the cost guard, per state for health. */
import { sql } from 'drizzle-orm';
import { rowsOf, sqlList } from '../../records/index.js';
import { DAY_MS, HOUR_MS } from '../../shared/clock.js';
import { COUNTER_TYPE, counterId } from './retention.js';
import { isoOf, OPEN, type RunTable } from './table.js';

export function createRunCounts(table: RunTable) {
  const { db, mine } = table;
  return {
    /** Open occurrences per trigger. */
    async openCounts(triggerIds: string[]): Promise<Map<string, number>> {
      if (triggerIds.length === 0) return new Map();
      const rows = await rowsOf<{ trigger_id: string; n: string | number }>(
        db,
        sql`select metadata->>'triggerId' as trigger_id, count(*) as n from memories
          where ${mine} and ${OPEN} group by 1`,
      );
      const asked = new Set(triggerIds);
      return new Map(
        rows
          .filter((row) => asked.has(row.trigger_id))
          .map((row) => [row.trigger_id, Number(row.n)]),
      );
    },

    /** Occurrences that ended success or failed, over the whole life of the trigger. */
    async endedCount(triggerId: string): Promise<number> {
      const rows = await rowsOf<{ n: string | number; pruned: string | number | null }>(
        db,
        sql`select count(*) as n,
            (select (metadata->>'pruned')::int from memories
              where id = ${counterId(triggerId)} and type = ${COUNTER_TYPE}) as pruned
          from memories where ${mine} and metadata->>'triggerId' = ${triggerId}
            and metadata->>'open' = 'false' and metadata->>'status' in ('success', 'failed')`,
      );
      return Number(rows[0]?.n ?? 0) + Number(rows[0]?.pruned ?? 0);
    },

    /** The same for at most TASK_BATCH triggers, in one statement. */
    async endedCounts(triggerIds: string[]): Promise<Map<string, number>> {
      if (triggerIds.length === 0) return new Map();
      const rows = await rowsOf<{ id: string; n: string | number }>(
        db,
        sql`select metadata->>'triggerId' as id, count(*) as n from memories
          where ${mine} and metadata->>'triggerId' in (${sqlList(triggerIds)})
            and metadata->>'open' = 'false' and metadata->>'status' in ('success', 'failed')
          group by 1
          union all
          select metadata->>'triggerId', (metadata->>'pruned')::int from memories
          where type = ${COUNTER_TYPE} and id in (${sqlList(triggerIds.map(counterId))})`,
      );
      const counts = new Map<string, number>();
      for (const { id, n } of rows) counts.set(id, (counts.get(id) ?? 0) + Number(n));
      return counts;
    },

    /** Runs that used the model since then, for the cost guard. */
    async startedSince(sinceMs: number): Promise<number> {
      const rows = await rowsOf<{ n: string | number }>(
        db,
        sql`select count(*) as n from memories where ${mine}
          and created_at >= ${isoOf(sinceMs)}::timestamp
          and metadata->>'status' in ('running', 'success', 'failed')`,
      );
      return Number(rows[0]?.n ?? 0);
    },

    /** Numbers for health, in one statement over the recent and the open rows. */
    async health(nowMs: number): Promise<{
      running: number;
      retrying: number;
      deferred: Record<string, number>;
      undelivered: number;
      deliveryUnknown: number;
      failedLastHour: number;
      lastError: { triggerId: string; error: string; atMs: number } | null;
    }> {
      const open = await rowsOf<{ status: string; waits: string | null; n: string | number }>(
        db,
        sql`select metadata->>'status' as status, metadata->>'waitsFor' as waits, count(*) as n
          from memories where ${mine} and ${OPEN} group by 1, 2`,
      );
      const delivery = await rowsOf<{ state: string; n: string | number }>(
        db,
        sql`select metadata->'delivery'->>'state' as state, count(*) as n from memories
          where ${mine} and metadata->'delivery'->>'state' in ('pending', 'delivering', 'unknown')
          group by 1`,
      );
      const failed = await table.newestWhere(
        sql`metadata->>'status' = 'failed'
          and created_at >= ${isoOf(nowMs - DAY_MS)}::timestamp`,
        500,
      );
      const sum = (status: string) =>
        open.filter((row) => row.status === status).reduce((n, row) => n + Number(row.n), 0);
      const state = (name: string) => Number(delivery.find((row) => row.state === name)?.n ?? 0);
      const last = failed[0]?.run;
      return {
        running: sum('running'),
        retrying: sum('failed'),
        deferred: Object.fromEntries(
          open
            .filter((row) => row.status === 'deferred')
            .map((row) => [row.waits ?? 'unknown', Number(row.n)]),
        ),
        undelivered: state('pending') + state('delivering'),
        deliveryUnknown: state('unknown'),
        failedLastHour: failed.filter(
          ({ run }) => (run.finishedAt ?? run.startedAt) >= nowMs - HOUR_MS,
        ).length,
        lastError: last
          ? {
              triggerId: last.triggerId,
              error: last.error ?? 'failed',
              atMs: last.finishedAt ?? last.startedAt,
            }
          : null,
      };
    },
  };
}
