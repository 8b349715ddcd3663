/**
 * The run ledger: the truth about what ran. An occurrence is claimed by inserting its row; who
 * inserted it runs it. The row carries the lease (DESIGN §4). Every change is a compare-and-set on
 * the lease, so a holder that lost it can change nothing.
 */
import { sql } from 'drizzle-orm';
import {
  type Executor,
  field,
  type IndexSpec,
  type RecordCursor,
  type Records,
  rowsOf,
} from '../records/index.js';
import { DAY_MS } from '../shared/clock.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import { yieldToLoop } from '../shared/yield.js';
import { type TriggerRun, triggerRunSchema } from './schema.js';

export const RUN_TYPE = 'cue_trigger_run';
/** One row per trigger that ever lost runs to pruning: how many ended runs are no longer rows. */
export const COUNTER_TYPE = 'cue_trigger_counter';

/** A lease is renewed three times before it would run out. */
export const LEASE_MS = 30_000;
/** Leases renewed in one statement. */
const RENEW_BATCH = 200;

/** Retention: what is kept per trigger (DESIGN §4, issue: 100 runs or 30 days, failed longest). */
export const KEEP_RUNS = 100;
export const KEEP_MS = 30 * DAY_MS;
export const KEEP_FAILED_MS = 90 * DAY_MS;

export interface RunRow {
  run: TriggerRun;
  createdAtMs: number;
}

/** A `cue_trigger_run` to be: `text` is the line people read. */
export interface NewRun {
  run: TriggerRun;
  text: string;
}

export type Ledger = ReturnType<typeof createLedger>;

/** The id of an occurrence: the same trigger and time give the same row, on every process. */
export function runIdOf(triggerId: string, scheduledForMs: number, salt = ''): Uuid {
  return derivedId('trigger-run', triggerId, scheduledForMs, salt);
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
    name: 'cue_runs_undelivered',
    statement: sql`create index if not exists cue_runs_undelivered on memories
      (agent_id, created_at) where type = 'cue_trigger_run'
      and metadata->'delivery'->>'state' in ('pending', 'delivering', 'unknown')`,
  },
];

const OPEN = sql`metadata->>'open' = 'true'`;

