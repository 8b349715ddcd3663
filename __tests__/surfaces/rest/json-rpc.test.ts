/** JSON-RPC 2.0 by its specification: what is a request, what is answered and what is not. */
import { expect, it } from 'vitest';
import {
  answerRpc,
  answerRpcText,
  MAX_BATCH,
  RPC,
  type RpcHandler,
} from '../../../src/surfaces/rest/rpc/json-rpc.js';

/** Methods of a test; `calls` in the order in which they began and ended. */
function stage() {
  const calls: string[] = [];
  const handle: RpcHandler = async (method, params) => {
    calls.push(`${method} begins`);
    await new Promise((resolve) => setTimeout(resolve, method === 'slow' ? 5 : 0));
    calls.push(`${method} ends`);
    if (method === 'nothing') return { result: undefined };
    if (method === 'fail') return { error: { code: 7, message: 'no', data: { why: 'so' } } };
    return { result: { method, params: params ?? 'none' } };
  };
  return { calls, handle };
}

const ask = (text: string) => answerRpcText(text, stage().handle);
const failed = (code: number, message: string, id: unknown = null) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
const echoed = (id: unknown, params: unknown = 'none') => ({
  jsonrpc: '2.0',
  id,
  result: { method: 'echo', params },
});

it.each([
  ['a string', '"7"', '7'],
  ['an empty string', '""', ''],
  ['a number', '7', 7],
  ['a negative number', '-1', -1],
  ['a fraction', '1.5', 1.5],
  ['null', 'null', null],
])('keeps an id that is %s', async (_name, sent, kept) => {
  expect(await ask(`{"jsonrpc":"2.0","method":"echo","id":${sent}}`)).toStrictEqual(echoed(kept));
});

it('hands params over by name and by position', async () => {
  expect(await ask('{"jsonrpc":"2.0","method":"echo","params":{"a":[1]},"id":1}')).toStrictEqual(
    echoed(1, { a: [1] }),
  );
  expect(await ask('{"jsonrpc":"2.0","method":"echo","params":[1,2],"id":1}')).toStrictEqual(
    echoed(1, [1, 2]),
  );
});

it('answers an error of the method as it is, and no result as null', async () => {
  expect(await ask('{"jsonrpc":"2.0","method":"fail","id":1}')).toStrictEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: 7, message: 'no', data: { why: 'so' } },
  });
  expect(await ask('{"jsonrpc":"2.0","method":"nothing","id":1}')).toStrictEqual({
    jsonrpc: '2.0',
    id: 1,
    result: null,
  });
});

it('carries a notification out and answers nothing, not even its error', async () => {
  const { calls, handle } = stage();
  expect(await answerRpcText('{"jsonrpc":"2.0","method":"echo"}', handle)).toBeNull();
  expect(await answerRpcText('{"jsonrpc":"2.0","method":"fail"}', handle)).toBeNull();
  expect(calls).toStrictEqual(['echo begins', 'echo ends', 'fail begins', 'fail ends']);
});

it.each(['', '{"jsonrpc":"2.0","method":"echo","id":1', '[1,]', "{'a':1}", 'undefined'])(
  'calls %j a parse error',
  async (text) => {
    expect(await ask(text)).toStrictEqual(failed(RPC.parseError, 'this is not valid JSON'));
  },
);

const NO_OBJECT = 'a request is an object';
const NO_VERSION = 'jsonrpc must be "2.0"';
const NO_METHOD = 'method must be a string';
const NO_PARAMS = 'params must be an object or an array';
const NO_ID = 'id must be a string, a number or null';

it.each([
  ['a number', '1', NO_OBJECT, null],
  ['a string', '"echo"', NO_OBJECT, null],
  ['null', 'null', NO_OBJECT, null],
  ['an empty object', '{}', NO_VERSION, null],
  ['no version', '{"method":"echo","id":1}', NO_VERSION, 1],
  ['version 1.0', '{"jsonrpc":"1.0","method":"echo","id":1}', NO_VERSION, 1],
  ['a version that is a number', '{"jsonrpc":2.0,"method":"echo","id":"a"}', NO_VERSION, 'a'],
  ['no method', '{"jsonrpc":"2.0","id":1}', NO_METHOD, 1],
  ['a method that is a number', '{"jsonrpc":"2.0","method":1,"params":"bar"}', NO_METHOD, null],
  ['params that are text', '{"jsonrpc":"2.0","method":"echo","params":"x","id":1}', NO_PARAMS, 1],
  ['params that are null', '{"jsonrpc":"2.0","method":"echo","params":null,"id":1}', NO_PARAMS, 1],
  ['an id that is an object', '{"jsonrpc":"2.0","method":"echo","id":{}}', NO_ID, null],
  ['an id that is true', '{"jsonrpc":"2.0","method":"echo","id":true}', NO_ID, null],
  ['an id that no number holds', '{"jsonrpc":"2.0","method":"echo","id":1e999}', NO_ID, null],
  [
    'fields that stand in __proto__',
    '{"__proto__":{"jsonrpc":"2.0","method":"echo","id":1}}',
    NO_VERSION,
    null,
  ],
])('calls a request invalid that is or has %s', async (_name, text, message, id) => {
  const { calls, handle } = stage();
  const answer = await answerRpcText(text, handle);
  expect([answer, calls]).toStrictEqual([failed(RPC.invalidRequest, message, id), []]);
});

it('ignores further fields, also those that objects have of themselves', async () => {
  expect(
    await ask(
      '{"jsonrpc":"2.0","method":"echo","id":1,"extra":1,"__proto__":{"id":2},"constructor":3}',
    ),
  ).toStrictEqual(echoed(1));
  expect({}).not.toHaveProperty('id');
});

it('answers a batch in order, one call after the other, without its notifications', async () => {
  const { calls, handle } = stage();
  const answer = await answerRpcText(
    `[{"jsonrpc":"2.0","method":"slow","id":"a"},
      {"jsonrpc":"2.0","method":"echo"},
      {"foo":"boo"},
      1,
      [],
      {"jsonrpc":"2.0","method":"echo","id":"a"}]`,
    handle,
  );
  expect(answer).toStrictEqual([
    { jsonrpc: '2.0', id: 'a', result: { method: 'slow', params: 'none' } },
    failed(RPC.invalidRequest, NO_VERSION),
    failed(RPC.invalidRequest, NO_OBJECT),
    failed(RPC.invalidRequest, NO_OBJECT),
    echoed('a'),
  ]);
  expect(calls).toStrictEqual([
    'slow begins',
    'slow ends',
    'echo begins',
    'echo ends',
    'echo begins',
    'echo ends',
  ]);
});

it('answers a batch of notifications with nothing, and one request in a batch with a list', async () => {
  const note = { jsonrpc: '2.0', method: 'echo' };
  expect(await answerRpc([note, note], stage().handle)).toBeNull();
  expect(await answerRpc([{ ...note, id: 1 }], stage().handle)).toStrictEqual([echoed(1)]);
});

it('refuses an empty batch and one that is too large, as a whole', async () => {
  const { calls, handle } = stage();
  const note = { jsonrpc: '2.0', method: 'echo' };
  expect(await answerRpc([], handle)).toStrictEqual(
    failed(RPC.invalidRequest, 'a batch holds at least one request'),
  );
  expect(await answerRpc(Array(MAX_BATCH + 1).fill(note), handle)).toStrictEqual(
    failed(RPC.invalidRequest, 'a batch holds at most 100 requests'),
  );
  expect(calls).toStrictEqual([]);
  expect(await answerRpc(Array(MAX_BATCH).fill({ ...note, id: 1 }), handle)).toHaveLength(100);
});
