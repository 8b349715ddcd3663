/**
 * An HTTP listener of our own, for an agent without the Eliza server: serves the plugin's routes on a
 * loopback port as the host serves them at its root path. Only what the host answers badly is answered
 * better: malformed JSON, bodies over 2 MB and unknown paths, all in JSON.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { setTimeout as delay } from 'node:timers/promises';
import type { IAgentRuntime, Route } from '@elizaos/core';
import { yieldToLoop } from '../../shared/async.js';
import { SECOND_MS } from '../../shared/clock.js';
import { AppError, InvalidInputError, messageOf, NotFoundError } from '../../shared/errors.js';
import { announcesTooMuch, readBody, UnreadableBody } from './body.js';
import { sendError } from './route.js';

export interface ListenerOptions {
  runtime: IAgentRuntime;
  /** 0: any free one. */
  port: number;
  /** When the port is taken, the next ones are tried, twenty at most. */
  increment?: boolean;
  limits?: Partial<ListenerLimits>;
}

/** How long a client may take, ms. */
export interface ListenerLimits {
  /** Until its request has come in, headers and body. */
  requestMs: number;
  /** Between two requests on one connection. */
  keepAliveMs: number;
  /** With nothing said on either side; slow routes extend it for themselves. */
  idleMs: number;
  /** For what is still being answered when the listener closes. */
  closeMs: number;
}

export interface Listener {
  readonly port: number;
  /** Ends streams at once, connections when what has been asked is answered, or after `closeMs`. */
  close(): Promise<void>;
}

const LIMITS: ListenerLimits = {
  requestMs: 30 * SECOND_MS,
  keepAliveMs: 60 * SECOND_MS,
  idleMs: 30 * SECOND_MS,
  closeMs: SECOND_MS,
};
/** How often Node looks for requests that take too long: no less exact than half their limit. */
const CHECK_MS = 5 * SECOND_MS;
/** No other machine reaches it. */
const LOOPBACK = '127.0.0.1';
const MORE_PORTS = 20;
const MAX_PORT = 65_535;
/** Of the plugin: the host puts its name in front of its paths. */
const OURS = '/cue/';

type HttpServer = Server<typeof IncomingMessage, typeof ListenerAnswer>;

/** @throws AppError CONFLICT when the port is taken, UNAVAILABLE when it cannot be listened on for another reason */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { runtime, port, increment = false } = options;
  const limits = { ...LIMITS, ...options.limits };
  const open = new Set<ListenerAnswer>();
  const serve = (request: IncomingMessage, answer: ListenerAnswer): void => {
    open.add(answer);
    answer.once('close', () => open.delete(answer));
    void answerRequest(runtime, request, answer);
  };
  const server = createServer(
    {
      ServerResponse: ListenerAnswer,
      requestTimeout: limits.requestMs,
      headersTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, limits.requestMs / 2),
    },
    serve,
  );
  server.timeout = limits.idleMs;
  // An answer whose turn never came, because its client left, does not close by itself.
  server.on('connection', (socket) => {
    socket.once('close', () => {
      for (const answer of open) if (answer.req.socket === socket) open.delete(answer);
    });
  });
  // A client that asks before it sends is told at once that it is too much.
  server.on('checkContinue', (request, answer) => {
    if (!announcesTooMuch(request)) answer.writeContinue();
    serve(request, answer);
  });
  const bound = await listen(server, port, increment ? MORE_PORTS : 0);
  server.on('error', (error) => {
    runtime.logger.error({ src: 'plugin:cue:rest', error: messageOf(error) }, 'listener failed');
  });
  let closing: Promise<void> | undefined;
  return {
    port: bound,
    close: () => {
      closing ??= closeServer(server, open, limits.closeMs);
      return closing;
    },
  };
}

/** Never rejects. */
async function answerRequest(
  runtime: IAgentRuntime,
  request: IncomingMessage,
  answer: ListenerAnswer,
): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  const [path = '/', ...search] = url.split('?');
  try {
    const read = await readBody(request);
    if (read === null) return;
    const { body } = read;
    if (body instanceof UnreadableBody && body.error.code === 'TOO_LARGE') answer.closeAfterwards();
    const ours = runtime.routes.filter((route) => route.path.startsWith(OURS));
    const found = findRoute(ours, method, path);
    if (!found) throw new NotFoundError('route', `${method} ${path}`);
    const { handler, params } = found;
    const query = { ...parseQuery(search.join('?')) };
    await handler({ body, params, query, headers, method, path, url }, answer, runtime);
  } catch (error) {
    sendError(answer, runtime, `${method} ${path}`, error);
  }
}

