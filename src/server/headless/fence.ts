/**
 * Keeps an embedded database from being written to once another process has opened its directory.
 *
 * Whoever opens it first rewrites `postmaster.pid`, then reads the log to its end, about 0.1 s later.
 * From there on both write to the same places: what we commit is overwritten, and a clean close writes
 * our old pages over theirs. So each write looks at that file first, and no statement that wrote is
 * answered before it has been looked at once more: what has been answered stood in the log before the
 * other read it.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../shared/errors.js';

export interface Fence {
  /** Looks now; `true`: somebody else has opened the directory, and nothing is written any more. */
  check(): boolean;
  /** Stops all writing: somebody has said that they have opened it. */
  raise(): void;
  readonly isUp: boolean;
  /** Lets go of the database as it is, without the writes of a clean close. */
  abandon(): Promise<void>;
}

/** The parts of PGlite 0.3 that are used. */
interface Client {
  execProtocolRawSync(message: Uint8Array): Uint8Array;
  closed: boolean;
  Module?: { FS?: FileSystem };
  fs?: { closeFs?(): Promise<void> };
}
interface FileSystem {
  ErrnoError: new (errno: number) => Error;
  filesystems?: { NODEFS?: { stream_ops?: { write?: Write }; node_ops?: { mknod?: Make } } };
}
type Write = (stream: { path?: string }, ...rest: unknown[]) => number;
/** Makes a file or folder. */
type Make = (...given: unknown[]) => unknown;

/** Written by whoever opens the database, before anything else. */
const FIRST_WRITTEN = 'postmaster.pid';
/** Written at the end of opening, and by checkpoints, also our own. */
const CONTROL = join('global', 'pg_control');
/** EIO in the numbering of WASI. */
const IO_ERROR = 29;

/**
 * @param client the host's PGlite, ready
 */
export function createFence(client: object, directory: string): Fence {
  if (!isClient(client)) {
    throw new AppError('INTERNAL', 'the embedded database is not one that can be guarded');
  }
  const first = markOf(join(directory, FIRST_WRITTEN));
  let control = markOf(join(directory, CONTROL));
  let isUp = false;
  let wrote = false;
  let wroteControl = false;

  function raise(): void {
    isUp = true;
  }
  function check(): boolean {
    if (isUp) return true;
    if (markOf(join(directory, FIRST_WRITTEN)) !== first) raise();
    else if (wroteControl) control = markOf(join(directory, CONTROL));
    else if (markOf(join(directory, CONTROL)) !== control) raise();
    wroteControl = false;
    return isUp;
  }

  /** Before each change of a file. @throws in the way of the file system, which fails the statement */
  function mustBeOurs({ ErrnoError }: FileSystem): void {
    if (!isUp && markOf(join(directory, FIRST_WRITTEN)) === first) return;
    raise();
    throw new ErrnoError(IO_ERROR);
  }

  const files = client.Module?.FS;
  const nodes = files?.filesystems?.NODEFS?.node_ops;
  const make = nodes?.mknod;
  if (files && nodes && make) {
    nodes.mknod = (...given) => {
      mustBeOurs(files);
      return make(...given);
    };
  }
  const operations = files?.filesystems?.NODEFS?.stream_ops;
  const write = operations?.write;
  const seesWrites = Boolean(operations && write);
  if (files && operations && write) {
    operations.write = (stream, ...rest) => {
      mustBeOurs(files);
      wrote = true;
      if (stream.path?.endsWith('/pg_control')) wroteControl = true;
      return write(stream, ...rest);
    };
  }

  const execute = client.execProtocolRawSync.bind(client);
  client.execProtocolRawSync = (message) => {
    if (isUp) throw notOurs(directory);
    wrote = false;
    try {
      const answer = execute(message);
      if (!(wrote || !seesWrites) || !check()) return answer;
    } catch (error) {
      if (!isUp) throw error;
      throw notOurs(directory, error);
    }
    throw notOurs(directory);
  };

  return {
    check,
    raise,
    get isUp() {
      return isUp;
    },
    async abandon() {
      raise();
      // Closes the files; what is still in memory is not written.
      await client.fs?.closeFs?.().catch(() => undefined);
      Reflect.set(client, 'mod', undefined);
      Reflect.set(client, 'fs', undefined);
    },
  };
}

function notOurs(directory: string, cause?: unknown): AppError {
  return new AppError(
    'UNAVAILABLE',
    `another process has opened the database directory ${directory}: nothing is written here any more`,
    {},
    { cause },
  );
}

/** Changes whenever the file is written; `none` while there is no such file. */
function markOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino}:${found.mtimeNs}:${found.ctimeNs}:${found.size}` : 'none';
}

function isClient(client: object): client is Client {
  return 'execProtocolRawSync' in client && typeof client.execProtocolRawSync === 'function';
}
