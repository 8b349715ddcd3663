/** Our own listener over real sockets: what routes get from it, bad bodies, slow clients, its end. */
import { Agent, createServer, get, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { IAgentRuntime, Route } from '@elizaos/core';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRoutes } from '../../../src/surfaces/rest/index.js';
import {
  type Listener,
  type ListenerOptions,
  startListener,
} from '../../../src/surfaces/rest/listener.js';
import { routeMaker } from '../../../src/surfaces/rest/route.js';
import { call, errorOf } from '../../helpers/http.js';

const AGENT_ID = 'aaaaaaaa-0000-4000-8000-000000000001';
const JSON_TYPE = { 'content-type': 'application/json' };
const MB = 1024 * 1024;

const opened: Listener[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

/** What the routes of the test remember. */
interface Seen {
  openStreams: number;
  release: () => void;
}

/** Routes as the plugin has them, below its name. */
function testRoutes(seen: Seen): Route[] {
  const route = routeMaker({ apiKey: () => undefined });
  const routes = [
    route({
      type: 'POST',
      path: '/echo/:first/:second',
      query: z.looseObject({}),
      body: z.unknown(),
      handle: async ({ params, query, body, headers, path }) => ({
        status: 201,
        body: { params, query, body, sent: headers['x-sent'], path },
      }),
    }),
    route({ type: 'GET', path: '/echo/one', handle: async () => ({ status: 200, body: {} }) }),
    route({
      type: 'GET',
      path: '/events',
      handle: async () => ({
        status: 200,
        body: {
          listen: (send) => {
            seen.openStreams += 1;
            send({ event: 'offer', id: '1', data: { a: 1 } });
            return () => {
              seen.openStreams -= 1;
            };
          },
          isOpen: () => true,
        },
      }),
    }),
    route({
      type: 'GET',
      path: '/lines',
      handle: async () => ({
        status: 200,
        body: {
          lines: (async function* () {
            for (let n = 0; n < 2_000; n += 1) yield { n, padding: 'x'.repeat(100) };
          })(),
        },
      }),
    }),
    route({
      type: 'GET',
      path: '/waits',
      handle: () =>
        new Promise((resolve) => {
          seen.release = () => resolve({ status: 200, body: { done: true } });
        }),
    }),
  ];
  const all = [...routes, ...createRoutes({ apiKey: () => undefined })];
  return [
    ...all.map((one) => ({ ...one, path: `/cue${one.path}` })),
    {
      type: 'GET',
      path: '/other/plugin',
      handler: async (_request, answer) => void answer.json(1),
    },
    { type: 'GET', path: '/cue-other/x', handler: async (_request, answer) => void answer.json(1) },
  ];
}

async function listening(options: Partial<ListenerOptions> = {}) {
  const seen: Seen = { openStreams: 0, release: () => {} };
  const runtime = {
    agentId: AGENT_ID,
    routes: testRoutes(seen),
    getServicesByType: () => [],
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  } as unknown as IAgentRuntime;
  const listener = await startListener({ runtime, port: 0, ...options });
  opened.push(listener);
  return { listener, seen, base: `http://127.0.0.1:${listener.port}` };
}

function answerTo(url: string, agent: Agent | false = false): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, resolve).on('error', reject);
  });
}

/** Says something on a bare socket and gives back what came until it was closed. */
function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let heard = '';
    socket.on('data', (chunk) => {
      heard += String(chunk);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(heard));
  });
}

