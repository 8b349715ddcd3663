/** The indexes on Eliza's `tasks` table. */
import { sql } from 'drizzle-orm';
import type { IndexSpec } from '../../records/index.js';
import { COLD, CREATED, HOME_ROOM, HOT, NEXT_RUN, RESTING } from './conditions.js';

/**
 * PGlite never runs ANALYZE, so the planner takes every equality for equally selective, and an index
 * that begins with `agent_id` ties with the right one although it holds the whole table (measured at
 * 10,000: 1.3 s for 50 keys instead of 3 ms). So only the small ones begin with it; the keys are
 * unique across agents anyway. Queries repeat the conditions as the indexes have them.
 */
export const TASK_INDEXES: IndexSpec[] = [
  {
    name: 'cue_tasks_tags',
    statement: sql`create index if not exists cue_tasks_tags on tasks using gin (tags)`,
  },
  {
    // What the host's tick reads: small, and unlike GIN it forgets dead entries without a VACUUM.
    name: 'cue_tasks_queue',
    statement: sql`create index if not exists cue_tasks_queue on tasks (agent_id) where ${HOT}`,
  },
  {
    name: 'cue_tasks_resting',
    statement: sql`create index if not exists cue_tasks_resting on tasks (agent_id, ${NEXT_RUN}, id)
      where name = 'TRIGGER_DISPATCH' and ${RESTING}`,
  },
  {
    name: 'cue_tasks_cold',
    statement: sql`create index if not exists cue_tasks_cold on tasks (agent_id, ${NEXT_RUN}, id)
      where name = 'TRIGGER_DISPATCH' and ${COLD}`,
  },
  {
    name: 'cue_tasks_trigger',
    statement: sql`create index if not exists cue_tasks_trigger on tasks
      ((metadata->'trigger'->>'triggerId')) where name = 'TRIGGER_DISPATCH'`,
  },
  {
    name: 'cue_tasks_dedupe',
    statement: sql`create index if not exists cue_tasks_dedupe on tasks
      ((metadata->'trigger'->>'dedupeKey')) where name = 'TRIGGER_DISPATCH'`,
  },
  {
    name: 'cue_tasks_creator',
    statement: sql`create index if not exists cue_tasks_creator on tasks
      ((metadata->'trigger'->>'creatorEntityId')) where name = 'TRIGGER_DISPATCH'`,
  },
  {
    name: 'cue_tasks_parent',
    statement: sql`create index if not exists cue_tasks_parent on tasks
      ((metadata->'trigger'->>'parentTriggerId'))
      where name = 'TRIGGER_DISPATCH' and metadata->'trigger'->>'parentTriggerId' is not null`,
  },
  {
    name: 'cue_tasks_home_room',
    statement: sql`create index if not exists cue_tasks_home_room on tasks
      ((${HOME_ROOM})) where name = 'TRIGGER_DISPATCH'`,
  },
  {
    name: 'cue_tasks_created',
    statement: sql`create index if not exists cue_tasks_created on tasks
      (${CREATED} desc, id desc) where name = 'TRIGGER_DISPATCH'`,
  },
];
