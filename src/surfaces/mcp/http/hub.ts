/** MCP over streamable HTTP: the sessions of one agent, each with a server of its own. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CancelledNotificationSchema,
  ErrorCode,
  isInitializeRequest,
  isJSONRPCRequest,
  JSONRPCMessageSchema,
  LATEST_PROTOCOL_VERSION,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/clock.js';
import { messageOf } from '../../../shared/errors.js';
import { derivedId, type Ids, type Uuid } from '../../../shared/ids.js';
import { isDeeper, isObject, MAX_JSON_DEPTH } from '../../../shared/json.js';
import type { Log } from '../../../shared/log.js';
import { createSession, type McpSession } from '../session.js';
import { createEventStore, type SessionEvents } from './event-store.js';

/** A session as far as its place is concerned. */
interface Occupant {
  /** When it was last asked, or had said all that it was asked for. */
  lastMs: number;
  /** A stream of it is open, or a call of it runs. */
  isBusy: boolean;
  /** Its client has come back after it began. */
  wasUsed: boolean;
}

interface Room<T> {
  ending: T[];
  /** `null`: there is room; else how long it takes until there may be, ms. */
  fullForMs: number | null;
}

const MAX_SESSIONS = 200;
/** Kept for processes of the same person on this machine: nobody over HTTP may shut them out. */
const LOCAL_SESSIONS = 50;
const SILENT_MS = HOUR_MS;
/** Nobody comes back to a session that was only begun: scripts that leave one at each call. */
const BEGUN_MS = 30 * SECOND_MS;
const IDLE_MS = 5 * MINUTE_MS;
/** While all are busy nobody knows when one ends. */
const LATER_MS = MINUTE_MS;

/** Nobody has asked it for an hour, and it is not in use. */
function isLongSilent({ isBusy, lastMs }: Occupant, nowMs: number): boolean {
  return !isBusy && nowMs - lastMs > SILENT_MS;
}

/**
 * Those that nobody has asked for an hour end, and when there are too many, those that have been silent
 * for some minutes. One that is in use never does, whoever else comes.
 * @param places how many there may be
 */
function roomFor<T extends Occupant>(
  sessions: Iterable<T>,
  nowMs: number,
  places = MAX_SESSIONS,
): Room<T> {
  const all = [...sessions];
  const silent = all.filter(({ isBusy }) => !isBusy).sort((a, b) => freeAt(a) - freeAt(b));
  const free = silent.filter((one) => nowMs >= freeAt(one));
  const over = all.length + 1 - places;
  const ending = free.filter((one, place) => place < over || isLongSilent(one, nowMs));
  if (ending.length >= over) return { ending, fullForMs: null };
  const next = Math.min(...silent.map(freeAt), nowMs + LATER_MS);
  return { ending, fullForMs: Math.max(next - nowMs, 0) };
}

function freeAt({ lastMs, wasUsed }: Occupant): number {
  return lastMs + (wasUsed ? IDLE_MS : BEGUN_MS);
}

export interface HubDeps {
  clock: Clock;
  ids: Ids;
  log: Log;
  /**
   * The server of one connection.
   * @param tools groups that the client has chosen; `undefined`: those of the settings
   */
  serverOf: (session: McpSession, tools: readonly string[] | undefined) => Server;
  /** Called when a session has ended. */
  onEnded?: () => void;
  /** How often silent sessions are looked for, ms; a minute when absent. */
  sweepMs?: number;
}

export interface McpHub {
  /**
   * Answers one HTTP request that has been let in already.
   * @param body parsed; `undefined` for GET and DELETE
   * @param client what is known of it when it begins a session
   */
  handle(request: Request, body: unknown, client: HttpClient): Promise<Response>;
  readonly sessions: number;
  /** Who has a session, the newest first. */
  clients(): ConnectedClient[];
  /** Whether a session of a client (`McpSession.id`) goes on. */
  hasSession(sessionId: string): boolean;
  /** Ends every session. */
  close(): Promise<void>;
}

export interface HttpClient {
  /** It is a process of the same person on this machine. */
  isLocal: boolean;
  /** Groups of tools that it wants; `undefined`: those of the settings. */
  tools?: readonly string[] | undefined;
  /** The session of its own that its hooks speak in; of a local one only. */
  clientSession?: string | undefined;
  /** What makes it the same session as the one with another server before; of a local one only. */
  connection?: Uuid | undefined;
}

