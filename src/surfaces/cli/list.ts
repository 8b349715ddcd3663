/** Lists: a page of one as a table, or with what comes of it afterwards. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import {
  addressOfAgent,
  askStream,
  findServer,
  type RestRequest,
  type StreamEvent,
} from '../../server/client.js';
import { SECOND_MS } from '../../shared/clock.js';
import { isAppError } from '../../shared/errors.js';
import { answer, ask, type ServerFlags } from './answer.js';
import type { CommandContext } from './command-line.js';
import { chosenFields, mustBeFields } from './fields.js';
import type { Flag } from './flags.js';
import { EXIT, escapedJson, ioFor, printText } from './io.js';
import { pageWords } from './lines.js';
import type { Table } from './table.js';

export interface ListRequest<Row extends object = never>
  extends Pick<RestRequest, 'path' | 'query'> {
  /** What the answer calls the rows. */
  field: string;
  known: readonly string[];
  /** How they are drawn; asked for when they have come. */
  table: () => Table<Row> | Promise<Table<Row>>;
  /** Said where there are none. */
  none: string;
  /** Also what comes, until Ctrl-C. */
  watched?: Watched<Row> | undefined;
}

type Page = Record<string, unknown> & { total: number; nextCursor: string | null };

function rowsOf<Row>(page: Page, field: string): Row[] {
  return page[field] as Row[];
}

/** A page of it, or all that comes. @throws AppError as `ask` */
export async function answerList<Row extends object>(
  context: CommandContext,
  command: Command,
  list: ListRequest<Row>,
): Promise<void> {
  const { table, none, watched, ...request } = list;
  if (watched) return watchList(context, command, list, watched);
  await answer<Page>(context, command, {
    ...request,
    text: async (page) => (await table()).lines(rowsOf(page, request.field)),
    isDrawn: true,
    beside: (page) =>
      page.total === 0 ? [none] : pageWords(page, rowsOf(page, request.field).length),
  });
}

export interface Watched<Row extends object> {
  /** The name of its events on the stream, and of the row in one. */
  type: 'run' | 'offer';
  /** Of a row as it is printed: what has the same is not printed again. */
  keyOf(row: Row): string;
  isOurs(row: Row): boolean;
  /** The list may have others, too. */
  filters?: true;
}

export const WATCH_FLAG: Flag = ['watch', '--watch', 'also what comes, until Ctrl-C'];
const PAUSE_MS = SECOND_MS;
const MOST_REMEMBERED = 10_000;

/**
 * `--watch`: the list, and then what is new in it as it comes (`GET /cue/stream`), until Ctrl-C. A connection
 * that breaks is made again and goes on behind the last event; where the server cannot do that, the list is
 * asked for anew. Nothing is printed twice.
 * @throws AppError as `ask`
 */
async function watchList<Row extends object>(
  context: CommandContext,
  command: Command,
  { path, query, field, known, table }: ListRequest<Row>,
  watched: Watched<Row>,
): Promise<void> {
  const { json, port, dataDir } = command.optsWithGlobals<ServerFlags>();
  mustBeFields(json, known);
  const drawn = await table();
  const { type, keyOf, isOurs, filters } = watched;
  const io = ioFor(context.io, () => dataDir);
  const signal = io.interrupted?.() ?? new AbortController().signal;
  const printed = new Set<string>();
  const print = (rows: readonly Row[]): void => {
    const fresh = rows.filter((row) => !printed.has(keyOf(row)));
    for (const row of fresh) printed.add(keyOf(row));
    for (const key of printed) {
      if (printed.size <= MOST_REMEMBERED) break;
      printed.delete(key);
    }
    if (json !== undefined) {
      for (const row of fresh) {
        io.out(`${escapedJson(JSON.stringify(chosenFields(row, json, row)))}\n`);
      }
    } else if (fresh.length > 0) printText(io, drawn.lines(fresh), true);
  };
  // The last one stands at the end, where what comes goes on.
  const catchUp = async () => {
    const page = await ask<Page>(context, command, { path, query, field });
    const rows = rowsOf<Row>(page, field);
    print((filters ? rows.filter(isOurs) : rows).toReversed());
  };
  await catchUp();
  let lastEventId: string | undefined;
  const take = async ({ event, id, data }: StreamEvent): Promise<void> => {
    if (id !== undefined) lastEventId = id;
    if (event === 'reset') await catchUp();
    const row = data[type] as Row;
    if (event === type && isOurs(row)) print([row]);
  };
  while (!signal.aborted) {
    try {
      const wanted = { env: io.env, cwd: io.cwd, port };
      const server = await addressOfAgent(findServer(wanted), io.env);
      await askStream(server, {
        ...{ path: '/stream', query: { types: type }, lastEventId, signal },
        // What has come between the list and the stream.
        opened: async () => (lastEventId === undefined ? catchUp() : undefined),
        onEvent: take,
      });
    } catch (error) {
      // A server that has no such stream will not have it later.
      if (isAppError(error) && error.details.met === 'foreign') throw error;
    }
    await delay(PAUSE_MS, undefined, { signal }).catch(() => {});
  }
  context.end(EXIT.done);
}
