/** The cost guard: how many more runs may start now (DESIGN §4). */
import { DAY_MS, HOUR_MS, isTimeAgain, SECOND_MS } from '../shared/clock.js';

export interface BudgetSettings {
  runsPerHour: number;
  runsPerDay: number;
}

/**
 * Runs that one pass may start. What is taken is nobody else's at once, so that two passes side by side
 * (a tick and a heartbeat) do not start the same ones.
 */
export interface Allowance {
  /** Why there is none to take, else null. */
  refusal(): string | null;
  /** Takes one; why there is none, else null. */
  take(): string | null;
  /** So many of those taken have started. */
  started(count: number): void;
  /** So many of those taken have not started after all. */
  giveBack(count: number): void;
  /** Gives back the rest. However the pass ends. */
  close(): void;
}

export interface Budget {
  /** The ledger is asked at most once a second. */
  allowance(nowMs: number): Promise<Allowance>;
}

interface Counted {
  atMs: number;
  hour: number;
  day: number;
}

/** @param ledger counts the runs that have started since a time */
export function createBudget(
  ledger: { startedSince(sinceMs: number): Promise<number> },
  settings: () => BudgetSettings,
): Budget {
  let counted: Counted | null = null;
  let counting: Promise<void> | null = null;
  /** Started while the ledger was asked: it may have seen them or not, and twice is the safe side. */
  let meanwhile = 0;
  /** Taken, and neither started nor given back. */
  let pending = 0;

  async function count(nowMs: number): Promise<void> {
    meanwhile = 0;
    const hour = await ledger.startedSince(nowMs - HOUR_MS);
    const day = await ledger.startedSince(nowMs - DAY_MS);
    counted = { atMs: nowMs, hour: hour + meanwhile, day: day + meanwhile };
  }

  function refusal(): string | null {
    const { runsPerHour, runsPerDay } = settings();
    const hourLeft = runsPerHour - (counted?.hour ?? 0) - pending;
    const dayLeft = runsPerDay - (counted?.day ?? 0) - pending;
    if (hourLeft > 0 && dayLeft > 0) return null;
    return hourLeft <= dayLeft
      ? `cost guard: ${runsPerHour} runs in the last hour (CUE_TRIGGER_RUNS_PER_HOUR)`
      : `cost guard: ${runsPerDay} runs in the last day (CUE_TRIGGER_RUNS_PER_DAY)`;
  }

  return {
    async allowance(nowMs) {
      if (!counted || isTimeAgain(counted.atMs, nowMs, SECOND_MS)) {
        counting ??= count(nowMs).finally(() => {
          counting = null;
        });
        await counting;
      }
      let mine = 0;
      const giveBack = (some: number): void => {
        pending -= some;
        mine -= some;
      };
      return {
        refusal,
        take() {
          const reason = refusal();
          if (reason !== null) return reason;
          pending += 1;
          mine += 1;
          return null;
        },
        started(some) {
          giveBack(some);
          meanwhile += some;
          if (counted) {
            counted.hour += some;
            counted.day += some;
          }
        },
        giveBack,
        close: () => giveBack(mine),
      };
    },
  };
}
