/** Bodies that are no messages of MCP: what they are answered, under which id. */
import { expect, it } from 'vitest';
import { messageFault } from '../../../src/surfaces/mcp/http/hub.js';

const ping = { jsonrpc: '2.0', id: 'a', method: 'ping' };
const told = (body: unknown): [unknown, unknown] => {
  const { id, error } = messageFault(body) ?? { id: undefined, error: undefined };
  return [id, error?.code];
};
const deep = (levels: number): unknown =>
  JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;

it.each([
  ['a request', ping],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
  ['an answer', { jsonrpc: '2.0', id: 1, result: {} }],
  ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } }],
  ['a batch', [ping, ping]],
])('takes %s', (_name, body) => {
  expect(messageFault(body)).toBeNull();
});

it.each([
  ['a list as params', { ...ping, params: [1] }, 'a', -32_602],
  ['no params but null', { ...ping, params: null }, 'a', -32_602],
  ['a text as params', { ...ping, params: 'x' }, 'a', -32_602],
  ['a number as method', { ...ping, method: 5 }, 'a', -32_600],
  ['another version', { ...ping, jsonrpc: '1.0' }, 'a', -32_600],
  ['an unheard-of field', { ...ping, more: 1 }, 'a', -32_600],
  ['null as id', { ...ping, id: null }, null, -32_600],
  ['an object as id', { ...ping, id: {} }, null, -32_600],
  ['half a number as id', { ...ping, id: 1.5 }, null, -32_600],
  ['nothing', null, null, -32_600],
  ['a text', 'ping', null, -32_600],
  ['an empty batch', [], null, -32_600],
  ['a batch in a batch', [[ping]], null, -32_600],
  ['a batch with what is none', [ping, 5], null, -32_600],
  ['a very deep message', { ...ping, params: { x: deep(5_000) } }, 'a', -32_600],
  ['a batch with a very deep message', [ping, { ...ping, params: deep(100_000) }], null, -32_600],
])('refuses %s', (_name, body, id, code) => {
  expect(told(body)).toEqual([id, code]);
});

it('says which message of a batch is wrong', () => {
  expect(messageFault([ping, { ...ping, params: [] }])?.error.message).toBe(
    'message 2 of the batch: params must be an object',
  );
});
