/**
 * The scenarios A to E of the specification (`nudge.md` §7) from end to end: a real agent on a real
 * database, developers at the command line, agents over JSON-RPC, and a restart.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hintType } from '../../src/hints/index.js';
import { unlockOf } from '../../src/host/directory-lock.js';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/clock.js';
import { type Listener, startListener } from '../../src/surfaces/rest/listener.js';
import { type Agent, boot, startedServices } from '../helpers/boot.js';
import { hintsOf } from '../helpers/hints.js';
import { call } from '../helpers/http.js';
import { memoryOf } from '../helpers/memory.js';
import { OPERATOR } from '../hints/hint-room.js';
import { makeStage, type Stage } from '../surfaces/cli/nudge/nudge.js';

type Fields = Record<string, unknown>;

const home = mkdtempSync(join(tmpdir(), 'cue-nudge-e2e-'));
const START = Date.UTC(2026, 0, 31, 12);
let nowMs = START;
let agent: Agent;
let listener: Listener;
let developer: Stage;

async function start(port: number, migrated: boolean): Promise<void> {
  agent = await boot({
    dataDir: join(home, 'db'),
    slim: true,
    migrated,
    cue: { clock: { now: () => nowMs } },
  });
  await startedServices(agent.runtime);
  listener = await startListener({ runtime: agent.runtime, port });
}

async function stop(): Promise<void> {
  await listener.close();
  await agent.stop();
  // As if its process had ended: it would hold the lock until then.
  unlockOf(agent.runtime);
}

beforeAll(async () => {
  await start(0, false);
  developer = makeStage({ port: listener.port, room: { now: () => nowMs } });
});
afterEach(async () => {
  await ask('import', {
    payload: { schema_version: '1.0', components: {} },
    mode: 'replace',
  });
});
afterAll(async () => {
  await stop();
  developer.remove();
  rmSync(home, { recursive: true, force: true });
});

const rest = (method: string, path: string, body?: unknown) =>
  call(method, `http://127.0.0.1:${listener.port}/cue${path}`, body === undefined ? {} : { body });

const rpc = async (method: string, params: object): Promise<Fields> =>
  (await rest('POST', '/rpc', { jsonrpc: '2.0', id: 1, method: `nudge.${method}`, params })).body;

/** What a coding agent gets over JSON-RPC. */
async function ask(method: string, params: object = {}): Promise<Fields> {
  const { result, error } = await rpc(method, params);
  if (error) throw new Error(JSON.stringify(error));
  return result as Fields;
}

/** What a developer gets, whose command must succeed. */
async function nudge(...argv: string[]): Promise<string> {
  const { code, out, err } = await developer.nudge(...argv);
  // Beside the result it may say how long a hint lives.
  expect({ code, err: err.replace(/^kept until the serving process ends .*\n$/, '') }).toEqual({
    code: 0,
    err: '',
  });
  return out;
}

const CWD = '/srv/minerva/http-proxy';
const COMMAND = 'docker compose build router';
const BUILD = { component: 'http-proxy', key: 'build' };

describe('A: a warm start', () => {
  const context = { cwd: CWD, branch: 'dev', os: 'linux' };

  it('gives the agent the command with why it fits, and higher once it has helped', async () => {
    await nudge(
      ...['set', 'http-proxy', 'build', COMMAND, '--type', 'command', '--shell', 'bash'],
      ...['--reason', 'custom router image', '--tags', 'build,docker', '--priority', '7'],
      ...['--confidence', '0.8', '--ttl', 'session', '--scope-cwd-glob', '**/http-proxy*'],
      ...['--scope-branch', 'dev,main', '--scope-os', 'linux,darwin'],
    );
    const at = new Date(START).toISOString();
    const hint = {
      value: { type: 'command', shell: 'bash', cmd: COMMAND },
      meta: {
        reason: 'custom router image',
        tags: ['build', 'docker'],
        priority: 7,
        confidence: 0.8,
        ttl: 'session',
        scope: { cwd_glob: ['**/http-proxy*'], branch: ['dev', 'main'], os: ['darwin', 'linux'] },
      },
      version: 1,
      created_at: at,
      updated_at: at,
      use_count: 0,
    };
    const reasons = ['cwd matched **/http-proxy*', 'branch=dev allowed', 'os=linux allowed'];
    expect(await ask('get_hint', { ...BUILD, context })).toEqual({
      hint,
      // 0.2 × 7/10 + 0.2 × 0.8 + 0.2 × 3/6 + 0.1 × 1
      match_explain: { matched: true, score: 0.5, reasons },
    });

    // It ran the command, and that worked.
    const used = { ...hint, use_count: 1, last_used_at: at };
    expect(await ask('bump', { ...BUILD, context, delta: 1 })).toEqual({ hint: used });
    nowMs += 3 * MINUTE_MS;
    expect(await ask('get_hint', { ...BUILD, context })).toEqual({
      hint: used,
      match_explain: {
        matched: true,
        score: 0.6,
        reasons: [...reasons, 'recently used (3m ago)'],
      },
    });
  });
});

