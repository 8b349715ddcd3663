/** Streamable HTTP as the MCP specification has it, on an Eliza server and on our own listener. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { WorkMemoryService } from '../../../src/memory/index.js';
import type { ProactiveService } from '../../../src/proactive/index.js';
import { derivedId } from '../../../src/shared/ids.js';
import { CUE_MCP, McpService } from '../../../src/surfaces/mcp/index.js';
import { localKey } from '../../../src/surfaces/mcp-client.js';
import { type Listener, startListener } from '../../../src/surfaces/rest/listener.js';
import { call, errorOf } from '../../helpers/http.js';
import {
  ACCEPT,
  arrived,
  type Headers,
  initialize,
  type Message,
  type OpenAnswer,
  postTo,
  type RawSession,
  rawSession,
  send,
  toolCall,
  whole,
} from '../../helpers/mcp-http.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';
import { startServer, type TestServer } from '../../helpers/server.js';

const OPERATOR = { kind: 'operator' } as const;
/** Of waits for what comes over a socket. */
const LONG = { timeout: 60_000 };
const JSON_TYPE = { 'content-type': 'application/json' };

let server: TestServer;
let listener: Listener;
let memory: WorkMemoryService;
let offers: ProactiveService;
let mcp: McpService;
/** Where the same agent is served. */
const urls = { host: '', own: '' };

beforeAll(async () => {
  // The window of a moment ends only when the test says so.
  const windows = { cooldown: { batch_window_ms: 60_000 } };
  server = await startServer({ settings: { CUE_DETECTORS: JSON.stringify(windows) } });
  listener = await startListener({ runtime: server.runtime, port: 0 });
  urls.host = `${server.baseUrl}/cue/mcp`;
  urls.own = `http://127.0.0.1:${listener.port}/cue/mcp`;
  memory = await memoryOf(server.runtime);
  offers = await offersOf(server.runtime);
  const service = server.runtime.getService(CUE_MCP);
  if (!(service instanceof McpService)) throw new Error('no MCP service');
  mcp = service;
});
afterAll(async () => {
  await listener.close();
  await server.stop();
});

const DOORS = [
  ['on an Eliza server', 'host'],
  ['on our own listener', 'own'],
] as const;

async function sdkClient(url: string, headers: Headers = {}) {
  const requests: [string | undefined, number][] = [];
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: async (to, init) => {
      const answer = await fetch(to, init);
      requests.push([init?.method, answer.status]);
      return answer;
    },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const errors: string[] = [];
  client.onerror = (error) => errors.push(error.message);
  await client.connect(transport);
  return { client, transport, errors, requests };
}

let groups = 0;
/** Groups of memories for `create_chapter` to find: work with as many steps. */
async function grouped(count: number): Promise<void> {
  groups += 1;
  for (let group = 0; group < count; group += 1) {
    for (const part of ['first', 'second', 'third']) {
      const goal = `The ${part} of group ${group} in round ${groups}`;
      const outcome = { success: true, summary: 'done' };
      await memory.store({ intent: goal, outcome, tags: [`g-${groups}-${group}`] }, OPERATOR);
    }
  }
}

const chapters = async () => (await memory.listChapters({ limit: 1 }, OPERATOR)).total;

/** Of an answer: `1` for the first step of progress and so on, and the id of each result. */
const told = (messages: readonly Message[]) =>
  messages.map(({ id, params }) => id ?? Object(params).progress);

let files = 0;
/** What is remembered of a file is offered to the session, and its client is told. */
const offered = (transportId: string) => offeredIn(derivedId('mcp session', transportId));

async function offeredIn(sessionId: string): Promise<string> {
  files += 1;
  const file = `src/http-${files}.ts`;
  const outcome = { success: true, summary: `part ${files} runs` };
  await memory.store(
    { intent: `Rework part ${files}`, actions: [{ file, operation: 'edit' }], outcome },
    OPERATOR,
  );
  const happening = { type: 'file_touch', filePath: file, sessionId };
  const { offers: made } = await offers.happen(happening, OPERATOR, { answered: false });
  await offers.settled();
  return made[0]?.id ?? 'none';
}

/** Ids of the offers that a stream has told of. */
const noticed = ({ messages }: OpenAnswer) =>
  messages.flatMap(({ params }) => Object(Object(params)._meta)['cue/offers'] ?? []);