describe('what a route gets', () => {
  it('is what the host would give it: params, query, body and headers', async () => {
    const { base } = await listening();
    const answer = await call('POST', `${base}/cue/echo/a%20b/c%2Fd?q=1&q=2&one=x%20y&empty=`, {
      raw: '{"a":[1,{"b":"ü"}],"__proto__":{"polluted":true}}',
      headers: { ...JSON_TYPE, 'X-Sent': 'yes' },
    });
    expect([answer.status, answer.type]).toEqual([201, 'application/json; charset=utf-8']);
    expect(answer.body).toMatchObject({
      params: { first: 'a b', second: 'c/d' },
      query: { q: ['1', '2'], one: 'x y', empty: '' },
      body: { a: [1, { b: 'ü' }] },
      sent: 'yes',
      path: '/cue/echo/a%20b/c%2Fd',
    });
    expect({}).not.toHaveProperty('polluted');
  });

  it.each([
    ['capitals and a slash at the end', 'GET', '/CUE/Echo/One/', 200],
    ['an empty part', 'POST', '/cue/echo//b', 404],
    ['a part too many', 'POST', '/cue/echo/a/b/c', 404],
    ['another method', 'DELETE', '/cue/echo/one', 404],
    ['a broken escape', 'POST', '/cue/echo/%zz/b', 400],
    ['another plugin', 'GET', '/other/plugin', 404],
    ['a plugin with a like name', 'GET', '/cue-other/x', 404],
    ['the path of the API', 'GET', '/api/cue/echo/one', 404],
    ['the root', 'GET', '/', 404],
    ['a method that routes do not have', 'OPTIONS', '/cue/echo/one', 404],
  ])('depends on the path: %s', async (_name, method, path, status) => {
    const { base } = await listening();
    const answer = await call(method, base + path, { raw: '{}', headers: JSON_TYPE });
    expect([answer.status, answer.type]).toEqual([status, 'application/json; charset=utf-8']);
    if (status === 404) expect(errorOf(answer).code).toBe('NOT_FOUND');
    if (status === 400) expect(errorOf(answer).fields).toEqual(['(path)']);
  });

  it.each([
    ['no body', {}, undefined],
    ['text', { raw: '{"a":1}', headers: { 'content-type': 'text/plain' } }, undefined],
    ['an empty body of JSON', { raw: '', headers: JSON_TYPE }, {}],
    ['a byte order mark', { raw: '\uFEFF{"a":1}', headers: JSON_TYPE }, { a: 1 }],
    [
      'a charset in capitals',
      { raw: '{"a":"é"}', headers: { 'content-type': 'Application/JSON; Charset="UTF-8"' } },
      { a: 'é' },
    ],
  ])('has a body or none: %s', async (_name, options, body) => {
    const { base } = await listening();
    const answer = await call('POST', `${base}/cue/echo/a/b`, options);
    if (body === undefined) {
      expect([answer.status, errorOf(answer).fields]).toEqual([400, ['(body)']]);
    } else {
      expect([answer.status, answer.body.body]).toEqual([201, body]);
    }
  });

  it('goes through the guard of every route', async () => {
    const { base } = await listening();
    const refused: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { host: 'evil.example' },
    ];
    for (const headers of refused) {
      const answer = await call('GET', `${base}/cue/echo/one`, { headers });
      expect([answer.status, errorOf(answer).code]).toEqual([403, 'PERMISSION_DENIED']);
    }
    const other = await call('GET', `${base}/cue/echo/one?agentId=someone-else`);
    expect([other.status, errorOf(other).code]).toEqual([404, 'NOT_FOUND']);
    expect((await call('GET', `${base}/cue/echo/one?agentId=${AGENT_ID}`)).status).toBe(200);
  });
});

