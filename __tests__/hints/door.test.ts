/** What must not get in, and what becomes of what does. */
import { describe, expect, it } from 'vitest';
import type { SetHintParams } from '../../src/hints/index.js';
import { HOUR_MS } from '../../src/shared/clock.js';
import { errorOf, OPERATOR, testRoom } from './hint-room.js';

const BUILD = { component: 'api', key: 'build' };
const set = (room: ReturnType<typeof testRoom>, more: object) =>
  room.hints.setHint({ ...BUILD, value: 'make', ...more } as SetHintParams, OPERATOR);
const scoped = (scope: object) => ({ meta: { scope } });
const fieldsOf = async (work: Promise<unknown>) => {
  const { code, details } = await errorOf(work);
  expect(code).toBe('INVALID_INPUT');
  const { findings } = details as { findings: { field: string; message: string }[] };
  return findings.map(({ field, message }) => `${field} ${message}`);
};

describe('text that no database and no terminal keeps', () => {
  const NUL = 'must not contain NUL characters';
  const HALF = 'must not contain half a character (a lone surrogate)';
  const json = (data: unknown) => ({ value: { type: 'json', data } });
  it.each([
    ['a text', { value: 'make\0all' }, `value ${NUL}`],
    ['half a character', { value: 'make \ud83d' }, `value ${HALF}`],
    ['a command', { value: { type: 'command', cmd: 'make\udc00' } }, `value.cmd ${HALF}`],
    ['data', json({ a: [1, { b: 'x\0' }] }), `value.data.a.1.b ${NUL}`],
    ['a name in data', json({ 'a\ud800': 1 }), `value.data.a\ufffd ${HALF}`],
    ['the reason', { meta: { reason: 'so\0' } }, `meta.reason ${NUL}`],
    ['a tag', { meta: { tags: ['a', 'b\ud800'] } }, `meta.tags.1 ${HALF}`],
    ['the key', { key: 'a\ud800' }, `key ${HALF}`],
  ])('is refused in %s', async (_where, more, told) => {
    const room = testRoom();
    expect(await fieldsOf(set(room, more))).toEqual([told]);
    expect(room.hints.counts(OPERATOR).hints).toBe(0);
  });

  it('is let in where it is whole', async () => {
    const { hint } = await set(testRoom(), json({ 'b\u{1f680}': ['\t\u0001', '\u{10ffff}'] }));
    expect(hint.value).toEqual({
      type: 'json',
      data: { 'b\u{1f680}': ['\t\u0001', '\u{10ffff}'] },
    });
  });
});

describe('names that look alike', () => {
  it.each([
    ['composed and decomposed', 'caf\u00e9', 'cafe\u0301'],
    ['full width', 'api', '\uff41\uff50\uff49'],
    ['a ligature', 'file', '\ufb01le'],
    ['another space', 'api server', 'api\u00a0server'],
    ['two spaces', 'api server', 'api  \u2003server'],
    ['spaces around', 'api', ' \u3000api '],
  ])('are one name: %s', async (_what, name, other) => {
    const room = testRoom();
    await set(room, { component: name, key: name });
    await set(room, { component: other, key: other, value: 'make all' });
    expect(room.hints.counts(OPERATOR).hints).toBe(1);
    const found = await room.hints.getHint({ component: other, key: other }, OPERATOR);
    expect(found).toMatchObject({ hint: { value: 'make all', version: 2 } });
  });

  const INVISIBLE = 'must not contain invisible characters';
  const MIXED = 'must not mix Latin and Cyrillic letters in a word';
  it.each([
    ['a zero-width space', 'a\u200bpi', INVISIBLE],
    ['a soft hyphen', 'a\u00adpi', INVISIBLE],
    ['a change of direction', 'a\u202epi', INVISIBLE],
    ['a Cyrillic letter in a Latin word', '\u0430pi', MIXED],
    ['a Latin letter in a Cyrillic word', 'c\u0435\u0440\u0432\u0435\u0440', MIXED],
  ])('are refused: %s', async (_what, name, told) => {
    const room = testRoom();
    expect(await fieldsOf(set(room, { component: name }))).toEqual([`component ${told}`]);
    expect(await fieldsOf(set(room, { key: name }))).toEqual([`key ${told}`]);
  });

  it('in scripts of their own are names', async () => {
    const room = testRoom();
    const names = [
      '\u0441\u0435\u0440\u0432\u0435\u0440 api',
      '\u03bcService',
      '\u6771\u4eac',
      'API',
      'api',
    ];
    for (const component of names) await set(room, { component });
    expect(room.hints.counts(OPERATOR).hints).toBe(names.length);
  });
});

