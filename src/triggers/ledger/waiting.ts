/** What waits: runs for their retry or their turn, answers for their delivery. */
import { sql } from 'drizzle-orm';
import { rowsOf, sqlList } from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import { yieldToLoop } from '../../shared/yield.js';
import type { TriggerRun } from '../schema.js';
import { isoOf, OPEN, RUN_TYPE, type RunRow, type RunTable } from './table.js';

/** A send handler that takes longer than this counts as one that never came back. */
export const SENDING_MS = 60_000;
/** After the clock was set back nothing waits longer than this for its next attempt. */
const SOON_MS = 30_000;
/** Rows marked in one statement. */
const MARK_BATCH = 200;

const DELIVERY = sql`metadata->'delivery'->>'state'`;

export function createWaiting(table: RunTable, leaseMs: number) {
  const { db, mine } = table;

  return {
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
     * those of which nobody knows whether they have arrived.
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
      const data = await table.records.compareAndSet(
        RUN_TYPE,
        triggerRunId as Uuid,
        sql`metadata->'delivery'->>'ticket' = ${ticket}`,
        { delivery },
      );
      return data !== null;
    },
  };
}
