/** JSON-RPC of one agent over two real servers: Eliza's, at three paths, and our own listener. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPidFile, usualPidFile } from '../../../src/server/client.js';
import { packageVersion } from '../../../src/shared/package-version.js';
import { type Listener, startListener } from '../../../src/surfaces/rest/listener.js';
import { until } from '../../helpers/children.js';
import { hintsOf } from '../../helpers/hints.js';
import { type Call, call, errorOf } from '../../helpers/http.js';
import { startServer, type TestServer } from '../../helpers/server.js';
import { makeStage, type Stage } from '../cli/nudge/nudge.js';

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
});
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

describe('what is refused', () => {
  const EMPTY = { schema_version: '1.0', components: {} };
  const named = { component: 'kept', key: 'build' };
  const stored = async () => (await ask('export')).payload as { components: object };
  beforeAll(async () => {
    await ask('import', { payload: EMPTY, mode: 'replace' });
    await ask('set_hint', { ...named, value: 'make', meta: { tags: ['build'], ttl: 'P7D' } });
    await ask('set_hint', { component: 'kept', key: 'run', value: 'make run' });
  });

  const constructing = JSON.parse(
    '{"schema_version":"1.0","components":{"constructor":{"hints":{"x":{"value":"y"}}}}}',
  );
  const polluting = JSON.parse(JSON.stringify(constructing).replace('constructor', '__proto__'));
  const meta = (fields: object) => ({ ...named, value: 'x', meta: fields });
  const exploding = '{1..99}'.repeat(10);
  const cases: [string, string, object, number, string][] = [
    ['an unknown field', 'set_hint', { ...named, value: 'x', ttl: 'PT1H' }, 40001, 'E_INVALID'],
    ['an unknown field of meta', 'set_hint', meta({ prio: 1 }), 40001, 'E_INVALID'],
    [
      'a prototype as component',
      'set_hint',
      { component: '__proto__', key: 'x', value: 'y' },
      40001,
      'E_INVALID',
    ],
    [
      'a constructor in place of everything',
      'import',
      { payload: constructing, mode: 'replace' },
      40001,
      'E_INVALID',
    ],
    [
      'a prototype in place of everything',
      'import',
      { payload: polluting, mode: 'replace' },
      40001,
      'E_INVALID',
    ],
    [
      'a glob that explodes',
      'set_hint',
      meta({ scope: { cwd_glob: [exploding] } }),
      40003,
      'E_SCOPE_INVALID',
    ],
    [
      'a branch that explodes',
      'set_hint',
      meta({ scope: { branch: [exploding] } }),
      40003,
      'E_SCOPE_INVALID',
    ],
    [
      'another version',
      'set_hint',
      { ...named, value: 'x', if_match_version: 7 },
      40901,
      'E_CONFLICT',
    ],
    [
      'a future schema in place of everything',
      'import',
      { payload: { ...EMPTY, schema_version: '2.0' }, mode: 'replace' },
      40001,
      'E_INVALID',
    ],
  ];
  it.each(cases)('takes nothing with it: %s', async (_name, method, params, code, reason) => {
    const { components } = await stored();
    expect(Object.keys(components)).toEqual(['kept']);
    for (const base of [hostUrl, ownUrl]) {
      const { status, body } = await post(base, { body: request(method, params) });
      expect([status, body.error]).toMatchObject([200, { code, data: { reason } }]);
    }
    expect((await stored()).components).toEqual(components);
  });

  it.each([
    ['half a body', '{"jsonrpc": ', 400],
    ['10 MB', JSON.stringify(request('query', { regex: 'x'.repeat(10_000_000) })), 413],
  ])('takes nothing with it: %s', async (_name, raw, status) => {
    const { components } = await stored();
    for (const base of [hostUrl, ownUrl]) {
      const answer = await post(base, { raw, headers: { 'content-type': 'application/json' } });
      expect(answer.status).toBe(status);
    }
    expect((await stored()).components).toEqual(components);
  });

  it('is answered under its id: what is nested too deep', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const raw = `{"jsonrpc":"2.0","id":7,"method":"nudge.query","params":{"component":${deep}}}`;
    for (const base of [hostUrl, ownUrl]) {
      const answer = await post(base, { raw, headers: { 'content-type': 'application/json' } });
      expect([answer.status, answer.body]).toMatchObject([200, { id: 7, error: { code: 40001 } }]);
    }
  });

  it('takes nothing with it: the 5,001st hint, by itself and in a file', async () => {
    const keys = (of: number) =>
      Array.from({ length: 102 }, (_, n) => [`k${of}-${n}`, { value: 'x' }] as const);
    const components = Object.fromEntries(
      Array.from({ length: 49 }, (_, n) => [`c${n}`, { hints: Object.fromEntries(keys(n)) }]),
    );
    const payload = { ...EMPTY, components };
    expect(await ask('import', { payload })).toMatchObject({ imported: 4_998, skipped: 0 });

    const more = { component: 'more', key: 'build', value: 'x' };
    const { body } = await post(ownUrl, { body: request('set_hint', more) });
    expect(body.error).toMatchObject({
      code: 42901,
      data: { reason: 'E_QUOTA', details: { quota: 'hints', max: 5_000 } },
    });
    const file = { ...EMPTY, components: { more: { hints: { build: { value: 'x' } } } } };
    expect(await ask('import', { payload: file })).toEqual({
      imported: 0,
      skipped: 1,
      reasons: ['more/build: quota: hints'],
    });
    expect((await ask('status')).counts).toMatchObject({ hints: 5_000, components: 50 });
    // What is there can still be changed.
    const { hint } = await ask('set_hint', { ...named, value: 'make all', meta: { ttl: 'P7D' } });
    expect(hint).toMatchObject({ version: 2 });
    await ask('import', { payload: EMPTY, mode: 'replace' });
  });
});

describe('nudge and the Eliza server', () => {
  let stage: Stage;
  const nudge = (...argv: string[]) => stage.nudgeIn(world(), ...argv);
  /** The server says by itself where it listens. */
  const world = () => ({ env: { NUDGE_PID_DIR: String(process.env.NUDGE_PID_DIR) } });
  const HERE = ['--cwd', '/srv/minerva', '--branch', 'dev', '--os', 'linux'];
  const BUILD = ['http-proxy', 'build'];

  beforeAll(async () => {
    stage = makeStage();
    await ask('import', { payload: { schema_version: '1.0', components: {} }, mode: 'replace' });
    await until(
      'the server is announced',
      async () => readPidFile(usualPidFile(world().env)),
      15_000,
    );
  });
  afterAll(() => stage.remove());

  it('finds it and does all that is done with hints', async () => {
    const ended = async (...argv: string[]) => {
      const { code, out, err } = await nudge(...argv);
      return [code, out.split('\n')[0], err];
    };
    const shown = (line: string) => [0, line, ''];
    const session = ['--ttl', 'session'];
    expect(await ended('set', ...BUILD, 'make', '--scope-branch', 'dev', ...session)).toEqual(
      shown('✔ upserted hint http-proxy/build (v1)'),
    );
    expect(await ended('get', ...BUILD, ...HERE)).toEqual(shown('value: make'));
    expect(await ended('query', '--keys', 'build', ...HERE)).toEqual(shown('http-proxy/build'));
    expect(await ended('ls')).toEqual(shown('http-proxy: 1 hint'));
    expect(await ended('bump', ...BUILD, ...HERE)).toEqual(
      shown(expect.stringMatching(/^↑ bumped frecency: use_count=1 /)),
    );
    const { out: seed } = await nudge('export');
    expect(await ended('delete', ...BUILD)).toEqual([
      ...[0, '✔ deleted hint http-proxy/build (v1)'],
      expect.stringMatching(/^In the database .+: agent .+, server process \d+ at http:.+\n$/),
    ]);
    expect((await nudge('get', ...BUILD, ...HERE)).code).toBe(3);
    stage.write('seed.json', seed);
    expect(await ended('import', 'seed.json')).toEqual(shown('✔ imported 1 hint, skipped 0'));
    const port = new URL(hostUrl).port;
    expect(await ended('status')).toEqual(
      shown(`Eliza server: process ${process.pid}, port ${port}`),
    );
    const stopped = await nudge('stop');
    expect([stopped.code, stopped.err]).toEqual([
      1,
      expect.stringContaining('an Eliza server serves'),
    ]);
  });

  it('lets one of two win who change the same version at once', async () => {
    expect((await nudge('set', 'race', 'build', 'zero')).code).toBe(0);
    const change = (value: string) =>
      nudge('set', 'race', 'build', value, '--if-match-version', '1');
    const both = await Promise.all([change('one'), change('two')]);
    const [winner, loser] = both.toSorted((a, b) => Number(a.code) - Number(b.code));
    expect([winner?.code, loser]).toMatchObject([0, { code: 1, out: '' }]);
    expect(await nudge('get', 'race', 'build', ...HERE)).toMatchObject({
      out: expect.stringContaining(`value: ${both[0] === winner ? 'one' : 'two'}\n`),
    });
  });

  it.each([
    [
      'cannot parse',
      (body: string) => body.slice(0, -1),
      'could not read the call (400, as a web page)',
    ],
    [
      'takes for too large',
      (body: string) => body + ' '.repeat(2_100_000),
      'takes no body of this size (413)',
    ],
  ])(
    'says what became of a call that the host %s, and the next one works',
    async (_how, spoil, words) => {
      const way = await wayTo(hostUrl, spoil);
      const set = ['set', 'spoiled', 'build', 'make', '--json'];
      const ended = await stage.nudge(...set, '-p', String(way.port));
      expect([ended.code, JSON.parse(ended.out)]).toMatchObject([
        1,
        {
          error: {
            code: 'UNAVAILABLE',
            message: `the server at http://127.0.0.1:${way.port} ${words}`,
          },
        },
      ]);
      way.repair();
      expect((await stage.nudge('ls', 'spoiled', '-p', String(way.port))).code).toBe(3);
      expect((await stage.nudge(...set, '-p', String(way.port))).code).toBe(0);
      await way.close();
      await ask('delete_hint', { component: 'spoiled', key: 'build' });
    },
  );
});

