/** JSON-RPC of one agent over two real servers: Eliza's, at three paths, and our own listener. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageVersion } from '../../../src/shared/package-version.js';
import { type Listener, startListener } from '../../../src/surfaces/rest/listener.js';
import { hintsOf } from '../../helpers/hints.js';
import { type Call, call, errorOf } from '../../helpers/http.js';
import { startServer, type TestServer } from '../../helpers/server.js';

let server: TestServer;
let listener: Listener;
/** Where the same routes are served. */
let hostUrl: string;
let ownUrl: string;

beforeAll(async () => {
  server = await startServer();
  await hintsOf(server.runtime);
  listener = await startListener({ runtime: server.runtime, port: 0 });
  hostUrl = server.baseUrl;
  ownUrl = `http://127.0.0.1:${listener.port}`;
}, 120_000);
afterAll(async () => {
  await listener.close();
  await server.stop();
});

type Fields = Record<string, unknown>;

const request = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: '2.0',
  method: `nudge.${method}`,
  ...(params ? { params } : {}),
  id,
});
const post = (base: string, options: Call) => call('POST', `${base}/cue/rpc`, options);

/** The result of one call over our own listener. */
async function ask(method: string, params?: object): Promise<Fields> {
  const { status, body } = await post(ownUrl, { body: request(method, params) });
  if (status !== 200 || !body.result) throw new Error(JSON.stringify(body));
  return body.result as Fields;
}

describe('the scenarios of the seed over HTTP', () => {
  const cwd = '/srv/minerva/http-proxy';
  const build = { component: 'http-proxy', key: 'build' };

  it('A: gives the command that fits, with why, and remembers that it helped', async () => {
    await ask('set_hint', {
      ...build,
      value: { type: 'command', shell: 'bash', cmd: 'docker compose build router' },
      meta: {
        tags: ['build', 'docker'],
        priority: 7,
        confidence: 0.8,
        ttl: 'session',
        scope: { cwd_glob: ['**/http-proxy*'], branch: ['dev', 'main'], os: ['linux', 'darwin'] },
      },
    });
    const context = { cwd, branch: 'dev', os: 'linux' };
    const found = await ask('get_hint', { ...build, context });
    expect(found).toMatchObject({
      hint: { value: { cmd: 'docker compose build router' }, version: 1 },
      match_explain: { matched: true },
    });
    expect(await ask('bump', { ...build, context })).toMatchObject({ hint: { use_count: 1 } });
    const elsewhere = await ask('get_hint', { ...build, context: { ...context, os: 'windows' } });
    expect(elsewhere).toMatchObject({ hint: null, match_explain: { matched: false } });
  });

  it('B: ranks what fits a failed build', async () => {
    await ask('set_hint', {
      component: 'http-proxy',
      key: 'clean',
      value: 'docker compose down',
      meta: { tags: ['build'], priority: 1 },
    });
    const { hints } = (await ask('query', {
      component: 'http-proxy',
      tags: ['build'],
      context: { cwd, branch: 'dev', os: 'linux' },
      limit: 3,
    })) as { hints: { key: string }[] };
    expect(hints.map(({ key }) => key)).toEqual(['build', 'clean']);
  });

  it('E: takes in what another client has put out, over the other server', async () => {
    const { payload } = (await ask('export', { component: 'http-proxy' })) as { payload: object };
    await ask('delete_hint', build);
    const { body } = await post(hostUrl, { body: request('import', { payload }) });
    expect(body.result).toMatchObject({ imported: 1, skipped: 1 });
    const context = { cwd, branch: 'main', os: 'darwin' };
    expect(await ask('get_hint', { ...build, context })).toMatchObject({ hint: { use_count: 1 } });
  });
});

