/** Messages of the host, read where its own reader would take every row of a room. */
import { sql } from 'drizzle-orm';
import { type Executor, rowsOf } from '../host/database.js';

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
