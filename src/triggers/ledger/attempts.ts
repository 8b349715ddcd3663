/**
 * How many attempts have begun, for the cost guard: one small record per minute. They are counted apart
 * from the runs, because a run keeps only its last attempt and is pruned.
 */
import { sql } from 'drizzle-orm';
import { type Executor, rowsOf } from '../../records/index.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/clock.js';
import { derivedId } from '../../shared/ids.js';
import { isoOf, type RunTable } from './table.js';

const ATTEMPTS_TYPE = 'cue_run_attempts';

/** Attempts begun in the last hour and the last day; a minute that lies half in them counts as a whole. */
export interface Begun {
  hour: number;
  day: number;
}

export function createAttempts({ records, db }: RunTable) {
  const { agentId } = records.home;
  const mine = sql`type = 'cue_run_attempts' and agent_id = ${agentId}`;

  /** A clock that was set back leaves minutes that lie ahead: they are no past of ours. */
  async function begunBy(nowMs: number, executor: Executor): Promise<Begun> {
    const since = (ms: number) => isoOf(nowMs - ms - MINUTE_MS);
    const [row] = await rowsOf<{ hour: string | number | null; day: string | number | null }>(
      executor,
      sql`select sum((metadata->>'begun')::int) as day,
          sum((metadata->>'begun')::int) filter (where created_at > ${since(HOUR_MS)}::timestamp) as hour
        from memories where ${mine} and created_at > ${since(DAY_MS)}::timestamp
          and created_at <= ${isoOf(nowMs)}::timestamp`,
    );
    return { hour: Number(row?.hour ?? 0), day: Number(row?.day ?? 0) };
  }

  async function add(nowMs: number, tx: Executor): Promise<void> {
    const minuteMs = nowMs - (nowMs % MINUTE_MS);
    const id = derivedId('run-attempts', agentId, minuteMs);
    const counted = await rowsOf(
      tx,
      sql`update memories set metadata = jsonb_set(metadata, '{begun}',
          to_jsonb((metadata->>'begun')::int + 1))
        where id = ${id} and ${mine} returning id`,
    );
    if (counted.length > 0) return;
    await records.insertOnce(
      ATTEMPTS_TYPE,
      [
        {
          id,
          text: `attempts begun in the minute from ${isoOf(minuteMs)}`,
          createdAtMs: minuteMs,
          data: { version: 1, begun: 1 },
        },
      ],
      tx,
    );
  }

  return {
    attemptsBegun: (nowMs: number) => begunBy(nowMs, db),

    /**
     * Counts one more attempt unless `refusal` of those before it gives a reason. The processes of an
     * agent take turns here, so that together they begin no more than one alone would.
     */
    async beginAttempt(
      nowMs: number,
      refusal: (before: Begun) => string | null,
    ): Promise<{ begun: Begun; reason: string | null }> {
      return await records.transaction(async (tx) => {
        await tx.execute(
          sql`select pg_advisory_xact_lock(hashtextextended(${`cue_run_attempts ${agentId}`}, 0))`,
        );
        const before = await begunBy(nowMs, tx);
        const reason = refusal(before);
        if (reason !== null) return { begun: before, reason };
        await add(nowMs, tx);
        return { begun: { hour: before.hour + 1, day: before.day + 1 }, reason: null };
      });
    },

    /** Removes what no limit asks for any more. */
    async pruneAttempts(nowMs: number): Promise<void> {
      await db.execute(sql`delete from memories where ${mine}
        and created_at < ${isoOf(nowMs - DAY_MS - HOUR_MS)}::timestamp`);
    },
  };
}
