import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/records/index.js';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/clock.js';
import { errorOf, noGuard, OPERATOR, person, START, testRoom } from './hint-room.js';

const BUILD = { component: 'http-proxy', key: 'build' };
const at = (ms: number) => new Date(ms).toISOString();

describe('setting a hint', () => {
  it('gives back the hint with its defaults written out', async () => {
    const { hints } = testRoom();
    const { hint } = await hints.setHint({ ...BUILD, value: 'make' }, OPERATOR);
    expect(hint).toEqual({
      value: 'make',
      meta: { ttl: 'session' },
      version: 1,
      created_at: at(START),
      updated_at: at(START),
      use_count: 0,
    });
  });

  it('replaces the variant of the same scope, keeping its age and its uses', async () => {
    const { hints, pass } = testRoom();
    const scope = { branch: ['main', 'dev'], os: ['linux' as const] };
    await hints.setHint({ ...BUILD, value: 'make', meta: { scope, tags: ['old'] } }, OPERATOR);
    pass(MINUTE_MS);
    await hints.bump(BUILD, OPERATOR);
    pass(MINUTE_MS);
    const again = { branch: ['dev', 'main', 'dev'], os: ['linux' as const] };
    const { hint } = await hints.setHint(
      { ...BUILD, value: 'make all', meta: { scope: again } },
      OPERATOR,
    );
    expect(hint).toEqual({
      value: 'make all',
      meta: { ttl: 'session', scope: { branch: ['dev', 'main'], os: ['linux'] } },
      version: 2,
      created_at: at(START),
      updated_at: at(START + 2 * MINUTE_MS),
      use_count: 1,
      last_used_at: at(START + MINUTE_MS),
    });
    expect(hints.counts(OPERATOR)).toMatchObject({ components: 1, hints: 1, top_tags: [] });
  });

  it('keeps variants of other scopes side by side', async () => {
    const { hints } = testRoom();
    await hints.setHint({ ...BUILD, value: 'make' }, OPERATOR);
    const scope = { os: ['windows' as const] };
    const { hint } = await hints.setHint({ ...BUILD, value: 'nmake', meta: { scope } }, OPERATOR);
    expect(hint.version).toBe(1);
    expect(hints.counts(OPERATOR).hints).toBe(2);
  });

  it('is not changed by what its author does with the value afterwards', async () => {
    const { hints } = testRoom();
    const data = { list: [1] };
    await hints.setHint({ ...BUILD, value: { type: 'json', data } }, OPERATOR);
    data.list.push(2);
    const { hint } = await hints.getHint(BUILD, OPERATOR);
    expect(hint?.value).toEqual({ type: 'json', data: { list: [1] } });
  });

  it.each([
    ['no value', { ...BUILD, value: '' }, 'INVALID_INPUT'],
    ['an unknown field', { ...BUILD, value: 'x', vlaue: 'y' }, 'INVALID_INPUT'],
    ['a priority of 11', { ...BUILD, value: 'x', meta: { priority: 11 } }, 'INVALID_INPUT'],
    ['a confidence over 1', { ...BUILD, value: 'x', meta: { confidence: 1.1 } }, 'INVALID_INPUT'],
    ['a TTL that is none', { ...BUILD, value: 'x', meta: { ttl: '2h' } }, 'INVALID_INPUT'],
    ['a relative path', { ...BUILD, value: { type: 'path', abs: 'src' } }, 'INVALID_INPUT'],
    [
      'a path that leads up',
      { ...BUILD, value: { type: 'path', abs: '/a/../b' } },
      'SCOPE_INVALID',
    ],
    ['an unknown kind', { ...BUILD, value: { type: 'script', cmd: 'x' } }, 'INVALID_INPUT'],
    ['an empty scope list', { ...BUILD, value: 'x', meta: { scope: { os: [] } } }, 'SCOPE_INVALID'],
    [
      'a glob that leads up',
      { ...BUILD, value: 'x', meta: { scope: { cwd_glob: ['/a/../b'] } } },
      'SCOPE_INVALID',
    ],
    ['component __proto__', { component: '__proto__', key: 'k', value: 'x' }, 'INVALID_INPUT'],
    ['key constructor', { component: 'c', key: 'constructor', value: 'x' }, 'INVALID_INPUT'],
    ['a key with a line break', { component: 'c', key: 'a\nb', value: 'x' }, 'INVALID_INPUT'],
  ])('refuses %s', async (_name, params, code) => {
    const { hints } = testRoom();
    // Deliberately wrong: what came over a wire.
    const sent = params as Parameters<typeof hints.setHint>[0];
    expect((await errorOf(hints.setHint(sent, OPERATOR))).code).toBe(code);
    expect(hints.counts(OPERATOR).hints).toBe(0);
  });

  it('refuses data that is nested without end, and lives on', async () => {
    const { hints } = testRoom();
    let data: string | unknown[] = 'core';
    for (let level = 0; level < 20_000; level++) data = [data];
    const sent = { ...BUILD, value: { type: 'json', data } };
    const params = sent as Parameters<typeof hints.setHint>[0];
    expect((await errorOf(hints.setHint(params, OPERATOR))).code).toBe('INVALID_INPUT');
  });

  it('takes names that objects have of themselves for what they are', async () => {
    const { hints } = testRoom();
    await hints.setHint({ component: 'toString', key: 'valueOf', value: 'x' }, OPERATOR);
    const { payload } = await hints.export({}, OPERATOR);
    expect(Object.keys(payload.components)).toEqual(['toString']);
    const unknown = { component: 'hasOwnProperty', key: 'valueOf' };
    expect((await errorOf(hints.getHint(unknown, OPERATOR))).code).toBe('NOT_FOUND');
  });
});

