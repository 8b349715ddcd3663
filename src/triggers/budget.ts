/**
 * The cost guard: how many attempts may begin in an hour and a day (DESIGN §4). It is asked twice: how
 * many runs are worth taking up, an estimate, and at the last moment before the model, where it counts.
 */
import { isTimeAgain, SECOND_MS } from '../shared/clock.js';
import type { Begun, Ledger } from './ledger/index.js';

export interface BudgetSettings {
  runsPerHour: number;
  runsPerDay: number;
}

/** The estimate, for one pass over what is due or waits. */
export interface Allowance {
  /** Why there is no room for one more, else null. */
  refusal(): string | null;
  /** Holds room for a run until it begins or is let go; why there is none, else null. */
  hold(triggerRunId: string): string | null;
}

export interface Budget {
  /** The ledger is asked at most once a second. */
  allowance(nowMs: number): Promise<Allowance>;
  /** Lets go of the room of a run that has ended, waits again, or is another process's. */
  letGo(triggerRunId: string): void;
  /**
   * Counts one attempt, which may be a turn of several runs. Why it may not begin, else null; `asked`
   * by a person is counted and not held back.
   */
  begin(triggerRunIds: readonly string[], nowMs: number, asked: boolean): Promise<string | null>;
}

export function createBudget(
  ledger: Pick<Ledger, 'attemptsBegun' | 'beginAttempt'>,
  settings: () => BudgetSettings,
): Budget {
  let known: (Begun & { atMs: number }) | null = null;
  /** Runs taken up whose attempt has not begun. */
  const held = new Set<string>();

  const refusal = () =>
    refusalOf(
      { hour: (known?.hour ?? 0) + held.size, day: (known?.day ?? 0) + held.size },
      settings(),
    );

  return {
    async allowance(nowMs) {
      if (!known || isTimeAgain(known.atMs, nowMs, SECOND_MS)) {
        known = { ...(await ledger.attemptsBegun(nowMs)), atMs: nowMs };
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
      const { begun, reason } = await ledger.beginAttempt(nowMs, (before) =>
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
