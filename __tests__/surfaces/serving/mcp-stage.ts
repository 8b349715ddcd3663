/** Servers that speak just enough of MCP over HTTP, and a client of a bridge to them. */
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { PassThrough } from 'node:stream';
import type { LeaderElection, Server } from '../../../src/server/leader-election.js';
import { createMcpBridge } from '../../../src/server/mcp-bridge.js';
import { systemClock } from '../../../src/shared/clock.js';

export interface Message {
  jsonrpc?: '2.0';
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** What came with one HTTP request. */
export interface Heard {
  http: string;
  message: Message;
  headers: IncomingMessage['headers'];
}

/** `false`: not answered by it, so the server's own way. */
export type Behaviour = (heard: Heard, answer: ServerResponse) => boolean;

export interface FakeMcp extends Server {
  readonly heard: Heard[];
  /** Methods of what was posted. */
  methods(): string[];
  behaviour: Behaviour;
  /** Streams of the session. */
  readonly streams: ServerResponse[];
  die(): Promise<void>;
}

const servers = new Set<HttpServer>();
let made = 0;

export function event(message: Message, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;
}

export function events(answer: ServerResponse): void {
  answer.writeHead(200, { 'content-type': 'text/event-stream' });
  answer.flushHeaders();
}

export function answerWith(answer: ServerResponse, id: Message['id'], result: object): void {
  answer.setHeader('content-type', 'application/json');
  answer.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

export const TOOLS = [
  { name: 'list', annotations: { readOnlyHint: true } },
  { name: 'store', annotations: { readOnlyHint: false, idempotentHint: false } },
  { name: 'nudge_set_hint', annotations: { idempotentHint: true } },
];

export async function fakeMcp(
  behaviour: Behaviour = () => false,
  version = '2025-06-18',
): Promise<FakeMcp> {
  made += 1;
  const session = `session-${made}`;
  const heard: Heard[] = [];
  const streams: ServerResponse[] = [];
  const own = (one: Heard, answer: ServerResponse): void => {
    const { id, method, params } = one.message;
    if (one.http === 'DELETE') answer.end();
    else if (one.http === 'GET') {
      streams.push(answer);
      events(answer);
    } else if (one.headers['mcp-session-id'] !== session && method !== 'initialize') {
      const error = { code: -32_001, message: 'no such session' };
      answer.writeHead(404).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    } else if (id === undefined || method === undefined) answer.writeHead(202).end();
    else if (method === 'initialize') {
      answer.setHeader('mcp-session-id', session);
      answerWith(answer, id, { protocolVersion: version, serverInfo: { name: session } });
    } else if (method === 'tools/list') answerWith(answer, id, { tools: TOOLS });
    else answerWith(answer, id, { by: session, params });
  };
  const server = createServer((request, answer) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      const message = text === '' ? {} : (JSON.parse(text) as Message);
      const one: Heard = { http: request.method ?? '', message, headers: request.headers };
      heard.push(one);
      if (!fake.behaviour(one, answer)) own(one, answer);
    });
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const fake: FakeMcp = {
    ...{ heard, behaviour, streams, port, role: 'proxy' },
    methods: () => heard.flatMap(({ http, message }) => (http === 'POST' ? [nameOf(message)] : [])),
    address: { baseUrl: `http://127.0.0.1:${port}`, path: '/cue/rpc', localKey: `key-${made}` },
    identity: {
      ...{ pid: made, kind: 'headless', agentId: 'a', sessionId: session },
      ...{ agentName: null, project: null, database: null, status: {} },
    },
    die: () => end(server),
  };
  return fake;
}

function nameOf({ method, params }: Message): string {
  if (method !== 'tools/call') return method ?? 'answer';
  return `${method} ${String(params?.name)}`;
}

function end(server: HttpServer): Promise<void> {
  servers.delete(server);
  server.closeAllConnections();
  return new Promise((resolve) => void server.close(() => resolve()));
}

export async function endFakes(): Promise<void> {
  await Promise.all([...servers].map(end));
}

export interface BridgeClient {
  /** Sends a request; resolves with its answer. */
  ask(method: string, params?: object): Promise<Message>;
  /** Sends a message, or a batch, as it is. */
  say(message: unknown): void;
  /** A request of the server's, or a notification, past or coming. */
  next(method: string): Promise<Message>;
  /** All that was said to it. */
  readonly lines: Message[];
  /** @param silent the one before, which lives on without an answer */
  turnTo(server: Server | null, silent?: Server): void;
  bridge: ReturnType<typeof createMcpBridge>;
  close(): Promise<void>;
  readonly log: string[];
  /** Whether they live was asked of these. */
  readonly doubted: Server[];
}

/** Whoever serves goes when it is lost; `after` come next. */
export function bridgeTo(
  first: Server | null,
  after: Server[] = [],
  tools?: string,
  clientSession?: string,
): BridgeClient {
  const election = fakeRoles(first, after);
  const input = new PassThrough();
  const output = new PassThrough();
  const log: string[] = [];
  const lines: Message[] = [];
  const open = new Map<unknown, (message: Message) => void>();
  const looks = new Set<() => void>();
  const bridge = createMcpBridge({
    ...{ input, output, election: election.election, clock: systemClock, tools, clientSession },
    leaveMs: 60_000,
    log: (line) => log.push(line),
  });
  const { close } = bridge.start();
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const message = JSON.parse(part) as Message;
      lines.push(message);
      if (message.method === undefined) open.get(message.id)?.(message);
      for (const look of looks) look();
    }
  });
  let id = 0;
  const say = (message: unknown): void => void input.write(`${JSON.stringify(message)}\n`);
  return {
    ...{ lines, log, bridge, close, say, turnTo: election.turnTo, doubted: election.doubted },
    ask(method, params) {
      id += 1;
      const mine = id;
      say({ jsonrpc: '2.0', id: mine, method, ...(params ? { params } : {}) });
      return new Promise((resolve) => open.set(mine, resolve));
    },
    next: (method) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = lines.find((message) => message.method === method);
          if (!found) return;
          looks.delete(look);
          lines.splice(lines.indexOf(found), 1);
          resolve(found);
        };
        looks.add(look);
        look();
      }),
  };
}

/** With the handshake done; what the client can do is nothing. */
export async function connected(
  first: Server,
  after: Server[] = [],
  tools?: string,
  clientSession?: string,
) {
  const client = bridgeTo(first, after, tools, clientSession);
  await client.ask('initialize', HELLO);
  client.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return client;
}

export const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: { roots: {} },
  clientInfo: { name: 'test', version: '1' },
};

function fakeRoles(first: Server | null, after: Server[]) {
  let current = first;
  const doubted: Server[] = [];
  let waiting: ((server: Server) => void)[] = [];
  const listeners: Parameters<LeaderElection['onChange']>[0][] = [];
  const turnTo = (server: Server | null, silent?: Server): void => {
    current = server;
    for (const listener of listeners) listener(server, silent);
    if (!server) return;
    for (const tell of waiting.splice(0)) tell(server);
  };
  const election: LeaderElection = {
    get current() {
      return current;
    },
    trouble: 'nobody is there',
    looked: Promise.resolve(),
    server: () =>
      current ? Promise.resolve(current) : new Promise((resolve) => void waiting.push(resolve)),
    lost: (server) => {
      if (server === current) turnTo(after.shift() ?? null);
    },
    doubt: (server) => void doubted.push(server),
    onChange: (listener) => void listeners.push(listener),
    start: async () => Promise.reject(new Error('not here')),
    close: async () => {
      waiting = [];
    },
  };
  return { election, turnTo, doubted };
}