describe('secrets', () => {
  const token = ['ghp_', 'k3JxQ9vT2mWbZ7LrPa8YcD5uHsNe4Gf6RiVo'].join('');

  it('are refused, naming rule and place but not the secret', async () => {
    const { hints } = testRoom();
    const error = await errorOf(hints.setHint({ ...BUILD, value: token }, OPERATOR));
    expect(error.code).toBe('SECRET_REJECTED');
    expect(JSON.stringify(error)).toContain('"field":"value"');
    expect(JSON.stringify(error)).not.toContain(token);
  });

  it('are kept, marked as such, when it is meant so', async () => {
    const { hints } = testRoom();
    const { hint } = await hints.setHint({ ...BUILD, value: token, allow_secret: true }, OPERATOR);
    expect(hint.meta.sensitivity).toBe('secret');
    const meta = { sensitivity: 'secret' as const };
    await hints.setHint({ ...BUILD, key: 'run', value: token, meta }, OPERATOR);
    expect(hints.counts(OPERATOR)).toMatchObject({ hints: 2, secret: 2 });
  });

  it('pass when the guard is off, marked all the same', async () => {
    const { hints } = testRoom({ guard: false });
    const { hint } = await hints.setHint({ ...BUILD, value: token }, OPERATOR);
    expect(hint).toMatchObject({ value: token, meta: { sensitivity: 'secret' } });
  });
});

describe('versions', () => {
  it('0 means that it must not exist', async () => {
    const { hints } = testRoom();
    const first = { ...BUILD, value: 'make', if_match_version: 0 };
    expect((await hints.setHint(first, OPERATOR)).hint.version).toBe(1);
    expect(await errorOf(hints.setHint(first, OPERATOR))).toEqual({
      code: 'CONFLICT',
      details: { ...BUILD, version: 1 },
    });
  });

  it('are those of the variant that the scope names', async () => {
    const { hints } = testRoom();
    await hints.setHint({ ...BUILD, value: 'a' }, OPERATOR);
    await hints.setHint({ ...BUILD, value: 'b' }, OPERATOR);
    const meta = { scope: { os: ['linux' as const] } };
    const scoped = { ...BUILD, value: 'c', meta, if_match_version: 2 };
    expect((await errorOf(hints.setHint(scoped, OPERATOR))).details).toMatchObject({ version: 0 });
    const plain = { ...BUILD, value: 'c', if_match_version: 2 };
    expect((await hints.setHint(plain, OPERATOR)).hint.version).toBe(3);
  });

  it('let one of two clients win that write one key at once', async () => {
    const { hints } = testRoom();
    await hints.setHint({ ...BUILD, value: 'a', meta: { ttl: 'P1D' } }, OPERATOR);
    const write = (value: string) =>
      hints.setHint({ ...BUILD, value, meta: { ttl: 'P1D' }, if_match_version: 1 }, OPERATOR);
    const results = await Promise.allSettled([write('b'), write('c')]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await hints.getHint(BUILD, OPERATOR)).hint?.version).toBe(2);
  });

  it('lose no write of many at once', async () => {
    const { hints } = testRoom({}, undefined, { secretGuard: noGuard });
    const writes = Array.from({ length: 20 }, (_, n) =>
      hints.setHint({ ...BUILD, value: `${n}` }, OPERATOR),
    );
    const versions = (await Promise.all(writes)).map(({ hint }) => hint.version);
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });
});