describe('B: a build error', () => {
  const context = { cwd: CWD, os: 'linux' };
  const put = (key: string, value: string, meta: object) =>
    ask('set_hint', { component: 'http-proxy', key, value, meta });

  async function known(): Promise<void> {
    const scope = { cwd_glob: ['**/http-proxy*'], os: ['linux'] };
    await put('build', COMMAND, { tags: ['build', 'docker'], priority: 7, scope });
    await put('clean', 'make clean', { tags: ['build'], priority: 2 });
    await put('pack', 'nmake pack', { tags: ['build'], priority: 10, scope: { os: ['windows'] } });
    await put('run', 'docker compose up router', { tags: ['run'], priority: 10 });
  }

  it('is answered with what is tagged so, the likely command first, which rises by its use', async () => {
    await known();
    const found = async () => {
      const params = { component: 'http-proxy', tags: ['build'], context, limit: 3 };
      const { hints } = await ask('query', params);
      return (hints as { key: string; score: number; match_explain: Fields }[]).map(
        ({ key, score, match_explain }) => [key, score, match_explain.reasons],
      );
    };
    const why = ['cwd matched **/http-proxy*', 'os=linux allowed'];
    // 0.2 × 7/10 + 0.2 × 0.5 + 0.2 × 2/6 + 0.1 × 1, and 0.2 × 2/10 + 0.2 × 0.5 + 0.1 × 1
    expect(await found()).toEqual([
      ['build', 0.407, why],
      ['clean', 0.24, ['fits everywhere']],
    ]);
    await ask('bump', { ...BUILD, context });
    expect(await found()).toEqual([
      ['build', 0.507, [...why, 'recently used (just now)']],
      ['clean', 0.24, ['fits everywhere']],
    ]);
  });

  it('brings an offer, which a success with it turns into a use', async () => {
    await known();
    const happened = async (action: string, more: object) => {
      const event = { type: 'action_completed', action, sessionId: 'coder', cwd: CWD, ...more };
      const { status, body } = await rest('POST', '/events', event);
      expect(status).toBe(201);
      return body as { offers: { id: string; kind: string; state: string }[]; text: string };
    };
    const uses = async () => {
      const { hint } = await ask('get_hint', { ...BUILD, context });
      return (hint as { use_count: number }).use_count;
    };

    const failed = await happened('npm run build', {
      success: false,
      error: 'service router not found',
    });
    expect(failed.offers).toMatchObject([{ kind: 'hintMatch', state: 'shown' }]);
    expect(failed.text).toContain(`http-proxy/build: \`${COMMAND}\``);
    expect(await uses()).toBe(0);

    expect((await happened(COMMAND, { success: true })).offers).toEqual([]);
    expect(await uses()).toBe(1);
    const { body } = await rest('GET', `/offers/${failed.offers[0]?.id}`);
    expect(body.offer).toMatchObject({ state: 'used' });
  });
});

describe('C: paths of two systems', () => {
  it('are set by two developers, and each agent gets its own', async () => {
    const key = ['http-proxy', 'directory'];
    const directory = { component: 'http-proxy', key: 'directory' };
    await nudge('set', ...key, 'c:\\code\\http-proxy', '--scope-os', 'windows');
    await nudge('set', ...key, '/Users/dev/code/http-proxy', '--scope-os', 'darwin');
    // The one who comes back to change theirs changes nothing for the other.
    await nudge('set', ...key, 'd:\\code\\http-proxy', '--scope-os', 'windows');

    const on = async (os: string) => {
      const { hint, match_explain } = await ask('get_hint', { ...directory, context: { os } });
      const { value, version } = (hint ?? {}) as Fields;
      return { value, version, reasons: (match_explain as Fields).reasons };
    };
    expect(await on('windows')).toEqual({
      value: 'd:\\code\\http-proxy',
      version: 2,
      reasons: ['os=windows allowed'],
    });
    expect(await on('darwin')).toEqual({
      value: '/Users/dev/code/http-proxy',
      version: 1,
      reasons: ['os=darwin allowed'],
    });
    expect((await on('linux')).value).toBeUndefined();
    // `--json` is the result that an agent gets, whole.
    for (const os of ['windows', 'darwin']) {
      const context = { cwd: developer.root, os, env: {} };
      const asked = await ask('get_hint', { ...directory, context });
      expect(JSON.parse(await nudge('get', ...key, '--os', os, '--json'))).toEqual(asked);
    }
    expect(await developer.nudge('get', ...key, '--os', 'linux')).toMatchObject({
      code: 3,
      out: '',
    });
  });
});

