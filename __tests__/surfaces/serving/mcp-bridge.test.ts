/** MCP between a client at standard input and whoever serves, also when that changes. */
import { afterEach, describe, expect, it } from 'vitest';
import { resumableRequest, type SseEvent, sseReader } from '../../../src/server/mcp-exchange.js';
import { isLocalKey, localKey } from '../../../src/surfaces/mcp-client.js';
import {
  answerWith,
  type Behaviour,
  bridgeTo,
  connected,
  endFakes,
  event,
  events,
  fakeMcp,
  HELLO,
} from './mcp-stage.js';
import { until } from './stage.js';

afterEach(endFakes);

const call = (name: string, args: object = {}) => ({ name, arguments: args });
const dying =
  (name: string): Behaviour =>
  ({ message }, answer) => {
    if (message.params?.name !== name) return false;
    answer.destroy();
    return true;
  };
const unknown = {
  result: {
    isError: true,
    content: [{ type: 'text', text: expect.stringMatching(/^UNAVAILABLE: .*may have been/) }],
    _meta: { 'cue/error': { code: 'UNAVAILABLE', details: { carried_out: 'unknown' } } },
  },
};

describe('a client', () => {
  it('is answered by the server itself, as a process of the same person', async () => {
    const server = await fakeMcp();
    const { ask } = await connected(server, [], 'all');
    expect(await ask('tools/call', call('list'))).toEqual({
      ...{ jsonrpc: '2.0', id: 2 },
      result: { by: server.identity.sessionId, params: call('list') },
    });
    await until('its stream is open', () => server.streams.length === 1);
    expect(server.methods()).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call list',
    ]);
    expect(server.heard[0]?.headers).toMatchObject({
      'x-cue-local': server.address.localKey,
      'x-cue-tools': 'all',
    });
    const last = server.heard.find(({ message }) => message.method === 'tools/call');
    expect(last?.headers).toMatchObject({
      'mcp-session-id': server.identity.sessionId,
      'mcp-protocol-version': '2025-06-18',
    });
  });

  it('says whose hooks it has, to each server, and only with its key', async () => {
    const [first, next, stranger] = [
      await fakeMcp(dying('list')),
      await fakeMcp(),
      await fakeMcp(),
    ];
    const { ask } = await connected(first, [next], undefined, 'claude-1');
    await ask('tools/call', call('list'));
    for (const { heard } of [first, next]) {
      expect(heard[0]?.headers['x-cue-session']).toBe('claude-1');
    }
    const connections = [first, next].map(({ heard }) => heard[0]?.headers['x-cue-connection']);
    expect(connections).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), connections[0]]);
    const { localKey: _, ...address } = stranger.address;
    await connected({ ...stranger, address }, [], undefined, 'claude-1');
    expect(stranger.heard[0]?.headers).not.toHaveProperty('x-cue-session');
    expect(stranger.heard[0]?.headers).not.toHaveProperty('x-cue-connection');
    const nameless = await fakeMcp();
    await connected(nameless);
    expect(nameless.heard[0]?.headers).not.toHaveProperty('x-cue-session');
  });

  it('gets what is asked next without what takes long being waited for, begun in order', async () => {
    let release = () => {};
    const server = await fakeMcp(({ message }, answer) => {
      if (message.params?.name !== 'slow') return false;
      events(answer);
      release = () => answer.end(event({ jsonrpc: '2.0', id: message.id, result: {} }));
      return true;
    });
    const { ask, lines } = await connected(server);
    const slow = ask('tools/call', call('slow'));
    expect(await ask('tools/call', call('quick'))).toMatchObject({ id: 3 });
    expect(lines.some(({ id }) => id === 2)).toBe(false);
    release();
    expect(await slow).toMatchObject({ id: 2, result: {} });
    expect(server.methods().slice(-2)).toEqual(['tools/call slow', 'tools/call quick']);
  });

  it('hears progress, and answers what the server asks', async () => {
    const progress = { progressToken: 7, progress: 1 };
    const server = await fakeMcp(({ message }, answer) => {
      if (message.method !== 'tools/call') return false;
      events(answer);
      answer.write(event({ method: 'notifications/progress', params: progress, jsonrpc: '2.0' }));
      answer.write(event({ jsonrpc: '2.0', id: 0, method: 'roots/list' }));
      answer.end(event({ jsonrpc: '2.0', id: message.id, result: {} }));
      return true;
    });
    const { ask, say, next } = await connected(server);
    await ask('tools/call', call('list'));
    expect((await next('notifications/progress')).params).toEqual(progress);
    const { id } = await next('roots/list');
    // Its own number could be that of another server.
    expect(id).not.toBe(0);
    say({ jsonrpc: '2.0', id, result: { roots: [] } });
    await until('it is answered', () => server.methods().includes('answer'));
    expect(server.heard.at(-1)?.message).toEqual({ jsonrpc: '2.0', id: 0, result: { roots: [] } });
  });

  it('hears what the server says unasked, also after that stream broke', async () => {
    const server = await fakeMcp();
    const { next, doubted } = await connected(server);
    await until('its stream is open', () => server.streams.length === 1);
    const news = (n: number) => ({ jsonrpc: '2.0' as const, method: `notifications/${n}` });
    server.streams[0]?.end(event(news(1), 41));
    await next('notifications/1');
    await until('it is asked whether the server lives', () => doubted.length === 1);
    await until('it is opened again', () => server.streams.length === 2);
    server.streams[1]?.write(event(news(2), 42));
    await next('notifications/2');
    expect(server.heard.at(-1)?.headers['last-event-id']).toBe('41');
  });

  it('is not listened for where the server says that there is no more to hear', async () => {
    const server = await fakeMcp(({ http }, answer) => {
      if (http !== 'GET') return false;
      if (server.heard.filter((one) => one.http === 'GET').length > 1) {
        answer.writeHead(204).end();
        return true;
      }
      events(answer);
      answer.end(event({ jsonrpc: '2.0', method: 'notifications/1' }, 41));
      return true;
    });
    const { ask, turnTo } = await connected(server);
    const heard = () =>
      server.heard.flatMap(({ http, headers }) =>
        http === 'GET' ? [headers['last-event-id'] ?? 'none'] : [],
      );
    await until('it has asked for more', () => heard().length === 3);
    // Longer than it waits before it asks again.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(heard()).toEqual(['none', '41', 'none']);
    const next = await fakeMcp();
    turnTo(next);
    await ask('tools/call', call('list'));
    await until('the stream of the next one is open', () => next.streams.length === 1);
  });

  it.each([
    ['as JSON', 'application/json', 200],
    ['as an event', 'text/event-stream', 200],
    ['as an error', 'application/json', 500],
  ])('is not gathered an answer of without an end: %s', async (_name, type, status) => {
    const { address } = await fakeMcp((_heard, answer) => {
      answer.writeHead(status, { 'content-type': type });
      answer.write(`id: 1\ndata: ${'x'.repeat(1_000)}`);
      answer.write('x'.repeat(1_000));
      return true;
    });
    const { signal } = new AbortController();
    const request = { jsonrpc: '2.0' as const, id: 1, method: 'tools/list' };
    expect(
      await resumableRequest({ address }, request, { signal, answerBytes: 1_500, onOther() {} }),
    ).toEqual({
      refused: { code: 'TOO_LARGE', message: 'its answer has more than 1500 bytes' },
    });
  });

  it('gets no answer to what it has cancelled', async () => {
    const server = await fakeMcp(({ message }, answer) => {
      if (message.params?.name === 'slow') events(answer);
      return message.params?.name === 'slow';
    });
    const { ask, say, lines } = await connected(server);
    void ask('tools/call', call('slow'));
    await until('it has begun', () => server.methods().includes('tools/call slow'));
    const cancelled = 'notifications/cancelled';
    say({ jsonrpc: '2.0', method: cancelled, params: { requestId: 2, reason: 'enough' } });
    await until('the server knows', () => server.methods().includes(cancelled));
    expect(await ask('tools/call', call('list'))).toMatchObject({ id: 3 });
    expect(lines.map(({ id }) => id)).toEqual([1, 3]);
  });

  it('gets the answer of a stream that broke and is taken up again', async () => {
    let id: string | number | null | undefined;
    const server = await fakeMcp(({ http, message, headers }, answer) => {
      if (headers['last-event-id'] === '5') {
        events(answer);
        answer.end(event({ jsonrpc: '2.0', id, result: { at: 'last' } }, 6));
        return true;
      }
      if (http !== 'POST' || message.method !== 'tools/call') return false;
      id = message.id;
      events(answer);
      answer.end('id: 5\ndata: \n\n');
      return true;
    });
    const { ask } = await connected(server);
    expect(await ask('tools/call', call('store'))).toMatchObject({ result: { at: 'last' } });
    expect(server.methods().filter((one) => one === 'tools/call store')).toHaveLength(1);
  });

  it('is told what the server has against its message, under its own id', async () => {
    const server = await fakeMcp(({ message }, answer) => {
      if (message.method !== 'odd') return false;
      answer
        .writeHead(400)
        .end('{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"},"id":null}');
      return true;
    });
    const { ask } = await connected(server);
    expect(await ask('odd')).toEqual({
      ...{ jsonrpc: '2.0', id: 2 },
      error: { code: -32_600, message: 'no' },
    });
  });

  it('must begin with initialize, and is told what is no message; ping needs nobody', async () => {
    const { ask, say, lines } = bridgeTo(await fakeMcp());
    expect(await ask('ping')).toMatchObject({ result: {} });
    expect(await ask('tools/list')).toMatchObject({ error: { code: -32_600 } });
    say([]);
    say({ id: 9 });
    say({ jsonrpc: '1.0', id: 8, method: 'ping' });
    say({ jsonrpc: '2.0', id: null, method: 'ping' });
    say({ jsonrpc: '2.0', id: {}, method: 'ping' });
    say({ jsonrpc: '2.0', id: 7, method: 5 });
    say([{ jsonrpc: '2.0', id: 'a', method: 'ping' }, [], 5]);
    await until('all is answered', () => lines.length === 9);
    expect(lines.slice(2)).toMatchObject([
      ...[null, 9, 8, null, null, 7].map((id) => ({ id, error: { code: -32_600 } })),
      [
        { id: 'a', result: {} },
        { id: null, error: { code: -32_600 } },
        { id: null, error: { code: -32_600 } },
      ],
    ]);
  });

  it('may say plain calls of nudge beside it', async () => {
    const server = await fakeMcp(({ message }, answer) => {
      if (message.method !== 'nudge.query') return false;
      answerWith(answer, message.id, { plain: true });
      return true;
    });
    const { ask, say, lines } = await connected(server);
    expect(await ask('nudge.query')).toMatchObject({ result: { plain: true } });
    say([{ jsonrpc: '2.0', id: 'n', method: 'nudge.query' }]);
    await until('it is answered', () => lines.length === 3);
  });

  it('is answered at the end, and the session is left', async () => {
    const server = await fakeMcp(({ message }, answer) => {
      if (message.params?.name === 'slow') events(answer);
      return message.params?.name === 'slow';
    });
    const { ask, bridge, close } = await connected(server);
    const answers = [ask('tools/call', call('slow')), ask('tools/list')];
    await answers[1];
    const closed = close();
    bridge.giveUp();
    expect(await answers[0]).toMatchObject(unknown);
    await closed;
    expect(server.heard.at(-1)).toMatchObject({ http: 'DELETE' });
  });
});