describe('time to live', () => {
  it.each([
    ['PT2H', 2 * HOUR_MS],
    ['P1D', 24 * HOUR_MS],
    // From 31 January: kept inside February.
    ['P1M', 28 * 24 * HOUR_MS],
  ])('%s ends to the millisecond, without a sweep', async (ttl, livesMs) => {
    const { hints, pass } = testRoom();
    await hints.setHint({ ...BUILD, value: 'make', meta: { ttl } }, OPERATOR);
    pass(livesMs - 1);
    expect((await hints.getHint(BUILD, OPERATOR)).hint?.value).toBe('make');
    pass(1);
    expect((await errorOf(hints.getHint(BUILD, OPERATOR))).code).toBe('NOT_FOUND');
    expect((await hints.query({}, OPERATOR)).hints).toEqual([]);
    expect((await hints.listComponents({}, OPERATOR)).components).toEqual([]);
    expect((await errorOf(hints.bump(BUILD, OPERATOR))).code).toBe('NOT_FOUND');
    expect((await errorOf(hints.deleteHint(BUILD, OPERATOR))).code).toBe('NOT_FOUND');
  });

  it('begins anew with each change, and not with a use', async () => {
    const { hints, pass } = testRoom();
    const params = { ...BUILD, value: 'make', meta: { ttl: 'PT2H' } };
    await hints.setHint(params, OPERATOR);
    pass(HOUR_MS);
    await hints.bump(BUILD, OPERATOR);
    pass(HOUR_MS);
    expect((await errorOf(hints.getHint(BUILD, OPERATOR))).code).toBe('NOT_FOUND');
    const { hint } = await hints.setHint({ ...params, if_match_version: 0 }, OPERATOR);
    expect([hint.version, hint.use_count, hint.created_at]).toEqual([
      1,
      0,
      at(START + 2 * HOUR_MS),
    ]);
    pass(HOUR_MS);
    await hints.setHint(params, OPERATOR);
    pass(HOUR_MS);
    expect((await hints.getHint(BUILD, OPERATOR)).hint?.version).toBe(2);
  });

  it('is the one of the settings when the author did not say', async () => {
    const { hints, rows } = testRoom({ defaultTtl: 'P7D' });
    const { hint } = await hints.setHint({ ...BUILD, value: 'make' }, OPERATOR);
    expect(hint.meta.ttl).toBe('P7D');
    expect(rows.rows.size).toBe(1);
  });

  it('frees space with a sweep, rows included', async () => {
    const { hints, rows, pass } = testRoom();
    await hints.setHint({ ...BUILD, value: 'make', meta: { ttl: 'PT1H' } }, OPERATOR);
    await hints.setHint({ ...BUILD, key: 'run', value: 'run', meta: { ttl: 'PT3H' } }, OPERATOR);
    pass(HOUR_MS);
    expect(await hints.sweep()).toBe(1);
    expect(await hints.sweep()).toBe(0);
    expect([...rows.rows.values()].map(({ key }) => key)).toEqual(['run']);
  });
});

