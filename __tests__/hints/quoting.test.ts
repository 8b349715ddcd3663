/** Rooms that quote hints hear of what is forgotten before it is gone, and of what comes back. */
import { describe, expect, it } from 'vitest';
import type { HintObserver } from '../../src/hints/index.js';
import { HOUR_MS } from '../../src/shared/clock.js';
import { CLIENT, errorOf, OPERATOR, person, testRoom } from './hint-room.js';

const BUILD = { component: 'api', key: 'build' };
const ANN = person('ann');

/** A room with who is told, by the values of the hints that were there then. */
function watched(settings: Parameters<typeof testRoom>[0] = {}) {
  const heard: string[] = [];
  const state = { fails: false, meanwhile: async () => {} };
  const names = new Map<string, string>();
  const named = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? '?').sort();
  const observer: HintObserver = {
    async forgetting(ids) {
      const there = room.hints.offering.current(ids).length;
      heard.push(`forgetting ${named(ids)} of ${there}`);
      await state.meanwhile();
      if (state.fails) throw new Error('Failed query: connection lost params: hunter2');
    },
    returned: (ids) => heard.push(`returned ${named(ids)}`),
  };
  const room = testRoom(settings, undefined, { observer });
  const set = async (key: string, value: string, meta: object = {}, caller = OPERATOR) => {
    const { hint } = await room.hints.setHint({ component: 'api', key, value, meta }, caller);
    const id = room.hints.offering.idOf({ component: 'api', key, hint }, caller);
    names.set(id ?? '', `${key}=${value}`);
  };
  return { ...room, heard, state, set };
}

describe('who quotes hints', () => {
  it('is told of each variant before it is deleted, and when one is set anew', async () => {
    const { hints, heard, set } = watched();
    await set('build', 'make');
    await set('build', 'nmake', { scope: { os: ['windows'] } });
    await hints.deleteHint(BUILD, CLIENT);
    expect(heard).toEqual(['forgetting build=make,build=nmake of 2']);
    await set('build', 'make');
    await set('build', 'make all');
    expect(heard.slice(1)).toEqual(['returned build=make']);
  });

  it('is told nothing of what changes, expires or may not be deleted', async () => {
    const { hints, heard, set, pass } = watched();
    await set('build', 'make', { ttl: 'PT1H' });
    await set('build', 'make all', { ttl: 'PT1H' });
    expect((await errorOf(hints.deleteHint(BUILD, ANN))).code).toBe('PERMISSION_DENIED');
    await hints.bump(BUILD, OPERATOR);
    pass(HOUR_MS);
    expect(await hints.sweep()).toBe(1);
    expect((await errorOf(hints.deleteHint(BUILD, OPERATOR))).code).toBe('NOT_FOUND');
    expect(heard).toEqual([]);
  });

  it('is told of what an import takes away, and not of what it replaces', async () => {
    const { hints, heard, set } = watched();
    await set('build', 'make');
    await set('test', 'vitest');
    await set('run', 'mine', {}, ANN);
    const components = { api: { hints: { build: { value: 'make all' } } } };
    const payload = { schema_version: '1.0', components };
    await hints.import({ payload }, OPERATOR);
    expect(heard).toEqual([]);
    await hints.import({ payload, mode: 'replace' }, OPERATOR);
    expect(heard).toEqual(['forgetting test=vitest of 1']);
    await set('test', 'vitest');
    expect(heard.slice(1)).toEqual(['returned test=vitest']);
  });

  it('keeps a hint by not letting go of it', async () => {
    const { hints, heard, set, state } = watched();
    await set('build', 'make');
    state.fails = true;
    // Nothing of why: what the error of another room says may stand in what it stores.
    await expect(hints.deleteHint(BUILD, OPERATOR)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'what quotes the hint could not be removed',
    });
    expect(heard).toEqual(['forgetting build=make of 1', 'returned build=make']);
    expect((await hints.getHint(BUILD, OPERATOR)).hint?.value).toBe('make');
    state.fails = false;
    expect((await hints.deleteHint(BUILD, OPERATOR)).previous.value).toBe('make');
  });

  it('hears that a hint stays which could not be removed', async () => {
    const { hints, heard, rows, set } = watched({ defaultTtl: 'P7D' });
    await set('build', 'make');
    rows.failing = 9;
    expect((await errorOf(hints.deleteHint(BUILD, OPERATOR))).code).toBe('UNAVAILABLE');
    expect(heard).toEqual(['forgetting build=make of 1', 'returned build=make']);
  });

  it('is told of all that is deleted: what comes meanwhile stays', async () => {
    const { hints, heard, set, state } = watched();
    await set('build', 'make');
    state.meanwhile = () => set('build', 'nmake', { scope: { os: ['windows'] } });
    const { previous_all } = await hints.deleteHint(BUILD, OPERATOR);
    expect(previous_all.map(({ value }) => value)).toEqual(['make']);
    expect(heard).toEqual(['forgetting build=make of 1']);
    const { hint } = await hints.getHint({ ...BUILD, context: { os: 'windows' } }, OPERATOR);
    expect(hint?.value).toBe('nmake');
  });

  it('hears of a hint that two delete at once, and not that it is back', async () => {
    const { hints, heard, set } = watched();
    await set('build', 'make');
    const both = await Promise.allSettled([
      hints.deleteHint(BUILD, OPERATOR),
      hints.deleteHint(BUILD, CLIENT),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(heard).toEqual(['forgetting build=make of 1', 'forgetting build=make of 1']);
  });
});
