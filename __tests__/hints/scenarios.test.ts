/** The scenarios of the specification (§7), A to E, and reading in general. */
import { describe, expect, it } from 'vitest';
import type { GetHintParams, HintScope } from '../../src/hints/index.js';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/clock.js';
import { CLIENT, errorOf, OPERATOR, testRoom } from './hint-room.js';

const BUILD = { component: 'http-proxy', key: 'build' };
const DOCKER = { type: 'command', shell: 'bash', cmd: 'docker compose build router' } as const;
const HERE = { cwd: '/home/minerva/http-proxy', branch: 'dev', os: 'linux' } as const;

async function warmRoom() {
  const room = testRoom();
  const scope: HintScope = {
    cwd_glob: ['**/http-proxy*'],
    branch: ['dev', 'main'],
    os: ['linux', 'darwin'],
  };
  const meta = { tags: ['build', 'docker'], priority: 7, confidence: 0.8, scope };
  await room.hints.setHint({ ...BUILD, value: DOCKER, meta }, OPERATOR);
  return room;
}

describe('the scenarios', () => {
  it('A: a warm start finds the command, says why, and a use makes it rise', async () => {
    const { hints, pass } = await warmRoom();
    const first = await hints.getHint({ ...BUILD, context: HERE }, CLIENT);
    expect(first.hint?.value).toEqual(DOCKER);
    // 0.2 × 0.7 + 0.2 × 0.8 + 0.2 × 3/6 + 0.1 × 1
    expect(first.match_explain).toEqual({
      matched: true,
      score: 0.5,
      reasons: ['cwd matched **/http-proxy*', 'branch=dev allowed', 'os=linux allowed'],
    });
    await hints.bump(BUILD, CLIENT);
    pass(3 * MINUTE_MS);
    const again = await hints.getHint({ ...BUILD, context: HERE }, CLIENT);
    expect(again.match_explain.reasons.at(-1)).toBe('recently used (3m ago)');
    expect(again.match_explain.score).toBe(0.6);
    expect(again.hint).toMatchObject({ use_count: 1, version: 1 });
  });

  it('B: after a build error the likely command is on top of what is tagged so', async () => {
    const { hints } = await warmRoom();
    const put = (key: string, value: string, meta: object) =>
      hints.setHint({ component: 'http-proxy', key, value, meta }, OPERATOR);
    await put('clean', 'make clean', { tags: ['build'], priority: 2 });
    await put('run', 'make run', { tags: ['run'], priority: 10 });
    await put('pack', 'make pack', { tags: ['build'], priority: 10, scope: { os: ['windows'] } });
    const params = { component: 'http-proxy', tags: ['build'], context: HERE, limit: 3 };
    const { hints: found } = await hints.query(params, CLIENT);
    expect(found.map(({ key, score }) => [key, score])).toEqual([
      ['build', 0.5],
      ['clean', 0.24],
    ]);
    const { hint } = await hints.bump({ ...BUILD, context: HERE }, CLIENT);
    expect(hint.use_count).toBe(1);
  });

  it('C: each system gets its own path of one key', async () => {
    const { hints } = testRoom();
    const key = { component: 'http-proxy', key: 'directory' };
    const put = (value: string, os: 'windows' | 'darwin') =>
      hints.setHint({ ...key, value, meta: { scope: { os: [os] } } }, OPERATOR);
    await put('c:\\code\\http-proxy', 'windows');
    await put('/Users/dev/code/http-proxy', 'darwin');
    const on = async (os: 'windows' | 'darwin' | 'linux') =>
      (await hints.getHint({ ...key, context: { os } }, CLIENT)).hint?.value ?? null;
    expect([await on('windows'), await on('darwin'), await on('linux')]).toEqual([
      'c:\\code\\http-proxy',
      '/Users/dev/code/http-proxy',
      null,
    ]);
  });

  it('D: a toggle for two hours of hotfix ends silently', async () => {
    const { hints, pass } = testRoom();
    const key = { component: 'api', key: 'env.FEATURE_X' };
    const meta = { ttl: 'PT2H', tags: ['env', 'test'], scope: { branch: ['hotfix/*'] } };
    await hints.setHint({ ...key, value: '1', meta }, CLIENT);
    const on = (branch: string) => hints.getHint({ ...key, context: { branch } }, CLIENT);
    expect((await on('hotfix/login')).hint?.value).toBe('1');
    expect((await on('main')).hint).toBeNull();
    pass(2 * HOUR_MS);
    expect((await errorOf(on('hotfix/login'))).code).toBe('NOT_FOUND');
  });

  it('E: what a person seeds, an agent finds at once', async () => {
    const { hints } = testRoom();
    // Written by hand: the store knows the rest.
    const seed = {
      schema_version: '1.0',
      components: {
        'http-proxy': { hints: { build: { value: DOCKER, meta: { tags: ['build'] } } } },
        api: { hints: { test: { value: 'npm test' } } },
      },
    };
    const outcome = await hints.import({ payload: seed }, OPERATOR);
    expect(outcome).toEqual({ imported: 2, skipped: 0, reasons: [] });
    expect((await hints.getHint(BUILD, CLIENT)).hint?.value).toEqual(DOCKER);
    expect((await hints.listComponents({}, CLIENT)).components).toEqual([
      { name: 'api', hint_count: 1 },
      { name: 'http-proxy', hint_count: 1 },
    ]);
  });
});

