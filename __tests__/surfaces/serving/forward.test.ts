/** Calls to a server that is there, is not there, or dies while it has them. */
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { LeaderElection, Server } from '../../../src/server/leader-election.js';
import {
  createForwarder,
  deliver,
  type Forwarder,
  type ForwardLimits,
} from '../../../src/server/rpc-forward.js';
import { systemClock } from '../../../src/shared/clock.js';
import { until } from './stage.js';

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

type Behaviour = (text: string, answer: ServerResponse) => void;

interface TestServer extends Server {
  /** Methods in the order in which they came. */
  heard: string[];
}

const ok: Behaviour = (text, answer) => {
  const { id, method } = JSON.parse(text) as { id: number; method: string };
  answer.end(JSON.stringify({ jsonrpc: '2.0', id, result: { method } }));
};
const dies: Behaviour = (_text, answer) => void answer.destroy();

async function serve(behaviour: Behaviour): Promise<TestServer> {
  const heard: string[] = [];
  const server = createServer((request: IncomingMessage, answer) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      heard.push((JSON.parse(text) as { method?: string }).method ?? 'batch');
      behaviour(text, answer);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return serverAt(port, heard);
}

function serverAt(port: number, heard: string[] = []): TestServer {
  return {
    heard,
    role: 'proxy',
    port,
    address: { baseUrl: `http://127.0.0.1:${port}`, path: '/cue/rpc' },
    identity: {
      pid: 1,
      kind: 'headless',
      agentId: 'a',
      agentName: null,
      project: null,
      sessionId: 's',
      database: null,
      status: {},
    },
  };
}

interface Stage {
  forwarder: Forwarder;
  /** Whoever serves from now on. @param silent the one before, which lives on without an answer */
  turnTo(server: Server | null, silent?: Server): void;
  call(method: string, params?: object): Promise<unknown>;
}

/** LeaderElection that go from one server to the next when one is lost, as they are told. */
function stageOf(first: Server | null, after: Server[] = [], limits?: ForwardLimits): Stage {
  let current = first;
  let waiting: ((server: Server) => void)[] = [];
  let listener: Parameters<LeaderElection['onChange']>[0] = () => {};
  const turnTo = (server: Server | null, silent?: Server): void => {
    current = server;
    listener(server, silent);
    if (!server) return;
    for (const tell of waiting) tell(server);
    waiting = [];
  };
  const election: LeaderElection = {
    get current() {
      return current;
    },
    trouble: 'the database is in use',
    looked: Promise.resolve(),
    server: () =>
      current ? Promise.resolve(current) : new Promise((resolve) => void waiting.push(resolve)),
    lost: (server) => {
      if (server === current) turnTo(after.shift() ?? null);
    },
    doubt: () => {},
    onChange: (heard) => {
      listener = heard;
    },
    start: async () => Promise.reject(new Error('not here')),
    close: async () => {},
  };
  const forwarder = createForwarder(election, {
    clock: systemClock,
    ...(limits ? { limits } : {}),
  });
  let id = 0;
  return {
    forwarder,
    turnTo,
    async call(method, params = {}) {
      id += 1;
      const body = { jsonrpc: '2.0', id, method: `nudge.${method}`, params };
      const answer = await forwarder.send(JSON.stringify(body), body);
      return answer === null ? null : (JSON.parse(answer) as unknown);
    },
  };
}

const failed = (carried_out: unknown) => ({
  error: { code: -32050, data: { reason: 'UNAVAILABLE', details: { carried_out } } },
});
const METHODS = ['set_hint', 'get_hint', 'delete_hint', 'query'];

describe('a call', () => {
  it('comes after those before it, though they take longer', async () => {
    const server = await serve((text, answer) =>
      setTimeout(() => ok(text, answer), text.includes('set_hint') ? 80 : 0),
    );
    const { call } = stageOf(server);
    const answers = await Promise.all(METHODS.map((method) => call(method)));
    expect(server.heard).toEqual(METHODS.map((method) => `nudge.${method}`));
    expect(answers).toMatchObject(
      METHODS.map((method) => ({ result: { method: `nudge.${method}` } })),
    );
  });

  it('is held while nobody serves, and keeps its place', async () => {
    const server = await serve(ok);
    const { call, turnTo } = stageOf(null);
    const answers = METHODS.map((method) => call(method));
    await new Promise((resolve) => setTimeout(resolve, 50));
    turnTo(server);
    await Promise.all(answers);
    expect(server.heard).toEqual(METHODS.map((method) => `nudge.${method}`));
  });

  it('is held for so long only, all of them together', async () => {
    const { call } = stageOf(null, [], { held: 10, heldMs: 2_000 });
    const from = performance.now();
    const answers = await Promise.all(METHODS.map((method) => call(method)));
    expect(answers).toMatchObject(METHODS.map(() => failed(false)));
    expect(JSON.stringify(answers[0])).toContain('nobody serves: the database is in use');
    expect(performance.now() - from).toBeLessThan(6_000);
  });

  it('is refused at once when too many are held already', async () => {
    const server = await serve(ok);
    const { call, turnTo } = stageOf(null, [], { held: 2, heldMs: 5_000 });
    const held = ['get_hint', 'set_hint'].map((method) => call(method));
    expect(await call('query')).toMatchObject(failed(false));
    turnTo(server);
    expect(await Promise.all(held)).toMatchObject(held.map(() => ({ result: {} })));
  });

  it('goes to the next server when nobody listens any more', async () => {
    const next = await serve(ok);
    const { call } = stageOf(serverAt(1), [next]);
    expect(await call('bump')).toMatchObject({ result: { method: 'nudge.bump' } });
  });

  it('goes to the next server when another program answers instead', async () => {
    const stranger = await serve((_text, answer) => void answer.end('<html>'));
    const { call } = stageOf(stranger, [await serve(ok)]);
    expect(await call('bump')).toMatchObject({ result: { method: 'nudge.bump' } });
  });

  it('is answered with what the server says against it as a whole', async () => {
    const said =
      '{"error":{"code":"UNAUTHENTICATED","message":"missing or wrong X-API-KEY header"}}';
    const server = await serve((_text, answer) => void answer.writeHead(401).end(said));
    expect(await stageOf(server).call('query')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32001,
        message: 'missing or wrong X-API-KEY header',
        data: { reason: 'UNAUTHENTICATED', details: {} },
      },
    });
  });

  it('that only reads does not wait long for a server that hangs', async () => {
    const server = await serve(() => {});
    const { call } = stageOf(server, [], { held: 10, heldMs: 5_000, readMs: 1_000 });
    const answer = await call('get_hint');
    expect(answer).toMatchObject(failed('unknown'));
    expect(JSON.stringify(answer)).toContain(
      `the server (process 1, port ${server.port}) has the call, and does not answer`,
    );
    expect(server.heard).toEqual(['nudge.get_hint']);
  });

  it('of a server that is found to hang is made again by the next one, or is answered', async () => {
    const server = await serve(() => {});
    const next = await serve(ok);
    const [again, once] = [stageOf(server), stageOf(server)];
    const answers = [again.call('set_hint'), once.call('bump')];
    await until('both are there', () => server.heard.length === 2);
    for (const { turnTo } of [again, once]) turnTo(null, server);
    expect(await answers[1]).toMatchObject(failed('unknown'));
    expect(JSON.stringify(await answers[1])).toMatch(/does not answer: wait until .*, or end it/);
    again.turnTo(next);
    expect(await answers[0]).toMatchObject({ result: { method: 'nudge.set_hint' } });
  });

  it('that changes something is waited for', async () => {
    const server = await serve((text, answer) => setTimeout(() => ok(text, answer), 200));
    const { call } = stageOf(server, [], { held: 10, heldMs: 5_000, readMs: 60 });
    expect(await call('set_hint')).toMatchObject({ result: {} });
  });

  it('is not gathered an answer of without an end', async () => {
    const { address } = await serve((_text, answer) => {
      answer.write('x'.repeat(1_000));
      answer.end('x'.repeat(1_000));
    });
    const { signal } = new AbortController();
    expect(await deliver(address, '{}', signal, { answerBytes: 1_500 })).toEqual({
      refused: { code: 'TOO_LARGE', message: 'its answer has more than 1500 bytes' },
    });
  });

  it('is broken off at the end, with an answer', async () => {
    const server = await serve(() => {});
    const { call, forwarder } = stageOf(server);
    const answers = [call('query'), call('query')];
    await until('one is there', () => server.heard.length === 1);
    forwarder.close('no room on the disk');
    expect(await Promise.all(answers)).toMatchObject([failed('unknown'), failed(false)]);
    expect(await call('query')).toMatchObject({
      error: { message: 'the call was not carried out: no room on the disk' },
    });
  });
});

