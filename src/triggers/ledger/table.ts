/** A run as a row: its type, its id, how it is read and how it is changed. */
import { type SQL, sql } from 'drizzle-orm';
import type { RecordCursor, Records } from '../../records/index.js';
import { derivedId, type Uuid } from '../../shared/ids.js';
import { type TriggerRun, triggerRunSchema } from '../schema.js';

export const RUN_TYPE = 'cue_trigger_run';

export interface RunRow {
  run: TriggerRun;
  createdAtMs: number;
}

/** A `cue_trigger_run` to be: `text` is the line people read. */
export interface NewRun {
  run: TriggerRun;
  text: string;
}

/** The id of an occurrence: the same trigger and time give the same row, on every process. */
export function runIdOf(triggerId: string, scheduledForMs: number, salt = ''): Uuid {
  return derivedId('trigger-run', triggerId, scheduledForMs, salt);
}

/** Not ended: running, deferred, or waiting for its retry. */
export const OPEN = sql`metadata->>'open' = 'true'`;

/** A time as the column `created_at` is compared with. */
export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** A time in the row, or null: a damaged one must not break the query. */
export function numberIn(key: keyof TriggerRun & string): SQL {
  return sql.raw(
    `(case when jsonb_typeof(metadata->'${key}') = 'number' then (metadata->>'${key}')::numeric end)`,
  );
}

export type RunTable = ReturnType<typeof createRunTable>;

export function createRunTable(records: Records) {
  const parse = (data: Record<string, unknown>): TriggerRun | null => {
    const parsed = triggerRunSchema.safeParse(data);
    return parsed.success ? parsed.data : null;
  };

  const rowsIn = (rows: { data: Record<string, unknown>; createdAtMs: number }[]): RunRow[] =>
    rows.flatMap((row) => {
      const run = parse(row.data);
      return run ? [{ run, createdAtMs: row.createdAtMs }] : [];
    });

  return {
    records,
    db: records.db,
    /** The condition that a row of `memories` is a run of this agent. */
    mine: sql`type = 'cue_trigger_run' and agent_id = ${records.home.agentId}`,
    /** `null`: the row is damaged. */
    parse,
    /** Without those that are damaged. */
    rowsIn,

    /** Newest first. */
    async newestWhere(where: SQL, limit: number, after?: RecordCursor): Promise<RunRow[]> {
      return rowsIn(await records.list(RUN_TYPE, { where, limit, ...(after ? { after } : {}) }));
    },

    async oldestWhere(where: SQL, limit: number): Promise<RunRow[]> {
      return rowsIn(await records.list(RUN_TYPE, { where, limit, oldestFirst: true }));
    },

    /** Changes the row while `condition` holds of it; what it is then, or `null`: unchanged. */
    async changeIf(
      triggerRunId: string,
      condition: SQL,
      patch: Record<string, unknown>,
      text?: string,
    ): Promise<TriggerRun | null> {
      const data = await records.compareAndSet(
        RUN_TYPE,
        triggerRunId as Uuid,
        condition,
        patch,
        text === undefined ? {} : { text },
      );
      return data ? parse(data) : null;
    },
  };
}
