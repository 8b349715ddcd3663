/**
 * The cost guard: how many attempts may begin in an hour and a day (DESIGN §4). It is asked twice: for an
 * estimate when runs are claimed or resumed, and at the last moment before the model, where it counts.
 */
import { sql } from 'drizzle-orm';
import { type Executor, type Records, rowsOf } from '../records/index.js';
import { DAY_MS, HOUR_MS, isTimeAgain, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { derivedId } from '../shared/ids.js';
import { isoOf } from './run-history.js';

export interface BudgetSettings {
  runsPerHour: number;
  runsPerDay: number;
}

/** The estimate, for one pass over what is due or waits. */
export interface Allowance {
  /** Why there is no capacity for one more, else null. */
  refusal(): string | null;
  /** Holds capacity for a run until it begins or is let go; why there is none, else null. */
  hold(triggerRunId: string): string | null;
}

export interface Budget {
  /** The ledger is asked at most once a second. */
  allowance(nowMs: number): Promise<Allowance>;
  /** Lets go of the capacity of a run that has ended, waits again, or is another process's. */
  letGo(triggerRunId: string): void;
  /**
   * Counts one attempt, which may be a turn of several runs. Why it may not begin, else null; `asked`
   * by a person is counted and not held back.
   */
  begin(triggerRunIds: readonly string[], nowMs: number, asked: boolean): Promise<string | null>;
}

export function createBudget(
  attempts: Pick<Attempts, 'attemptsBegun' | 'beginAttempt'>,
  settings: () => BudgetSettings,
): Budget {
  let known: (Begun & { atMs: number }) | null = null;
  /** Claimed runs whose attempt has not begun. */
  const held = new Set<string>();

  const refusal = () =>
    refusalOf(
      { hour: (known?.hour ?? 0) + held.size, day: (known?.day ?? 0) + held.size },
      settings(),
    );

  return {
    async allowance(nowMs) {
      if (!known || isTimeAgain(known.atMs, nowMs, SECOND_MS)) {
        known = { ...(await attempts.attemptsBegun(nowMs)), atMs: nowMs };
      }
      return {
        refusal,
        hold(triggerRunId) {
          const reason = refusal();
          if (reason === null) held.add(triggerRunId);
          return reason;
        },
      };
    },

    letGo: (triggerRunId) => void held.delete(triggerRunId),

    async begin(triggerRunIds, nowMs, asked) {
      const { begun, reason } = await attempts.beginAttempt(nowMs, (before) =>
        asked ? null : refusalOf(before, settings()),
      );
      known = { ...begun, atMs: nowMs };
      for (const id of triggerRunIds) held.delete(id);
      return reason;
    },
  };
}

function refusalOf({ hour, day }: Begun, { runsPerHour, runsPerDay }: BudgetSettings) {
  const hourLeft = runsPerHour - hour;
  const dayLeft = runsPerDay - day;
  if (hourLeft > 0 && dayLeft > 0) return null;
  return hourLeft <= dayLeft
    ? `cost guard: ${runsPerHour} runs in the last hour (CUE_TRIGGER_RUNS_PER_HOUR)`
    : `cost guard: ${runsPerDay} runs in the last day (CUE_TRIGGER_RUNS_PER_DAY)`;
}

const ATTEMPTS_TYPE = 'cue_run_attempts';

/** Attempts begun in the last hour and the last day; a minute that lies half in them counts as a whole. */
export interface Begun {
  hour: number;
  day: number;
}

export type Attempts = ReturnType<typeof createAttempts>;

/** Counts attempts apart from the runs, because a run keeps only its last attempt and is pruned. */
export function createAttempts(records: Records) {
  const { db } = records;
  const { agentId } = records.home;
  const mine = sql`type = 'cue_run_attempts' and agent_id = ${agentId}`;

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

    /** Removes the minutes that no limit counts any more. */
    async pruneAttempts(nowMs: number): Promise<void> {
      await db.execute(sql`delete from memories where ${mine}
        and created_at < ${isoOf(nowMs - DAY_MS - HOUR_MS)}::timestamp`);
    },
  };
}
