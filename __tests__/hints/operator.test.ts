/** The operator sees everything, but what is one person's never stands for what is everybody's. */
import { describe, expect, it } from 'vitest';
import type { ScoredHint } from '../../src/hints/index.js';
import { HOUR_MS } from '../../src/shared/clock.js';
import { CLIENT, errorOf, OPERATOR, person, testRoom } from './hint-room.js';

const URL_KEY = { component: 'web', key: 'url' };
const BOB = person('bob');
const PRIVATE = 'private to one person';
const valuesOf = (hints: readonly Pick<ScoredHint, 'hint'>[] = []) =>
  hints.map(({ hint }) => hint.value);

/** Bob's is the better one. */
async function both() {
  const room = testRoom();
  await room.hints.setHint({ ...URL_KEY, value: 'ours', meta: { tags: ['ours'] } }, CLIENT);
  await room.hints.setHint(
    { ...URL_KEY, value: 'of Bob', meta: { priority: 9, tags: ['bob'] } },
    BOB,
  );
  return room;
}

describe('where the project has a hint of the key, the operator', () => {
  it('gets it, and no private one', async () => {
    const { hints } = await both();
    const got = await hints.getHint({ ...URL_KEY, limit: 5, explain: 'all' }, OPERATOR);
    expect(got.hint?.value).toBe('ours');
    expect(got.match_explain.reasons).toEqual(['fits everywhere']);
    expect([valuesOf(got.hints), got.others]).toEqual([['ours'], []]);
    expect((await hints.getHint(URL_KEY, BOB)).hint?.value).toBe('of Bob');
  });

  it('gets no private one either when it is not eligible', async () => {
    const { hints } = testRoom();
    const meta = { scope: { os: ['windows' as const] } };
    await hints.setHint({ ...URL_KEY, value: 'ours', meta }, CLIENT);
    await hints.setHint({ ...URL_KEY, value: 'of Bob' }, BOB);
    const here = { ...URL_KEY, context: { os: 'linux' as const } };
    const got = await hints.getHint({ ...here, explain: 'all' }, OPERATOR);
    expect(got.hint).toBe(null);
    expect(got.match_explain.reasons).toEqual(['os=linux not in windows']);
    expect(valuesOf(got.others)).toEqual(['ours']);
    expect((await errorOf(hints.bump(here, OPERATOR))).code).toBe('NOT_FOUND');
    expect((await errorOf(hints.deleteHint({ ...URL_KEY, scope: {} }, OPERATOR))).code).toBe(
      'NOT_FOUND',
    );
  });

  it('finds it, and no private one, whatever is asked for', async () => {
    const { hints } = await both();
    const found = async (params: object) => valuesOf((await hints.query(params, OPERATOR)).hints);
    expect(await found({})).toEqual(['ours']);
    expect(await found({ component: 'web' })).toEqual(['ours']);
    expect(await found({ regex: 'Bob' })).toEqual([]);
    expect(await found({ tags: ['bob'] })).toEqual([]);
    expect(valuesOf((await hints.query({}, BOB)).hints)).toEqual(['of Bob', 'ours']);
  });

  it('bumps and deletes it, and no private one', async () => {
    const { hints } = await both();
    expect((await hints.bump(URL_KEY, OPERATOR)).hint.value).toBe('ours');
    const gone = await hints.deleteHint(URL_KEY, OPERATOR);
    expect(gone.previous_all.map(({ value }) => value)).toEqual(['ours']);
    const left = await hints.getHint(URL_KEY, BOB);
    expect([left.hint?.value, left.hint?.use_count]).toEqual(['of Bob', 0]);
  });

  it('until it has expired', async () => {
    const { hints, pass } = testRoom();
    await hints.setHint({ ...URL_KEY, value: 'ours', meta: { ttl: 'PT1H' } }, CLIENT);
    await hints.setHint({ ...URL_KEY, value: 'of Bob' }, BOB);
    pass(HOUR_MS);
    expect((await hints.getHint(URL_KEY, OPERATOR)).hint?.value).toBe('of Bob');
    expect(valuesOf((await hints.query({}, OPERATOR)).hints)).toEqual(['of Bob']);
  });
});

describe('where only people have hints of the key, the operator', () => {
  it('gets and finds them, and is told that they are private', async () => {
    const { hints } = testRoom();
    await hints.setHint({ ...URL_KEY, value: 'of Bob' }, BOB);
    const got = await hints.getHint(URL_KEY, OPERATOR);
    expect(got.hint?.value).toBe('of Bob');
    expect(got.match_explain.reasons).toEqual(['fits everywhere', PRIVATE]);
    const [found] = (await hints.query({}, OPERATOR)).hints;
    expect(found?.match_explain.reasons).toEqual(['fits everywhere', PRIVATE]);
    expect((await hints.getHint(URL_KEY, BOB)).match_explain.reasons).toEqual(['fits everywhere']);
  });

  it('is told it also of those that are not eligible', async () => {
    const { hints } = testRoom();
    const meta = { scope: { os: ['windows' as const] } };
    await hints.setHint({ ...URL_KEY, value: 'of Bob', meta }, BOB);
    const context = { os: 'linux' as const };
    const got = await hints.getHint({ ...URL_KEY, context, explain: 'all' }, OPERATOR);
    const reasons = ['os=linux not in windows', PRIVATE];
    expect(got.match_explain.reasons).toEqual(reasons);
    expect(got.others?.map(({ match_explain }) => match_explain.reasons)).toEqual([reasons]);
  });

  it('bumps and deletes them', async () => {
    const { hints } = testRoom();
    await hints.setHint({ ...URL_KEY, value: 'of Bob' }, BOB);
    expect((await hints.bump(URL_KEY, OPERATOR)).hint.use_count).toBe(1);
    expect((await hints.deleteHint(URL_KEY, OPERATOR)).previous.value).toBe('of Bob');
  });
});

it('of equals, the operator gets those of the project first, whatever their names', async () => {
  const { hints } = testRoom();
  const set = (key: string, caller: typeof CLIENT) =>
    hints.setHint({ component: 'web', key, value: key }, caller);
  await set('a', BOB);
  await set('b', CLIENT);
  await set('c', BOB);
  await set('d', CLIENT);
  const { hints: found } = await hints.query({}, OPERATOR);
  expect(found.map(({ key }) => key)).toEqual(['b', 'd', 'a', 'c']);
});
