/**
 * One HTTP request to whoever serves, and what to say of an answer that is none of ours. What is there
 * need not be one of ours: an Eliza server answers a bad body by itself, in HTML or in its own words, and
 * a port may be anybody's.
 */

import type { ClientRequest, IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { AppError, ERROR_TABLE, type ErrorCode, isErrorCode, messageOf } from '../shared/errors.js';
import { isObject, parsedJson } from '../shared/json.js';

/** What a command needs to talk to a server. */
export interface ServerAddress {
  /** Scheme, host and port: `http://127.0.0.1:8765`. */
  baseUrl: string;
  path: string;
  /** Of the agent that shall answer; absent: there is but one. */
  agentId?: string;
  /** Sent as `x-api-key`. */
  apiKey?: string;
  /** There is a key, which is not sent to whoever may be somebody else. */
  isKeyWithheld?: true;
  /** Of the PID file; sent with the messages of MCP only. */
  localKey?: string;
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

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Exchange {
  method: HttpMethod;
  /** Behind the base URL. */
  path: string;
  /** What is `undefined` is not sent; the agent's id is added. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** JSON. */
  body?: object;
  /** Until the whole answer has come; 5 s. */
  timeoutMs?: number;
  /** Ends it before that: the server sees that nobody waits. */
  signal?: AbortSignal | undefined;
  /** Takes a good answer of JSON lines as it comes, however long it is. */
  onLines?(text: string): void;
}

export interface Answer {
  status: number;
  type: string;
  /** Empty where lines went to `onLines`. */
  text: string;
  wentOut: boolean;
}

/** What a host takes as a body (`express.json`), and our own listener. */
export const MAX_CALL_BYTES = 2 * 1024 * 1024;

const TIMEOUT_MS = 5_000;
/** More than the largest store has. */
export const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_SHOWN = 200;
const JSON_LINES = 'application/x-ndjson';

export interface HttpRequest {
  method: string;
  /** Behind the base URL. */
  path: string;
  query?: Exchange['query'];
  headers?: Readonly<Record<string, string>>;
  /** JSON. */
  body?: string | Buffer | undefined;
  signal?: AbortSignal | undefined;
  /** With nothing said for so long, ms, the request is broken off. */
  silentMs?: number;
  /** Called before that. */
  onSilent?(): void;
  onResponse(received: IncomingMessage): void;
  /** @param isConnected the request may have arrived */
  onFailure(error: Error, isConnected: boolean): void;
}

/**
 * Sends one request over a connection of its own: of one that is kept, nobody could say whether a request that
 * failed had been sent.
 */
export function sendRequest(address: ServerAddress, request: HttpRequest): ClientRequest {
  const { method, path, query, headers, body, signal, silentMs, onSilent, onFailure } = request;
  const { baseUrl, agentId, apiKey } = address;
  let isConnected = false;
  // Loaded where it is needed: a recall of the command line asks nobody.
  const http = process.getBuiltinModule('node:http');
  const sent = http.request(`${baseUrl}${path}${queryOf({ agentId, ...query })}`, {
    method,
    agent: false,
    signal,
    headers: {
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
      ...headers,
    },
  });
  sent.once('socket', (socket) => {
    socket.once('connect', () => {
      isConnected = true;
      if (silentMs === undefined) return;
      socket.setTimeout(silentMs, () => {
        onSilent?.();
        sent.destroy(new Error('it does not answer'));
      });
    });
  });
  sent.on('error', (error) => onFailure(error, isConnected));
  sent.once('response', (received) => {
    received.on('error', (error) => onFailure(error, true));
    request.onResponse(received);
  });
  sent.end(body);
  return sent;
}

/** Takes the whole answer as text; one of more bytes is given up. */
export function readWhole(
  received: IncomingMessage,
  maxBytes: number,
  take: (text: string) => void,
  giveUp: () => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  received.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) return void chunks.push(chunk);
    giveUp();
    received.destroy();
  });
  received.once('end', () => take(Buffer.concat(chunks).toString('utf8')));
}

/**
 * Never repeated: whether a request that failed with `sent` in its details was carried out is not known.
 * @throws AppError TOO_LARGE for what no server would take, or UNAVAILABLE with `details.met` (`Met`)
 */
