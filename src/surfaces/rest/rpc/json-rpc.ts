/**
 * JSON-RPC 2.0 (https://www.jsonrpc.org/specification): what a body asks for and what it is answered.
 * Knows no method and no transport.
 */
import { yieldToLoop } from '../../../shared/async.js';
import { isObject } from '../../../shared/json.js';

/** Codes of the protocol itself. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

export const MAX_BATCH = 100;

export type RpcId = string | number | null;

export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

export type RpcResponse =
  | { jsonrpc: '2.0'; id: RpcId; result: unknown }
  | { jsonrpc: '2.0'; id: RpcId; error: RpcError };

/** What a call has come to; what went wrong is a value. */
export type RpcOutcome = { result: unknown } | { error: RpcError };

/**
 * Carries out one call; never rejects.
 * @param params `undefined` when none were sent
 */
export type RpcHandler = (
  method: string,
  params: Record<string, unknown> | unknown[] | undefined,
) => Promise<RpcOutcome>;

/** Of a batch in the order of its requests, without those of notifications. */
export type RpcAnswer = RpcResponse | RpcResponse[];

type Request = { method: string; params: Parameters<RpcHandler>[1]; id?: RpcId };

/**
 * Answers a parsed body: one request or a batch, whose calls are carried out one after the other.
 * @returns `null` when nothing is to be answered: there were only notifications
 */
export async function answerRpc(body: unknown, handle: RpcHandler): Promise<RpcAnswer | null> {
  if (!Array.isArray(body)) return answerOne(body, handle);
  if (body.length === 0) return invalid(null, 'a batch holds at least one request');
  if (body.length > MAX_BATCH) return invalid(null, `a batch holds at most ${MAX_BATCH} requests`);
  const answers: RpcResponse[] = [];
  for (const one of body) {
    const answer = await answerOne(one, handle);
    if (answer) answers.push(answer);
    await yieldToLoop();
  }
  return answers.length === 0 ? null : answers;
}

/** As `answerRpc`, for a body that has not been parsed: of a stream of lines. */
export async function answerRpcText(text: string, handle: RpcHandler): Promise<RpcAnswer | null> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return parseFailure('this is not valid JSON');
  }
  return answerRpc(body, handle);
}

export function parseFailure(message: string): RpcResponse {
  return failure(null, { code: RPC.parseError, message });
}

async function answerOne(value: unknown, handle: RpcHandler): Promise<RpcResponse | null> {
  const request = requestOf(value);
  if ('jsonrpc' in request) return request;
  const outcome = await handle(request.method, request.params);
  if (request.id === undefined) return null;
  return 'error' in outcome
    ? failure(request.id, outcome.error)
    : { jsonrpc: '2.0', id: request.id, result: outcome.result ?? null };
}

/** @returns the answer of an invalid one, with its id if that can be read */
function requestOf(value: unknown): Request | RpcResponse {
  if (!isObject(value)) return invalid(null, 'a request is an object');
  const { jsonrpc, method, params, id } = value;
  const isNotification = !Object.hasOwn(value, 'id');
  if (!isNotification && !isId(id)) return invalid(null, 'id must be a string, a number or null');
  const known = isNotification || !isId(id) ? null : id;
  if (jsonrpc !== '2.0') return invalid(known, 'jsonrpc must be "2.0"');
  if (typeof method !== 'string') return invalid(known, 'method must be a string');
  if (params !== undefined && !isObject(params) && !Array.isArray(params)) {
    return invalid(known, 'params must be an object or an array');
  }
  return { method, params, ...(isNotification ? {} : { id: known }) };
}

function isId(value: unknown): value is RpcId {
  // JSON can write a number that is none of ours: 1e999.
  return value === null || typeof value === 'string' || Number.isFinite(value);
}

function invalid(id: RpcId, message: string): RpcResponse {
  return failure(id, { code: RPC.invalidRequest, message });
}

function failure(id: RpcId, error: RpcError): RpcResponse {
  return { jsonrpc: '2.0', id, error };
}
