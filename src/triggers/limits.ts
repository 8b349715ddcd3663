/** How many triggers there may be (DESIGN §4); asked before one becomes active. */
import { AppError } from '../shared/errors.js';
import type { TaskStore } from './task-store.js';

export interface CountLimits {
  maxPerCreator: number;
  maxPerAgent: number;
}

/**
 * @param creatorEntityId counted too when given: what comes from a conversation
 * @throws AppError LIMIT_REACHED with `limit` and `count`
 */
export async function mustHaveRoom(
  store: Pick<TaskStore, 'countEnabled'>,
  limits: CountLimits,
  creatorEntityId: string | undefined,
): Promise<void> {
  const total = await store.countEnabled();
  if (total >= limits.maxPerAgent) {
    throw new AppError(
      'LIMIT_REACHED',
      `the agent has ${total} active triggers, the limit is ${limits.maxPerAgent} (CUE_TRIGGER_MAX_PER_AGENT)`,
      { limit: limits.maxPerAgent, count: total },
    );
  }
  if (creatorEntityId === undefined) return;
  const own = await store.countEnabled(creatorEntityId);
  if (own >= limits.maxPerCreator) {
    throw new AppError(
      'LIMIT_REACHED',
      `you have ${own} active triggers, the limit is ${limits.maxPerCreator}: delete one first`,
      { limit: limits.maxPerCreator, count: own },
    );
  }
}
