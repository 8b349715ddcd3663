/** Who something happens to, where, and what it is about, in the words of the room. Pure. */
import type { Caller } from '../memory/index.js';
import type { Scope } from '../records/index.js';
import { readHappening } from './input.js';
import type { HappeningSummary, TurnMessage } from './offer-types.js';
import type { Evaluation } from './router.js';
import type { Happening, HappeningType, Occasion, OfferTarget } from './types.js';

/**
 * What a hook was given; a text stands for the main field, as in the seed (`onFileTouch('src/a.ts')`).
 * @throws InvalidInputError
 */
export function told(input: Occasion | string, type: HappeningType, field: string): Happening {
  if (typeof input === 'string') return readHappening({ [field]: input, type });
  const { caller, speakerId, ...said } = input;
  return { ...readHappening({ ...said, type }), caller, speakerId };
}

export function occasionIn(occasion: Occasion): Occasion {
  const { agentId, projectId, sessionId, roomId, caller, speakerId } = occasion;
  const place = roomId ?? (caller?.kind === 'entity' ? caller.roomId : undefined);
  return {
    agentId,
    projectId,
    sessionId: sessionId ?? caller?.sessionId,
    roomId: place,
    ...whereIn(occasion),
    caller,
    speakerId: speakerId ?? (caller?.kind === 'entity' ? caller.entityId : undefined),
  };
}

/** What it says of the folder it happens in. */
export function whereIn({
  cwd,
  repo,
  branch,
}: Occasion): Pick<Occasion, 'cwd' | 'repo' | 'branch'> {
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(repo === undefined ? {} : { repo }),
    ...(branch === undefined ? {} : { branch }),
  };
}

export function occasionOf(
  message: Pick<TurnMessage, 'roomId' | 'caller' | 'sessionId' | 'speakerId'>,
): Occasion {
  const { roomId, caller, sessionId, speakerId } = message;
  return occasionIn({ roomId, caller, sessionId, speakerId });
}

/** A slip in the name of the project must not look like "nothing known". */
export function elsewhere(
  { projectId }: Occasion,
  checks: { isProject(id: string): boolean },
): string[] {
  if (projectId === undefined || checks.isProject(projectId)) return [];
  return [`"${projectId}" is not the project served here: nothing of it is known`];
}

/** Of a client: its connection, and the session of its own that its hooks speak in. */
export function sessionsOf(caller: Caller): string[] | undefined {
  if (caller.kind !== 'agent') return undefined;
  return [caller.sessionId, caller.clientSession].filter((id) => id !== undefined);
}

/** The session in which the hooks of a client speak that is connected, too. */
export function clientSessionOf({ caller }: Occasion): string | undefined {
  return caller?.kind === 'agent' ? caller.clientSession : undefined;
}

export function targetOf({ roomId, sessionId, agentId }: Occasion): OfferTarget {
  return {
    ...(roomId === undefined ? {} : { roomId }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(agentId === undefined ? {} : { agentId }),
  };
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
  if (caller.kind === 'agent') {
    // A session is one client, also before it has said which identity it has.
    const { sessionId, agentId } = target;
    return (
      sessionId === caller.sessionId && (sessionId !== undefined || agentId === caller.identityId)
    );
  }
  return target.sessionId === caller.sessionId && target.agentId === caller.agentId;
}

export function nameOf(caller: Caller): string {
  switch (caller.kind) {
    case 'operator':
      return caller.agentId ?? 'operator';
    case 'agent':
      return caller.identityId ?? 'agent';
    case 'entity':
      return caller.entityId;
  }
}

export function subjectOf({ detector, input }: Evaluation): string {
  if (detector === 'whenMatch' || detector === 'hintMatch') {
    return (input.text || (input.files[0] ?? '')).slice(0, 200);
  }
  const [subject] = Object.values(input).filter((value) => typeof value === 'string');
  return (subject ?? '').slice(0, 200);
}

/** A happening as the operator sees it in the decisions. */
export function summaryOf(happening: Happening): HappeningSummary {
  const target = targetOf(occasionIn(happening));
  return { type: happening.type, subject: subjectOfHappening(happening), target };
}

function subjectOfHappening(happening: Happening): string {
  switch (happening.type) {
    case 'file_touch':
      return happening.filePath;
    case 'intent_stated':
      return happening.intent.slice(0, 200);
    case 'task_start':
      return happening.task.slice(0, 200);
    case 'action_planned':
    case 'action_completed':
      return happening.action.slice(0, 200);
    case 'session_start':
      return happening.sessionId ?? '';
  }
}

/** Whether both are clients of one identity, whichever session each of them is. */
export function isSameIdentity(one: OfferTarget, other: OfferTarget): boolean {
  if (one.roomId !== undefined || other.roomId !== undefined) return false;
  return one.agentId !== undefined && one.agentId === other.agentId;
}

/** Equal for targets that are the same place; cooldowns, rate limits and standing warnings are per place. */
export function placeKey({ roomId, sessionId, agentId }: OfferTarget): string {
  if (roomId !== undefined) return `room ${roomId}`;
  if (sessionId !== undefined) return `session ${sessionId}`;
  return agentId === undefined ? 'anyone' : `agent ${agentId}`;
}