/** Passes requests on to a server, spoiled until it is repaired; answers come back as they are. */
async function wayTo(baseUrl: string, spoil: (body: string) => string) {
  let isRepaired = false;
  const relay = createServer(async (asked, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString();
    const {
      status,
      type,
      text: body,
    } = await call('POST', baseUrl + asked.url, {
      raw: isRepaired ? text : spoil(text),
      headers: { 'content-type': 'application/json' },
    });
    answer.writeHead(status, { 'content-type': type }).end(body);
  });
  await new Promise<void>((done) => relay.listen(0, '127.0.0.1', done));
  const { port } = relay.address() as AddressInfo;
  return {
    port,
    repair: () => {
      isRepaired = true;
    },
    close: () => new Promise((done) => relay.close(done)),
  };
}

describe('GET /cue/hints', () => {
  it('lists hints by component and key, each with where it holds and until when', async () => {
    const set = (key: string, value: string, meta: object) =>
      ask('set_hint', { component: 'oven', key, value, meta });
    await set('heat', 'make heat', { ttl: 'P30D', scope: { branch: ['dev'] } });
    await set('heat', 'make heat PROD=1', { ttl: 'P100Y' });
    await set('bake', 'make bake', { ttl: 'session' });
    await ask('set_hint', { component: 'attic', key: 'lamp', value: 'left' });
    const { status, body } = await call('GET', `${hostUrl}/cue/hints`);
    expect(status).toBe(200);
    const hints = body.hints as { component: string; key: string; expires_at: string | null }[];
    const own = hints.filter(({ component }) => ['attic', 'oven'].includes(component));
    expect(own.map(({ component, key }) => `${component}/${key}`)).toEqual([
      ...['attic/lamp', 'oven/bake', 'oven/heat', 'oven/heat'],
    ]);
    const { body: ovens } = await call('GET', `${hostUrl}/cue/hints?component=oven`);
    const listed = ovens.hints as (Fields & { hint: { value: string; updated_at: string } })[];
    const of = (value: string) => listed.find(({ hint }) => hint.value === value);
    const dev = of('make heat');
    expect(dev).toMatchObject({
      hint: { meta: { scope: { branch: ['dev'] }, ttl: 'P30D' } },
      expires_at: new Date(
        Date.parse(dev?.hint.updated_at ?? '') + 30 * 24 * 3_600_000,
      ).toISOString(),
    });
    expect([of('make heat PROD=1')?.expires_at, of('make bake')?.expires_at]).toEqual([null, null]);
    const nobody = await call('GET', `${hostUrl}/cue/hints?component=nobody`);
    expect(nobody.body).toEqual({ hints: [] });
    expect(errorOf(await call('GET', `${hostUrl}/cue/hints?branch=dev`)).fields).toEqual([
      'branch',
    ]);
  });
});
