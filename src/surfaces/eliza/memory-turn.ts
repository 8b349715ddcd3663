/**
 * One message about work memory: who asks, and how many others hear the answer. What is made with
 * somebody alone is theirs alone; what is made in company belongs to that room (DESIGN §3). Inside a
 * trigger run the creator of the trigger is meant, in the conversation it came from.
 */
import type { Action, IAgentRuntime, Memory } from '@elizaos/core';
import { serviceOf } from '../../host/index.js';
import { WorkMemoryService } from '../../memory/index.js';
import type { Uuid } from '../../shared/ids.js';
import { type EntityCaller, entityIn } from '../people.js';
import { type ActionFamily, type ActionSpec, framedAction } from './action-frame.js';
import { inConversation } from './open-questions.js';
import type { Asker } from './pending.js';
import { requesterOf, saidText, toldZone } from './turn.js';

/** A message as every action but those about triggers takes it. */
export interface Heard extends Asker {
  memory: WorkMemoryService;
  text: string;
  caller: EntityCaller;
}

export interface MemoryTurn extends Heard {
  service: WorkMemoryService;
  /** In which "yesterday" is read; empty when the person has told none: the agent's. */
  zone: { zone?: string };
}

export function memoryServiceOf(runtime: IAgentRuntime): WorkMemoryService | null {
  return serviceOf(runtime, WorkMemoryService);
}

/** `null`: work memory, which knows the conversations, is not running. */
export async function heardIn(runtime: IAgentRuntime, message: Memory): Promise<Heard | null> {
  const memory = memoryServiceOf(runtime);
  if (memory === null) return null;
  const who = requesterOf(runtime, message);
  const caller = await callerOf(runtime, memory, message);
  return { runtime, memory, nowMs: memory.now(), text: saidText(message, who.run), ...who, caller };
}

/** The zone of who asks, as recall takes it. */
export async function recallZone(
  runtime: IAgentRuntime,
  message: Memory,
  entityId: string,
): Promise<{ zone?: string }> {
  const zone = await toldZone(runtime, message, entityId);
  return zone === null ? {} : { zone };
}

export async function callerOf(
  runtime: IAgentRuntime,
  service: WorkMemoryService,
  message: Memory,
): Promise<EntityCaller> {
  const { requester, roomId } = requesterOf(runtime, message);
  const who = { entityId: requester.entityId as Uuid, roomId: (roomId ?? message.roomId) as Uuid };
  // A scheduled run is no part of the conversation that it is about: it has its own room's session.
  return entityIn(runtime, service, who, message.roomId);
}

const MEMORIES: ActionFamily<MemoryTurn> = {
  succeeded: 'memoryActionSucceeded',
  isPresent: (runtime) => memoryServiceOf(runtime) !== null,
  absent: 'I cannot reach my work memory right now: its service is not running.',
  notFound: 'I have no such memory, or it is not yours to see.',
  nameOf: (field) => (field === '(body)' ? undefined : `"${field}"`),
  async turnOf(runtime, message) {
    const heard = await heardIn(runtime, message);
    if (heard === null) return null;
    const zone = await recallZone(runtime, message, heard.requester.entityId);
    return { ...heard, service: heard.memory, zone };
  },
  around: inConversation,
};

export function memoryAction(spec: ActionSpec<MemoryTurn>): Action {
  return framedAction(spec, MEMORIES);
}
