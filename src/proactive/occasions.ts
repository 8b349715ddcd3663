/** Who something happens to, where, and what it is about, in the words of the room. Pure. */
import type { Caller } from '../memory/index.js';
import { readHappening } from './input.js';
import type { TurnMessage } from './offer-types.js';
import type { Evaluation } from './router.js';
import type { Happening, HappeningType, Occasion, OfferTarget } from './types.js';

/**
 * What a hook was given; a text stands for the main field, as in the seed (`onFileTouch('src/a.ts')`).
 * @throws InvalidInputError
 */
export function told(input: Occasion | string, type: HappeningType, field: string): Happening {
  if (typeof input === 'string') return readHappening({ [field]: input, type });
  const { caller, ...said } = input;
  const happening = readHappening({ ...said, type });
  return caller === undefined ? happening : { ...happening, caller };
}

export function occasionIn({ agentId, projectId, sessionId, roomId, caller }: Occasion): Occasion {
  const place = roomId ?? (caller?.kind === 'entity' ? caller.roomId : undefined);
  return { agentId, projectId, sessionId: sessionId ?? caller?.sessionId, roomId: place, caller };
}

export function occasionOf(
  message: Pick<TurnMessage, 'roomId' | 'caller' | 'sessionId'>,
): Occasion {
  const { roomId, caller, sessionId } = message;
  return occasionIn({ roomId, caller, sessionId });
}

export function targetOf({ roomId, sessionId, agentId }: Occasion): OfferTarget {
  return {
    ...(roomId === undefined ? {} : { roomId }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(agentId === undefined ? {} : { agentId }),
  };
}

/** Whether a caller has offers for this target in view: those of their conversation, or of clients. */
export function isInView(target: OfferTarget, caller: Caller): boolean {
  if (caller.kind === 'entity') return target.roomId === caller.roomId;
  if (target.roomId !== undefined) return false;
  const { sessionId } = caller;
  return (
    sessionId === undefined || target.sessionId === undefined || target.sessionId === sessionId
  );
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

export function subjectOf({ input }: Evaluation): string {
  const [subject] = Object.values(input).filter((value) => typeof value === 'string');
  return (subject ?? '').slice(0, 200);
}

export function happeningSubject(happening: Happening): string {
  switch (happening.type) {
    case 'file_touch':
      return happening.filePath;
    case 'intent_stated':
      return happening.intent.slice(0, 200);
    case 'task_start':
      return happening.task.slice(0, 200);
    case 'action_planned':
      return happening.action.slice(0, 200);
    case 'session_start':
      return happening.sessionId ?? '';
  }
}
