/** With a key set no route of ours answers without it, wherever Eliza serves it; limits of an agent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, errorOf } from '../../helpers/http.js';
import { startServer, type TestServer } from '../../helpers/server.js';

const KEY = 'a-key-of-the-test';
const hourly = { triggerType: 'interval', intervalMs: 3_600_000 };

let server: TestServer;

beforeAll(async () => {
  server = await startServer({
    env: { ELIZA_SERVER_AUTH_TOKEN: KEY },
    settings: { CUE_TRIGGER_MAX_PER_AGENT: '2' },
  });
});
afterAll(() => server.stop());

/** Every route the plugin has given to the runtime, so that a new one cannot be forgotten. */
function everyRoute(): { type: string; path: string }[] {
  return server.runtime.routes
    .filter(({ path }) => path.startsWith('/cue/') && !isPanel(path))
    .map(({ type, path }) => ({
      type,
      path: path.replace(':id', '00000000-0000-4000-8000-000000000000').replace('/*', '/nowhere'),
    }));
}

/** The page without any data, and its assets. */
const isPanel = (path: string) => /\/cue\/panel(\/assets\/:file)?$/.test(path);

describe('with ELIZA_SERVER_AUTH_TOKEN', () => {
  it('has routes to protect', () => {
    expect(everyRoute().length).toBeGreaterThanOrEqual(20);
  });

  it('answers no route without the key or with a wrong one, on any path', async () => {
    const prefixes = ['', '/api', `/api/agents/${server.agentId}/plugins`];
    const wrong: Record<string, string>[] = [
      {},
      { 'x-api-key': 'wrong' },
      { 'x-api-key': `${KEY}x` },
      { authorization: `Bearer ${KEY}` },
      { cookie: `x-api-key=${KEY}` },
    ];
    for (const { type, path } of everyRoute()) {
      for (const prefix of prefixes) {
        for (const headers of wrong) {
          const answer = await call(type, `${server.baseUrl}${prefix}${path}`, {
            headers,
            ...(type === 'GET' || type === 'DELETE' ? {} : { body: {} }),
          });
          expect([type, prefix + path, answer.status]).toEqual([type, prefix + path, 401]);
          expect(answer.text).not.toContain('triggerId');
          // Under /api the host's own check speaks first.
          if (prefix === '') expect(errorOf(answer).code).toBe('UNAUTHENTICATED');
        }
      }
    }
  });

  it('is not talked around by case, slashes or a query', async () => {
    for (const path of [
      '/CUE/triggers',
      '/Cue/Triggers/',
      '/cue/triggers/?x-api-key=a-key-of-the-test',
      `/cue/triggers?agentId=${server.agentId}`,
      '/API/cue/triggers',
      `/api/api/agents/${server.agentId}/plugins/cue/triggers`,
    ]) {
      expect([path, (await call('GET', server.baseUrl + path)).status]).toEqual([path, 401]);
    }
  });

  it('answers with the key on every path', async () => {
    for (const prefix of ['', '/api', `/api/agents/${server.agentId}/plugins`]) {
      const answer = await call('GET', `${server.baseUrl}${prefix}/cue/triggers`, {
        headers: { 'x-api-key': KEY, host: 'cue.example' },
      });
      expect([prefix, answer.status]).toEqual([prefix, 200]);
    }
  });
});

it('answers 429 when the agent is full, and says which items of a batch had no room', async () => {
  const headers = { 'x-api-key': KEY };
  const url = `${server.baseUrl}/cue/triggers`;
  const draft = (instructions: string) => ({ instructions, schedule: hourly });
  const batch = await call('POST', `${url}/batch`, {
    headers,
    body: { triggers: [draft('one'), draft('two'), draft('three')] },
  });
  expect(batch.status).toBe(201);
  expect(batch.body).toMatchObject({
    counts: { created: 2, duplicates: 0, rejected: 1 },
    rejected: [{ index: 2, findings: [{ field: '(limit)' }] }],
  });
  const more = await call('POST', url, { headers, body: draft('four') });
  expect(more.status).toBe(429);
  expect(more.body.error).toMatchObject({ code: 'LIMIT_REACHED', details: { limit: 2, count: 2 } });
  expect((await call('GET', url, { headers })).body.total).toBe(2);
});
