/**
 * Brings each call to whoever serves, in the order in which they come. While nobody does they are held;
 * what was under way when a server died is sent again where that does no harm (`isRepeatable`), else
 * answered with an error that says so: such a call is carried out at most once.
 */

import { serial } from '../shared/async.js';
import { type Clock, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { AppError, ERROR_TABLE, messageOf } from '../shared/errors.js';
import { isObject, parsedJson } from '../shared/json.js';
import {
  MAX_ANSWER_BYTES,
  type NotDelivered,
  notOfMethod,
  readWhole,
  type ServerAddress,
  sendRequest,
} from './connect.js';
import type { LeaderElection } from './leader-election.js';
import { createRequestRetry, unserved, type Wait } from './request-retry.js';

export interface Forwarder {
  /**
   * @param text one request or batch as it came
   * @param body the same, parsed
   * @returns the answer in one line, an error where it could not be brought; `null` when none is due.
   * Never rejects
   */
  send(text: string, body: unknown): Promise<string | null>;
  /** What is held is answered with an error that says why, what is under way is broken off. */
  close(why?: string): void;
}

export interface ForwardLimits {
  /** Calls that wait while nobody serves. */
  held: number;
  /** How long one waits for a server, ms. */
  heldMs: number;
  /** How long a read may take that a server has, ms; 10 s. */
  readMs?: number;
}

const READ_MS = 10 * SECOND_MS;

export const FORWARD_LIMITS: ForwardLimits = { held: 1_000, heldMs: 20 * SECOND_MS };

export function createForwarder(
  election: LeaderElection,
  { clock, limits = FORWARD_LIMITS }: { clock: Clock; limits?: ForwardLimits },
): Forwarder {
  const closing = new AbortController();
  const retry = createRequestRetry(election, clock);
  let open = 0;
  const inTurn = serial();

  /** @throws AppError */
  function bring(text: string, body: unknown, wait: Wait): Promise<string | null> {
    const silentMs = isQuick(body) ? (limits.readMs ?? READ_MS) : SILENT_MS;
    return retry.bring({
      ...{ wait, heldMs: limits.heldMs, signal: closing.signal },
      mayRepeat: () => isRepeatable(body),
      async send({ address }, signal) {
        const outcome = await deliver(address, text, signal, { silentMs });
        return 'answer' in outcome ? { done: outcome.answer } : outcome;
      },
    });
  }

  return {
    async send(text, body) {
      const wait = retry.wait(limits.heldMs);
      if (!election.current && open >= limits.held) {
        return failureOf(body, unserved(`${open} calls wait for a server already`));
      }
      open += 1;
      try {
        return await inTurn(() => bring(text, body, wait));
      } catch (error) {
        if (error instanceof AppError) return failureOf(body, error);
        throw error;
      } finally {
        open -= 1;
      }
    },
    close(why) {
      retry.close(why);
      closing.abort();
    },
  };
}

/** Of the protocol itself (https://www.jsonrpc.org/specification). */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INTERNAL_ERROR = -32603;

/**
 * Methods that may be carried out twice. Reads change nothing; set, delete and import lead to the same
 * end (a second set counts one more version, a second delete may find nothing any more). A second `bump`
 * would count a use that never was.
 */
const REPEATABLE: ReadonlySet<string> = new Set(
  [
    'get_hint',
    'query',
    'list_components',
    'export',
    'status',
    'set_hint',
    'delete_hint',
    'import',
  ].flatMap((name) => [`nudge.${name}`, `nudge_${name}`]),
);

/** Whether it does no harm to send it again when nobody knows what became of it. */
export function isRepeatable(body: unknown): boolean {
  if (Array.isArray(body)) return body.every(isRepeatable);
  if (!isObject(body) || typeof body.method !== 'string') return true;
  // Carried out already, it would now meet a version that it has made itself.
  if (isObject(body.params) && Object.hasOwn(body.params, 'if_match_version')) return false;
  return REPEATABLE.has(body.method);
}

/** Those that an agent waits for before it goes on. */
const READS: ReadonlySet<string> = new Set(
  ['get_hint', 'query', 'list_components', 'status'].map((name) => `nudge.${name}`),
);

/** Whether all of it only looks something up, and takes no time that counts. */
export function isQuick(body: unknown): boolean {
  if (Array.isArray(body)) return body.every(isQuick);
  return isObject(body) && typeof body.method === 'string' && READS.has(body.method);
}

/** What we throw, to each request of the body; `null` when there are only notifications. */
export function failureOf(body: unknown, { code, message, details }: AppError): string | null {
  return errorToEach(body, {
    ...{ code: ERROR_TABLE[code].rpc, message },
    data: { reason: code, details },
  });
}

/** The same error for each request of the body; `null` when there are only notifications. */
export function errorToEach(body: unknown, error: object): string | null {
  if (!Array.isArray(body)) {
    const id = idOf(body);
    return id === undefined ? null : response(id, error);
  }
  const ids = body.map(idOf).filter((id) => id !== undefined);
  return ids.length === 0 ? null : `[${ids.map((id) => response(id, error)).join(',')}]`;
}

export function response(id: unknown, error: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

/** `undefined`: a notification. What is no request is answered, too: without an id. */
function idOf(body: unknown): unknown {
  if (!isObject(body)) return null;
  const { id } = body;
  if (typeof id === 'string' || typeof id === 'number' || id === undefined) return id;
  return null;
}

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
 * Never rejects.
 * @param signal breaks it off
 * @param limits two minutes, and more than the largest store has
 */
export function deliver(
  address: ServerAddress,
  text: string,
  signal: AbortSignal,
  { silentMs = SILENT_MS, answerBytes = MAX_ANSWER_BYTES }: Partial<DeliveryLimits> = {},
): Promise<Delivery> {
  return new Promise((resolve) => {
    const message = `its answer has more than ${answerBytes} bytes`;
    sendRequest(address, {
      ...{ method: 'POST', path: address.path, body: text, signal, silentMs },
      onSilent: () => resolve({ silent: `it has not answered within ${silentMs / SECOND_MS} s` }),
      onFailure: (error, isConnected) =>
        resolve(isConnected ? { broken: messageOf(error) } : { undelivered: messageOf(error) }),
      onResponse: (received) =>
        readWhole(
          received,
          answerBytes,
          (body) => resolve(judged(received.statusCode ?? 0, body)),
          () => resolve({ refused: { code: 'TOO_LARGE', message } }),
        ),
    });
  });
}

function judged(status: number, text: string): Delivery {
  if (status === 204) return { answer: null };
  const body = parsedJson(text);
  if (isRpc(body)) return { answer: text.includes('\n') ? JSON.stringify(body) : text };
  return notOfMethod(status, body);
}

function isRpc(body: unknown): boolean {
  if (!Array.isArray(body)) return isObject(body) && body.jsonrpc === '2.0';
  return body.length > 0 && body.every(isRpc);
}
