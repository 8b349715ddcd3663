/**
 * The run ledger: the truth about what ran. An occurrence is claimed by inserting its row; who
 * inserted it runs it. The row carries the lease (DESIGN §4). Every change is a compare-and-set on
 * the lease, so a holder that lost it can change nothing.
 */
import { sql } from 'drizzle-orm';
import { field, type RecordCursor, type Records, rowsOf, sqlList } from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import type { Uuid } from '../shared/ids.js';
import {
  createRetention,
  createRunCounts,
  createRunTable,
  isoOf,
  type NewRun,
  numberIn,
  OPEN,
  RUN_TYPE,
  type RunRow,
  runIdOf,
} from './run-history.js';
import type { TriggerRun } from './schema.js';

/** A lease is renewed three times before it would run out. */
const LEASE_MS = 30_000;

export type Ledger = ReturnType<typeof createLedger>;

/** All of what is given must hold; times are of when the run was claimed. */
export interface RunFilter {
  triggerId?: string;
  status?: TriggerRun['status'];
  /** Inclusive. */
  sinceMs?: number;
  /** Exclusive. */
  beforeMs?: number;
}

/** Of each kind. */
const MOST_CHANGING = 500;

/** Leases renewed in one statement. */
const RENEW_BATCH = 200;

/** A send handler that takes longer than this counts as one that never came back. */
export const SENDING_MS = 60_000;
/** After the clock was set back nothing waits longer than this for its next attempt. */
const SOON_MS = 30_000;
/** Rows marked in one statement. */
const MARK_BATCH = 200;

const DELIVERY = sql`metadata->'delivery'->>'state'`;

