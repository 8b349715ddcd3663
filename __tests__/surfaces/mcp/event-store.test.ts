/** What a session keeps of its streams, and what it knows of their end. */
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { createEventStore } from '../../../src/surfaces/mcp/http/event-store.js';

const first = {} as JSONRPCMessage;
const note = (step: number): JSONRPCMessage => ({
  ...{ jsonrpc: '2.0', method: 'notifications/progress', params: { step } },
});
const answer = (id: number | string): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });

async function replayed(store: ReturnType<typeof createEventStore>, lastId: string) {
  const sent: [string, JSONRPCMessage][] = [];
  const send = async (id: string, message: JSONRPCMessage) => {
    sent.push([id, message]);
  };
  const streamId = await store.replayEventsAfter(lastId, { send });
  return { streamId, sent };
}

describe('a stream', () => {
  it('that goes on is replayed from an event on, without those of others', async () => {
    const store = createEventStore();
    await store.storeEvent('a', first);
    await store.storeEvent('b', first);
    await store.storeEvent('a', note(1));
    await store.storeEvent('b', note(2));
    await store.storeEvent('a', note(3));
    expect(await replayed(store, '1')).toEqual({
      ...{
        streamId: 'a',
        sent: [
          ['3', note(1)],
          ['5', note(3)],
        ],
      },
    });
    expect([store.restOf('1'), store.restOf('99')]).toEqual([null, null]);
    await expect(replayed(store, '99')).rejects.toThrow('no longer kept');
  });

  it('ends with the answer to its request', async () => {
    const store = createEventStore();
    await store.storeEvent('a', first);
    await store.storeEvent('a', note(1));
    await store.storeEvent('a', answer('x'));
    expect(store.restOf('1')?.map(({ id }) => id)).toEqual(['2', '3']);
    expect(store.restOf('3')).toEqual([]);
  });

  it('of requests that came together ends with the last answer', async () => {
    const store = createEventStore();
    store.together([1, 2]);
    await store.storeEvent('a', first);
    await store.storeEvent('a', answer(2));
    expect([store.restOf('1'), store.unwanted(1)]).toEqual([null, null]);
    await store.storeEvent('a', answer(1));
    expect(store.restOf('1')?.map(({ id }) => id)).toEqual(['2', '3']);
  });

  it('of a request that nobody wants answered ends without the answer', async () => {
    const store = createEventStore();
    await store.storeEvent('a', first);
    await store.storeEvent('a', note(1));
    const wantedAgain = store.unwanted(7);
    await store.storeEvent('a', answer(7));
    wantedAgain?.();
    expect(store.restOf('1')?.map(({ id }) => id)).toEqual(['2']);
    await store.storeEvent('b', answer(7));
    expect((await replayed(store, '1')).sent).toEqual([['2', note(1)]]);
    expect(await store.getStreamIdForEventId('4')).toBe('b');
  });

  it('is forgotten from its beginning when there is too much', async () => {
    const store = createEventStore();
    for (let step = 1; step <= 600; step += 1) await store.storeEvent('a', note(step));
    expect(await store.getStreamIdForEventId('100')).toBeUndefined();
    expect((await replayed(store, '101')).sent).toHaveLength(499);
    const large: JSONRPCMessage = { ...note(0), params: { text: 'x'.repeat(3_000_000) } };
    await store.storeEvent('a', large);
    await store.storeEvent('a', large);
    expect((await replayed(store, '602')).sent).toEqual([]);
    expect(await store.getStreamIdForEventId('601')).toBeUndefined();
  });
});