/** A stream that has ended is taken up again as one in which nothing comes, and then no more. */
async function nothingFollows(session: RawSession, { events }: OpenAnswer): Promise<void> {
  const rest = await whole(session.events({ 'last-event-id': String(events.at(-1)?.id) }));
  expect([rest.status, rest.headers['content-type']]).toEqual([200, 'text/event-stream']);
  expect([primed(rest), rest.messages]).toEqual([true, []]);
  const end = await whole(session.events({ 'last-event-id': String(rest.events.at(-1)?.id) }));
  expect([end.status, end.text]).toEqual([204, '']);
}

/** Whether it begins with an event that has an id and no data, and says when to come again. */
const primed = ({ text }: OpenAnswer) => /^id: [\w-]+\nretry: 1000\ndata: \n\n/.test(text);

describe.each(DOORS)('%s', (_name, door) => {
  const url = () => urls[door];

  it('what a client sets for its session ends with that session; the rest lasts', async () => {
    const [one, other] = [await sdkClient(url()), await sdkClient(url())];
    const component = `session-hints-${door}`;
    const set = (by: typeof one, key: string, meta: object) =>
      by.client.callTool({
        name: 'nudge_set_hint',
        arguments: { component, key, value: `make ${key}`, meta },
      });
    await set(one, 'lasting', {});
    await set(one, 'mine', { ttl: 'session' });
    await set(other, 'theirs', { ttl: 'session' });
    const keys = async () => {
      const { structuredContent } = await other.client.callTool({
        name: 'nudge_query',
        arguments: { component },
      });
      const hints: { key: string }[] = Object(structuredContent).hints;
      return hints.map(({ key }) => key).sort();
    };
    expect(await keys()).toEqual(['lasting', 'mine', 'theirs']);
    await one.transport.terminateSession();
    await vi.waitFor(async () => expect(await keys()).toEqual(['lasting', 'theirs']), LONG);
    await one.client.close();
    await other.client.close();
  });

  it('the client of the SDK lists, calls and ends its session', async () => {
    const { client, transport } = await sdkClient(url());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('recall');
    const listed = await client.callTool({ name: 'list', arguments: { limit: 1 } });
    expect(listed.structuredContent).toMatchObject({ memories: expect.any(Array) });
    const { sessionId } = transport;
    await transport.terminateSession();
    await client.close();
    const late = await postTo(url(), toolCall(1, 'list'), { 'mcp-session-id': String(sessionId) });
    expect([late.status, JSON.parse(late.text).error.code]).toEqual([404, -32_001]);
  });

  it('names the request in the answer to one that has no session', async () => {
    const idIn = async (body: unknown, headers: Record<string, string> = {}) =>
      JSON.parse((await postTo(url(), body, headers)).text).id;
    expect(await idIn(toolCall(7, 'list'))).toBe(7);
    expect(await idIn({ jsonrpc: '2.0', id: 'a', method: 'ping' })).toBe('a');
    expect(await idIn(toolCall(8, 'list'), { 'mcp-session-id': derivedId('nobody') })).toBe(8);
    // Of a notification and of a batch nobody knows which one is meant.
    expect(await idIn({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeNull();
    expect(await idIn([toolCall(9, 'list')])).toBeNull();
  });

  it('agrees on a version that both know, or offers the newest', async () => {
    for (const [asked, agreed] of [
      ['2024-11-05', '2024-11-05'],
      ['2025-06-18', '2025-06-18'],
      ['1999-01-01', LATEST_PROTOCOL_VERSION],
    ] as const) {
      const answer = await postTo(url(), initialize(asked));
      expect(answer.messages).toMatchObject([
        { id: 'init', result: { protocolVersion: agreed, serverInfo: { name: 'cue' } } },
      ]);
    }
    const session = await rawSession(url());
    const wrong = await session.post(toolCall(1, 'list'), { 'mcp-protocol-version': '1999-01-01' });
    expect([wrong.status, JSON.parse(wrong.text).error.code]).toEqual([400, -32_000]);
  });

  it('refuses what is not for it, and begins no session by that', async () => {
    const session = await rawSession(url());
    const { headers } = session;
    const before = mcp.sessions;
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const unknown = { 'mcp-session-id': derivedId('nobody') };
    const refused = async (answer: Promise<OpenAnswer>) => (await whole(answer)).status;
    expect({
      unknownPost: await refused(postTo(url(), ping, unknown)),
      unknownGet: await refused(session.events(unknown)),
      unknownDelete: await refused(session.end(unknown)),
      noSession: await refused(postTo(url(), ping)),
      noSessionGet: await refused(send('GET', url(), { headers: { accept: 'text/event-stream' } })),
      acceptPost: await refused(postTo(url(), initialize(), { accept: 'application/json' })),
      acceptGet: await refused(session.events({ accept: 'application/json' })),
      batchOfInitialize: await refused(postTo(url(), [initialize(), ping])),
      secondInitialize: await refused(session.post(initialize())),
      noMessage: await refused(session.post({ hello: 'world' })),
      tooDeep: await refused(
        send('POST', url(), {
          headers: { accept: ACCEPT, ...JSON_TYPE, ...headers },
          text: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(9_999)}${']'.repeat(9_999)}}}`,
        }),
      ),
      text: await refused(
        send('POST', url(), {
          headers: { accept: ACCEPT, 'content-type': 'text/plain', ...headers },
          text: JSON.stringify(ping),
        }),
      ),
      version: await refused(session.post(ping, { 'mcp-protocol-version': '2999-01-01' })),
      versionGet: await refused(session.events({ 'mcp-protocol-version': '2999-01-01' })),
      versionDelete: await refused(session.end({ 'mcp-protocol-version': '2999-01-01' })),
      noType: await refused(session.post(ping, { 'content-type': 'application/jsonx' })),
      anyType: await refused(session.post(ping, { accept: '*/*' })),
    }).toEqual({
      ...{ unknownPost: 404, unknownGet: 404, unknownDelete: 404 },
      ...{ noSession: 400, noSessionGet: 400, acceptPost: 406, acceptGet: 406 },
      ...{ batchOfInitialize: 400, secondInitialize: 400, noMessage: 400, tooDeep: 400 },
      ...{ text: 415, noType: 415, anyType: 406 },
      ...{ version: 400, versionGet: 400, versionDelete: 400 },
    });
    expect(mcp.sessions).toBe(before);
    expect((await session.ask('ping')).result).toEqual({});
  });

  it('refuses other websites and names that point here', async () => {
    const before = mcp.sessions;
    const body = initialize();
    const headers = { accept: ACCEPT };
    const others: Headers[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: 'evil.example' },
      { host: 'localhost.evil.example', origin: 'http://localhost.evil.example' },
    ];
    for (const wrong of others) {
      const answer = await call('POST', url(), { body, headers: { ...headers, ...wrong } });
      expect([answer.status, errorOf(answer).code]).toEqual([403, 'PERMISSION_DENIED']);
    }
    expect(mcp.sessions).toBe(before);
  });

  it('answers the methods of the protocol, and each of a batch', async () => {
    const session = await rawSession(url(), { version: '2025-03-26' });
    expect((await session.ask('ping')).result).toEqual({});
    expect(await session.ask('no/such')).toMatchObject({ error: { code: -32_601 } });
    expect(await session.ask('tools/call', { name: 1 })).toMatchObject({
      error: { code: -32_602 },
    });
    const byPosition = { jsonrpc: '2.0', id: 'a', method: 'tools/call', params: [1] };
    expect(JSON.parse((await session.post(byPosition)).text)).toEqual({
      ...{ jsonrpc: '2.0', id: 'a' },
      error: { code: -32_602, message: 'params must be an object' },
    });
    expect(await session.ask('resources/read', { uri: 'cue://no' })).toMatchObject({
      error: { code: -32_002, data: { code: 'NOT_FOUND' } },
    });
    const note = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
    const answer = { jsonrpc: '2.0', id: 'never asked', result: {} };
    const quiet = await session.post([note, answer]);
    expect([quiet.status, quiet.text]).toEqual([202, '']);
    const batch = await session.post([
      toolCall(1, 'list', { limit: 1 }),
      note,
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ]);
    expect(batch.messages.map(({ id }) => id).sort()).toEqual([1, 2]);
    const tooMany = Array.from({ length: 101 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'ping',
    }));
    expect((await session.post(tooMany)).status).toBe(400);
  });

  it('pages through lists', async () => {
    await grouped(7);
    const { client, transport } = await sdkClient(url());
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = { own: false, limit: 20, ...(cursor === undefined ? {} : { cursor }) };
      const { structuredContent } = await client.callTool({ name: 'list', arguments: page });
      const { memories, next_cursor } = Object(structuredContent);
      seen.push(...memories.map((one: { memory_id: string }) => one.memory_id));
      cursor = next_cursor ?? undefined;
    } while (cursor !== undefined && seen.length < 1_000);
    const { total } = await memory.list({ own: false, limit: 1 }, OPERATOR);
    expect(total).toBeGreaterThan(20);
    expect([seen.length, new Set(seen).size]).toEqual([total, total]);
    await expect(client.listResources({ cursor: 'no cursor' })).rejects.toMatchObject({
      code: -32_602,
    });
    await transport.terminateSession();
    await client.close();
  });

  it('tells how far a long call is', async () => {
    await grouped(4);
    const session = await rawSession(url());
    const answer = await session.post(
      toolCall(7, 'create_chapter', {}, { progressToken: 'token of mine' }),
    );
    // From none of them to all, and the answer.
    const total = answer.messages.length - 2;
    expect(total).toBeGreaterThanOrEqual(4);
    const progressToken = 'token of mine';
    expect(answer.messages).toMatchObject([
      ...Array.from({ length: total + 1 }, (_, progress) => ({
        ...{ method: 'notifications/progress', params: { progressToken, progress, total } },
      })),
      { id: 7, result: { structuredContent: { created: total } } },
    ]);
    const unasked = await session.post(toolCall(8, 'create_chapter'));
    expect(unasked.messages).toHaveLength(1);
  });

  it('ends the work of a call that is cancelled, without an answer', async () => {
    await grouped(16);
    const before = await chapters();
    const session = await rawSession(url());
    const long = await session.begin(toolCall(7, 'create_chapter', {}, { progressToken: 'long' }));
    await arrived(long, 1);
    const params = { requestId: 7, reason: 'no longer wanted' };
    const said = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
    expect((await session.post(said)).status).toBe(202);
    await long.ended;
    expect(long.messages.filter(({ id }) => id === 7)).toEqual([]);
    expect((await session.ask('ping')).result).toEqual({});
    const made = (await chapters()) - before;
    expect(made).toBeLessThan(16);
    // Whoever asks for the rest learns that there is none.
    await nothingFollows(session, long);
    // Of something that was never asked, or is done: nothing happens.
    for (const requestId of ['ask', 'never']) {
      const other = { ...said, params: { requestId } };
      expect((await session.post(other)).status).toBe(202);
    }
    expect((await chapters()) - before).toBe(made);
    await session.post(toolCall(9, 'create_chapter'));
  });

  it('ends the work of a call whose session is ended', async () => {
    await grouped(16);
    const before = await chapters();
    const session = await rawSession(url());
    const long = await session.begin(toolCall(7, 'create_chapter', {}, { progressToken: 'long' }));
    await arrived(long, 1);
    expect((await session.end()).status).toBe(200);
    await long.ended;
    expect(long.messages.filter(({ id }) => id === 7)).toEqual([]);
    expect((await chapters()) - before).toBeLessThan(16);
    const other = await rawSession(url());
    await other.post(toolCall(9, 'create_chapter'));
    expect((await chapters()) - before).toBe(16);
    await other.end();
  });

  it('gives what was missed of an answer that broke, exactly once', async () => {
    await grouped(12);
    const session = await rawSession(url());
    const begun = await session.begin(toolCall(7, 'create_chapter', {}, { progressToken: 'long' }));
    await arrived(begun, 2);
    begun.cut();
    await begun.ended;
    const last = begun.events.at(-1)?.id;
    const rest = await whole(session.events({ 'last-event-id': String(last) }));
    expect(told([...begun.messages, ...rest.messages])).toEqual([
      ...Array.from({ length: 13 }, (_, step) => step),
      7,
    ]);
    const ids = [...begun.events, ...rest.events].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    await nothingFollows(session, rest);
  });

  it('begins each stream with an id to come again with, in the version that the session agreed on', async () => {
    const session = await rawSession(url());
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const older = { 'mcp-protocol-version': '2025-03-26' };
    expect(primed(await session.post(ping))).toBe(true);
    expect(primed(await session.post(ping, older))).toBe(true);
    const first = await session.events();
    await vi.waitFor(() => expect(primed(first)).toBe(true), LONG);
    first.cut();
    await first.ended;
    const missed = await offered(session.id);
    const last = { 'last-event-id': String(first.events.at(-1)?.id) };
    const again = await vi.waitFor(async () => {
      const opened = await session.events(last);
      expect(opened.status).toBe(200);
      return opened;
    }, LONG);
    await arrived(again, 1);
    expect(noticed(again)).toEqual([missed]);
    again.cut();
    await session.end();

    const old = await rawSession(url(), { version: '2025-06-18' });
    const answer = await old.post({ jsonrpc: '2.0', id: 1, method: 'no/such' });
    expect(answer.text.startsWith('event: message')).toBe(true);
    const rest = await whole(old.events({ 'last-event-id': String(answer.events.at(-1)?.id) }));
    expect([rest.status, rest.text]).toEqual([204, '']);
    await old.end();
  });

  it('tells what the client missed while its stream was broken, exactly once', async () => {
    const session = await rawSession(url());
    const first = await session.events();
    expect([first.status, first.headers['content-type']]).toEqual([200, 'text/event-stream']);
    const second = await whole(session.events());
    expect(second.status).toBe(409);
    const ids = [await offered(session.id)];
    await arrived(first, 1);
    first.cut();
    await first.ended;
    ids.push(await offered(session.id), await offered(session.id));
    const last = { 'last-event-id': String(first.events.at(-1)?.id) };
    // Whose socket has gone is known when the system says so.
    const again = await vi.waitFor(async () => {
      const opened = await session.events(last);
      expect(opened.status).toBe(200);
      return opened;
    }, LONG);
    await arrived(again, 2);
    expect((await whole(session.events(last))).status).toBe(409);
    ids.push(await offered(session.id));
    await arrived(again, 3);
    expect(noticed(first)).toEqual(ids.slice(0, 1));
    expect(noticed(again)).toEqual(ids.slice(1));
    const other = await rawSession(url());
    const others = (await other.begin({ jsonrpc: '2.0', id: 1, method: 'ping' })).events;
    await vi.waitFor(() => expect(others.length).toBeGreaterThan(0), LONG);
    for (const foreign of ['nobody-s', String(others[0]?.id)]) {
      const unknown = await whole(session.events({ 'last-event-id': foreign }));
      expect([unknown.status, unknown.messages]).toEqual([400, []]);
    }
    await other.end();
    expect((await session.end()).status).toBe(200);
    await again.ended;
    expect((await whole(session.events())).status).toBe(404);
  });

  it('keeps the level of messages that the client asks for', async () => {
    const session = await rawSession(url());
    const stream = await session.events();
    expect(await session.ask('logging/setLevel', { level: 'loud' })).toMatchObject({
      error: { code: -32_602 },
    });
    expect((await session.ask('logging/setLevel', { level: 'error' })).result).toEqual({});
    await offered(session.id);
    expect((await session.ask('logging/setLevel', { level: 'debug' })).result).toEqual({});
    const id = await offered(session.id);
    await arrived(stream, 1);
    expect(noticed(stream)).toEqual([id]);
    await session.end();
  });

  it('takes the key of the server, and nothing without it', async () => {
    vi.stubEnv('ELIZA_SERVER_AUTH_TOKEN', 'a-key-of-the-test');
    try {
      const { client, transport } = await sdkClient(url(), { 'x-api-key': 'a-key-of-the-test' });
      expect((await client.listTools()).tools.length).toBeGreaterThan(10);
      const id = { 'mcp-session-id': String(transport.sessionId) };
      expect((await postTo(url(), toolCall(1, 'list'), id)).status).toBe(401);
      const stream = { accept: 'text/event-stream', ...id };
      expect((await whole(send('GET', url(), { headers: stream }))).status).toBe(401);
      expect((await whole(send('DELETE', url(), { headers: id }))).status).toBe(401);
      expect((await client.ping()) as object).toEqual({});
      await transport.terminateSession();
      await client.close();
      const wrong = sdkClient(url(), { 'x-api-key': 'another' });
      await expect(wrong).rejects.toMatchObject({ code: 401 });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('goes on as the session of a connection only with the key of the same person', async () => {
    const named = { 'x-cue-connection': derivedId('connection', door) };
    const draft = {
      intent: { goal: `carry on ${door}` },
      outcome: { success: true, summary: 'ok' },
    };
    const takenOver = async (hello: Record<string, string>) => {
      const [before, after] = [
        await rawSession(url(), { hello }),
        await rawSession(url(), { hello }),
      ];
      const call = (session: RawSession, name: string, input: object) =>
        session.ask('tools/call', { name, arguments: input }).then(({ result }) => Object(result));
      const { structuredContent } = await call(before, 'store', draft);
      const { memory_id } = structuredContent;
      return call(after, 'update_memory', { memory_id, importance: 1 });
    };
    expect(await takenOver(named)).toMatchObject({
      _meta: { 'cue/error': { code: 'PERMISSION_DENIED' } },
    });
    expect(await takenOver({ ...named, 'x-cue-local': localKey() })).toMatchObject({
      structuredContent: { revision: 2 },
    });
  });

  it('believes whose hooks a client has only with the key of the same person', async () => {
    const own = `hooks ${door}`;
    const named = { 'x-cue-session': own };
    const withKey = { 'x-cue-local': localKey() };
    const [keyless, wrongKey, unusable, local] = await Promise.all(
      [
        named,
        { ...named, 'x-cue-local': derivedId('wrong') },
        { ...withKey, 'x-cue-session': own.padEnd(201, '.') },
        { ...withKey, ...named },
      ].map((hello) => rawSession(url(), { hello })),
    );
    const [none, stream] = [await keyless?.events(), await local?.events()];
    const offer_id = await offeredIn(own);
    if (stream) await arrived(stream, 1);
    expect([stream && noticed(stream), none?.messages]).toEqual([[offer_id], []]);
    const dismiss = toolCall(1, 'dismiss_offer', { offer_id });
    for (const session of [keyless, wrongKey, unusable]) {
      const answer = await session?.post(dismiss, { ...withKey, ...named });
      expect(answer?.messages.at(-1)).toMatchObject({
        result: { _meta: { 'cue/error': { code: 'PERMISSION_DENIED' } } },
      });
    }
    const answer = await local?.post(dismiss);
    expect(answer?.messages.at(-1)).toMatchObject({
      result: { structuredContent: { offer: { id: offer_id, state: 'dismissed' } } },
    });
  });

  it('has nothing more to say to a client that comes again after an error', async () => {
    const { client, transport, errors, requests } = await sdkClient(url());
    await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({
      code: -32_602,
    });
    // That of the SDK does, a second after each stream that ends.
    await vi.waitFor(() => expect(requests).toContainEqual(['GET', 204]), LONG);
    const streams = requests.filter(([method]) => method === 'GET').map(([, status]) => status);
    expect(streams.toSorted()).toEqual([200, 200, 204]);
    expect(errors).toEqual([]);
    expect(await client.ping()).toEqual({});
    await transport.terminateSession();
    await client.close();
  });
});

describe('a body that cannot be read', () => {
  const broken = '{"jsonrpc":"2.0","id":1,';
  const headers = { ...JSON_TYPE, accept: ACCEPT };

  it('is answered in the words of the protocol by our own listener', async () => {
    const answer = await call('POST', urls.own, { raw: broken, headers });
    expect([answer.status, answer.body]).toEqual([
      400,
      { jsonrpc: '2.0', id: null, error: expect.objectContaining({ code: -32_700 }) },
    ]);
  });

  it('and as a page by the host, which reads it before us', async () => {
    const answer = await call('POST', urls.host, { raw: broken, headers });
    expect([answer.status, answer.type]).toEqual([400, 'text/html; charset=utf-8']);
  });

  it.each(DOORS)(
    'is no end of the client’s session when it was too large: %s',
    async (_name, door) => {
      const { client, transport } = await sdkClient(urls[door]);
      const intent = 'x'.repeat(2 * 1024 * 1024);
      const outcome = { success: true, summary: 'done' };
      const large = client.callTool({ name: 'store', arguments: { intent, outcome } });
      await expect(large).rejects.toMatchObject({ code: 413 });
      expect(await client.ping()).toEqual({});
      await transport.terminateSession();
      await client.close();
    },
  );
});
