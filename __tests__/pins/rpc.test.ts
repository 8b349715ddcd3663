/** Names and codes of JSON-RPC, frozen: a change here is a change for clients (DESIGN §12). */
import { expect, it } from 'vitest';
import { AppError, ERROR_TABLE, type ErrorCode } from '../../src/shared/errors.js';
import { MAX_BATCH, RPC } from '../../src/surfaces/rest/rpc/json-rpc.js';
import { NUDGE_METHODS, rpcErrorOf } from '../../src/surfaces/rest/rpc/nudge-methods.js';

it('pins the names of the methods', () => {
  expect(NUDGE_METHODS).toStrictEqual([
    'nudge.set_hint',
    'nudge_set_hint',
    'nudge.get_hint',
    'nudge_get_hint',
    'nudge.query',
    'nudge_query',
    'nudge.delete_hint',
    'nudge_delete_hint',
    'nudge.list_components',
    'nudge_list_components',
    'nudge.bump',
    'nudge_bump',
    'nudge.export',
    'nudge_export',
    'nudge.import',
    'nudge_import',
    'nudge.status',
    'nudge_status',
  ]);
});

it('pins the codes of the protocol', () => {
  expect([RPC, MAX_BATCH]).toStrictEqual([
    {
      parseError: -32700,
      invalidRequest: -32600,
      methodNotFound: -32601,
      invalidParams: -32602,
      internalError: -32603,
    },
    100,
  ]);
});

it('pins code and reason of every error of ours', () => {
  const shown = Object.keys(ERROR_TABLE).map((code) => {
    const { code: number, data } = rpcErrorOf(new AppError(code as ErrorCode, 'why'));
    return [code, number, (data as { reason: string }).reason];
  });
  expect(shown).toStrictEqual([
    ['INVALID_INPUT', 40001, 'E_INVALID'],
    ['UNAUTHENTICATED', -32001, 'UNAUTHENTICATED'],
    ['PERMISSION_DENIED', -32003, 'PERMISSION_DENIED'],
    ['NOT_FOUND', 40401, 'E_NOT_FOUND'],
    ['CONFLICT', 40901, 'E_CONFLICT'],
    ['DUPLICATE', 40901, 'E_CONFLICT'],
    ['TOO_LARGE', -32013, 'TOO_LARGE'],
    ['SECRET_REJECTED', 40002, 'E_SECRET_REJECTED'],
    ['SCOPE_INVALID', 40003, 'E_SCOPE_INVALID'],
    ['LIMIT_REACHED', 42901, 'E_QUOTA'],
    ['DISABLED', -32050, 'DISABLED'],
    ['UNAVAILABLE', -32050, 'UNAVAILABLE'],
    ['INTERNAL', -32603, 'INTERNAL'],
  ]);
});

it('pins what an error carries', () => {
  expect(rpcErrorOf(new AppError('CONFLICT', 'it has version 3', { version: 3 }))).toStrictEqual({
    code: 40901,
    message: 'it has version 3',
    data: { reason: 'E_CONFLICT', details: { version: 3 } },
  });
});
