/** `POST /cue/rpc`: the hints as JSON-RPC, with the same door as every route. */
import type { IAgentRuntime, Route } from '@elizaos/core';
import { hostLog } from '../../../shared/log.js';
import { statusDepsOf } from '../../nudge-status.js';
import { UnreadableBody } from '../body.js';
import { OPERATOR } from '../operation-routes.js';
import type { MakeRoute } from '../route.js';
import { answerRpc, parseFailure, type RpcHandler } from './json-rpc.js';
import { createNudgeHandler } from './nudge-methods.js';

export function rpcRoutes(route: MakeRoute): Route[] {
  return [
    route({
      type: 'POST',
      path: '/rpc',
      rawBody: true,
      slow: true,
      handle: async ({ runtime, body }) => {
        if (body instanceof UnreadableBody && body.error.code === 'TOO_LARGE') throw body.error;
        const unparsed = whyUnparsed(body);
        if (unparsed !== null) return { status: 400, body: parseFailure(unparsed) };
        const answer = await answerRpc(body, nudgeHandlerOf(runtime));
        return answer === null ? { status: 204 } : { status: 200, body: answer };
      },
    }),
  ];
}

function nudgeHandlerOf(runtime: IAgentRuntime): RpcHandler {
  return createNudgeHandler({
    ...statusDepsOf(runtime, OPERATOR),
    log: hostLog(runtime, 'rpc'),
  });
}

/** `null`: it has been parsed. */
function whyUnparsed(body: unknown): string | null {
  if (body instanceof UnreadableBody) return body.error.message;
  return body === undefined ? 'send JSON with content-type: application/json' : null;
}
