/** The real process: its streams and what else a command sees of it. */
import { isUtf8 } from 'node:buffer';
import { systemClock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { type ExitCode, forTerminal, type Io } from './io.js';

const MAX_STDIN_BYTES = 2_000_000;
const USUAL_COLUMNS = 80;
const NOT_WRITTEN = 'standard output was not written to its end';

/**
 * What the commands of a real process see of the world.
 * @param onLost told when something cannot be written to its end: in words, or none where standard error
 *   takes none; absent: the process fails
 */
export function realIo(onLost: (words: string) => void = fail): Io {
  return {
    get cwd() {
      return workingFolder();
    },
    env: process.env,
    parentPid: process.ppid,
    clock: systemClock,
    stdin: readStandardInput,
    interrupted,
    leaveStdin: () => void process.stdin.destroy(),
    ...terminalOf(process.stdout),
    out: writerTo('stdout', onLost),
    err: writerTo('stderr', onLost),
  };
}

/** Where the real process is. @throws AppError INVALID_INPUT when that folder has been removed */
export function realPlace(): Pick<Io, 'cwd' | 'env' | 'clock'> {
  return { cwd: workingFolder(), env: process.env, clock: systemClock };
}

function interrupted(): AbortSignal {
  const ended = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ended.abort());
  // Nobody reads any more.
  process.stdout.once('error', () => ended.abort());
  return ended.signal;
}

/** Node itself knows NO_COLOR and its like. */
function terminalOf(stream: NodeJS.WriteStream): Pick<Io, 'terminal'> {
  if (!stream.isTTY) return {};
  return { terminal: { columns: stream.columns || USUAL_COLUMNS, hasColors: stream.hasColors() } };
}

/** Asked for where a command needs it. @throws AppError INVALID_INPUT when it has been removed */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const message = 'the folder you are in is gone: go to another one';
    const failure = new AppError('INVALID_INPUT', message, {}, { cause });
    throw failure;
  }
}

/** A writer that outlives a reader which has heard enough (`cue when x | head -1`). */
function writerTo(name: 'stdout' | 'stderr', onLost: (words: string) => void): Io['out'] {
  let open = true;
  // Node makes a stream when it is first looked at, which takes a millisecond.
  let stream: NodeJS.WriteStream | undefined;
  function opened(): NodeJS.WriteStream {
    return process[name].on('error', (error: NodeJS.ErrnoException) => {
      const isLost = open && error.code !== 'EPIPE';
      open = false;
      if (isLost) onLost(name === 'stderr' ? '' : `${NOT_WRITTEN}: ${error.message}`);
    });
  }
  return (text, isDrawn = false) => {
    stream ??= opened();
    if (open) stream.write(isDrawn ? text : forTerminal(text));
  };
}

function fail(words: string): void {
  process.exitCode = 1;
  if (words !== '') process.stderr.write(`${words}\n`);
}

/** How the process ends; what could not be written is a failure, however the command ended. */
export function endWith(code: ExitCode): void {
  process.exitCode = process.exitCode || code;
}

/** @throws AppError TOO_LARGE, INVALID_INPUT where it is not UTF-8 */
async function readStandardInput(maxBytes = MAX_STDIN_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > maxBytes) {
      const message = `standard input has more than ${maxBytes / 1_000_000} MB`;
      throw new AppError('TOO_LARGE', message, { bytes });
    }
    chunks.push(part);
  }
  return utf8(Buffer.concat(chunks), 'standard input');
}

/** Without a byte order mark. @throws AppError INVALID_INPUT naming `what` */
export function utf8(bytes: Buffer, what: string): string {
  if (!isUtf8(bytes)) throw new AppError('INVALID_INPUT', `${what} is not UTF-8 text`);
  return new TextDecoder().decode(bytes);
}
