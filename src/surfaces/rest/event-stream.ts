/**
 * Server-sent events: an answer that stays open and is pushed to. Each client has its own; one that
 * reads too slowly is dropped rather than waited for, because what is pushed is made by the agent at
 * work, and it can ask for the list when it is back.
 */
import { ServerResponse } from 'node:http';
import type { RouteResponse } from '@elizaos/core';
import { AppError } from '../../shared/errors.js';

export interface ServerEvent {
  event: string;
  id: string;
  data: object;
}

/** An answer of events; the service that makes them may end before the client leaves. */
export interface EventStream {
  /** Stands in its first line; "offers" when absent. */
  name?: string;
  /** Begins to listen; returns the way to stop. What is sent after the end throws. */
  listen: (send: (event: ServerEvent) => void) => () => void;
  /** Asked about every second; `false` ends the stream. */
  isOpen: () => boolean;
}

/** The host's sockets idle out after 30 s. */
const COMMENT_MS = 10_000;
const CHECK_MS = 1_000;
/** When a client that was cut off is to come again. */
const RETRY_MS = 3_000;
/** Bytes that may wait for a slow client. */
const MAX_WAITING = 1024 * 1024;

export function isEventStream(body: object): body is EventStream {
  return 'listen' in body && typeof body.listen === 'function' && 'isOpen' in body;
}

/**
 * Resolves when the client has gone or the stream has ended.
 * @throws AppError UNAVAILABLE where the answer cannot stay open; nothing has been sent then
 */
export function sendEvents(response: RouteResponse, stream: EventStream): Promise<void> {
  const socket: unknown = response;
  if (!(socket instanceof ServerResponse)) {
    throw new AppError('UNAVAILABLE', 'this connection cannot carry a stream');
  }
  return new Promise((resolve) => {
    let isOver = false;
    let stop = () => {};
    let silentMs = 0;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      stop();
      resolve();
    };
    const write = (text: string): void => {
      if (isOver || socket.destroyed) throw new AppError('UNAVAILABLE', 'the client has gone');
      socket.write(text);
      silentMs = 0;
      if (socket.writableLength <= MAX_WAITING) return;
      socket.destroy();
      end();
      throw new AppError('UNAVAILABLE', 'the client reads too slowly');
    };
    const tick = (): void => {
      if (socket.destroyed) {
        end();
        return;
      }
      if (!stream.isOpen()) {
        end();
        socket.end();
        return;
      }
      silentMs += CHECK_MS;
      if (silentMs >= COMMENT_MS) write(': still here\n\n');
    };
    const timer = setInterval(() => {
      try {
        tick();
      } catch {
        end();
      }
    }, CHECK_MS);
    timer.unref();
    socket.on('close', end);
    socket.on('error', end);
    socket.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // A proxy that gathers answers would keep them.
      'x-accel-buffering': 'no',
    });
    write(`: ${stream.name ?? 'offers'}\nretry: ${RETRY_MS}\n\n`);
    // Without its own lines no text can end an event: JSON has none.
    stop = stream.listen(({ event, id, data }) => {
      write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
    });
    if (isOver) stop();
  });
}