describe('quotas', () => {
  const set = (
    room: ReturnType<typeof testRoom>,
    component: string,
    key: string,
    ttl = 'session',
  ) => room.hints.setHint({ component, key, value: 'x', meta: { ttl } }, OPERATOR);

  it.each([
    ['hints', { maxHints: 2 }, ['a/1', 'b/1'], 'c/1'],
    ['components', { maxComponents: 1 }, ['a/1', 'a/2'], 'b/1'],
    ['hints_per_component', { maxPerComponent: 2 }, ['a/1', 'a/2', 'b/1'], 'a/3'],
  ])('of %s are named when they are reached', async (quota, settings, fill, next) => {
    const room = testRoom(settings, undefined, { secretGuard: noGuard });
    const put = (name: string, ttl?: string) => {
      const [component = '', key = ''] = name.split('/');
      return set(room, component, key, ttl);
    };
    for (const name of fill) await put(name);
    const [max] = Object.values(settings);
    expect(await errorOf(put(next))).toEqual({ code: 'LIMIT_REACHED', details: { quota, max } });
    // What is there can still be changed.
    expect((await put(fill[0]!)).hint.version).toBe(2);
  });

  it('count variants, and nothing that has expired', async () => {
    const room = testRoom({ maxHints: 1 });
    await set(room, 'a', '1', 'PT1H');
    expect((await errorOf(set(room, 'b', '1'))).code).toBe('LIMIT_REACHED');
    room.pass(HOUR_MS);
    expect((await set(room, 'b', '1')).hint.version).toBe(1);
  });

  it('refuse the 5,001st hint', async () => {
    const room = testRoom({}, undefined, { secretGuard: noGuard });
    for (let n = 0; n < 5_000; n++) await set(room, `c${n % 25}`, `k${n}`);
    expect(await errorOf(set(room, 'c1', 'one-more'))).toEqual({
      code: 'LIMIT_REACHED',
      details: { quota: 'hints', max: 5_000 },
    });
    expect(room.hints.counts(OPERATOR).hints).toBe(5_000);
  });
});

describe('quotas and what people keep for themselves', () => {
  const BOB = person('bob');
  const settings = { maxHints: 30, maxComponents: 2, maxPerComponent: 8 };
  const open = () => testRoom(settings, undefined, { secretGuard: noGuard });
  type Room = ReturnType<typeof open>;
  const set = ({ hints }: Room, component: string, key: string, caller: Caller = OPERATOR) =>
    hints.setHint({ component, key, value: 'x', meta: { ttl: 'PT1H' } }, caller);

  it('a private hint counts like any other', async () => {
    const room = open();
    for (let n = 0; n < 8; n++) await set(room, 'api', `k${n}`, n % 2 === 0 ? BOB : OPERATOR);
    expect((await errorOf(set(room, 'api', 'k8', BOB))).details).toEqual({
      quota: 'hints_per_component',
      max: 8,
    });
    expect((await set(room, 'api', 'k0', BOB)).hint.version).toBe(2);
    await set(room, 'web', 'k', BOB);
    expect((await errorOf(set(room, 'third', 'k'))).details).toEqual({
      quota: 'components',
      max: 2,
    });
    await room.hints.deleteHint({ component: 'web', key: 'k' }, BOB);
    expect((await set(room, 'third', 'k')).hint.version).toBe(1);
  });

  it('hold for imports, too', async () => {
    const room = open();
    for (let n = 0; n < 7; n++) await set(room, 'api', `k${n}`);
    const hints = Object.fromEntries(['1', '2', '3'].map((key) => [key, { value: 'x' }]));
    const payload = { schema_version: '1.0', components: { api: { hints } } };
    expect(await room.hints.import({ payload }, BOB)).toEqual({
      imported: 1,
      skipped: 2,
      reasons: ['api/2: quota: hints_per_component', 'api/3: quota: hints_per_component'],
    });
  });
});

