/**
 * JSON-RPC over HTTP to whoever serves. What is there need not be one of ours: an Eliza server answers a
 * bad body by itself, in HTML or in its own words, and a port may be anybody's.
 */
import { request as httpRequest } from 'node:http';
import { AppError, ERROR_TABLE, type ErrorCode, messageOf } from '../../shared/errors.js';
import type { ServerAddress } from './types.js';

export interface RpcClient {
  /**
   * One call over a connection of its own; `params` by name. Never repeated: whether a call that failed
   * with `sent` in its details was carried out is not known.
   * @returns the result, of a shape the caller has to check
   * @throws AppError with the code of the method's own error, TOO_LARGE for what no server would take,
   * or UNAVAILABLE with `details.met` (`Met`) when nobody, or nobody of ours, has answered
   */
  call(method: string, params?: object): Promise<unknown>;
}

/** Instead of an answer. After the first two nothing was carried out. */
export type Met =
  /** Nothing listens there. */
  | 'nobody'
  /** The connection could not be made for another reason. */
  | 'unreachable'
  /** The connection broke before the answer had come. */
  | 'broken'
  | 'timeout'
  /** A key is missing or wrong. */
  | 'unauthenticated'
  /** A server of ours, or the host around it, could or would not pass the call on. */
  | 'refused'
  /** Somebody else's program. */
  | 'foreign';

export interface RpcClientOptions {
  /** Until the whole answer has come; 5 s. */
  timeoutMs?: number;
}

/** What a host takes as a body (`express.json`), and our own listener. */
export const MAX_CALL_BYTES = 2 * 1024 * 1024;

const TIMEOUT_MS = 5_000;
/** More than the largest store has. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_SHOWN = 200;
const ID = 1;

interface Answer {
  status: number;
  type: string;
  text: string;
}

export function createRpcClient(
  address: ServerAddress,
  { timeoutMs = TIMEOUT_MS }: RpcClientOptions = {},
): RpcClient {
  return {
    async call(method, params) {
      const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: ID, method, params }));
      if (body.length > MAX_CALL_BYTES) {
        const message = `the call has ${body.length} bytes; a server takes ${MAX_CALL_BYTES}`;
        throw new AppError('TOO_LARGE', message, { bytes: body.length });
      }
      return resultOf(await post(address, body, timeoutMs), address, method);
    },
  };
}

function post(address: ServerAddress, body: Buffer, timeoutMs: number): Promise<Answer> {
  const { baseUrl, path, agentId, apiKey } = address;
  const query = agentId === undefined ? '' : `?agentId=${encodeURIComponent(agentId)}`;
  return new Promise((resolve, reject) => {
    let isConnected = false;
    let tooLate = false;
    const sent = httpRequest(`${baseUrl}${path}${query}`, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': body.length,
        accept: 'application/json',
        ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
      },
    });
    const timer = setTimeout(() => {
      tooLate = true;
      sent.destroy();
      reject(unavailable(address, 'timeout', lateWords(address, timeoutMs), isConnected));
    }, timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      if (!tooLate) reject(failureOf(error, address, isConnected));
    };
    sent.once('socket', (socket) => {
      socket.once('connect', () => {
        isConnected = true;
      });
    });
    sent.on('error', fail);
    sent.once('response', (received) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      received.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) sent.destroy(new Error('its answer has no end'));
        else chunks.push(chunk);
      });
      received.on('error', fail);
      received.once('end', () => {
        clearTimeout(timer);
        resolve({
          status: received.statusCode ?? 0,
          type: received.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    sent.end(body);
  });
}

/** @throws AppError */
function resultOf(answer: Answer, address: ServerAddress, method: string): unknown {
  const body = parsed(answer.text);
  if (isObject(body) && body.jsonrpc === '2.0') {
    if (isObject(body.error)) throw rpcFailure(body.error, address, method);
    // An error may come without the id of what could not be read; a result may not.
    if (Object.hasOwn(body, 'result') && body.id === ID) return body.result;
  }
  throw otherAnswer(answer, body, address);
}

