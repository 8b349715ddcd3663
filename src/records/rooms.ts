import { sql } from 'drizzle-orm';
import { rowsOf, sqlList } from '../host/database.js';
import { yieldToLoop } from '../shared/yield.js';
import type { Records } from './records.js';

const IDS_PER_STATEMENT = 400;

/** Those of the given rooms that the agent knows, in lower case. */
export async function existingRooms(
  { db, home }: Pick<Records, 'db' | 'home'>,
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
