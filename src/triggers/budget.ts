/**
 * The cost guard: how many attempts may begin in an hour and a day (DESIGN §4). It is asked twice: for an
 * estimate when runs are claimed or resumed, and at the last moment before the model, where it decides.
 */
import { sql } from 'drizzle-orm';
import { type Executor, type Records, rowsOf } from '../records/index.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/clock.js';
import { derivedId } from '../shared/ids.js';
import { isoOf } from './run-history.js';

export interface BudgetSettings {
  runsPerHour: number;
  runsPerDay: number;
}

/** What may begin now, for one pass over what is due or waits. */
export interface Allowance {
  left: number;
  /** Why no more than that may begin. */
  reason: string;
}

/** Attempts begun in the last hour and the last day; a minute that lies half in them counts as a whole. */
interface Begun {
  hour: number;
  day: number;
}

export type Budget = ReturnType<typeof createBudget>;

const ATTEMPTS_TYPE = 'cue_run_attempts';

/** Counts attempts apart from the runs, because a run keeps only its last attempt and is pruned. */
export function createBudget(records: Records, settings: () => BudgetSettings) {
  const { db } = records;
  const { agentId } = records.home;
  const mine = sql`type = 'cue_run_attempts' and agent_id = ${agentId}`;

  function allowanceAfter({ hour, day }: Begun): Allowance {
    const { runsPerHour, runsPerDay } = settings();
    const hourLeft = runsPerHour - hour;
    const dayLeft = runsPerDay - day;
    return {
      left: Math.max(0, Math.min(hourLeft, dayLeft)),
      reason:
        hourLeft <= dayLeft
          ? `cost guard: ${runsPerHour} runs in the last hour (CUE_TRIGGER_RUNS_PER_HOUR)`
          : `cost guard: ${runsPerDay} runs in the last day (CUE_TRIGGER_RUNS_PER_DAY)`,
    };
  }

  /** A clock that was set back leaves minutes that lie ahead: they do not count. */
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
    /** An estimate: what is claimed and has not begun is not counted. */
    async allowance(nowMs: number): Promise<Allowance> {
      return allowanceAfter(await begunBy(nowMs, db));
    },

    /**
     * Counts one attempt, which may be a turn of several runs. Why it may not begin, else `null`; one
     * `asked` for by a person is counted and not held back. The processes of an agent take turns here,
     * so that together they begin no more than one alone would.
     */
    async begin(nowMs: number, asked: boolean): Promise<string | null> {
      return await records.transaction(async (tx) => {
        await tx.execute(
          sql`select pg_advisory_xact_lock(hashtextextended(${`cue_run_attempts ${agentId}`}, 0))`,
        );
        const { left, reason } = allowanceAfter(await begunBy(nowMs, tx));
        if (left === 0 && !asked) return reason;
        await add(nowMs, tx);
        return null;
      });
    },

    /** Removes the minutes that no limit counts any more. */
    async prune(nowMs: number): Promise<void> {
      await db.execute(sql`delete from memories where ${mine}
        and created_at < ${isoOf(nowMs - DAY_MS - HOUR_MS)}::timestamp`);
    },
  };
}
