/** `/cue/when…`: knowledge of the project, recalled, checked and added to. */
import type { Route } from '@elizaos/core';
import { z } from 'zod';
import {
  followedWhen,
  given,
  searchText,
  startedWhen,
  storableText,
} from '../../operations/index.js';
import { OPERATOR } from './operation-routes.js';
import type { MakeRoute } from './route.js';

/** Twenty requests of 500 characters, and the bullets of a list. */
const MAX_QUERY = 12_000;
const MOST_QUERIES = 20;

const query = storableText(MAX_QUERY).refine((text) => text.trim() !== '', 'must not be empty');
const queries = z
  .unknown()
  .transform((sent) => (typeof sent === 'string' ? [sent] : (sent ?? [])))
  .pipe(
    z
      .array(query, { error: 'must be a trigger, a list of them, or given several times' })
      .min(1, 'is required')
      .max(MOST_QUERIES, `must not be given more than ${MOST_QUERIES} times`),
  );
const recallQuery = z.strictObject({
  q: queries,
  sessionId: searchText.optional(),
});

/** What it has to be like says the service; here only that it is text. */
const rememberBody = z.strictObject({
  prefix: z.enum(['when', 'how']).optional(),
  trigger: z.string(),
  header: z.string(),
  description: z.string(),
  file: z.string().optional(),
  content: z.string().optional(),
  under: z.string().optional(),
});

export function whenRoutes(route: MakeRoute): Route[] {
  return [
    route({
      type: 'GET',
      path: '/when',
      query: recallQuery,
      handle: async ({ runtime, query: { q, sessionId } }) => ({
        status: 200,
        body: await (await followedWhen(runtime)).recall(
          q,
          { ...OPERATOR, ...given({ sessionId }) },
          'operator',
        ),
      }),
    }),
    route({
      type: 'GET',
      path: '/when/validate',
      handle: async ({ runtime }) => ({
        status: 200,
        body: await (await followedWhen(runtime)).validate(),
      }),
    }),
    route({
      type: 'POST',
      path: '/when/remember',
      body: rememberBody,
      handle: async ({ runtime, body }) => {
        const remembered = await startedWhen(runtime).remember(body, OPERATOR);
        return { status: remembered.changed ? 201 : 200, body: { remembered } };
      },
    }),
    route({
      type: 'GET',
      path: '/when/stats',
      handle: async ({ runtime }) => ({
        status: 200,
        body: await (await followedWhen(runtime)).stats(),
      }),
    }),
    route({
      type: 'GET',
      path: '/when/health',
      handle: async ({ runtime }) => ({ status: 200, body: startedWhen(runtime).health() }),
    }),
  ];
}
