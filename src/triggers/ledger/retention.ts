/**
 * What is kept of a trigger's runs, and the counter that remembers how many are gone (DESIGN §4:
 * 100 runs or 30 days, failed ones longest).
 */
import { sql } from 'drizzle-orm';
import { type Executor, rowsOf } from '../../records/index.js';
import { DAY_MS } from '../../shared/clock.js';
import { derivedId, type Uuid } from '../../shared/ids.js';
import { yieldToLoop } from '../../shared/yield.js';
import { isoOf, RUN_TYPE, type RunTable } from './table.js';

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
