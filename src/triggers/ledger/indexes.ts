/** The indexes for runs on Eliza's `memories` table. */
import { sql } from 'drizzle-orm';
import type { IndexSpec } from '../../records/index.js';

/** Which of them begin with `agent_id`: see TASK_INDEXES. */
export const LEDGER_INDEXES: IndexSpec[] = [
  {
    name: 'cue_runs_by_trigger',
    statement: sql`create index if not exists cue_runs_by_trigger on memories
      ((metadata->>'triggerId'), created_at desc, id desc) where type = 'cue_trigger_run'`,
  },
  {
    name: 'cue_runs_open',
    statement: sql`create index if not exists cue_runs_open on memories
      (agent_id, created_at, id) where type = 'cue_trigger_run' and metadata->>'open' = 'true'`,
  },
  {
    name: 'cue_runs_by_time',
    statement: sql`create index if not exists cue_runs_by_time on memories
      (created_at desc, id desc) where type = 'cue_trigger_run'`,
  },
  {
    name: 'cue_run_attempts_by_minute',
    statement: sql`create index if not exists cue_run_attempts_by_minute on memories
      (agent_id, created_at) where type = 'cue_run_attempts'`,
  },
  {
    name: 'cue_runs_undelivered',
    statement: sql`create index if not exists cue_runs_undelivered on memories
      (agent_id, created_at) where type = 'cue_trigger_run'
      and metadata->'delivery'->>'state' in ('pending', 'delivering', 'unknown')`,
  },
];
