/**
 * A run as a row of `memories`: its type, its id, its indexes; how many runs there have been, and how long
 * they are kept.
 */
import { type SQL, sql } from 'drizzle-orm';
import {
  type Executor,
  type IndexSpec,
  type RecordCursor,
  type Records,
  rowsOf,
  sqlList,
} from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import { DAY_MS, HOUR_MS } from '../shared/clock.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import { type TriggerRun, triggerRunSchema } from './schema.js';

export const RUN_TYPE = 'cue_trigger_run';

export interface RunRow {
  run: TriggerRun;
  createdAtMs: number;
}

/** A `cue_trigger_run` to be: `text` is the line people read. */
export interface NewRun {
  run: TriggerRun;
  text: string;
}

/** The id of an occurrence: the same trigger and time give the same row, on every process. */
export function runIdOf(triggerId: string, scheduledForMs: number, salt = ''): Uuid {
  return derivedId('trigger-run', triggerId, scheduledForMs, salt);
}

/** Not ended: running, deferred, or waiting for its retry. */
export const OPEN = sql`metadata->>'open' = 'true'`;

/** A time as the column `created_at` is compared with. */
export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** A time in the row, or null: a damaged one must not break the query. */
export function numberIn(key: keyof TriggerRun & string): SQL {
  return sql.raw(
    `(case when jsonb_typeof(metadata->'${key}') = 'number' then (metadata->>'${key}')::numeric end)`,
  );
}

export type RunTable = ReturnType<typeof createRunTable>;

export function createRunTable(records: Records) {
  const parse = (data: Record<string, unknown>): TriggerRun | null => {
    const parsed = triggerRunSchema.safeParse(data);
    return parsed.success ? parsed.data : null;
  };

  const rowsIn = (rows: { data: Record<string, unknown>; createdAtMs: number }[]): RunRow[] =>
    rows.flatMap((row) => {
      const run = parse(row.data);
      return run ? [{ run, createdAtMs: row.createdAtMs }] : [];
    });

  return {
    records,
    db: records.db,
    /** The condition that a row of `memories` is a run of this agent. */
    mine: sql`type = 'cue_trigger_run' and agent_id = ${records.home.agentId}`,
    /** `null`: the row is damaged. */
    parse,
    /** Without those that are damaged. */
    rowsIn,

    /** Newest first. */
    async newestWhere(where: SQL, limit: number, after?: RecordCursor): Promise<RunRow[]> {
      return rowsIn(await records.list(RUN_TYPE, { where, limit, ...(after ? { after } : {}) }));
    },

    async oldestWhere(where: SQL, limit: number): Promise<RunRow[]> {
      return rowsIn(await records.list(RUN_TYPE, { where, limit, oldestFirst: true }));
    },

    /** Changes the row while `condition` holds of it; what it is then, or `null`: unchanged. */
    async changeIf(
      triggerRunId: string,
      condition: SQL,
      patch: Record<string, unknown>,
      text?: string,
    ): Promise<TriggerRun | null> {
      const data = await records.compareAndSet(
        RUN_TYPE,
        triggerRunId as Uuid,
        condition,
        patch,
        text === undefined ? {} : { text },
      );
      return data ? parse(data) : null;
    },
  };
}

/** Which of them begin with `agent_id`: see TASK_INDEXES. */
export const LEDGER_INDEXES: IndexSpec[] = [
  {
    name: 'cue_runs_by_trigger',
    statement: sql`create index if not exists cue_runs_by_trigger on memories
      ((metadata->>'triggerId'), created_at desc, id desc) where type = 'cue_trigger_run'`,
  },
  {
    name: 'cue_runs_open',
    statement: sql`create index if not exists cue_runs_open on memories
      (agent_id, created_at, id) where type = 'cue_trigger_run' and metadata->>'open' = 'true'`,
  },
  {
    name: 'cue_runs_by_time',
    statement: sql`create index if not exists cue_runs_by_time on memories
      (created_at desc, id desc) where type = 'cue_trigger_run'`,
  },
  {
    name: 'cue_run_attempts_by_minute',
    statement: sql`create index if not exists cue_run_attempts_by_minute on memories
      (agent_id, created_at) where type = 'cue_run_attempts'`,
  },
  {
    name: 'cue_runs_undelivered',
    statement: sql`create index if not exists cue_runs_undelivered on memories
      (agent_id, created_at) where type = 'cue_trigger_run'
      and metadata->'delivery'->>'state' in ('pending', 'delivering', 'unknown')`,
  },
];

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