describe('fields that are called __proto__, which a schema would lose', () => {
  it.each([
    ['params', '{"__proto__":{"meta":1}}', '__proto__'],
    ['meta', '{"meta":{"__proto__":{"priority":9}}}', 'meta.__proto__'],
    ['a scope', '{"meta":{"scope":{"__proto__":["linux"]}}}', 'meta.scope.__proto__'],
    [
      'variables that must match',
      '{"meta":{"scope":{"env_match":{"__proto__":"x","CI":"1"}}}}',
      'meta.scope.env_match.__proto__',
    ],
    [
      'defaults',
      '{"value":{"type":"template","format":"jinja","body":"x","defaults":{"__proto__":"x"}}}',
      'value.defaults.__proto__',
    ],
    ['data', '{"value":{"type":"json","data":[{"__proto__":1}]}}', 'value.data.0.__proto__'],
  ])('are refused in %s', async (_where, json, field) => {
    const room = testRoom();
    expect(await fieldsOf(set(room, JSON.parse(json)))).toEqual([
      `${field} must not be "__proto__"`,
    ]);
    expect(room.hints.counts(OPERATOR).hints).toBe(0);
  });

  it('are refused where a scope or context names what is deleted, read or counted', async () => {
    const room = testRoom();
    const scope = JSON.parse('{"env_match":{"__proto__":"x"}}');
    const context = JSON.parse('{"env":{"__proto__":"x"}}');
    await set(room, {});
    const { deleteHint, bump, getHint, query } = room.hints;
    const named = ['scope.env_match.__proto__ must not be "__proto__"'];
    expect(await fieldsOf(deleteHint({ ...BUILD, scope }, OPERATOR))).toEqual(named);
    expect(await fieldsOf(bump({ ...BUILD, scope }, OPERATOR))).toEqual(named);
    const asked = ['context.env.__proto__ must not be "__proto__"'];
    expect(await fieldsOf(getHint({ ...BUILD, context }, OPERATOR))).toEqual(asked);
    expect(await fieldsOf(query({ context }, OPERATOR))).toEqual(asked);
  });

  it('are a reason to skip the hint of an import, and only that one', async () => {
    const room = testRoom();
    const components = JSON.parse(
      '{"api":{"hints":{"a":{"value":"x","meta":{"scope":{"env_match":{"__proto__":"x","CI":"1"}}}},' +
        '"b":{"value":{"type":"json","data":{"__proto__":1}}},"c":{"value":"y"}}}}',
    );
    const payload = { schema_version: '1.0', components };
    expect(await room.hints.import({ payload }, OPERATOR)).toEqual({
      imported: 1,
      skipped: 2,
      reasons: [
        'api/a: meta.scope.env_match.__proto__: must not be "__proto__"',
        'api/b: value.data.__proto__: must not be "__proto__"',
      ],
    });
  });
});