/** As the operator sees who is connected. */
export interface ConnectedClient {
  /** What the client calls itself; `null` before it has said so. */
  name: string | null;
  kind: 'mcp';
  /** On this machine, as the same person. */
  isLocal: boolean;
  identityId: Uuid | null;
  sinceMs: number;
  lastSeenMs: number;
  /** Something waits for it, or it for something. */
  isBusy: boolean;
}

interface Open extends Occupant {
  id: string;
  /** What its handlers know it by. */
  sessionId: string;
  described: McpSession;
  sinceMs: number;
  events: SessionEvents;
  transport: WebStandardStreamableHTTPServerTransport;
  server: Server;
  /** Of the protocol, agreed on with its `initialize`. */
  version: string;
  /** Open ones that no request of the client began. */
  streams: number;
}

/** The host's sockets idle out after 30 s. */
const KEEP_ALIVE_MS = 10 * SECOND_MS;
const RETRY_MS = SECOND_MS;

const SESSION_HEADER = 'mcp-session-id';
const VERSION_HEADER = 'mcp-protocol-version';
/** Clients of older versions of the protocol take an event without data for a broken message. */
const PRIMED_SINCE = '2025-11-25';
/** Under which the SDK keeps the stream of what nobody asked for. */
const OWN_STREAM = '_GET_stream';
const CANCELLED = 'notifications/cancelled';
const EVENTS = 'text/event-stream';
const LAST_EVENT = 'last-event-id';

