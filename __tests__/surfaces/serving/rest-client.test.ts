/** What commands say where the answer is not that of a route of ours. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServerAddress } from '../../../src/server/connect.js';
import { askRest, type RestRequest } from '../../../src/server/connect.js';
import { AppError } from '../../../src/shared/errors.js';
import { freePort } from '../../helpers/free-port.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Seen {
  method: string | undefined;
  url: string | undefined;
  key: string | string[] | undefined;
  body: string;
}

/** One that answers everything in the same way, and remembers what it was asked. */
async function served(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<{ address: ServerAddress; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const { method, url, headers } = request;
    seen.push({ method, url, key: headers['x-api-key'], body: Buffer.concat(chunks).toString() });
    answer(response, request);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(
    () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  );
  const at = server.address();
  if (at === null || typeof at === 'string') throw new Error('no port');
  return { address: { baseUrl: `http://127.0.0.1:${at.port}`, path: '/cue/rpc' }, seen };
}

const json = (status: number, body: unknown) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
};
const page = (status: number) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end('<!DOCTYPE html><pre>SyntaxError</pre>');
};

async function failure(
  answer: Parameters<typeof served>[0],
  request: RestRequest = { path: '/triggers' },
  more: Partial<ServerAddress> = {},
): Promise<AppError> {
  const { address } = await served(answer);
  const error = await askRest({ ...address, ...more }, request).catch((thrown: unknown) => thrown);
  if (error instanceof AppError) return error;
  throw new Error(`no error of ours: ${String(error)}`);
}

describe('a request', () => {
  it('names agent and key, and goes to where the PID file says that routes are', async () => {
    const { address, seen } = await served(json(200, { ok: 1 }));
    const path = '/api/agents/a1/plugins/cue/rpc';
    const body = { a: 1, gone: undefined };
    const query = { limit: 5, q: 'a b&c', state: undefined };
    expect(
      await askRest(
        { ...address, path, agentId: 'a1', apiKey: 'k' },
        { method: 'POST', path: '/triggers', query, body },
      ),
    ).toEqual({ ok: 1 });
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/api/agents/a1/plugins/cue/triggers?agentId=a1&limit=5&q=a%20b%26c',
        key: 'k',
        body: '{"a":1}',
      },
    ]);
  });

  it('that no server would take is not sent', async () => {
    const { address, seen } = await served(json(200, {}));
    const body = { text: 'x'.repeat(2 ** 21) };
    await expect(askRest(address, { method: 'POST', path: '/import', body })).rejects.toMatchObject(
      { code: 'TOO_LARGE' },
    );
    expect(seen).toEqual([]);
  });
});

describe('an error', () => {
  it('of the route keeps code, message and details', async () => {
    const error = { code: 'DUPLICATE', message: 'it is there', details: { existingId: 'x' } };
    expect(await failure(json(409, { error }))).toMatchObject(error);
  });

  it.each([
    [
      'a bad body at the root of the host',
      page(400),
      'refused',
      /could not read the call \(400, as a web page\)/,
    ],
    ['a large body at the root of the host', page(413), 'refused', /no body of this size \(413\)/],
    [
      'a bad body below /api of the host',
      json(500, { success: false, error: { message: 'Unexpected\u001b[31m token' } }),
      'refused',
      /has failed \(500\): Unexpected \[31m token/,
    ],
    ['the web UI of the host', page(200), 'foreign', /served by another program/],
    ['a list', json(200, []), 'foreign', /something else, 200/],
    [
      'a route that it does not know',
      json(404, { error: { code: 'NOT_FOUND', message: 'no route', details: { what: 'route' } } }),
      'foreign',
      /does not know GET \/cue\/triggers: it is an older version/,
    ],
    [
      'another agent',
      json(404, { error: { code: 'NOT_FOUND', message: 'no such', details: { what: 'agent' } } }),
      'refused',
      /is for another agent: no such/,
    ],
    [
      'a missing key',
      json(401, { error: { code: 'UNAUTHENTICATED', message: 'missing', details: {} } }),
      'unauthenticated',
      /wants a key: set ELIZA_SERVER_AUTH_TOKEN/,
    ],
    [
      'an answer that breaks off',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': 100 }).write('{');
        setTimeout(() => response.destroy(), 20);
      },
      'broken',
      /broke off/,
    ],
  ])('says what was met: %s', async (_what, answer, met, message) => {
    const error = await failure(answer);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', details: { met } });
    expect(error.message).toMatch(message);
  });

  it('says that the key is wrong where one was sent', async () => {
    const error = await failure(page(401), { path: '/triggers' }, { apiKey: 'k' });
    expect(error.message).toMatch(/does not accept the key/);
  });

  it('says how to start a server where nothing listens', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const asked = askRest({ baseUrl, path: '/cue/rpc' }, { path: '/triggers' });
    await expect(asked).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `nothing listens at ${baseUrl}: start a server with "nudge serve", or say its port with -p PORT`,
      details: { met: 'nobody', sent: false },
    });
  });

  it('says when nothing has come in time', async () => {
    const error = await failure(() => {}, { path: '/triggers', timeoutMs: 1_000 });
    expect(error).toMatchObject({ details: { met: 'timeout', sent: true } });
  });
});

describe('JSON lines', () => {
  const lines = (end: (response: ServerResponse) => void) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
    response.write(Buffer.from('{"a":"ü"}\n').subarray(0, 7));
    setTimeout(() => {
      response.write(Buffer.from('{"a":"ü"}\n').subarray(7));
      end(response);
    }, 20);
  };

  it('are handed on as they come, characters whole', async () => {
    const { address } = await served(lines((response) => void response.end()));
    const parts: string[] = [];
    const onLines = (text: string) => void parts.push(text);
    expect(await askRest(address, { path: '/export', onLines })).toEqual({ lines: true });
    expect(parts.join('')).toBe('{"a":"ü"}\n');
  });

  it('that break off are an error', async () => {
    const broken = lines((response) => void setTimeout(() => response.destroy(), 20));
    expect(await failure(broken, { path: '/export', onLines: () => {} })).toMatchObject({
      details: { met: 'broken' },
    });
  });

  it('do not hide an error that comes in their place', async () => {
    const error = { code: 'INVALID_INPUT', message: 'format: no', details: {} };
    const onLines = () => expect.unreachable('these are no lines');
    expect(await failure(json(400, { error }), { path: '/export', onLines })).toMatchObject(error);
  });
});
