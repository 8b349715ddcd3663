/** One JSON-RPC body to a server and what came of it, as values: a bridge decides by them what to repeat. */
import { request as httpRequest } from 'node:http';
import { MINUTE_MS, SECOND_MS } from '../../shared/clock.js';
import { ERROR_TABLE, type ErrorCode, messageOf } from '../../shared/errors.js';
import { MAX_ANSWER_BYTES } from './http-exchange.js';
import type { ServerAddress } from './types.js';

/** Nothing has been carried out. */
export type NotDelivered =
  /** The server, or the host around it, did not pass it on, and would not the next time. */
  | { refused: { code: ErrorCode; message: string } }
  /** Nobody listens, or somebody else's program does. */
  | { undelivered: string };

export type Delivery =
  /** JSON-RPC in one line; `null`: nothing is to be answered. */
  | { answer: string | null }
  | NotDelivered
  /** The server went while it had it: whether it has been carried out is not known. */
  | { broken: string }
  /** It has it, and said nothing for as long as it may take: the same is not known. */
  | { silent: string };

export interface DeliveryLimits {
  /** For which nothing may come from the server. */
  silentMs: number;
  answerBytes: number;
}

/** Longer than an import of the largest part takes. */
export const SILENT_MS = 2 * MINUTE_MS;

/**
 * Over a connection of its own: of one that is kept, nobody could say whether a call that failed had been
 * sent. Never rejects.
 * @param signal breaks it off
 * @param limits two minutes, and more than the largest store has
 */
export function deliver(
  address: ServerAddress,
  text: string,
  signal: AbortSignal,
  { silentMs = SILENT_MS, answerBytes = MAX_ANSWER_BYTES }: Partial<DeliveryLimits> = {},
): Promise<Delivery> {
  const { baseUrl, path, agentId, apiKey } = address;
  const query = agentId === undefined ? '' : `?agentId=${encodeURIComponent(agentId)}`;
  return new Promise((resolve) => {
    let isConnected = false;
    const sent = httpRequest(`${baseUrl}${path}${query}`, {
      method: 'POST',
      agent: false,
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
      },
    });
    const fail = (error: Error): void =>
      resolve(isConnected ? { broken: messageOf(error) } : { undelivered: messageOf(error) });
    sent.once('socket', (socket) => {
      socket.once('connect', () => {
        isConnected = true;
        socket.setTimeout(silentMs, () => {
          resolve({ silent: `it has not answered within ${silentMs / SECOND_MS} s` });
          sent.destroy();
        });
      });
    });
    sent.on('error', fail);
    sent.once('response', (received) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      received.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= answerBytes) return void chunks.push(chunk);
        const message = `its answer has more than ${answerBytes} bytes`;
        resolve({ refused: { code: 'TOO_LARGE', message } });
        sent.destroy();
      });
      received.on('error', fail);
      received.once('end', () =>
        resolve(judged(received.statusCode ?? 0, Buffer.concat(chunks).toString('utf8'))),
      );
    });
    sent.end(text);
  });
}

function judged(status: number, text: string): Delivery {
  if (status === 204) return { answer: null };
  const body = parsed(text);
  if (isRpc(body)) return { answer: text.includes('\n') ? JSON.stringify(body) : text };
  return notOfMethod(status, body);
}

/** What an answer means that no method has made. */
export function notOfMethod(status: number, body: unknown): NotDelivered {
  const told = isObject(body) && isObject(body.error) ? body.error : {};
  const message = typeof told.message === 'string' ? told.message : `it answered ${status}`;
  const { code } = told;
  if (isCode(code)) {
    // The agent is not there yet, or not any more.
    const isPassing = code === 'NOT_FOUND' || code === 'UNAVAILABLE';
    return isPassing ? { undelivered: message } : { refused: { code, message } };
  }
  if (status === 401) return { refused: { code: 'UNAUTHENTICATED', message } };
  if (status === 413) return { refused: { code: 'TOO_LARGE', message } };
  return { undelivered: `another program answers there (${status})` };
}

function isRpc(body: unknown): boolean {
  if (!Array.isArray(body)) return isObject(body) && body.jsonrpc === '2.0';
  return body.length > 0 && body.every(isRpc);
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_TABLE, code);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
