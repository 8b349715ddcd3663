/** Numbers of triggers: for limits, and for health. */
import { sql } from 'drizzle-orm';
import { rowsOf } from '../../records/index.js';
import { ENABLED, INVALID, NEXT_RUN, RESTING } from './conditions.js';
import type { TaskTable } from './table.js';

export function createTaskCounts(table: TaskTable) {
  const { db, mine, awake, countOf } = table;
  return {
    /** Enabled triggers, of one creator or of the agent. */
    countEnabled(
      creator?: string,
      kind: 'creatorEntityId' | 'creatorAgentId' | 'creatorIsGuest' = 'creatorEntityId',
    ): Promise<number> {
      return countOf(
        creator === undefined
          ? sql`select (select count(*) from tasks where ${mine} and ${RESTING})
              + (select count(*) from (${awake(sql`metadata`)}) awake where ${ENABLED}) as n`
          : sql`select count(*) as n from tasks where ${mine} and ${ENABLED}
              and metadata->'trigger'->>${sql.raw(`'${kind}'`)} = ${creator}`,
      );
    },

    /** Triggers that another one has asked for. */
    countChildren(parentTriggerId: string): Promise<number> {
      return countOf(
        sql`select count(*) as n from tasks where ${mine}
          and metadata->'trigger'->>'parentTriggerId' = ${parentTriggerId}`,
      );
    },

    /** Rows per state and the time of the longest overdue one, for health. */
    async census(nowMs: number): Promise<{
      active: number;
      resting: number;
      disabled: number;
      paused: number;
      invalid: number;
      oldestDueLagMs: number;
    }> {
      const [row] = await rowsOf<Record<string, string | number | null>>(
        db,
        sql`select
            (select count(*) from tasks where ${mine} and ${RESTING}) as resting,
            (select min(${NEXT_RUN}) from tasks where ${mine} and ${RESTING}) as oldest_resting,
            count(*) filter (where not ${INVALID} and ${ENABLED}) as active,
            count(*) filter (where not ${INVALID} and not ${ENABLED}
              and not (metadata->'trigger' ? 'pausedReason')) as disabled,
            count(*) filter (where not ${INVALID} and not ${ENABLED}
              and metadata->'trigger' ? 'pausedReason') as paused,
            count(*) filter (where ${INVALID}) as invalid,
            min(${NEXT_RUN}) filter (where not ${INVALID} and ${ENABLED}) as oldest
          from (${awake(sql`tags, metadata`)}) awake`,
      );
      const n = (key: string) => Number(row?.[key] ?? 0);
      const times = [row?.oldest, row?.oldest_resting].flatMap((at) =>
        at === null || at === undefined ? [] : [Number(at)],
      );
      const oldest = times.length === 0 ? null : Math.min(...times);
      return {
        active: n('active'),
        resting: n('resting'),
        disabled: n('disabled'),
        paused: n('paused'),
        invalid: n('invalid'),
        oldestDueLagMs: oldest === null ? 0 : Math.max(0, nowMs - oldest),
      };
    },
  };
}
