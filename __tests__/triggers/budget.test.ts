import { expect, it } from 'vitest';
import { type Budget, createBudget } from '../../src/triggers/budget.js';

const HOUR_REASON = 'cost guard: 3 runs in the last hour (CUE_TRIGGER_RUNS_PER_HOUR)';

/** A ledger of so many runs, that answers when it is told to. */
function guarded(count = 0, runsPerDay = 100) {
  const ledger = { count, asked: 0, answer: Promise.resolve() };
  const budget = createBudget(
    {
      async startedSince() {
        ledger.asked += 1;
        const seen = ledger.count;
        await ledger.answer;
        return seen;
      },
    },
    () => ({ runsPerHour: 3, runsPerDay }),
  );
  return { ledger, budget };
}

/** Takes until there is none; how many that were, and why no more. */
async function all(budget: Budget, nowMs = 0) {
  const allowance = await budget.allowance(nowMs);
  let taken = 0;
  for (;;) {
    const reason = allowance.take();
    if (reason !== null) return { allowance, taken, reason };
    taken += 1;
  }
}

it('gives what is left in the hour and the day, and says which of them is used up', async () => {
  expect(await all(guarded(1).budget)).toMatchObject({ taken: 2, reason: HOUR_REASON });
  expect(await all(guarded(1, 2).budget)).toMatchObject({
    taken: 1,
    reason: 'cost guard: 2 runs in the last day (CUE_TRIGGER_RUNS_PER_DAY)',
  });
});

it('gives no run to two passes side by side', async () => {
  const { budget } = guarded();
  const [tick, beat] = await Promise.all([budget.allowance(0), budget.allowance(0)]);
  expect([tick.take(), beat.take(), tick.take(), beat.take()]).toEqual([
    ...[null, null, null],
    HOUR_REASON,
  ]);
  expect([tick.refusal(), beat.refusal()]).toEqual([HOUR_REASON, HOUR_REASON]);
  // One of the two has started, the other has not; and one of the beat.
  tick.started(1);
  tick.close();
  beat.started(1);
  beat.close();
  expect(beat.refusal()).toBeNull();
  expect((await all(budget)).taken).toBe(1);
});

it('counts what starts while the ledger is asked', async () => {
  const { ledger, budget } = guarded();
  const first = await budget.allowance(0);
  let answer = () => {};
  ledger.answer = new Promise((resolve) => {
    answer = resolve;
  });
  const second = budget.allowance(1_000);
  expect([first.take(), first.take()]).toEqual([null, null]);
  first.started(2);
  first.close();
  answer();
  await second;
  expect((await all(budget, 1_000)).taken).toBe(1);
});

it('takes back what has not started, and asks the ledger once a second', async () => {
  const { ledger, budget } = guarded();
  const one = await all(budget);
  one.allowance.giveBack(1);
  expect((await all(budget)).taken).toBe(1);
  one.allowance.close();
  // For the hour and the day.
  expect(ledger.asked).toBe(2);
  ledger.count = 3;
  expect((await all(budget, 1_000)).taken).toBe(0);
  expect(ledger.asked).toBe(4);
});
