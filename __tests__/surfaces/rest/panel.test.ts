/** The page of the panel on a real server with a key: who gets it, its headers, the tab of the host's UI. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SETTING_KEYS } from '../../../src/settings.js';
import { type Listener, startListener } from '../../../src/surfaces/rest/listener.js';
import { call, errorOf } from '../../helpers/http.js';
import { startServer, type TestServer } from '../../helpers/server.js';

const KEY = 'a-key-of-the-panel';
const PAGE = '<!doctype html><script type="module" src="/cue/panel/assets/index-1a2b.js"></script>';
const SCRIPT = 'document.title = "Cue";';

const folder = mkdtempSync(join(tmpdir(), 'cue-panel-'));
let server: TestServer;
let listener: Listener;

beforeAll(async () => {
  server = await startServer({
    env: { ELIZA_SERVER_AUTH_TOKEN: KEY },
    settings: { CUE_TRIGGER_MAX_PER_CREATOR: '50', CUE_SUMMARIES: 'extractive' },
    cue: { panelFolder: folder },
  });
  listener = await startListener({ runtime: server.runtime, port: 0 });
});
afterAll(async () => {
  await listener.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Status, headers and text; `path` goes out as it is, dots and all. */
function fetched(path: string, port = Number(new URL(server.baseUrl).port)) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>(
    (resolve, reject) => {
      get({ host: '127.0.0.1', port, path, agent: false }, async (answer) => {
        let text = '';
        for await (const chunk of answer) text += String(chunk);
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
      }).on('error', reject);
    },
  );
}

describe('the panel', () => {
  it('that is not built says how to build it', async () => {
    const answer = await call('GET', `${server.baseUrl}/cue/panel`);
    expect(errorOf(answer)).toMatchObject({
      code: 'NOT_FOUND',
      message: 'the panel is not built: run npm run build',
    });
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'assets', 'index-1a2b.js'), SCRIPT);
    writeFileSync(join(folder, 'assets', 'index-1a2b.css'), 'a{}');
    writeFileSync(join(folder, 'secret.txt'), 'beside the page');
    writeFileSync(join(folder, 'index.html'), PAGE);
  });

  it('is there without the key, and nothing can run in it but its own scripts', async () => {
    const { status, headers, text } = await fetched(`/cue/panel?agentId=${server.agentId}`);
    expect([status, text]).toEqual([200, PAGE]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it('gives its assets by name, to be kept for ever, with their own types', async () => {
    const script = await fetched('/cue/panel/assets/index-1a2b.js');
    expect([script.status, script.text]).toEqual([200, SCRIPT]);
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    const style = await fetched('/cue/panel/assets/index-1a2b.css');
    expect(style.headers['content-type']).toBe('text/css; charset=utf-8');
  });

  it('gives no other file', async () => {
    for (const name of [
      ...['..%2Fsecret.txt', '..%2f..%2fetc%2fpasswd', '%2e%2e', '.', 'index.html', 'toString'],
      ...['index-1a2b.js%00', 'INDEX-1A2B.JS', '..%5csecret.txt'],
    ]) {
      const answer = await fetched(`/cue/panel/assets/${name}`);
      expect([name, answer.status]).toEqual([name, 404]);
      expect(answer.text).not.toContain('beside the page');
    }
  });

  it('is a tab of the web UI, whose address leads a browser where no key is wanted', async () => {
    const { body } = await call('GET', `${server.baseUrl}/api/agents/${server.agentId}/panels`, {
      headers: { 'x-api-key': KEY },
    });
    const [{ name, path }, ...others] = body.data as [{ name: string; path: string }];
    expect([name, others]).toEqual(['Cue', []]);
    const { pathname, search } = new URL(path, server.baseUrl);
    expect(pathname + search).toBe(`/cue/panel?agentId=${server.agentId}`);
    expect((await fetched(pathname + search)).text).toBe(PAGE);
  });

  it('is served below /api, too, to whom has the key', async () => {
    const path = `${server.baseUrl}/api/agents/${server.agentId}/plugins/cue/panel`;
    expect((await call('GET', path)).status).toBe(401);
    expect(await call('GET', path, { headers: { 'x-api-key': KEY } })).toMatchObject({
      status: 200,
      text: PAGE,
    });
  });

  it('is served by a listener of our own, too', async () => {
    const page = await fetched('/cue/panel', listener.port);
    expect([page.text, page.headers['content-type']]).toEqual([PAGE, 'text/html; charset=utf-8']);
    expect((await fetched('/cue/panel/assets/index-1a2b.js', listener.port)).text).toBe(SCRIPT);
  });

  it('of another agent is not here', async () => {
    const other = '00000000-0000-4000-8000-000000000009';
    expect((await fetched(`/cue/panel?agentId=${other}`, listener.port)).status).toBe(404);
  });
});

describe('GET /cue/settings', () => {
  it('says what is set and what serves, to whom has the key, and who is connected', async () => {
    const headers = { 'x-api-key': KEY };
    expect((await call('GET', `${server.baseUrl}/cue/settings`)).status).toBe(401);
    const initialize = {
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'coder', version: '1' },
      },
    };
    const tell = (message: object, session: Record<string, string> = {}) =>
      fetch(`${server.baseUrl}/cue/mcp`, {
        method: 'POST',
        headers: {
          ...{ ...headers, ...session, 'content-type': 'application/json' },
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(message),
      });
    const begun = await tell(initialize);
    await begun.text();
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    await tell({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
    const { status, body, text } = await call('GET', `${server.baseUrl}/cue/settings`, { headers });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      agent: { id: server.agentId, name: 'Cue Server Test' },
      project: null,
      embedder: { serving: { dimension: 384 } },
      models: { TEXT_EMBEDDING: expect.any(String), TEXT_LARGE: expect.any(String) },
      clients: [{ name: 'coder', kind: 'mcp', isLocal: false, identityId: null }],
    });
    const settings = body.settings as { name: string }[];
    expect(settings.map(({ name }) => name)).toEqual([...SETTING_KEYS]);
    expect(settings.find(({ name }) => name === 'CUE_TIMEZONE')).toEqual({
      name: 'CUE_TIMEZONE',
      value: 'UTC',
      description: expect.stringContaining('IANA'),
      isDefault: false,
    });
    // Set by nobody, and set to what holds anyway.
    for (const name of ['CUE_CAPTURE', 'CUE_TRIGGER_MAX_PER_CREATOR', 'CUE_SUMMARIES']) {
      expect(settings.find((one) => one.name === name)).toMatchObject({ isDefault: true });
    }
    expect(settings.find(({ name }) => name === 'CUE_CAPTURE')).toMatchObject({ value: true });
    expect(text).not.toContain(KEY);
  });
});
