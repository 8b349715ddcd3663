/** `/cue/identity`, `/cue/chapters`, `/cue/wisdom`: who works here, and what it has come to. */
import type { Route } from '@elizaos/core';
import { z } from 'zod';
import { memoryOf } from '../services.js';
import { anyObject, createdOrThere, OPERATOR, spokenFor } from './memory-routes.js';
import { given, pageShape, searchText, wholeNumber } from './query.js';
import type { MakeRoute } from './route.js';

const pageQuery = z.strictObject({ ...pageShape, limit: wholeNumber(1, 100).default(50) });
const wisdomQuery = z.strictObject({ limit: pageQuery.shape.limit, q: searchText.optional() });
const importBody = z.union([anyObject, z.array(z.unknown())]);

export function knowledgeRoutes(route: MakeRoute): Route[] {
  return [
    route({
      type: 'POST',
      path: '/identity',
      body: anyObject,
      handle: async ({ runtime, body }) => {
        const identity = await memoryOf(runtime).identity(body, OPERATOR);
        return createdOrThere(body.action === 'register', { identity });
      },
    }),
    route({
      type: 'GET',
      path: '/chapters',
      query: pageQuery,
      handle: async ({ runtime, query }) => {
        const found = await memoryOf(runtime).listChapters(given(query), OPERATOR);
        return {
          status: 200,
          body: { chapters: found.chapters, total: found.total, nextCursor: found.next_cursor },
        };
      },
    }),
    route({
      type: 'POST',
      path: '/chapters',
      slow: true,
      body: anyObject,
      handle: async ({ runtime, body }) => {
        const { caller, input } = spokenFor(body);
        const made = await memoryOf(runtime).createChapter(input, caller);
        return createdOrThere(made.created > 0, made);
      },
    }),
    route({
      type: 'GET',
      path: '/wisdom',
      query: wisdomQuery,
      handle: async ({ runtime, query: { q, ...page } }) => {
        const found = await memoryOf(runtime).recallWisdom(given({ query: q, ...page }), OPERATOR);
        return {
          status: 200,
          body: { wisdom: found.wisdom, total: found.total, nextCursor: null },
        };
      },
    }),
    route({
      type: 'POST',
      path: '/wisdom',
      slow: true,
      body: anyObject,
      handle: async ({ runtime, body }) => {
        const { caller, input } = spokenFor(body);
        const made = await memoryOf(runtime).synthesize(input, caller);
        return createdOrThere(made.created > 0, made);
      },
    }),
    route({
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
    }),
    route({
      type: 'POST',
      path: '/import',
      slow: true,
      body: importBody,
      handle: async ({ runtime, body }) => ({
        status: 200,
        body: await memoryOf(runtime).import({ content: contentOf(body) }, OPERATOR),
      }),
    }),
  ];
}

/** JSON lines come as text in `jsonl`; anything else is an export, or a list of its records. */
function contentOf(body: z.output<typeof importBody>): unknown {
  return Array.isArray(body) || typeof body.jsonl !== 'string' ? body : body.jsonl;
}
