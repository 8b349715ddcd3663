/**
 * The one way a route of ours is made. A handler parses nothing, checks nobody and catches nothing:
 * all that happens here, and nothing ever escapes, because the host lets a rejected handler hang
 * until its socket times out (ELIZA_GUIDE §9).
 */
import type { IAgentRuntime, Route, RouteRequest, RouteResponse } from '@elizaos/core';
import { z } from 'zod';
import { MINUTE_MS } from '../../shared/clock.js';
import {
  ERROR_TABLE,
  InvalidInputError,
  messageOf,
  toldError,
  wrongField,
} from '../../shared/errors.js';
import { judge } from '../../shared/findings.js';
import { isDeeper, MAX_JSON_DEPTH } from '../../shared/json.js';
import { hostLog } from '../../shared/log.js';
import { UnreadableBody } from './body.js';
import { type EventStream, isEventStream, sendEvents } from './event-stream.js';
import { authorize, checkAgent } from './guard.js';
import { abort, isRead, sendLines, sendResponse } from './stream.js';

export interface RouteDeps {
  /** Every setting as it holds for the agent, for the operator to read; none when absent. */
  settings?: (runtime: IAgentRuntime) => readonly object[];
  /** Absolute: where the panel is built; absent: in `dist/panel` of the package. */
  panelFolder?: string | undefined;
  /** The server's key, `undefined` when it asks for none; read at each request. */
  apiKey: () => string | undefined;
}

/** 400: an error in the words of another protocol; those of ours are thrown. */
export type Reply =
  | { status: 200 | 201 | 202 | 400; body: object | JsonLines | EventStream | SentFile }
  | { status: 204 }
  /** Made elsewhere: sent as it is. */
  | Response;

/** An answer of JSON lines, sent while it is made: for what is too large to hold. */
export interface JsonLines {
  lines: AsyncIterable<object>;
}

/** An answer that is a file, with headers of its own. */
export interface SentFile {
  bytes: Buffer;
  headers: Readonly<Record<string, string>>;
}

export interface RouteInput<Query, Body> {
  path: string;
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** Names in lower case; of a header sent twice the first. */
  headers: Record<string, string | undefined>;
  runtime: IAgentRuntime;
  /** Whether the client still waits for the answer. */
  isRead: () => Promise<boolean>;
}

export interface RouteSpec<Query, Body> {
  type: Exclude<Route['type'], 'STATIC'>;
  /** Below `/cue`, the plugin's name, which the host puts in front. */
  path: string;
  query?: z.ZodType<Query>;
  /** Absent: the route takes no body. */
  body?: z.ZodType<Body>;
  /** No body at all is an empty one. */
  bodyOptional?: true;
  /** The body is handed over as it came, also none and one that cannot be read. */
  rawBody?: true;
  /** Query and body are not looked at. */
  unparsed?: true;
  /** Answers everybody, also without the key: it gives no data away. */
  open?: true;
  /** May work for longer than the 30 s after which the host drops a silent socket. */
  slow?: true;
  handle: (input: RouteInput<Query, Body>) => Promise<Reply>;
}

export type MakeRoute = <Query = unknown, Body = unknown>(spec: RouteSpec<Query, Body>) => Route;

const noFields = z.strictObject({});
const SLOW_MS = 10 * MINUTE_MS;
const nothing = <T>() => ({}) as T;

export function routeMaker(deps: RouteDeps): MakeRoute {
  return (spec) => ({
    type: spec.type,
    path: spec.path,
    handler: async (request, response, runtime) => {
      try {
        if (!spec.open) authorize(request, deps.apiKey());
        checkAgent(request, runtime.agentId);
        // The response is express's, which has more than the host's type declares.
        if (spec.slow) Object(response).setTimeout?.(SLOW_MS);
        const { agentId: _checked, ...query } = request.query ?? {};
        const reply = await spec.handle({
          path: request.path ?? '',
          params: request.params ?? {},
          query: spec.unparsed ? nothing() : parsed(query, spec.query, '(query)'),
          body: spec.unparsed ? nothing() : bodyOf(request, spec),
          headers: headersOf(request),
          runtime,
          isRead: () => isRead(response),
        });
        await sendReply(response, reply);
      } catch (error) {
        sendError(response, runtime, `${spec.type} ${spec.path}`, error);
      }
    },
  });
}

function bodyOf<Query, Body>(
  request: RouteRequest,
  { body: schema, bodyOptional, rawBody }: RouteSpec<Query, Body>,
): Body {
  if (rawBody) return request.body as Body;
  if (request.body instanceof UnreadableBody) throw request.body.error;
  if (isDeeper(request.body, MAX_JSON_DEPTH)) {
    const message = `is nested over ${MAX_JSON_DEPTH} deep`;
    throw wrongField('(body)', message);
  }
  // The host parses JSON only; anything else, and nothing, arrives as undefined.
  if (request.body === undefined || request.body === null) {
    if (bodyOptional || !schema) return parsed({}, schema, '(body)');
    throw wrongField('(body)', 'send JSON with content-type: application/json');
  }
  return parsed(request.body, schema, '(body)');
}

function headersOf(request: RouteRequest): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value[0] : value,
    ]),
  );
}

/** @param schema absent: no fields at all */
function parsed<T>(value: unknown, schema: z.ZodType<T> | undefined, whole: string): T {
  const judged = judge(schema ?? (noFields as unknown as z.ZodType<T>), value);
  if (judged.findings === null) return judged.data;
  throw new InvalidInputError(
    judged.findings.map((found) => (found.field === '(body)' ? { ...found, field: whole } : found)),
  );
}

async function sendReply(response: RouteResponse, reply: Reply): Promise<void> {
  if (reply instanceof Response) return sendResponse(response, reply);
  if (reply.status === 204) return void response.status(204).end();
  const { status, body } = reply;
  const { lines, bytes, headers } = body as Partial<JsonLines & SentFile>;
  if (lines && Symbol.asyncIterator in lines) return sendLines(response, lines);
  if (isEventStream(body)) return sendEvents(response, body);
  if (!Buffer.isBuffer(bytes)) return send(response, status, body);
  for (const [name, value] of Object.entries({ ...headers })) response.setHeader?.(name, value);
  response.status(200).send(bytes);
}

function send(response: RouteResponse, status: number, body: object): void {
  // Set by hand: for a path that ends in `.js` the host has set another type already.
  response.setHeader?.('content-type', 'application/json; charset=utf-8');
  response.setHeader?.('cache-control', 'no-store');
  response.status(status).json(body);
}

/** Answers with an error, or breaks the answer off that has begun; never throws. */
export function sendError(
  response: RouteResponse,
  runtime: IAgentRuntime,
  route: string,
  error: unknown,
): void {
  const log = hostLog(runtime, 'rest');
  const told = toldError(error, (cause) => log.error({ route, ...cause }, 'request failed'));
  if (response.headersSent) {
    // Half an answer must not look like a whole one.
    abort(response);
    return;
  }
  const { code, message, details } = told;
  try {
    send(response, ERROR_TABLE[code].http, { error: { code, message, details } });
  } catch (failure) {
    log.error({ route, error: messageOf(failure) }, 'no answer sent');
    response.end();
  }
}
