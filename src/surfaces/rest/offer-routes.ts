/** `/cue/offers…`, `/cue/events`: what is offered, what became of it, and what happens elsewhere. */
import type { IAgentRuntime, Route } from '@elizaos/core';
import { z } from 'zod';
import {
  flag,
  given,
  memoryOf,
  offersOf,
  pageShape,
  searchText,
  storableText,
  wholeNumber,
} from '../../operations/index.js';
import {
  DETECTOR_NAMES,
  type Decision,
  OFFER_STATES,
  type Offer,
  type ProactiveService,
} from '../../proactive/index.js';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import { isUuid } from '../../shared/ids.js';
import { isAgentItself, type Person, personIn } from '../people.js';
import type { EventStream } from './event-stream.js';
import { anyObject, OPERATOR } from './operation-routes.js';
import type { MakeRoute } from './route.js';

/** Who is to be shown an offer; `agentId` is taken: with it the host chooses the agent that answers. */
const forWhom = { sessionId: searchText.optional(), forAgentId: searchText.optional() };
const room = z.string().refine(isUuid, 'must be a UUID');

const listQuery = z.strictObject({
  ...pageShape,
  ...forWhom,
  state: z.enum(OFFER_STATES).optional(),
  kind: z.enum(DETECTOR_NAMES).optional(),
  roomId: room.optional(),
  deliver: flag.optional(),
});
const streamQuery = z.strictObject({ ...forWhom, deliver: flag.optional() });
const instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an ISO 8601 time with its zone, or a date (UTC)',
  })
  .transform((text) => Date.parse(text));
const statsQuery = z.strictObject({ since: instant.optional(), before: instant.optional() });
const decisionsQuery = z.strictObject({ limit: wholeNumber(1, 200).default(50) });
const closeBody = z.strictObject({ reason: storableText(500).optional() });

const resetBody = z.strictObject({ kind: z.enum(DETECTOR_NAMES).optional() });

const MAX_STREAMS = 100;

export function offerRoutes(route: MakeRoute): Route[] {
  return [
    route({
      type: 'GET',
      path: '/offers',
      query: listQuery,
      handle: async ({ runtime, query: { forAgentId, ...query } }) => ({
        status: 200,
        body: await offersOf(runtime).list(given({ ...query, agentId: forAgentId }), OPERATOR),
      }),
    }),
    route({
      type: 'GET',
      path: '/offers/stats',
      query: statsQuery,
      handle: async ({ runtime, query: { since, before } }) => ({
        status: 200,
        body: await offersOf(runtime).stats({ sinceMs: since, untilMs: before }),
      }),
    }),
    route({
      type: 'POST',
      path: '/offers/reset',
      body: resetBody,
      bodyOptional: true,
      handle: async ({ runtime, body: { kind } }) => ({
        status: 200,
        body: await offersOf(runtime).resetLearned(kind),
      }),
    }),
    route({
      type: 'GET',
      path: '/offers/health',
      handle: async ({ runtime }) => ({ status: 200, body: offersOf(runtime).health() }),
    }),
    route({
      type: 'GET',
      path: '/offers/decisions',
      query: decisionsQuery,
      handle: async ({ runtime, query: { limit } }) => ({
        status: 200,
        body: decisionList(offersOf(runtime).decisions(), limit),
      }),
    }),
    route({
      type: 'GET',
      path: '/offers/stream',
      query: streamQuery,
      handle: async ({ runtime, query }) => ({
        status: 200,
        body: streamOf(offersOf(runtime), query),
      }),
    }),
    route({
      type: 'GET',
      path: '/offers/:id',
      handle: async ({ runtime, params }) => ({
        status: 200,
        body: { offer: await offersOf(runtime).get(params.id ?? '', OPERATOR) },
      }),
    }),
    ending(route, 'acknowledge'),
    ending(route, 'dismiss'),
    ending(route, 'used'),
    route({
      type: 'POST',
      path: '/events',
      body: anyObject,
      handle: async ({ runtime, isRead, body: { entityId, sessionMayBegin, ...input } }) => {
        const service = offersOf(runtime);
        service.requireEnabled();
        const person = await personOf(runtime, entityId, input.roomId);
        const mayBegin = flagIn(sessionMayBegin, 'sessionMayBegin');
        const how = { answered: isRead, speakerId: person?.speakerId, mayBegin };
        return { status: 201, body: await service.happen(input, person?.caller, how) };
      },
    }),
  ];
}

/** @throws InvalidInputError */
function flagIn(value: unknown, field: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw new InvalidInputError([{ field, message: 'must be true or false' }]);
}

/** Kept in memory only, and few: one page is all of them. */
function decisionList(decisions: Decision[], limit: number): object {
  return { decisions: decisions.slice(0, limit), total: decisions.length, nextCursor: null };
}

/** The three ways in which somebody says what an offer was good for. */
function ending(route: MakeRoute, how: 'acknowledge' | 'dismiss' | 'used'): Route {
  return route({
    type: 'POST',
    path: `/offers/:id/${how}`,
    body: closeBody,
    bodyOptional: true,
    handle: async ({
      runtime,
      params,
      body: { reason },
    }): Promise<{
      status: 200;
      body: { offer: Offer };
    }> => ({
      status: 200,
      body: { offer: await offersOf(runtime)[how](params.id ?? '', OPERATOR, reason) },
    }),
  });
}

/**
 * REST manages offers as operator, but an offer is made for somebody: for a person in a room what
 * that person may read there, else what is open to the project. `null`: nobody
 * is named; the agent itself is nobody.
 * @throws InvalidInputError for a person who is not in the room
 */
async function personOf(
  runtime: IAgentRuntime,
  entityId: unknown,
  roomId: unknown,
): Promise<Person | null> {
  if (entityId === undefined) return null;
  if (!isUuid(entityId)) {
    throw new InvalidInputError([{ field: 'entityId', message: 'must be a UUID' }]);
  }
  if (!isUuid(roomId)) {
    throw new InvalidInputError([
      { field: 'roomId', message: 'must be a UUID when entityId is given' },
    ]);
  }
  if (isAgentItself(runtime, entityId)) return null;
  const person = await personIn(runtime, memoryOf(runtime), entityId, roomId);
  if (person) return person;
  throw new InvalidInputError([{ field: 'entityId', message: 'is not in this room' }]);
}

/** @throws AppError LIMIT_REACHED */
function streamOf(
  service: ProactiveService,
  { forAgentId, ...options }: z.output<typeof streamQuery>,
): EventStream {
  if (service.health().subscribers >= MAX_STREAMS) {
    throw new AppError('LIMIT_REACHED', `at most ${MAX_STREAMS} streams are open at a time`);
  }
  return {
    listen: (send) =>
      service.subscribe(
        (event) => {
          const { type, ...data } = event;
          send({ event: type, id: event.offer.id, data });
        },
        given({ ...options, agentId: forAgentId }),
      ),
    isOpen: () => isRunning(service),
  };
}

/** A service that was stopped gives nothing away any more. */
function isRunning(service: ProactiveService): boolean {
  try {
    return service.detectors !== undefined;
  } catch {
    return false;
  }
}