describe('the Eliza server', () => {
  it('serves it at the root and under /api, for the agent that is meant', async () => {
    const body = request('status');
    for (const path of [
      '/cue/rpc',
      '/api/cue/rpc',
      `/api/agents/${server.agentId}/plugins/cue/rpc`,
      `/cue/rpc?agentId=${server.agentId}`,
    ]) {
      const answer = await call('POST', hostUrl + path, { body });
      expect([path, answer.status, answer.body]).toMatchObject([
        path,
        200,
        {
          jsonrpc: '2.0',
          id: 1,
          result: {
            name: 'cue',
            version: packageVersion(),
            pid: process.pid,
            agent_id: server.agentId,
          },
        },
      ]);
    }
    const other = await call('POST', `${hostUrl}/cue/rpc?agentId=`, { body });
    expect([other.status, errorOf(other).code]).toEqual([404, 'NOT_FOUND']);
  });

  it('answers what it cannot parse itself, and goes on', async () => {
    const headers = { 'content-type': 'application/json' };
    const big = JSON.stringify(request('query', { regex: 'x'.repeat(2_100_000) }));
    for (const [raw, status] of [
      ['{"jsonrpc": ', 400],
      [big, 413],
    ] as const) {
      const atRoot = await post(hostUrl, { raw, headers });
      expect([atRoot.status, atRoot.type]).toEqual([status, 'text/html; charset=utf-8']);
      const underApi = await call('POST', `${hostUrl}/api/cue/rpc`, { raw, headers });
      expect([underApi.status, underApi.body.success]).toEqual([500, false]);
    }
    expect((await post(hostUrl, { body: request('status') })).status).toBe(200);
  });
});

describe('both servers', () => {
  const note = { jsonrpc: '2.0', method: 'nudge.list_components' };
  const cases: [string, Call, number][] = [
    ['a call', { body: request('list_components', {}, 'a') }, 200],
    ['an id that is null', { body: request('list_components', {}, null) }, 200],
    ['a batch', { body: [request('list_components'), note, { a: 1 }, request('nope')] }, 200],
    ['an empty batch', { body: [] }, 200],
    ['a batch that is too large', { body: Array(101).fill(note) }, 200],
    ['a notification', { body: note }, 204],
    ['a batch of notifications', { body: [note, note] }, 204],
    ['a notification that fails', { body: { ...note, params: { a: 1 } } }, 204],
    ['an empty object', { body: {} }, 200],
    ['an unknown method', { body: request('sweep') }, 200],
    ['params by position', { body: request('get_hint', ['a', 'b']) }, 200],
    ['wrong params', { body: request('get_hint', { component: 'a', keys: ['b'] }) }, 200],
    ['an unknown hint', { body: request('get_hint', { component: 'a', key: 'b' }) }, 200],
    [
      'a secret',
      { body: request('set_hint', { component: 'a', key: 'b', value: 'AKIAQ3EGRJ4LW7XUTBNM' }) },
      200,
    ],
    [
      'prototype keys',
      {
        raw: '{"jsonrpc":"2.0","id":1,"method":"nudge.query","params":{"__proto__":{"limit":0}}}',
        headers: { 'content-type': 'application/json' },
      },
      200,
    ],
    ['no body', {}, 400],
    ['another type', { raw: '{}', headers: { 'content-type': 'text/plain' } }, 400],
    ['another website', { body: note, headers: { origin: 'https://evil.example' } }, 403],
    ['another host name', { body: note, headers: { host: 'evil.example' } }, 403],
  ];

  it.each(cases)('answer alike: %s', async (_name, options, status) => {
    const [host, own] = [await post(hostUrl, options), await post(ownUrl, options)];
    expect(own).toEqual(host);
    expect(own.status).toBe(status);
    if (status === 204) expect(own.text).toBe('');
    else expect(own.type).toBe('application/json; charset=utf-8');
  });

  it('answer each call of a batch by its id', async () => {
    const body = [request('list_components', {}, 'x'), note, { a: 1 }, request('nope', {}, 'y')];
    const { text } = await post(ownUrl, { body });
    const answers = JSON.parse(text) as { id: unknown; error?: { code: number } }[];
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      ['x', undefined],
      [null, -32600],
      ['y', -32601],
    ]);
  });

  it.each(['/cue/triggers/health', '/cue/triggers?limit=0', '/cue/triggers/7', '/cue/nope'])(
    'answer other routes alike: GET %s',
    async (path) => {
      const [host, own] = [await call('GET', hostUrl + path), await call('GET', ownUrl + path)];
      expect(own).toEqual(host);
    },
  );

  it('let one of two win who change the same version at once', async () => {
    const named = { component: 'race', key: 'build' };
    await ask('set_hint', { ...named, value: 'zero' });
    const change = (base: string, value: string) =>
      post(base, { body: request('set_hint', { ...named, value, if_match_version: 1 }) });
    const answers = await Promise.all([change(hostUrl, 'one'), change(ownUrl, 'two')]);
    const errors = answers.flatMap(({ body }) => (body.error ? [body.error] : []));
    expect(errors).toMatchObject([{ code: 40901, data: { reason: 'E_CONFLICT' } }]);
    expect(await ask('get_hint', named)).toMatchObject({ hint: { version: 2 } });
  });
});
