/** MCP over streamable HTTP: the sessions of one agent, each with a server of its own. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CancelledNotificationSchema,
  ErrorCode,
  isInitializeRequest,
  isJSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { type Clock, MINUTE_MS, SECOND_MS } from '../../../shared/clock.js';
import { messageOf } from '../../../shared/errors.js';
import { derivedId, type Ids, type Uuid } from '../../../shared/ids.js';
import type { Log } from '../../../shared/log.js';
import { createSession } from '../session.js';
import type { McpSession } from '../types.js';
import { createEventStore, type SessionEvent, type SessionEvents } from './event-store.js';
import { isLongSilent, LOCAL_SESSIONS, MAX_SESSIONS, type Occupant, roomFor } from './room.js';

export interface HubDeps {
  clock: Clock;
  ids: Ids;
  log: Log;
  /**
   * The server of one connection.
   * @param tools groups that the client has chosen; `undefined`: those of the settings
   */
  serverOf: (session: McpSession, tools: readonly string[] | undefined) => Server;
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

interface Open extends Occupant {
  id: string;
  events: SessionEvents;
  transport: WebStandardStreamableHTTPServerTransport;
  server: Server;
  /** Open ones that no request of the client began. */
  streams: number;
}

/** The host's sockets idle out after 30 s. */
const KEEP_ALIVE_MS = 10 * SECOND_MS;
const RETRY_MS = SECOND_MS;

const SESSION_HEADER = 'mcp-session-id';
const CANCELLED = 'notifications/cancelled';
const EVENTS = 'text/event-stream';

/** A timer runs until it is closed; the process ends all the same. */
export function createMcpHub({ clock, ids, log, serverOf, sweepMs = MINUTE_MS }: HubDeps): McpHub {
  const open = new Map<string, Open>();

  async function end(id: string): Promise<void> {
    const session = open.get(id);
    open.delete(id);
    await session?.server.close().catch((error: unknown) => {
      log.warn({ session: id, error: messageOf(error) }, 'a session did not close');
    });
  }

  function sweep(): void {
    const nowMs = clock.now();
    for (const session of open.values()) if (isLongSilent(session, nowMs)) void end(session.id);
  }
  const sweeping = setInterval(sweep, sweepMs).unref();

  /** A response: there is no room. */
  async function begin(client: HttpClient): Promise<Open | Response> {
    const { isLocal, tools, clientSession, connection } = client;
    const nowMs = clock.now();
    const places = MAX_SESSIONS + (isLocal ? LOCAL_SESSIONS : 0);
    const { ending, fullForMs } = roomFor(open.values(), nowMs, places);
    const ended = Promise.all(ending.map((one) => end(one.id)));
    if (fullForMs !== null) {
      await ended;
      return full(places, fullForMs);
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
      ...{ id, events, server, transport, lastMs: nowMs, wasUsed: false, streams: 0 },
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

  /** The same answer; its session is in use until it has come to its end. */
  function held(session: Open, answer: Response): Response {
    if (answer.body === null) return answer;
    session.streams += 1;
    let isOver = false;
    const body = watched(answer.body, () => {
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
        return refusal(404, -32_001, 'there is no such session; begin a new one');
      } else if (!isInitialization(body)) {
        return refusal(
          400,
          -32_000,
          `begin with initialize, or name a session in ${SESSION_HEADER}`,
        );
      }
      const rest = known && restOf(known, request);
      if (rest) return replay(rest);
      const session = known ?? (await begin(client));
      if (session instanceof Response) return session;
      const { transport, events } = session;
      const asked = messagesOf(body)
        .filter(isJSONRPCRequest)
        .map((one) => one.id);
      events.asked(asked);
      const answer = await transport.handleRequest(request, { parsedBody: body });
      if (!answer.ok) events.refused(asked);
      // One that was refused leaves nothing behind.
      if (!known && !answer.ok) await end(session.id);
      for (const cancelled of cancelledBy(body)) await letGo(session, cancelled);
      return request.method === 'GET' && answer.ok ? held(session, answer) : answer;
    },
    get sessions() {
      return open.size;
    },
    async close() {
      clearInterval(sweeping);
      await Promise.all([...open.keys()].map(end));
    },
  };
}

/** What is left of a stream that has ended; `null` for every other request. */
function restOf({ events }: Open, { method, headers }: Request): SessionEvent[] | null {
  const last = headers.get('last-event-id');
  const isAsked = method === 'GET' && headers.get('accept')?.includes(EVENTS);
  return isAsked && last !== null ? events.restOf(last) : null;
}

/**
 * The SDK would hold such a stream open for ever. 204 tells a client not to come again (HTML Living
 * Standard §9.2.3): that of the SDK does after every answer that is an error.
 */
function replay(events: readonly SessionEvent[]): Response {
  if (events.length === 0) return new Response(null, { status: 204 });
  const text = events.map(
    ({ id, message }) => `event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`,
  );
  return new Response(text.join(''), { headers: { 'content-type': EVENTS } });
}

/** Calls `ended` when all has been read, it broke, or nobody reads on. */
function watched(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
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

function isInitialization(body: unknown): boolean {
  return messagesOf(body).some(isInitializeRequest);
}

function full(places: number, forMs: number): Response {
  const seconds = Math.max(Math.ceil(forMs / SECOND_MS), 1);
  const message = `all ${places} sessions are in use; end one, or try again in ${seconds} s`;
  return refusal(503, -32_000, message, { 'retry-after': String(seconds) });
}

function refusal(
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  const body = { jsonrpc: '2.0', error: { code, message }, id: null };
  return Response.json(body, { status, headers });
}
