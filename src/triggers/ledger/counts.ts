/** How many runs: per trigger over its whole life, per state for health. */
import { sql } from 'drizzle-orm';
import { type Executor, rowsOf, sqlList } from '../../records/index.js';
import { DAY_MS, HOUR_MS } from '../../shared/clock.js';
import { COUNTER_TYPE, counterId } from './retention.js';
import { isoOf, numberIn, OPEN, type RunTable } from './table.js';

/** What the ledger knows of the runs of one trigger. */
export interface RunResults {
  /** Occurrences that ended success or failed, over the whole life of the trigger. */
  runCount: number;
  /** Occurrences that have failed in a row, up to now. */
  failureCount: number;
  /** The newest attempt that has ended, `null` when none is kept. */
  last: { startedAt: number; status: 'success' | 'failed'; error: string | null } | null;
  /** The latest start by the clock before it was set back, 0 when none is kept. */
  beforeSetBackMs: number;
}

type StoredResults = {
  id: string;
  ended: string | number;
  failures: string | number;
  pruned: string | number | null;
  last: RunResults['last'];
  before_set_back: string | number | null;
};

function resultsIn(row: StoredResults): RunResults {
  return {
    runCount: Number(row.ended) + Number(row.pruned ?? 0),
    failureCount: Number(row.failures),
    last: row.last?.startedAt === null ? null : row.last,
    beforeSetBackMs: Number(row.before_set_back ?? 0),
  };
}

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

    /**
     * What the runs of at most TASK_BATCH triggers have come to; the tasks hold a copy of it. Pruning
     * takes old rows away, so `failuresFromMs` says from when on failures count.
     */
    async resultsOf(
      asked: { triggerId: string; failuresFromMs: number }[],
      executor: Executor = db,
    ): Promise<Map<string, RunResults>> {
      if (asked.length === 0) return new Map();
      const ids = sqlList(asked.map((one) => one.triggerId));
      const froms = sqlList(asked.map((one) => String(one.failuresFromMs)));
      // One look-up each: for a list of ids the planner would rather read the whole table.
      const rows = await rowsOf<StoredResults>(
        executor,
        sql`select asked.id, found.*, (select (metadata->>'pruned')::int from memories
            where id = asked.counter::uuid and type = ${COUNTER_TYPE}) as pruned
          from unnest(array[${ids}]::text[], array[${froms}]::numeric[],
            array[${sqlList(asked.map((one) => counterId(one.triggerId)))}]::text[])
            as asked(id, from_ms, counter),
          lateral (select count(*) filter (where ended) as ended,
              count(*) filter (where ended and status = 'failed'
                and finished - set_back > greatest(asked.from_ms, succeeded)) as failures,
              max(started) filter (where set_back > 0) as before_set_back,
              (array_agg(jsonb_build_object('startedAt', started, 'status', status, 'error', error)
                order by started - set_back desc nulls last, finished desc))[1] as last
            from (select *, max(finished - set_back) filter (where ended and status = 'success') over ()
                as succeeded
              from (select metadata->>'status' as status, metadata->>'open' = 'false' as ended,
                  metadata->>'error' as error, ${numberIn('startedAt')} as started,
                  ${numberIn('finishedAt')} as finished,
                  coalesce(${numberIn('setBackByMs')}, 0) as set_back
                from memories where ${mine} and metadata->>'triggerId' = asked.id
                  and metadata->>'status' in ('success', 'failed')) attempts) runs) found`,
      );
      return new Map(rows.map((row) => [row.id, resultsIn(row)]));
    },

    /** Numbers for health, in one statement over the recent and the open rows. */
    async health(nowMs: number): Promise<{
      running: number;
      queued: number;
      retrying: number;
      deferred: Record<string, number>;
      undelivered: number;
      deliveryUnknown: number;
      failedLastHour: number;
      lastError: { triggerId: string; error: string; atMs: number } | null;
    }> {
      // Claimed and held, but no attempt has begun: it waits for its turn in its room.
      const open = await rowsOf<{ status: string; waits: string | null; n: string | number }>(
        db,
        sql`select case when metadata->>'status' = 'running' and metadata->>'begunAtMs' is null
            then 'queued' else metadata->>'status' end as status,
            metadata->>'waitsFor' as waits, count(*) as n
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
        queued: sum('queued'),
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
