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
import { type Clock, HOUR_MS, SECOND_MS } from '../../../shared/clock.js';
import { messageOf } from '../../../shared/errors.js';
import { derivedId, type Ids } from '../../../shared/ids.js';
import type { Log } from '../../../shared/log.js';
import { createSession } from '../session.js';
import type { McpSession } from '../types.js';
import { createEventStore, type SessionEvent, type SessionEvents } from './event-store.js';

export interface HubDeps {
  clock: Clock;
  ids: Ids;
  log: Log;
  /**
   * The server of one connection.
   * @param tools groups that the client has chosen; `undefined`: those of the settings
   */
  serverOf: (session: McpSession, tools: readonly string[] | undefined) => Server;
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
}

interface Open {
  id: string;
  events: SessionEvents;
  transport: WebStandardStreamableHTTPServerTransport;
  server: Server;
  lastMs: number;
}

const MAX_SESSIONS = 200;
const IDLE_MS = HOUR_MS;
/** The host's sockets idle out after 30 s. */
const KEEP_ALIVE_MS = 10 * SECOND_MS;
const RETRY_MS = SECOND_MS;

const SESSION_HEADER = 'mcp-session-id';
const EVENTS = 'text/event-stream';

export function createMcpHub({ clock, ids, log, serverOf }: HubDeps): McpHub {
  const open = new Map<string, Open>();

  async function end(id: string): Promise<void> {
    const session = open.get(id);
    open.delete(id);
    await session?.server.close().catch((error: unknown) => {
      log.warn({ session: id, error: messageOf(error) }, 'a session did not close');
    });
  }

  /** Ends those that nobody has asked for an hour, and the longest silent when there are too many. */
  async function makeRoom(nowMs: number): Promise<void> {
    const silent = [...open.values()].sort((a, b) => a.lastMs - b.lastMs);
    const over = silent.length + 1 - MAX_SESSIONS;
    const ending = silent.filter(({ lastMs }, place) => place < over || nowMs - lastMs > IDLE_MS);
    await Promise.all(ending.map(({ id }) => end(id)));
  }

  async function begin({ isLocal, tools, clientSession }: HttpClient): Promise<Open> {
    const nowMs = clock.now();
    const room = makeRoom(nowMs);
    const id = ids.next();
    // What a session stores says which one it was, and whoever knew the header's id could speak as it.
    const described = createSession({
      ...{ id: derivedId('mcp session', id), isLocal, clientSession },
    });
    const server = serverOf(described, tools);
    const events = createEventStore();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => end(id),
      eventStore: events,
      retryInterval: RETRY_MS,
      keepAliveMs: KEEP_ALIVE_MS,
    });
    server.onerror = (error) => log.debug({ session: id, error: messageOf(error) }, 'mcp');
    const session = { id, events, server, transport, lastMs: nowMs };
    // It has its place before anything is waited for: others begin at the same time.
    open.set(id, session);
    await room;
    await server.connect(transport);
    return session;
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
      if (known) known.lastMs = clock.now();
      else if (id !== null)
        return refusal(404, -32_001, 'there is no such session; begin a new one');
      else if (!isInitialization(body)) {
        return refusal(
          400,
          -32_000,
          `begin with initialize, or name a session in ${SESSION_HEADER}`,
        );
      }
      const rest = known && restOf(known, request);
      if (rest) return replay(rest);
      const session = known ?? (await begin(client));
      const { transport, events } = session;
      if (Array.isArray(body)) events.together(body.filter(isJSONRPCRequest).map((one) => one.id));
      const answer = await transport.handleRequest(request, { parsedBody: body });
      // One that was refused leaves nothing behind.
      if (!known && !answer.ok) await end(session.id);
      for (const cancelled of cancelledBy(body)) await letGo(session, cancelled);
      return answer;
    },
    get sessions() {
      return open.size;
    },
    async close() {
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

function cancelledBy(body: unknown): RequestId[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) => {
    const { data } = CancelledNotificationSchema.safeParse(message);
    return data?.params.requestId ?? [];
  });
}

function isInitialization(body: unknown): boolean {
  return Array.isArray(body) ? body.some(isInitializeRequest) : isInitializeRequest(body);
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
