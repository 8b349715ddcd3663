/** Offers over the real HTTP server: happenings, what becomes of them, and the stream. */
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeChat } from '../../helpers/boot.js';
import { errorOf } from '../../helpers/http.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';
import { type RestClient, restClient } from '../../helpers/rest.js';
import { startServer, type TestServer } from '../../helpers/server.js';

let server: TestServer;
const rest: RestClient = restClient(() => server);

beforeAll(async () => {
  server = await startServer({
    settings: {
      CUE_DETECTORS: '{"cooldown":{"rate_limit_per_minute":1000,"batch_window_ms":20}}',
    },
  });
  await memoryOf(server.runtime);
  await offersOf(server.runtime);
});
afterAll(() => server.stop());

interface Offer {
  id: string;
  kind: string;
  state: string;
  text: string;
  target: object;
}

/** A failed work on a file of its own; answers with what a plan to repeat it leads to. */
async function failed(path: string): Promise<void> {
  const answer = await rest('POST', '/memories', {
    intent: `Add caching to ${path}`,
    actions: [{ file: path, operation: 'edit' }],
    outcome: { success: false, failure_reason: 'race condition with requests' },
  });
  expect(answer.status).toBe(201);
}
const touch = (filePath: string, more: object = {}) =>
  rest('POST', '/events', { type: 'file_touch', filePath, ...more });
const offersIn = (body: Record<string, unknown>) => body.offers as Offer[];
const BUILD = 'docker compose build router';
const PLANNED = { type: 'action_planned', action: 'build http-proxy' };
async function rpc(method: string, params: object): Promise<Record<string, unknown>> {
  const { body } = await rest('POST', '/rpc', {
    ...{ jsonrpc: '2.0', id: 1, method: `nudge.${method}`, params },
  });
  expect(body.error).toBeUndefined();
  return body.result as Record<string, unknown>;
}

