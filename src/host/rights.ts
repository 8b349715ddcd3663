/**
 * Who is owner or admin, as far as the host's word can be taken for it. For whoever opens a direct
 * chat the host writes that they own the world of that chat (`syncSingleUser` of plugin-bootstrap);
 * on the Eliza server that is one world for all of its chats, owned by who came first. So an owner
 * counts only in a world that is more than direct chats, and only if not made that way.
 */
import { ChannelType, type IAgentRuntime, type UUID, type World } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { databaseOf, rowsOf, sqlList } from './database.js';

const DIRECT: readonly string[] = [ChannelType.DM, ChannelType.VOICE_DM, ChannelType.SELF];

/** Owner or admin of the world that a room belongs to. */
export async function isWorldAdmin(
  runtime: IAgentRuntime,
  entityId: string,
  roomId: string | undefined,
): Promise<boolean> {
  if (roomId === undefined) return false;
  const room = await runtime.getRoom(roomId as UUID);
  const world = room?.worldId ? await runtime.getWorld(room.worldId) : null;
  return world !== null && (await isAdminOf(runtime, world, entityId));
}

/**
 * Whether a person may write what is everybody's: owner or admin of the room's world; in a direct
 * chat, which is no place of its own, of any world.
 */
export async function isProjectAdmin(
  runtime: IAgentRuntime,
  entityId: string,
  roomId: string,
): Promise<boolean> {
  if (await isWorldAdmin(runtime, entityId, roomId)) return true;
  if (!(await isDirect(runtime, roomId))) return false;
  for (const world of await runtime.getAllWorlds()) {
    if (await isAdminOf(runtime, world, entityId)) return true;
  }
  return false;
}

/** The host makes owners by itself, but never an admin: whoever is one was made one on purpose. */
async function isAdminOf(
  runtime: IAgentRuntime,
  { id, metadata }: World,
  entityId: string,
): Promise<boolean> {
  if (!metadata) return false;
  const role = metadata.roles?.[entityId as UUID];
  if (role === 'ADMIN') return true;
  if (role !== 'OWNER' && metadata.ownership?.ownerId !== entityId) return false;
  // What the host makes for a direct chat always has settings, at first empty ones.
  if (metadata.settings === undefined) return true;
  return !isOfDirectChat(metadata) && (await isShared(runtime, id));
}

/** Exactly what the host writes for who opens a direct chat, and nobody has added to it. */
function isOfDirectChat({ ownership, roles, settings, ...more }: NonNullable<World['metadata']>) {
  const [only, ...others] = Object.keys(roles ?? {});
  return (
    others.length === 0 &&
    only !== undefined &&
    only === ownership?.ownerId &&
    settings !== undefined &&
    [settings, more].every((part) => Object.keys(part ?? {}).length === 0)
  );
}

/**
 * Whether a world has a room that is no direct chat. The host takes the type of a room from a message;
 * what the server knows of the channel comes first.
 */
async function isShared(runtime: IAgentRuntime, worldId: string): Promise<boolean> {
  const found = await rowsOf(
    databaseOf(runtime),
    sql`select 1 from rooms r where r.world_id = ${worldId} and ${isNoDirectChat} limit 1`,
  );
  return found.length > 0;
}

async function isDirect(runtime: IAgentRuntime, roomId: string): Promise<boolean> {
  const found = await rowsOf(
    databaseOf(runtime),
    sql`select 1 from rooms r where r.id = ${roomId} and not (${isNoDirectChat}) limit 1`,
  );
  return found.length > 0;
}

const directTypes = sqlList(DIRECT);
const isNoDirectChat = sql`r.type not in (${directTypes}) and not exists (
  select 1 from channels c where c.id = r.channel_id and c.type in (${directTypes}))`;