describe('a path', () => {
  const path = (abs: string, ...os: string[]) => ({ value: { type: 'path', abs, os } });
  const on = (os: 'linux' | 'darwin' | 'windows') => ({ ...BUILD, context: { os } });

  it('is for the systems that it names, so that those of two stand side by side', async () => {
    const room = testRoom();
    await set(room, path('c:\\code\\api', 'windows'));
    await set(room, path('/Users/dev/api', 'darwin'));
    const valueOn = async (os: Parameters<typeof on>[0]) =>
      (await room.hints.getHint(on(os), OPERATOR)).hint?.value ?? null;
    expect(await valueOn('windows')).toMatchObject({ abs: 'c:\\code\\api' });
    expect(await valueOn('darwin')).toMatchObject({ abs: '/Users/dev/api' });
    expect(await valueOn('linux')).toBe(null);
    const { hint } = await set(room, path('d:\\api', 'windows'));
    expect([hint.version, hint.meta.scope]).toEqual([2, { os: ['windows'] }]);
  });

  it('keeps the systems that its scope names; one for all of them needs none', async () => {
    const room = testRoom();
    const scope = { os: ['linux' as const], branch: ['dev'] };
    const both = await set(room, { ...path('/srv/api', 'linux', 'darwin'), ...scoped(scope) });
    expect(both.hint.meta.scope).toEqual(scope);
    const branch = { branch: ['main'] };
    const more = await set(room, { ...path('/srv/api', 'linux'), ...scoped(branch) });
    expect(more.hint.meta.scope).toEqual({ ...branch, os: ['linux'] });
    const none = await set(room, { value: { type: 'path', abs: '/srv/api' } });
    expect(none.hint.meta.scope).toBe(undefined);
  });

  it('is for the same systems when it is imported', async () => {
    const room = testRoom();
    const hints = { build: path('c:\\code\\api', 'windows') };
    const payload = { schema_version: '1.0', components: { api: { hints } } };
    await room.hints.import({ payload }, OPERATOR);
    const { hint } = await room.hints.getHint(on('windows'), OPERATOR);
    expect(hint?.meta.scope).toEqual({ os: ['windows'] });
  });
});

describe('what has expired', () => {
  it('leaves its place to what an import brings, though nobody has swept it', async () => {
    const room = testRoom({ maxHints: 1 });
    await set(room, { meta: { ttl: 'PT1H' } });
    room.pass(HOUR_MS);
    const payload = {
      schema_version: '1.0',
      components: { api: { hints: { run: { value: 'x' } } } },
    };
    expect(await room.hints.import({ payload }, OPERATOR)).toMatchObject({ imported: 1 });
    expect(room.rows.rows.size).toBe(0);
  });
});

describe('numbers that an import names', () => {
  it('stay far below where counting ends', async () => {
    const room = testRoom();
    const [version, use_count] = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    const hints = { build: { value: 'x', meta: { ttl: 'P7D' }, version, use_count } };
    const payload = { schema_version: '1.0', components: { api: { hints } } };
    await room.hints.import({ payload }, OPERATOR);
    const most = 1_000_000_000;
    const { hint } = await room.hints.bump(BUILD, OPERATOR);
    expect([hint.version, hint.use_count]).toEqual([most, most + 1]);
    expect((await set(room, { meta: { ttl: 'P7D' } })).hint.version).toBe(most + 1);
  });
});

it('says what is wrong with a scope without a secret that stands in it', async () => {
  const secret = 'ghp_wJ3kQ9zR7tY1uI5oP2aS4dF6gH8jK0lZmN5b';
  const room = testRoom();
  for (const scope of [
    { cwd_glob: [`~/${secret}`] },
    { cwd_glob: [`/srv/${'x'.repeat(180)}/${secret}/[`] },
    { branch: [`${secret}[`] },
    { repo: `../${secret}` },
    { repo: `https://git.example/${secret}` },
    { env_match: { [secret]: [] } },
  ]) {
    const error = await set(room, scoped(scope)).then(
      () => null,
      (thrown: Error & { details: object }) => thrown,
    );
    expect(JSON.stringify([error?.message, error?.details])).not.toContain(secret.slice(0, 12));
  }
});
