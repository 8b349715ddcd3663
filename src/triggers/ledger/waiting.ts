/** What waits: runs for their retry or their turn, answers for their delivery. */
import { sql } from 'drizzle-orm';
import { sqlList } from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import type { TriggerRun } from '../schema.js';
import { OPEN, RUN_TYPE, type RunRow, type RunTable } from './table.js';

export function createWaiting(table: RunTable) {
  return {
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