/** The ledger's part of the health of the triggers. */
export interface LedgerHealth {
  running: number;
  /** Runs that wait for their turn: one at a time per conversation. */
  queued: number;
  /** Failed runs that wait for their next attempt. */
  retrying: number;
  deferred: number;
  deferredBy: Record<string, number>;
  undelivered: number;
  deliveryUnknown: number;
  failuresLastHour: number;
  lastError: { triggerId: string; error: string; atMs: number } | null;
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
    async health(nowMs: number): Promise<LedgerHealth> {
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
      const endedAt = (run: TriggerRun) => run.finishedAt ?? run.startedAt;
      const last = failed[0]?.run;
      return {
        running: sum('running'),
        queued: sum('queued'),
        retrying: sum('failed'),
        deferred: sum('deferred'),
        deferredBy: Object.fromEntries(
          open
            .filter((row) => row.status === 'deferred')
            .map((row) => [row.waits ?? 'unknown', Number(row.n)]),
        ),
        undelivered: state('pending') + state('delivering'),
        deliveryUnknown: state('unknown'),
        failuresLastHour: failed.filter(({ run }) => endedAt(run) >= nowMs - HOUR_MS).length,
        lastError: last
          ? { triggerId: last.triggerId, error: last.error ?? 'failed', atMs: endedAt(last) }
          : null,
      };
    },
  };
}

/** One row per trigger that ever lost runs to pruning: how many ended runs are no longer rows. */
export const COUNTER_TYPE = 'cue_trigger_counter';

const KEEP_RUNS = 100;
const KEEP_MS = 30 * DAY_MS;
const KEEP_FAILED_MS = 90 * DAY_MS;

export function counterId(triggerId: string): Uuid {
  return derivedId('trigger-counter', triggerId);
}

export function createRetention(table: RunTable) {
  const { records, db, mine } = table;

  /**
   * Removes old rows of one trigger: beyond its last 100 or older than 30 days; failed ones
   * beyond its last 100 failures or older than 90 days. What is removed is added to the counter
   * in the same transaction. Open rows and undelivered answers stay.
   */
  async function prune(triggerId: string, nowMs: number): Promise<number> {
    const removable = await rowsOf<{ id: string; ended: boolean }>(
      db,
      sql`select id, status in ('success', 'failed') as ended from (
          select id, created_at, metadata->>'status' as status, metadata->>'open' as open,
            coalesce(metadata->'delivery'->>'state', 'none') as delivery,
            row_number() over (order by created_at desc, id desc) as place,
            row_number() over (partition by metadata->>'status' = 'failed'
              order by created_at desc, id desc) as place_in_kind
          from memories where ${mine} and metadata->>'triggerId' = ${triggerId}
        ) kept
        where open = 'false' and delivery not in ('pending', 'delivering', 'unknown')
          and case when status = 'failed'
            then place_in_kind > ${KEEP_RUNS} or created_at < ${isoOf(nowMs - KEEP_FAILED_MS)}::timestamp
            else place > ${KEEP_RUNS} or created_at < ${isoOf(nowMs - KEEP_MS)}::timestamp end
        limit 500`,
    );
    if (removable.length === 0) return 0;
    const ended = removable.filter((row) => row.ended).map((row) => row.id as Uuid);
    const other = removable.filter((row) => !row.ended).map((row) => row.id as Uuid);
    await records.transaction(async (tx) => {
      const gone = await records.delete(RUN_TYPE, ended, tx);
      await records.delete(RUN_TYPE, other, tx);
      await records.insertOnce(
        COUNTER_TYPE,
        [
          {
            id: counterId(triggerId),
            text: `runs of trigger ${triggerId} no longer kept one by one`,
            createdAtMs: nowMs,
            data: { version: 1, triggerId, pruned: 0 },
          },
        ],
        tx,
      );
      await tx.execute(sql`update memories set metadata = jsonb_set(metadata, '{pruned}',
        to_jsonb((metadata->>'pruned')::int + ${gone}))
        where id = ${counterId(triggerId)} and type = ${COUNTER_TYPE}`);
    });
    return removable.length;
  }

  return {
    prune,

    /** Counts that triggers bring along from elsewhere, beside what will be counted here. */
    async bringCounts(
      counts: { triggerId: string; runs: number }[],
      nowMs: number,
      executor: Executor,
    ): Promise<void> {
      await records.insertOnce(
        COUNTER_TYPE,
        counts.map(({ triggerId, runs }) => ({
          id: counterId(triggerId),
          text: `runs of trigger ${triggerId} made before it was imported`,
          createdAtMs: nowMs,
          data: { version: 1, triggerId, pruned: runs },
        })),
        executor,
      );
    },

    /** Prunes after a run when the trigger has clearly more rows than are kept. */
    async pruneIfCrowded(triggerId: string, nowMs: number): Promise<number> {
      const rows = await records.count(RUN_TYPE, sql`metadata->>'triggerId' = ${triggerId}`);
      return rows > KEEP_RUNS + 10 ? await prune(triggerId, nowMs) : 0;
    },

    /** One pass of retention by age, over the triggers of the oldest rows. */
    async pruneOld(nowMs: number): Promise<number> {
      const rows = await rowsOf<{ trigger_id: string }>(
        db,
        sql`select distinct trigger_id from (
            select metadata->>'triggerId' as trigger_id from memories
            where ${mine} and created_at < ${isoOf(nowMs - KEEP_MS)}::timestamp
              and metadata->>'open' = 'false'
              and (metadata->>'status' <> 'failed'
                or created_at < ${isoOf(nowMs - KEEP_FAILED_MS)}::timestamp)
            order by created_at limit 200) old`,
      );
      let removed = 0;
      for (const row of rows) {
        removed += await prune(row.trigger_id, nowMs);
        await yieldToLoop();
      }
      return removed;
    },
  };
}