describe('deleting', () => {
  const withThree = async () => {
    const room = testRoom();
    const put = (value: string, meta: object) =>
      room.hints.setHint({ ...BUILD, value, meta }, OPERATOR);
    await put('plain', { priority: 1 });
    await put('linux', { priority: 9, scope: { os: ['linux'] } });
    await put('windows', { priority: 5, scope: { os: ['windows'] } });
    return room;
  };

  it('takes all variants, the best as previous', async () => {
    const { hints } = await withThree();
    const { previous, previous_all, deleted } = await hints.deleteHint(BUILD, OPERATOR);
    expect(deleted).toBe(true);
    expect(previous.value).toBe('linux');
    expect(previous_all.map(({ value }) => value)).toEqual(['linux', 'windows', 'plain']);
    expect((await errorOf(hints.getHint(BUILD, OPERATOR))).code).toBe('NOT_FOUND');
    expect(await errorOf(hints.deleteHint(BUILD, OPERATOR))).toEqual({
      code: 'NOT_FOUND',
      details: { component: 'http-proxy', key: 'build' },
    });
  });

  it('takes only the variant of a scope', async () => {
    const { hints } = await withThree();
    const gone = await hints.deleteHint({ ...BUILD, scope: { os: ['windows'] } }, OPERATOR);
    expect(gone.previous_all.map(({ value }) => value)).toEqual(['windows']);
    const empty = await hints.deleteHint({ ...BUILD, scope: {} }, OPERATOR);
    expect(empty.previous_all.map(({ value }) => value)).toEqual(['plain']);
    expect(hints.counts(OPERATOR).hints).toBe(1);
  });

  it('takes only what is eligible in a context', async () => {
    const { hints } = await withThree();
    const gone = await hints.deleteHint({ ...BUILD, context: { os: 'linux' } }, OPERATOR);
    expect(gone.previous_all.map(({ value }) => value)).toEqual(['linux', 'plain']);
    const error = await errorOf(hints.deleteHint({ ...BUILD, context: { os: 'linux' } }, OPERATOR));
    expect(error).toMatchObject({
      code: 'NOT_FOUND',
      details: { reasons: ['os=linux not in windows'] },
    });
  });
});

describe('bumping', () => {
  it('counts uses of the best variant, and leaves version and age alone', async () => {
    const { hints, pass } = testRoom();
    await hints.setHint({ ...BUILD, value: 'plain', meta: { priority: 9 } }, OPERATOR);
    const scope = { os: ['linux' as const] };
    await hints.setHint({ ...BUILD, value: 'linux', meta: { priority: 1, scope } }, OPERATOR);
    pass(MINUTE_MS);
    const { hint } = await hints.bump({ ...BUILD, delta: 3 }, OPERATOR);
    expect(hint).toEqual({
      value: 'plain',
      meta: { ttl: 'session', priority: 9 },
      version: 1,
      created_at: at(START),
      updated_at: at(START),
      use_count: 3,
      last_used_at: at(START + MINUTE_MS),
    });
    const scoped = await hints.bump({ ...BUILD, scope }, OPERATOR);
    expect(scoped.hint).toMatchObject({ value: 'linux', use_count: 1 });
  });

  it('counts the best that is eligible in a context', async () => {
    const { hints } = testRoom();
    for (const os of ['linux', 'windows'] as const) {
      const meta = { priority: os === 'linux' ? 1 : 9, scope: { os: [os] } };
      await hints.setHint({ ...BUILD, value: os, meta }, OPERATOR);
    }
    const { hint } = await hints.bump({ ...BUILD, context: { os: 'linux' } }, OPERATOR);
    expect(hint).toMatchObject({ value: 'linux', use_count: 1 });
    const nowhere = hints.bump({ ...BUILD, context: { os: 'darwin' } }, OPERATOR);
    expect((await errorOf(nowhere)).code).toBe('NOT_FOUND');
  });

  it('counts without a context the one that get gives there, else the best of all', async () => {
    const { hints } = testRoom();
    const set = (os: 'linux' | 'windows', priority: number) =>
      hints.setHint({ ...BUILD, value: os, meta: { priority, scope: { os: [os] } } }, OPERATOR);
    await set('linux', 1);
    await set('windows', 9);
    const ofBest = await hints.bump(BUILD, OPERATOR);
    expect(ofBest.hint).toMatchObject({ value: 'windows', use_count: 1 });
    const meta = { priority: 1 };
    await hints.setHint({ ...BUILD, value: 'everywhere', meta }, OPERATOR);
    expect((await hints.bump(BUILD, OPERATOR)).hint).toMatchObject({
      value: 'everywhere',
      use_count: 1,
    });
  });

  it('loses no use of many at once', async () => {
    const { hints, rows } = testRoom();
    await hints.setHint({ ...BUILD, value: 'make', meta: { ttl: 'P1D' } }, OPERATOR);
    await Promise.all(Array.from({ length: 50 }, () => hints.bump(BUILD, OPERATOR)));
    expect((await hints.getHint(BUILD, OPERATOR)).hint?.use_count).toBe(50);
    expect([...rows.rows.values()][0]?.hint.use_count).toBe(50);
  });
});
