/** Lists of triggers: newest first in pages, searched by text, and the few that stand in every prompt. */
import { type SQL, sql } from 'drizzle-orm';
import { rowsOf } from '../../records/index.js';
import { yieldToLoop } from '../../shared/yield.js';
import type { TriggerTaskRow } from '../task-codec.js';
import {
  CREATED,
  ENABLED,
  HOT,
  INVALID,
  NEWEST_FIRST,
  NEXT_RUN,
  RESTING,
  TROUBLED,
} from './conditions.js';
import { filterSql, type ListFilter, type Visibility, visibleSql } from './filter.js';
import { COLUMNS, rowFrom, type StoredRow, type TaskTable } from './table.js';

/** Place in a list, newest first: the row it comes behind. */
export interface TaskCursor {
  createdAtMs: number;
  id: string;
}

/** Place in a list, soonest first. */
export interface SoonestCursor {
  /** Runs by itself; those that do not (disabled, set aside) come last. */
  runs: boolean;
  nextRunAtMs: number | null;
  id: string;
}

function beforeSql(cursor: TaskCursor): SQL {
  const at = new Date(cursor.createdAtMs).toISOString();
  return sql`(${CREATED}, id) < (${at}::timestamp, ${cursor.id}::uuid)`;
}

/** Rows a search for text reads in one statement: 10,000 at once would hold the loop for 60 ms. */
const SEARCH_WINDOW = 2_000;

export function createTaskLists(table: TaskTable) {
  const { db, mine, awake, inOrder, read, rowsWhere, countOf } = table;
  return {
    /** Newest first; `after` is the last row of the page before. */
    async list(
      filter: ListFilter,
      page: { limit: number; after?: TaskCursor },
    ): Promise<{ rows: TriggerTaskRow[]; total: number }> {
      const narrow = filter.visibleTo !== undefined || filter.creatorEntityId !== undefined;
      if (!narrow && filter.text) return await search(table, filter, page);
      const where = filterSql(filter);
      const before = page.after ? beforeSql(page.after) : sql`true`;
      const tail = sql`order by ${NEWEST_FIRST} limit ${page.limit}`;
      if (filter.state !== undefined && filter.state !== 'resting') {
        const found = sql`from (${awake(sql`*`)}) tasks where ${where}`;
        return {
          rows: await read(sql`select ${COLUMNS} ${found} and ${before} ${tail}`),
          total: await countOf(sql`select count(*) as n ${found}`),
        };
      }
      const statement = sql`${rowsWhere(sql`${where} and ${before}`)} ${tail}`;
      const others = filter.state === undefined ? awake(sql`id`) : sql`select 1 where false`;
      return {
        rows: narrow ? await read(statement) : (await inOrder<StoredRow>(statement)).map(rowFrom),
        total: await countOf(
          narrow
            ? sql`select count(*) as n from tasks where ${mine} and ${where}`
            : sql`select (select count(*) from tasks where ${mine} and ${RESTING})
                + (select count(*) from (${others}) others) as n`,
        ),
      };
    },

    /**
     * Soonest first, those that do not run by themselves last. Branch by branch, so that each is read in the
     * order of its index.
     */
    async soonest(
      filter: ListFilter,
      page: { limit: number; after?: SoonestCursor },
    ): Promise<{ rows: TriggerTaskRow[]; total: number }> {
      const where = filterSql(filter);
      const { after } = page;
      const branch = (which: SQL, runs: boolean, time: SQL): SQL => {
        const isPast = after?.runs === false && runs;
        const behind =
          after === undefined || (after.runs && !runs)
            ? sql`true`
            : sql`(${time}, id) > (${after.nextRunAtMs ?? 0}::numeric, ${after.id}::uuid)`;
        return sql`(select ${COLUMNS}, ${runs}::boolean as runs, ${time} as time from tasks
          where ${mine} and ${which} and ${where} and ${isPast ? sql`false` : behind}
          order by ${time}, id limit ${page.limit})`;
      };
      const waits = sql`(${HOT} and not ${INVALID})`;
      const branches = [
        branch(sql`${waits} and not ${RESTING}`, true, sql`coalesce(${NEXT_RUN}, 0)`),
        branch(RESTING, true, NEXT_RUN),
        branch(sql`not ${waits} and not ${RESTING}`, false, sql`0::numeric`),
      ];
      const found = await inOrder<StoredRow & { runs: boolean; time: string | null }>(
        sql`select * from (${sql.join(branches, sql` union all `)}) found
          order by runs desc, time, id limit ${page.limit}`,
      );
      const total = await countOf(sql`select count(*) as n from tasks where ${mine} and ${where}`);
      return { rows: found.map(rowFrom), total };
    },

    /**
     * The first `each` of two kinds, those in trouble and the others, soonest first. It stands in
     * every prompt, so it reads branch by branch: of an OR the planner of a PGlite, which has no
     * statistics, uses no index (10,000 triggers: 9 ms instead of 0.2).
     */
    async glance(
      visible: Visibility | null,
      each: number,
    ): Promise<{ row: TriggerTaskRow; troubled: boolean; total: number }[]> {
      const branches = visible === null ? [sql`true`] : visibleSql(visible);
      const seen = branches.map(
        (branch) => sql`select id, tags, metadata from tasks
        where ${mine} and ${branch}`,
      );
      const rows = await rowsOf<{
        id: string;
        tags: string[] | null;
        metadata: Record<string, unknown> | null;
        troubled: boolean;
        total: string | number;
      }>(
        db,
        sql`select id, tags, metadata, troubled, total from (
            select id, tags, metadata, troubled, count(*) over () as total,
              row_number() over (partition by troubled
                order by ${NEXT_RUN} is null, not ${ENABLED}, ${NEXT_RUN}, id) as place
            from (select distinct on (id) id, tags, metadata, (${TROUBLED}) as troubled
              from (${sql.join(seen, sql` union all `)}) found order by id) seen
          ) placed where place <= ${each} order by troubled desc, place`,
      );
      return rows.map((row) => ({
        row: { id: row.id, tags: row.tags ?? [], metadata: row.metadata ?? {}, createdAtMs: 0 },
        troubled: row.troubled,
        total: Number(row.total),
      }));
    },
  };
}

