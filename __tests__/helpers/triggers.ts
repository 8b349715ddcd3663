/** Short hands for tests about triggers. */
import { expect } from 'vitest';
import type { TriggerDraft, TriggerRun, TriggerSummary } from '../../src/index.js';
import type { Agent } from './boot.js';

export const OPERATOR = { kind: 'operator' } as const;

/** Creates as an operator and hands back the stored trigger. */
export async function created(agent: Agent, draft: TriggerDraft): Promise<TriggerSummary> {
  const result = await agent.triggers.create(draft, { requester: OPERATOR, source: 'operator' });
  expect(result.created).toBe(true);
  if (!('trigger' in result)) throw new Error('not created');
  return result.trigger;
}

/** Runs of a trigger, oldest first. */
export async function runsOf(agent: Agent, triggerId: string): Promise<TriggerRun[]> {
  const { runs } = await agent.triggers.runs(triggerId, { limit: 200 }, OPERATOR);
  return runs.toSorted((a, b) => a.scheduledForMs - b.scheduledForMs);
}

/** The statuses of its runs, oldest first; empty when there is no history. */
export async function statusesOf(agent: Agent, triggerId: string): Promise<string[]> {
  try {
    return (await runsOf(agent, triggerId)).map((run) => run.status);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('no trigger')) return [];
    throw error;
  }
}

export async function exists(agent: Agent, triggerId: string): Promise<boolean> {
  try {
    await agent.triggers.get(triggerId, OPERATOR);
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('no trigger')) return false;
    throw error;
  }
}

export const every = (intervalMs: number) => ({ triggerType: 'interval' as const, intervalMs });
export const cron = (cronExpression: string, timezone = 'UTC') => ({
  triggerType: 'cron' as const,
  cronExpression,
  timezone,
});
export const onceAt = (atMs: number) => ({
  triggerType: 'once' as const,
  scheduledAtIso: new Date(atMs).toISOString(),
});

/** The hour in UTC that is half a day away: what runs daily then does not come due during a test. */
export const DISTANT_HOUR = (new Date().getUTCHours() + 12) % 24;