describe('a call whose server dies while it has it', () => {
  const name = { component: 'api', key: 'build' };
  const set = { ...name, value: 'make' };

  it.each([
    ['get_hint', name],
    ['query', {}],
    ['status', {}],
    ['set_hint', set],
    ['delete_hint', name],
    ['import', { payload: {} }],
  ])('is made again: %s', async (method, params) => {
    const next = await serve(ok);
    expect(await stageOf(await serve(dies), [next]).call(method, params)).toMatchObject({
      result: { method: `nudge.${method}` },
    });
  });

  it.each([
    ['bump', name],
    ['set_hint', { ...set, if_match_version: 2 }],
    ['unheard_of', {}],
  ])('is made at most once: %s %o', async (method, params) => {
    const next = await serve(ok);
    const { call } = stageOf(await serve(dies), [next]);
    expect(await call(method, params)).toMatchObject(failed('unknown'));
    expect(next.heard).toEqual([]);
    expect(await call('query')).toMatchObject({ result: {} });
  });

  it('is made again as a batch only when all of it may be', async () => {
    const read = { jsonrpc: '2.0', id: 1, method: 'nudge.query' };
    const bump = { jsonrpc: '2.0', id: 2, method: 'nudge_bump', params: name };
    const told = { jsonrpc: '2.0', method: 'nudge.set_hint', params: set };
    const answers: Behaviour = (_text, answer) =>
      void answer.end('[{"jsonrpc":"2.0","id":1,"result":{}}]');
    const send = async (body: object[]) => {
      const { forwarder } = stageOf(await serve(dies), [await serve(answers)]);
      return JSON.parse((await forwarder.send(JSON.stringify(body), body)) ?? 'null') as unknown;
    };
    expect(await send([read, told])).toMatchObject([{ id: 1, result: {} }]);
    expect(await send([read, bump, told])).toMatchObject([
      { id: 1, ...failed('unknown') },
      { id: 2, ...failed('unknown') },
    ]);
    expect(await send([told, { ...bump, id: undefined }])).toBeNull();
  });

  it('does not end one server after the other', async () => {
    const all = await Promise.all([serve(dies), serve(dies), serve(dies), serve(dies)]);
    const [first, ...next] = all as [TestServer, ...TestServer[]];
    expect(await stageOf(first, next).call('query')).toMatchObject(failed('unknown'));
    expect(all.map(({ heard }) => heard.length)).toEqual([1, 1, 1, 0]);
  });
});
