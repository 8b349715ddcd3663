/**
 * What stands on the task and is derived from elsewhere: its next time as tags and as the two fields
 * the TaskService reads, and the results of its runs, which the ledger knows. Pure.
 */
import type { RunResults } from './ledger/index.js';
import type { TriggerConfig, TriggerType } from './schema.js';
import { INVALID_TAG, RESTING_TAG } from './task-codec.js';

const TYPE_TAG: Record<TriggerType, string[]> = {
  interval: [],
  once: ['trigger_once'],
  cron: ['trigger_cron'],
};

export interface Heat {
  tags: string[];
  schedule: { updatedAt: number; updateInterval: number };
}

/**
 * Hot (due within the window): the seed's tags with `queue`. Resting: `trigger_resting` instead.
 * Disabled or with nothing left in line: neither. Tags that others put there are kept.
 */
export function heatOf(
  trigger: { triggerType: TriggerType; enabled: boolean },
  nextRunAtMs: number | null,
  options: { nowMs: number; hotWindowMs: number; tags?: string[]; immediate?: boolean },
): Heat {
  const { nowMs } = options;
  const own = new Set([
    'queue',
    'repeat',
    'trigger',
    'trigger_once',
    'trigger_cron',
    'immediate',
    RESTING_TAG,
    INVALID_TAG,
  ]);
  const foreign = (options.tags ?? []).filter((tag) => !own.has(tag));
  const waits = trigger.enabled && nextRunAtMs !== null;
  const hot = waits && nextRunAtMs - nowMs <= options.hotWindowMs;
  return {
    tags: [
      ...(hot ? ['queue'] : []),
      'repeat',
      'trigger',
      ...TYPE_TAG[trigger.triggerType],
      ...(hot && options.immediate ? ['immediate'] : []),
      ...(waits && !hot ? [RESTING_TAG] : []),
      ...foreign,
    ],
    schedule: {
      updatedAt: nowMs,
      updateInterval: nextRunAtMs === null ? 0 : Math.max(0, nextRunAtMs - nowMs),
    },
  };
}

/** What the ledger has to be asked for to know a trigger's results. */
export function askedOf(trigger: TriggerConfig): { triggerId: string; failuresFromMs: number } {
  // The success that ended a row of failures may have been pruned meanwhile.
  const succeededMs = trigger.lastStatus === 'success' ? lastRunMs(trigger) : 0;
  return {
    triggerId: trigger.triggerId,
    failuresFromMs: Math.max(trigger.failuresFromMs ?? 0, succeededMs),
  };
}

/** What has to change on the trigger so that it says what the ledger knows; `null` removes a field. */
export function resultsWrite(trigger: TriggerConfig, results: RunResults): Record<string, unknown> {
  const known: Record<string, unknown> = { runCount: results.runCount };
  if (results.runCount > 0) known.failureCount = results.failureCount;
  // Pruning may have taken the last run; what the task says of it stays then.
  const knownMs = Math.max(results.last?.startedAt ?? 0, results.beforeSetBackMs);
  if (results.last && knownMs >= lastRunMs(trigger)) {
    known.lastRunAtIso = new Date(results.last.startedAt).toISOString();
    known.lastStatus = results.last.status;
    known.lastError = results.last.status === 'failed' ? (results.last.error ?? 'failed') : null;
  }
  return Object.fromEntries(
    Object.entries(known).filter(([key, value]) => (trigger[key] ?? null) !== value),
  );
}

function lastRunMs(trigger: TriggerConfig): number {
  return Date.parse(trigger.lastRunAtIso ?? '') || 0;
}
