/** One exchange of streamable HTTP with whoever serves MCP, and what came of it, as values. */

import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { deferred } from '../shared/async.js';
import { MINUTE_MS } from '../shared/clock.js';
import { type AppError, ERROR_TABLE, messageOf } from '../shared/errors.js';
import { isObject, parsedJson } from '../shared/json.js';
import {
  CLIENT_SESSION_HEADER,
  CONNECTION_HEADER,
  LOCAL_KEY_HEADER,
  TOOLS_HEADER,
} from '../surfaces/mcp-client.js';
import {
  MAX_ANSWER_BYTES,
  type NotDelivered,
  notOfMethod,
  readWhole,
  type ServerAddress,
  sendRequest,
} from './connect.js';

/** Server-sent events as they come in pieces (HTML Living Standard §9.2.6), as far as MCP uses them. */
export interface SseEvent {
  /** Of this event or the last one that had any. */
  id: string | undefined;
  /** `message` when it has no name. */
  name: string;
  data: string;
}

const BREAK = /\r\n|\n|\r/;

/** @returns what takes the next bytes; events without data only set the id */
export function sseReader(take: (event: SseEvent) => void): (bytes: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let rest: string[] = [];
  let id: string | undefined;
  let name = '';
  let data: string[] = [];

  function field(line: string): void {
    const at = line.indexOf(':');
    // A comment.
    if (at === 0) return;
    const key = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (key === 'data') data.push(value);
    else if (key === 'event') name = value;
    else if (key === 'id' && !value.includes('\0')) id = value;
  }
  function end(): void {
    take({ id, name: name || 'message', data: data.join('\n') });
    name = '';
    data = [];
  }

  return (bytes) => {
    const text = decoder.write(bytes);
    rest.push(text);
    // A long line comes in many pieces: only a break makes them worth joining.
    if (!BREAK.test(text)) return;
    const whole = rest.join('');
    // What follows a carriage return at the end may belong to it.
    const isHalf = whole.endsWith('\r');
    const lines = (isHalf ? whole.slice(0, -1) : whole).split(BREAK);
    rest = [`${lines.pop() ?? ''}${isHalf ? '\r' : ''}`];
    for (const line of lines) {
      if (line === '') end();
      else field(line);
    }
  };
}

/** Where messages go, and as what. */
export interface McpLink {
  address: ServerAddress;
  /** Absent: it begins with this exchange. */
  sessionId?: string;
  /** Agreed on; absent before that. */
  protocolVersion?: string;
  /** Groups of tools, comma-separated, that the client has chosen. */
  tools?: string | undefined;
  /** The session of its own that the client's hooks speak in; sent with the local key only. */
  clientSession?: string | undefined;
  /** The same with each server; sent likewise. */
  connection?: string;
}

export interface McpExchange {
  /** GET: what the server says unasked. */
  method: 'POST' | 'GET' | 'DELETE';
  /** One message. */
  text?: string;
  /** Goes on after this event of a stream that broke. */
  lastEventId?: string | undefined;
  /** Breaks it off. */
  signal: AbortSignal;
  /** That one answer, or one event of a stream, may have; more than the largest store has. */
  answerBytes?: number | undefined;
  onMessage?(message: Fields): void;
}

export type McpOutcome =
  /** The server has it; messages come until `ended`. */
  | { taken: Taken }
  /** The session is no more: nothing has been carried out. */
  | { unknownSession: string }
  /** The server's own answer, without the id of the request. */
  | { error: Fields; status: number }
  | NotDelivered
  /** The server went while it had it. */
  | { broken: string };

export interface Taken {
  /** Of a session that has begun. */
  sessionId: string | undefined;
  /** 204: the stream that was asked for is over, or there is none. */
  isOver: boolean;
  ended: Promise<StreamEnd>;
}

/** Of an answer that came to its end, or broke. */
export interface StreamEnd {
  /** Of the last event. */
  lastEventId: string | undefined;
  why: string;
  /** It was given up: nobody could hold it. */
  isTooLarge?: true;
}

/** With nothing said, not even a comment; those come every 10 s. */
const SILENT_MS = 2 * MINUTE_MS;
const EVENTS = 'text/event-stream';
const NO_CONTENT = 204;
const NOT_FOUND = 404;