describe('getting a hint', () => {
  it('tells an unknown component from an unknown key', async () => {
    const { hints } = await warmRoom();
    const none = { code: 'NOT_FOUND', details: { component: 'http-proxy', key: 'run' } };
    const run = { component: 'http-proxy', key: 'run' };
    expect(await errorOf(hints.getHint(run, OPERATOR))).toEqual(none);
    expect(await errorOf(hints.getHint({ component: 'web', key: 'run' }, OPERATOR))).toEqual({
      code: 'NOT_FOUND',
      details: { component: 'web' },
    });
  });

  it('gives nothing, with the reasons, when the key is known but not eligible', async () => {
    const { hints } = await warmRoom();
    expect(await hints.getHint({ ...BUILD, context: { ...HERE, branch: 'x' } }, CLIENT)).toEqual({
      hint: null,
      match_explain: { matched: false, reasons: ['branch=x not in dev, main'] },
    });
  });

  it('without a context matches only what has no scope', async () => {
    const { hints } = await warmRoom();
    const closed = await hints.getHint(BUILD, CLIENT);
    expect(closed.hint).toBeNull();
    expect(closed.match_explain.reasons).toEqual(['cwd unknown', 'branch unknown', 'os unknown']);
    await hints.setHint({ ...BUILD, value: 'make' }, OPERATOR);
    const open = await hints.getHint(BUILD, CLIENT);
    expect(open.hint?.value).toBe('make');
  });

  it('prefers the scope that says more, and shows others when asked', async () => {
    const { hints } = await warmRoom();
    await hints.setHint({ ...BUILD, value: 'make', meta: { priority: 7 } }, OPERATOR);
    const scope = { os: ['windows' as const] };
    await hints.setHint({ ...BUILD, value: 'nmake', meta: { scope } }, OPERATOR);
    const params: GetHintParams = { ...BUILD, context: HERE, limit: 5, explain: 'all' };
    const result = await hints.getHint(params, CLIENT);
    expect(result.hints?.map(({ hint }) => hint.value)).toEqual([DOCKER, 'make']);
    expect(result.hint).toEqual(result.hints?.[0]?.hint);
    expect(result.others?.map(({ hint, match_explain }) => [hint.value, match_explain])).toEqual([
      ['nmake', { matched: false, reasons: ['os=linux not in windows'] }],
    ]);
  });

  it('ranks by what is open when scores are equal', async () => {
    const { hints } = testRoom();
    for (const tag of ['web', 'api']) {
      const meta = { tags: [tag], scope: { env_required: [`IN_${tag.toUpperCase()}`] } };
      await hints.setHint({ component: 'app', key: 'test', value: tag, meta }, OPERATOR);
    }
    const env = { IN_WEB: '1', IN_API: '' };
    const best = async (files_open: string[]) =>
      (await hints.getHint({ component: 'app', key: 'test', context: { env, files_open } }, CLIENT))
        .hint?.value;
    expect([await best(['src/web/main.ts']), await best(['src/api/main.ts'])]).toEqual([
      'web',
      'api',
    ]);
  });

  it('hands out hints that nobody can change', async () => {
    const { hints } = await warmRoom();
    const { hint } = await hints.getHint({ ...BUILD, context: HERE }, CLIENT);
    expect(() => hint?.meta.tags?.push('more')).toThrow(TypeError);
  });
});

describe('querying', () => {
  const filled = async () => {
    const room = testRoom();
    const put = (name: string, value: string, meta: object = {}) => {
      const [component = '', key = ''] = name.split('/');
      return room.hints.setHint({ component, key, value, meta }, OPERATOR);
    };
    await put('api/build', 'docker build api', { tags: ['build', 'docker'], priority: 9 });
    await put('api/test', 'npm test', { tags: ['test'], priority: 8 });
    await put('web/build', 'vite build', { tags: ['build'], priority: 7 });
    await put('web/serve', 'vite', { scope: { os: ['linux'] }, priority: 6 });
    const names = async (params: Parameters<typeof room.hints.query>[0]) =>
      (await room.hints.query(params, CLIENT)).hints.map(
        ({ component, key }) => `${component}/${key}`,
      );
    return { ...room, names };
  };

  it.each([
    ['nothing: everything without a scope', {}, ['api/build', 'api/test', 'web/build']],
    ['a component', { component: 'api' }, ['api/build', 'api/test']],
    ['an unknown component', { component: 'nope' }, []],
    ['keys', { keys: ['build', 'serve'] }, ['api/build', 'web/build']],
    ['one tag', { tags: ['build'] }, ['api/build', 'web/build']],
    ['all of the tags', { tags: ['docker', 'build'] }, ['api/build']],
    ['tags in a component', { component: 'web', tags: ['build'] }, ['web/build']],
    ['an unknown tag', { tags: ['build', 'nope'] }, []],
    ['a regex on values', { regex: 'dock.*build' }, ['api/build']],
    ['a regex on keys and tags', { regex: '^(test|docker)$' }, ['api/build', 'api/test']],
    ['a limit', { limit: 1 }, ['api/build']],
    [
      'a context',
      { component: 'web', context: { os: 'linux' as const } },
      ['web/serve', 'web/build'],
    ],
  ])('by %s', async (_name, params, expected) => {
    const { names } = await filled();
    expect(await names(params)).toEqual(expected);
  });

  it('shows what is not eligible, with why, when asked', async () => {
    const { hints } = await filled();
    const { others } = await hints.query({ component: 'web', explain: 'all' }, CLIENT);
    expect(others?.map(({ key, match_explain }) => [key, match_explain.reasons])).toEqual([
      ['serve', ['os unknown']],
    ]);
  });

  it('refuses a regex that cannot be read or could take long', async () => {
    const { hints } = await filled();
    for (const regex of ['(', '(a)\\1']) {
      expect((await errorOf(hints.query({ regex }, CLIENT))).code).toBe('INVALID_INPUT');
    }
  });
});