describe('while nobody serves yet', () => {
  it('the handshake and the lists are answered at once, and a call by the server that comes', async () => {
    const { ask, say, next, turnTo } = bridgeTo(null);
    const { result } = await ask('initialize', HELLO);
    expect(result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'cue' } });
    say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const called = ask('tools/call', call('list'));
    const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
    for (const list of lists) expect(await ask(list)).toHaveProperty('result');
    const server = await fakeMcp();
    turnTo(server);
    expect((await called).result).toMatchObject({ by: server.identity.sessionId });
    expect(server.methods().slice(0, 2)).toEqual(['initialize', 'notifications/initialized']);
    // Its own are others, and the list of resources had no memories.
    await next('notifications/tools/list_changed');
    await next('notifications/resources/list_changed');
    expect((await ask('tools/list')).result?.tools).toHaveLength(3);
  });

  it('a client that says all at once is answered in order', async () => {
    const { say, lines, turnTo } = bridgeTo(null);
    const message = (id: number, method: string, params = {}) =>
      say({ jsonrpc: '2.0', id, method, params });
    message(1, 'initialize', HELLO);
    say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    message(2, 'tools/call', call('list'));
    const server = await fakeMcp();
    turnTo(server);
    await until('both are answered', () => lines.filter(({ id }) => id).length === 2);
    expect(lines.map(({ id }) => id).filter(Boolean)).toEqual([1, 2]);
  });

  it('each call is answered with the cause once it is known why nobody will', async () => {
    const { ask, bridge } = bridgeTo(null);
    await ask('initialize', HELLO);
    const waits = ask('tools/call', call('list'));
    bridge.giveUp('the database is damaged');
    const failure = {
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(/^UNAVAILABLE: .*is damaged$/) }],
    };
    expect((await waits).result).toMatchObject(failure);
    expect((await ask('tools/call', call('list'))).result).toMatchObject(failure);
    expect((await ask('tools/list')).result).toHaveProperty('tools');
  });
});

