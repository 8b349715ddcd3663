/** JSON-RPC over HTTP to whoever serves. */
import { type AppError, ERROR_TABLE, type ErrorCode } from '../../shared/errors.js';
import {
  type Answer,
  exchange,
  isObject,
  otherAnswer,
  parsed,
  shown,
  unavailable,
} from './http-exchange.js';
import { RpcFailure } from './rpc-failure.js';
import type { ServerAddress } from './types.js';

export interface RpcClient {
  /**
   * One call over a connection of its own; `params` by name. Never repeated: whether a call that failed
   * with `sent` in its details was carried out is not known.
   * @returns the result, of a shape the caller has to check
   * @throws AppError with the code of the method's own error, TOO_LARGE for what no server would take,
   * or UNAVAILABLE with `details.met` (`Met`) when nobody, or nobody of ours, has answered
   */
  call(method: string, params?: object): Promise<unknown>;
}

export interface RpcClientOptions {
  /** Until the whole answer has come; 5 s. */
  timeoutMs?: number;
}

const ID = 1;

export function createRpcClient(
  address: ServerAddress,
  { timeoutMs }: RpcClientOptions = {},
): RpcClient {
  return {
    async call(method, params) {
      const answer = await exchange(address, {
        method: 'POST',
        path: address.path,
        body: { jsonrpc: '2.0', id: ID, method, params },
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      return resultOf(answer, address, method);
    },
  };
}

/** @throws AppError */
function resultOf(answer: Answer, address: ServerAddress, method: string): unknown {
  const body = parsed(answer.text);
  if (isObject(body) && body.jsonrpc === '2.0') {
    if (isObject(body.error)) throw rpcFailure(body.error, address, method);
    // An error may come without the id of what could not be read; a result may not.
    if (Object.hasOwn(body, 'result') && body.id === ID) return body.result;
  }
  throw otherAnswer(answer, body, address);
}

/** The method's own error, or that of the protocol. */
function rpcFailure(
  error: Record<string, unknown>,
  address: ServerAddress,
  method: string,
): AppError {
  const { reason, details } = isObject(error.data) ? error.data : {};
  const message = typeof error.message === 'string' ? error.message : 'no reason given';
  const code = codeOf(error.code, reason);
  if (code !== null) {
    const body = { code: error.code, message, ...('data' in error ? { data: error.data } : {}) };
    return new RpcFailure(code, body, isObject(details) ? details : {});
  }
  const where = `the server at ${address.baseUrl}`;
  const what =
    error.code === -32601
      ? `${where} does not know ${method}: it is another program, or an older version`
      : `${where} did not take the call: ${shown(message)}`;
  return unavailable(address, error.code === -32601 ? 'foreign' : 'refused', what, true);
}

/** Of a name of the seed (`E_NOT_FOUND`), our own code, or a number; `null`: it has none of ours. */
function codeOf(code: unknown, reason: unknown): ErrorCode | null {
  const rows = Object.entries(ERROR_TABLE) as [ErrorCode, Row][];
  const named = rows.find(([name, row]) => name === reason || row.nudgeName === reason);
  if (named && reason !== undefined) return named[0];
  return rows.find(([, row]) => row.nudge !== undefined && row.nudge === code)?.[0] ?? null;
}

interface Row {
  nudge?: number;
  nudgeName?: string;
}
