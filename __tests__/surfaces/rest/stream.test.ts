/** Answers of JSON lines over a real socket: order, slow clients, clients that leave, failures. */
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IAgentRuntime, RouteResponse } from '@elizaos/core';
import { afterEach, describe, expect, it } from 'vitest';
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

/** Serves the lines as a route of ours does; the little of express that it needs is put on top. */
async function serve(lines: () => AsyncIterable<object>): Promise<string> {
  const route = routeMaker({ apiKey: () => undefined })({
    type: 'GET',
    path: '/x',
    handle: async () => ({ status: 200, body: { lines: lines() } }),
  });
  server = createServer((request, response) => {
    const express: RouteResponse = Object.assign(response, {
      status(code: number) {
        response.statusCode = code;
        return express;
      },
      send(body: unknown) {
        response.end(String(body));
        return express;
      },
      json(body: unknown) {
        response.end(JSON.stringify(body));
        return express;
      },
    }) as unknown as RouteResponse;
    void route.handler?.({ headers: { host: request.headers.host } }, express, runtime);
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

async function read(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return text;
}

/** Lines of 1 kB that count themselves, and tell whether somebody closed them. */
function counting(total: number, failAt = Number.POSITIVE_INFINITY) {
  const seen = { made: 0, closed: false };
  async function* lines() {
    try {
      for (let n = 0; n < total; n += 1) {
        if (n === failAt) throw new Error('the disk is gone');
        seen.made += 1;
        yield { n, padding: 'x'.repeat(1_000) };
      }
    } finally {
      seen.closed = true;
    }
  }
  return { seen, lines };
}

describe('an answer of JSON lines', () => {
  it('arrives whole and in order, many chunks long', async () => {
    const { lines } = counting(2_000);
    const answer = await open(await serve(lines));
    expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const rows = (await read(answer)).trimEnd().split('\n');
    expect(rows.map((row) => JSON.parse(row).n)).toEqual(
      Array.from({ length: 2_000 }, (_, n) => n),
    );
  });

  it('is empty when there is nothing', async () => {
    const answer = await open(await serve(counting(0).lines));
    expect([answer.statusCode, await read(answer)]).toEqual([200, '']);
  });

  it('waits for a client that is slow instead of making everything', async () => {
    const { lines, seen } = counting(50_000);
    const answer = await open(await serve(lines));
    let before = -1;
    while (seen.made !== before) {
      before = seen.made;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(seen.made).toBeGreaterThan(0);
    expect(seen.made).toBeLessThan(50_000);
    answer.destroy();
  });

  it('is not made any further for a client that has gone', async () => {
    const { lines, seen } = counting(1_000_000);
    const answer = await open(await serve(lines));
    await new Promise((resolve) => answer.once('data', resolve));
    answer.destroy();
    await expect.poll(() => seen.closed).toBe(true);
    expect(seen.made).toBeLessThan(1_000_000);
  });

  it('breaks off when making it fails, so that half of it does not look whole', async () => {
    const { lines } = counting(2_000, 1_500);
    const answer = await open(await serve(lines));
    await expect(read(answer)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('is an error of its own when nothing has been sent yet', async () => {
    const answer = await open(await serve(counting(10, 3).lines));
    expect([answer.statusCode, JSON.parse(await read(answer)).error.code]).toEqual([
      500,
      'INTERNAL',
    ]);
  });
});
