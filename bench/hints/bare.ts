/** The least that an answer costs: the request parsed, and the bytes of one that was asked before. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Plugin } from '@elizaos/core';
import type { GetResult, Hints, QueryResult } from '../../src/hints/index.js';
import { OPERATOR } from './opened.js';
import { asked } from './workload.js';

export const BARE = ['get', 'query'] as const;
type Bare = (typeof BARE)[number];

export type BareResults = Record<Bare, GetResult | QueryResult>;

export async function bareResults(hints: Hints, size: number): Promise<BareResults> {
  const ask = asked(size, 'bare');
  return {
    get: await hints.getHint(ask.get(), OPERATOR),
    query: await hints.query(ask.byComponent(), OPERATOR),
  };
}

/** By Node alone, at `/get` and `/query`. */
export async function bareServer(results: BareResults): Promise<{ port: number; close(): void }> {
  const server = createServer((request, answer) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const result = request.url === '/get' ? results.get : results.query;
      answer.setHeader('content-type', 'application/json; charset=utf-8');
      answer.end(JSON.stringify(answerTo(body, result)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** By the Eliza server, at `/bare/get` and `/bare/query`, once there are results. */
export function barePlugin(results: () => BareResults | null): Plugin {
  return {
    name: 'bare',
    description: 'answers what was asked before',
    routes: BARE.map((name) => ({
      type: 'POST',
      path: `/${name}`,
      handler: async ({ body }, response) => {
        const result = results()?.[name];
        if (result) response.status(200).json(answerTo(body, result));
        else response.status(503).end();
      },
    })),
  };
}

function answerTo(body: unknown, result: object): object {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null;
  return { jsonrpc: '2.0', id, result };
}
