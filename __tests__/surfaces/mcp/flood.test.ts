/** Many clients at once, and clients that vanish: all are answered, and nothing of them stays. */
import { once } from 'node:events';
import { Agent as Connections, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { RouteResponse } from '@elizaos/core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { WorkMemoryService } from '../../../src/memory/index.js';
import type { ProactiveService } from '../../../src/proactive/index.js';
import { randomIds } from '../../../src/shared/ids.js';
import { hostLog } from '../../../src/shared/log.js';
import { createMcpHub } from '../../../src/surfaces/mcp/http/hub.js';
import { CUE_MCP, createMcpServer, McpService } from '../../../src/surfaces/mcp/index.js';
import { type Listener, startListener } from '../../../src/surfaces/rest/listener.js';
import { sendResponse } from '../../../src/surfaces/rest/stream.js';
import { type Agent, boot } from '../../helpers/boot.js';
import { hintsOf } from '../../helpers/hints.js';
import {
  ACCEPT,
  arrived,
  type Headers,
  initialize,
  type Message,
  postTo,
  type RawSession,
  rawSession,
  toolCall,
} from '../../helpers/mcp-http.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';

const OPERATOR = { kind: 'operator' } as const;
const CONNECTIONS = 16;
const ID = 'mcp-session-id';

let agent: Agent;
let listener: Listener;
let memory: WorkMemoryService;
let offers: ProactiveService;
let mcp: McpService;
let url = '';
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', note);
  agent = await boot({ slim: true });
  listener = await startListener({ runtime: agent.runtime, port: 0 });
  url = `http://127.0.0.1:${listener.port}/cue/mcp`;
  memory = await memoryOf(agent.runtime);
  offers = await offersOf(agent.runtime);
  const service = agent.runtime.getService(CUE_MCP);
  if (!(service instanceof McpService)) throw new Error('no MCP service');
  mcp = service;
  const hints = await hintsOf(agent.runtime);
  await hints.setHint({ component: 'mill', key: 'build', value: 'make' }, OPERATOR);
  for (let group = 0; group < 20; group += 1) {
    for (const part of ['first', 'second', 'third']) {
      const outcome = { success: true, summary: 'done' };
      const tags = [`group-${group}`];
      await memory.store({ intent: `The ${part} of group ${group}`, outcome, tags }, OPERATOR);
    }
  }
});
afterEach(() => expect(unhandled).toEqual([]));
afterAll(async () => {
  await listener.close();
  await agent.stop();
  process.off('unhandledRejection', note);
});

/** Posts over a pool of connections that stay open, as a client in a hurry does. */
function pool() {
  const connections = new Connections({ keepAlive: true, maxSockets: CONNECTIONS });
  const post = (session: RawSession, body: Message): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const headers: Headers = {
        ...{ 'content-type': 'application/json', accept: ACCEPT, ...session.headers },
        'content-length': String(Buffer.byteLength(text)),
      };
      const sent = request(url, { method: 'POST', agent: connections, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
        });
      });
      sent.on('error', reject);
      sent.end(text);
    });
  return { post, close: () => connections.destroy() };
}

async function endAll(sessions: readonly RawSession[]): Promise<void> {
  for (const session of sessions) await session.end();
}

