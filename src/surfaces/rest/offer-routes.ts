/** `/cue/offers/stream`, `/cue/events`: what is offered as it comes, and what happens elsewhere. */
import type { IAgentRuntime, Route } from '@elizaos/core';
import { z } from 'zod';
import { flag, forWhom, given, memoryOf, offersOf } from '../../operations/index.js';
import type { ProactiveService } from '../../proactive/index.js';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import { isUuid } from '../../shared/ids.js';
import { isAgentItself, type Person, personIn } from '../people.js';
import type { EventStream } from './event-stream.js';
import { anyObject } from './operation-routes.js';
import type { MakeRoute } from './route.js';

const streamQuery = z.strictObject({ ...forWhom, deliver: flag.optional() });
const MAX_STREAMS = 100;

export function offerRoutes(route: MakeRoute): Route[] {
  return [
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
