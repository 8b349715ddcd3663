import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HintValue, StorePayload } from '../../src/hints/index.js';
import { DAY_MS, HOUR_MS } from '../../src/shared/clock.js';
import { errorOf, noGuard, OPERATOR, START, testRoom } from './hint-room.js';

const at = (ms: number) => new Date(ms).toISOString();
const hintOf = (value: unknown, more: object = {}) => ({
  value,
  meta: { ttl: 'P7D' },
  version: 3,
  created_at: at(START - DAY_MS),
  updated_at: at(START - HOUR_MS),
  ...more,
});
const payloadOf = (hints: Record<string, unknown>, component = 'api') => ({
  schema_version: '1.0',
  components: { [component]: { hints } },
});

describe('an export', () => {
  it('of thousands lets others have their turn, and is of one moment all the same', async () => {
    const { hints } = testRoom({}, undefined, { secretGuard: noGuard });
    const named = (index: number) => ({ component: `c${index % 40}`, key: `k${index}` });
    for (let index = 0; index < 2_000; index += 1) {
      await hints.setHint({ ...named(index), value: `run ${index}` }, OPERATOR);
    }
    let turns = 0;
    const state = { over: false };
    const count = () => {
      turns += 1;
      if (!state.over) setImmediate(count);
    };
    setImmediate(count);
    const exporting = hints.export({}, OPERATOR);
    await hints.deleteHint(named(1_999), OPERATOR);
    await hints.setHint({ ...named(0), value: 'changed' }, OPERATOR);
    const { payload } = await exporting;
    state.over = true;
    expect(turns).toBeGreaterThanOrEqual(4);
    const values = Object.values(payload.components).flatMap((one) => Object.values(one.hints));
    expect(values).toHaveLength(2_000);
    expect(payload.components.c0?.hints.k0?.value).toBe('run 0');
    expect(payload.components.c39?.hints.k1999?.value).toBe('run 1999');
  });

  it('has the shape of the specification, and variants where there are several', async () => {
    const { hints } = testRoom();
    const set = (key: string, value: string, meta: object = {}) =>
      hints.setHint({ component: 'api', key, value, meta }, OPERATOR);
    await set('build', 'make');
    await set('build', 'nmake', { scope: { os: ['windows'] } });
    await set('test', 'npm test');
    await set('gone', 'x', { ttl: 'PT1H' });
    const { payload } = await hints.export({ format: 'json' }, OPERATOR);
    expect({ ...payload, components: undefined }).toEqual({
      schema_version: '1.0',
      created_at: at(START),
      session_id: 'session-1',
      components: undefined,
    });
    const { api } = payload.components;
    expect(Object.entries(api?.hints ?? {}).map(([key, { value }]) => [key, value])).toEqual([
      ['build', 'nmake'],
      ['gone', 'x'],
      ['test', 'npm test'],
    ]);
    expect(api?.variants?.build?.map(({ value }) => value)).toEqual(['nmake', 'make']);
    expect(Object.keys(api?.variants ?? {})).toEqual(['build']);
  });

  it('is of one component when it is asked so, and an unknown one is an error', async () => {
    const { hints } = testRoom();
    await hints.setHint({ component: 'api', key: 'k', value: 'x' }, OPERATOR);
    await hints.setHint({ component: 'web', key: 'k', value: 'x' }, OPERATOR);
    const { payload } = await hints.export({ component: 'web' }, OPERATOR);
    expect(Object.keys(payload.components)).toEqual(['web']);
    const error = await errorOf(hints.export({ component: 'nope' }, OPERATOR));
    expect(error).toEqual({ code: 'NOT_FOUND', details: { component: 'nope' } });
  });
});