describe('D: a toggle for two hours', () => {
  const TOGGLE = { component: 'api', key: 'env.FEATURE_X' };
  const context = { branch: 'hotfix/login' };
  const rows = async () => {
    const { checks } = await memoryOf(agent.runtime);
    const { records } = await checks.store.list(hintType, OPERATOR, { limit: 10 });
    return records.map(({ text }) => text);
  };

  it('is there until its end, then nowhere, and the sweep takes its row', async () => {
    const meta = { ttl: 'PT2H', tags: ['env', 'test'], scope: { branch: ['hotfix/*'] } };
    await ask('set_hint', { ...TOGGLE, value: '1', meta });
    await ask('set_hint', { component: 'web', key: 'build', value: 'make' });
    nowMs += 2 * HOUR_MS - 1;
    expect(await ask('get_hint', { ...TOGGLE, context })).toMatchObject({
      hint: { value: '1' },
      match_explain: { matched: true, reasons: ['branch=hotfix/login matched hotfix/*'] },
    });
    expect(await ask('get_hint', { ...TOGGLE, context: { branch: 'main' } })).toMatchObject({
      hint: null,
    });
    expect(await rows()).toEqual(['api/env.FEATURE_X: 1']);

    nowMs += 1;
    expect((await rpc('get_hint', { ...TOGGLE, context })).error).toMatchObject({
      code: 40401,
      data: { reason: 'E_NOT_FOUND' },
    });
    const branch = ['--branch', 'hotfix/login'];
    expect((await developer.nudge('get', TOGGLE.component, TOGGLE.key, ...branch)).code).toBe(3);
    expect(await ask('list_components')).toEqual({ components: [{ name: 'web', hint_count: 1 }] });
    expect(await ask('query', { tags: ['env'], context })).toEqual({ hints: [] });
    const { payload } = await ask('export');
    expect(Object.keys((payload as { components: object }).components)).toEqual(['web']);

    await (await hintsOf(agent.runtime)).sweep();
    expect(await rows()).toEqual([]);
  });
});

describe('E: a seed of a person', () => {
  const TEST = { component: 'api', key: 'test' };
  const context = { cwd: '/srv/minerva/api', repo: 'git:minerva/api', branch: 'main', os: 'linux' };
  /** As an earlier session has exported it. */
  const durable = {
    value: {
      type: 'template',
      format: 'mustache',
      body: 'npm test -- {{file}}',
      defaults: { file: '.' },
    },
    meta: {
      reason: 'the suite wants one file',
      tags: ['test', 'npm'],
      priority: 9,
      confidence: 0.95,
      ttl: 'P30D',
      sensitivity: 'normal',
      scope: {
        cwd_glob: ['**/api{,/**}'],
        repo: 'git:minerva/api',
        branch: ['main'],
        os: ['linux'],
      },
      source: 'user',
      added_by: 'agent:codex',
    },
    version: 4,
    created_at: '2026-01-20T08:00:00.000Z',
    updated_at: '2026-01-29T09:30:00.000Z',
    use_count: 12,
    last_used_at: '2026-01-30T10:00:00.000Z',
  };
  const seed = {
    schema_version: '1.0',
    components: {
      api: { hints: { test: durable, lint: { value: 'npm run lint' } } },
      web: { hints: { serve: { value: 'npm start', meta: { ttl: 'session', tags: ['run'] } } } },
    },
  };
  const names = async () => (await ask('list_components')).components;

  it('is there for the agent at once; what is durable survives its restart, whole', async () => {
    developer.write('nudge-seed.json', JSON.stringify(seed));
    expect(await nudge('import', './nudge-seed.json')).toBe('✔ imported 3 hints, skipped 0\n');

    const before = await ask('get_hint', { ...TEST, context });
    expect(before).toMatchObject({ hint: durable, match_explain: { matched: true } });
    expect(await names()).toEqual([
      { name: 'api', hint_count: 2 },
      { name: 'web', hint_count: 1 },
    ]);
    const { session_id } = await ask('status');

    const { port } = listener;
    await stop();
    await start(port, true);

    expect(await ask('get_hint', { ...TEST, context })).toEqual(before);
    expect(await names()).toEqual([{ name: 'api', hint_count: 1 }]);
    expect((await rpc('get_hint', { component: 'web', key: 'serve' })).error).toMatchObject({
      code: 40401,
    });
    const exported = JSON.parse(await nudge('export'));
    expect(exported.components).toEqual({ api: { hints: { test: durable } } });
    expect(exported.session_id).not.toBe(session_id);
    expect(await ask('status')).toMatchObject({ session_id: exported.session_id });
  });
});
