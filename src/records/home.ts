/**
 * Our rows live in our own world, room and entity: `memories.room_id` and `entity_id` cascade on
 * delete, and a user may delete any chat (DESIGN §3).
 */
import { ChannelType, createUniqueUuid, type IAgentRuntime, type UUID } from '@elizaos/core';
import { derivedId, type Uuid } from '../shared/ids.js';

/** What marks our rooms among those of the host. */
export const HOME_NAME = 'Cue records';
export const HOME_SOURCE = 'cue';

export interface Home {
  agentId: UUID;
  worldId: UUID;
  roomId: UUID;
  entityId: UUID;
}

/** The ids are derived, so they are known before the rows exist. */
export function homeOf(runtime: IAgentRuntime): Home {
  return {
    agentId: runtime.agentId,
    worldId: createUniqueUuid(runtime, 'cue-records-world'),
    roomId: createUniqueUuid(runtime, 'cue-records-room'),
    entityId: createUniqueUuid(runtime, 'cue-records-entity'),
  };
}

/** Creates world, entity and room when they are missing; safe to repeat. Needs the database. */
export async function ensureHome(runtime: IAgentRuntime): Promise<Home> {
  const home = homeOf(runtime);
  await runtime.ensureWorldExists({
    id: home.worldId,
    name: HOME_NAME,
    agentId: runtime.agentId,
    messageServerId: runtime.agentId,
    metadata: {},
  });
  if (!(await runtime.getEntityById(home.entityId))) {
    await runtime.createEntity({
      id: home.entityId,
      names: [HOME_NAME],
      metadata: {},
      agentId: runtime.agentId,
    });
  }
  await runtime.ensureRoomExists({
    id: home.roomId,
    name: HOME_NAME,
    source: HOME_SOURCE,
    type: ChannelType.SELF,
    channelId: home.roomId,
    messageServerId: runtime.agentId,
    worldId: home.worldId,
  });
  return home;
}

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