/** A timer runs until it is closed; the process ends all the same. */
export function createMcpHub(deps: HubDeps): McpHub {
  const { clock, ids, log, serverOf, onEnded = () => {}, sweepMs = MINUTE_MS } = deps;
  const open = new Map<string, Open>();

  async function end(id: string): Promise<void> {
    const session = open.get(id);
    open.delete(id);
    await session?.server.close().catch((error: unknown) => {
      log.warn({ session: id, error: messageOf(error) }, 'a session did not close');
    });
    if (session !== undefined) onEnded();
  }

  function sweep(): void {
    const nowMs = clock.now();
    for (const session of open.values()) if (isLongSilent(session, nowMs)) void end(session.id);
  }
  const sweeping = setInterval(sweep, sweepMs).unref();

  /** A response: there is no room. */
  async function begin(body: unknown, client: HttpClient): Promise<Open | Response> {
    const { isLocal, tools, clientSession, connection } = client;
    // As the SDK agrees with the `initialize` that begins a session.
    const asked = messagesOf(body).find(isInitializeRequest)?.params.protocolVersion ?? '';
    const version = SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION;
    const nowMs = clock.now();
    const places = MAX_SESSIONS + (isLocal ? LOCAL_SESSIONS : 0);
    const { ending, fullForMs } = roomFor(open.values(), nowMs, places);
    const ended = Promise.all(ending.map((one) => end(one.id)));
    if (fullForMs !== null) {
      await ended;
      const seconds = Math.max(Math.ceil(fullForMs / SECOND_MS), 1);
      const message = `all ${places} sessions are in use; end one, or try again in ${seconds} s`;
      return refusal(body, 503, -32_000, message, { 'retry-after': String(seconds) });
    }
    const id = ids.next();
    // What a session stores says which one it was, and whoever knew the header's id could speak as it.
    const described = createSession({
      ...{ id: derivedId('mcp session', connection ?? id), isLocal, clientSession },
    });
    const server = serverOf(described, tools);
    const touch = (): void => {
      session.lastMs = clock.now();
    };
    const events = createEventStore({ prefix: described.id.slice(0, 8), onAnswered: touch });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => end(id),
      eventStore: events,
      retryInterval: RETRY_MS,
      keepAliveMs: KEEP_ALIVE_MS,
    });
    server.onerror = (error) => log.debug({ session: id, error: messageOf(error) }, 'mcp');
    const session: Open = {
      ...{ id, sessionId: described.id, events, server, transport, version },
      ...{ described, sinceMs: nowMs, lastMs: nowMs, wasUsed: false, streams: 0 },
      get isBusy() {
        return session.streams > 0 || events.running > 0;
      },
    };
    // It has its place before anything is waited for: others begin at the same time.
    open.set(id, session);
    await ended;
    await server.connect(transport);
    return session;
  }

  /**
   * The same answer; its session is in use until it has come to its end.
   * @param first what its stream begins with
   */
  function held(session: Open, answer: Response, first: string): Response {
    if (answer.body === null) return answer;
    session.streams += 1;
    let isOver = false;
    const body = watched(answer.body, first, () => {
      if (isOver) return;
      isOver = true;
      session.streams -= 1;
      session.lastMs = clock.now();
    });
    return new Response(body, answer);
  }

  /**
   * Ends the stream of a call that was cancelled. The SDK answers such a call nothing, as it should,
   * and leaves its stream open; an answer that nobody gets closes the books on it.
   */
  async function letGo({ transport, events }: Open, id: RequestId): Promise<void> {
    const wantedAgain = events.unwanted(id);
    if (!wantedAgain) return;
    transport.closeSSEStream(id);
    const error = { code: ErrorCode.ConnectionClosed, message: 'cancelled' };
    await transport.send({ jsonrpc: '2.0', id, error }).catch(() => {}); // Not asked, or answered by now.
    wantedAgain();
  }

  return {
    async handle(request, body, client) {
      const id = request.headers.get(SESSION_HEADER);
      const known = id === null ? undefined : open.get(id);
      if (known) Object.assign(known, { lastMs: clock.now(), wasUsed: true });
      else if (id !== null) {
        return refusal(body, 404, -32_001, 'there is no such session; begin a new one');
      } else if (!messagesOf(body).some(isInitializeRequest)) {
        const message = `begin with initialize, or name a session in ${SESSION_HEADER}`;
        return refusal(body, 400, -32_000, message);
      }
      const rest = known && restOf(known, request);
      if (rest) return rest;
      const session = known ?? (await begin(body, client));
      if (session instanceof Response) return session;
      const { transport, events } = session;
      const asked = messagesOf(body)
        .filter(isJSONRPCRequest)
        .map((one) => one.id);
      events.asked(asked);
      const first = beginningOf(session, request);
      const answer = await transport.handleRequest(inVersionOf(session, request), {
        parsedBody: body,
      });
      if (!answer.ok) events.refused(asked);
      // One that was refused leaves nothing behind.
      if (!known && !answer.ok) await end(session.id);
      for (const cancelled of cancelledBy(body)) await letGo(session, cancelled);
      return request.method === 'GET' && answer.ok ? held(session, answer, first) : answer;
    },
    get sessions() {
      return open.size;
    },
    clients: () =>
      [...open.values()].toReversed().map(({ described, sinceMs, lastMs, isBusy }) => ({
        name: described.clientName,
        kind: 'mcp' as const,
        isLocal: described.isLocal,
        identityId: described.identityId,
        ...{ sinceMs, lastSeenMs: lastMs, isBusy },
      })),
    hasSession: (sessionId) => [...open.values()].some((one) => one.sessionId === sessionId),
    async close() {
      clearInterval(sweeping);
      await Promise.all([...open.keys()].map(end));
    },
  };
}

/**
 * The SDK goes by the header alone, and takes a client that leaves it out for an old one; what the session
 * has agreed on counts (MCP specification, Protocol Version Header). One that nobody knows is refused by the SDK.
 */