describe('POST /cue/events', () => {
  it('answers with the warning and its offers, which counts as shown', async () => {
    await failed('src/ledger.ts');
    const { status, body } = await rest('POST', '/events', {
      type: 'action_planned',
      action: 'add caching to src/ledger.ts',
      filePath: 'src/ledger.ts',
    });
    expect(status).toBe(201);
    expect(body.warning).toMatchObject({ kind: 'conflictWarning', state: 'shown', target: {} });
    expect(body.text).toContain('Reason: race condition with requests');
    expect(offersIn(body)[0]).toEqual(body.warning);
  });

  it('takes the names of events and fields in snake_case too', async () => {
    await failed('src/snake.ts');
    const { status, body } = await rest('POST', '/events', {
      type: 'CUE_FILE_TOUCH',
      file_path: 'src/snake.ts',
      session_id: 'snake-1',
    });
    expect([status, offersIn(body)[0]?.target]).toEqual([201, { sessionId: 'snake-1' }]);
  });

  it('of a room waits for its next turn, and shows what the person in it may read', async () => {
    const ada = await makeChat(server.runtime, 'rest-offers-ada');
    const bob = await makeChat(server.runtime, 'rest-offers-bob');
    const memory = await memoryOf(server.runtime);
    await memory.store(
      {
        intent: 'Write the will',
        actions: [{ file: 'src/will.ts', operation: 'edit' }],
        outcome: { success: true },
      },
      { kind: 'entity', entityId: ada.entityId, roomId: ada.roomId, private: true },
    );
    const { roomId } = ada;
    const nobody = await touch('src/will.ts', { roomId });
    expect(offersIn(nobody.body)).toEqual([]);
    const owner = await touch('src/will.ts', { roomId, entityId: ada.entityId });
    expect(offersIn(owner.body)).toMatchObject([{ state: 'pending', target: { roomId } }]);
    const stranger = await touch('src/will.ts', { roomId: bob.roomId, entityId: ada.entityId });
    expect([stranger.status, errorOf(stranger).fields]).toEqual([400, ['entityId']]);
  });

  it('of a command that was offered and worked counts for its hint', async () => {
    const named = { component: 'http-proxy', key: 'build' };
    await rpc('set_hint', { ...named, value: BUILD });
    const uses = async () => (await rpc('get_hint', named)).hint;
    const sessionId = 'builder';
    const planned = await rest('POST', '/events', { ...PLANNED, sessionId });
    const [offer] = offersIn(planned.body);
    expect(offer).toMatchObject({ kind: 'hintMatch', state: 'shown' });
    const done = { type: 'action_completed', action: BUILD, sessionId };
    const failure = await rest('POST', '/events', { ...done, success: false, error: 'exit 1' });
    expect([failure.status, await uses()]).toMatchObject([201, { use_count: 0 }]);
    const { action: command, ...others } = done;
    const success = await rest('POST', '/events', { ...others, command, success: true });
    expect([success.status, offersIn(success.body)]).toEqual([201, []]);
    expect(await uses()).toMatchObject({ use_count: 1 });
    expect((await rest('GET', `/offers/${offer?.id}`)).body.offer).toMatchObject({ state: 'used' });
  });

  it('shows nothing of a hint that is forgotten, and a hint set anew like any other', async () => {
    const named = { component: 'http-proxy', key: 'build' };
    await rpc('set_hint', { ...named, value: BUILD });
    const plan = async (sessionId: string) =>
      offersIn((await rest('POST', '/events', { ...PLANNED, sessionId })).body);
    const [offer] = await plan('forgetting-1');
    expect(offer?.text).toContain(BUILD);
    await rpc('delete_hint', named);
    expect((await rest('GET', `/offers/${offer?.id}`)).status).toBe(404);
    const { text } = await rest('GET', '/offers?limit=500');
    expect(text).not.toContain(BUILD);
    expect(await plan('forgetting-2')).toEqual([]);
    await rpc('set_hint', { ...named, value: `${BUILD} --pull` });
    expect((await plan('forgetting-3'))[0]?.text).toContain(`${BUILD} --pull`);
    await rpc('delete_hint', named);
  });

  it('is over when the memory that it warned of succeeded after all', async () => {
    await failed('src/abacus.ts');
    const action = 'add caching to src/abacus.ts';
    const planned = await rest('POST', '/events', { type: 'action_planned', action });
    const [warning] = offersIn(planned.body);
    const found = await rest('GET', '/memories?file=src/abacus.ts');
    const [memory] = found.body.memories as { memory_id: string }[];
    const outcome = { success: true, summary: 'Cached behind a lock' };
    const { status } = await rest('PATCH', `/memories/${memory?.memory_id}`, { outcome });
    await (await offersOf(server.runtime)).settled();
    const { body } = await rest('GET', '/offers?state=expired');
    const offer = offersIn(body).find(({ id }) => id === warning?.id);
    const reason = 'its memory is no failure any more';
    expect([status, offer]).toMatchObject([200, { kind: 'conflictWarning', reason }]);
  });

  it('of the agent itself is of nobody: the person in the room can read what comes of it', async () => {
    await failed('src/itself.ts');
    const { roomId, entityId } = await makeChat(server.runtime, 'rest-offers-eve');
    const { status } = await touch('src/itself.ts', {
      roomId,
      entityId: server.runtime.agentId.toUpperCase(),
    });
    const eve = { kind: 'entity', entityId, roomId, private: true } as const;
    const open = await (await offersOf(server.runtime)).openOffers(roomId, eve);
    expect([status, open.map(({ kind }) => kind)]).toEqual([201, ['fileTouch']]);
  });

  it.each([
    [{}, 'type'],
    [{ type: 'coffee' }, 'type'],
    [{ type: 'file_touch' }, 'filePath'],
    [{ type: 'action_completed', action: 'make' }, 'success'],
    [{ type: 'action_completed', success: true }, 'action'],
    [{ type: 'file_touch', filePath: 'a.ts', entityId: 'ada' }, 'entityId'],
    [
      { type: 'file_touch', filePath: 'a.ts', entityId: '00000000-0000-4000-8000-000000000001' },
      'roomId',
    ],
  ])('refuses %j and names the field', async (body, field) => {
    const answer = await rest('POST', '/events', body);
    expect([answer.status, errorOf(answer).fields]).toEqual([400, [field]]);
  });

  it('is DISABLED while offers are switched off, and lists go on', async () => {
    server.runtime.setSetting('CUE_OFFERS_ENABLED', 'false');
    try {
      const answer = await touch('src/ledger.ts');
      expect([answer.status, errorOf(answer).code]).toEqual([503, 'DISABLED']);
      expect((await rest('GET', '/offers')).status).toBe(200);
      expect((await rest('GET', '/offers/health')).body.enabled).toBe(false);
    } finally {
      server.runtime.setSetting('CUE_OFFERS_ENABLED', 'true');
    }
  });
});

