/** How long a hint lives that says nothing, and what "session" means, by who sets it. */
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/records/index.js';
import { MINUTE_MS } from '../../src/shared/clock.js';
import { OPERATOR, person, testRoom } from './hint-room.js';

const BUILD = { component: 'api', key: 'build', value: 'make' };
const client = (sessionId: string): Caller => ({ kind: 'agent', sessionId });

describe('a hint that says nothing of its end', () => {
  it('lasts when a client of MCP or a person in chat sets it, whatever the setting says', async () => {
    for (const caller of [client('a'), person('ann')]) {
      const { hints, rows } = testRoom({ defaultTtl: 'PT2H' });
      const { hint, notice } = await hints.setHint(BUILD, caller);
      expect([hint.meta.ttl, notice]).toEqual(['P100Y', undefined]);
      expect(rows.rows.size).toBe(1);
    }
  });

  it('is imported as one that lasts, too', async () => {
    const { hints, rows } = testRoom();
    const payload = {
      schema_version: '1.0',
      components: { api: { hints: { build: { value: 'make' } } } },
    };
    await hints.import({ payload }, client('a'));
    expect([...rows.rows.values()].map(({ hint }) => hint.meta.ttl)).toEqual(['P100Y']);
  });

  it('has the setting when the operator sets it, who is told when that is the session', async () => {
    const { hints } = testRoom({ defaultTtl: 'PT2H' });
    expect(await hints.setHint(BUILD, OPERATOR)).toMatchObject({ hint: { meta: { ttl: 'PT2H' } } });
    const { hints: others, rows } = testRoom();
    const { hint, notice } = await others.setHint(BUILD, OPERATOR);
    expect(hint.meta.ttl).toBe('session');
    expect(notice).toMatch(/until the serving process ends.*ttl/);
    expect(rows.rows.size).toBe(0);
    const meta = { ttl: 'session' };
    expect((await others.setHint({ ...BUILD, meta }, OPERATOR)).notice).toBeUndefined();
  });
});

describe('a hint for the session', () => {
  const meta = { ttl: 'session' };

  it("of a client ends with that client's session, and not with another", async () => {
    const open = new Set(['a', 'b']);
    const { hints } = testRoom({}, undefined, { isSessionOpen: (id) => open.has(id) });
    await hints.setHint({ ...BUILD, meta }, client('a'));
    await hints.setHint({ ...BUILD, key: 'test', meta }, client('b'));
    await hints.setHint({ ...BUILD, key: 'run', meta }, OPERATOR);
    open.delete('a');
    await hints.sweep();
    const { hints: left } = await hints.query({}, OPERATOR);
    expect(left.map(({ key }) => key).sort()).toEqual(['run', 'test']);
  });

  it('belongs to whoever set it last', async () => {
    const open = new Set(['a', 'b']);
    const { hints, pass } = testRoom({}, undefined, { isSessionOpen: (id) => open.has(id) });
    await hints.setHint({ ...BUILD, meta }, client('a'));
    await hints.setHint({ ...BUILD, value: 'make all', meta }, client('b'));
    open.delete('a');
    pass(MINUTE_MS);
    await hints.sweep();
    expect((await hints.getHint({ component: 'api', key: 'build' }, OPERATOR)).hint?.value).toBe(
      'make all',
    );
    open.delete('b');
    await hints.sweep();
    await expect(hints.getHint({ component: 'api', key: 'build' }, OPERATOR)).rejects.toMatchObject(
      { code: 'NOT_FOUND' },
    );
  });
});
