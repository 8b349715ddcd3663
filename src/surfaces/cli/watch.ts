/**
 * `--watch`: a list, and then what is new in it as it comes (`GET /cue/stream`), until Ctrl-C. A connection that
 * breaks is made again and goes on behind the last event; where the server cannot do that, the list is asked for
 * anew. Nothing is printed twice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { addressOfAgent, askStream, findServer, type StreamEvent } from '../../server/client.js';
import { SECOND_MS } from '../../shared/clock.js';
import { isAppError } from '../../shared/errors.js';
import type { ServerFlags } from './answer.js';
import type { CommandContext } from './command-line.js';
import { chosenFields } from './fields.js';
import { EXIT, escapedJson, ioFor, printText } from './io.js';
import type { Table } from './table.js';

export interface Watched<Row extends object> {
  /** The name of its events on the stream. */
  type: 'run' | 'offer';
  /** The newest, newest first. */
  page(): Promise<Row[]>;
  /** What an event tells of; `null`: nothing of this list. */
  rowOf(data: Record<string, unknown>): Row | null;
  /** Of a row as it is printed: what has the same is not printed again. */
  keyOf(row: Row): string;
  table: Table<Row>;
}

const PAUSE_MS = SECOND_MS;
const MOST_REMEMBERED = 10_000;

export async function watch<Row extends object>(
  context: CommandContext,
  { json, port, dataDir }: ServerFlags,
  watched: Watched<Row>,
): Promise<void> {
  const io = ioFor(context.io, () => dataDir);
  const signal = io.interrupted?.() ?? new AbortController().signal;
  const printed = new Set<string>();
  const print = (rows: readonly Row[]): void => {
    const fresh = rows.filter((row) => !printed.has(watched.keyOf(row)));
    for (const row of fresh) printed.add(watched.keyOf(row));
    for (const key of printed) {
      if (printed.size <= MOST_REMEMBERED) break;
      printed.delete(key);
    }
    if (json !== undefined) {
      for (const row of fresh) {
        io.out(`${escapedJson(JSON.stringify(chosenFields(row, json, row)))}\n`);
      }
    } else if (fresh.length > 0) printText(io, watched.table.lines(fresh), true);
  };
  // The last one stands at the end, where what comes goes on.
  const catchUp = async () => print((await watched.page()).toReversed());
  await catchUp();
  let lastEventId: string | undefined;
  const take = async ({ event, id, data }: StreamEvent): Promise<void> => {
    if (id !== undefined) lastEventId = id;
    if (event === 'reset') await catchUp();
    const row = event === watched.type ? watched.rowOf(data) : null;
    if (row !== null) print([row]);
  };
  while (!signal.aborted) {
    try {
      const wanted = { env: io.env, cwd: io.cwd, port };
      const server = await addressOfAgent(findServer(wanted), io.env);
      await askStream(server, {
        ...{ path: '/stream', query: { types: watched.type }, lastEventId, signal },
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
