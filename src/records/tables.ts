/**
 * Mirrors of the host's tables, only the columns used here, for typed queries with our own drizzle
 * (ELIZA_GUIDE §5). They are never handed to `plugin.schema`: the host would migrate them as ours.
 */
import { boolean, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

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
