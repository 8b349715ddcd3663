/** How a trigger's next time becomes tags and the two fields the TaskService reads. Pure. */

import type { TriggerType } from './schema.js';
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
