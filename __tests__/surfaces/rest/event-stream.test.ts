/** Server-sent events over a real socket: form, comments, clients that leave or read too slowly. */
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IAgentRuntime, RouteResponse } from '@elizaos/core';
import { afterEach, describe, expect, it } from 'vitest';
import type { EventStream, ServerEvent } from '../../../src/surfaces/rest/event-stream.js';
import { routeMaker } from '../../../src/surfaces/rest/route.js';

const runtime = {
  agentId: 'aaaaaaaa-0000-4000-8000-000000000001',
  logger: { error: () => undefined },
} as unknown as IAgentRuntime;

let server: Server;
afterEach(
  () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
);

/** A source that tests push into. */
function source() {
  const senders = new Set<(event: ServerEvent) => void>();
  const state = { open: true };
  const stream = (): EventStream => ({
    listen: (send) => {
      senders.add(send);
      return () => senders.delete(send);
    },
    isOpen: () => state.open,
  });
  return { senders, state, stream };
}

async function serve(stream: () => EventStream): Promise<string> {
  const route = routeMaker({ apiKey: () => undefined })({
    type: 'GET',
    path: '/x',
    handle: async () => ({ status: 200, body: stream() }),
  });
  server = createServer((request, response) => {
    void route.handler?.(
      { headers: { host: request.headers.host } },
      response as unknown as RouteResponse,
      runtime,
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, resolve).on('error', reject);
  });
}

/** Text so far, and whether it has ended. */
function reading(answer: IncomingMessage) {
  const seen = { text: '', ended: false };
  answer.on('data', (chunk) => {
    seen.text += String(chunk);
  });
  answer.on('end', () => {
    seen.ended = true;
  });
  return seen;
}

describe('a stream of events', () => {
  it('sends each event in its three lines to every client', async () => {
    const { senders, stream } = source();
    const url = await serve(stream);
    const clients = [await open(url), await open(url)];
    const seen = clients.map(reading);
    expect(clients.map(({ headers }) => headers['content-type'])).toEqual(
      Array(2).fill('text/event-stream; charset=utf-8'),
    );
    await expect.poll(() => senders.size).toBe(2);
    for (const send of senders) {
      send({ event: 'offer', id: '7', data: { text: 'two\nlines\r\n\nevent: fake' } });
    }
    const expected =
      ': offers\nretry: 3000\n\nevent: offer\nid: 7\ndata: {"text":"two\\nlines\\r\\n\\nevent: fake"}\n\n';
    await expect.poll(() => seen.map(({ text }) => text)).toEqual([expected, expected]);
  });

  it('forgets a client that has left', async () => {
    const { senders, stream } = source();
    const answer = await open(await serve(stream));
    await expect.poll(() => senders.size).toBe(1);
    answer.destroy();
    await expect.poll(() => senders.size).toBe(0);
  });

  it('ends when its source does', async () => {
    const { senders, state, stream } = source();
    const seen = reading(await open(await serve(stream)));
    await expect.poll(() => senders.size).toBe(1);
    state.open = false;
    await expect.poll(() => [seen.ended, senders.size]).toEqual([true, 0]);
  });

  it('drops a client that reads nothing, and says so to the sender', async () => {
    const { senders, stream } = source();
    const answer = await open(await serve(stream));
    answer.on('error', () => undefined);
    answer.pause();
    await expect.poll(() => senders.size).toBe(1);
    const [send] = senders;
    const event = { event: 'offer', id: '1', data: { text: 'x'.repeat(100_000) } };
    const flood = () => {
      for (let n = 0; n < 500; n += 1) send?.(event);
    };
    expect(flood).toThrow('the client reads too slowly');
    expect(senders.size).toBe(0);
    expect(() => send?.(event)).toThrow('the client has gone');
  });
});
