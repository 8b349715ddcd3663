/** How many triggers there may be (DESIGN §4); asked before one becomes active. */
import { AppError } from '../shared/errors.js';
import type { Requester, TriggerConfig } from './schema.js';
import type { TaskStore } from './tasks/index.js';

export interface CountLimits {
  maxPerCreator: number;
  maxPerAgent: number;
}

type Creator = { entityId: string } | { agentId: string } | { guests: true };

/**
 * Whose triggers are counted: people in conversations and MCP clients have a limit of their own. Clients
 * without an identity share one: each new session would be a new creator.
 */
export function countedCreator(
  kind: Requester['kind'],
  trigger: Pick<TriggerConfig, 'creatorEntityId' | 'creatorAgentId' | 'creatorIsGuest'>,
): Creator | undefined {
  const { creatorEntityId, creatorAgentId, creatorIsGuest } = trigger;
  if (kind === 'entity')
    return creatorEntityId === undefined ? undefined : { entityId: creatorEntityId };
  if (kind !== 'agent') return undefined;
  if (creatorIsGuest) return { guests: true };
  return creatorAgentId === undefined ? undefined : { agentId: creatorAgentId };
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
  const own = await countOf(store, creator);
  if (own >= limits.maxPerCreator) {
    throw new AppError(
      'LIMIT_REACHED',
      'guests' in creator
        ? `clients without an identity have ${own} active triggers, the limit of all of them is ${limits.maxPerCreator}: register an identity first, or delete one`
        : `you have ${own} active triggers, the limit is ${limits.maxPerCreator}: delete one first`,
      { limit: limits.maxPerCreator, count: own },
    );
  }
}

function countOf(store: Pick<TaskStore, 'countEnabled'>, creator: Creator): Promise<number> {
  if ('entityId' in creator) return store.countEnabled(creator.entityId);
  if ('agentId' in creator) return store.countEnabled(creator.agentId, 'creatorAgentId');
  return store.countEnabled('true', 'creatorIsGuest');
}