describe('an offer', () => {
  it('is acknowledged with its reason, once, and cannot be dismissed then', async () => {
    await failed('src/once.ts');
    const { body } = await rest('POST', '/events', {
      type: 'action_planned',
      action: 'add caching to src/once.ts',
      filePath: 'src/once.ts',
    });
    const { id } = body.warning as Offer;
    const done = await rest('POST', `/offers/${id}/acknowledge`, { reason: 'a lock is there' });
    expect(done.body.offer).toMatchObject({ state: 'acknowledged', reason: 'a lock is there' });
    expect((await rest('POST', `/offers/${id}/acknowledge`)).status).toBe(200);
    const late = await rest('POST', `/offers/${id}/dismiss`);
    expect([late.status, errorOf(late).code]).toEqual([409, 'CONFLICT']);
    const again = await rest('POST', '/events', {
      type: 'action_planned',
      action: 'add caching to src/once.ts',
      filePath: 'src/once.ts',
    });
    expect(again.body.warning).toBeNull();
  });

  it('is not found by an id that nobody has, whatever is asked of it', async () => {
    const path = '/offers/00000000-0000-4000-8000-00000000000f';
    for (const [method, end] of [
      ['GET', ''],
      ['POST', '/acknowledge'],
      ['POST', '/dismiss'],
      ['POST', '/used'],
    ] as const) {
      const answer = await rest(method, path + end);
      expect([answer.status, errorOf(answer).code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('takes a reason of 500 characters, and none that cannot be stored', async () => {
    await failed('src/reason.ts');
    const { id } = offersIn((await touch('src/reason.ts')).body)[0] as Offer;
    for (const reason of ['x'.repeat(501), 'a\u0000b', 7]) {
      const answer = await rest('POST', `/offers/${id}/dismiss`, { reason });
      expect([answer.status, errorOf(answer).fields]).toEqual([400, ['reason']]);
    }
    const reason = 'y'.repeat(500);
    const { body } = await rest('POST', `/offers/${id}/dismiss`, { reason });
    expect(body.offer).toMatchObject({ state: 'dismissed', reason });
  });

  it('is listed by kind, state and session', async () => {
    await failed('src/listed.ts');
    await touch('src/listed.ts', { sessionId: 'list-1', agentId: 'coder' });
    const count = async (query: string) => (await rest('GET', `/offers?${query}`)).body.total;
    expect(await count('sessionId=list-1')).toBe(1);
    expect(await count('sessionId=list-1&kind=fileTouch&state=shown&forAgentId=coder')).toBe(1);
    expect(await count('sessionId=list-1&forAgentId=writer')).toBe(0);
    expect(await count('sessionId=list-1&kind=intentMatch')).toBe(0);
  });

  it.each([
    'offers?kind=alert',
    'offers?state=new',
    'offers?roomId=7',
    'offers?deliver=maybe',
    'offers?limit=0',
    'offers?cursor=nonsense',
    'offers?unknown=1',
    'offers/stats?since=yesterday',
    'offers/decisions?limit=201',
    'offers/stream?deliver=1',
  ])('is not asked for by /cue/%s', async (path) => {
    const answer = await rest('GET', `/${path}`);
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'INVALID_INPUT']);
  });
});

describe('what was learned', () => {
  it('is in the stats until it is reset, of one kind or of all', async () => {
    // What became of the offers of other tests is written behind.
    await (await offersOf(server.runtime)).settled();
    await rest('POST', '/offers/reset');
    await failed('src/tides.ts');
    const [offer] = offersIn((await touch('src/tides.ts')).body);
    await rest('POST', `/offers/${offer?.id}/dismiss`);
    const learned = async () => (await rest('GET', '/offers/stats')).body.learned;
    const counts = { used: 0, acknowledged: 0, dismissed: 1, expired: 0 };
    const nothing = { shift: 0, intervalMs: 0, because: null };
    const known = { fileTouch: { sinceMs: expect.any(Number), ...counts, ...nothing } };
    expect(await learned()).toEqual(known);
    const other = await rest('POST', '/offers/reset', { kind: 'hintMatch' });
    expect([other.status, other.body]).toEqual([200, { learned: known }]);
    const reset = await rest('POST', '/offers/reset', { kind: 'fileTouch' });
    expect(reset.body).toEqual({ learned: {} });
    expect(await learned()).toEqual({});
    expect((await rest('POST', '/offers/reset', { kind: 'coffee' })).status).toBe(400);
  });
});

describe('GET /cue/offers/stream', () => {
  function listen(query: string) {
    const seen = { text: '', closed: false };
    const started = new Promise<IncomingMessage>((resolve, reject) => {
      get(`${server.baseUrl}/cue/offers/stream?${query}`, { agent: false }, (answer) => {
        answer.on('data', (chunk) => {
          seen.text += String(chunk);
        });
        answer.on('error', () => undefined);
        answer.once('data', () => resolve(answer));
      }).on('error', reject);
    });
    return { seen, started };
  }
  const eventsOf = (text: string) =>
    [...text.matchAll(/^event: (\w+)\nid: (\S+)\ndata: (.+)\n\n/gm)].map(([, type, id, data]) => ({
      type,
      id,
      data: JSON.parse(data ?? '{}') as { offer: Offer; from?: string },
    }));

  it('pushes offers and their changes to each client that they concern', async () => {
    await failed('src/streamed.ts');
    const mine = listen('sessionId=stream-1');
    const other = listen('sessionId=stream-2');
    const answers = await Promise.all([mine.started, other.started]);
    expect(answers[0]?.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect((await rest('GET', '/offers/health')).body.subscribers).toBe(2);
    const { body } = await touch('src/streamed.ts', { sessionId: 'stream-1' });
    const { id } = offersIn(body)[0] as Offer;
    // What an earlier test has led to may come now, and concerns everybody.
    const aboutIt = ({ seen }: typeof mine) => eventsOf(seen.text).filter((one) => one.id === id);
    await expect.poll(() => aboutIt(mine).length).toBe(1);
    await rest('POST', `/offers/${id}/used`);
    await expect
      .poll(() => aboutIt(mine).map(({ type, data }) => [type, data.offer.state]))
      .toEqual([
        ['offer', 'shown'],
        ['state', 'used'],
      ]);
    expect(aboutIt(other)).toEqual([]);
    for (const answer of answers) answer.destroy();
    await expect.poll(async () => (await rest('GET', '/offers/health')).body.subscribers).toBe(0);
  });
});
