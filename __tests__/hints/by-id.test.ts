/** Whoever showed a hint uses and deletes that one, and no other of the same name. */
import { describe, expect, it } from 'vitest';
import type { HintObserver } from '../../src/hints/index.js';
import type { Caller } from '../../src/records/index.js';
import { HOUR_MS } from '../../src/shared/clock.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';
import { CLIENT, errorOf, OPERATOR, person, testRoom } from './hint-room.js';

const NAME = { component: 'api', key: 'build' };
const [ANN, BOB, ADMIN] = [person('ann'), person('bob'), person('admin')];

/** The same name and scope twice: Ann's own, and the project's, which is the better one. */
async function shelf() {
  const heard: (readonly Uuid[])[] = [];
  const state = { fails: false };
  const observer: HintObserver = {
    async forgetting(ids) {
      heard.push(ids);
      if (state.fails) throw new Error('connection lost');
    },
    returned() {},
  };
  const room = testRoom({}, undefined, { observer });
  const { offering } = room.hints;
  const put = async (value: string, priority: number, caller: Caller) => {
    const meta = { priority, ttl: 'PT2H' };
    const { hint } = await room.hints.setHint({ ...NAME, value, meta }, caller);
    const id = offering.idOf({ ...NAME, hint }, caller);
    if (id === null) throw new Error('no id');
    return id;
  };
  const ids = { ours: await put('ours', 9, OPERATOR), anns: await put('anns', 1, ANN) };
  const uses = () =>
    Object.fromEntries(
      offering.current(Object.values(ids)).map(({ hint }) => [String(hint.value), hint.use_count]),
    );
  return { ...room, offering, ids, uses, heard, state };
}

describe('a hint named by its id', () => {
  it('is the one that a use counts for', async () => {
    const { offering, ids, uses, rows, now } = await shelf();
    const hint = await offering.bump(ids.anns, ANN, 3);
    expect(hint).toMatchObject({ value: 'anns', use_count: 3 });
    await offering.bump(ids.ours, ANN);
    expect(uses()).toEqual({ anns: 3, ours: 1 });
    expect(rows.rows.get(ids.anns)?.hint).toMatchObject({
      use_count: 3,
      last_used_at: new Date(now()).toISOString(),
    });
  });

  it('is the one that goes, after what quotes it', async () => {
    const { offering, ids, uses, heard, rows } = await shelf();
    await offering.delete(ids.anns, ANN);
    expect(uses()).toEqual({ ours: 0 });
    expect(heard).toEqual([[ids.anns]]);
    expect([...rows.rows.keys()]).toEqual([ids.ours]);
    await offering.delete(ids.ours, CLIENT);
    expect(uses()).toEqual({});
  });

  it('stays when what quotes it cannot be removed', async () => {
    const { offering, ids, uses, state } = await shelf();
    state.fails = true;
    expect((await errorOf(offering.delete(ids.anns, ANN))).code).toBe('UNAVAILABLE');
    expect(uses()).toEqual({ anns: 0, ours: 0 });
  });

  it('is not there for whom it is not meant, when it has ended, or never was', async () => {
    const { offering, ids, uses, heard, pass } = await shelf();
    const none = derivedId('test', 'none');
    const codes = async (id: Uuid, caller: Caller) => [
      (await errorOf(offering.bump(id, caller))).code,
      (await errorOf(offering.delete(id, caller))).code,
    ];
    for (const caller of [BOB, ADMIN, CLIENT]) {
      expect(await codes(ids.anns, caller)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    }
    expect(await codes(none, OPERATOR)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect(uses()).toEqual({ anns: 0, ours: 0 });
    pass(2 * HOUR_MS);
    expect(await codes(ids.ours, OPERATOR)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect(heard).toEqual([]);
  });

  it('goes by an owner or admin alone when all share it', async () => {
    const { offering, ids, uses, heard } = await shelf();
    expect((await errorOf(offering.delete(ids.ours, ANN))).code).toBe('PERMISSION_DENIED');
    expect(heard).toEqual([]);
    await offering.delete(ids.ours, ADMIN);
    expect(uses()).toEqual({ anns: 0 });
  });
});
