import { derivedId, type Uuid } from '../shared/ids.js';

/**
 * The project whose records an agent works on (`memories.world_id`): one of its own, or the one of
 * that name (`CUE_PROJECT`), which several agents of one database share.
 */
export function projectIdOf(agentId: Uuid, name?: string): Uuid {
  const trimmed = name?.trim() ?? '';
  return trimmed === ''
    ? derivedId('project', 'agent', agentId)
    : derivedId('project', 'name', trimmed);
}