describe('a body that cannot be read', () => {
  const big = JSON.stringify({ a: 'x'.repeat(10 * MB) });

  it.each([
    ['malformed JSON', '{"a": ', {}],
    ['a broken character', Buffer.from([0x22, 0xff, 0x22]).toString('latin1'), {}],
    ['compressed', '{}', { 'content-encoding': 'gzip' }],
    ['not UTF-8', '{}', { 'content-type': 'application/json; charset=latin1' }],
  ])('is a 400 in JSON: %s', async (name, raw, more) => {
    const { base, listener } = await listening();
    const headers = { ...JSON_TYPE, ...more };
    if (name !== 'a broken character') {
      const answer = await call('POST', `${base}/cue/echo/a/b`, { raw, headers });
      expect([answer.status, errorOf(answer)]).toMatchObject([
        400,
        { code: 'INVALID_INPUT', fields: ['(body)'] },
      ]);
      return;
    }
    const heard = await new Promise<string>((resolve) => {
      const socket = connect(listener.port, '127.0.0.1', () => {
        socket.write(
          'POST /cue/echo/a/b HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\r\n',
        );
        socket.write(raw, 'latin1');
      });
      socket.on('data', (chunk) => resolve(String(chunk)));
    });
    expect(heard).toContain('400 Bad Request');
    expect(heard).toContain('(body): is not valid JSON');
  });

  it('is a JSON-RPC parse error where JSON-RPC is spoken', async () => {
    const { base } = await listening();
    const messages: Record<string, string> = {};
    for (const [name, raw, type] of [
      ['malformed', '{"jsonrpc": "2.0", ', 'application/json'],
      ['of another type', '{}', 'text/plain'],
    ] as const) {
      const headers = { 'content-type': type };
      const answer = await call('POST', `${base}/cue/rpc`, { raw, headers });
      expect([answer.status, answer.body]).toMatchObject([
        400,
        { jsonrpc: '2.0', id: null, error: { code: -32700 } },
      ]);
      messages[name] = (answer.body.error as { message: string }).message;
    }
    expect(messages).toEqual({
      malformed: '(body): is not valid JSON',
      'of another type': 'send JSON with content-type: application/json',
    });
  });

  it('is refused before it is read when nobody may ask', async () => {
    const { base } = await listening();
    const headers = { ...JSON_TYPE, origin: 'https://evil.example' };
    for (const raw of ['{"a": ', big]) {
      const answer = await call('POST', `${base}/cue/rpc`, { raw, headers });
      expect([answer.status, errorOf(answer).code]).toEqual([403, 'PERMISSION_DENIED']);
    }
  });

  it.each(['/cue/rpc', '/cue/echo/a/b', '/cue/triggers'])(
    'is a 413 in JSON when it has 10 MB, and the client sees it: %s',
    async (path) => {
      const { base } = await listening();
      const answer = await call('POST', base + path, { raw: big, headers: JSON_TYPE });
      expect([answer.status, answer.type, errorOf(answer)]).toEqual([
        413,
        'application/json; charset=utf-8',
        { code: 'TOO_LARGE', message: '(body): is over 2097152 bytes', fields: ['(body)'] },
      ]);
      expect((await call('GET', `${base}/cue/echo/one`)).status).toBe(200);
    },
  );

  it('is a 413 as well when it comes in pieces without its length', async () => {
    const { base } = await listening();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = httpRequest(
        `${base}/cue/echo/a/b`,
        { method: 'POST', agent: false, headers: JSON_TYPE },
        resolve,
      );
      sent.on('error', reject);
      for (let n = 0; n < 40; n += 1) sent.write('x'.repeat(MB / 4));
      sent.end();
    });
    expect([answer.statusCode, answer.headers.connection]).toEqual([413, 'close']);
    answer.resume();
  });

  it('may have 2 MB exactly', async () => {
    const { base } = await listening();
    const raw = JSON.stringify({ a: 'x'.repeat(2 * MB - 8) });
    expect(raw.length).toBe(2 * MB);
    const answer = await call('POST', `${base}/cue/echo/a/b`, { raw, headers: JSON_TYPE });
    expect(answer.status).toBe(201);
  });

  it('is not asked for when the client asks first whether it may send it', async () => {
    const { base } = await listening();
    const outcome = (length: number) =>
      new Promise<unknown[]>((resolve, reject) => {
        const headers = { ...JSON_TYPE, expect: '100-continue', 'content-length': length };
        const url = `${base}/cue/echo/a/b`;
        let mayContinue = false;
        const sent = httpRequest(url, { method: 'POST', agent: false, headers }, (answer) => {
          answer.resume();
          sent.destroy();
          resolve([mayContinue, answer.statusCode]);
        });
        sent.on('continue', () => {
          mayContinue = true;
          sent.end('{}');
        });
        sent.on('error', reject);
        sent.flushHeaders();
      });
    expect(await outcome(10 * MB)).toEqual([false, 413]);
    expect(await outcome(2)).toEqual([true, 201]);
  });
});

