import { sql } from 'drizzle-orm';
import type { IndexSpec } from './records.js';

/**
 * Partial indexes on the host's `memories` for typed records. Made at start while the table is
 * small. Every statement of ours repeats their predicate word for word (`ofProject`, `ofType`), so
 * the planner can use them for any type, also one that a later version adds.
 */
export const RECORD_INDEXES: IndexSpec[] = [
  {
    // Lists and scans in order of time, counts.
    name: 'cue_records_by_time',
    statement: sql`create index if not exists cue_records_by_time on memories
      ((world_id::text || ' ' || type), created_at, id) where starts_with(type, 'cue_')`,
  },
  {
    // The same for readers who do not see everything: one range per audience.
    name: 'cue_records_by_audience',
    statement: sql`create index if not exists cue_records_by_audience on memories
      ((world_id::text || ' ' || type), (metadata->>'audience'), created_at, id)
      where starts_with(type, 'cue_')`,
  },
  {
    // What changed since. As JSON: a damaged value must not make the host's write fail on a cast.
    name: 'cue_records_by_change',
    statement: sql`create index if not exists cue_records_by_change on memories
      ((world_id::text), (metadata->'changedAtMs'), id) where starts_with(type, 'cue_')`,
  },
  {
    name: 'cue_tombstones',
    statement: sql`create index if not exists cue_tombstones on memories
      ((world_id::text), (metadata->'changedAtMs')) where type = 'cue_tombstone'`,
  },
];
