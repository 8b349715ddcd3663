/**
 * Whether a room is a talk with one person alone. The type of a room is what its client says; a
 * direct chat that is opened over the server's API becomes a room of type GROUP, because the host
 * takes the type from the metadata of the message. The server's own row of the channel knows.
 */
import { ChannelType, type IAgentRuntime, type UUID } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { MINUTE_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import { databaseOf, rowsOf } from './database.js';

const PRIVATE_ROOMS: ReadonlySet<string> = new Set([
  ChannelType.DM,
  ChannelType.VOICE_DM,
  ChannelType.SELF,
]);

/** The agent and one person. */
const MOST_IN_PRIVATE = 2;
/** A channel that others join is company from then on, so what was read is not kept for long. */
const KEPT_MS = MINUTE_MS;
const MAX_KEPT = 1_000;

interface Known {
  isPrivate: Promise<boolean>;
  atMs: number;
}

const rooms = new WeakMap<IAgentRuntime, Map<string, Known>>();

/** A room that is not known is nobody else's either; a channel that cannot be read is company. */
export function isPrivateRoom(
  runtime: IAgentRuntime,
  roomId: string,
  nowMs: number,
): Promise<boolean> {
  const kept = rooms.get(runtime) ?? new Map<string, Known>();
  rooms.set(runtime, kept);
  const known = kept.get(roomId);
  if (known !== undefined && Math.abs(nowMs - known.atMs) < KEPT_MS) return known.isPrivate;
  const forget = () => kept.delete(roomId);
  const isPrivate = readRoom(runtime, roomId, forget);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(roomId, { isPrivate, atMs: nowMs });
  isPrivate.catch(forget);
  return isPrivate;
}

/** @param forget what is read now is not to be kept */
async function readRoom(
  runtime: IAgentRuntime,
  roomId: string,
  forget: () => void,
): Promise<boolean> {
  const room = await runtime.getRoom(roomId as UUID);
  if (room === null) {
    forget();
    return true;
  }
  if (PRIVATE_ROOMS.has(room.type)) return true;
  try {
    return await readChannel(runtime, room.channelId ?? roomId);
  } catch (error) {
    forget();
    runtime.logger.warn(
      { src: 'plugin:cue:eliza', agentId: runtime.agentId, error: messageOf(error) },
      'the channel of a room could not be read: it counts as company',
    );
    return false;
  }
}

async function readChannel(runtime: IAgentRuntime, channelId: string): Promise<boolean> {
  const [row] = await rowsOf(
    databaseOf(runtime),
    sql`select c.type, (select count(*) from channel_participants p where p.channel_id = c.id) as people
        from channels c where c.id = ${channelId} limit 1`,
  );
  return (
    row !== undefined &&
    PRIVATE_ROOMS.has(String(row.type)) &&
    Number(row.people) <= MOST_IN_PRIVATE
  );
}
