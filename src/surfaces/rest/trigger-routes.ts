/** `/cue/triggers…`: each route calls one method of the service and formats its answer. */
import type { Route } from '@elizaos/core';
import { z } from 'zod';
import {
  enabledTriggersOf,
  given,
  pageShape,
  searchText,
  triggersOf,
  waitMs,
} from '../../operations/index.js';
import { AppError } from '../../shared/errors.js';
import { type BatchResult, type Requester, TRIGGER_STATES } from '../../triggers/index.js';
import type { MakeRoute } from './route.js';

/** REST acts as operator of the project (DESIGN §3). */
const OPERATOR: Requester = { kind: 'operator' };

/** Items are judged by the service: here only that there is a body to judge. */
const anyObject = z.record(z.string(), z.unknown());

const listQuery = z.strictObject({
  ...pageShape,
  state: z.enum(TRIGGER_STATES).optional(),
  q: searchText.optional(),
  creatorEntityId: z.guid().optional(),
  order: z.enum(['newest', 'soonest']).optional(),
});

export function triggerRoutes(route: MakeRoute): Route[] {
  return [
    // The first route that matches wins: whole words stand before `:id`.
    route({
      type: 'GET',
      path: '/triggers/health',
      handle: async ({ runtime }) => ({
        status: 200,
        body: await triggersOf(runtime).health(),
      }),
    }),
    route({
      type: 'GET',
      path: '/triggers/export',
      slow: true,
      handle: async ({ runtime }) => ({
        status: 200,
        body: await enabledTriggersOf(runtime).exportAll(),
      }),
    }),
    route({
      type: 'POST',
      path: '/triggers/import',
      slow: true,
      body: anyObject,
      handle: async ({ runtime, body }) =>
        batchReply(await enabledTriggersOf(runtime).requests.importAll(body)),
    }),
    route({
      type: 'POST',
      path: '/triggers/preview',
      body: anyObject,
      handle: async ({ runtime, body }) => ({
        status: 200,
        body: await enabledTriggersOf(runtime).requests.preview(body),
      }),
    }),
    route({
      type: 'POST',
      path: '/triggers/batch',
      slow: true,
      body: z.strictObject({ triggers: z.array(z.unknown()) }),
      handle: async ({ runtime, body }) =>
        batchReply(await enabledTriggersOf(runtime).requests.createMany(body.triggers, OPERATOR)),
    }),
    route({
      type: 'GET',
      path: '/triggers',
      query: listQuery,
      handle: async ({ runtime, query }) => {
        const { limit, cursor, order, state, q, creatorEntityId } = query;
        const found = await enabledTriggersOf(runtime).list(
          given({ state, text: q, creatorEntityId }),
          { limit, ...given({ cursor, order }) },
          OPERATOR,
        );
        return { status: 200, body: found };
      },
    }),
    route({
      type: 'POST',
      path: '/triggers',
      body: anyObject,
      handle: async ({ runtime, body }) => {
        const { created, trigger } = await enabledTriggersOf(runtime).requests.create(
          body,
          OPERATOR,
        );
        if (created) return { status: 201, body: { trigger } };
        throw new AppError('DUPLICATE', `this trigger exists already: "${trigger.displayName}"`, {
          existingId: trigger.id,
        });
      },
    }),
    route({
      type: 'GET',
      path: '/triggers/:id',
      handle: async ({ runtime, params }) => ({
        status: 200,
        body: { trigger: await enabledTriggersOf(runtime).get(idOf(params), OPERATOR) },
      }),
    }),
    route({
      type: 'PUT',
      path: '/triggers/:id',
      body: anyObject,
      handle: async ({ runtime, params, body }) => ({
        status: 200,
        body: {
          trigger: await enabledTriggersOf(runtime).requests.change(idOf(params), body, OPERATOR),
        },
      }),
    }),
    route({
      type: 'DELETE',
      path: '/triggers/:id',
      handle: async ({ runtime, params }) => {
        await enabledTriggersOf(runtime).delete(idOf(params), OPERATOR);
        return { status: 200, body: { deleted: true } };
      },
    }),
    route({
      type: 'POST',
      path: '/triggers/:id/execute',
      query: z.strictObject({ waitMs: waitMs.optional() }),
      handle: async ({ runtime, params, query }) => {
        const done = await enabledTriggersOf(runtime).run(idOf(params), OPERATOR, given(query));
        if (query.waitMs === undefined) return { status: 202, body: { runId: done.runId } };
        return { status: 200, body: { run: done.run, trigger: done.trigger } };
      },
    }),
    route({
      type: 'GET',
      path: '/triggers/:id/runs',
      query: z.strictObject(pageShape),
      handle: async ({ runtime, params, query }) => ({
        status: 200,
        body: await enabledTriggersOf(runtime).runs(
          idOf(params),
          { limit: query.limit, ...given({ cursor: query.cursor }) },
          OPERATOR,
        ),
      }),
    }),
    route({
      type: 'GET',
      path: '/triggers/:id/why',
      handle: async ({ runtime, params }) => ({
        status: 200,
        body: await enabledTriggersOf(runtime).why(idOf(params), OPERATOR),
      }),
    }),
  ];
}

function idOf(params: Record<string, string>): string {
  return params.id ?? '';
}

/** Short items: ten thousand whole triggers would be ten megabytes. */
function batchReply(result: BatchResult): { status: 200 | 201; body: object } {
  return {
    status: result.created.length > 0 ? 201 : 200,
    body: {
      created: result.created.map(({ index, trigger }) => ({
        index,
        id: trigger.id,
        taskId: trigger.taskId,
        nextRunAtMs: trigger.nextRunAtMs,
      })),
      duplicates: result.duplicates.map(({ index, trigger }) => ({
        index,
        existingId: trigger.id,
      })),
      rejected: result.rejected,
      counts: {
        created: result.created.length,
        duplicates: result.duplicates.length,
        rejected: result.rejected.length,
      },
    },
  };
}
