/** The client against everything that may listen on a port. */
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createRpcClient } from '../../../src/server/connect.js';
import { type AppError, isAppError } from '../../../src/shared/errors.js';
import { freePort } from '../../helpers/free-port.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** @returns its address */
async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(
    () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

const served = (answer: RequestListener) => listening(createServer(answer));

/** Answers with one body, whatever is asked. */
const saying = (status: number, body: unknown, type = 'application/json; charset=utf-8') =>
  served((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': type });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });

const clientOf = (baseUrl: string, more: { apiKey?: string; timeoutMs?: number } = {}) => {
  const { timeoutMs, ...address } = more;
  return createRpcClient(
    { baseUrl, path: '/cue/rpc', ...address },
    timeoutMs === undefined ? {} : { timeoutMs },
  );
};

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const thrown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (isAppError(thrown)) return thrown;
  throw new Error('no AppError was thrown', { cause: thrown });
}

/** Met where a method was called. */
async function met(baseUrl: string, more: Parameters<typeof clientOf>[1] = {}) {
  const error = await failureOf(clientOf(baseUrl, more).call('nudge.query', {}));
  const { met: what, sent } = error.details;
  return { code: error.code, met: what, sent, message: error.message.replaceAll(baseUrl, 'URL') };
}

describe('a call', () => {
  it('is JSON-RPC by name, with agent and key', async () => {
    const seen: unknown[] = [];
    const baseUrl = await served(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(Buffer.from(chunk));
      const { url, method, headers } = request;
      seen.push({ url, method, key: headers['x-api-key'], type: headers['content-type'] });
      seen.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.end('{"jsonrpc":"2.0","id":1,"result":{"é":null}}');
    });
    const address = { baseUrl, path: '/api/cue/rpc', agentId: 'a-1', apiKey: 'key' };
    const { call } = createRpcClient(address);

    expect(await call('nudge.get_hint', { key: 'ü' })).toEqual({ é: null });
    expect(seen).toEqual([
      { url: '/api/cue/rpc?agentId=a-1', method: 'POST', key: 'key', type: 'application/json' },
      { jsonrpc: '2.0', id: 1, method: 'nudge.get_hint', params: { key: 'ü' } },
    ]);
  });

  it('may have null as its result', async () => {
    const baseUrl = await saying(200, { jsonrpc: '2.0', id: 1, result: null });
    expect(await clientOf(baseUrl).call('a')).toBeNull();
  });

  it('that no server would take is not sent', async () => {
    const error = await failureOf(
      clientOf('http://127.0.0.1:1').call('a', { text: 'x'.repeat(2 * 1024 * 1024) }),
    );
    expect(error.code).toBe('TOO_LARGE');
  });
});

describe('an error of the method', () => {
  it.each([
    ['E_INVALID', 40001, 'INVALID_INPUT'],
    ['E_INVALID', -32602, 'INVALID_INPUT'],
    ['E_NOT_FOUND', 40401, 'NOT_FOUND'],
    ['E_CONFLICT', 40901, 'CONFLICT'],
    ['E_SECRET_REJECTED', 40002, 'SECRET_REJECTED'],
    ['E_SCOPE_INVALID', 40003, 'SCOPE_INVALID'],
    ['E_QUOTA', 42901, 'LIMIT_REACHED'],
    ['PERMISSION_DENIED', -32003, 'PERMISSION_DENIED'],
    ['TOO_LARGE', -32013, 'TOO_LARGE'],
    ['UNAVAILABLE', -32050, 'UNAVAILABLE'],
    ['INTERNAL', -32603, 'INTERNAL'],
    [undefined, 40401, 'NOT_FOUND'],
  ])('%s (%i) has our code %s', async (reason, code, ours) => {
    const error = { code, message: 'so it is', data: { reason, details: { version: 3 } } };
    const baseUrl = await saying(200, { jsonrpc: '2.0', id: 1, error });
    const thrown = await failureOf(clientOf(baseUrl).call('nudge.set_hint', {}));
    expect(thrown).toMatchObject({ code: ours, message: 'so it is', details: { version: 3 } });
  });

  it.each([
    [
      -32601,
      'foreign',
      'the server at URL does not know nudge.query: it is another program, or an older version',
    ],
    [-32700, 'refused', 'the server at URL did not take the call: not JSON'],
    [-1, 'refused', 'the server at URL did not take the call: not JSON'],
  ])('of the protocol (%i) says what was met', async (code, what, message) => {
    const baseUrl = await saying(400, {
      jsonrpc: '2.0',
      id: null,
      error: { code, message: 'not\nJSON' },
    });
    expect(await met(baseUrl)).toEqual({ code: 'UNAVAILABLE', met: what, sent: true, message });
  });
});

describe('instead of an answer', () => {
  const page = '<!DOCTYPE html><html><body><pre>PayloadTooLargeError</pre></body></html>';
  const foreign = (what: string, status: number) =>
    `URL is served by another program (it answers ${what}, ${status}): say where the server is with -p PORT`;

  it.each([
    [
      'the page of a host that could not parse',
      () => saying(400, page, 'text/html; charset=utf-8'),
      'refused',
      'the server at URL could not read the call (400, as a web page)',
    ],
    [
      'the page of a host that takes less',
      () => saying(413, page, 'text/html; charset=utf-8'),
      'refused',
      'the server at URL takes no body of this size (413)',
    ],
    [
      'a host’s own words below /api',
      () => saying(500, { success: false, error: { code: '500', message: 'entity.parse.failed' } }),
      'refused',
      'the server at URL has failed (500): entity.parse.failed',
    ],
    [
      'a server that is not one of this agent',
      () => saying(404, { error: { code: 'NOT_FOUND', message: 'no such agent here' } }),
      'refused',
      'the server at URL has failed (404): no such agent here',
    ],
    [
      'a web page',
      () => saying(200, '<html></html>', 'text/html'),
      'foreign',
      foreign('a web page', 200),
    ],
    [
      'a web page that is not there',
      () => saying(404, page, 'text/html'),
      'foreign',
      foreign('a web page', 404),
    ],
    [
      'JSON of somebody else',
      () => saying(200, { ok: true }),
      'foreign',
      foreign('something else', 200),
    ],
    [
      'the answer to another call',
      () => saying(200, { jsonrpc: '2.0', id: 2, result: {} }),
      'foreign',
      foreign('something else', 200),
    ],
    ['nothing', () => saying(204, ''), 'foreign', foreign('something else', 204)],
    [
      'the way to somewhere else',
      () => saying(302, '', 'text/plain'),
      'foreign',
      foreign('something else', 302),
    ],
  ])('%s is told', async (_what, serve, what, message) => {
    expect(await met(await serve())).toEqual({
      code: 'UNAVAILABLE',
      met: what,
      sent: true,
      message,
    });
  });

  it('a missing key names the variable, a wrong one too', async () => {
    const baseUrl = await saying(401, { error: { code: 'UNAUTHENTICATED', message: 'no' } });
    expect(await met(baseUrl)).toEqual({
      ...{ code: 'UNAVAILABLE', met: 'unauthenticated', sent: true },
      message:
        'the server at URL wants a key: set ELIZA_SERVER_AUTH_TOKEN to the one it was started with',
    });
    expect((await met(baseUrl, { apiKey: 'old' })).message).toBe(
      'the server at URL does not accept the key in ELIZA_SERVER_AUTH_TOKEN',
    );
  });

  it('our own listener’s refusal of a size keeps its code', async () => {
    const baseUrl = await saying(413, { error: { code: 'TOO_LARGE', message: 'over 2 MB' } });
    expect(await met(baseUrl)).toMatchObject({ code: 'TOO_LARGE', met: undefined });
  });

  it('nobody is told with how to start a server', async () => {
    expect(await met(`http://127.0.0.1:${await freePort()}`)).toEqual({
      ...{ code: 'UNAVAILABLE', met: 'nobody', sent: false },
      message:
        'nothing listens at URL: start a server with "nudge serve", or say its port with -p PORT',
    });
  });

  it('a program that speaks something else is told', async () => {
    const baseUrl = await listening(
      createSocketServer((socket) => {
        socket.end('220 mail.example.org ESMTP\r\n');
      }),
    );
    expect(await met(baseUrl)).toEqual({
      ...{ code: 'UNAVAILABLE', met: 'foreign', sent: true },
      message:
        'URL is served by another program (it does not speak HTTP): say where the server is with -p PORT',
    });
  });

  it.each([
    ['at once', (socket: Socket) => socket.destroy()],
    [
      'in the middle of its answer',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"jsonrpc"');
        setTimeout(() => socket.destroy(), 20);
      },
    ],
  ])('a server that dies is told: %s', async (_when, die) => {
    const baseUrl = await listening(
      createSocketServer((socket) => {
        socket.once('data', () => die(socket));
      }),
    );
    const { code, met: what, sent, message } = await met(baseUrl);
    expect({ code, met: what, sent }).toEqual({ code: 'UNAVAILABLE', met: 'broken', sent: true });
    expect(message).toMatch(/^the server at URL broke off: /);
  });

  it.each([
    ['does not answer', () => served(() => {})],
    [
      'does not come to an end',
      () =>
        served((_request, response) => {
          response.writeHead(200);
          const timer = setInterval(() => response.write(' '), 20);
          response.on('close', () => clearInterval(timer));
        }),
    ],
  ])('a server that %s is waited for only so long', async (_what, serve) => {
    expect(await met(await serve(), { timeoutMs: 1_000 })).toEqual({
      ...{ code: 'UNAVAILABLE', met: 'timeout', sent: true },
      message: 'the server at URL has not answered within 1 s',
    });
  });
});
