/**
 * What autonomous runs leave in the host's tables. The host logs the whole state of every model
 * call and action, 50–260 KB a run (ELIZA_GUIDE §0.10), and never removes any of it; an agent that
 * wakes itself every few minutes would fill its disk. Only rows of our own rooms are touched.
 */
import { createUniqueUuid, type IAgentRuntime } from '@elizaos/core';
import { type SQL, sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../records/index.js';
import { DAY_MS } from '../shared/clock.js';
import { yieldToLoop } from '../shared/yield.js';

/** Logs of autonomous rooms are kept this long. */
export const KEEP_LOGS_MS = DAY_MS;
/** Instructions and answers in autonomous rooms are kept as long as the ledger keeps runs. */
export const KEEP_MESSAGES_MS = 30 * DAY_MS;
const BATCH = 200;
/** An hour's work at most; what is left goes with the next call. */
const MAX_BATCHES = 100;

/** Removes what is old, in small statements; returns how many rows went. */
export async function tidyAutonomousRooms(
  runtime: IAgentRuntime,
  db: Database,
  nowMs: number,
): Promise<{ logs: number; messages: number }> {
  const worldId = createUniqueUuid(runtime, 'autonomy-world');
  const ours = sql`select id from rooms where world_id = ${worldId}`;
  const before = (ms: number) => new Date(nowMs - ms).toISOString();
  return {
    logs: await inBatches(
      db,
      sql`delete from logs where ctid in (select ctid from logs where room_id in (${ours})
        and created_at < ${before(KEEP_LOGS_MS)}::timestamptz limit ${BATCH}) returning 1 as gone`,
    ),
    messages: await inBatches(
      db,
      sql`delete from memories where id in (select id from memories where type = 'messages'
        and room_id in (${ours}) and created_at < ${before(KEEP_MESSAGES_MS)}::timestamp
        limit ${BATCH}) returning 1 as gone`,
    ),
  };
}

async function inBatches(db: Database, statement: SQL): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const gone = (await rowsOf(db, statement)).length;
    removed += gone;
    if (gone < BATCH) break;
    await yieldToLoop();
  }
  return removed;
}
