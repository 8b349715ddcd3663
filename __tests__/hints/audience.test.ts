import { describe, expect, it } from 'vitest';
import { type Caller, identityOfSession } from '../../src/records/index.js';
import { HOUR_MS } from '../../src/shared/clock.js';
import { AGENT, CLIENT, errorOf, OPERATOR, PROJECT, person, testRoom } from './hint-room.js';

const BUILD = { component: 'http-proxy', key: 'build' };
const ANN = person('ann');
const BOB = person('bob');
const ADMIN = person('admin');

describe('whose a hint is', () => {
  it('what is set in chat is seen by the person, in any room, and by the operator', async () => {
    const { hints } = testRoom();
    await hints.setHint({ ...BUILD, value: 'mine' }, ANN);
    const elsewhere = { ...ANN, roomId: BOB.entityId, private: false };
    expect((await hints.getHint(BUILD, elsewhere)).hint?.value).toBe('mine');
    expect((await hints.getHint(BUILD, OPERATOR)).hint?.value).toBe('mine');
    for (const other of [BOB, CLIENT]) {
      expect((await errorOf(hints.getHint(BUILD, other))).code).toBe('NOT_FOUND');
      expect((await hints.query({ explain: 'all' }, other)).hints).toEqual([]);
      expect((await hints.listComponents({}, other)).components).toEqual([]);
      expect(hints.counts(other).hints).toBe(0);
    }
  });

  it('of equals the own comes first; a better one of the project wins', async () => {
    const { hints } = testRoom();
    await hints.setHint({ ...BUILD, value: 'mine' }, ANN);
    const set = { ...BUILD, value: 'ours' };
    expect((await hints.setHint(set, OPERATOR)).hint.version).toBe(1);
    expect((await hints.getHint(BUILD, ANN)).hint?.value).toBe('mine');
    expect((await hints.getHint(BUILD, OPERATOR)).hint?.value).toBe('ours');
    expect((await hints.getHint(BUILD, BOB)).hint?.value).toBe('ours');
    await hints.setHint({ ...set, meta: { priority: 9 } }, OPERATOR);
    expect((await hints.getHint(BUILD, ANN)).hint?.value).toBe('ours');
  });

  it('only owner and admins share from chat', async () => {
    const { hints } = testRoom();
    const params = { ...BUILD, value: 'ours' };
    const refused = await errorOf(hints.setHint(params, ANN, { share: true }));
    expect(refused.code).toBe('PERMISSION_DENIED');
    await hints.setHint(params, ADMIN, { share: true });
    expect((await hints.getHint(BUILD, BOB)).hint?.value).toBe('ours');
  });

  it('a person deletes the own, and what all share only as admin', async () => {
    const { hints } = testRoom();
    await hints.setHint({ ...BUILD, value: 'ours' }, OPERATOR);
    await hints.setHint({ ...BUILD, value: 'mine' }, ANN);
    expect((await errorOf(hints.deleteHint(BUILD, BOB))).code).toBe('PERMISSION_DENIED');
    const gone = await hints.deleteHint(BUILD, ANN);
    expect(gone.previous_all.map(({ value }) => value)).toEqual(['mine']);
    expect((await hints.getHint(BUILD, ANN)).hint?.value).toBe('ours');
    await hints.deleteHint(BUILD, ADMIN);
    expect(hints.counts(OPERATOR).hints).toBe(0);
  });

  it('clients of the project share one store', async () => {
    const { hints } = testRoom();
    const other = { ...CLIENT, identityId: BOB.entityId };
    await hints.setHint({ ...BUILD, value: 'a' }, CLIENT);
    expect((await hints.setHint({ ...BUILD, value: 'b' }, other)).hint.version).toBe(2);
    expect((await hints.bump(BUILD, ANN)).hint.use_count).toBe(1);
    expect((await hints.deleteHint(BUILD, other)).previous.value).toBe('b');
  });

  it('every client is its own author, registered or not, and none needs to be it', async () => {
    const { hints, rows } = testRoom({ defaultTtl: 'P7D' });
    const registered = { ...CLIENT, identityId: BOB.entityId, sessionId: 'one' };
    const session = { ...CLIENT, sessionId: 'two' };
    const set = (key: string, caller: Caller) =>
      hints.setHint({ component: 'api', key, value: 'a' }, caller);
    await set('build', registered);
    await set('test', session);
    await set('run', CLIENT);
    await set('lint', OPERATOR);
    const authors = [...rows.rows.values()].map(({ key, audience }) => [key, audience.authorId]);
    expect(Object.fromEntries(authors)).toEqual({
      ...{ build: BOB.entityId, test: identityOfSession(PROJECT, 'two') },
      ...{ run: AGENT, lint: AGENT },
    });
    const stranger = { ...CLIENT, sessionId: 'three' };
    const named = { component: 'api', key: 'test' };
    expect((await hints.setHint({ ...named, value: 'b' }, stranger)).hint.version).toBe(2);
    expect((await hints.bump(named, stranger)).hint.use_count).toBe(1);
    expect((await hints.deleteHint(named, registered)).previous.value).toBe('b');
    const unaware = { component: 'api', key: 'build', value: 'c', if_match_version: 0 };
    expect((await errorOf(hints.setHint(unaware, stranger))).code).toBe('CONFLICT');
  });

  it('what the caller does not see is in no count', async () => {
    const { hints, pass } = testRoom();
    const set = (component: string, tags: string[], caller: Caller, more: object = {}) =>
      hints.setHint({ component, key: 'build', value: 'x', meta: { tags, ...more } }, caller);
    await set('api', ['ci', 'fast', 'ci'], OPERATOR);
    await set('web', ['ci'], OPERATOR, { ttl: 'P1D', sensitivity: 'secret' });
    await set('web', ['mine'], ANN, { ttl: 'session' });
    await set('notes', ['mine', 'ci'], ANN, { ttl: 'P1D' });
    await set('old', ['gone'], OPERATOR, { ttl: 'PT1H' });
    pass(HOUR_MS);
    const some = { hints: 2, durable: 1, session: 1, secret: 1, components: 2 };
    const tagged = (tag: string, count: number) => ({ tag, count });
    const top_tags = [tagged('ci', 2), tagged('fast', 1)];
    expect(hints.counts(CLIENT)).toEqual({ ...some, top_tags });
    const all = { hints: 4, durable: 2, session: 2, secret: 1, components: 3 };
    const allTags = [tagged('ci', 3), tagged('mine', 2), tagged('fast', 1)];
    for (const caller of [ANN, OPERATOR]) {
      expect(hints.counts(caller)).toEqual({ ...all, top_tags: allTags });
    }
  });

  it('no client deletes what is private to a person', async () => {
    const { hints } = testRoom();
    await hints.setHint({ ...BUILD, value: 'mine' }, ANN);
    await hints.setHint({ ...BUILD, value: 'ours' }, CLIENT);
    await hints.deleteHint(BUILD, CLIENT);
    expect((await hints.getHint(BUILD, ANN)).hint?.value).toBe('mine');
  });
});

