/**
 * The host's tables: mirrors of the columns used here, for typed queries with our own drizzle
 * (ELIZA_GUIDE §5), and what is read of them directly. The mirrors are never handed to `plugin.schema`:
 * the host would migrate them as ours.
 */

import { sql } from 'drizzle-orm';
import { boolean, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { type Executor, rowsOf, sqlList } from '../host/database.js';
import { yieldToLoop } from '../shared/async.js';

export const memoriesTable = pgTable('memories', {
  id: uuid('id').primaryKey().notNull(),
  type: text('type').notNull(),
  createdAt: timestamp('created_at').notNull(),
  content: jsonb('content').$type<{ text: string }>().notNull(),
  entityId: uuid('entity_id'),
  agentId: uuid('agent_id').notNull(),
  roomId: uuid('room_id'),
  worldId: uuid('world_id'),
  unique: boolean('unique').notNull(),
  metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull(),
});

export const tasksTable = pgTable('tasks', {
  id: uuid('id').primaryKey().notNull(),
  name: text('name').notNull(),
  description: text('description'),
  roomId: uuid('room_id'),
  worldId: uuid('world_id'),
  agentId: uuid('agent_id').notNull(),
  tags: text('tags').array(),
  metadata: jsonb('metadata').$type<Record<string, unknown>>(),
  createdAt: timestamp('created_at', { withTimezone: true }),
});

const IDS_PER_STATEMENT = 400;

/** Those of the given rooms that the agent knows, in lower case. */
export async function existingRooms(
  { db, home }: { db: Executor; home: { agentId: string } },
  roomIds: string[],
): Promise<Set<string>> {
  const known = new Set<string>();
  for (let start = 0; start < roomIds.length; start += IDS_PER_STATEMENT) {
    if (start > 0) await yieldToLoop();
    const ids = roomIds.slice(start, start + IDS_PER_STATEMENT);
    const rows = await rowsOf<{ id: string }>(
      db,
      sql`select id from rooms where agent_id = ${home.agentId} and id in (${sqlList(ids)})`,
    );
    for (const row of rows) known.add(row.id);
  }
  return known;
}

/**
 * Contents of the newest messages that one entity has written in a room, oldest first; results of
 * actions, which the host keeps as messages, are left out.
 *
 * @param sinceMs epoch ms, inclusive
 */
export async function messagesOf(
  db: Executor,
  from: { agentId: string; entityId: string; roomId: string },
  { sinceMs, limit }: { sinceMs: number; limit: number },
): Promise<unknown[]> {
  const since = new Date(sinceMs).toISOString();
  const rows = await rowsOf(
    db,
    sql`select content from memories
        where type = 'messages' and room_id = ${from.roomId} and agent_id = ${from.agentId}
          and entity_id = ${from.entityId} and created_at >= ${since}::timestamp
          and content->>'type' is distinct from 'action_result'
        order by created_at desc, id limit ${limit}`,
  );
  return rows.map(({ content }) => content).reverse();
}
