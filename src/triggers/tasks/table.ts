/** The agent's trigger tasks as a table: what every query of the store begins with. */
import { type SQL, sql } from 'drizzle-orm';
import { type Database, inIndexOrder, type Records, rowsOf } from '../../records/index.js';
import { TRIGGER_TASK_NAME, type TriggerTaskRow } from '../task-codec.js';
import { COLD, HOT, RESTING } from './conditions.js';

export const COLUMNS = sql.raw(
  'id, tags, metadata, floor(extract(epoch from created_at) * 1000) as created_ms',
);

/** A row as the driver hands it over. */
export type StoredRow = {
  id: string;
  tags: string[] | null;
  metadata: Record<string, unknown> | null;
  created_ms: string | number;
};

export function rowFrom(row: StoredRow): TriggerTaskRow {
  return {
    id: row.id,
    tags: row.tags ?? [],
    metadata: row.metadata ?? {},
    createdAtMs: Number(row.created_ms),
  };
}

export type TaskTable = ReturnType<typeof createTaskTable>;

export function createTaskTable(records: Records) {
  const db: Database = records.db;
  const { agentId } = records.home;
  /** The condition that a row is a trigger of this agent. */
  const mine = sql`name = ${TRIGGER_TASK_NAME} and agent_id = ${agentId}`;

  const rowsWhere = (where: SQL): SQL =>
    sql`select ${COLUMNS} from tasks where ${mine} and ${where}`;

  async function read(statement: SQL): Promise<TriggerTaskRow[]> {
    return (await rowsOf<StoredRow>(db, statement)).map(rowFrom);
  }

  return {
    db,
    home: records.home,
    mine,
    /** The statement that reads such rows; to be completed. */
    rowsWhere,
    read,

    select(where: SQL, tail: SQL): Promise<TriggerTaskRow[]> {
      return read(sql`${rowsWhere(where)} ${tail}`);
    },

    /** Rows in the order of an index. */
    inOrder<Row extends Record<string, unknown>>(statement: SQL): Promise<Row[]> {
      return inIndexOrder(db, (tx) => rowsOf<Row>(tx, statement));
    },

    /** The `n` of the statement's only row. */
    async countOf(statement: SQL): Promise<number> {
      const [row] = await rowsOf<{ n: string | number }>(db, statement);
      return Number(row?.n ?? 0);
    },

    /** All that do not rest, by the two indexes that hold nothing else. */
    awake: (columns: SQL): SQL =>
      sql`select ${columns} from tasks where ${mine} and ${HOT} and not ${RESTING}
      union all select ${columns} from tasks where ${mine} and ${COLD}`,
  };
}
