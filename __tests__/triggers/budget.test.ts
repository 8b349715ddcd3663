import { expect, it } from 'vitest';
import { type Begun, createBudget } from '../../src/triggers/budget.js';

const HOUR_REASON = 'cost guard: 3 runs in the last hour (CUE_TRIGGER_RUNS_PER_HOUR)';

/** A ledger in which so many attempts have begun, in the hour and in the day. */
function guarded(begun = 0, runsPerDay = 100) {
  const ledger = { begun, asked: 0 };
  const now = (): Begun => ({ hour: ledger.begun, day: ledger.begun });
  const budget = createBudget(
    {
      async attemptsBegun() {
        ledger.asked += 1;
        return now();
      },
      async beginAttempt(_nowMs, refusal) {
        const reason = refusal(now());
        if (reason === null) ledger.begun += 1;
        return { begun: now(), reason };
      },
    },
    () => ({ runsPerHour: 3, runsPerDay }),
  );
  return { ledger, budget };
}

it('says which limit is used up, the hour or the day', async () => {
  const hour = await guarded(1).budget.allowance(0);
  expect([hour.hold('a'), hour.hold('b'), hour.hold('c')]).toEqual([null, null, HOUR_REASON]);
  const day = await guarded(1, 2).budget.allowance(0);
  expect([day.hold('a'), day.hold('b')]).toEqual([
    null,
    'cost guard: 2 runs in the last day (CUE_TRIGGER_RUNS_PER_DAY)',
  ]);
});

it('holds room for what is taken up until it begins or is let go', async () => {
  const { budget } = guarded();
  const [tick, beat] = await Promise.all([budget.allowance(0), budget.allowance(0)]);
  expect([tick.hold('a'), beat.hold('b'), tick.hold('c'), beat.hold('d')]).toEqual([
    ...[null, null, null],
    HOUR_REASON,
  ]);
  expect(await budget.begin(['a', 'b'], 0, false)).toBeNull();
  // Two of the three were one turn.
  expect([beat.hold('d'), beat.refusal()]).toEqual([null, HOUR_REASON]);
  budget.letGo('c');
  expect(beat.refusal()).toBeNull();
});

it('refuses an attempt that the ledger has no room for, whatever was held', async () => {
  const { ledger, budget } = guarded();
  const allowance = await budget.allowance(0);
  expect(allowance.hold('a')).toBeNull();
  // Another process was faster.
  ledger.begun = 3;
  expect(await budget.begin(['a'], 0, false)).toBe(HOUR_REASON);
  expect(allowance.refusal()).toBe(HOUR_REASON);
  expect(await budget.begin(['by hand'], 0, true)).toBeNull();
  expect(ledger.begun).toBe(4);
});

it('asks the ledger for its estimate at most once a second', async () => {
  const { ledger, budget } = guarded();
  await budget.allowance(0);
  await budget.allowance(999);
  expect(ledger.asked).toBe(1);
  await budget.allowance(1_000);
  expect(ledger.asked).toBe(2);
});
