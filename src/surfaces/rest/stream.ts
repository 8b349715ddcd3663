/**
 * Answers that are sent while they are made. The host's type of a response knows nothing of this;
 * express's is Node's own, and anything else gets the whole at once.
 */
import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import type { RouteResponse } from '@elizaos/core';
import { yieldToLoop } from '../../shared/async.js';
import { AppError } from '../../shared/errors.js';

/** Characters gathered before they are written: few system calls, little memory. */
const CHUNK_CHARS = 64 * 1024;

/**
 * Sends each object as a line of JSON with status 200. A client that is slow is waited for, one that
 * has gone ends the work: the iterator is closed.
 * @throws what making the lines throws; before the first line nothing has been sent
 */
export async function sendLines(
  response: RouteResponse,
  lines: AsyncIterable<object>,
): Promise<void> {
  const stream: unknown = response;
  const live = stream instanceof ServerResponse ? stream : null;
  let held = '';
  for await (const line of lines) {
    held += `${JSON.stringify(line)}\n`;
    if (live === null || held.length < CHUNK_CHARS) continue;
    if (!live.headersSent) setHeaders(response);
    if (!(await written(live, held))) return;
    held = '';
    await yieldToLoop();
  }
  if (live?.headersSent) live.end(held);
  else {
    setHeaders(response);
    response.status(200).send(held);
  }
}

/**
 * Sends a response of the web's own kind, piece by piece as it is made. A client that has gone cancels it.
 * @throws AppError UNAVAILABLE where the answer cannot be streamed; nothing has been sent then
 */
export async function sendResponse(response: RouteResponse, made: Response): Promise<void> {
  const stream: unknown = response;
  if (!(stream instanceof ServerResponse)) {
    await made.body?.cancel();
    throw new AppError('UNAVAILABLE', 'this connection cannot carry a stream');
  }
  // Of one that has closed already nobody is told again.
  if (stream.destroyed) {
    await made.body?.cancel();
    return;
  }
  made.headers.forEach((value, name) => {
    // The connection is the server's.
    if (name !== 'connection') stream.setHeader(name, value);
  });
  stream.setHeader('cache-control', 'no-store, no-transform');
  stream.writeHead(made.status);
  if (made.body === null) {
    stream.end();
    return;
  }
  // What has no event for a while is a stream all the same; else its head goes with the first piece.
  let isSilent = true;
  setImmediate(() => {
    if (isSilent) stream.flushHeaders();
  });
  const reader = made.body.getReader();
  const leave = (): void => {
    reader.cancel().catch(() => {}); // It has ended already.
  };
  stream.once('close', leave);
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      isSilent = false;
      if (!(await written(stream, piece.value))) return;
    }
  } finally {
    isSilent = false;
    stream.off('close', leave);
    leave();
  }
  stream.end();
}

/** Whether the client still waits. That it has left is heard only when the event loop has had its turn. */
export async function isRead(response: RouteResponse): Promise<boolean> {
  await yieldToLoop();
  await yieldToLoop();
  const stream: unknown = response;
  if (!(stream instanceof ServerResponse)) return true;
  // The response itself closes some turns later than its connection.
  const { destroyed, socket } = stream;
  return !destroyed && socket?.destroyed !== true && socket?.readableEnded !== true;
}

/** Breaks the connection, so that the client learns that the answer is not complete. */
export function abort(response: RouteResponse): void {
  const stream: unknown = response;
  if (stream instanceof ServerResponse && !stream.writableEnded) stream.destroy();
}

function setHeaders(response: RouteResponse): void {
  response.setHeader?.('content-type', 'application/x-ndjson; charset=utf-8');
  response.setHeader?.('cache-control', 'no-store');
}

/** `false`: the client has gone. */
async function written(stream: ServerResponse, text: string | Uint8Array): Promise<boolean> {
  if (stream.destroyed) return false;
  if (stream.write(text)) return true;
  const gone = new AbortController();
  try {
    await Promise.race([
      once(stream, 'drain', { signal: gone.signal }),
      once(stream, 'close', { signal: gone.signal }),
    ]);
    return !stream.destroyed;
  } catch {
    return false;
  } finally {
    gone.abort();
  }
}
