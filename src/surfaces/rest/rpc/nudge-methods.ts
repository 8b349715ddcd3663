/** The methods of Nudge (seed `nudge.md` §5) and how its errors look in JSON-RPC (DESIGN §12). */

import type { Route } from '@elizaos/core';
import type {
  BumpParams,
  DeleteHintParams,
  ExportParams,
  GetHintParams,
  Hints,
  ImportParams,
  QueryParams,
  SetHintParams,
} from '../../../hints/index.js';
import type { Caller } from '../../../records/index.js';
import { ERROR_TABLE, InvalidInputError, toldError } from '../../../shared/errors.js';
import { hostLog, type Log } from '../../../shared/log.js';
import { safe } from '../../../shared/safe-text.js';
import {
  type NudgeStatus,
  nudgeStatus,
  type StatusDeps,
  statusDepsOf,
} from '../../nudge-status.js';
import { UnreadableBody } from '../body.js';
import { OPERATOR } from '../operation-routes.js';
import type { MakeRoute } from '../route.js';
import { answerRpc, parseFailure, RPC, type RpcError, type RpcHandler } from './json-rpc.js';

export interface NudgeDeps extends StatusDeps {
  log: Log;
}

export type { NudgeStatus };

type Params = Record<string, unknown>;
type Method = (deps: NudgeDeps, params: Params) => Promise<object>;

/** The room checks the shape of what was sent, and names each field that is wrong. */
function hintMethod<P>(run: (hints: Hints, params: P, caller: Caller) => Promise<object>): Method {
  return async ({ hints, caller }, params) => run(hints(), params as P, caller);
}

const METHODS: Record<string, Method> = {
  set_hint: hintMethod<SetHintParams>((hints, ...sent) => hints.setHint(...sent)),
  get_hint: hintMethod<GetHintParams>((hints, ...sent) => hints.getHint(...sent)),
  query: hintMethod<QueryParams>((hints, ...sent) => hints.query(...sent)),
  delete_hint: hintMethod<DeleteHintParams>((hints, ...sent) => hints.deleteHint(...sent)),
  list_components: hintMethod<object>((hints, ...sent) => hints.listComponents(...sent)),
  bump: hintMethod<BumpParams>((hints, ...sent) => hints.bump(...sent)),
  export: hintMethod<ExportParams>((hints, ...sent) => hints.export(...sent)),
  import: hintMethod<ImportParams>((hints, ...sent) => hints.import(...sent)),
  status: nudgeStatus,
};

/** Each as the seed writes it, and with an underscore for clients whose names take no dot. */
const BY_NAME: ReadonlyMap<string, Method> = new Map(
  Object.entries(METHODS).flatMap(([name, method]): [string, Method][] => [
    [`nudge.${name}`, method],
    [`nudge_${name}`, method],
  ]),
);

export const NUDGE_METHODS: readonly string[] = [...BY_NAME.keys()];

export function createNudgeHandler(deps: NudgeDeps): RpcHandler {
  return async (name, params = {}) => {
    const method = BY_NAME.get(name);
    if (!method) {
      const message = `there is no method "${safe(name, 100)}"`;
      return { error: { code: RPC.methodNotFound, message } };
    }
    const log = (cause: object) => deps.log.error({ method: name, ...cause }, 'request failed');
    try {
      if (!Array.isArray(params)) return { result: await method(deps, params) };
      if (params.length === 0) return { result: await method(deps, {}) };
    } catch (error) {
      return { error: rpcErrorOf(error, log) };
    }
    const message = `params of ${name} must be an object: it takes them by name`;
    const findings = [{ field: 'params', message: 'must be an object' }];
    const data = { reason: 'E_INVALID', details: { findings } };
    return { error: { code: RPC.invalidParams, message, data } };
  };
}

/** The seed's code and name where it has one, else ours. @param log as that of `toldError` */
export function rpcErrorOf(
  error: unknown,
  log: Parameters<typeof toldError>[1] = () => {},
): RpcError {
  const { code, message, details } =
    error instanceof InvalidInputError ? inParams(error) : toldError(error, log);
  const row = ERROR_TABLE[code];
  return 'nudge' in row
    ? { code: row.nudge, message, data: { reason: row.nudgeName, details } }
    : { code: row.rpc, message, data: { reason: code, details } };
}

/** What is a body as a whole elsewhere is `params` here. */
function inParams({ findings, code }: InvalidInputError): InvalidInputError {
  const named = findings.map(({ field, message }) => ({
    field: field === '(body)' ? 'params' : field,
    message,
  }));
  return new InvalidInputError(named, code === 'TOO_LARGE' ? code : 'INVALID_INPUT');
}

/** `POST /cue/rpc`: the hints as JSON-RPC, with the same door as every route. */
export function rpcRoutes(route: MakeRoute): Route[] {
  return [
    route({
      type: 'POST',
      path: '/rpc',
      rawBody: true,
      slow: true,
      handle: async ({ runtime, body }) => {
        if (body instanceof UnreadableBody && body.error.code === 'TOO_LARGE') throw body.error;
        if (body instanceof UnreadableBody || body === undefined) {
          const why = body?.error.message ?? 'send JSON with content-type: application/json';
          return { status: 400, body: parseFailure(why) };
        }
        const deps = { ...statusDepsOf(runtime, OPERATOR), log: hostLog(runtime, 'rpc') };
        const answer = await answerRpc(body, createNudgeHandler(deps));
        return answer === null ? { status: 204 } : { status: 200, body: answer };
      },
    }),
  ];
}