describe('an import', () => {
  it('that nobody waits for any more takes nothing in, and replaces nothing', async () => {
    const { hints } = testRoom();
    await hints.setHint({ component: 'api', key: 'kept', value: 'make' }, OPERATOR);
    const many = Array.from({ length: 60 }, (_, n) => [`key-${n}`, hintOf(`make ${n}`)]);
    const params = { payload: payloadOf(Object.fromEntries(many)), mode: 'replace' as const };
    const told: number[][] = [];
    const stop = new AbortController();
    const cut = await hints.import(params, OPERATOR, {
      signal: stop.signal,
      onProgress(...step) {
        told.push(step);
        if (step[0] === 25) stop.abort();
      },
    });
    expect([cut.imported, told]).toEqual([
      0,
      [
        [0, 120],
        [25, 120],
      ],
    ]);
    const { components } = await hints.listComponents({}, OPERATOR);
    expect(components).toEqual([{ name: 'api', hint_count: 1 }]);
    expect((await hints.import(params, OPERATOR)).imported).toBe(60);
  });

  it('tells how far it is in steps of two percent, however many there are', async () => {
    const { hints } = testRoom();
    const meta = { ttl: 'P7D' };
    const many = Array.from({ length: 200 }, (_, n) => [`key-${n}`, hintOf(`make ${n}`, { meta })]);
    const payload = payloadOf(Object.fromEntries(many));
    const steps = async () => {
      const told: number[][] = [];
      await hints.import({ payload }, OPERATOR, { onProgress: (...step) => told.push(step) });
      return [told.length, told[0], told.at(-1)];
    };
    expect(await steps()).toEqual([34, [0, 400], [400, 400]]);
    // Over what is here already, nothing is written.
    expect(await steps()).toEqual([9, [0, 400], [400, 400]]);
  });

  it('keeps all metadata', async () => {
    const { hints, rows } = testRoom();
    const meta = {
      ...{ reason: 'custom image', tags: ['build'], priority: 7, confidence: 0.8, ttl: 'P7D' },
      ...{ sensitivity: 'normal', source: 'user', added_by: 'agent:codex' },
      scope: { os: ['linux'], branch: ['dev'] },
    };
    const hint = hintOf('make', { meta, use_count: 4, last_used_at: at(START - 60_000) });
    await hints.import({ payload: payloadOf({ build: hint }) }, OPERATOR);
    const context = { os: 'linux' as const, branch: 'dev' };
    const found = await hints.getHint({ component: 'api', key: 'build', context }, OPERATOR);
    expect(found.hint).toEqual(hint);
    expect(rows.rows.size).toBe(1);
  });

  it('takes what it can and says what it cannot', async () => {
    const { hints } = testRoom();
    const token = ['ghp_', 'k3JxQ9vT2mWbZ7LrPa8YcD5uHsNe4Gf6RiVo'].join('');
    const payload = {
      schema_version: '1.0',
      components: {
        api: {
          hints: {
            good: hintOf('make'),
            damaged: { value: 7 },
            unknown: hintOf('x', { extra: true }),
            secret: hintOf(token),
            expired: hintOf('x', { meta: { ttl: 'PT1H' } }),
            scope: hintOf('x', { meta: { scope: { os: [] } } }),
            path: hintOf({ type: 'path', abs: 'src' }),
            constructor: hintOf('x'),
          },
        },
        'a\nb': { hints: { k: hintOf('x') } },
      },
    };
    const outcome = await hints.import({ payload }, OPERATOR);
    expect([outcome.imported, outcome.skipped]).toEqual([1, 8]);
    expect(outcome.reasons.map((reason) => reason.split(':')[0])).toEqual([
      'api/damaged',
      'api/unknown',
      'api/secret',
      'api/expired',
      'api/scope',
      'api/path',
      'api/constructor',
      'a b/k',
    ]);
    expect(outcome.reasons[3]).toBe('api/expired: expired');
    expect(outcome.reasons[2]).toContain('looks like a secret');
    expect(JSON.stringify(outcome)).not.toContain(token);
    const again = await hints.import(
      { payload: payloadOf({ t: hintOf(token) }), allow_secret: true },
      OPERATOR,
    );
    expect(again.imported).toBe(1);
    expect(hints.counts(OPERATOR).secret).toBe(1);
  });

  it.each([
    ['a future version', { schema_version: '2.0', components: {} }],
    ['a future minor version', { schema_version: '1.1', components: {} }],
    ['no version', { components: {} }],
    ['no components', { schema_version: '1.0' }],
  ])('refuses %s, and nothing is lost', async (_name, payload) => {
    const { hints } = testRoom();
    await hints.setHint({ component: 'api', key: 'k', value: 'x' }, OPERATOR);
    const sent = { payload, mode: 'replace' } as Parameters<typeof hints.import>[0];
    expect((await errorOf(hints.import(sent, OPERATOR))).code).toBe('INVALID_INPUT');
    expect(hints.counts(OPERATOR).hints).toBe(1);
  });

  it('cannot replace everything by nothing that is readable', async () => {
    const { hints } = testRoom();
    await hints.setHint({ component: 'api', key: 'k', value: 'x' }, OPERATOR);
    const payload = payloadOf({ damaged: { value: 7 } });
    const error = await errorOf(hints.import({ payload, mode: 'replace' }, OPERATOR));
    expect(error.code).toBe('INVALID_INPUT');
    expect(hints.counts(OPERATOR).hints).toBe(1);
  });

  it('merges: the later change wins, and what is as new stays', async () => {
    const { hints, pass } = testRoom();
    await hints.setHint({ component: 'api', key: 'a', value: 'here' }, OPERATOR);
    await hints.setHint({ component: 'api', key: 'b', value: 'here' }, OPERATOR);
    pass(HOUR_MS);
    const payload = payloadOf({
      a: hintOf('later', { version: 1, updated_at: at(START + 1) }),
      b: hintOf('as new', { updated_at: at(START) }),
    });
    const outcome = await hints.import({ payload }, OPERATOR);
    expect(outcome).toEqual({
      imported: 1,
      skipped: 1,
      reasons: ['api/b: what is here is as new'],
    });
    const { hint } = await hints.getHint({ component: 'api', key: 'a' }, OPERATOR);
    // Nobody who knows version 1 may take this one for it.
    expect(hint).toMatchObject({ value: 'later', version: 2, created_at: at(START - DAY_MS) });
  });

  it('replaces: what is not in it goes, rows included', async () => {
    const { hints, rows } = testRoom();
    const meta = { ttl: 'P1D' };
    await hints.setHint({ component: 'old', key: 'a', value: 'x', meta }, OPERATOR);
    const outcome = await hints.import(
      { payload: payloadOf({ build: hintOf('make') }), mode: 'replace' },
      OPERATOR,
    );
    expect(outcome.imported).toBe(1);
    expect((await hints.listComponents({}, OPERATOR)).components).toEqual([
      { name: 'api', hint_count: 1 },
    ]);
    expect([...rows.rows.values()].map(({ component }) => component)).toEqual(['api']);
  });

  it('believes no time in the future', async () => {
    const { hints } = testRoom();
    const payload = payloadOf({ a: hintOf('x', { updated_at: at(START + DAY_MS) }) });
    await hints.import({ payload }, OPERATOR);
    const { hint } = await hints.getHint({ component: 'api', key: 'a' }, OPERATOR);
    expect(hint?.updated_at).toBe(at(START));
  });

  it('skips what is over a quota, and takes the rest', async () => {
    const { hints } = testRoom({ maxHints: 3 }, undefined, { secretGuard: noGuard });
    await hints.setHint({ component: 'web', key: 'k', value: 'x' }, OPERATOR);
    const many = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`k${n}`, hintOf('x')]));
    const outcome = await hints.import({ payload: payloadOf(many) }, OPERATOR);
    expect({ ...outcome, reasons: outcome.reasons.toSorted() }).toEqual({
      imported: 2,
      skipped: 3,
      reasons: ['api/k2: quota: hints', 'api/k3: quota: hints', 'api/k4: quota: hints'],
    });
  });

  it('in the place of what is there needs no further room', async () => {
    const { hints } = testRoom({ maxHints: 2 });
    await hints.setHint({ component: 'api', key: 'a', value: 'old' }, OPERATOR);
    await hints.setHint({ component: 'api', key: 'b', value: 'old' }, OPERATOR);
    const payload = payloadOf({ c: hintOf('new'), d: hintOf('new') });
    expect((await hints.import({ payload, mode: 'replace' }, OPERATOR)).imported).toBe(2);
  });

  it('pollutes no prototype', async () => {
    const { hints } = testRoom();
    const text =
      '{"schema_version":"1.0","components":{"__proto__":{"hints":{"x":{"value":"y"}}}}}';
    const outcome = await hints.import({ payload: JSON.parse(text) }, OPERATOR);
    expect(outcome.imported).toBe(0);
    expect(({} as Record<string, unknown>).hints).toBeUndefined();
  });

  it.each([
    ['a component', '{"__proto__":{"hints":{"x":{"value":"y"}}}}', '__proto__/x'],
    ['a key', '{"api":{"hints":{"__proto__":{"value":"y"}}}}', 'api/__proto__'],
    ['variants', '{"api":{"hints":{},"variants":{"__proto__":[{"value":"y"}]}}}', 'api/__proto__'],
  ])(
    'skips %s named as a prototype, and puts it in the place of nothing',
    async (_w, text, name) => {
      const { hints } = testRoom();
      await hints.setHint({ component: 'api', key: 'k', value: 'x' }, OPERATOR);
      const payload = { schema_version: '1.0', components: JSON.parse(text) };
      const { imported, skipped, reasons } = await hints.import({ payload }, OPERATOR);
      expect([imported, skipped]).toEqual([0, 1]);
      expect(reasons[0]).toMatch(new RegExp(`^${name}: `));
      const { code } = await errorOf(hints.import({ payload, mode: 'replace' }, OPERATOR));
      expect(code).toBe('INVALID_INPUT');
      expect(hints.counts(OPERATOR).hints).toBe(1);
    },
  );
});

