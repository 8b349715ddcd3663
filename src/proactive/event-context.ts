/** Who something happens to, where, and who has it in view. Pure. */
import type { Caller } from '../memory/index.js';
import type { Scope } from '../records/index.js';
import type { EventContext, EventSummary, OfferTarget, ProactiveEvent } from './types.js';

/** The context alone; what the caller is known by fills what is not said. */
export function eventContextOf(eventContext: EventContext): EventContext {
  const { agentId, projectId, sessionId, roomId, cwd, repo, branch, caller, speakerId } =
    eventContext;
  const person = caller?.kind === 'entity' ? caller : undefined;
  return {
    agentId,
    projectId,
    sessionId: sessionId ?? caller?.sessionId,
    roomId: roomId ?? person?.roomId,
    ...{ cwd, repo, branch, caller },
    speakerId: speakerId ?? person?.entityId,
  };
}

export function targetOf({ roomId, sessionId, agentId }: EventContext): OfferTarget {
  return {
    ...(roomId === undefined ? {} : { roomId }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(agentId === undefined ? {} : { agentId }),
  };
}

/** An event as the operator sees it in the decisions. */
export function summaryOf(event: ProactiveEvent): EventSummary {
  const target = targetOf(eventContextOf(event));
  return { type: event.type, subject: subjectOf(event).slice(0, 200), target };
}

function subjectOf(event: ProactiveEvent): string {
  switch (event.type) {
    case 'file_touch':
      return event.filePath;
    case 'intent_stated':
      return event.intent;
    case 'task_start':
      return event.task;
    case 'action_planned':
    case 'action_completed':
      return event.action;
    case 'session_start':
      return event.sessionId ?? '';
  }
}

/** Who answers an offer: their name, and of a client its connection and the session that its hooks speak in. */
export function answererOf(caller: Caller): { by: string; sessions?: string[] } {
  switch (caller.kind) {
    case 'operator':
      return { by: caller.agentId ?? 'operator' };
    case 'entity':
      return { by: caller.entityId };
    case 'agent': {
      const sessions = [caller.sessionId, caller.clientSession].filter((id) => id !== undefined);
      return { by: caller.identityId ?? 'agent', sessions };
    }
  }
}

/**
 * Whether a caller has an offer in view: it is for their conversation (also one that a scheduled run
 * works for), or for the client that they are.
 */
export function isInView(
  { scope, target }: { scope: Scope; target: OfferTarget },
  caller: Caller,
): boolean {
  if (caller.kind === 'entity') {
    return target.roomId === caller.roomId || scope.roomId === caller.roomId;
  }
  if (target.roomId !== undefined) return false;
  const { sessionId, agentId } = target;
  if (caller.kind === 'operator') {
    return sessionId === caller.sessionId && agentId === caller.agentId;
  }
  // A session is one client, also before it has said which identity it has.
  return (
    sessionId === caller.sessionId && (sessionId !== undefined || agentId === caller.identityId)
  );
}

/** Whether both are clients of one identity, whichever session each of them is. */
export function isSameIdentity(one: OfferTarget, other: OfferTarget): boolean {
  if (one.roomId !== undefined || other.roomId !== undefined) return false;
  return one.agentId !== undefined && one.agentId === other.agentId;
}

/** Equal for the same target; cooldowns, rate limits and standing warnings are per target. */
export function targetKey({ roomId, sessionId, agentId }: OfferTarget): string {
  if (roomId !== undefined) return `room ${roomId}`;
  if (sessionId !== undefined) return `session ${sessionId}`;
  return agentId === undefined ? 'anyone' : `agent ${agentId}`;
}
