/**
 * Turns by day in the host's table `cache`, whose own functions would not do: they answer an error
 * as if there were nothing, and to count by reading and writing loses what others count meanwhile.
 */
import { sql } from 'drizzle-orm';
import type { TurnStore } from '../proactive/index.js';
import { type Database, rowsOf } from '../records/index.js';
import type { Uuid } from '../shared/ids.js';

/** Each agent has a row of its own; those of a project are read together. */
export function turnsIn(
  db: () => Database,
  { agentId, projectId }: { agentId: Uuid; projectId: Uuid },
): TurnStore {
  const key = `cue:turns:${projectId}`;
  return {
    async read() {
      const rows = await rowsOf<{ day: string; turns: number }>(
        db(),
        sql`select days.day, sum(days.turns::text::float8) as turns
          from cache, jsonb_each(${objectIn('cache.value')}) as days(day, turns)
          where cache.key = ${key} and jsonb_typeof(days.turns) = 'number'
          group by days.day`,
      );
      return Object.fromEntries(rows.map(({ day, turns }) => [day, Number(turns)]));
    },
    async add(turns, firstDay) {
      await db().execute(sql`
        insert into cache (key, agent_id, value)
        values (${key}, ${agentId}, ${JSON.stringify(turns)}::jsonb)
        on conflict (key, agent_id) do update set value = (
          select coalesce(jsonb_object_agg(sums.day, sums.turns), '{}'::jsonb)
          from (
            select days.day, sum(days.turns::text::float8) as turns
            from (
              select * from jsonb_each(${objectIn('cache.value')})
              union all
              select * from jsonb_each(excluded.value)
            ) as days(day, turns)
            where days.day >= ${firstDay} and jsonb_typeof(days.turns) = 'number'
            group by days.day
          ) as sums
        )`);
    },
  };
}

/** What is no object, since anybody may write there, is an empty one. */
function objectIn(column: 'cache.value') {
  const value = sql.raw(column);
  return sql`case when jsonb_typeof(${value}) = 'object' then ${value} else '{}'::jsonb end`;
}
