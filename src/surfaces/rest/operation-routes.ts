/** The routes of the table of operations. Those that answer with a stream are written by hand. */
import type { Route } from '@elizaos/core';
import { z } from 'zod';
import {
  memoryOf,
  OPERATIONS,
  type Operation,
  type RestBinding,
  type RestRequest,
} from '../../operations/index.js';
import type { Caller } from '../../records/index.js';
import { wrongField } from '../../shared/errors.js';
import { isUuid } from '../../shared/ids.js';
import { defined } from '../../shared/json.js';
import type { MakeRoute } from './route.js';

/** REST acts as operator of the project (DESIGN §3). */
export const OPERATOR = { kind: 'operator' } as const satisfies Caller;

/** The service judges what is in it: here only that there is a body to judge. */
export const anyObject = z.record(z.string(), z.unknown());

/** The first route that matches answers, so those with a word stand before those with `:id`. */
export function operationRoutes(route: MakeRoute): Route[] {
  const routes = OPERATIONS.flatMap((operation) =>
    operation.rest === undefined ? [] : [operationRoute(route, operation, operation.rest)],
  );
  const isAny = ({ path }: Route) => Number(path.includes(':'));
  return [exportRoute(route), ...routes].sort((one, other) => isAny(one) - isAny(other));
}

function operationRoute(route: MakeRoute, { call }: Operation, rest: RestBinding): Route {
  const { method, path, id = 'id', query, bodyOptional, slow, status, answer } = rest;
  const takesBody = ['POST', 'PUT', 'PATCH'].includes(method) && rest.body !== 'none';
  const body = rest.body === undefined || rest.body === 'none' ? anyObject : rest.body;
  return route<Record<string, unknown>, unknown>({
    ...{ type: method, path },
    ...(query === undefined ? {} : { query }),
    ...(takesBody ? { body } : {}),
    ...defined({ bodyOptional, slow }),
    async handle({ runtime, params, query, body, headers }) {
      const request = { id: params.id ?? '', query: defined(query), body, headers };
      const { caller, ...spoken } = speakerOf(rest, request);
      const { query: asked, body: sent } = spoken.request;
      const fields = { ...asked, ...Object(sent) };
      const isNamed = path.includes(':id');
      if (!rest.input && isNamed && id in fields) {
        throw wrongField(id, 'unknown field');
      }
      const named = isNamed ? { [id]: request.id } : {};
      const input = rest.input?.(spoken.request) ?? { ...fields, ...named };
      const { signal } = new AbortController();
      const result = await call(input, { runtime, caller, signal, progress: () => {} });
      return { status: status?.(result, input) ?? 200, body: answer?.(result, input) ?? result };
    },
  });
}

/** Whose name stands under what is written, or which session asks. @throws InvalidInputError */
function speakerOf(
  { isSpokenFor, session, method }: RestBinding,
  request: RestRequest,
): { caller: Caller; request: RestRequest } {
  const field = isSpokenFor ? 'agent_id' : session;
  const part = method === 'GET' ? 'query' : 'body';
  if (field === undefined) return { caller: OPERATOR, request };
  const { [field]: who, ...rest } = Object(request[part]);
  const without = { ...request, [part]: rest };
  if (who === undefined) return { caller: OPERATOR, request: without };
  // So that `session:last` is the one before it.
  const sessionId = typeof who === 'string' && who.length <= 200 ? who.trim() : '';
  if (!isSpokenFor && sessionId !== '') {
    return { caller: { ...OPERATOR, sessionId }, request: without };
  }
  if (isSpokenFor && isUuid(who)) {
    return { caller: { ...OPERATOR, agentId: who }, request: without };
  }
  const message = isSpokenFor ? 'must be a UUID' : 'must be text of 1 to 200 characters';
  throw wrongField(field, message);
}

function exportRoute(route: MakeRoute): Route {
  return route({
    type: 'GET',
    path: '/export',
    slow: true,
    query: z.strictObject({ format: z.enum(['json', 'jsonl']).default('json') }),
    handle: async ({ runtime, query }) => {
      const memory = memoryOf(runtime);
      if (query.format === 'jsonl') {
        return { status: 200, body: { lines: memory.exportLines(OPERATOR) } };
      }
      const { content } = await memory.export(query, OPERATOR);
      return { status: 200, body: Object(content) };
    },
  });
}