describe('when the server dies', () => {
  it('the next one is told all that the client has said, and the client notices nothing', async () => {
    const first = await fakeMcp(({ message }, answer) => {
      if (message.params?.name !== 'identity') return false;
      const structuredContent = { agent_id: 'me', resume_token: 'secret' };
      answerWith(answer, message.id, { content: [], structuredContent });
      return true;
    });
    const second = await fakeMcp();
    const { ask, turnTo, lines } = await connected(first);
    await ask('tools/call', call('identity', { action: 'register', name: 'x' }));
    await ask('logging/setLevel', { level: 'warning' });
    await ask('resources/subscribe', { uri: 'cue://offers' });
    await ask('resources/subscribe', { uri: 'cue://when' });
    await ask('resources/unsubscribe', { uri: 'cue://when' });
    await first.die();
    turnTo(null);
    const held = ask('tools/call', call('store', { v: 1 }));
    turnTo(second);
    expect(await held).toMatchObject({ result: { by: second.identity.sessionId } });
    await until('its stream is open', () => second.streams.length === 1);
    const [hello] = second.heard;
    expect(hello?.message.params).toEqual(HELLO);
    expect(second.methods()).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call identity',
      'logging/setLevel',
      'resources/subscribe',
      'tools/call store',
    ]);
    expect(second.heard.map(({ message }) => message.params)).toEqual(
      expect.arrayContaining([
        {
          ...call('identity', { action: 'resume', agent_id: 'me', resume_token: 'secret' }),
          // What waits for the client must not ride in an answer that it is not given.
          _meta: { 'cue/offers': false },
        },
        { level: 'warning' },
        { uri: 'cue://offers' },
      ]),
    );
    expect(lines.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('a client that asks nothing hears the next one', async () => {
    const first = await fakeMcp();
    const second = await fakeMcp();
    const { turnTo, next } = await connected(first);
    await until('its stream is open', () => first.streams.length === 1);
    first.streams[0]?.write(event({ jsonrpc: '2.0', id: 3, method: 'roots/list' }));
    const { id } = await next('roots/list');
    await first.die();
    turnTo(null);
    turnTo(second);
    // Nobody waits for that answer any more.
    expect((await next('notifications/cancelled')).params).toMatchObject({ requestId: id });
    await until('its stream is open', () => second.streams.length === 1);
    second.streams[0]?.write(event({ jsonrpc: '2.0', method: 'notifications/message' }));
    await next('notifications/message');
  });

  it.each([
    ['list', {}],
    ['nudge.set_hint', {}],
  ])('a call that may be made twice is made again: %s', async (name, args) => {
    const next = await fakeMcp();
    const { ask } = await connected(await fakeMcp(dying(name)), [next]);
    expect(await ask('tools/call', call(name, args))).toMatchObject({
      result: { by: next.identity.sessionId },
    });
  });

  it.each([
    ['store', {}],
    ['nudge_set_hint', { if_match_version: 1 }],
    ['of another version', {}],
  ])('a call that may not is answered with what is known of it: %s', async (name, args) => {
    const next = await fakeMcp();
    const { ask } = await connected(await fakeMcp(dying(name)), [next]);
    expect(await ask('tools/call', call(name, args))).toMatchObject(unknown);
    expect(next.methods()).not.toContain(`tools/call ${name}`);
    expect(await ask('tools/call', call('list'))).toMatchObject({ result: {} });
  });

  it('a call does not end one server after the other', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => fakeMcp(dying('list'))));
    const [first, ...after] = all;
    if (!first) throw new Error('no server');
    const { ask } = await connected(first, after);
    expect(await ask('tools/call', call('list'))).toMatchObject(unknown);
    expect(all[3]?.methods()).not.toContain('tools/call list');
  });

  it('a client that has listed the tools is told when they are others', async () => {
    const other = await fakeMcp(({ message }, answer) => {
      if (message.method !== 'tools/list') return false;
      answerWith(answer, message.id, { tools: [] });
      return true;
    });
    const { ask, turnTo, lines, next } = await connected(await fakeMcp());
    await ask('tools/list');
    turnTo(await fakeMcp());
    await ask('tools/call', call('list'));
    expect(lines.map(({ method }) => method)).toEqual([undefined, undefined, undefined]);
    turnTo(other);
    await next('notifications/tools/list_changed');
  });

  it('one that speaks another version is not spoken to', async () => {
    const { ask, turnTo } = await connected(await fakeMcp());
    turnTo(await fakeMcp(undefined, '2099-01-01'));
    expect(await ask('resources/list')).toMatchObject({
      error: { code: -32_050, message: expect.stringContaining('speaks 2099-01-01 of MCP') },
    });
  });
});

