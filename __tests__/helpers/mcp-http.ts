/** MCP over HTTP by hand: what a client of the SDK hides, such as streams that break. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { expect, vi } from 'vitest';
import { type SseEvent, sseReader } from '../../src/server/mcp-exchange.js';

export type Message = Record<string, unknown>;
export type Headers = Record<string, string>;

/** An answer that may still be coming. */
export interface OpenAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** So far. */
  text: string;
  events: SseEvent[];
  /** Of the events with data. */
  messages: Message[];
  /** Resolves at its end, or when it has broken. */
  ended: Promise<void>;
  isOver: boolean;
  /** Destroys the socket. */
  cut(): void;
}

export interface RawSession {
  id: string;
  headers: Headers;
  /** One message or a batch; the answer has come to its end. */
  post(body: unknown, headers?: Headers): Promise<OpenAnswer>;
  /** The same while it comes. */
  begin(body: unknown, headers?: Headers): Promise<OpenAnswer>;
  /** One call, and its answer. */
  ask(method: string, params?: object): Promise<Message>;
  events(headers?: Headers): Promise<OpenAnswer>;
  end(headers?: Headers): Promise<OpenAnswer>;
}

export const ACCEPT = 'application/json, text/event-stream';
const JSON_TYPE = { 'content-type': 'application/json' };

export const initialize = (version: string = LATEST_PROTOCOL_VERSION): Message => ({
  ...{ jsonrpc: '2.0', id: 'init', method: 'initialize' },
  params: {
    protocolVersion: version,
    capabilities: {},
    clientInfo: { name: 'raw', version: '1.0.0' },
  },
});

/** Resolves when the answer has begun. */
export function send(
  method: string,
  url: string,
  { headers, text }: { headers: Headers; text?: string },
): Promise<OpenAnswer> {
  return new Promise((resolve, reject) => {
    const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) };
    const sent = request(url, { method, agent: false, headers: { ...length, ...headers } });
    sent.on('error', reject);
    sent.once('response', (received) => resolve(reading(received)));
    sent.end(text);
  });
}

function reading(received: IncomingMessage): OpenAnswer {
  const { statusCode = 0, headers } = received;
  const answer: OpenAnswer = {
    ...{ status: statusCode, headers, text: '', events: [], messages: [], isOver: false },
    ended: new Promise((resolve) => {
      received.once('close', () => {
        answer.isOver = true;
        resolve();
      });
    }),
    cut: () => received.destroy(),
  };
  const isEvents = headers['content-type']?.startsWith('text/event-stream') ?? false;
  const events = sseReader((event) => {
    if (event.id === undefined && event.data === '') return;
    answer.events.push(event);
    if (event.data !== '') answer.messages.push(JSON.parse(event.data) as Message);
  });
  received.on('error', () => {});
  received.on('data', (bytes: Buffer) => {
    answer.text += bytes.toString('utf8');
    if (isEvents) events(bytes);
  });
  return answer;
}

export async function whole(answer: Promise<OpenAnswer>): Promise<OpenAnswer> {
  const begun = await answer;
  await begun.ended;
  return begun;
}

/** Waits until so many messages have come. */
export async function arrived(answer: OpenAnswer, count: number): Promise<Message[]> {
  await vi.waitFor(() => expect(answer.messages.length).toBeGreaterThanOrEqual(count), {
    ...{ timeout: 60_000, interval: 5 },
  });
  return answer.messages;
}

export const postTo = (url: string, body: unknown, headers: Headers = {}) =>
  whole(
    send('POST', url, {
      headers: { ...JSON_TYPE, accept: ACCEPT, ...headers },
      text: JSON.stringify(body),
    }),
  );

/** A session that has been initialized. */
export async function rawSession(
  url: string,
  {
    version,
    tools = 'all',
    hello = {},
  }: { version?: string; tools?: string; hello?: Headers } = {},
): Promise<RawSession> {
  const begun = await postTo(url, initialize(version), { 'x-cue-tools': tools, ...hello });
  const id = begun.headers['mcp-session-id'];
  if (typeof id !== 'string') throw new Error(`${begun.status} ${begun.text}`);
  const own: Headers = {
    'mcp-session-id': id,
    'mcp-protocol-version': version ?? LATEST_PROTOCOL_VERSION,
  };
  const begin: RawSession['begin'] = (body, headers = {}) =>
    send('POST', url, {
      headers: { ...JSON_TYPE, accept: ACCEPT, ...own, ...headers },
      text: JSON.stringify(body),
    });
  const session: RawSession = {
    ...{ id, headers: own, begin },
    post: (body, headers) => whole(begin(body, headers)),
    async ask(method, params) {
      const { messages } = await session.post({ jsonrpc: '2.0', id: 'ask', method, params });
      return messages.at(-1) ?? {};
    },
    events: (headers = {}) =>
      send('GET', url, { headers: { accept: 'text/event-stream', ...own, ...headers } }),
    end: (headers = {}) => whole(send('DELETE', url, { headers: { ...own, ...headers } })),
  };
  const answer = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
  return session;
}

/** A call of a tool as a message. */
export const toolCall = (
  id: number | string,
  name: string,
  args: object = {},
  meta: object = {},
): Message => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: args, ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}) },
});
