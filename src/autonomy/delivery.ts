/**
 * Brings an answer to the room where it was asked for (DESIGN §5). The model never chooses the
 * room. Rooms of Eliza's own server have no send handler: they are reached through the message
 * route of the server with an id derived from the run, so that a repeat cannot say it twice.
 */
import type { IAgentRuntime, UUID } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import type { DeliveryOutcome, DeliveryRequest } from '../host/index.js';
import { type Database, rowsOf } from '../records/index.js';
import { HOUR_MS, MINUTE_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import { derivedId } from '../shared/ids.js';

/** Where the Eliza server listens, read from the environment as the host reads it (DESIGN §11a). */
export interface ServerAddress {
  baseUrl: string;
  apiKey?: string;
}

export interface DeliverDeps {
  runtime: IAgentRuntime;
  db: Database;
  server: () => ServerAddress;
  fetch: typeof fetch;
  /** After a crash while a send handler was running: send again (true) or hold (false). */
  resendUnknown: boolean;
  /** Recorded before a send handler is called, which cannot be asked whether it has sent. */
  onSending: (triggerRunId: string) => Promise<void>;
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';
const BACKOFF_MS = [10_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS];
export const MAX_DELIVERY_ATTEMPTS = 10;
const SUBMIT_TIMEOUT_MS = 15_000;

/** Id of the delivered message, in the channel and in the origin room. */
export function deliveryMessageId(triggerRunId: string): UUID {
  return derivedId('delivery', triggerRunId);
}

/** One attempt; never throws. */
export async function deliver(
  deps: DeliverDeps,
  request: DeliveryRequest,
): Promise<DeliveryOutcome> {
  const messageId = deliveryMessageId(request.triggerRunId);
  const again = (error: string, retryAfterMs?: number): DeliveryOutcome =>
    // Being told to wait (429) is no failure, however often it happens.
    retryAfterMs === undefined && request.attempts + 1 >= MAX_DELIVERY_ATTEMPTS
      ? { state: 'failed', messageId, error }
      : {
          state: 'pending',
          messageId,
          error,
          retryAfterMs:
            retryAfterMs ??
            BACKOFF_MS[Math.min(request.attempts, BACKOFF_MS.length - 1)] ??
            HOUR_MS,
        };
  try {
    const room = await deps.runtime.getRoom(request.roomId as UUID);
    if (!room) {
      return { state: 'failed', messageId, error: 'the chat it was asked in no longer exists' };
    }
    const channelId = room.channelId ?? request.roomId;
    if (await isServerChannel(deps.db, channelId)) {
      const worldServerId = room.worldId
        ? (await deps.runtime.getWorld(room.worldId))?.messageServerId
        : undefined;
      const serverId = room.messageServerId ?? worldServerId ?? NIL_UUID;
      const failure = await submit(deps, { ...request, messageId, channelId, serverId });
      if (failure) return again(failure.error, failure.retryAfterMs);
      await rememberInRoom(deps.runtime, request, room.worldId, messageId);
      return { state: 'delivered', messageId };
    }
    const source = request.source ?? room.source;
    // What the agent said belongs to its memory of that room even while it is not yet delivered.
    await rememberInRoom(deps.runtime, request, room.worldId, messageId);
    if (!hasSendHandler(deps.runtime, source)) {
      return again(`nothing can send to "${source}": no send handler is registered for it`);
    }
    if (request.wasSending && !deps.resendUnknown) {
      return {
        state: 'unknown',
        messageId,
        error: 'the process ended while sending: it may or may not have arrived',
      };
    }
    await deps.onSending(request.triggerRunId);
    await deps.runtime.sendMessageToTarget(
      {
        source,
        roomId: request.roomId as UUID,
        channelId,
        ...(room.serverId ? { serverId: room.serverId } : {}),
      },
      { text: request.text, source, responseId: messageId },
    );
    return { state: 'delivered', messageId };
  } catch (error) {
    return again(messageOf(error));
  }
}

/** A room belongs to the server when its channel is a row of `channels` (`room.source` lies). */
async function isServerChannel(db: Database, channelId: string): Promise<boolean> {
  const rows = await rowsOf(db, sql`select 1 as one from channels where id = ${channelId} limit 1`);
  return rows.length > 0;
}

async function alreadySubmitted(db: Database, messageId: string): Promise<boolean> {
  const rows = await rowsOf(
    db,
    sql`select 1 as one from central_messages where id = ${messageId} limit 1`,
  );
  return rows.length > 0;
}

async function submit(
  deps: DeliverDeps,
  message: DeliveryRequest & { messageId: string; channelId: string; serverId: string },
): Promise<{ error: string; retryAfterMs?: number } | null> {
  // The host answers a second submit of an id with a 500 after four seconds, the same as for an
  // unknown channel, so the table is asked before and after.
  if (await alreadySubmitted(deps.db, message.messageId)) return null;
  const { baseUrl, apiKey } = deps.server();
  let failure: { error: string; retryAfterMs?: number };
  try {
    const response = await deps.fetch(new URL('/api/messaging/submit', baseUrl), {
      method: 'POST',
      signal: AbortSignal.timeout(SUBMIT_TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
      },
      body: JSON.stringify({
        messageId: message.messageId,
        channel_id: message.channelId,
        message_server_id: message.serverId,
        author_id: deps.runtime.agentId,
        content: message.text,
        source_type: 'agent_response',
        raw_message: { text: message.text, thought: message.thought ?? '', actions: ['REPLY'] },
        metadata: {
          agent_id: deps.runtime.agentId,
          agentName: deps.runtime.character.name,
          triggerRunId: message.triggerRunId,
        },
      }),
    });
    if (response.status === 201) return null;
    const retryAfterS = Number(response.headers.get('retry-after'));
    failure = {
      error: `the message server answered ${response.status}`,
      ...(response.status === 429
        ? { retryAfterMs: retryAfterS > 0 ? retryAfterS * 1_000 : MINUTE_MS }
        : {}),
    };
  } catch (error) {
    failure = { error: `the message server at ${baseUrl} did not answer: ${messageOf(error)}` };
  }
  return (await alreadySubmitted(deps.db, message.messageId)) ? null : failure;
}

async function rememberInRoom(
  runtime: IAgentRuntime,
  request: DeliveryRequest,
  worldId: UUID | undefined,
  messageId: UUID,
): Promise<void> {
  await runtime.createMemory(
    {
      id: messageId,
      entityId: runtime.agentId,
      agentId: runtime.agentId,
      roomId: request.roomId as UUID,
      ...(worldId ? { worldId } : {}),
      content: { text: request.text, thought: request.thought ?? '', source: 'trigger' },
      metadata: { type: 'trigger_answer', triggerRunId: request.triggerRunId },
    },
    'messages',
    true,
  );
}

/** The runtime keeps its send handlers in a map that the interface does not declare. */
function hasSendHandler(runtime: IAgentRuntime, source: string): boolean {
  const handlers: unknown = 'sendHandlers' in runtime ? runtime.sendHandlers : undefined;
  // Without the map (another host) the attempt itself tells.
  return handlers instanceof Map ? handlers.has(source) : true;
}
