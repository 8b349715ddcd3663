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
  isDirect: boolean;
  atMs: number;
}

const channels = new WeakMap<IAgentRuntime, Map<string, Known>>();

/** A room that is not known is nobody else's either; a channel that cannot be read is company. */
export async function isPrivateRoom(
  runtime: IAgentRuntime,
  roomId: string,
  nowMs: number,
): Promise<boolean> {
  const room = await roomOf(runtime, roomId);
  if (room === null || PRIVATE_ROOMS.has(room.type)) return true;
  return isDirectChannel(runtime, room.channelId ?? roomId, nowMs);
}

type Room = Awaited<ReturnType<IAgentRuntime['getRoom']>>;
/** Rooms that are being read: the providers of a turn ask for theirs side by side. */
const reading = new WeakMap<IAgentRuntime, Map<string, Promise<Room>>>();

function roomOf(runtime: IAgentRuntime, roomId: string): Promise<Room> {
  const asked = reading.get(runtime) ?? new Map<string, Promise<Room>>();
  reading.set(runtime, asked);
  const known = asked.get(roomId);
  if (known !== undefined) return known;
  const room = runtime.getRoom(roomId as UUID);
  asked.set(roomId, room);
  const forget = () => asked.delete(roomId);
  room.then(forget, forget);
  return room;
}

async function isDirectChannel(
  runtime: IAgentRuntime,
  channelId: string,
  nowMs: number,
): Promise<boolean> {
  const kept = channels.get(runtime) ?? new Map<string, Known>();
  channels.set(runtime, kept);
  const known = kept.get(channelId);
  if (known !== undefined && Math.abs(nowMs - known.atMs) < KEPT_MS) return known.isDirect;
  try {
    const isDirect = await readChannel(runtime, channelId);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(channelId, { isDirect, atMs: nowMs });
    return isDirect;
  } catch (error) {
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