async function listen(server: HttpServer, first: number, more: number): Promise<number> {
  const host = LOOPBACK;
  const last = Math.min(first + more, MAX_PORT);
  for (let port = first; port <= last; port += 1) {
    server.listen(port, host);
    const failure = await once(server, 'listening').then(
      () => null,
      (error: NodeJS.ErrnoException) => error,
    );
    if (failure === null) return Object(server.address()).port;
    if (failure.code !== 'EADDRINUSE') {
      const message = `cannot listen on ${host}:${port}: ${failure.message}`;
      throw new AppError('UNAVAILABLE', message, { host, port }, { cause: failure });
    }
  }
  const taken = last > first ? `ports ${first} to ${last} are` : `port ${first} is`;
  throw new AppError('CONFLICT', `${taken} taken on ${host}`, { host, port: first });
}

async function closeServer(
  server: HttpServer,
  open: ReadonlySet<ListenerAnswer>,
  closeMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const ending = [...open].map((answer) => once(answer, 'close'));
  // An answer of MCP is a stream, too, but has an end.
  for (const answer of open) {
    if (answer.isEventStream && answer.req.method === 'GET') answer.destroy();
  }
  const timer = new AbortController();
  const late = delay(closeMs, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([Promise.all(ending), late]);
  timer.abort();
  server.closeAllConnections();
  await closed;
  // What waits for its connection to close learns of it in the same turn.
  await yieldToLoop();
}

/** How long, and how many bytes, what is left of a request is thrown away before its connection ends. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 16 * 1024 * 1024;

/**
 * The response that our own listener hands to routes: Node's, with the little of express that the host
 * promises them.
 */
class ListenerAnswer<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  private isLast = false;

  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args);
    // With one header set, `getHeader` knows those of `writeHead`, too.
    this.setHeader('x-content-type-options', 'nosniff');
  }

  /**
   * For a request whose body is left unread: the answer closes its connection, but not at once. Closed
   * over bytes that still arrive, it would be reset, and the client might never see the answer.
   */
  closeAfterwards(): void {
    this.isLast = true;
    this.setHeader('connection', 'close');
  }

  get isEventStream(): boolean {
    return String(this.getHeader('content-type')).startsWith('text/event-stream');
  }

  status(code: number): this {
    this.statusCode = code;
    return this;
  }

  /** @throws TypeError for what JSON cannot say */
  json(data: unknown): this {
    const text = JSON.stringify(data);
    if (!this.hasHeader('content-type')) {
      this.setHeader('content-type', 'application/json; charset=utf-8');
    }
    return this.send(text);
  }

  send(data: unknown): this {
    const text = typeof data === 'string' || Buffer.isBuffer(data) ? data : JSON.stringify(data);
    if (!this.isLast) return this.end(text);
    this.setHeader('content-length', Buffer.byteLength(text));
    this.write(text);
    discard(this.req, () => this.end());
    return this;
  }
}

/** Reads a request to its end without keeping any of it, within bounds. */
function discard(request: IncomingMessage, done: () => void): void {
  let bytes = 0;
  const end = (): void => {
    clearTimeout(timer);
    request.off('data', count);
    done();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) end();
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  request.once('close', end);
  request.on('data', count);
  request.resume();
}

/** Paths of routes are few and never change. */
const patterns = new WeakMap<Route, RegExp>();

/**
 * Which route a request means, found as the host finds it (ELIZA_GUIDE §9): the first that fits.
 * @throws InvalidInputError for a part of the path with a broken `%` escape
 */
function findRoute(routes: readonly Route[], method: string, path: string) {
  for (const route of routes) {
    const { handler } = route;
    const match = route.type === method && handler ? patternOf(route).exec(path) : null;
    if (!match || !handler) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, part]) => [name, decoded(part)]);
    return { handler, params: Object.fromEntries(params) };
  }
  return null;
}

/** `:id` is one part of the path, `*` all that is left of it; neither case nor a slash at the end matters. */
function patternOf(route: Route): RegExp {
  const known = patterns.get(route);
  if (known) return known;
  const source = route.path
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:(\w+)/g, '(?<$1>[^/]+)')
    .replace('*', '.*');
  const made = new RegExp(`^${source}/?$`, 'i');
  patterns.set(route, made);
  return made;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    const findings = [{ field: '(path)', message: 'has a broken % escape' }];
    throw Object.assign(new InvalidInputError(findings), { cause });
  }
}