describe('exports', () => {
  it('hold no private hint but the own', async () => {
    const { hints } = testRoom();
    await hints.setHint({ ...BUILD, value: 'ours' }, OPERATOR);
    await hints.setHint({ ...BUILD, value: 'mine' }, ANN);
    const values = async (caller: typeof ANN | typeof OPERATOR) => {
      const { payload } = await hints.export({}, caller);
      const component = payload.components['http-proxy'];
      return [component?.hints.build?.value, component?.variants];
    };
    expect(await values(OPERATOR)).toEqual(['ours', undefined]);
    expect(await values(BOB)).toEqual(['ours', undefined]);
    expect(await values(ANN)).toEqual(['mine', undefined]);
  });

  it('show secrets to the operator only', async () => {
    const { hints } = testRoom();
    const meta = { sensitivity: 'secret' as const };
    await hints.setHint({ ...BUILD, value: 'hunter2', meta }, OPERATOR);
    const valueFor = async (caller: typeof CLIENT) =>
      (await hints.export({}, caller)).payload.components['http-proxy']?.hints.build?.value;
    expect([await valueFor(OPERATOR), await valueFor(CLIENT)]).toEqual(['hunter2', '[redacted]']);
  });
});

describe('imports', () => {
  it('of a person replace only what is private to that person', async () => {
    const { hints } = testRoom();
    await hints.setHint({ ...BUILD, value: 'ours' }, OPERATOR);
    await hints.setHint({ ...BUILD, key: 'run', value: 'mine' }, ANN);
    const components = { web: { hints: { test: { value: 'vitest' } } } };
    const payload = { schema_version: '1.0', components };
    await hints.import({ payload, mode: 'replace' }, ANN);
    expect((await errorOf(hints.getHint({ ...BUILD, key: 'run' }, ANN))).code).toBe('NOT_FOUND');
    expect((await hints.getHint(BUILD, ANN)).hint?.value).toBe('ours');
    expect((await errorOf(hints.getHint({ component: 'web', key: 'test' }, BOB))).code).toBe(
      'NOT_FOUND',
    );
  });

  it('of the operator leave private hints alone', async () => {
    const { hints } = testRoom();
    await hints.setHint({ ...BUILD, value: 'mine' }, ANN);
    const payload = { schema_version: '1.0', components: {} };
    await hints.import({ payload, mode: 'replace' }, OPERATOR);
    expect((await hints.getHint(BUILD, ANN)).hint?.value).toBe('mine');
  });

  it('do not put a hidden secret over the real one', async () => {
    const { hints, pass } = testRoom();
    const meta = { sensitivity: 'secret' as const };
    await hints.setHint({ ...BUILD, value: 'hunter2', meta }, OPERATOR);
    const { payload } = await hints.export({}, CLIENT);
    pass(1);
    const outcome = await hints.import({ payload, mode: 'replace' }, CLIENT);
    expect(outcome).toEqual({
      imported: 0,
      skipped: 1,
      reasons: ['http-proxy/build: its secret is hidden in the payload'],
    });
    expect((await hints.getHint(BUILD, OPERATOR)).hint?.value).toBe('hunter2');
  });
});
