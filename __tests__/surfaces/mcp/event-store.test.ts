/** What a session keeps of its streams, and what it knows of their end. */
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import {
  createEventStore,
  type SessionEvents,
} from '../../../src/surfaces/mcp/http/event-store.js';

const first = {} as JSONRPCMessage;
const note = (step: number): JSONRPCMessage => ({
  ...{ jsonrpc: '2.0', method: 'notifications/progress', params: { step } },
});
const answer = (id: number | string): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });

const eventStore = (onAnswered?: () => void) =>
  createEventStore({ prefix: 's', ...(onAnswered === undefined ? {} : { onAnswered }) });

async function replayed(store: SessionEvents, lastId: string) {
  const sent: [string, JSONRPCMessage][] = [];
  const send = async (id: string, message: JSONRPCMessage) => {
    sent.push([id, message]);
  };
  const streamId = await store.replayEventsAfter(lastId, { send });
  return { streamId, sent };
}

describe('a stream', () => {
  it('that goes on is replayed from an event on, without those of others', async () => {
    const store = eventStore();
    await store.storeEvent('a', first);
    await store.storeEvent('b', first);
    await store.storeEvent('a', note(1));
    await store.storeEvent('b', note(2));
    await store.storeEvent('a', note(3));
    expect(await replayed(store, 's-1')).toEqual({
      ...{
        streamId: 'a',
        sent: [
          ['s-3', note(1)],
          ['s-5', note(3)],
        ],
      },
    });
    expect([store.restOf('s-1'), store.restOf('s-99')]).toEqual([null, null]);
    await expect(replayed(store, 's-99')).rejects.toThrow('no longer kept');
  });

  it('ends with the answer to its request', async () => {
    const store = eventStore();
    await store.storeEvent('a', first);
    await store.storeEvent('a', note(1));
    await store.storeEvent('a', answer('x'));
    expect(store.restOf('s-1')?.map(({ id }) => id)).toEqual(['s-2', 's-3']);
    expect(store.restOf('s-3')).toEqual([]);
  });

  it('of requests that came together ends with the last answer', async () => {
    const store = eventStore();
    store.asked([1, 2]);
    await store.storeEvent('a', first);
    await store.storeEvent('a', answer(2));
    expect([store.restOf('s-1'), store.unwanted(1)]).toEqual([null, null]);
    await store.storeEvent('a', answer(1));
    expect(store.restOf('s-1')?.map(({ id }) => id)).toEqual(['s-2', 's-3']);
  });

  it('of a request that nobody wants answered ends without the answer', async () => {
    const store = eventStore();
    await store.storeEvent('a', first);
    await store.storeEvent('a', note(1));
    const wantedAgain = store.unwanted(7);
    await store.storeEvent('a', answer(7));
    wantedAgain?.();
    expect(store.restOf('s-1')?.map(({ id }) => id)).toEqual(['s-2']);
    await store.storeEvent('b', answer(7));
    expect((await replayed(store, 's-1')).sent).toEqual([['s-2', note(1)]]);
    expect(await store.getStreamIdForEventId('s-4')).toBe('b');
  });

  it('is forgotten from its beginning when there is too much', async () => {
    const store = eventStore();
    for (let step = 1; step <= 600; step += 1) await store.storeEvent('a', note(step));
    expect(await store.getStreamIdForEventId('s-100')).toBeUndefined();
    expect((await replayed(store, 's-101')).sent).toHaveLength(499);
    const large: JSONRPCMessage = { ...note(0), params: { text: 'x'.repeat(3_000_000) } };
    await store.storeEvent('a', large);
    await store.storeEvent('a', large);
    expect((await replayed(store, 's-602')).sent).toEqual([]);
    expect(await store.getStreamIdForEventId('s-601')).toBeUndefined();
  });
});

describe('requests', () => {
  it('run until they are answered, refused or no longer wanted', async () => {
    const answered: number[] = [];
    const store = eventStore(() => answered.push(store.running));
    store.asked([1]);
    store.asked([2, 3, 4]);
    store.asked([5]);
    expect(store.running).toBe(5);
    await store.storeEvent('a', answer(1));
    await store.storeEvent('a', answer(1));
    store.refused([2, 3, 4]);
    store.unwanted(5);
    expect([store.running, answered]).toEqual([0, [4]]);
  });

  it('that were refused together are no batch that the next answer belongs to', async () => {
    const store = eventStore();
    store.asked([1, 2]);
    store.refused([1, 2]);
    store.asked([1]);
    await store.storeEvent('a', first);
    await store.storeEvent('a', answer(1));
    expect(store.restOf('s-1')?.map(({ id }) => id)).toEqual(['s-2']);
  });

  it('of another session have no event here', async () => {
    const store = eventStore();
    await store.storeEvent('a', first);
    expect(store.restOf('t-1')).toBeNull();
    expect(await store.getStreamIdForEventId('1')).toBeUndefined();
  });
});
