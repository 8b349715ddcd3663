/**
 * What has been changed by hand of the autonomy settings. It lies in the database and is read there each
 * time, because every process of the agent must follow it; the host's own cache answers "nothing kept"
 * when the database cannot be asked, which would switch on what somebody has switched off.
 */
import type { IAgentRuntime } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { databaseOf, rowsOf } from '../records/index.js';
import { type AutonomyChange, autonomyChangeSchema } from './schema.js';

const KEY = 'cue:autonomy';

export async function keptChange(runtime: IAgentRuntime): Promise<AutonomyChange> {
  const [row] = await rowsOf<{ value: unknown }>(
    databaseOf(runtime),
    sql`select value from cache where key = ${KEY} and agent_id = ${runtime.agentId}`,
  );
  const kept = autonomyChangeSchema.safeParse(row?.value ?? {});
  return kept.success ? kept.data : {};
}

/** In one statement: what another process changes at the same moment stays. */
export async function keepChange(runtime: IAgentRuntime, change: AutonomyChange): Promise<void> {
  await databaseOf(runtime).execute(
    sql`insert into cache (key, agent_id, value)
      values (${KEY}, ${runtime.agentId}, ${JSON.stringify(change)}::jsonb)
      on conflict (key, agent_id) do update set value = cache.value || excluded.value`,
  );
}