export async function exchange(
  address: ServerAddress,
  { method, path, query = {}, body, timeoutMs = TIMEOUT_MS, signal, onLines }: Exchange,
): Promise<Answer> {
  const bytes = body === undefined ? undefined : bytesOf(body);
  return new Promise((resolve, reject) => {
    let isTooLate = false;
    const onFailure = (error: Error, isConnected: boolean): void => {
      clearTimeout(timer);
      reject(
        isTooLate
          ? unavailable(address, 'timeout', lateWords(address, timeoutMs), isConnected)
          : failureOf(error, address, isConnected),
      );
    };
    const sent = sendRequest(address, {
      ...{ method, path, query, body: bytes, signal, onFailure },
      headers: { accept: 'application/json' },
      onResponse(received) {
        const { statusCode: status = 0, headers } = received;
        const type = headers['content-type'] ?? '';
        const wentOut = onLines !== undefined && status === 200 && type.startsWith(JSON_LINES);
        const end = (text: string): void => {
          clearTimeout(timer);
          resolve({ status, type, text, wentOut });
        };
        if (!wentOut) {
          const giveUp = () => onFailure(new Error('its answer has no end'), true);
          return readWhole(received, MAX_ANSWER_BYTES, end, giveUp);
        }
        const decoder = new StringDecoder('utf8');
        received.on('data', (chunk: Buffer) => onLines(decoder.write(chunk)));
        received.once('end', () => end(''));
      },
    });
    const timer = setTimeout(() => {
      isTooLate = true;
      sent.destroy(new Error('too late'));
    }, timeoutMs);
  });
}

function bytesOf(body: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(body));
  if (bytes.length <= MAX_CALL_BYTES) return bytes;
  const message = `the call has ${bytes.length} bytes; a server takes ${MAX_CALL_BYTES}`;
  throw new AppError('TOO_LARGE', message, { bytes: bytes.length });
}

