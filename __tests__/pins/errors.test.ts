/** The codes and what each looks like on every wire; clients rely on them (DESIGN §12). */
import { expect, it } from 'vitest';
import {
  AppError,
  ERROR_TABLE,
  InvalidInputError,
  NotFoundError,
} from '../../src/shared/errors.js';

it('pins the error table', () => {
  expect(ERROR_TABLE).toStrictEqual({
    INVALID_INPUT: { http: 400, rpc: -32602, nudge: 40001, nudgeName: 'E_INVALID' },
    UNAUTHENTICATED: { http: 401, rpc: -32001 },
    PERMISSION_DENIED: { http: 403, rpc: -32003 },
    NOT_FOUND: { http: 404, rpc: -32004, nudge: 40401, nudgeName: 'E_NOT_FOUND' },
    CONFLICT: { http: 409, rpc: -32009, nudge: 40901, nudgeName: 'E_CONFLICT' },
    DUPLICATE: { http: 409, rpc: -32009, nudge: 40901, nudgeName: 'E_CONFLICT' },
    TOO_LARGE: { http: 413, rpc: -32013 },
    SECRET_REJECTED: { http: 422, rpc: -32022, nudge: 40002, nudgeName: 'E_SECRET_REJECTED' },
    SCOPE_INVALID: { http: 422, rpc: -32022, nudge: 40003, nudgeName: 'E_SCOPE_INVALID' },
    LIMIT_REACHED: { http: 429, rpc: -32029, nudge: 42901, nudgeName: 'E_QUOTA' },
    DISABLED: { http: 503, rpc: -32050 },
    UNAVAILABLE: { http: 503, rpc: -32050 },
    INTERNAL: { http: 500, rpc: -32603 },
  });
});

it('pins what an error carries', () => {
  const base = new AppError('DUPLICATE', 'there is one', { existingId: 'x' }, { cause: 'why' });
  expect([base.name, base.code, base.message, base.details, base.cause]).toStrictEqual([
    'AppError',
    'DUPLICATE',
    'there is one',
    { existingId: 'x' },
    'why',
  ]);
  const findings = [
    { field: 'a', message: 'is wrong' },
    { field: 'b.c', message: 'is missing' },
  ];
  const input = new InvalidInputError(findings);
  expect([input.name, input.code, input.message, input.details]).toStrictEqual([
    'InvalidInputError',
    'INVALID_INPUT',
    'a: is wrong; b.c: is missing',
    { findings },
  ]);
  expect(new InvalidInputError([], 'TOO_LARGE').code).toBe('TOO_LARGE');
  const missing = new NotFoundError('trigger', '7');
  expect([missing.name, missing.code, missing.message, missing.details]).toStrictEqual([
    'NotFoundError',
    'NOT_FOUND',
    'no trigger with id "7"',
    { what: 'trigger', id: '7' },
  ]);
});
