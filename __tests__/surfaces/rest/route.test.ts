/** The one way a route is made: nothing escapes it and nothing private leaves it. */
import type { IAgentRuntime, RouteRequest } from '@elizaos/core';
import { describe, expect, it } from 'vitest';
import { createRoutes } from '../../../src/surfaces/rest/index.js';
import { routeMaker } from '../../../src/surfaces/rest/route.js';
import { WhenService } from '../../../src/when/index.js';

const agentId = 'aaaaaaaa-0000-4000-8000-000000000001';

function stage(services: unknown[] = []) {
  const logged: Record<string, unknown>[] = [];
  const runtime = {
    agentId,
    getServicesByType: () => services,
    logger: { error: (fields: Record<string, unknown>) => logged.push(fields) },
  } as unknown as IAgentRuntime;
  const sent: { status?: number; body?: unknown } = {};
  const response = {
    headersSent: false,
    status(code: number) {
      sent.status = code;
      return this;
    },
    json(body: unknown) {
      sent.body = JSON.parse(JSON.stringify(body));
      return this;
    },
    send() {
      return this;
    },
    end() {
      return this;
    },
    setHeader() {
      return this;
    },
  };
  return { runtime, response, sent, logged };
}

const local: RouteRequest = { headers: { host: 'localhost:3000' } };

describe('a handler that fails', () => {
  for (const [name, handle] of [
    [
      'throws',
      () => {
        throw new Error('secret /etc/passwd');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret /etc/passwd'))],
    ['rejects with no error', () => Promise.reject('secret /etc/passwd')],
  ] as const) {
    it(`answers 500 without the cause, which is logged, when it ${name}`, async () => {
      const { runtime, response, sent, logged } = stage();
      const route = routeMaker({ apiKey: () => undefined })({ type: 'GET', path: '/x', handle });
      await route.handler?.(local, response, runtime);
      expect(sent).toEqual({
        status: 500,
        body: {
          error: {
            code: 'INTERNAL',
            message: 'something went wrong here; the log of the agent has the cause',
            details: {},
          },
        },
      });
      expect(logged[0]).toMatchObject({ route: 'GET /x', error: 'secret /etc/passwd' });
    });
  }

  it('answers 500 when its answer cannot be written as JSON', async () => {
    const { runtime, response, sent } = stage();
    const route = routeMaker({ apiKey: () => undefined })({
      type: 'GET',
      path: '/x',
      handle: async () => ({ status: 200, body: { big: 1n } }),
    });
    await route.handler?.(local, response, runtime);
    expect(sent.status).toBe(500);
  });
});

it('keeps the socket of slow work open longer than the host would', async () => {
  const slow = createRoutes({ apiKey: () => undefined }).filter((route) =>
    /\/(?:batch|import|export)$/.test(route.path),
  );
  expect(slow).toHaveLength(5);
  for (const route of slow) {
    const { runtime, response } = stage();
    let heldMs = 0;
    const express = Object.assign(response, {
      setTimeout: (ms: number) => {
        heldMs = ms;
      },
    });
    await route.handler?.(local, express, runtime);
    expect(heldMs).toBeGreaterThan(60_000);
  }
});

/** Served without any service of ours; health says what is missing. */
const ALWAYS: ReadonlySet<string> = new Set(['/*', '/rpc', '/openapi.json', '/health']);
const isPanel = (path: string) => /\/panel(\/assets\/:file)?$/.test(path);

it('answers 503 on every other route while the services have not started', async () => {
  for (const route of createRoutes({ apiKey: () => undefined })) {
    if (ALWAYS.has(route.path) || isPanel(route.path)) continue;
    const { runtime, response, sent } = stage();
    const bodies: Record<string, unknown> = {
      '/triggers/batch': { triggers: [] },
      '/offers/reset': {},
      '/when/remember': { trigger: 'a', header: 'b', description: 'c' },
      ...Object.fromEntries(
        ['acknowledge', 'dismiss', 'used'].map((how) => [`/offers/:id/${how}`, { reason: 'seen' }]),
      ),
    };
    const body = bodies[route.path] ?? (route.path === '/autonomy' ? { loop: true } : { a: 1 });
    const takesBody =
      ['POST', 'PUT', 'PATCH'].includes(route.type) && !route.path.endsWith('/execute');
    const query = route.path === '/when' ? { query: { q: 'writing mock tests' } } : {};
    await route.handler?.(
      { ...local, ...query, ...(takesBody ? { body } : {}) },
      response,
      runtime,
    );
    expect([route.type, route.path, sent.status]).toEqual([route.type, route.path, 503]);
    expect(sent.body).toMatchObject({ error: { code: 'UNAVAILABLE' } });
  }
});

it('is failing by health while the services have not started, and says which', async () => {
  const route = createRoutes({ apiKey: () => undefined }).find(({ path }) => path === '/health');
  const { runtime, response, sent } = stage();
  await route?.handler?.({ ...local }, response, runtime);
  expect(sent).toMatchObject({
    status: 200,
    body: { status: 'failing', parts: { triggers: { status: 'failing' } } },
  });
});

it('says so in JSON-RPC, where an error has status 200, while the services have not started', async () => {
  const route = createRoutes({ apiKey: () => undefined }).find(({ path }) => path === '/rpc');
  const { runtime, response, sent } = stage();
  const body = { jsonrpc: '2.0', id: 1, method: 'nudge.status' };
  await route?.handler?.({ ...local, body }, response, runtime);
  expect(sent).toEqual({
    status: 200,
    body: {
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32050,
        message: 'the hint service has not started; try again shortly',
        data: { reason: 'UNAVAILABLE', details: {} },
      },
    },
  });
});

it('answers 503 on the routes of /when while there is no index, but for its health and remember, which makes one', async () => {
  for (const route of createRoutes({ apiKey: () => undefined })) {
    if (!route.path.startsWith('/when')) continue;
    if (['/when/health', '/when/remember'].includes(route.path)) continue;
    const { runtime, response, sent } = stage([new WhenService()]);
    const query = route.path === '/when' ? { query: { q: 'writing mock tests' } } : {};
    const body = { trigger: 'a', header: 'b', description: 'c' };
    const isPost = route.type === 'POST';
    await route.handler?.({ ...local, ...query, ...(isPost ? { body } : {}) }, response, runtime);
    expect([route.path, sent]).toEqual([
      route.path,
      {
        status: 503,
        body: {
          error: {
            code: 'DISABLED',
            message:
              'there is no /when index: remember makes one (agents/memory-index.md) in the project of a headless server; any other agent needs CUE_WHEN_INDEX',
            details: {},
          },
        },
      },
    ]);
  }
});