/** Never rejects. */
export function exchangeMcp(
  { address, sessionId, protocolVersion, tools, clientSession, connection }: McpLink,
  {
    method,
    text,
    lastEventId,
    signal,
    answerBytes = MAX_ANSWER_BYTES,
    onMessage = () => {},
  }: McpExchange,
): Promise<McpOutcome> {
  const { path, localKey } = address;
  const isKnown = localKey !== undefined;
  return new Promise((resolve) => {
    sendRequest(address, {
      ...{ method, path: mcpPath(path), body: text, signal, silentMs: SILENT_MS },
      headers: given({
        accept: method === 'GET' ? EVENTS : `application/json, ${EVENTS}`,
        [LOCAL_KEY_HEADER]: localKey,
        [CLIENT_SESSION_HEADER]: isKnown ? clientSession : undefined,
        [CONNECTION_HEADER]: isKnown ? connection : undefined,
        [TOOLS_HEADER]: tools,
        'mcp-session-id': sessionId,
        'mcp-protocol-version': protocolVersion,
        'last-event-id': lastEventId,
      }),
      onFailure: (error, isConnected) =>
        resolve(isConnected ? { broken: messageOf(error) } : { undelivered: messageOf(error) }),
      onResponse(received) {
        const status = received.statusCode ?? 0;
        if (status >= 200 && status < 300) {
          const ended = read(received, onMessage, answerBytes);
          const isOver = status === NO_CONTENT;
          resolve({ taken: { sessionId: header(received, 'mcp-session-id'), isOver, ended } });
          return;
        }
        readWhole(
          received,
          answerBytes,
          (body) => resolve(judged(status, body, sessionId !== undefined)),
          () => resolve({ refused: { code: 'TOO_LARGE', message: tooLarge(answerBytes) } }),
        );
      },
    });
  });
}

function given(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

function judged(status: number, text: string, hasSession: boolean): McpOutcome {
  const body = parsedJson(text);
  if (isObject(body) && body.jsonrpc === '2.0' && isObject(body.error)) {
    if (status === NOT_FOUND && hasSession) return { unknownSession: String(body.error.message) };
    return { error: body.error, status };
  }
  return notOfMethod(status, body);
}

/** Resolves in any case, once. */
function read(
  received: IncomingMessage,
  onMessage: (message: Fields) => void,
  maxBytes: number,
): Promise<StreamEnd> {
  let lastEventId: string | undefined;
  const take = (text: string): void => {
    const message = parsedJson(text);
    const messages: unknown[] = Array.isArray(message) ? message : [message];
    for (const one of messages) if (isObject(one)) onMessage(one);
  };
  return new Promise((resolve) => {
    received.on('error', (error) => resolve({ lastEventId, why: messageOf(error) }));
    received.once('close', () => resolve({ lastEventId, why: 'the connection has ended' }));
    const giveUp = (): void =>
      resolve({ lastEventId: undefined, why: tooLarge(maxBytes), isTooLarge: true });
    if (!header(received, 'content-type')?.startsWith(EVENTS)) {
      const takeAll = (text: string): void => {
        take(text);
        resolve({ lastEventId, why: 'it has said all' });
      };
      readWhole(received, maxBytes, takeAll, giveUp);
      return;
    }
    /** Since the last event. */
    let bytes = 0;
    const events = sseReader(({ id, name, data }) => {
      bytes = 0;
      lastEventId = id;
      if (data !== '' && name === 'message') take(data);
    });
    received.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      events(chunk);
      if (bytes <= maxBytes) return;
      giveUp();
      received.destroy();
    });
    received.once('end', () => resolve({ lastEventId, why: 'it has said all' }));
  });
}

const tooLarge = (bytes: number): string => `its answer has more than ${bytes} bytes`;

/** Beside the route of JSON-RPC. */
function mcpPath(rpcPath: string): string {
  return rpcPath.replace(/[^/]*$/, 'mcp');
}