export function createLedger(records: Records, leaseMs: number = LEASE_MS) {
  const { db } = records;
  const agentId = records.home.agentId;
  const mine = sql`type = 'cue_trigger_run' and agent_id = ${agentId}`;

  const parse = (data: Record<string, unknown>): TriggerRun | null => {
    const parsed = triggerRunSchema.safeParse(data);
    return parsed.success ? parsed.data : null;
  };
  const runRowOf = (row: { data: Record<string, unknown>; createdAtMs: number }): RunRow[] => {
    const run = parse(row.data);
    return run ? [{ run, createdAtMs: row.createdAtMs }] : [];
  };
  const runsWhere = async (
    where: ReturnType<typeof sql>,
    limit: number,
    after?: RecordCursor,
    oldestFirst = false,
  ): Promise<RunRow[]> => {
    const rows = await records.list(RUN_TYPE, {
      where,
      limit,
      oldestFirst,
      ...(after ? { after } : {}),
    });
    return rows.flatMap(runRowOf);
  };
  const heldBy = (token: string) =>
    sql`${field('leaseToken')} = ${token} and ${field('status')} = 'running'`;

  return {
    leaseMs,

    /** Claims occurrences: inserts the rows that are new, returns the ids that are now ours. */
    claim(runs: NewRun[]): Promise<Set<Uuid>> {
      return records.insertOnce(
        RUN_TYPE,
        runs.map(({ run, text }) => ({
          id: run.triggerRunId as Uuid,
          text,
          createdAtMs: run.startedAt,
          data: run,
        })),
      );
    },

    async get(triggerRunId: string): Promise<TriggerRun | null> {
      const [row] = await records.get(RUN_TYPE, [triggerRunId as Uuid]);
      return row ? parse(row.data) : null;
    },

    async getMany(ids: string[]): Promise<TriggerRun[]> {
      const rows = await records.get(RUN_TYPE, ids as Uuid[]);
      return rows.flatMap((row) => parse(row.data) ?? []);
    },

    /** Changes a running row if the lease is still ours. `null`: it is not, stop at once. */
    async change(
      triggerRunId: string,
      leaseToken: string,
      patch: Record<string, unknown>,
      text?: string,
    ): Promise<TriggerRun | null> {
      const data = await records.compareAndSet(
        RUN_TYPE,
        triggerRunId as Uuid,
        heldBy(leaseToken),
        patch,
        text === undefined ? {} : { text },
      );
      return data ? parse(data) : null;
    },

    /** Changes fields that belong to no attempt (delivery, late answer). */
    async annotate(triggerRunId: string, patch: Record<string, unknown>): Promise<void> {
      await records.compareAndSet(RUN_TYPE, triggerRunId as Uuid, sql`true`, patch);
    },

    /**
     * Takes the delivery of an ended run from the state it was seen in; `null` when another process
     * was faster. The ticket fences what follows, as the lease does while a run is under way.
     */
    async takeDelivery(
      seen: TriggerRun,
      ticket: string,
      nextAttemptAtMs: number,
    ): Promise<TriggerRun | null> {
      const before = seen.delivery;
      if (!before) return null;
      const data = await records.compareAndSet(
        RUN_TYPE,
        seen.triggerRunId as Uuid,
        sql`metadata->>'open' = 'false'
          and metadata->'delivery'->>'state' = ${before.state}
          and coalesce((metadata->'delivery'->>'attempts')::int, 0) = ${before.attempts ?? 0}
          and metadata->'delivery'->>'ticket' is not distinct from ${before.ticket ?? null}`,
        { delivery: { ...before, ticket, nextAttemptAtMs } },
      );
      return data ? parse(data) : null;
    },

    /** Writes the delivery of an ended run while it is ours. `false`: another process has taken it. */
    async changeDelivery(
      triggerRunId: string,
      ticket: string,
      delivery: Record<string, unknown>,
    ): Promise<boolean> {
      const data = await records.compareAndSet(
        RUN_TYPE,
        triggerRunId as Uuid,
        sql`metadata->'delivery'->>'ticket' = ${ticket}`,
        { delivery },
      );
      return data !== null;
    },

    /** Pushes the leases of the runs under way here; one that broke off is left to run out. */
    async renew(owner: string, triggerRunIds: string[], nowMs: number): Promise<void> {
      const until = JSON.stringify({ leaseUntilMs: nowMs + leaseMs });
      for (let start = 0; start < triggerRunIds.length; start += RENEW_BATCH) {
        const ids = triggerRunIds.slice(start, start + RENEW_BATCH);
        await db.execute(sql`update memories set metadata = metadata || ${until}::jsonb
          where ${mine} and id in (${sql.join(
            ids.map((id) => sql`${id}`),
            sql`, `,
          )})
            and metadata->>'status' = 'running' and metadata->>'leaseOwner' = ${owner}`);
        await yieldToLoop();
      }
    },

    /** Running rows whose lease has run out (or of any other owner, when `allOthers`). */
    abandoned(nowMs: number, owner: string, allOthers: boolean): Promise<RunRow[]> {
      const dead = allOthers
        ? sql`metadata->>'leaseOwner' is distinct from ${owner}`
        : sql`coalesce((metadata->>'leaseUntilMs')::numeric, 0) < ${nowMs}`;
      return runsWhere(
        sql`${OPEN} and metadata->>'status' = 'running' and ${dead}`,
        500,
        undefined,
        true,
      );
    },

    /** Takes a row from the state it was seen in; `null` when another process was faster. */
    async take(
      seen: TriggerRun,
      lease: { owner: string; token: string; nowMs: number },
      patch: Record<string, unknown> = {},
    ): Promise<TriggerRun | null> {
      const data = await records.compareAndSet(
        RUN_TYPE,
        seen.triggerRunId as Uuid,
        sql`${OPEN} and metadata->>'status' = ${seen.status}
          and metadata->>'attempt' = ${String(seen.attempt)}
          and metadata->>'leaseToken' is not distinct from ${seen.leaseToken ?? null}`,
        {
          status: 'running',
          leaseOwner: lease.owner,
          leaseToken: lease.token,
          leaseUntilMs: lease.nowMs + leaseMs,
          retryAtMs: null,
          waitsFor: null,
          ...patch,
        },
      );
      return data ? parse(data) : null;
    },

    /** Ends an open row that is not running (deferred, waiting for its retry). */
    async endIfOpen(triggerRunId: string, patch: Record<string, unknown>): Promise<boolean> {
      const data = await records.compareAndSet(
        RUN_TYPE,
        triggerRunId as Uuid,
        sql`${OPEN} and metadata->>'status' <> 'running'`,
        patch,
      );
      return data !== null;
    },

    /** Failed runs whose retry is due, oldest first. */
    retriesDue(nowMs: number, limit = 200): Promise<RunRow[]> {
      return runsWhere(
        sql`${OPEN} and metadata->>'status' = 'failed'
          and (metadata->>'retryAtMs')::numeric <= ${nowMs}`,
        limit,
        undefined,
        true,
      );
    },

    /** Deferred runs, oldest first. */
    deferred(waitsFor: 'autonomy' | 'cycle' | 'budget', limit = 200): Promise<RunRow[]> {
      return runsWhere(
        sql`${OPEN} and metadata->>'status' = 'deferred' and metadata->>'waitsFor' = ${waitsFor}`,
        limit,
        undefined,
        true,
      );
    },

    /**
     * Answers that are not yet where they belong and whose next attempt is due; with `heldToo` also
     * those of which nobody knows whether they have arrived.
     */
    deliveriesDue(nowMs: number, heldToo: boolean, limit = 100): Promise<RunRow[]> {
      const states = heldToo ? ['pending', 'delivering', 'unknown'] : ['pending', 'delivering'];
      return runsWhere(
        sql`metadata->>'open' = 'false'
          and metadata->'delivery'->>'state' in (${sql.join(
            states.map((state) => sql`${state}`),
            sql`, `,
          )})
          and coalesce((metadata->'delivery'->>'nextAttemptAtMs')::numeric, 0) <= ${nowMs}`,
        limit,
        undefined,
        true,
      );
    },

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

    /** The newest runs that have ended success or failed, whatever their trigger. */
    async newestEnded(limit: number): Promise<RunRow[]> {
      const rows = await records.list(RUN_TYPE, {
        where: sql`metadata->>'open' = 'false' and metadata->>'status' in ('success', 'failed')`,
        limit,
        walk: true,
      });
      return rows.flatMap(runRowOf);
    },

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

    openRunsOf(triggerId: string): Promise<RunRow[]> {
      return runsWhere(sql`${OPEN} and metadata->>'triggerId' = ${triggerId}`, 1_000);
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
      const list = (ids: string[]) =>
        sql.join(
          ids.map((id) => sql`${id}`),
          sql`, `,
        );
      const rows = await rowsOf<{ id: string; n: string | number }>(
        db,
        sql`select metadata->>'triggerId' as id, count(*) as n from memories
          where ${mine} and metadata->>'triggerId' in (${list(triggerIds)})
            and metadata->>'open' = 'false' and metadata->>'status' in ('success', 'failed')
          group by 1
          union all
          select metadata->>'triggerId', (metadata->>'pruned')::int from memories
          where type = ${COUNTER_TYPE} and id in (${list(triggerIds.map(counterId))})`,
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

    /** Newest first; `total` is the number of rows kept, not of runs ever made. */
    async list(
      triggerId: string,
      options: { limit: number; after?: RecordCursor },
    ): Promise<{ rows: RunRow[]; total: number }> {
      const where = sql`metadata->>'triggerId' = ${triggerId}`;
      const rows = await runsWhere(where, options.limit, options.after);
      return { rows, total: await records.count(RUN_TYPE, where) };
    },

    /** The newest runs of a person or of a room, of whatever trigger. */
    recent(of: { creatorEntityId: string; homeRoomId?: string }, limit: number): Promise<RunRow[]> {
      const own = sql`metadata->>'creatorEntityId' = ${of.creatorEntityId}`;
      return runsWhere(
        of.homeRoomId === undefined
          ? own
          : sql`(${own} or metadata->>'homeRoomId' = ${of.homeRoomId})`,
        limit,
      );
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
      const failed = await runsWhere(
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
          ({ run }) => (run.finishedAt ?? run.startedAt) >= nowMs - 3_600_000,
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

    /**
     * Removes old rows of one trigger: beyond its last 100 or older than 30 days; failed ones
     * beyond its last 100 failures or older than 90 days. What is removed is added to the counter
     * in the same transaction. Open rows and undelivered answers stay.
     */
    async prune(triggerId: string, nowMs: number): Promise<number> {
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
    },

    /** Prunes after a run when the trigger has clearly more rows than are kept. */
    async pruneIfCrowded(triggerId: string, nowMs: number): Promise<number> {
      const rows = await records.count(RUN_TYPE, sql`metadata->>'triggerId' = ${triggerId}`);
      return rows > KEEP_RUNS + 10 ? this.prune(triggerId, nowMs) : 0;
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
        removed += await this.prune(row.trigger_id, nowMs);
        await yieldToLoop();
      }
      return removed;
    },
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

function counterId(triggerId: string): Uuid {
  return derivedId('trigger-counter', triggerId);
}
