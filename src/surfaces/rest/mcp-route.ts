/** `/cue/mcp`: MCP over streamable HTTP, with the same door as every route. */

import type { Route } from '@elizaos/core';
import { startedService } from '../../host/index.js';
import { wrongField } from '../../shared/errors.js';
import { defined } from '../../shared/json.js';
import { McpService, messageFault } from '../mcp/index.js';
import {
  CLIENT_SESSION_HEADER,
  CONNECTION_HEADER,
  choicesIn,
  clientSessionOf,
  connectionOf,
  isLocalKey,
  LOCAL_KEY_HEADER,
  TOOL_CHOICES,
  TOOLS_HEADER,
} from '../mcp-client.js';
import { UnreadableBody } from './body.js';
import type { MakeRoute } from './route.js';
import { parseFailure } from './rpc/json-rpc.js';

/** The transport reads only these of a request, and where it came from is none of its business. */
const BASE = 'http://cue.invalid';

export function mcpRoutes(route: MakeRoute): Route[] {
  return (['POST', 'GET', 'DELETE'] as const).map((type) =>
    route({
      type,
      path: '/mcp',
      rawBody: true,
      slow: true,
      handle: async ({ runtime, path, headers, body }) => {
        if (body instanceof UnreadableBody) {
          if (body.error.code === 'TOO_LARGE') throw body.error;
          return Response.json(parseFailure(body.error.message), { status: 400 });
        }
        // Of what is no JSON by its content type, the transport says so.
        const fault = type === 'POST' && body !== undefined ? messageFault(body) : null;
        if (fault) return Response.json(fault, { status: 400 });
        const request = new Request(new URL(path, BASE), {
          method: type,
          headers: defined(headers) as Record<string, string>,
        });
        const parsed = type === 'POST' ? (body ?? null) : undefined;
        const isLocal = isLocalKey(headers[LOCAL_KEY_HEADER]);
        // Whoever names a session answers for it: nobody else on the network may.
        const clientSession = isLocal ? clientSessionOf(headers[CLIENT_SESSION_HEADER]) : undefined;
        return startedService(runtime, McpService, 'MCP').handle(request, parsed, {
          ...{ isLocal, clientSession },
          connection: isLocal ? connectionOf(headers[CONNECTION_HEADER]) : undefined,
          tools: toolsOf(headers[TOOLS_HEADER]),
        });
      },
    }),
  );
}

/** @throws InvalidInputError */
function toolsOf(header: string | undefined): readonly string[] | undefined {
  const { words, wrong } = choicesIn(header ?? '');
  if (wrong === undefined) return words.length === 0 ? undefined : words;
  const message = `chooses from ${TOOL_CHOICES.join(', ')}`;
  throw wrongField(TOOLS_HEADER, message);
}
