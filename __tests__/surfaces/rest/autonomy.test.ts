/** The autonomy routes, on a server whose triggers are switched off. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTONOMY_LOOP_TASK } from '../../../src/autonomy/index.js';
import { call, errorOf } from '../../helpers/http.js';
import { plan } from '../../helpers/scripted-model.js';
import { startServer, type TestServer } from '../../helpers/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ settings: { CUE_TRIGGERS_ENABLED: 'false' } });
});
afterAll(() => server.stop());

const get = (path: string) => call('GET', `${server.baseUrl}/cue${path}`);
const post = (path: string, body: unknown) =>
  call('POST', `${server.baseUrl}/cue${path}`, { body });
const loopTasks = async () =>
  (await server.runtime.getTasksByName(AUTONOMY_LOOP_TASK)).map((t) => t.metadata?.updateInterval);

describe('autonomy', () => {
  it('says how it stands', async () => {
    const { status, body } = await get('/autonomy');
    expect(status).toBe(200);
    expect(body).toMatchObject({ enabled: true, loop: false, intervalMs: 300_000, cycling: false });
  });

  it('switches the loop with its task', async () => {
    const on = await post('/autonomy', { loop: true, intervalMs: 600_000 });
    expect([on.status, on.body.loop, on.body.intervalMs]).toEqual([200, true, 600_000]);
    expect(await loopTasks()).toEqual([600_000]);
    await post('/autonomy', { loop: false });
    expect(await loopTasks()).toEqual([]);
  });

  it('runs a cycle: a thought of its own while the loop is on', async () => {
    server.brain.onLarge = () => plan('', 'IGNORE');
    await post('/autonomy', { loop: true });
    const before = server.brain.calls.length;
    const answer = await post('/autonomy', { runCycle: true });
    expect([answer.status, answer.body.cycle]).toEqual([200, { instructions: 0 }]);
    expect(answer.body.lastCycleAtMs).toEqual(expect.any(Number));
    expect(server.brain.calls.length).toBeGreaterThan(before);
    await post('/autonomy', { loop: false });
  });

  it('does not start a second cycle beside a running one', async () => {
    let finish = () => {};
    server.brain.onLarge = () =>
      new Promise((resolve) => {
        finish = () => resolve(plan('', 'IGNORE'));
      });
    await post('/autonomy', { loop: true });
    const before = server.brain.calls.length;
    const first = post('/autonomy', { runCycle: true });
    await expect.poll(() => server.brain.calls.length).toBeGreaterThan(before);
    const second = await post('/autonomy', { runCycle: true });
    expect([second.status, errorOf(second).code]).toEqual([409, 'CONFLICT']);
    finish();
    expect((await first).status).toBe(200);
    await post('/autonomy', { loop: false });
  });

  it('runs no cycle while it is off', async () => {
    await post('/autonomy', { enabled: false });
    const answer = await post('/autonomy', { runCycle: true });
    expect([answer.status, errorOf(answer).code]).toEqual([503, 'DISABLED']);
    expect((await post('/autonomy', { enabled: true })).body.enabled).toBe(true);
  });

  it.each([
    [{}, ['(body)']],
    [{ intervalMs: 4_999 }, ['intervalMs']],
    [{ intervalMs: 86_400_001 }, ['intervalMs']],
    [{ intervalMs: '60000' }, ['intervalMs']],
    [{ enabled: 'yes', loop: 1 }, ['enabled', 'loop']],
    [{ runCycle: 'now' }, ['runCycle']],
    [{ verbose: true }, ['verbose']],
  ])('refuses %j and changes nothing', async (body, fields) => {
    const before = (await get('/autonomy')).body;
    const answer = await post('/autonomy', body);
    expect([answer.status, errorOf(answer).fields]).toEqual([400, fields]);
    expect((await get('/autonomy')).body).toEqual(before);
  });
});

describe('triggers that are switched off', () => {
  it('answer 503 DISABLED on every route but health', async () => {
    const bodies: Record<string, unknown> = {
      '/cue/triggers': {
        instructions: 'x',
        schedule: { triggerType: 'interval', intervalMs: 60_000 },
      },
      '/cue/triggers/batch': { triggers: [] },
      '/cue/triggers/import': { triggers: [] },
      '/cue/triggers/preview': { text: 'every day at 9' },
      '/cue/triggers/:id': { enabled: false },
    };
    const routes = server.runtime.routes.filter((route) => route.path.startsWith('/cue/triggers'));
    expect(routes.length).toBeGreaterThanOrEqual(13);
    for (const { type, path } of routes) {
      if (path === '/cue/triggers/health') continue;
      const where = server.baseUrl + path.replace(':id', '00000000-0000-4000-8000-000000000000');
      const takesBody = (type === 'POST' || type === 'PUT') && bodies[path] !== undefined;
      const answer = await call(type, where, takesBody ? { body: bodies[path] } : {});
      expect([type, path, answer.status, errorOf(answer).code]).toEqual([
        type,
        path,
        503,
        'DISABLED',
      ]);
    }
  });

  it('still report their health, with the reason', async () => {
    const { status, body } = await get('/triggers/health');
    expect([status, body.enabled]).toEqual([200, false]);
    expect(body.blocked).toContain('CUE_TRIGGERS_ENABLED');
  });
});
