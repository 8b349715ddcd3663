/**
 * Who holds a run: claimed by inserting its row, kept by its lease. Every change is a compare-and-set,
 * so a holder that lost the lease can change nothing.
 */
import { sql } from 'drizzle-orm';
import { field, sqlList } from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import { yieldToLoop } from '../../shared/yield.js';
import type { TriggerRun } from '../schema.js';
import { type NewRun, OPEN, RUN_TYPE, type RunRow, type RunTable } from './table.js';

/** Leases renewed in one statement. */
const RENEW_BATCH = 200;

/** @param leaseMs how long a lease holds */
export function createClaims(table: RunTable, leaseMs: number) {
  const { records, db, mine } = table;
  const heldBy = (token: string) =>
    sql`${field('leaseToken')} = ${token} and ${field('status')} = 'running'`;

  return {
    leaseMs,

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
      lease: { owner: string; token: string; nowMs: number },
      patch: Record<string, unknown> = {},
    ): Promise<TriggerRun | null> {
      return await table.changeIf(
        seen.triggerRunId,
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
  };
}