/** The method's own error, or that of the protocol. */
function rpcFailure(
  error: Record<string, unknown>,
  address: ServerAddress,
  method: string,
): AppError {
  const { reason, details } = isObject(error.data) ? error.data : {};
  const message = typeof error.message === 'string' ? error.message : 'no reason given';
  const code = codeOf(error.code, reason);
  if (code !== null) return new AppError(code, message, isObject(details) ? details : {});
  const where = `the server at ${address.baseUrl}`;
  const what =
    error.code === -32601
      ? `${where} does not know ${method}: it is another program, or an older version`
      : `${where} did not take the call: ${shown(message)}`;
  return unavailable(address, error.code === -32601 ? 'foreign' : 'refused', what, true);
}

/** Of a name of the seed (`E_NOT_FOUND`), our own code, or a number; `null`: it has none of ours. */
function codeOf(code: unknown, reason: unknown): ErrorCode | null {
  const rows = Object.entries(ERROR_TABLE) as [ErrorCode, Row][];
  const named = rows.find(([name, row]) => name === reason || row.nudgeName === reason);
  if (named && reason !== undefined) return named[0];
  return rows.find(([, row]) => row.nudge !== undefined && row.nudge === code)?.[0] ?? null;
}

interface Row {
  nudge?: number;
  nudgeName?: string;
}

/** What came is no JSON-RPC. */
function otherAnswer(
  { status, type, text }: Answer,
  body: unknown,
  address: ServerAddress,
): AppError {
  const { baseUrl } = address;
  const fail = (met: Met, message: string) => unavailable(address, met, message, true, { status });
  if (status === 401) {
    const message = address.apiKey
      ? `the server at ${baseUrl} does not accept the key in ELIZA_SERVER_AUTH_TOKEN`
      : `the server at ${baseUrl} wants a key: set ELIZA_SERVER_AUTH_TOKEN to the one it was started with`;
    return fail('unauthenticated', message);
  }
  const told = isObject(body) && isObject(body.error) ? body.error : {};
  const words = typeof told.message === 'string' ? `: ${shown(told.message)}` : '';
  if (status === 413) {
    const message = `the server at ${baseUrl} takes no body of this size (413)${words}`;
    if (told.code === 'TOO_LARGE') return new AppError('TOO_LARGE', message, { status });
    return fail('refused', message);
  }
  const isHtml = /html/i.test(type) || /^\s*</.test(text);
  // The host's own answers: at its root as a page, below /api as JSON.
  if (isHtml && status === 400) {
    return fail('refused', `the server at ${baseUrl} could not read the call (400, as a web page)`);
  }
  if (!isHtml && isObject(body) && (status === 500 || Object.keys(told).length > 0)) {
    return fail('refused', `the server at ${baseUrl} has failed (${status})${words}`);
  }
  const what = isHtml ? 'a web page' : 'something else';
  return fail(
    'foreign',
    `${baseUrl} is served by another program (it answers ${what}, ${status}): say where the server is with -p PORT`,
  );
}

function failureOf(
  error: Error & { code?: unknown },
  address: ServerAddress,
  isConnected: boolean,
): AppError {
  const { baseUrl } = address;
  const code = String(error.code ?? '');
  if (code === 'ECONNREFUSED') {
    const message = `nothing listens at ${baseUrl}: start a server with "nudge serve", or say its port with -p PORT`;
    return unavailable(address, 'nobody', message, false);
  }
  if (code.startsWith('HPE_')) {
    const message = `${baseUrl} is served by another program (it does not speak HTTP): say where the server is with -p PORT`;
    return unavailable(address, 'foreign', message, true);
  }
  const met = isConnected ? 'broken' : 'unreachable';
  const what = isConnected ? 'broke off' : 'cannot be reached';
  return unavailable(
    address,
    met,
    `the server at ${baseUrl} ${what}: ${messageOf(error)}`,
    isConnected,
  );
}

const lateWords = ({ baseUrl }: ServerAddress, timeoutMs: number): string =>
  `the server at ${baseUrl} has not answered within ${timeoutMs / 1_000} s`;

function unavailable(
  { baseUrl }: ServerAddress,
  met: Met,
  message: string,
  sent: boolean,
  more: Record<string, unknown> = {},
): AppError {
  return new AppError('UNAVAILABLE', message, { met, server: baseUrl, sent, ...more });
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

/** Words of a stranger as one short line. */
function shown(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line;
}
