/** Triggers as an older version stored them, brought to the form of this one. */
import { yieldToLoop } from '../shared/yield.js';
import { DEDUPE_FORM, decodeTrigger, dedupeKeyOf, scheduleOf } from './task-codec.js';
import { TASK_BATCH, type TaskStore } from './tasks/index.js';

/**
 * Makes the keys anew by which a repeated request is known, so that a repeat after the upgrade is still
 * one. What is damaged stays as it is. How many that were.
 */
export async function upgradeTriggers(
  store: TaskStore,
  agentId: string,
  nowMs: number,
): Promise<number> {
  let count = 0;
  for await (const rows of store.ofOtherForm(DEDUPE_FORM, TASK_BATCH)) {
    const writes = rows.flatMap((row) => {
      const decoded = decodeTrigger(row.metadata);
      if (!decoded.ok) return [];
      const { trigger } = decoded;
      const dedupeKey = dedupeKeyOf(agentId, trigger, scheduleOf(trigger));
      // Resumed after failures, which stood on the task alone: they do not count.
      const isResumed = trigger.lastStatus === 'failed' && trigger.failureCount === 0;
      return [
        { id: row.id, trigger: { dedupeKey, ...(isResumed ? { failuresFromMs: nowMs } : {}) } },
      ];
    });
    await store.merge(writes);
    count += writes.length;
    await yieldToLoop();
  }
  return count;
}
