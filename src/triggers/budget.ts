/** The cost guard: how many more runs may start now (DESIGN §4). */
import { DAY_MS, HOUR_MS, SECOND_MS } from '../shared/clock.js';
import type { Ledger } from './ledger/index.js';

export interface BudgetSettings {
  runsPerHour: number;
  runsPerDay: number;
}

export interface Allowance {
  left: number;
  /** Why no more may start, when `left` is 0. */
  reason: string;
}

export interface Budget {
  /** Runs that may still start; the ledger is asked at most once a second. */
  allowance(nowMs: number): Promise<Allowance>;
  /** Tells that this many were started. */
  spend(count: number): void;
}

export function createBudget(ledger: Ledger, settings: () => BudgetSettings): Budget {
  let cached: { atMs: number; hour: number; day: number } | null = null;
  return {
    async allowance(nowMs) {
      if (!cached || nowMs - cached.atMs >= SECOND_MS || nowMs < cached.atMs) {
        cached = {
          atMs: nowMs,
          hour: await ledger.startedSince(nowMs - HOUR_MS),
          day: await ledger.startedSince(nowMs - DAY_MS),
        };
      }
      const { runsPerHour, runsPerDay } = settings();
      const hourLeft = runsPerHour - cached.hour;
      const dayLeft = runsPerDay - cached.day;
      return {
        left: Math.max(0, Math.min(hourLeft, dayLeft)),
        reason:
          hourLeft <= dayLeft
            ? `cost guard: ${runsPerHour} runs in the last hour (CUE_TRIGGER_RUNS_PER_HOUR)`
            : `cost guard: ${runsPerDay} runs in the last day (CUE_TRIGGER_RUNS_PER_DAY)`,
      };
    },
    spend(count) {
      if (cached) {
        cached.hour += count;
        cached.day += count;
      }
    },
  };
}
