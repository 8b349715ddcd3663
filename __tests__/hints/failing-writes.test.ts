import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/shared/clock.js';
import { errorOf, FakeRows, OPERATOR, testRoom } from './hint-room.js';

const BUILD = { component: 'api', key: 'build' };
const DURABLE = { ttl: 'P7D' };
const set = (room: ReturnType<typeof testRoom>, value: string, more: object = {}) =>
  room.hints.setHint({ ...BUILD, value, meta: DURABLE, ...more }, OPERATOR);
const stored = ({ rows }: ReturnType<typeof testRoom>) =>
  [...rows.rows.values()].map(({ key, hint }) => [key, hint.value, hint.version]);
const held = async ({ hints }: ReturnType<typeof testRoom>) =>
  (await hints.query({}, OPERATOR)).hints.map(({ key, hint }) => [key, hint.value, hint.version]);

describe('when a write fails', () => {
  it.each([false, true])(
    'nothing has changed; the row was written all the same: %s',
    async (written) => {
      const room = testRoom();
      await set(room, 'old');
      room.rows.failing = 1;
      room.rows.failsAfterWriting = written;
      expect((await errorOf(set(room, 'new'))).code).toBe('UNAVAILABLE');
      expect(await held(room)).toEqual([['build', 'old', 1]]);
      expect(stored(room)).toEqual([['build', 'old', 1]]);
      expect((await set(room, 'new')).hint.version).toBe(2);
    },
  );

  it('rows come in line later, when the database stays away', async () => {
    const room = testRoom();
    room.rows.failing = 3;
    room.rows.failsAfterWriting = true;
    expect((await errorOf(set(room, 'new'))).code).toBe('UNAVAILABLE');
    expect(await held(room)).toEqual([]);
    // One of the failures was the attempt to undo it.
    await room.hints.sweep();
    room.rows.failing = 0;
    await room.hints.sweep();
    expect(stored(room)).toEqual([]);
  });

  it('what has expired goes later, but not what was set in its place meanwhile', async () => {
    const room = testRoom();
    await set(room, 'old', { meta: { ttl: 'PT1H' } });
    await room.hints.setHint(
      { component: 'api', key: 'run', value: 'x', meta: { ttl: 'PT1H' } },
      OPERATOR,
    );
    room.pass(HOUR_MS);
    room.rows.failing = 1;
    expect(await room.hints.sweep()).toBe(2);
    expect(stored(room)).toHaveLength(2);
    await set(room, 'new');
    await room.hints.sweep();
    expect(stored(room)).toEqual([['build', 'new', 1]]);
  });

  it('a deleted hint is still there, a use is not counted', async () => {
    const room = testRoom();
    await set(room, 'make');
    room.rows.failing = 1;
    expect((await errorOf(room.hints.deleteHint(BUILD, OPERATOR))).code).toBe('UNAVAILABLE');
    room.rows.failing = 1;
    expect((await errorOf(room.hints.bump(BUILD, OPERATOR))).code).toBe('UNAVAILABLE');
    expect((await room.hints.getHint(BUILD, OPERATOR)).hint).toMatchObject({
      value: 'make',
      use_count: 0,
    });
    expect(stored(room)).toEqual([['build', 'make', 1]]);
  });

  it('an import that replaces leaves everything as it was', async () => {
    const room = testRoom();
    await set(room, 'make');
    const hint = { value: 'new', meta: DURABLE };
    const payload = {
      schema_version: '1.0',
      components: { api: { hints: { build: hint, run: hint } } },
    };
    room.rows.failing = 1;
    room.rows.failsAfterWriting = true;
    const error = await errorOf(room.hints.import({ payload, mode: 'replace' }, OPERATOR));
    expect(error.code).toBe('UNAVAILABLE');
    expect(await held(room)).toEqual([['build', 'make', 1]]);
    expect(stored(room)).toEqual([['build', 'make', 1]]);
  });

  it('session hints need no database', async () => {
    const room = testRoom();
    room.rows.failing = 1;
    const { hint } = await set(room, 'make', { meta: {} });
    expect(hint.version).toBe(1);
    expect(room.rows.failing).toBe(1);
  });
});

describe('while a write is under way', () => {
  it('readers see what was before, and the next write comes after', async () => {
    const room = testRoom();
    await set(room, 'old');
    let open = () => {};
    room.rows.gate = new Promise((resolve) => {
      open = resolve;
    });
    const writing = set(room, 'new');
    const next = set(room, 'newest');
    expect(await held(room)).toEqual([['build', 'old', 1]]);
    open();
    expect([(await writing).hint.version, (await next).hint.version]).toEqual([2, 3]);
    expect(stored(room)).toEqual([['build', 'newest', 3]]);
  });
});

describe('rows', () => {
  it('outlive the process; session hints do not', async () => {
    const rows = new FakeRows();
    const before = testRoom({}, rows);
    await set(before, 'make', { meta: { ...DURABLE, tags: ['build'] } });
    await before.hints.bump(BUILD, OPERATOR);
    await before.hints.setHint({ component: 'api', key: 'now', value: 'x' }, OPERATOR);
    const after = testRoom({}, rows);
    await after.hints.refresh();
    const exported = async ({ hints }: typeof after) => (await hints.export({}, OPERATOR)).payload;
    const { api } = (await exported(before)).components;
    delete api?.hints.now;
    expect((await exported(after)).components).toEqual({ api });
  });

  it('go when a durable hint becomes one of the session', async () => {
    const room = testRoom();
    await set(room, 'make');
    const { hint } = await set(room, 'make', { meta: { ttl: 'session' } });
    expect(hint.version).toBe(2);
    expect(stored(room)).toEqual([]);
  });

  it('that another process has changed are taken over, and the last one wins', async () => {
    const room = testRoom();
    await set(room, 'mine');
    const [row] = room.rows.rows.values();
    const others = { ...row!, hint: { ...row!.hint, value: 'theirs', version: 5 } };
    room.rows.rows.set(row!.id, others);
    room.rows.stale.add(row!.id);
    expect(await errorOf(set(room, 'new', { if_match_version: 1 }))).toMatchObject({
      code: 'CONFLICT',
    });
    expect(await held(room)).toEqual([['build', 'theirs', 5]]);
    room.rows.stale.add(row!.id);
    expect((await set(room, 'new')).hint.version).toBe(6);
  });

  it('of other processes are found with the next look at them', async () => {
    const rows = new FakeRows();
    const [one, other] = [testRoom({}, rows), testRoom({}, rows)];
    await set(one, 'make');
    await other.hints.refresh();
    expect(await held(other)).toEqual([['build', 'make', 1]]);
    await one.hints.deleteHint(BUILD, OPERATOR);
    await other.hints.refresh();
    expect(await held(other)).toEqual([]);
  });
});