function header(received: IncomingMessage, name: string): string | undefined {
  const value = received.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export type NotCarried = Exclude<McpOutcome, { taken: unknown }>;

export type Carried = { answer: Fields; sessionId: string | undefined } | NotCarried;

export interface CarryOptions {
  /** Breaks it off. */
  signal: AbortSignal;
  /** As `McpExchange`. */
  answerBytes?: number;
  /** The server has begun with it. */
  onTaken?(): void;
  /** What the server says beside the answer. */
  onOther(message: Fields): void;
}

const RESUMES = 3;
const RESUME_MS = 200;

/** A stream that breaks is taken up where it broke, if the server keeps it. Never rejects. */
export async function resumableRequest(
  link: McpLink,
  request: McpRequest,
  { signal, answerBytes, onTaken, onOther }: CarryOptions,
): Promise<Carried> {
  const answered = deferred<StreamEnd>();
  let answer: Fields | undefined;
  const onMessage = (message: Fields): void => {
    const told = heard(message);
    if (told.kind === 'answer' && told.id === request.id) {
      answer = message;
      answered.resolve({ lastEventId: undefined, why: 'answered' });
    } else onOther(message);
  };
  const text = JSON.stringify(request);
  const how = { signal, answerBytes, onMessage };
  const first = await exchangeMcp(link, { method: 'POST', text, ...how });
  if (!('taken' in first)) return first;
  onTaken?.();
  const { sessionId } = first.taken;
  let end = await Promise.race([answered.promise, first.taken.ended]);
  for (let resumes = 0; resumes < RESUMES; resumes += 1) {
    const { lastEventId } = end;
    if (answer !== undefined || lastEventId === undefined || signal.aborted) break;
    await delay(RESUME_MS);
    const again = await exchangeMcp(link, { method: 'GET', lastEventId, ...how });
    if (!('taken' in again)) break;
    end = await Promise.race([answered.promise, again.taken.ended]);
  }
  if (answer !== undefined) return { answer, sessionId };
  return end.isTooLarge
    ? { refused: { code: 'TOO_LARGE', message: end.why } }
    : { broken: end.why };
}

export type Fields = Record<string, unknown>;
export type MessageId = string | number;

export interface McpRequest {
  jsonrpc: '2.0';
  id: MessageId;
  method: string;
  params?: unknown;
}

export type Heard =
  | { kind: 'request'; request: McpRequest }
  | { kind: 'notification'; method: string; params: Fields }
  /** To a request of the other side. */
  | { kind: 'answer'; id: MessageId; message: Fields }
  | { kind: 'none' };

/** Of the protocol, with annotations of the tools beside them (`isRepeatable`). */
const REPEATABLE: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
]);

export function heard(message: unknown): Heard {
  if (!isObject(message) || message.jsonrpc !== '2.0') return { kind: 'none' };
  const { id, method, params } = message;
  const isId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string') {
    if (isId) return { kind: 'request', request: { jsonrpc: '2.0', id, method, params } };
    if (id !== undefined) return { kind: 'none' };
    return { kind: 'notification', method, params: isObject(params) ? params : {} };
  }
  const isAnswer = isId && ('result' in message || 'error' in message);
  return isAnswer ? { kind: 'answer', id, message } : { kind: 'none' };
}

/**
 * Whether it does no harm to send it again when nobody knows what became of it. Of a tool that is not
 * known, `undefined`.
 * @param tools name → what its annotations say
 */
export function isRepeatable(
  { method, params }: McpRequest,
  tools: ReadonlyMap<string, boolean>,
): boolean | undefined {
  if (method !== 'tools/call') return REPEATABLE.has(method);
  const { name, arguments: input } = isObject(params) ? params : {};
  // Carried out already, it would now meet a version that it has made itself.
  if (isObject(input) && Object.hasOwn(input, 'if_match_version')) return false;
  // As the server takes them (`toolNamed`).
  return typeof name === 'string'
    ? (tools.get(name) ?? tools.get(name.replaceAll('.', '_')))
    : false;
}

/** Of a `tools/list` result: which tools may be called twice. */
export function repeatableTools(result: unknown): Map<string, boolean> {
  const { tools } = isObject(result) ? result : {};
  const told = Array.isArray(tools) ? tools.filter(isObject) : [];
  return new Map(
    told.map(({ name, annotations }) => {
      const { readOnlyHint, idempotentHint } = isObject(annotations) ? annotations : {};
      return [String(name), readOnlyHint === true || idempotentHint === true];
    }),
  );
}

/** A failure as the server would tell it: of a tool as its result, so that the model sees it. */
export function failed({ id, method }: McpRequest, error: AppError): string {
  const { code, message, details } = error;
  const told = { code, message, details };
  if (method === 'tools/call') {
    const content = [{ type: 'text', text: `${code}: ${message}` }];
    return answered(id, { isError: true, content, _meta: { 'cue/error': told } });
  }
  return refused(id, { code: ERROR_TABLE[code].rpc, message, data: { reason: code, details } });
}

export function answered(id: MessageId, result: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function refused(id: MessageId, error: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

export function notification(method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
}