function inVersionOf({ version }: Open, request: Request): Request {
  const said = request.headers.get(VERSION_HEADER) ?? version;
  if (!SUPPORTED_PROTOCOL_VERSIONS.includes(said)) return request;
  const headers = new Headers(request.headers);
  headers.set(VERSION_HEADER, version);
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

/** With it a client can come again for what follows, before anything has been said. */
const priming = (id: string): string => `id: ${id}\nretry: ${RETRY_MS}\ndata: \n\n`;

/** Of the stream of what nobody asked for: the SDK primes only those of a request. */
function beginningOf({ events, version }: Open, request: Request): string {
  if (!asksForStream(request) || request.headers.has(LAST_EVENT)) return '';
  return version < PRIMED_SINCE ? '' : priming(events.begun(OWN_STREAM));
}

const asksForStream = ({ method, headers }: Request): boolean =>
  method === 'GET' && headers.get('accept')?.includes(EVENTS) === true;

/** The answer to whoever asks for the rest of a stream that has ended; `null` to every other request. */
function restOf({ events, version }: Open, request: Request): Response | null {
  const last = request.headers.get(LAST_EVENT);
  if (last === null || !asksForStream(request)) return null;
  if (last === events.overId) return nothingMore();
  const rest = events.restOf(last);
  if (rest === null) return null;
  if (rest.length > 0) {
    const events = rest.map(
      (one) => `event: message\nid: ${one.id}\ndata: ${JSON.stringify(one.message)}\n\n`,
    );
    return stream(events.join(''));
  }
  return version < PRIMED_SINCE ? nothingMore() : stream(priming(events.overId));
}

/**
 * The client of the SDK comes again after every answer that is an error, for as long as its streams end.
 * Of a stream without a rest it is given an id that says so; who comes with that is told by 204 not to
 * come again (HTML Living Standard §9.2.3).
 */
const nothingMore = (): Response => new Response(null, { status: 204 });

const stream = (text: string): Response =>
  new Response(text, { headers: { 'content-type': EVENTS } });

/** Begins with `first`. Calls `ended` when all has been read, it broke, or nobody reads on. */
function watched(
  body: ReadableStream<Uint8Array>,
  first: string,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (first !== '') controller.enqueue(new TextEncoder().encode(first));
    },
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        ended();
        throw error;
      });
      if (!done) return controller.enqueue(value);
      ended();
      controller.close();
    },
    async cancel(reason) {
      ended();
      await reader.cancel(reason);
    },
  });
}

function messagesOf(body: unknown): unknown[] {
  return Array.isArray(body) ? body : [body];
}

function cancelledBy(body: unknown): RequestId[] {
  return messagesOf(body).flatMap((message) => {
    if (Object(message).method !== CANCELLED) return [];
    const { data } = CancelledNotificationSchema.safeParse(message);
    return data?.params.requestId ?? [];
  });
}

/** The answer names the request, if the body is one. */
function refusal(
  body: unknown,
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  const id = isJSONRPCRequest(body) ? body.id : null;
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status, headers });
}

/** An answer in the words of JSON-RPC. */
export interface MessageFault {
  jsonrpc: '2.0';
  id: string | number | null;
  error: { code: number; message: string; data?: object };
}

/** @returns `null` for a message, and for a batch of some */
export function messageFault(body: unknown): MessageFault | null {
  if (isDeeper(body, MAX_JSON_DEPTH)) {
    const message = `the message is nested over ${MAX_JSON_DEPTH} deep`;
    return fault(body, ErrorCode.InvalidRequest, message, { reason: 'TOO_LARGE' });
  }
  if (!Array.isArray(body)) return faultOf(body);
  if (body.length === 0) return fault(null, ErrorCode.InvalidRequest, 'a batch holds a message');
  const at = body.findIndex((one) => faultOf(one) !== null);
  const found = at < 0 ? null : faultOf(body[at]);
  if (!found) return null;
  const { code, message } = found.error;
  // None of it is carried out, so the answer is to the batch.
  return fault(null, code, `message ${at + 1} of the batch: ${message}`);
}

function faultOf(message: unknown): MessageFault | null {
  if (JSONRPCMessageSchema.safeParse(message).success) return null;
  const { jsonrpc, id, method, params } = fieldsOf(message);
  const invalid = (what: string): MessageFault => fault(message, ErrorCode.InvalidRequest, what);
  if (jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0"');
  if (id !== undefined && !isId(id)) return invalid('id must be a string or a whole number');
  if (method !== undefined && typeof method !== 'string') return invalid('method must be a string');
  if (method !== undefined && params !== undefined && !isObject(params)) {
    return fault(message, ErrorCode.InvalidParams, 'params must be an object');
  }
  return invalid('this is no message of MCP');
}

function fault(message: unknown, code: number, what: string, data?: object): MessageFault {
  const { id } = fieldsOf(message);
  const error = { code, message: what, ...(data === undefined ? {} : { data }) };
  return { jsonrpc: '2.0', id: isId(id) ? id : null, error };
}

const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isInteger(id);

function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