describe('connections', () => {
  it('are kept for further requests, also after a request that was wrong', async () => {
    const { base } = await listening();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    for (const path of ['/cue/echo/one', '/nope', '/cue/echo/one']) {
      const answer = await answerTo(base + path, agent);
      sockets.add(answer.socket);
      answer.resume();
      await new Promise((resolve) => answer.once('end', resolve));
    }
    agent.destroy();
    expect(sockets.size).toBe(1);
  });

  it('that say nothing for too long are closed, in the middle of headers and of bodies', async () => {
    const { listener } = await listening({ limits: { requestMs: 200 } });
    const head = 'POST /cue/echo/a/b HTTP/1.1\r\nhost: localhost\r\n';
    const body = 'content-type: application/json\r\ncontent-length: 20\r\n\r\n{"a":';
    for (const text of [head, head + body]) {
      expect(await talk(listener.port, text)).toMatch(/^HTTP\/1\.1 408 /);
    }
  });

  it('without a request are closed', async () => {
    const { listener } = await listening({ limits: { idleMs: 100 } });
    expect(await talk(listener.port, '')).toBe('');
  });

  it('of clients that leave while they send harm nobody', async () => {
    const { base, listener } = await listening();
    await new Promise<void>((resolve) => {
      const socket = connect(listener.port, '127.0.0.1', () => {
        socket.write(
          'POST /cue/echo/a/b HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{',
          () => socket.destroy(),
        );
      });
      socket.on('close', () => resolve());
    });
    expect((await call('GET', `${base}/cue/echo/one`)).status).toBe(200);
  });
});

describe('long answers', () => {
  it('arrive whole as lines', async () => {
    const { base } = await listening();
    const { status, type, text } = await call('GET', `${base}/cue/lines`);
    expect([status, type]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    const rows = text.trimEnd().split('\n');
    expect([rows.length, JSON.parse(rows.at(-1) ?? '').n]).toEqual([2_000, 1_999]);
  });

  it('arrive as events while the client stays', async () => {
    const { base, seen } = await listening();
    const answer = await answerTo(`${base}/cue/events`);
    let text = '';
    answer.on('data', (chunk) => {
      text += String(chunk);
    });
    await expect
      .poll(() => text)
      .toBe(': offers\nretry: 3000\n\nevent: offer\nid: 1\ndata: {"a":1}\n\n');
    expect(seen.openStreams).toBe(1);
    answer.destroy();
    await expect.poll(() => seen.openStreams).toBe(0);
  });
});

describe('the end', () => {
  it('lets what is being answered finish, and ends streams and idle connections', async () => {
    const { base, listener, seen } = await listening({ limits: { closeMs: 80_000 } });
    const agent = new Agent({ keepAlive: true });
    const idle = await answerTo(`${base}/cue/echo/one`, agent);
    idle.resume();
    const stream = await answerTo(`${base}/cue/events`);
    const streamEnded = new Promise((resolve) => stream.on('close', resolve));
    stream.on('error', () => {});
    stream.resume();
    const waiting = call('GET', `${base}/cue/waits`);
    const first = seen.release;
    await expect.poll(() => seen.release !== first).toBe(true);
    const begin = performance.now();
    const closing = listener.close();
    seen.release();
    expect((await waiting).body).toEqual({ done: true });
    await closing;
    // The stream, which has no end of its own, was not waited for.
    expect(performance.now() - begin).toBeLessThan(40_000);
    await streamEnded;
    expect(seen.openStreams).toBe(0);
    await expect(call('GET', `${base}/cue/echo/one`)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    agent.destroy();
    await listener.close();
  });

  it('does not wait for ever for an answer that does not come', async () => {
    const { base, listener, seen } = await listening({ limits: { closeMs: 50 } });
    const waiting = call('GET', `${base}/cue/waits`).catch((error: { code: string }) => error.code);
    const first = seen.release;
    await expect.poll(() => seen.release !== first).toBe(true);
    await listener.close();
    expect(await waiting).toBe('ECONNRESET');
  });
});

describe('ports', () => {
  it('are the next free one when the first is taken and that is wanted', async () => {
    const taken = await listening();
    const { port } = taken.listener;
    await expect(listening({ port })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `port ${port} is taken on 127.0.0.1`,
      details: { host: '127.0.0.1', port },
    });
    const next = await listening({ port, increment: true });
    expect(next.listener.port).toBeGreaterThan(port);
    expect(next.listener.port).toBeLessThanOrEqual(port + 20);
    expect((await call('GET', `${next.base}/cue/echo/one`)).status).toBe(200);
  });

  it('are taken by other programs, too', async () => {
    const foreign = createServer();
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    const address = foreign.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(listening({ port })).rejects.toMatchObject({ code: 'CONFLICT' });
    await new Promise((resolve) => foreign.close(resolve));
  });
});
