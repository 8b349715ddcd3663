/** `/cue/memories…`, `/cue/recall`, `/cue/links`: single memories and finding them again. */
import type { Route } from '@elizaos/core';
import { z } from 'zod';
import type { Caller } from '../../memory/index.js';
import { InvalidInputError, NotFoundError } from '../../shared/errors.js';
import { isUuid } from '../../shared/ids.js';
import { isTimeZone, timeZoneProblem } from '../../shared/zones.js';
import { memoryOf } from '../services.js';
import { flag, given, pageShape, searchText, wholeNumber } from './query.js';
import type { MakeRoute, Reply } from './route.js';

/** Items are judged by the service: here only that there is a body to judge. */
export const anyObject = z.record(z.string(), z.unknown());

const MAX_MEMORIES = 100;

const tags = searchText.transform((text) =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== ''),
);

const listQuery = z.strictObject({
  ...pageShape,
  limit: wholeNumber(1, MAX_MEMORIES).default(50),
  agent_id: searchText.optional(),
  session_id: searchText.optional(),
  task_type: searchText.optional(),
  tags: tags.optional(),
  file: z.string().min(1).max(1_024).optional(),
  success_only: flag.optional(),
  failures_only: flag.optional(),
  since: searchText.optional(),
  before: searchText.optional(),
  sort: searchText.optional(),
});

const traceQuery = z.strictObject({
  direction: searchText.optional(),
  max_hops: wholeNumber(1, 100).optional(),
  depth: searchText.optional(),
});

/** The zone in which "yesterday" is read; the agent's when absent. */
const recallQuery = z.strictObject({
  timezone: z
    .string()
    .refine(isTimeZone, { error: ({ input }) => timeZoneProblem(String(input)) ?? undefined })
    .optional(),
});

export function memoryRoutes(route: MakeRoute): Route[] {
  return [
    route({
      type: 'GET',
      path: '/memories',
      query: listQuery,
      handle: async ({ runtime, query }) => {
        const found = await memoryOf(runtime).list(given(query), OPERATOR);
        return {
          status: 200,
          body: { memories: found.memories, total: found.total, nextCursor: found.next_cursor },
        };
      },
    }),
    route({
      type: 'POST',
      path: '/memories',
      body: anyObject,
      handle: async ({ runtime, body }) => {
        const { caller, input } = spokenFor(body);
        return { status: 201, body: await memoryOf(runtime).store(input, caller) };
      },
    }),
    route({
      type: 'GET',
      path: '/memories/health',
      handle: async ({ runtime }) => ({ status: 200, body: await memoryOf(runtime).health() }),
    }),
    route({
      type: 'GET',
      path: '/memories/:id',
      handle: async ({ runtime, params }) => ({
        status: 200,
        body: { memory: await memoryOf(runtime).get(params.id ?? '', OPERATOR) },
      }),
    }),
    route({
      type: 'PATCH',
      path: '/memories/:id',
      body: anyObject,
      handle: async ({ runtime, params, body, headers }) => {
        const revision = revisionOf(headers['if-match'], body.revision);
        const input = { ...body, memory_id: params.id ?? '', ...given({ revision }) };
        return { status: 200, body: await memoryOf(runtime).updateMemory(input, OPERATOR) };
      },
    }),
    route({
      type: 'DELETE',
      path: '/memories/:id',
      handle: async ({ runtime, params }) => {
        const service = memoryOf(runtime);
        // A reference that is ambiguous, or names nothing, is an error here and not an empty deed.
        const { id, memory_id } = await service.get(params.id ?? '', OPERATOR);
        const { total } = await service.forget({ memory_ids: [id], dry_run: false }, OPERATOR);
        // Somebody else was faster.
        if (total === 0) throw new NotFoundError('memory', memory_id);
        return { status: 200, body: { deleted: true } };
      },
    }),
    route({
      type: 'GET',
      path: '/memories/:id/trace',
      query: traceQuery,
      handle: async ({ runtime, params, query }) => ({
        status: 200,
        body: await memoryOf(runtime).trace(
          { memory_id: params.id ?? '', ...given(query) },
          OPERATOR,
        ),
      }),
    }),
    route({
      type: 'POST',
      path: '/recall',
      query: recallQuery,
      body: anyObject,
      handle: async ({ runtime, query, body: { session_id: session, ...input } }) => ({
        status: 200,
        body: await memoryOf(runtime).recall(
          input,
          { ...OPERATOR, ...given({ sessionId: sessionOf(session) }) },
          given({ zone: query.timezone }),
        ),
      }),
    }),
    route({
      type: 'POST',
      path: '/forget',
      slow: true,
      body: anyObject,
      handle: async ({ runtime, body }) => ({
        status: 200,
        body: await memoryOf(runtime).forget(body, OPERATOR),
      }),
    }),
    route({
      type: 'POST',
      path: '/links',
      body: anyObject,
      handle: async ({ runtime, body }) => {
        const { caller, input } = spokenFor(body);
        const link = await memoryOf(runtime).link(input, caller);
        return createdOrThere(link.created, { link });
      },
    }),
  ];
}

/** REST acts as operator of the project (DESIGN §3). */
export const OPERATOR = { kind: 'operator' } as const satisfies Caller;

/** Whose name stands under what is written: `agent_id` of the body, else the Eliza agent's. */
export function spokenFor(body: Record<string, unknown>): {
  caller: Caller;
  input: Record<string, unknown>;
} {
  const { agent_id: agentId, ...input } = body;
  if (agentId === undefined) return { caller: OPERATOR, input };
  if (isUuid(agentId)) return { caller: { ...OPERATOR, agentId }, input };
  throw new InvalidInputError([{ field: 'agent_id', message: 'must be a UUID' }]);
}

/** The session that asks, so that `session:last` is the one before it. @throws InvalidInputError */
function sessionOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.trim() !== '' && value.length <= 200) return value.trim();
  throw new InvalidInputError([
    { field: 'session_id', message: 'must be text of 1 to 200 characters' },
  ]);
}

/**
 * The revision a change was made against: `If-Match: "3"` or `revision` of the body.
 * @throws InvalidInputError when the two differ, or the header is no revision
 */
function revisionOf(ifMatch: string | undefined, revision: unknown): unknown {
  if (ifMatch === undefined || ifMatch === '*') return revision;
  const number = /^(?:W\/)?"?(\d{1,9})"?$/.exec(ifMatch.trim())?.[1];
  if (number === undefined) {
    throw new InvalidInputError([{ field: 'If-Match', message: 'must be a revision, like "3"' }]);
  }
  if (revision !== undefined && revision !== Number(number)) {
    throw new InvalidInputError([{ field: 'revision', message: 'is not what If-Match says' }]);
  }
  return Number(number);
}

export function createdOrThere(created: boolean, body: object): Reply {
  return { status: created ? 201 : 200, body };
}