describe('when the server hangs', () => {
  const hanging =
    (name: string): Behaviour =>
    ({ message }) =>
      message.params?.name === name || message.method === name;

  it('a call that may be made twice is made when somebody answers again, in the same session', async () => {
    const server = await fakeMcp(hanging('list'));
    const { ask, turnTo, say } = await connected(server);
    const asked = ask('tools/call', call('list'));
    await until('the server has it', () => server.methods().includes('tools/call list'));
    turnTo(null, server);
    const held = ask('tools/call', call('store'));
    say({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    server.behaviour = () => false;
    turnTo({ ...server });
    expect(await asked).toMatchObject({ result: { by: server.identity.sessionId } });
    expect(await held).toMatchObject({ result: { by: server.identity.sessionId } });
    await until('it knows', () => server.methods().includes('notifications/roots/list_changed'));
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(1);
  });

  it('a call that may not is answered with who does not answer, and what to do', async () => {
    const server = await fakeMcp(hanging('store'));
    const { ask, turnTo } = await connected(server);
    await ask('tools/list');
    const asked = ask('tools/call', call('store'));
    await until('the server has it', () => server.methods().includes('tools/call store'));
    turnTo(null, server);
    const answer = await asked;
    expect(answer).toMatchObject({
      result: { ...unknown.result, content: expect.anything() },
    });
    expect(JSON.stringify(answer)).toContain(
      `the server (process ${server.identity.pid}, port ${server.port}) has the call, and does not answer: ` +
        'wait until it goes on, or end it (',
    );
  });

  it('neither a handshake nor what needs no answer keeps what comes next', async () => {
    const server = await fakeMcp();
    const next = await fakeMcp(hanging('logging/setLevel'));
    const last = await fakeMcp();
    const { ask, say, turnTo } = await connected(server);
    await ask('logging/setLevel', { level: 'warning' });
    server.behaviour = hanging('notifications/x');
    say({ jsonrpc: '2.0', method: 'notifications/x' });
    await until('it hangs', () => server.methods().includes('notifications/x'));
    const asked = ask('tools/call', call('list'));
    turnTo(null, server);
    turnTo(next);
    await until('the next hangs, too', () => next.methods().includes('logging/setLevel'));
    turnTo(null, next);
    turnTo(last);
    expect(await asked).toMatchObject({ result: { by: last.identity.sessionId } });
  });
});

it('a session that the server knows no more is begun anew, and the call made there', async () => {
  let isForgotten = false;
  const server = await fakeMcp(({ message }, answer) => {
    if (!isForgotten || message.method !== 'tools/call') return false;
    isForgotten = false;
    const error = { code: -32_001, message: 'no such session' };
    answer.writeHead(404).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    return true;
  });
  const { ask } = await connected(server);
  await ask('tools/call', call('list'));
  isForgotten = true;
  expect(await ask('tools/call', call('store'))).toMatchObject({ result: {} });
  expect(server.methods().filter((one) => one === 'initialize')).toHaveLength(2);
});

it('only the key itself proves a process of the same person', () => {
  const key = localKey();
  expect(localKey()).toBe(key);
  expect([key, `${key}x`, '', undefined].map(isLocalKey)).toEqual([true, false, false, false]);
});

it('reads events however they come in pieces', () => {
  const read: SseEvent[] = [];
  const take = sseReader((one) => read.push(one));
  const text =
    'id: 1\r\ndata: a\r\ndata:  ü\r\n\r\n: nothing\n\nevent: end\rdata\r\rid: 2\ndata: x\n\n';
  for (const byte of Buffer.from(text)) take(Buffer.from([byte]));
  expect(read.filter(({ data, name }) => data !== '' || name !== 'message')).toEqual([
    { id: '1', name: 'message', data: 'a\n ü' },
    { id: '1', name: 'end', data: '' },
    { id: '2', name: 'message', data: 'x' },
  ]);
});
