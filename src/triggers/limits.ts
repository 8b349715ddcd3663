/** How many triggers there may be (DESIGN §4); asked before one becomes active. */
import { AppError } from '../shared/errors.js';
import type { Requester, TriggerConfig } from './schema.js';
import type { TaskStore } from './task-store.js';

export interface CountLimits {
  maxPerCreator: number;
  maxPerAgent: number;
}

type Creator = { entityId: string } | { agentId: string };

/** Whose triggers are counted: people in conversations and MCP clients have a limit of their own. */
export function countedCreator(
  kind: Requester['kind'],
  { creatorEntityId, creatorAgentId }: Pick<TriggerConfig, 'creatorEntityId' | 'creatorAgentId'>,
): Creator | undefined {
  if (kind === 'entity')
    return creatorEntityId === undefined ? undefined : { entityId: creatorEntityId };
  if (kind === 'agent')
    return creatorAgentId === undefined ? undefined : { agentId: creatorAgentId };
  return undefined;
}

/**
 * @param creator counted too when given: the person in a conversation, or the MCP client
 * @throws AppError LIMIT_REACHED with `limit` and `count`
 */
export async function mustHaveRoom(
  store: Pick<TaskStore, 'countEnabled'>,
  limits: CountLimits,
  creator: Creator | undefined,
): Promise<void> {
  const total = await store.countEnabled();
  if (total >= limits.maxPerAgent) {
    throw new AppError(
      'LIMIT_REACHED',
      `the agent has ${total} active triggers, the limit is ${limits.maxPerAgent} (CUE_TRIGGER_MAX_PER_AGENT)`,
      { limit: limits.maxPerAgent, count: total },
    );
  }
  if (creator === undefined) return;
  const own =
    'entityId' in creator
      ? await store.countEnabled(creator.entityId)
      : await store.countEnabled(creator.agentId, 'creatorAgentId');
  if (own >= limits.maxPerCreator) {
    throw new AppError(
      'LIMIT_REACHED',
      `you have ${own} active triggers, the limit is ${limits.maxPerCreator}: delete one first`,
      { limit: limits.maxPerCreator, count: own },
    );
  }
}
