/**
 * One message that an action has to answer: who asks with whose rights, from which room, in which
 * time zone. Inside a trigger run the message comes from the autonomy entity and the creator of the
 * trigger is meant; the entity decides, because anybody can write metadata.
 */
import type { IAgentRuntime, Memory, UUID } from '@elizaos/core';
import { autonomousRoom, INSTRUCTION_TYPE } from '../../autonomy/index.js';
import { serviceOf } from '../../host/index.js';
import { isUuid } from '../../shared/ids.js';
import { fieldOf } from '../../shared/json.js';
import { isTimeZone } from '../../shared/zones.js';
import {
  type DeliverTo,
  type KnownZone,
  type Requester,
  TriggerService,
} from '../../triggers/index.js';
import { createPerMessage } from './per-message.js';

export interface Turn {
  runtime: IAgentRuntime;
  service: TriggerService;
  text: string;
  /** Of the message, if the host has given it one. */
  messageId: string | undefined;
  /** Read once; everything of this turn happens at that time. */
  nowMs: number;
  requester: Extract<Requester, { kind: 'entity' }>;
  /** Conversation this is about: the room of the message, in a run the one the trigger came from. */
  roomId: string | undefined;
  deliverTo: DeliverTo | undefined;
  /** Set inside a trigger run: nobody is there to answer a question. */
  run: { triggerId: string | undefined } | null;
  zone: KnownZone;
}

/** What one person has to know of their triggers, read once per message. */
export const summaries = createPerMessage<Awaited<ReturnType<TriggerService['promptSummary']>>>();

export function triggerServiceOf(runtime: IAgentRuntime): TriggerService | null {
  return serviceOf(runtime, TriggerService);
}

/**
 * True for the instruction of a trigger or of the loop: written by our own entity, in the very room
 * where we put it. Its metadata is believed only then.
 */
export function isAutonomous(runtime: IAgentRuntime, message: Memory): boolean {
  if (fieldOf(message.metadata, 'type') !== INSTRUCTION_TYPE) return false;
  const origin = fieldOf(message.metadata, 'originRoomId');
  const place = autonomousRoom(runtime, isUuid(origin) ? origin : undefined);
  return message.entityId === place.entityId && message.roomId === place.roomId;
}

export function requesterOf(
  runtime: IAgentRuntime,
  message: Memory,
): { requester: Turn['requester']; roomId: string | undefined; run: Turn['run'] } {
  if (!isAutonomous(runtime, message)) {
    return {
      requester: { kind: 'entity', entityId: message.entityId, roomId: message.roomId },
      roomId: message.roomId,
      run: null,
    };
  }
  const id = (key: string) => {
    const value = fieldOf(message.metadata, key);
    return isUuid(value) ? value : undefined;
  };
  const roomId = id('originRoomId');
  const triggerId = id('triggerId');
  return {
    requester: {
      kind: 'entity',
      // A trigger without a creator (an operator's, the loop's) lends nobody's rights.
      entityId: id('creatorEntityId') ?? message.entityId,
      ...(roomId === undefined ? {} : { roomId }),
      ...(triggerId === undefined ? {} : { viaRunOfTriggerId: triggerId }),
    },
    roomId,
    run: { triggerId },
  };
}

/** The trigger's header is the host's talk, not part of what was asked. */
const RUN_HEADER = /^\[Scheduled task [^\n]*\n+/;

/** What the person said, in a run what the trigger is to do. */
export function saidText(message: Memory, run: Turn['run']): string {
  const said = typeof message.content.text === 'string' ? message.content.text : '';
  return run === null ? said : said.replace(RUN_HEADER, '');
}

/** `null`: the service is not running. */
export async function turnOf(runtime: IAgentRuntime, message: Memory): Promise<Turn | null> {
  const service = triggerServiceOf(runtime);
  if (service === null) return null;
  const who = requesterOf(runtime, message);
  return {
    runtime,
    service,
    nowMs: service.now(),
    text: saidText(message, who.run),
    messageId: message.id,
    ...who,
    deliverTo: await deliverToOf(service, message, who),
    zone: await zoneOf(runtime, service, message, who.requester.entityId),
  };
}

/** Answers go where it was asked for; those of a trigger made in a run where the run's own go. */
async function deliverToOf(
  service: TriggerService,
  message: Memory,
  who: ReturnType<typeof requesterOf>,
): Promise<DeliverTo | undefined> {
  if (who.run?.triggerId !== undefined) {
    const parent = await service.get(who.run.triggerId, { kind: 'operator' }).catch(() => null);
    if (parent?.deliverTo) return parent.deliverTo;
  }
  if (who.roomId === undefined) return undefined;
  const source = who.run === null ? message.content.source : undefined;
  return {
    roomId: who.roomId,
    ...(typeof source === 'string' && source !== '' ? { source: source.slice(0, 100) } : {}),
  };
}

async function zoneOf(
  runtime: IAgentRuntime,
  service: TriggerService,
  message: Memory,
  entityId: string,
): Promise<KnownZone> {
  const told = await toldZone(runtime, message, entityId);
  return told === null ? service.zoneOf(undefined) : { name: told, source: 'person' };
}

/** The zone that the person has told us, or their client says; `null` when nobody has said it. */
export async function toldZone(
  runtime: IAgentRuntime,
  message: Memory,
  entityId: string,
): Promise<string | null> {
  const told = await triggerServiceOf(runtime)?.toldTimezone(entityId);
  if (typeof told === 'string') return told;
  const sent = [message.metadata, message.content.metadata].map((data) =>
    fieldOf(data, 'timezone'),
  );
  const entity = await runtime.getEntityById(entityId as UUID);
  for (const candidate of [...sent, fieldOf(entity?.metadata, 'timezone')]) {
    if (typeof candidate === 'string' && isTimeZone(candidate)) return candidate;
  }
  return null;
}