describe('export and import', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9._-]{0,8}$/);
  const name = word.filter((text) => !['constructor', 'prototype'].includes(text));
  const json = fc
    .jsonValue({ maxDepth: 3 })
    .map((data): Extract<HintValue, { type: 'json' }>['data'] => JSON.parse(JSON.stringify(data)));
  const value = fc.oneof(
    word,
    fc.record({ type: fc.constant('command' as const), cmd: word }),
    fc.record({ type: fc.constant('json' as const), data: json }),
  );
  const scope = fc.record(
    {
      os: fc.uniqueArray(fc.constantFrom('linux' as const, 'darwin' as const), { minLength: 1 }),
      branch: fc.array(word, { minLength: 1, maxLength: 2 }),
      env_match: fc.dictionary(name, word, { minKeys: 1, maxKeys: 2 }),
    },
    { requiredKeys: [] },
  );
  const meta = fc.record(
    {
      tags: fc.array(word, { maxLength: 3 }),
      priority: fc.integer({ min: 1, max: 10 }),
      ttl: fc.constantFrom('session', 'P1D', 'PT2H'),
      sensitivity: fc.constantFrom('secret' as const, 'normal' as const),
      scope,
    },
    { requiredKeys: [] },
  );
  const change = fc.record({ component: name, key: name, value, meta, bumps: fc.nat(2) });

  it('through an empty store give the same export', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        const from = testRoom({}, undefined, { secretGuard: noGuard });
        for (const { bumps, ...params } of changes) {
          const { component, key } = params;
          await from.hints.setHint(params, OPERATOR);
          from.pass(1_000);
          if (bumps > 0)
            await from.hints.bump(
              { component, key, delta: bumps, scope: params.meta.scope ?? {} },
              OPERATOR,
            );
        }
        const { payload } = await from.hints.export({}, OPERATOR);
        const into = testRoom({}, undefined, { secretGuard: noGuard, startMs: from.now() });
        const sent: unknown = JSON.parse(JSON.stringify(payload));
        const outcome = await into.hints.import({ payload: sent as StorePayload }, OPERATOR);
        expect(outcome).toEqual({
          imported: from.hints.counts(OPERATOR).hints,
          skipped: 0,
          reasons: [],
        });
        const again = (await into.hints.export({}, OPERATOR)).payload;
        expect(again.components).toEqual(payload.components);
      }),
      { numRuns: 30, seed: 6 },
    );
  });
});

describe('a payload that is written by hand', () => {
  it('may write a name in two ways of Unicode, and a tag twice', async () => {
    const { hints } = testRoom();
    const meta = { ttl: 'P7D', tags: ['a', 'b', 'a'] };
    const payload = payloadOf({ 'u\u0308ber': hintOf('x', { meta }) }, 'cafe\u0301');
    expect(await hints.import({ payload }, OPERATOR)).toMatchObject({ imported: 1 });
    for (const [component, key] of [
      ['caf\u00e9', '\u00fcber'],
      ['cafe\u0301', 'u\u0308ber'],
    ] as const) {
      const { hint } = await hints.getHint({ component, key }, OPERATOR);
      expect(hint?.meta.tags).toEqual(['a', 'b']);
    }
  });
});
