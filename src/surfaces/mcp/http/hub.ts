/** MCP over streamable HTTP: the sessions of one agent, each with a server of its own. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { type Clock, HOUR_MS, SECOND_MS } from '../../../shared/clock.js';
import { messageOf } from '../../../shared/errors.js';
import { derivedId, type Ids } from '../../../shared/ids.js';
import type { Log } from '../../../shared/log.js';
import { createSession } from '../session.js';
import type { McpSession } from '../types.js';
import { createEventStore } from './event-store.js';

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
}

interface Open {
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

export function createMcpHub({ clock, ids, log, serverOf }: HubDeps): McpHub {
  const open = new Map<string, Open>();

  async function end(id: string): Promise<void> {
    const session = open.get(id);
    open.delete(id);
    await session?.server.close().catch((error: unknown) => {
      log.warn({ session: id, error: messageOf(error) }, 'a session did not close');
    });
  }

  /** Those that nobody has asked for an hour, and the longest silent one when there are too many. */
  async function makeRoom(nowMs: number): Promise<void> {
    for (const [id, { lastMs }] of open) if (nowMs - lastMs > IDLE_MS) await end(id);
    if (open.size < MAX_SESSIONS) return;
    const [oldest] = [...open].sort(([, a], [, b]) => a.lastMs - b.lastMs);
    if (oldest) await end(oldest[0]);
  }

  async function begin({ isLocal, tools }: HttpClient): Promise<Open> {
    const nowMs = clock.now();
    await makeRoom(nowMs);
    const id = ids.next();
    // What a session stores says which one it was, and whoever knew the header's id could speak as it.
    const described = createSession({ id: derivedId('mcp session', id), isLocal });
    const server = serverOf(described, tools);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => end(id),
      eventStore: createEventStore(),
      retryInterval: RETRY_MS,
      keepAliveMs: KEEP_ALIVE_MS,
    });
    server.onerror = (error) => log.debug({ session: id, error: messageOf(error) }, 'mcp');
    await server.connect(transport);
    const session = { server, transport, lastMs: nowMs };
    open.set(id, session);
    return session;
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
      const session = known ?? (await begin(client));
      const answer = await session.transport.handleRequest(request, { parsedBody: body });
      // One that was refused leaves nothing behind.
      if (!known && !answer.ok) await session.server.close();
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

function isInitialization(body: unknown): boolean {
  return Array.isArray(body) ? body.some(isInitializeRequest) : isInitializeRequest(body);
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
