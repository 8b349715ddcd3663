/** The methods of the seed over a real store, by both of their names. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/log.js';
import { packageVersion } from '../../../src/shared/package-version.js';
import { RPC, type RpcOutcome } from '../../../src/surfaces/rest/rpc/json-rpc.js';
import { createNudgeHandler } from '../../../src/surfaces/rest/rpc/nudge-methods.js';
import { OPERATOR, testRoom } from '../../hints/hint-room.js';

const AGENT_ID = 'aaaaaaaa-0000-4000-8000-000000000001';
const STARTED = '2026-05-01T09:00:00.000Z';

function stage(settings: Parameters<typeof testRoom>[0] = {}) {
  const logged: Record<string, unknown>[] = [];
  const log: Log = {
    debug() {},
    info() {},
    warn() {},
    error: (fields) => logged.push(fields),
  };
  const { hints } = testRoom(settings);
  const who = { agent_name: 'Ada', project: 'the house', database: '/srv/db' };
  const serving = () => ({ kind: 'headless', started: STARTED, ...who }) as const;
  const deps = { hints: () => hints, caller: OPERATOR, agentId: AGENT_ID, serving, log };
  return { logged, deps, call: createNudgeHandler(deps) };
}

type Fields = Record<string, unknown>;

/** The result of a call that must succeed. */
function resultOf(outcome: RpcOutcome): Fields {
  if ('error' in outcome) throw new Error(JSON.stringify(outcome.error));
  return outcome.result as Fields;
}

/** Code, reason and the fields blamed. */
function blameOf(outcome: RpcOutcome): { code: number; reason: unknown; fields: string[] } {
  if (!('error' in outcome)) throw new Error(JSON.stringify(outcome));
  const { code, data } = outcome.error;
  const { reason, details } = data as {
    reason: unknown;
    details: { findings?: { field: string }[] };
  };
  return { code, reason, fields: (details.findings ?? []).map(({ field }) => field) };
}

const build = { component: 'http-proxy', key: 'build', value: 'docker compose build router' };

