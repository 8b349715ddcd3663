/**
 * People as work memory knows them, for every surface that is told who somebody is. What is shown
 * unasked is for everybody who hears it, so in company the agent speaks for nobody.
 */
import type { IAgentRuntime, UUID } from '@elizaos/core';
import { isPrivateRoom } from '../host/index.js';
import type { Caller, WorkMemoryService } from '../memory/index.js';
import type { Uuid } from '../shared/ids.js';

export type EntityCaller = Extract<Caller, { kind: 'entity' }>;

export interface Person {
  /** What may be read to them unasked. */
  caller: EntityCaller;
  /** Whose words these are, in company too: theirs to have forgotten. */
  speakerId: Uuid;
}

/**
 * For what is shown unasked: in company the agent speaks for nobody, so that a memory which one
 * person made in private is not brought up before the others. Asking for it is their own choice.
 */
export function discreet(caller: EntityCaller, agentId: string): EntityCaller {
  return caller.private ? caller : { ...caller, entityId: agentId as Uuid };
}

/** Who names the agent itself names no person: what is made for it alone nobody could read. */
export function isAgentItself(runtime: IAgentRuntime, entityId: string): boolean {
  return entityId.toLowerCase() === runtime.agentId;
}

/**
 * A person in a room, as events and routes name them; `null` when they are not in it, because what
 * one may read must not be brought into the room of another.
 */
export async function personIn(
  runtime: IAgentRuntime,
  memory: Pick<WorkMemoryService, 'now' | 'sessionOf'>,
  entityId: string,
  roomId: string,
): Promise<Person | null> {
  const [who, place] = [entityId.toLowerCase() as Uuid, roomId.toLowerCase() as Uuid];
  const present = await runtime.getParticipantsForRoom(place as UUID);
  if (!present.some((one) => one === who)) return null;
  const caller = await entityIn(runtime, memory, { entityId: who, roomId: place });
  return { caller: discreet(caller, runtime.agentId), speakerId: who };
}

/** @param sessionRoomId in whose session they ask, if not in that of the room */
export async function entityIn(
  runtime: IAgentRuntime,
  memory: Pick<WorkMemoryService, 'now' | 'sessionOf'>,
  who: { entityId: Uuid; roomId: Uuid },
  sessionRoomId = who.roomId,
): Promise<EntityCaller> {
  const sessionId = memory.sessionOf(sessionRoomId);
  const isPrivate = await isPrivateRoom(runtime, who.roomId, memory.now());
  return { kind: 'entity', ...who, private: isPrivate, ...(sessionId && { sessionId }) };
}