describe('a client that vanishes', () => {
  it('in the middle of a call leaves it to its end, and can have the answer later', async () => {
    const before = mcp.sessions;
    const session = await rawSession(url);
    const stream = await session.events();
    const call = await session.begin(toolCall(7, 'create_chapter', {}, { progressToken: 'p' }));
    await arrived(call, 2);
    call.cut();
    stream.cut();
    await vi.waitFor(
      async () => {
        expect((await memory.listChapters({ limit: 1 }, OPERATOR)).total).toBe(20);
      },
      { timeout: 60_000 },
    );
    const { total } = await memory.listChapters({ limit: 1 }, OPERATOR);
    expect([total, mcp.sessions]).toEqual([20, before + 1]);
    const last = { 'last-event-id': String(call.events.at(-1)?.id) };
    const rest = await session.events(last);
    await rest.ended;
    expect(rest.messages.at(-1)).toMatchObject({ id: 7, result: { structuredContent: {} } });
    await session.end();
    expect(mcp.sessions).toBe(before);
  });

  it('leaves no listener and no timer behind, however many come and go', async () => {
    const before = [mcp.sessions, offers.health().subscribers];
    for (let round = 0; round < 20; round += 1) {
      const session = await rawSession(url);
      const stream = await session.events();
      const call = await session.begin(toolCall(1, 'list'));
      call.cut();
      stream.cut();
      await session.end();
    }
    expect([mcp.sessions, offers.health().subscribers]).toEqual(before);
    expect((await postTo(url, initialize())).status).toBe(200);
  });

  it('before its request has come in has asked nothing', async () => {
    const session = await rawSession(url);
    for (let round = 0; round < 20; round += 1) {
      const headers: Headers = {
        ...{ 'content-type': 'application/json', accept: ACCEPT, ...session.headers },
        'content-length': '5000',
      };
      const sent = request(url, { method: 'POST', agent: false, headers });
      const closed = new Promise((resolve) => sent.once('close', resolve));
      sent.on('error', () => {});
      sent.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"store"');
      await new Promise((resolve) => setImmediate(resolve));
      sent.destroy();
      await closed;
    }
    expect((await session.ask('ping')).result).toEqual({});
    expect((await memory.list({ own: false, limit: 1 }, OPERATOR)).total).toBe(60);
    await session.end();
  });
});

describe('a thousand calls at once over sixteen connections', () => {
  const called = (id: number): Message => {
    const goal = `Call ${id} of the flood`;
    switch (id % 10) {
      case 0:
        return toolCall(id, 'store', { intent: { goal }, outcome: { success: true } });
      case 1:
        return toolCall(id, 'recall', { query: `group ${id % 20}`, limit: 2 });
      case 2:
        return toolCall(id, 'list', { own: false, limit: 5 });
      default:
        return toolCall(id, 'nudge_get_hint', { component: 'mill', key: 'build' });
    }
  };

  it('are all answered, each what it asked', async () => {
    const sessions = await Promise.all(Array.from({ length: CONNECTIONS }, () => rawSession(url)));
    const { post, close } = pool();
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, id) => {
        const session = sessions[id % sessions.length];
        if (!session) throw new Error('no session');
        return post(session, called(id));
      }),
    );
    const wrong = answers.filter(
      ({ status, text }, id) =>
        !(status === 200 && text.includes(`"id":${id}}`) && text.includes('"structuredContent":')),
    );
    expect(wrong).toEqual([]);
    const { total } = await memory.list({ own: false, limit: 1 }, OPERATOR);
    expect(total).toBe(160);
    close();
    await endAll(sessions);
  });

  it('leave nothing of themselves in memory once their sessions have ended', async () => {
    const round = async () => {
      const sessions = await Promise.all(
        Array.from({ length: CONNECTIONS }, () => rawSession(url)),
      );
      const { post, close } = pool();
      const calls = sessions.flatMap((session) =>
        Array.from({ length: 5 }, (_, id) => post(session, toolCall(id, 'list', { limit: 5 }))),
      );
      await Promise.all(calls);
      close();
      await endAll(sessions);
    };
    await round();
    const before = heldMb();
    for (let times = 0; times < 3; times += 1) await round();

    expect(heldMb() - before).toBeLessThan(4);
  });
});

