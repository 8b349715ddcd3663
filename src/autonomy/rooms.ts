/**
 * The autonomous world: one shared SELF room for the loop and system triggers, one SELF room per
 * conversation that has triggers, and an entity of our own (the pipeline ignores messages whose
 * entity is the agent itself, ELIZA_GUIDE §0.5).
 */
import { ChannelType, createUniqueUuid, type IAgentRuntime, type UUID } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { databaseOf } from '../records/index.js';

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
  const present = await runtime.getParticipantsForRoom(ids.roomId);
  for (const entityId of [runtime.agentId, ids.entityId]) {
    if (!present.includes(entityId)) await join(runtime, entityId, ids.roomId);
  }
  return ids;
}

/**
 * The host's `addParticipant` inserts a row more each time it is asked (ELIZA_GUIDE §4), and two processes
 * may both have looked before: with an id of its own the row is there once.
 */
async function join(runtime: IAgentRuntime, entityId: UUID, roomId: UUID): Promise<void> {
  const id = createUniqueUuid(runtime, `participant:${roomId}:${entityId}`);
  await databaseOf(runtime).execute(
    sql`insert into participants (id, entity_id, room_id, agent_id)
      values (${id}, ${entityId}, ${roomId}, ${runtime.agentId}) on conflict (id) do nothing`,
  );
}
