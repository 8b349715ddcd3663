/** Lines in, lines out. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type BridgeDeps, startBridge } from '../../../src/server/json-lines.js';

const MAX = 2 * 1024 * 1024;

function stage(send: BridgeDeps['send'] = async (text) => `answer to ${text.trim()}`) {
  const input = new PassThrough();
  const output = new PassThrough();
  const bridge = startBridge({ input, output, send });
  return { input, output, bridge, said: () => String(output.read() ?? '') };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a bridge', () => {
  it('passes each line on as it is, however it comes in pieces, and skips empty ones', async () => {
    const heard: [string, unknown][] = [];
    const { input, said } = stage(async (text, body) => {
      heard.push([text, body]);
      return null;
    });
    const bytes = Buffer.from('{"id": 1e400, "ü":"→"}\r\n\n  \n[1]\n"last');
    for (const byte of bytes) input.write(Buffer.from([byte]));
    input.end('"');
    await settled();
    expect(heard).toEqual([
      ['{"id": 1e400, "ü":"→"}\r', { id: Number.POSITIVE_INFINITY, ü: '→' }],
      ['[1]', [1]],
      ['"last"', 'last'],
    ]);
    expect(said()).toBe('');
  });

  it('writes each answer on a line, in the order in which they are ready', async () => {
    const { input, said } = stage(async (text) => {
      if (text === '1') await new Promise((resolve) => setTimeout(resolve, 30));
      return text;
    });
    input.write('1\n2\n');
    await settled();
    expect(said()).toBe('2\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(said()).toBe('1\n');
  });

  it.each([
    ['no JSON', Buffer.from('{'), -32700],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32700],
    ['a line of more than 2 MB', Buffer.alloc(MAX + 1, '1'), -32600],
  ])('answers %s itself, and goes on', async (_name, bytes, code) => {
    const { input, said } = stage();
    input.write(bytes);
    input.write('\n[]\n');
    await settled();
    const [first = '', second] = said().split('\n');
    expect(JSON.parse(first)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
    expect(second).toBe('answer to []');
  });

  it.each([
    ['first', '{"jsonrpc":"2.0","id":7,"params":{"id":1,"x":"', '"}}', 7],
    ['last', '{"id":{},"method":"x","params":"', '","jsonrpc":"2.0","id":"b"}', 'b'],
    ['in between', '{"method":"x","id":3,"params":{"x":"', '","id":4}}', null],
    ['within a text', '{"params":"', ',\\"id\\":5}"}', null],
  ])('answers a line that is too large under its id: %s', async (_where, first, last, id) => {
    const { input, said } = stage();
    input.write(first);
    for (let n = 0; n < 5; n += 1) input.write('x'.repeat(MAX / 4));
    input.write(`${last}\n[]\n`);
    await settled();
    const [refused = '', second] = said().split('\n');
    expect(JSON.parse(refused)).toMatchObject({ id, error: { data: { reason: 'TOO_LARGE' } } });
    expect(second).toBe('answer to []');
  });

  it('answers what is nested too deep under its id, each of a batch, and goes on', async () => {
    const { input, said } = stage();
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    input.write(`{"id":1,"method":"x","params":${deep(5_000)}}\n`);
    input.write(`[{"id":"a","method":"x"},{"id":2,"params":${deep(900_000)}},{"method":"x"}]\n`);
    input.write(`{"method":"x","params":${deep(5_000)}}\n`);
    input.write(`{"id":3,"params":${deep(990)}}\n`);
    await settled();
    const message = 'the message is nested over 1000 deep';
    const error = { code: -32600, message, data: { reason: 'TOO_LARGE' } };
    const answer = (id: unknown) => ({ jsonrpc: '2.0', id, error });
    const [first = '', batch = '', third = ''] = said().split('\n');
    expect([JSON.parse(first), JSON.parse(batch)]).toEqual([answer(1), [answer('a'), answer(2)]]);
    expect(third).toMatch(/^answer to \{"id":3/);
  });

  it('answers also where something went wrong here, and goes on', async () => {
    const { input, said } = stage(async (text) => {
      if (text === '{"id":1}') throw new RangeError('Invalid string length');
      return text;
    });
    input.write('{"id":1}\n[]\n');
    await settled();
    const lines = said().split('\n');
    expect(lines).toContain('[]');
    expect(JSON.parse(lines.find((line) => line.includes('"id":1')) ?? 'null')).toMatchObject({
      ...{ jsonrpc: '2.0', id: 1 },
      error: { code: -32603, message: 'the call could not be passed on: Invalid string length' },
    });
  });

  it('takes a line of 2 MB', async () => {
    const lengths: number[] = [];
    const { input } = stage(async (text) => {
      lengths.push(text.length);
      return null;
    });
    input.write(`"${'x'.repeat(MAX - 2)}"\n`);
    await settled();
    expect(lengths).toEqual([MAX]);
  });

  it('says that its client has gone, and still answers it', async () => {
    let release = () => {};
    const { input, bridge, said } = stage(
      (text) =>
        new Promise((resolve) => {
          release = () => resolve(text);
        }),
    );
    input.end('1\n');
    await bridge.gone;
    let isClosed = false;
    const closed = bridge.close().then(() => {
      isClosed = true;
    });
    await settled();
    expect(isClosed).toBe(false);
    release();
    await closed;
    expect(said()).toBe('1\n');
  });

  it('says that its client has gone when it does not listen any more', async () => {
    const { input, output, bridge } = stage(() => new Promise(() => {}));
    input.write('1\n');
    await settled();
    output.destroy();
    await bridge.gone;
    // Nobody is left to be answered.
    await bridge.close();
  });

  it('hears nothing more once it is closed', async () => {
    const heard: string[] = [];
    const { input, bridge } = stage(async (text) => {
      heard.push(text);
      return null;
    });
    await bridge.close();
    input.write('1\n');
    await settled();
    expect(heard).toEqual([]);
  });

  it('reads no faster than its client listens', async () => {
    let calls = 0;
    const { input, output, said } = stage(async () => {
      calls += 1;
      return 'x'.repeat(99);
    });
    const lines = Buffer.from('1\n'.repeat(100));
    for (let n = 0; n < 50; n += 1) input.write(lines);
    await settled();
    expect(calls).toBeLessThan(3_000);
    let heard = 0;
    while (calls < 5_000 || output.readableLength > 0) {
      heard += said().length;
      await settled();
    }
    heard += said().length;
    expect(heard).toBe(5_000 * 100);
  });
});