function queryOf(query: NonNullable<Exchange['query']>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/**
 * What to say of an answer that is not in the words of our protocols.
 * @param body the parsed text, `undefined` where it is no JSON
 */
export function otherAnswer(
  { status, type, text }: Answer,
  body: unknown,
  address: ServerAddress,
): AppError {
  const { baseUrl } = address;
  const fail = (met: Met, message: string) => unavailable(address, met, message, true, { status });
  if (status === 401) {
    const message = address.apiKey
      ? `the server at ${baseUrl} does not accept the key in ELIZA_SERVER_AUTH_TOKEN`
      : address.isKeyWithheld
        ? `the server at ${baseUrl} wants a key, which is sent only where it is certain who listens: ` +
          'say its port with -p PORT'
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

export function unavailable(
  { baseUrl }: ServerAddress,
  met: Met,
  message: string,
  sent: boolean,
  more: Record<string, unknown> = {},
): AppError {
  return new AppError('UNAVAILABLE', message, { met, server: baseUrl, sent, ...more });
}

/** Words of a stranger as one short line. */
export function shown(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line;
}

/** Nothing has been carried out. */
export type NotDelivered =
  /** The server, or the host around it, did not pass it on, and would not the next time. */
  | { refused: { code: ErrorCode; message: string } }
  /** Nobody listens, or somebody else's program does. */
  | { undelivered: string };

/** What an answer means that no method has made. */
export function notOfMethod(status: number, body: unknown): NotDelivered {
  const told = isObject(body) && isObject(body.error) ? body.error : {};
  const message = typeof told.message === 'string' ? told.message : `it answered ${status}`;
  const { code } = told;
  if (isErrorCode(code)) {
    // The agent is not there yet, or not any more.
    const isPassing = code === 'NOT_FOUND' || code === 'UNAVAILABLE';
    return isPassing ? { undelivered: message } : { refused: { code, message } };
  }
  if (status === 401) return { refused: { code: 'UNAUTHENTICATED', message } };
  if (status === 413) return { refused: { code: 'TOO_LARGE', message } };
  return { undelivered: `another program answers there (${status})` };
}

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

export interface RpcClientOptions {
  /** Until the whole answer has come; 5 s. */
  timeoutMs?: number;
}

const ID = 1;

export function createRpcClient(
  address: ServerAddress,
  { timeoutMs }: RpcClientOptions = {},
): RpcClient {
  return {
    async call(method, params) {
      const answer = await exchange(address, {
        method: 'POST',
        path: address.path,
        body: { jsonrpc: '2.0', id: ID, method, params },
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      return resultOf(answer, address, method);
    },
  };
}

/** @throws AppError */
function resultOf(answer: Answer, address: ServerAddress, method: string): unknown {
  const body = parsedJson(answer.text);
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
  const code = rpcErrorCode(error.code, reason);
  if (code !== null) {
    const body = { code: error.code, message, ...('data' in error ? { data: error.data } : {}) };
    return new RpcFailure(code, body, isObject(details) ? details : {});
  }
  const where = `the server at ${address.baseUrl}`;
  const what =
    error.code === -32601
      ? `${where} does not know ${method}: it is another program, or an older version`
      : `${where} did not take the call: ${shown(message)}`;
  return unavailable(address, error.code === -32601 ? 'foreign' : 'refused', what, true);
}

/** Of a name of the seed (`E_NOT_FOUND`), our own code, or a number; `null`: it has none of ours. */
function rpcErrorCode(code: unknown, reason: unknown): ErrorCode | null {
  const rows = Object.entries(ERROR_TABLE) as [ErrorCode, Row][];
  const named = rows.find(([name, row]) => name === reason || row.nudgeName === reason);
  if (named && reason !== undefined) return named[0];
  return rows.find(([, row]) => row.nudge !== undefined && row.nudge === code)?.[0] ?? null;
}

interface Row {
  nudge?: number;
  nudgeName?: string;
}

export interface RpcErrorBody {
  code: unknown;
  message: unknown;
  data?: unknown;
}

export class RpcFailure extends AppError {
  readonly body: RpcErrorBody;

  /** @param message in other words than the server's */
  constructor(
    code: ErrorCode,
    body: RpcErrorBody,
    details: Record<string, unknown>,
    message = typeof body.message === 'string' ? body.message : 'no reason given',
  ) {
    super(code, message, details);
    this.body = body;
  }
}

export interface RestRequest extends Omit<Exchange, 'method'> {
  /** Below `/cue`: `/triggers`. */
  path: string;
  /** GET when absent. */
  method?: Exchange['method'];
}

/**
 * One request, never repeated.
 * @returns the body, of a shape the caller has to check; `{ lines: true }` where they went to `onLines`
 * @throws AppError with the code of the route's own error, or as `exchange` does
 */
export async function askRest(
  address: ServerAddress,
  { path, method = 'GET', ...request }: RestRequest,
): Promise<Record<string, unknown>> {
  const route = `${method} /cue${path}`;
  const whole = `${baseOf(address)}${path}`;
  const answer = await exchange(address, { ...request, method, path: whole });
  return bodyOf(answer, address, route);
}

/** Of all routes, in the place where that of JSON-RPC is. */
function baseOf({ path }: ServerAddress): string {
  return path.replace(/\/rpc$/, '');
}

function bodyOf(answer: Answer, address: ServerAddress, route: string): Record<string, unknown> {
  const { status, text, wentOut } = answer;
  if (wentOut) return { lines: true };
  const isGood = status >= 200 && status < 300;
  const body = parsedJson(text);
  if (isGood && isObject(body)) return body;
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const code = isErrorCode(error.code) ? error.code : null;
  if (code === null || status === 401 || typeof error.message !== 'string') {
    throw otherAnswer(answer, body, address);
  }
  const details = isObject(error.details) ? error.details : {};
  // Not what was asked for is missing, but who could say so.
  if (code === 'NOT_FOUND' && details.what === 'route') {
    const message = `the server at ${address.baseUrl} does not know ${route}: it is an older version`;
    throw unavailable(address, 'foreign', message, true);
  }
  if (code === 'NOT_FOUND' && details.what === 'agent') {
    const message = `the server at ${address.baseUrl} is for another agent: ${shown(error.message)}`;
    throw unavailable(address, 'refused', message, true);
  }
  throw new AppError(code, error.message, details);
}

export interface StreamEvent {
  event: string;
  id?: string;
  data: Record<string, unknown>;
}

export interface StreamRequest {
  /** Below `/cue`. */
  path: string;
  query: NonNullable<Exchange['query']>;
  lastEventId?: string | undefined;
  signal: AbortSignal;
  opened(): Promise<void>;
  /** One after the other. */
  onEvent(event: StreamEvent): Promise<void>;
}

/** A comment comes every 10 s. */
const STREAM_SILENT_MS = 35_000;

/**
 * Server-sent events, until the server or the signal ends them.
 * @throws AppError as `askRest`, what `onEvent` throws, or what broke the connection
 */
export async function askStream(
  address: ServerAddress,
  { path, query, lastEventId, signal, opened, onEvent }: StreamRequest,
): Promise<void> {
  const { baseUrl, agentId, apiKey } = address;
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), STREAM_SILENT_MS);
  try {
    const response = await fetch(
      `${baseUrl}${baseOf(address)}${path}${queryOf({ agentId, ...query })}`,
      {
        signal: AbortSignal.any([signal, silent.signal]),
        headers: {
          accept: 'text/event-stream',
          ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
      },
    );
    const type = response.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream') || response.body === null) {
      const answer = { status: response.status, type, text: await response.text() };
      bodyOf({ ...answer, wentOut: false }, address, `GET /cue${path}`);
      throw otherAnswer({ ...answer, wentOut: false }, undefined, address);
    }
    await opened();
    let held = '';
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      timer.refresh();
      const blocks = `${held}${text}`.split('\n\n');
      held = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = streamEventOf(block);
        if (event !== null) await onEvent(event);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** `null`: a comment, or nothing of ours. */
function streamEventOf(block: string): StreamEvent | null {
  const fields = new Map(
    block.split('\n').flatMap((line) => {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value ?? ''] as const];
    }),
  );
  const id = fields.get('id');
  const data = parsedJson(fields.get('data') ?? '');
  if (!isObject(data)) return null;
  return { event: fields.get('event') ?? '', ...(id === undefined ? {} : { id }), data };
}
