/** What is wrong is named by its field, and nothing of it is created. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, call, errorOf } from '../../helpers/http.js';
import { startServer, type TestServer } from '../../helpers/server.js';
import { cron, fine, hourly, WRONG } from './wrong-drafts.js';

let server: TestServer;
const url = (path: string) => `${server.baseUrl}/cue${path}`;
const listed = async () => (await call('GET', url('/triggers'))).body.total;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

function expectBlame(answer: Answer, fields: string[]): void {
  expect({ status: answer.status, ...errorOf(answer) }).toMatchObject({
    status: 400,
    code: 'INVALID_INPUT',
    fields,
  });
  const { findings } = (answer.body.error as { details: { findings: { message: string }[] } })
    .details;
  expect(findings.every((one) => one.message.length > 3)).toBe(true);
}

describe('creating', () => {
  it.each(WRONG)('refuses %s and creates nothing', async (_name, body, fields) => {
    expectBlame(await call('POST', url('/triggers'), { body }), fields);
    expect(await listed()).toBe(0);
  });

  it('names an inherited-looking field sent as raw JSON', async () => {
    const raw = JSON.stringify(fine).replace('{', '{"__proto__":{"enabled":false},');
    const answer = await call('POST', url('/triggers'), {
      raw,
      headers: { 'content-type': 'application/json' },
    });
    expect([201, 400]).toContain(answer.status);
    expect({}).not.toHaveProperty('enabled');
    if (answer.status === 201) {
      const { id } = answer.body.trigger as { id: string };
      expect(answer.body.trigger).toMatchObject({ enabled: true });
      await call('DELETE', url(`/triggers/${id}`));
    }
  });

  it('refuses the same in a batch, item by item, and creates the good ones', async () => {
    const answer = await call('POST', url('/triggers/batch'), {
      body: { triggers: [...WRONG.map(([, body]) => body), fine, fine] },
    });
    expect(answer.status).toBe(201);
    expect(answer.body.counts).toEqual({ created: 1, duplicates: 1, rejected: WRONG.length });
    const rejected = answer.body.rejected as { index: number; findings: { field: string }[] }[];
    expect(rejected.map((one) => one.findings.map((found) => found.field))).toEqual(
      WRONG.map(([, , fields]) => fields),
    );
    const [made] = answer.body.created as { index: number; id: string }[];
    expect(made?.index).toBe(WRONG.length);
    expect(answer.body.duplicates).toEqual([{ index: WRONG.length + 1, existingId: made?.id }]);
    await call('DELETE', url(`/triggers/${made?.id}`));
    expect(await listed()).toBe(0);
  });
});

describe('changing', () => {
  it.each([
    ['nothing', {}, ['(body)']],
    ['an unknown field', { name: 'x' }, ['name']],
    [
      'fields that are not to be changed',
      { runCount: 0, triggerId: 'x' },
      ['runCount', 'triggerId'],
    ],
    ['a bad schedule', { schedule: cron('nope') }, ['schedule.cronExpression']],
    ['text and schedule', { schedule: hourly, text: 'every day at 9' }, ['text']],
    ['an unreadable text', { text: 'gibberish' }, ['text']],
    ['an unknown zone', { timezone: 'Mars/Olympus' }, ['timezone']],
    ['a snooze into the past', { snoozeUntil: '2020-01-01T00:00:00Z' }, ['snoozeUntil']],
    ['a snooze that is no time', { snoozeUntil: 'later' }, ['snoozeUntil']],
    [
      'a snooze beside another field',
      { snoozeUntil: '2099-01-01T00:00:00Z', enabled: true },
      ['snoozeUntil'],
    ],
    ['a skip that is none', { skipNext: false }, ['skipNext']],
    ['a skip beside another field', { skipNext: true, displayName: 'x' }, ['skipNext']],
    [
      'a room that does not exist',
      { deliverTo: { roomId: '00000000-0000-4000-8000-00000000dead' } },
      ['deliverTo.roomId'],
    ],
  ])('refuses %s and changes nothing', async (_name, body, fields) => {
    const { trigger } = (await call('POST', url('/triggers'), { body: fine })).body;
    const { id } = trigger as { id: string };
    expectBlame(await call('PUT', url(`/triggers/${id}`), { body }), fields);
    expect((await call('GET', url(`/triggers/${id}`))).body.trigger).toEqual(trigger);
    await call('DELETE', url(`/triggers/${id}`));
  });
});

describe('asking', () => {
  it.each([
    ['/triggers?limit=0', ['limit']],
    ['/triggers?limit=501', ['limit']],
    ['/triggers?limit=ten', ['limit']],
    ['/triggers?limit=2&limit=3', ['limit']],
    ['/triggers?limt=5', ['limt']],
    ['/triggers?state=sleeping', ['state']],
    ['/triggers?q=%00', ['q']],
    ['/triggers?creatorEntityId=me', ['creatorEntityId']],
    ['/triggers?cursor=abc', ['cursor']],
    [
      `/triggers?cursor=${Buffer.from('{"createdAtMs":1e300,"id":"00000000-0000-4000-8000-000000000000"}').toString('base64url')}`,
      ['cursor'],
    ],
    ['/triggers/00000000-0000-4000-8000-000000000000/runs?cursor=x', ['cursor']],
    ['/autonomy?verbose=1', ['verbose']],
  ])('refuses GET %s', async (path, fields) => {
    const answer = await call('GET', url(path));
    expectBlame(answer, fields);
  });

  it.each([['20001'], ['-1'], ['1.5'], ['soon']])('refuses to wait %s ms', async (waitMs) => {
    const id = '00000000-0000-4000-8000-000000000000';
    expectBlame(await call('POST', url(`/triggers/${id}/execute?waitMs=${waitMs}`)), ['waitMs']);
  });

  it('refuses a preview of what could not be created', async () => {
    for (const [body, fields] of [
      [{ schedule: cron('61 * * * *') }, ['schedule.cronExpression']],
      [{ text: 'gibberish' }, ['text']],
      [{}, ['text']],
      [{ schedule: hourly, instructions: 'x' }, ['instructions']],
    ] as const) {
      expectBlame(await call('POST', url('/triggers/preview'), { body }), [...fields]);
    }
  });
});

describe('bodies', () => {
  const noBody: [string, Parameters<typeof call>[2]][] = [
    ['no body', {}],
    [
      'another content type',
      { raw: JSON.stringify(fine), headers: { 'content-type': 'text/plain' } },
    ],
    [
      'a form',
      { raw: 'instructions=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
  ];
  it.each(noBody)('%s is 400 on every route that wants one', async (_name, options) => {
    for (const [method, path] of [
      ['POST', '/triggers'],
      ['POST', '/triggers/batch'],
      ['POST', '/triggers/import'],
      ['POST', '/triggers/preview'],
      ['POST', '/autonomy'],
      ['PUT', '/triggers/00000000-0000-4000-8000-000000000000'],
    ] as const) {
      expectBlame(await call(method, url(path), options), ['(body)']);
    }
    expect(await listed()).toBe(0);
  });

  it('what is nested too deep is 400', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const headers = { 'content-type': 'application/json' };
    for (const path of ['/triggers', '/events']) {
      const answer = await call('POST', url(path), { raw: `{"type":${deep}}`, headers });
      expectBlame(answer, ['(body)']);
    }
  });

  it('more than 10,000 items are 413', async () => {
    const triggers = Array(10_001).fill(1);
    for (const path of ['/triggers/batch', '/triggers/import']) {
      const answer = await call('POST', url(path), { body: { triggers } });
      expect([answer.status, errorOf(answer).code]).toEqual([413, 'TOO_LARGE']);
    }
  });

  // These two never reach a plugin: the host answers them itself, so clients must survive both forms.
  it.each([
    ['malformed JSON', '{"instructions": ', 400],
    ['a body over 2 MB', JSON.stringify({ ...fine, instructions: 'x'.repeat(2_100_000) }), 413],
  ])(
    '%s is answered by the host: HTML at the root, a JSON 500 under /api',
    async (_n, raw, status) => {
      const headers = { 'content-type': 'application/json' };
      const atRoot = await call('POST', url('/triggers'), { raw, headers });
      expect([atRoot.status, atRoot.type]).toEqual([status, 'text/html; charset=utf-8']);
      const underApi = await call('POST', `${server.baseUrl}/api/cue/triggers`, { raw, headers });
      expect([underApi.status, underApi.body.success]).toEqual([500, false]);
      expect(await listed()).toBe(0);
    },
  );
});

describe('who asks, without a key', () => {
  it('is refused when another website asks, whatever the method', async () => {
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { host: 'evil.example' },
      { host: 'evil.example', origin: 'http://evil.example' },
    ];
    for (const headers of foreign) {
      for (const [method, path] of [
        ['GET', '/triggers'],
        ['POST', '/triggers'],
        ['POST', '/autonomy'],
      ] as const) {
        const answer = await call(method, url(path), { headers });
        expect([answer.status, errorOf(answer).code]).toEqual([403, 'PERMISSION_DENIED']);
      }
    }
    const own = await call('GET', url('/triggers'), { headers: { origin: server.baseUrl } });
    expect(own.status).toBe(200);
  });

  it('is answered by the agent that was meant, or 404', async () => {
    const other = '00000000-0000-4000-8000-000000000000';
    const api = `${server.baseUrl}/api`;
    const status = async (where: string) => (await call('GET', where)).status;
    expect(await status(url(`/triggers?agentId=${server.agentId}`))).toBe(200);
    expect(await status(url('/triggers?agentId='))).toBe(404);
    expect(await status(`${api}/agents/${server.agentId}/plugins/cue/triggers`)).toBe(200);
    expect(await status(`${api}/agents/${other}/plugins/cue/triggers`)).toBe(404);
    // The host answers these before any plugin: an agent it does not have, and no id at all.
    expect(await status(`${api}/cue/triggers?agentId=${other}`)).toBe(404);
    expect(await status(`${api}/cue/triggers?agentId=nobody`)).toBe(400);
  });

  it('is told in JSON about routes that do not exist', async () => {
    for (const [method, path] of [
      ['GET', '/nope'],
      ['PATCH', '/triggers'],
      ['DELETE', '/triggers'],
      ['POST', '/triggers/a/b/c'],
    ] as const) {
      const answer = await call(method, url(path));
      expect([answer.status, errorOf(answer).code]).toEqual([404, 'NOT_FOUND']);
    }
  });
});