/** @param leaseMs how long a lease holds */
export function createLedger(records: Records, leaseMs: number = LEASE_MS) {
  const table = createRunTable(records);
  const { db, mine } = table;
  const heldBy = (token: string) =>
    sql`${field('leaseToken')} = ${token} and ${field('status')} = 'running'`;

  const lease = (leaseOwner: string, leaseToken: string, nowMs: number) => ({
    leaseOwner,
    leaseToken,
    leaseUntilMs: nowMs + leaseMs,
  });

  return {
    ...createRunCounts(table),
    ...createRetention(table),
    leaseMs,
    lease,

    /** Claims occurrences: inserts the rows that are new, returns the ids that are now ours. */
    async claim(runs: NewRun[]): Promise<Set<Uuid>> {
      return await records.insertOnce(
        RUN_TYPE,
        runs.map(({ run, text }) => ({
          id: run.triggerRunId as Uuid,
          text,
          createdAtMs: run.startedAt,
          data: run,
        })),
      );
    },

    /** Changes a running row if the lease is still ours. `null`: it is not, stop at once. */
    async change(
      triggerRunId: string,
      leaseToken: string,
      patch: Record<string, unknown>,
      text?: string,
    ): Promise<TriggerRun | null> {
      return await table.changeIf(triggerRunId, heldBy(leaseToken), patch, text);
    },

    /** Changes fields that belong to no attempt (delivery, late answer). */
    async annotate(triggerRunId: string, patch: Record<string, unknown>): Promise<void> {
      await records.compareAndSet(RUN_TYPE, triggerRunId as Uuid, sql`true`, patch);
    },

    /** Pushes the leases of the runs under way here; one that broke off is left to run out. */
    async renew(owner: string, triggerRunIds: string[], nowMs: number): Promise<void> {
      const until = JSON.stringify({ leaseUntilMs: nowMs + leaseMs });
      for (let start = 0; start < triggerRunIds.length; start += RENEW_BATCH) {
        const ids = triggerRunIds.slice(start, start + RENEW_BATCH);
        await db.execute(sql`update memories set metadata = metadata || ${until}::jsonb
          where ${mine} and id in (${sqlList(ids)})
            and metadata->>'status' = 'running' and metadata->>'leaseOwner' = ${owner}`);
        await yieldToLoop();
      }
    },

    /** Running rows whose lease has run out (or of any other owner, when `allOthers`). */
    async abandoned(nowMs: number, owner: string, allOthers: boolean): Promise<RunRow[]> {
      const dead = allOthers
        ? sql`metadata->>'leaseOwner' is distinct from ${owner}`
        : sql`coalesce((metadata->>'leaseUntilMs')::numeric, 0) < ${nowMs}`;
      return await table.oldestWhere(
        sql`${OPEN} and metadata->>'status' = 'running' and ${dead}`,
        500,
      );
    },

    /** Takes a row from the state it was seen in; `null` when another process was faster. */
    async take(
      seen: TriggerRun,
      by: { owner: string; token: string; nowMs: number },
      patch: Record<string, unknown> = {},
    ): Promise<TriggerRun | null> {
      return await table.changeIf(
        seen.triggerRunId,
        sql`${OPEN} and metadata->>'status' = ${seen.status}
          and metadata->>'attempt' = ${String(seen.attempt)}
          and metadata->>'leaseToken' is not distinct from ${seen.leaseToken ?? null}`,
        {
          status: 'running',
          ...lease(by.owner, by.token, by.nowMs),
          retryAtMs: null,
          waitsFor: null,
          begunAtMs: null,
          ...patch,
        },
      );
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

    /**
     * The clock was set back by so much. Rows that lie ahead now are marked as those of the clock before,
     * and what waits for a time of that clock waits no longer than it would have to. Harmless when done
     * twice, as by two processes.
     */
    async clockSetBack(nowMs: number, byMs: number): Promise<void> {
      const mark = JSON.stringify({ setBackByMs: byMs });
      for (let marked = MARK_BATCH; marked === MARK_BATCH; ) {
        const rows = await rowsOf(
          db,
          sql`update memories set metadata = metadata || ${mark}::jsonb
            where id in (select id from memories where ${mine}
              and created_at > ${isoOf(nowMs)}::timestamp and not metadata ? 'setBackByMs'
              order by created_at desc limit ${MARK_BATCH}) returning id`,
        );
        marked = rows.length;
        await yieldToLoop();
      }
      // What is under way, a run or the sending of an answer, keeps the time it may take.
      for (const [path, where, untilMs] of [
        ['{leaseUntilMs}', sql`${OPEN} and metadata->>'status' = 'running'`, nowMs + leaseMs],
        ['{retryAtMs}', sql`${OPEN} and metadata->>'status' = 'failed'`, nowMs + SOON_MS],
        ['{delivery,nextAttemptAtMs}', sql`${DELIVERY} = 'delivering'`, nowMs + SENDING_MS],
        ['{delivery,nextAttemptAtMs}', sql`${DELIVERY} = 'pending'`, nowMs + SOON_MS],
      ] as const) {
        await db.execute(sql`update memories
          set metadata = jsonb_set(metadata, ${path}::text[], to_jsonb(${untilMs}::bigint))
          where ${mine} and ${where} and (metadata #>> ${path}::text[])::numeric > ${untilMs}`);
      }
    },

    /** Failed runs whose retry is due, oldest first. */
    async retriesDue(nowMs: number, limit = 200): Promise<RunRow[]> {
      return await table.oldestWhere(
        sql`${OPEN} and metadata->>'status' = 'failed'
          and (metadata->>'retryAtMs')::numeric <= ${nowMs}`,
        limit,
      );
    },

    /** Deferred runs, oldest first. */
    async deferred(waitsFor: 'autonomy' | 'cycle' | 'budget', limit = 200): Promise<RunRow[]> {
      return await table.oldestWhere(
        sql`${OPEN} and metadata->>'status' = 'deferred' and metadata->>'waitsFor' = ${waitsFor}`,
        limit,
      );
    },

    /**
     * Answers that are not yet where they belong and whose next attempt is due; with `heldToo` also
     * those that may have arrived already.
     */
    async deliveriesDue(nowMs: number, heldToo: boolean, limit = 100): Promise<RunRow[]> {
      const states = heldToo ? ['pending', 'delivering', 'unknown'] : ['pending', 'delivering'];
      return await table.oldestWhere(
        sql`metadata->>'open' = 'false'
          and metadata->'delivery'->>'state' in (${sqlList(states)})
          and coalesce((metadata->'delivery'->>'nextAttemptAtMs')::numeric, 0) <= ${nowMs}`,
        limit,
      );
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
      return await table.changeIf(
        seen.triggerRunId,
        sql`metadata->>'open' = 'false'
          and metadata->'delivery'->>'state' = ${before.state}
          and coalesce((metadata->'delivery'->>'attempts')::int, 0) = ${before.attempts ?? 0}
          and metadata->'delivery'->>'ticket' is not distinct from ${before.ticket ?? null}`,
        { delivery: { ...before, ticket, nextAttemptAtMs } },
      );
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

    /** `null`: there is none, or it is damaged. */
    async get(triggerRunId: string): Promise<TriggerRun | null> {
      const [row] = await records.get(RUN_TYPE, [triggerRunId as Uuid]);
      return row ? table.parse(row.data) : null;
    },

    /** The runs whose ids begin with these hexadecimal digits, at most two. */
    async beginningWith(digits: string): Promise<TriggerRun[]> {
      const [first, last] = ['0', 'f'].map((filler) => digits.padEnd(32, filler));
      const rows = await table.newestWhere(sql`id between ${first}::uuid and ${last}::uuid`, 2);
      return rows.map(({ run }) => run);
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
        db,
        sql`select asked.id, (select max(least(greatest(${numberIn('scheduledForMs')},
              ${numberIn('missedUntilMs')}), ${nowMs}::numeric)) from memories
            where ${mine} and metadata->>'triggerId' = asked.id
              and metadata->>'cause' <> 'manual' and not metadata ? 'setBackByMs'
              and ${numberIn('scheduledForMs')} between asked.due_ms and ${nowMs}) as until_ms
          from unnest(array[${list(due.map((one) => one.triggerId))}]::text[],
            array[${list(due.map((one) => one.dueAtMs))}]::numeric[],
            array[${list(due.map((one) => runIdOf(one.triggerId, one.dueAtMs)))}]::uuid[])
            as asked(id, due_ms, run_id)
          where exists (select 1 from memories where id = asked.run_id and ${mine})`,
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

    /** The same of every trigger; by `cue_runs_by_time`, so that a page reads no more than it has. */
    async listAll(
      filter: RunFilter,
      options: { limit: number; after?: RecordCursor },
    ): Promise<{ rows: RunRow[]; total: number }> {
      const { triggerId, status, sinceMs, beforeMs } = filter;
      const at = (ms: number) => sql`${isoOf(ms)}::timestamp`;
      const parts = [
        ...(triggerId === undefined ? [] : [sql`metadata->>'triggerId' = ${triggerId}`]),
        ...(status === undefined ? [] : [sql`metadata->>'status' = ${status}`]),
        ...(sinceMs === undefined ? [] : [sql`created_at >= ${at(sinceMs)}`]),
        ...(beforeMs === undefined ? [] : [sql`created_at < ${at(beforeMs)}`]),
      ];
      const where = parts.length === 0 ? sql`true` : sql.join(parts, sql` and `);
      // Those of one trigger are few, and have an index of their own.
      const walk = triggerId === undefined;
      const rows = await records.list(RUN_TYPE, { where, ...options, walk });
      return { rows: table.rowsIn(rows), total: await records.count(RUN_TYPE, where) };
    },

    /** Runs that may still change, and those claimed since (`null`: the newest). */
    async changing(sinceMs: number | null): Promise<RunRow[]> {
      const since = sinceMs === null ? sql`true` : sql`created_at >= ${isoOf(sinceMs)}::timestamp`;
      const newest = await records.list(RUN_TYPE, {
        where: since,
        limit: MOST_CHANGING,
        walk: true,
      });
      const others = await Promise.all(
        [OPEN, sql`${DELIVERY} in ('pending', 'delivering', 'unknown')`].map((where) =>
          table.newestWhere(where, MOST_CHANGING),
        ),
      );
      const rows = [...table.rowsIn(newest), ...others.flat()];
      return [...new Map(rows.map((row) => [row.run.triggerRunId, row])).values()];
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
