/**
 * The autonomous world: one shared SELF room for the loop and system triggers, one SELF room per
 * conversation that has triggers, and an entity of our own (the pipeline ignores messages whose
 * entity is the agent itself, ELIZA_GUIDE §0.5).
 */
import { ChannelType, createUniqueUuid, type IAgentRuntime, type UUID } from '@elizaos/core';

export interface AutonomousRoom {
  worldId: UUID;
  roomId: UUID;
  entityId: UUID;
}

export function autonomousRoom(runtime: IAgentRuntime, originRoomId?: string): AutonomousRoom {
  return {
    worldId: createUniqueUuid(runtime, 'autonomy-world'),
    roomId: createUniqueUuid(
      runtime,
      originRoomId === undefined ? 'autonomy-room' : `autonomy-room:${originRoomId}`,
    ),
    entityId: createUniqueUuid(runtime, 'autonomy-entity'),
  };
}

/** Makes world, entity, room and participants when they are missing; safe to repeat. */
export async function ensureAutonomousRoom(
  runtime: IAgentRuntime,
  originRoomId?: string,
): Promise<AutonomousRoom> {
  const ids = autonomousRoom(runtime, originRoomId);
  await runtime.ensureWorldExists({
    id: ids.worldId,
    name: 'Autonomy',
    agentId: runtime.agentId,
    messageServerId: runtime.agentId,
    metadata: {},
  });
  if (!(await runtime.getEntityById(ids.entityId))) {
    await runtime.createEntity({
      id: ids.entityId,
      names: ['Schedule'],
      metadata: {},
      agentId: runtime.agentId,
    });
  }
  await runtime.ensureRoomExists({
    id: ids.roomId,
    name: originRoomId === undefined ? 'Autonomy' : `Autonomy for ${originRoomId}`,
    source: 'autonomy',
    type: ChannelType.SELF,
    channelId: ids.roomId,
    messageServerId: runtime.agentId,
    worldId: ids.worldId,
  });
  // addParticipant inserts a duplicate row when asked twice (ELIZA_GUIDE §4), so look first.
  const present = await runtime.getParticipantsForRoom(ids.roomId);
  for (const entityId of [runtime.agentId, ids.entityId]) {
    if (!present.includes(entityId)) await runtime.addParticipant(entityId, ids.roomId);
  }
  return ids;
}
