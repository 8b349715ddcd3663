/** JSON-RPC in lines: a request or batch on each line in, an answer on each line out. */
import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { deferred } from '../shared/async.js';
import { messageOf } from '../shared/errors.js';
import { isDeeper, MAX_JSON_DEPTH } from '../shared/json.js';
import { MAX_CALL_BYTES } from './connect.js';
import {
  errorToEach,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  PARSE_ERROR,
  response,
} from './rpc-forward.js';

/** Lines of a stream of bytes, none of them held when it is too long. */
type Line =
  | { text: string }
  | { unreadable: 'not utf-8' }
  /** `ends`: what it began and ended with. */
  | { unreadable: 'too large'; ends: [string, string] };

const LINE_FEED = 10;
/** Of a line that is not held. */
const END_BYTES = 200;

/** @returns what takes the next bytes; call it without any at the end, for a last line without a break */
function lineReader(maxBytes: number, take: (line: Line) => void): (bytes?: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);

  function add(part: Buffer): void {
    const wasHeld = size <= maxBytes;
    size += part.length;
    parts.push(part);
    if (size <= maxBytes) return;
    const bytes = Buffer.concat(parts);
    parts = [];
    if (wasHeld) head = Buffer.from(bytes.subarray(0, END_BYTES));
    tail = Buffer.from(Buffer.concat([tail, bytes]).subarray(-END_BYTES));
  }
  function end(): void {
    const bytes = Buffer.concat(parts);
    const isTooLarge = size > maxBytes;
    const ends: [string, string] = [head.toString('utf8'), tail.toString('utf8')];
    parts = [];
    size = 0;
    tail = Buffer.alloc(0);
    if (isTooLarge) take({ unreadable: 'too large', ends });
    else if (!isUtf8(bytes)) take({ unreadable: 'not utf-8' });
    else take({ text: bytes.toString('utf8') });
  }

  return (bytes) => {
    if (bytes === undefined) {
      if (size > 0) end();
      return;
    }
    let start = 0;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, start)) {
      add(bytes.subarray(start, at));
      end();
      start = at + 1;
    }
    if (start < bytes.length) add(bytes.subarray(start));
  };
}

/** What speaks with the client of this process; another protocol is another one of these. */
export interface Bridge {
  /** The client says no more, or does not listen any more. */
  readonly gone: Promise<void>;
  /** It has said something. */
  readonly isUsed: boolean;
  /** It was told that there is a server, before there was one. */
  readonly hasGreeted?: boolean;
  /** Hears nothing more; resolves when what was heard is answered. */
  close(): Promise<void>;
}

export interface LineBridge extends Bridge {
  /** Said unasked; nothing once nobody listens. */
  write(line: string): void;
}

export interface BridgeDeps {
  input: Readable;
  output: Writable;
  /** As `Forwarder.send`. */
  send(text: string, body: unknown): Promise<string | null>;
}

/** Answers that are due before no more is read. */
const MANY = 2_000;
/** Passed on, it would exhaust somebody's stack. */
const TOO_DEEP = {
  code: INVALID_REQUEST,
  message: `the message is nested over ${MAX_JSON_DEPTH} deep`,
  data: { reason: 'TOO_LARGE' },
};

export function startBridge({ input, output, send }: BridgeDeps): LineBridge {
  const open = new Set<Promise<void>>();
  const gone = deferred<void>();
  const unheard = deferred<void>();
  let isDeaf = false;
  let isUsed = false;

  const read = lineReader(MAX_CALL_BYTES, (line) => {
    if ('text' in line && line.text.trim() === '') return;
    isUsed = true;
    if ('unreadable' in line) write(unreadable(line));
    else pass(line.text);
  });

  function pass(text: string): void {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      write(response(null, { code: PARSE_ERROR, message: 'this is not valid JSON' }));
      return;
    }
    const answered = answerTo(text, body).then((answer) => {
      if (answer !== null) write(answer);
    });
    open.add(answered);
    void answered.finally(() => {
      open.delete(answered);
      pace();
    });
    pace();
  }

  /** Never rejects: nobody would be answered. */
  async function answerTo(text: string, body: unknown): Promise<string | null> {
    if (isDeeper(body, MAX_JSON_DEPTH)) return errorToEach(body, TOO_DEEP);
    try {
      return await send(text, body);
    } catch (error) {
      const message = `the call could not be passed on: ${messageOf(error)}`;
      return errorToEach(body, { code: INTERNAL_ERROR, message });
    }
  }

  function write(line: string): void {
    if (output.writable) output.write(`${line}\n`);
    pace();
  }

  /** A client that sends faster than it listens waits. */
  function pace(): void {
    if (isDeaf) return;
    if (open.size >= MANY || output.writableNeedDrain) input.pause();
    else input.resume();
  }

  const hear = (bytes: Buffer): void => read(bytes);
  const hearEnd = (): void => {
    if (isDeaf) return;
    isDeaf = true;
    read();
    gone.resolve();
  };
  input.on('data', hear);
  input.once('end', hearEnd);
  input.once('close', hearEnd);
  input.on('error', hearEnd);
  output.on('drain', pace);
  for (const event of ['error', 'close']) {
    output.once(event, () => {
      unheard.resolve();
      gone.resolve();
    });
  }
  const allAnswered = async (): Promise<void> => {
    while (open.size > 0) await Promise.all(open);
  };

  return {
    gone: gone.promise,
    get isUsed() {
      return isUsed;
    },
    write,
    async close() {
      isDeaf = true;
      input.off('data', hear);
      input.pause();
      await Promise.race([allAnswered(), unheard.promise]);
    },
  };
}

function unreadable(line: Exclude<Line, { text: string }>): string {
  if (line.unreadable === 'not utf-8') {
    return response(null, { code: PARSE_ERROR, message: 'this is not UTF-8' });
  }
  const message = `a line has at most ${MAX_CALL_BYTES} bytes`;
  const error = { code: INVALID_REQUEST, message, data: { reason: 'TOO_LARGE' } };
  return response(idAtEnd(line.ends), error);
}

const ID = '"id"\\s*:\\s*(-?\\d+|"[^"\\\\]{0,100}")';
const ID_FIRST = new RegExp(`^\\s*\\{\\s*(?:"jsonrpc"\\s*:\\s*"2\\.0"\\s*,\\s*)?${ID}\\s*,`);
const ID_LAST = new RegExp(`,\\s*${ID}\\s*\\}\\s*$`);

/**
 * Of a message that is not read, so that nobody waits for its answer: the first or the last member of an
 * object stands before or behind all that is nested in it. `null`: elsewhere.
 */
function idAtEnd([first, last]: [string, string]): unknown {
  const [, found] = ID_FIRST.exec(first) ?? ID_LAST.exec(last) ?? [];
  return found === undefined ? null : JSON.parse(found);
}