/** What the process holds, MB, after what it does not has been collected. */
function heldMb(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('memory cannot be collected');
  for (let times = 0; times < 3; times += 1) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

/** A hub by itself, asked without HTTP; its clock stands until it is told. */
function hubAt(time: { nowMs: number }, sweepMs?: number) {
  const hub = createMcpHub({
    clock: { now: () => time.nowMs },
    ids: randomIds,
    log: hostLog(agent.runtime, 'test'),
    serverOf: (session) => createMcpServer({ runtime: agent.runtime, session }),
    ...(sweepMs === undefined ? {} : { sweepMs }),
  });
  const ask = (method: string, headers: Headers, body?: unknown, isLocal = false) => {
    const given = { 'content-type': 'application/json', accept: ACCEPT, ...headers };
    const asked = new Request('http://cue.invalid/', { method, headers: given });
    return hub.handle(asked, body, { isLocal });
  };
  return {
    hub,
    ask,
    async begin(isLocal = false) {
      const answer = await ask('POST', {}, initialize(), isLocal);
      const { status, headers } = answer;
      return { status, headers, text: await answer.text(), id: headers.get(ID) ?? '' };
    },
    async ping(id: string) {
      const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
      const answer = await ask('POST', { [ID]: id }, body);
      await answer.text();
      return answer.status;
    },
  };
}

describe('more sessions than there is room for', () => {
  it('are refused while all are in use, and end nobody', async () => {
    const time = { nowMs: 0 };
    const { hub, ask, begin, ping } = hubAt(time);
    const listening = await begin();
    const stream = await ask('GET', { [ID]: listening.id });
    const begun: string[] = [];
    for (let count = 0; count < 199; count += 1) begun.push((await begin()).id);
    const [used = '', unused = ''] = begun;
    for (const id of begun) if (id !== unused) expect(await ping(id)).toBe(200);

    const refused = await begin();
    expect([refused.status, refused.headers.get('retry-after'), hub.sessions]).toEqual([
      ...[503, '30', 200],
    ]);
    const message = 'all 200 sessions are in use; end one, or try again in 30 s';
    expect(JSON.parse(refused.text)).toEqual({
      ...{ jsonrpc: '2.0', id: 'init', error: { code: -32_000, message } },
    });
    // Nobody over HTTP shuts the processes of this machine's own person out.
    const local = await begin(true);
    expect([local.status, hub.sessions]).toEqual([200, 201]);
    await hub.handle(
      new Request('http://cue.invalid/', { method: 'DELETE', headers: { [ID]: local.id } }),
      undefined,
      { isLocal: true },
    );
    // One that nobody came back to goes first, and soon.
    time.nowMs += 30_000;
    expect((await begin()).status).toBe(200);
    expect([await ping(unused), await ping(used), hub.sessions]).toEqual([404, 200, 200]);
    // Some minutes later whoever is silent goes; whoever has a stream open stays, an hour later, too.
    time.nowMs += 2 * 3_600_000;
    expect((await begin()).status).toBe(200);
    expect([await ping(used), await ping(listening.id), hub.sessions]).toEqual([404, 200, 2]);
    await stream.body?.cancel();
    time.nowMs += 2 * 3_600_000;
    expect((await begin()).status).toBe(200);
    expect([await ping(listening.id), hub.sessions]).toEqual([404, 1]);
    await hub.close();
  });

  it('are made for whoever has left before the stream began: those are not in use', async () => {
    const time = { nowMs: 0 };
    const { hub, ask, begin, ping } = hubAt(time);
    const ids: string[] = [];
    for (let count = 0; count < 200; count += 1) ids.push((await begin()).id);
    const answered: Promise<void>[] = [];
    const left = createServer((asked, answer) => {
      const late = async () => {
        await once(answer, 'close');
        const express: object = answer;
        await sendResponse(
          express as RouteResponse,
          await ask('GET', { [ID]: String(asked.headers[ID]) }),
        );
      };
      answered.push(late());
      // Nobody waits for it any more.
      asked.socket.destroy();
    });
    left.listen(0, '127.0.0.1');
    await once(left, 'listening');
    const { port } = left.address() as AddressInfo;
    for (const id of ids) {
      const gone = request({ port, host: '127.0.0.1', agent: false, headers: { [ID]: id } });
      gone.end();
      await once(gone, 'error');
    }
    await Promise.all(answered);
    left.close();

    time.nowMs += 2 * 3_600_000;
    expect([(await begin()).status, hub.sessions, await ping(ids[0] ?? '')]).toEqual([200, 1, 404]);
    await hub.close();
  });
});

describe('a session that has been silent for an hour', () => {
  it('ends though nobody begins another, and one that is in use does not', async () => {
    const time = { nowMs: 0 };
    const { hub, ask, begin } = hubAt(time, 5);
    const listening = await begin();
    const stream = await ask('GET', { [ID]: listening.id });
    for (let count = 0; count < 3; count += 1) await begin();
    time.nowMs += 3_600_000;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(hub.sessions).toBe(4);
    time.nowMs += 1;
    await vi.waitFor(() => expect(hub.sessions).toBe(1), { timeout: 60_000 });
    await stream.body?.cancel();
    await hub.close();
  });
});