/** Every text has to be read: window by window, with a turn of the event loop between. */
async function search(
  { mine, inOrder }: TaskTable,
  filter: ListFilter,
  page: { limit: number; after?: TaskCursor },
): Promise<{ rows: TriggerTaskRow[]; total: number }> {
  const hit = filterSql(filter);
  const inPage = page.after ? beforeSql(page.after) : sql`true`;
  const rows: TriggerTaskRow[] = [];
  let total = 0;
  let last: TaskCursor | undefined;
  do {
    const found = await inOrder<StoredRow & { hit: boolean; in_page: boolean; place: number }>(
      sql`select ${COLUMNS}, place, ${hit} as hit, ${inPage} as in_page from (
          select *, row_number() over (order by ${NEWEST_FIRST})::int as place from (
            select id, tags, metadata, created_at from tasks
            where ${mine} and ${last ? beforeSql(last) : sql`true`}
            order by ${NEWEST_FIRST} limit ${SEARCH_WINDOW}) seen) placed
        where ${hit} or place = ${SEARCH_WINDOW}`,
    );
    found.sort((a, b) => a.place - b.place);
    const hits = found.filter((row) => row.hit);
    total += hits.length;
    for (const row of hits) {
      if (row.in_page && rows.length < page.limit) rows.push(rowFrom(row));
    }
    const end = found.at(-1);
    last = end?.place === SEARCH_WINDOW ? rowFrom(end) : undefined;
    await yieldToLoop();
  } while (last);
  return { rows, total };
}
