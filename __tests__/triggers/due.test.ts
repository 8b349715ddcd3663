/** What is said of missed runs: that the agent was away is said only when it was. */
import { expect, it } from 'vitest';
import { planDue } from '../../src/triggers/plan.js';
import type { TriggerConfig } from '../../src/triggers/schema.js';

const HOUR = 3_600_000;
const NINE = Date.parse('2026-03-02T09:00:00Z');
/** Every hour, due since nine. */
const trigger: TriggerConfig = {
  version: 1,
  triggerId: '0d9ee20c-6a3f-4b0e-9c2e-2f3f5a1f6a01',
  displayName: 'hourly',
  instructions: 'hourly',
  triggerType: 'cron',
  cronExpression: '0 * * * *',
  enabled: true,
  wakeMode: 'inject_now',
  createdBy: 'user',
  runCount: 0,
  nextRunAtMs: NINE,
};
const planAt = (hours: number, away?: { fromMs: number; untilMs: number }) =>
  planDue(trigger, NINE + hours * HOUR, {
    openRuns: 0,
    endedRuns: 0,
    ...(away ? { away } : {}),
  });

it.each<[string, { fromMs: number; untilMs: number } | undefined, string]>([
  [
    'stopped before nine, started after the last missed one',
    { fromMs: NINE - 1, untilMs: NINE + 3 * HOUR },
    'while the agent was not running',
  ],
  [
    'another process was there at nine',
    { fromMs: NINE + 1, untilMs: NINE + 3 * HOUR },
    'that nobody took up in time',
  ],
  [
    'started while it was due already',
    { fromMs: NINE - 1, untilMs: NINE + HOUR },
    'that nobody took up in time',
  ],
  ['nothing is known', undefined, 'that nobody took up in time'],
])('%s', (_what, away, why) => {
  const [missed] = planAt(3, away).skip;
  expect(missed).toMatchObject({
    scheduledForMs: NINE,
    missedCount: 3,
    missedUntilMs: NINE + 2 * HOUR,
    reason: expect.stringContaining(`missed 3 runs ${why} (from `),
  });
});

it('begins behind what has a row already, and ends with it when nothing is left', () => {
  const facts = { openRuns: 0, endedRuns: 0 };
  const nowMs = NINE + 3 * HOUR;
  const from = (claimedUntilMs: number) => planDue(trigger, nowMs, { ...facts, claimedUntilMs });
  expect(from(NINE + HOUR)).toMatchObject({
    run: [{ scheduledForMs: nowMs }],
    skip: [{ scheduledForMs: NINE + 2 * HOUR, missedCount: 1 }],
  });
  expect(from(nowMs)).toEqual({ run: [], skip: [], nextRunAtMs: nowMs + HOUR });
  const once: TriggerConfig = {
    ...trigger,
    triggerType: 'once',
    scheduledAtIso: new Date(NINE).toISOString(),
  };
  const claimed = { ...facts, claimedUntilMs: NINE };
  expect(planDue(once, nowMs, claimed)).toEqual({ run: [], skip: [], nextRunAtMs: null });
});
