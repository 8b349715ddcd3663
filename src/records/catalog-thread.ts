/**
 * Indexes the rows of a project in a thread of its own, while this one reads them: what it makes of
 * them comes back as a snapshot. `catalog-worker.ts` is the other side.
 */
import type { Worker } from 'node:worker_threads';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { RowsOutside } from './catalog-sync.js';
import type { StoredRow } from './record-codec.js';

/** A row with its metadata as text: it is parsed where it is indexed. */
export type TextRow = Omit<StoredRow, 'metadata'> & { metadata: string | null };

/** What the thread is to make. */
export interface IndexOrder {
  project: Uuid;
  /** Model of the vectors of each type that is searched. */
  models: Readonly<Record<string, string | null>>;
  /** Id of the instant model, if any. */
  instant: string | null;
}

/** Starts the thread with the order as its `workerData`. */
export type Indexer = (order: IndexOrder) => Worker;

export type ToThread = { kind: 'rows'; type: string; rows: readonly TextRow[] } | { kind: 'end' };

export type FromThread =
  | { kind: 'taken' }
  | { kind: 'warning'; fields: Record<string, unknown>; message: string }
  | { kind: 'frame'; frame: Uint8Array }
  | { kind: 'end'; outside: RowsOutside };

/** The thread could not be started, or did not come to its end. */
export class IndexThreadError extends Error {
  override readonly name = 'IndexThreadError';
}

export interface IndexThread {
  /** Resolves when there is room for more. @throws IndexThreadError, or the reason of the abort */
  put(type: string, rows: readonly TextRow[]): Promise<void>;
  /** All that was put: frames of a snapshot, and the rows by type that it cannot hold. */
  finish(): Promise<{ frames: Uint8Array[]; outside: RowsOutside }>;
  stop(): Promise<void>;
}

function started(indexer: Indexer, order: IndexOrder): Worker {
  try {
    return indexer(order);
  } catch (error) {
    throw new IndexThreadError(messageOf(error), { cause: error });
  }
}

/** Pages on their way; the thread has the next one when it is done with one, and no more is held. */
const MOST_WAITING = 4;

export function startIndexThread(
  indexer: Indexer,
  order: IndexOrder,
  { log, signal }: { log: Pick<Log, 'warn'>; signal: AbortSignal },
): IndexThread {
  const worker = started(indexer, order);
  const frames: Uint8Array[] = [];
  let waiting = 0;
  let outside: RowsOutside | null = null;
  let failure: unknown = null;
  /** Looks again whether what is waited for has come. */
  let look = () => {};

  const fail = (reason: unknown) => {
    failure ??= reason;
    look();
  };
  const onAbort = () => fail(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  worker.on('error', (error) => fail(new IndexThreadError(messageOf(error))));
  worker.on('exit', (code) => fail(new IndexThreadError(`it ended with code ${code}`)));
  worker.on('message', (message: FromThread) => {
    switch (message.kind) {
      case 'taken':
        waiting -= 1;
        break;
      case 'warning':
        log.warn(message.fields, message.message);
        break;
      case 'frame':
        frames.push(message.frame);
        break;
      case 'end':
        outside = message.outside;
        break;
    }
    look();
  });

  function until<T>(what: () => T | null): Promise<T> {
    return new Promise((resolve, reject) => {
      look = () => {
        if (failure !== null) return reject(failure);
        const found = what();
        if (found !== null) resolve(found);
      };
      look();
    });
  }

  const send = (message: ToThread) => worker.postMessage(message);

  return {
    async put(type, rows) {
      send({ kind: 'rows', type, rows });
      waiting += 1;
      await until(() => (waiting < MOST_WAITING ? true : null));
    },
    async finish() {
      send({ kind: 'end' });
      return { frames, outside: await until(() => outside) };
    },
    async stop() {
      signal.removeEventListener('abort', onAbort);
      await worker.terminate();
    },
  };
}