describe('a method', () => {
  it('is known by its name with a dot and with an underscore', async () => {
    const { call } = stage();
    resultOf(await call('nudge.set_hint', build));
    const asked = { component: 'http-proxy', key: 'build' };
    const dotted = resultOf(await call('nudge.get_hint', asked));
    expect(dotted.hint).toMatchObject({ value: build.value, version: 1 });
    expect(resultOf(await call('nudge_get_hint', asked))).toStrictEqual(dotted);
  });

  it('answers what the seed says, each of them', async () => {
    const { call } = stage();
    const keys = async (method: string, params?: Fields) =>
      Object.keys(resultOf(await call(`nudge.${method}`, params)));
    const named = { component: 'http-proxy', key: 'build' };
    const lasting = { ...build, key: 'run', meta: { ttl: 'P1D' } };
    expect(await keys('set_hint', lasting)).toStrictEqual(['hint']);
    await call('nudge.delete_hint', { component: build.component, key: 'run' });
    expect(await keys('set_hint', build)).toStrictEqual(['hint', 'notice']);
    expect(await keys('get_hint', named)).toStrictEqual(['hint', 'match_explain']);
    expect(await keys('query', { component: 'http-proxy' })).toStrictEqual(['hints']);
    expect(resultOf(await call('nudge.list_components', undefined))).toStrictEqual({
      components: [{ name: 'http-proxy', hint_count: 1 }],
    });
    const { hint } = resultOf(await call('nudge.bump', { ...named, delta: 2 }));
    expect(hint).toMatchObject({ use_count: 2, version: 1 });
    const { payload } = resultOf(await call('nudge.export', { format: 'json' }));
    expect(Object.keys(payload as Fields)).toStrictEqual([
      'schema_version',
      'created_at',
      'session_id',
      'components',
    ]);
    expect(await keys('delete_hint', named)).toStrictEqual(['deleted', 'previous', 'previous_all']);
    expect(resultOf(await call('nudge.import', { payload, mode: 'merge' }))).toStrictEqual({
      imported: 1,
      skipped: 0,
      reasons: [],
    });
  });

  it('says who serves, and how much there is', async () => {
    const { call } = stage();
    resultOf(await call('nudge.set_hint', { ...build, meta: { tags: ['docker'] } }));
    expect(resultOf(await call('nudge.status', {}))).toStrictEqual({
      name: 'cue',
      version: packageVersion(),
      kind: 'headless',
      pid: process.pid,
      started: STARTED,
      agent_id: AGENT_ID,
      agent_name: 'Ada',
      project: 'the house',
      database: '/srv/db',
      session_id: 'session-1',
      counts: {
        components: 1,
        hints: 1,
        durable: 0,
        session: 1,
        secret: 0,
        top_tags: [{ tag: 'docker', count: 1 }],
      },
    });
    expect(packageVersion()).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('takes an empty list for no params, but none by position', async () => {
    const { call } = stage();
    expect(resultOf(await call('nudge.list_components', []))).toStrictEqual({ components: [] });
    expect(blameOf(await call('nudge.get_hint', ['http-proxy', 'build']))).toStrictEqual({
      code: RPC.invalidParams,
      reason: 'E_INVALID',
      fields: ['params'],
    });
  });

  it.each([
    'nudge.sweep',
    'nudge.',
    'set_hint',
    'NUDGE.SET_HINT',
    'nudge.set_hint ',
    'nudge.constructor',
    '__proto__',
    'toString',
  ])('is not one by the name %j', async (name) => {
    expect(await stage().call(name, {})).toStrictEqual({
      error: { code: RPC.methodNotFound, message: `there is no method "${name.trim()}"` },
    });
  });
});

describe('what is wrong', () => {
  it.each([
    ['nothing at all', 'set_hint', undefined, ['component', 'key', 'value']],
    ['an unknown field', 'set_hint', { ...build, ttl: 'PT1H' }, ['ttl']],
    ['an unknown field of meta', 'set_hint', { ...build, meta: { prio: 1 } }, ['meta.prio']],
    ['a priority of 11', 'set_hint', { ...build, meta: { priority: 11 } }, ['meta.priority']],
    ['no duration', 'set_hint', { ...build, meta: { ttl: 'soon' } }, ['meta.ttl']],
    [
      'a path that is not absolute',
      'set_hint',
      { ...build, value: { type: 'path', abs: 'a' } },
      ['value.abs'],
    ],
    ['a version below 0', 'set_hint', { ...build, if_match_version: -1 }, ['if_match_version']],
    ['a field of another method', 'get_hint', { ...build }, ['value']],
    [
      'an unknown system',
      'get_hint',
      { component: 'a', key: 'b', context: { os: 'beos' } },
      ['context.os'],
    ],
    ['a limit of 0', 'query', { limit: 0 }, ['limit']],
    ['a field where none is taken', 'list_components', { limit: 1 }, ['limit']],
    ['a field of the status', 'status', { verbose: true }, ['verbose']],
    ['a format that is unknown', 'export', { format: 'yaml' }, ['format']],
    [
      'a future schema',
      'import',
      { payload: { schema_version: '2.0', components: {} } },
      ['payload.schema_version'],
    ],
    [
      'a component named __proto__',
      'set_hint',
      { ...build, component: '__proto__' },
      ['component'],
    ],
  ])('is named: %s', async (_name, method, params, fields) => {
    expect(blameOf(await stage().call(`nudge.${method}`, params))).toStrictEqual({
      code: 40001,
      reason: 'E_INVALID',
      fields,
    });
  });

  it('is the params as a whole when they are nested without end', async () => {
    let nested: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
    const value = { type: 'json', data: nested };
    const outcome = await stage().call('nudge.set_hint', { ...build, value });
    expect(blameOf(outcome)).toStrictEqual({
      code: 40001,
      reason: 'E_INVALID',
      fields: ['params'],
    });
  });

  it('has the code of the seed for each of its errors', async () => {
    const { call } = stage({ maxPerComponent: 1 });
    const named = { component: 'http-proxy', key: 'build' };
    const blame = async (method: string, params: Fields) => {
      const { code, reason } = blameOf(await call(`nudge.${method}`, params));
      return [code, reason];
    };
    expect(await blame('get_hint', named)).toStrictEqual([40401, 'E_NOT_FOUND']);
    resultOf(await call('nudge.set_hint', build));
    expect(await blame('set_hint', { ...build, if_match_version: 7 })).toStrictEqual([
      40901,
      'E_CONFLICT',
    ]);
    expect(await blame('set_hint', { ...build, value: 'AKIAQ3EGRJ4LW7XUTBNM' })).toStrictEqual([
      40002,
      'E_SECRET_REJECTED',
    ]);
    const scope = { cwd_glob: ['../up/**'] };
    expect(await blame('set_hint', { ...build, meta: { scope } })).toStrictEqual([
      40003,
      'E_SCOPE_INVALID',
    ]);
    expect(await blame('set_hint', { ...build, key: 'run' })).toStrictEqual([42901, 'E_QUOTA']);
  });

  it('has our own code where the seed has none', async () => {
    const { deps } = stage();
    const call = createNudgeHandler({
      ...deps,
      hints: () => {
        throw new AppError('UNAVAILABLE', 'not yet');
      },
    });
    expect(await call('nudge.status', {})).toStrictEqual({
      error: { code: -32050, message: 'not yet', data: { reason: 'UNAVAILABLE', details: {} } },
    });
  });

  it('stays in the log when nobody expected it', async () => {
    const { deps, logged } = stage();
    const call = createNudgeHandler({
      ...deps,
      hints: () => {
        throw new Error('password is 1234');
      },
    });
    expect(await call('nudge.status', {})).toStrictEqual({
      error: {
        code: RPC.internalError,
        message: 'something went wrong here; the log of the agent has the cause',
        data: { reason: 'INTERNAL', details: {} },
      },
    });
    expect(logged).toMatchObject([{ method: 'nudge.status', error: 'password is 1234' }]);
  });
});
